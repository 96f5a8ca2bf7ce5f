"""Tables of channels, altered in cells, lines and bytes, as recordings of an exercise."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from tests.fuzz.child import Attempts
from tests.fuzz.mutate import mutated_text, put_in_place_of


def _table(rng: random.Random, separator: str, rate_hz: float, columns: int) -> str:
    lines = [separator.join(("time_s", *(f"channel {i}" for i in range(columns))))]
    lines += [
        separator.join((f"{row / rate_hz:.4f}", *(f"{rng.gauss(0, 1):.4g}" for _ in range(columns))))
        for row in range(300)
    ]
    return "\n".join(lines) + "\n"


def prepare(place: Path) -> Callable[[random.Random, Path], Attempts]:
    rng = random.Random("channels")
    seeds = {
        "a.csv": _table(rng, ",", 50.0, 3),
        "b.csv": _table(rng, ";", 12.5, 1),
        "c.tsv": _table(rng, "\t", 100.0, 12),
    }

    def case(rng: random.Random, folder: Path) -> Attempts:
        name = rng.choice(list(seeds))
        altered, sound = folder / name, folder / f"sound-{name}"
        sound.write_text(seeds[name], encoding="utf-8")
        # Nearly every alteration makes a cell that is no number; some tables differ in one value only.
        other = seeds[name].replace("1", "2", rng.randrange(3)) if rng.random() < 0.2 else None
        altered.write_bytes(mutated_text(rng, seeds[name]) if other is None else other.encode())
        if rng.random() < 0.03:
            put_in_place_of(rng, altered)
        return [("read", lambda: _read(sound, altered))]

    return case


def _read(*paths: Path) -> None:
    from rehabcount.bedside.discovering import Wanted, read_stretches
    from rehabcount.models.steps_input import comparable
    from rehabcount.signals.align import AlignSettings

    found = read_stretches([Wanted(path) for path in paths], AlignSettings(), lambda: None)
    comparable([each.demonstration for each in found])
