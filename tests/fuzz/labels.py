"""Labels in tables, lines and folders, altered in cells, lines and bytes, through `evaluate`."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from tests.fuzz.child import Attempts
from tests.fuzz.mutate import command, mutated_text, put_in_place_of

NAMES = ("reach", "transport", "reposition", "stabilize", "idle")


def _segments(rng: random.Random, separator: str = ",", unit: str = "s") -> str:
    lines, at = [separator.join(("label", f"start_{unit}", f"end_{unit}", "side"))], 0.0
    for _ in range(40):
        end = at + rng.randrange(20, 200) / (100 if unit == "s" else 0.5)
        cells = (rng.choice(NAMES), f"{at:g}", f"{end:g}", "right")
        lines.append(separator.join(cell.replace(".", ",") if separator == ";" else cell for cell in cells))
        at = end
    return "\n".join(lines) + "\n"


def _frames(rng: random.Random, heading: str = "") -> str:
    return heading + "".join(f"{rng.choice(NAMES)}\n" * rng.randrange(5, 40) for _ in range(30))


def prepare(place: Path) -> Callable[[random.Random, Path], Attempts]:
    rng = random.Random("labels")
    seeds = {
        "a.csv": _segments(rng),
        "b.csv": _segments(rng, ";"),
        "c.csv": _segments(rng, "\t", "frame"),
        "d.csv": _frames(rng, "label\n"),
        "e.txt": _frames(rng),
        "f.lab": _frames(rng),
    }

    def case(rng: random.Random, folder: Path) -> Attempts:
        name = rng.choice(list(seeds))
        altered, sound = folder / name, folder / f"sound-{name}"
        sound.write_text(seeds[name], encoding="utf-8")
        altered.write_bytes(mutated_text(rng, seeds[name]))
        if rng.random() < 0.03:
            put_in_place_of(rng, altered)
        rate = ("--rate-hz", "100") if rng.random() < 0.3 else ()
        every: Attempts = [
            ("evaluate", command("evaluate", sound, altered, *rate)),
            ("turned", command("evaluate", altered, sound, "--json", "--labels", "any", *rate)),
            ("events", command("evaluate", altered, sound, "--scoring", "events", "--merged", *rate)),
            ("folder", command("evaluate", folder, folder, "--labels", "any", *rate)),
        ]
        return rng.sample(every, 2)

    return case
