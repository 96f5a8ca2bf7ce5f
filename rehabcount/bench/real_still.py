"""Real people who walk, turn, stand up and balance: what is counted although they exercise nothing?

Healthy people with sensors on trunk and both arms (Kiel). Every counted movement is a false one. Each recording goes
through the walk as a session of its own, once for either arm, with two sets of sensors: the sternum and both
arms, and the forearm of the counted arm alone. An hour is an hour of one counted arm.

Our bounds: 20 false counts an hour with trunk and arms, 40 with one forearm.

Citation: Warmerdam et al., Full-body mobility data, Data 2022 (recordings; Kiel).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rehabcount.bench.experiment import Claim, Context, Experiment, FigureValue, Results, Value, pyplot
from rehabcount.bench.worn_walk import COUNTED, counting_of, wearing
from rehabcount.datasets.kiel import read_recordings
from rehabcount.datasets.worn import WornRecording
from rehabcount.domain.labels import PRODUCT
from rehabcount.domain.rig import Place, Side
from rehabcount.metrics.agreement import false_per_hour

BOUNDS = {"trunk and arms": 20.0, "one forearm": 40.0}  # an hour
INK = "#22303c"


@dataclass(frozen=True, slots=True)
class StillCount:
    """What was counted in one recording: for one arm, with one set of sensors."""

    person: str
    kind: str
    worn: str
    side: Side
    length_s: float
    counts: Mapping[str, int]  # of every label
    tasks: int

    @property
    def false(self) -> int:
        return sum(number for label, number in self.counts.items() if label in COUNTED)


def kind_of(name: str) -> str:
    """The movement, from the name of a recording: without its number."""
    return re.sub(r"(_?\d+)+$", "", name).replace("_", " ") or name


def sets_of(recording: WornRecording, side: Side) -> dict[str, tuple[Place, ...]]:
    return {"trunk and arms": recording.places, "one forearm": (Place.on(side, "forearm"),)}


def run(settings: Mapping[str, Value], context: Context) -> Results:
    """Every recording of every person; nothing is fitted here."""
    recordings = list(read_recordings(context.folder("kiel")))
    recordings = recordings[::7] if context.quick else recordings
    count, model = counting_of(str(settings["model"]))
    found = list[StillCount]()
    for number, recording in enumerate(recordings, 1):
        for side in Side:
            for worn, places in sets_of(recording, side).items():
                walked = count(wearing(recording, places), side)
                counts = Counter(move.label for move in walked.moves)
                kind = kind_of(recording.name)
                found.append(StillCount(recording.person, kind, worn, side, recording.length_s, counts, walked.tasks))
        context.on_progress(f"{recording.person} {recording.name}", number, len(recordings))
    if context.out is not None:
        draw(found, model, context.out / f"{EXPERIMENT.name}.png")
    return summary(found, model)


def summary(found: Sequence[StillCount], model: str) -> Results:
    claims, figures = list[Claim](), dict[str, FigureValue](model=model)
    for worn, bound in BOUNDS.items():
        mine = [each for each in found if each.worn == worn]
        hours = sum(each.length_s for each in mine) / 3600
        if not hours:
            continue
        false = sum(each.false for each in mine)
        spread = false_per_hour(false, hours)
        people = len({each.person for each in mine})
        where = f"{people} healthy people, {worn}"
        claims += [
            Claim(
                where,
                "false counts an hour",
                None,
                round(false / hours, 1),
                false / hours <= bound,
                f"{false} in {hours:.2f} h of a counted arm ({spread.low:.1f} to {spread.high:.1f}); bound {bound:g}",
            ),
            Claim(
                where,
                "task repetitions an hour",
                None,
                round(sum(each.tasks for each in mine) / hours, 1),
                None,
                f"{sum(each.tasks for each in mine)}; none is true",
            ),
        ]
        for label in PRODUCT.names:
            total = sum(each.counts.get(label, 0) for each in mine)
            said = "counted" if label in COUNTED else "not counted"
            figures[f"{worn}: {label}, {said}"] = total
        for half, order in (("first half of the people", 0), ("second half of the people", 1)):
            ordered = sorted({each.person for each in mine})
            middle = (len(ordered) + 1) // 2
            names = ordered[:middle] if order == 0 else ordered[middle:]
            part = [each for each in mine if each.person in names]
            if part:
                part_hours = sum(each.length_s for each in part) / 3600
                figures[f"{worn}: {half}, an hour"] = round(sum(each.false for each in part) / part_hours, 1)
        for kind in dict.fromkeys(each.kind for each in mine):
            part = [each for each in mine if each.kind == kind]
            seconds = sum(each.length_s for each in part)
            wrong = sum((Counter(each.counts) for each in part), Counter())
            said = ", ".join(f"{label} {wrong[label]}" for label in PRODUCT.names if wrong[label] and label in COUNTED)
            tasks = sum(each.tasks for each in part)
            figures[f"{worn}: {kind}"] = (
                f"{sum(each.false for each in part)} in {seconds / 60:.1f} min, "
                f"{3600 * sum(each.false for each in part) / seconds:.0f} an hour"
                + (f" ({said}; {tasks} task repetitions)" if said else "")
            )
    return Results(tuple(claims), figures)


def draw(found: Sequence[StillCount], model: str, path: Path) -> None:
    """False counts an hour by kind of movement, stacked by label; one panel for each set of sensors."""
    plt = pyplot()
    kinds = list(dict.fromkeys(each.kind for each in found))
    figure, panels = plt.subplots(1, len(BOUNDS), figsize=(11, 0.42 * len(kinds) + 1.6), dpi=100, sharey=True)
    for panel, (worn, bound) in zip(panels, BOUNDS.items(), strict=True):
        for row, kind in enumerate(kinds):
            part = [each for each in found if each.worn == worn and each.kind == kind]
            hours, left = sum(each.length_s for each in part) / 3600, 0.0
            for label in PRODUCT.labels:
                if label.counted and hours:
                    width = sum(each.counts.get(label.name, 0) for each in part) / hours
                    panel.barh(row, width, left=left, color=label.colour, height=0.7, label=label.name)
                    left += width
        panel.axvline(bound, color="#999999", lw=1, ls="--")
        panel.set_title(worn, fontsize=11, color=INK, loc="left")
        panel.set_xlabel("false counts an hour of a counted arm", color=INK)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_yticks(range(len(kinds)), kinds)
    panels[0].invert_yaxis()
    handles, labels = panels[0].get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    panels[-1].legend(unique.values(), unique.keys(), frameon=False, fontsize=9, loc="lower right")
    figure.suptitle(f"Healthy people who do not exercise, {model}", fontsize=10.5, color=INK, x=0.01, ha="left")
    figure.tight_layout(rect=(0, 0, 1, 0.97))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)


EXPERIMENT = Experiment(
    "real-still",
    "What is counted while real people walk, stand up and balance, and exercise nothing?",
    "Warmerdam et al. 2022 (recordings)",
    "Kiel's validation dataset (folder kiel)",
    "two minutes",
    run,
    {"model": "stream"},
    "kiel",
)
