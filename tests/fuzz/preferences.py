"""Settings and the book of sensors, altered in values, tables and bytes; and a count with settings that were read."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from rehabcount.bedside.config import Settings, load_settings, save_settings
from rehabcount.bedside.counting import count_file
from rehabcount.domain.rig import Side, places_of
from rehabcount.inference.artifact import Opened, open_model, verify
from rehabcount.sensors import assignment
from rehabcount.sensors.assignment import Remembered
from tests.engine.oracle import TINY
from tests.fuzz import sessions
from tests.fuzz.child import Attempts
from tests.fuzz.mutate import ESCAPES, command, mutated_bytes, mutated_json, mutated_text, odd_value, put_in_place_of

SETTINGS = """data_folder = "{folder}"
model = "stream"

[align]
lag_s = 0.2
bridge_periods = 3.0

[radio]
adapters = ["hci0", "hci1"]
links_per_adapter = 5
acquire_notify = true

[window]
theme = "dark"
text_percent = 150
language = "de"
sound = true
initials = "AB"
rig = "three"
"""
VALUES = (
    "1e15",
    "-1",
    "0",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "9" * 5000,
    '""',
    "[]",
    "{}",
    "true",
    "1979-05-27T07:32:00Z",
    "[" * 5000 + "]" * 5000,
    "{a=" * 3000 + "1" + "}" * 3000,
    '"\\u0000"',
    '"\\u001b[31m"',
    "'../../etc'",
    "0.5",
    "1e-300",
)


def prepare(place: Path) -> Callable[[random.Random, Path], Attempts]:
    session = place / "seed.rehab"
    sessions.make(session)
    opened = Opened(open_model(TINY), verify(TINY).sha256)
    book = tuple(Remembered(f"AA:{i:02}", "dot", each) for i, each in enumerate(places_of("five", Side.RIGHT)))

    def case(rng: random.Random, folder: Path) -> Attempts:
        path = folder / "settings.toml"
        path.write_bytes(_settings(rng, SETTINGS.format(folder=folder / "data")))
        sensors = folder / "sensors.json"
        assignment.save(sensors, book)
        text = sensors.read_text(encoding="utf-8")
        sensors.write_bytes(mutated_json(rng, text).encode("utf-8", "surrogatepass"))
        if rng.random() < 0.05:
            put_in_place_of(rng, rng.choice((path, sensors)))
        os.environ["REHABCOUNT_SETTINGS"] = str(path)

        def count() -> None:
            settings = replace(load_settings(path), data_folder=str(folder))
            count_file(session, opened, settings, keep=False)

        every: Attempts = [
            ("load and save", partial(_load_and_save, path, folder / "again.toml")),
            ("models", command("models")),
            ("info", command("info", session)),
        ]
        counted: Attempts = [("count", count)] if rng.random() < 0.1 else []
        return [*rng.sample(every, 2), *counted, ("sensors", partial(_assign, sensors))]

    return case


def _load_and_save(path: Path, again: Path) -> None:
    settings = load_settings(path)
    assert settings.data
    save_settings(settings, again)
    if again.exists():
        assert load_settings(again) == settings
    else:
        assert settings == Settings()


def _assign(path: Path) -> None:
    remembered = assignment.load(path)
    assignment.rig_of("five", Side.LEFT, remembered, {})
    assignment.adopted(remembered, places_of("five", Side.LEFT))


def _settings(rng: random.Random, text: str) -> bytes:
    kind = rng.random()
    if kind < 0.15:
        return mutated_bytes(rng, text.encode())
    if kind < 0.25:
        return mutated_text(rng, text)
    lines = text.splitlines()
    for _ in range(rng.choice((1, 1, 2))):
        at = rng.choice([i for i, line in enumerate(lines) if "=" in line])
        name = lines[at].partition("=")[0]
        match rng.randrange(6):
            case 0:
                lines[at] = ".".join([name.strip()] * 5000) + " = 1"
            case 1:
                lines[at] = f"{json.dumps(rng.choice((ESCAPES, 'y' * 5000, '')))} = 1"
            case 2:
                lines[at:at] = [lines[at]]
            case 3:
                said = odd_value(rng)
                lines[at] = f"{name}= {json.dumps(said, ensure_ascii=False) if said is not None else '[1, [2]]'}"
            case _:
                lines[at] = f"{name}= {rng.choice(VALUES)}"
    return "\n".join(lines).encode("utf-8", "surrogatepass")
