"""Models: cards, networks, golden windows and sums, altered, with sums made anew so that nothing stops at them."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rehabcount.app.cli import app
from rehabcount.domain.motion import Rows
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import StitchRule
from rehabcount.engine.recognise import recogniser_of
from rehabcount.engine.summary import known_models
from rehabcount.inference.artifact import CARD, FILES, GOLDEN, NETWORK, SHIPPED, SUMS, find, open_model, write_sums
from rehabcount.inference.card import check_fit
from rehabcount.signals.features import BEDSIDE
from tests.engine.oracle import TINY
from tests.fuzz.child import Attempts
from tests.fuzz.mutate import mutated_bytes, mutated_json, odd_value

ROWS = 250  # of a hand that is waved: two and a half seconds
# What a card decides with, and what was tried by hand.
NUMBERS = ("rate_hz", "steps_per_frame", "chunk_steps", "margin_steps", "lookahead_frames", "delay_bound_s", "version")
RULES = ("lag_frames", "frame_weight", "onset_weight", "transition_weight", "duration_weight", "onset_spread")
TABLES = ("start", "follow", "durations", "count_bias", "false_starts")
CLOSE: tuple[Any, ...] = (0, -1, 1, 2, 3, 5, 10, 1000, 10**9, 0.5, 100.0, 1e15, float("nan"), float("inf"), "1.²", [], None)


def prepare(place: Path) -> Callable[[random.Random, Path], Attempts]:
    seeds = [TINY, *(find(name, [SHIPPED]).folder for name in ("stream", "mstcn", "raw2seq"))]
    rng = np.random.default_rng(0)
    values = np.repeat(rng.normal(0, 2, (ROWS // 25, len(BEDSIDE))), 25, axis=0)
    time_s = np.arange(ROWS) / 100
    rows = Rows(0, time_s, values, np.ones(values.shape, bool))

    def case(rng: random.Random, folder: Path) -> Attempts:
        seed = rng.choices(seeds, (8, 4, 1, 1))[0]
        path = folder / "models" / seed.name
        shutil.copytree(seed, path)
        for _ in range(rng.choice((1, 1, 2))):
            rng.choices((_number, _json, _network, _golden), (4, 3, 4, 1))[0](rng, path)
        write_sums(path)
        if rng.random() < 0.05:
            _sums(rng, path)

        def command(*words: object) -> Callable[[], object]:
            return partial(app, [str(word) for word in words], standalone_mode=False)

        every: list[tuple[str, Callable[[], object]]] = [
            ("verify", command("models", "verify", path)),
            ("list", command("models", "--folder", path.parent)),
            ("explain", command("models", "explain", path)),
            ("facts", partial(known_models, [path.parent])),
        ]
        return [*rng.sample(every, 2), ("count", partial(_count, path, rows))]

    return case


def _count(path: Path, rows: Rows) -> None:
    """As an arm does it, from the card to the movements."""
    model = open_model(path)
    if model.card.recipe == BEDSIDE.name:
        from rehabcount.domain.rig import make_rig

        check_fit(model.card, BEDSIDE, make_rig("nine", Side.RIGHT, "dot", 60.0), Side.RIGHT)
        recogniser = recogniser_of(model, Side.RIGHT, 0.0, StitchRule())
        recogniser.push(rows)
        recogniser.draft()
        recogniser.finish()


def _number(rng: random.Random, folder: Path) -> None:
    """One of the entries that a card decides with."""
    path = folder / CARD
    try:
        card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        table = card["decoding"] if card["decoding"] and rng.random() < 0.5 else card
        name = rng.choice((*RULES, *TABLES) if table is not card else NUMBERS)
        value = table[name]
        if isinstance(value, list) and value and rng.random() < 0.5:
            value[rng.randrange(len(value))] = rng.choice((*CLOSE, [], [0.0], value[:1]))
        else:
            table[name] = rng.choice(CLOSE) if rng.random() < 0.8 else odd_value(rng)
        path.write_text(json.dumps(card), encoding="utf-8")
    except (ValueError, KeyError, TypeError, RecursionError):  # it was altered before
        _json(rng, folder)


def _json(rng: random.Random, folder: Path) -> None:
    path = folder / CARD
    text = path.read_bytes().decode("utf-8", "replace")
    path.write_bytes(mutated_json(rng, text).encode("utf-8", "surrogatepass"))


def _network(rng: random.Random, folder: Path) -> None:
    """Bytes of the graph, mostly of its ends: between them lie the weights."""
    path = folder / NETWORK
    data = path.read_bytes()
    if rng.random() < 0.5:
        path.write_bytes(mutated_bytes(rng, data))
        return
    size = min(len(data), 20_000)
    path.write_bytes(
        mutated_bytes(rng, data[:size]) + data[size:]
        if rng.random() < 0.5
        else data[:-size] + mutated_bytes(rng, data[-size:])
    )


def _golden(rng: random.Random, folder: Path) -> None:
    path = folder / GOLDEN
    path.write_bytes(mutated_bytes(rng, path.read_bytes()))


def _sums(rng: random.Random, folder: Path) -> None:
    """The manifest itself, a file that is missing, or one of another kind."""
    kind = rng.random()
    name = rng.choice((*FILES, SUMS))
    if kind < 0.6:
        (folder / SUMS).write_bytes(mutated_bytes(rng, (folder / SUMS).read_bytes()))
        return
    (folder / name).unlink()
    if kind < 0.7:
        (folder / name).mkdir()
