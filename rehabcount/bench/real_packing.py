"""A real person packing boxes: do counted movements rise and fall with what is done?

OpenPack: sensors on both wrists and upper arms, every action timed (pick up, scan, attach, insert, ...). Each session
goes through the walk as a whole, once for either arm. A counted movement belongs to the box in whose time its middle
lies. Movements of both arms are set beside the timed actions of each box: how they correlate over boxes (Pearson),
within each person. Actions are no primitives: an action holds several movements, of either arm or both. So there is no
true number of movements, and only the correlation is judged.

Boxes take between one and two minutes, and longer ones hold more of everything. So the correlation of the boxes' length
with the timed actions stands beside it.

Our bound: a correlation of .6.

Citation: Yoshimura et al., OpenPack, PerCom 2024 (recordings).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rehabcount.bench.experiment import Claim, Context, Experiment, FigureValue, Results, Value, pyplot
from rehabcount.bench.worn_walk import COUNTED, WalkCount, counting_of, wearing
from rehabcount.datasets.openpack import Box, read_sessions
from rehabcount.domain.rig import Place, Side

BOUND = 0.6
FEWEST_BOXES = 3  # a correlation over fewer says nothing
INK = "#22303c"
COLOURS = {Side.RIGHT: "#d55e00", Side.LEFT: "#0072b2"}


@dataclass(frozen=True, slots=True)
class PackedBox:
    """One box: how long it took, its timed actions, and the movements that were counted meanwhile."""

    person: str
    number: int
    length_s: float
    actions: int
    counts: Mapping[tuple[Side, str], int]  # by arm and label
    active_s: Mapping[Side, float]

    def of(self, side: Side | None = None, label: str | None = None) -> int:
        """Counted movements, of one arm or both, of one label or all."""
        return sum(n for (s, name), n in self.counts.items() if side in (None, s) and label in (None, name))


def run(settings: Mapping[str, Value], context: Context) -> Results:
    """Whole sessions through the walk; nothing is fitted here."""
    count, model = counting_of(str(settings["model"]))
    found = list[PackedBox]()
    sessions = list(read_sessions(context.folder("openpack")))
    for number, session in enumerate(sessions, 1):
        walked = {
            side: count(wearing(session.recording, (Place.on(side, "wrist"), Place.on(side, "upper-arm"))), side)
            for side in Side
        }
        found += [packed(session.recording.person, box, walked) for box in session.boxes]
        context.on_progress(session.recording.name, number, len(sessions))
    if context.out is not None:
        draw(found, model, context.out / f"{EXPERIMENT.name}.png")
    return summary(found, model)


def packed(person: str, box: Box, walked: Mapping[Side, WalkCount]) -> PackedBox:
    """What was counted while this box was packed."""
    counts, active = dict[tuple[Side, str], int](), dict[Side, float]()
    for side, found in walked.items():
        for move in found.counted:
            if box.start_s <= (move.start_s + move.end_s) / 2 < box.end_s:
                counts[side, move.label] = counts.get((side, move.label), 0) + 1
        inside = [max(0.0, min(m.end_s, box.end_s) - max(m.start_s, box.start_s)) for m in found.counted]
        active[side] = sum(inside)
    return PackedBox(person, box.number, box.end_s - box.start_s, len(box.actions), counts, active)


def correlation(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Pearson's; None if one of them does not vary, or there are too few."""
    if len(a) < FEWEST_BOXES or np.std(a) == 0 or np.std(b) == 0:
        return None
    return float(np.corrcoef(a, b)[0, 1])


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def summary(found: Sequence[PackedBox], model: str) -> Results:
    claims, figures = list[Claim](), dict[str, FigureValue](model=model)
    for person in dict.fromkeys(each.person for each in found):
        boxes = [each for each in found if each.person == person]
        actions = [each.actions for each in boxes]
        length_s = sum(each.length_s for each in boxes)
        both = correlation([each.of() for each in boxes], actions)
        claims.append(
            Claim(
                f"person {person}, {len(boxes)} boxes",
                "counted movements of both arms and timed actions, correlation",
                None,
                _rounded(both),
                both is not None and both >= BOUND,
                f"{sum(each.of() for each in boxes)} movements, {sum(actions)} actions in {length_s / 60:.1f} min; "
                f"bound {BOUND:.2f}",
            )
        )
        claims.append(
            Claim(
                f"person {person}, {len(boxes)} boxes",
                "length of the boxes and timed actions, correlation",
                None,
                _rounded(correlation([each.length_s for each in boxes], actions)),
                None,
                "what a clock alone would reach",
            )
        )
        for side in Side:
            total = sum(each.of(side) for each in boxes)
            figures[f"{person}, {side} arm: movements a box"] = round(total / len(boxes), 1)
            figures[f"{person}, {side} arm: correlation with actions"] = _rounded(
                correlation([each.of(side) for each in boxes], actions)
            )
            active = sum(each.active_s[side] for each in boxes) / length_s
            figures[f"{person}, {side} arm: active share of the time"] = round(active, 3)
            for label in sorted(COUNTED):
                r = correlation([each.of(side, label) for each in boxes], actions)
                said = "-" if r is None else f"{r:.2f}"
                here = sum(each.of(side, label) for each in boxes) / len(boxes)
                figures[f"{person}, {side} arm: {label} a box"] = f"{here:.1f}, correlation {said}"
        for each in boxes:
            figures[f"{person}, box {each.number}"] = (
                f"{each.actions} actions, {each.of(Side.RIGHT)} + {each.of(Side.LEFT)} movements (right + left) "
                f"in {each.length_s:.0f} s"
            )
    return Results(tuple(claims), figures)


def draw(found: Sequence[PackedBox], model: str, path: Path) -> None:
    """Counted movements against timed actions, a dot a box: both arms, and each arm."""
    plt = pyplot()
    people = list(dict.fromkeys(each.person for each in found))
    figure, axes = plt.subplots(
        1, len(people), figsize=(5.2 * len(people) + 0.6, 4.6), dpi=110, squeeze=False, facecolor="white"
    )
    for axis, person in zip(axes[0], people, strict=True):
        boxes = [each for each in found if each.person == person]
        actions = [each.actions for each in boxes]
        series = [("both arms", INK, [each.of() for each in boxes])]
        series += [(f"{side} arm", COLOURS[side], [each.of(side) for each in boxes]) for side in Side]
        for name, colour, counts in series:
            r = correlation(counts, actions)
            said = f"{name}, r = {r:.2f}" if r is not None else name
            axis.plot(actions, counts, "o", color=colour, alpha=0.75, ms=6, label=said)
            if r is not None:
                ends = np.array([min(actions), max(actions)])
                axis.plot(ends, np.polyval(np.polyfit(actions, counts, 1), ends), color=colour, lw=1)
        axis.set_xlabel("timed actions of a box", color=INK)
        axis.set_ylabel("counted movements of a box", color=INK)
        axis.set_ylim(0, None)
        axis.set_title(f"person {person}, {model}", fontsize=10.5, color=INK, loc="left")
        axis.spines[["top", "right"]].set_visible(False)
        axis.legend(frameon=False, fontsize=9)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)


EXPERIMENT = Experiment(
    "real-packing",
    "Do counted movements follow what a real person does, packing boxes?",
    "Yoshimura et al. 2024 (recordings)",
    "OpenPack (folder openpack)",
    "two minutes",
    run,
    {"model": "stream"},
    "openpack",
)
