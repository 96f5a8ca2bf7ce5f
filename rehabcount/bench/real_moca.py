"""A real person at a kitchen table: reaches and transports from virtual IMUs on upper arm, forearm and hand.

One healthy person, single markers, so no thorax: that sensor is masked. A repetition of `reaching` goes out and back:
one reach and one reposition; it is split where the wrist is farthest from where the repetition began, and each half is
looked at by itself. A repetition of `transporting` is one transport; numbers 1, 2, 11 and 38 are not single ones and
are left out. The scenes hold labelled reaches (of which one is 21 still frames, left out) and transports between other
kitchen work that none of the five primitives is meant for.

A movement belongs to the stretch that holds its middle.

Our bounds: exactly one reach and one reposition in 60 % of the 21 repetitions of `reaching`, exactly one transport in
60 % of the repetitions of `transporting`. Everything else has no bound, because this is one person only.

Citation: Nicora et al., The MoCA dataset, 2020.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rehabcount.bench.experiment import Claim, Context, Experiment, FigureValue, Results, Value
from rehabcount.bench.real_arms import Moves, recogniser_of, rows_of
from rehabcount.datasets import moca_imus
from rehabcount.datasets.moca import NOT_SINGLE
from rehabcount.datasets.moca_imus import Kitchen, KitchenAction
from rehabcount.domain.rig import Side

PARTS = ("upper-arm", "forearm", "hand")
FILES = ("reaching_tr", "transporting_tr", "Scene1", "Scene2")
SMALLEST_SHARE = 0.60
SHORTEST_FRAMES = 30  # a labelled reach that is shorter is the still one


@dataclass(frozen=True, slots=True)
class CountedAction:
    """The movements that were counted in one labelled stretch of a recording, by label."""

    recording: str
    label: str  # of the stretch
    moves: tuple[str, ...]


def run(settings: Mapping[str, Value], context: Context) -> Results:
    """Whole recordings through the chain; then what was counted in each labelled stretch."""
    folder = context.folder("moca")
    folder = folder.parent if folder.name == "moca" else folder
    recognise, model = recogniser_of(str(settings["model"]), PARTS)
    found = []
    for number, name in enumerate(FILES, 1):
        kitchen = moca_imus.load(folder, name)
        moves = recognise(rows_of(kitchen.parts, Side.RIGHT, kitchen.rate_hz, 0.0, int(settings["seed"]) + number))
        found += counted(name, wanted_of(kitchen), moves, len(kitchen.wrist) / kitchen.rate_hz, kitchen.rate_hz)
        context.on_progress(name, number, len(FILES))
    return summary(found, model)


def wanted_of(kitchen: Kitchen) -> list[tuple[str, KitchenAction]]:
    """(primitive, stretch) of everything whose truth is known."""
    if kitchen.name == "reaching_tr":
        halves = [split(kitchen, stretch) for stretch in kitchen.stretches]
        return [(label, half) for out, back in halves for label, half in (("reach", out), ("reposition", back))]
    if kitchen.name == "transporting_tr":
        single = [s for i, s in enumerate(kitchen.stretches, 1) if i not in NOT_SINGLE["transporting"]]
        return [("transport", stretch) for stretch in single]
    named = {"reaching": "reach", "transporting": "transport"}
    return [(named[s.label], s) for s in kitchen.stretches if s.label in named and s.end - s.start >= SHORTEST_FRAMES]


def split(kitchen: Kitchen, stretch: KitchenAction) -> tuple[KitchenAction, KitchenAction]:
    """Out and back: in the middle of the time that the wrist spends near the farthest point."""
    way = kitchen.wrist[stretch.start : stretch.end]
    distance = np.linalg.norm(way - way[0], axis=1)
    near = np.flatnonzero(distance > 0.95 * distance.max())
    middle = stretch.start + int(near[0] + near[-1]) // 2
    return KitchenAction(stretch.label, stretch.start, middle), KitchenAction(stretch.label, middle, stretch.end)


def counted(
    name: str, wanted: Sequence[tuple[str, KitchenAction]], moves: Moves, length_s: float, rate_hz: float
) -> list[CountedAction]:
    """For every stretch the labels of the movements whose middle it holds."""
    starts = [start for _, start in moves] + [length_s]
    middles = [(a + b) / 2 for a, b in pairwise(starts)]
    found = []
    for label, stretch in wanted:
        inside = tuple(
            move
            for (move, _), middle in zip(moves, middles, strict=True)
            if stretch.start <= middle * rate_hz < stretch.end
        )
        found.append(CountedAction(name, label, inside))
    return found


def whole(found: Sequence[CountedAction]) -> list[tuple[str, ...]]:
    """The movements in each whole repetition of `reaching`: both halves, one after the other."""
    halves = [each for each in found if each.recording == "reaching_tr"]
    return [out.moves + back.moves for out, back in zip(halves[::2], halves[1::2], strict=True)]


def _bounded(where: str, name: str, right: Sequence[bool]) -> Claim:
    share = sum(right) / len(right)
    met = share >= SMALLEST_SHARE
    return Claim(where, name, None, round(share, 3), met, f"{sum(right)} of {len(right)}; bound {SMALLEST_SHARE:.2f}")


def summary(found: Sequence[CountedAction], model: str) -> Results:
    claims, figures = list[Claim](), dict[str, FigureValue](model=model)
    if repetitions := whole(found):
        right = [moves.count("reach") == 1 and moves.count("reposition") == 1 for moves in repetitions]
        claims.append(_bounded("reaching_tr", "exactly one reach and one reposition in a repetition", right))
    if single := [each for each in found if each.recording == "transporting_tr"]:
        right = [each.moves.count("transport") == 1 for each in single]
        claims.append(_bounded("transporting_tr", "exactly one transport in a repetition", right))
    for name, label in dict.fromkeys((each.recording, each.label) for each in found):
        here = [each for each in found if (each.recording, each.label) == (name, label)]
        counts = [each.moves.count(label) for each in here]
        claims += [
            Claim(name, f"{label}, counted / true", None, round(sum(counts) / len(here), 3), None, f"{len(here)} true"),
            Claim(
                name,
                f"{label}, exactly one in its stretch",
                None,
                round(sum(count == 1 for count in counts) / len(here), 3),
                None,
            ),
        ]
        figures[f"{name}, {label}"] = "; ".join(" ".join(each.moves) or "-" for each in here)
    return Results(tuple(claims), figures)


EXPERIMENT = Experiment(
    "real-moca",
    "Does a recogniser that saw simulated people only count a real cook's reaches and transports?",
    "Nicora et al. 2020 (recordings)",
    "MoCA (folder moca)",
    "a minute",
    run,
    {"model": "stream", "seed": 1},
    "moca",
)
