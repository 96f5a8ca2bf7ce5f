"""Figs. 2 and 3 of Rogers et al. with our definitions and data, and one whole session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rehabcount.bench.experiment import pyplot
from rehabcount.bench.topics_data import EventData
from rehabcount.domain.arrays import Bools, Floats, Ints
from rehabcount.metrics import abstraction

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FOUND, TRUE = "#d62728", "#1f4e9c"  # as in the paper: output red and above, truth blue and below
MARGIN = 12  # events shown beside a case
LONGEST = 150  # events of a case: longer ones are hard to see
SHOWN = 400  # events of a session


def channels(events: int = 1000) -> list[tuple[str, Floats]]:
    """Fig. 2: a truth of 800 events, an output in its middle, and what extending does to the output."""
    truth, output = np.zeros(events, bool), np.zeros(events, bool)
    truth[events // 10 : -events // 10] = True
    output[45 * events // 100 : 55 * events // 100] = True
    both = truth & output
    component = abstraction.components(truth, output)
    distance = abstraction.distance_to_overlap(both, component)
    extended = np.where(component >= 0, 1.0, 0.0)
    stairs = np.where(both, 1.0, abstraction.STAIR * extended)
    gradient = np.maximum(0.0, 1 - abstraction.SLOPE * distance) * extended
    named = ("A  truth", "B  raw output", "C  extended", "D  staircase", "E  gradient")
    return list(zip(named, (truth * 1.0, output * 1.0, extended, stairs, gradient), strict=True))


def draw_channels(path: Path) -> None:
    plots = pyplot()
    figure, axes = plots.subplots(5, 1, figsize=(8, 2.8), dpi=110, sharex=True, facecolor="white")
    for axis, (name, values) in zip(axes, channels(), strict=True):
        axis.imshow(values[None], aspect="auto", cmap="Greys", vmin=0, vmax=1, extent=(0, len(values), 0, 1))
        axis.set_yticks([])
        axis.set_ylabel(name, rotation=0, ha="right", va="center", fontsize=9)
    axes[-1].set_xlabel("event", fontsize=9)
    figure.tight_layout(h_pad=0.2)
    figure.savefig(path)
    plots.close(figure)


@dataclass(frozen=True, slots=True)
class Extract:
    """A place where truth and output differ in a named way."""

    kind: str
    activity: int
    start: int  # events
    end: int


def extracts(truth: Bools, active: Bools) -> list[Extract]:
    """The shortest of each kind, of as many activities as possible; `active` (events, activities) are their topics."""
    found = dict[str, list[Extract]]()
    for number in range(truth.shape[1]):
        for kind, start, end in _cases(truth[:, number], active[:, number]):
            found.setdefault(kind, []).append(Extract(kind, number, start, end))
    chosen = list[Extract]()
    for kind in KINDS:
        others = {each.activity for each in chosen}
        possible = sorted(found.get(kind, ()), key=lambda each: (each.activity in others, each.end - each.start))
        chosen += possible[:1]
    return chosen


KINDS = {
    "shorter": "the output begins later and ends sooner",
    "later": "the output begins later and ends later",
    "bridged": "the output bridges a pause of the activity",
    "broken": "the output pauses within one activity",
}


def _cases(truth: Bools, active: Bools) -> Iterator[tuple[str, int, int]]:
    component = abstraction.components(truth, active)
    for number in range(int(component.max(initial=-1)) + 1):
        where = np.flatnonzero(component == number)
        start, end = int(where[0]), int(where[-1]) + 1
        true, said = _borders(truth, start, end), _borders(active, start, end)
        if end - start > LONGEST or end - start < 8:
            continue
        if len(true) == len(said) == 1:
            if true[0, 0] < said[0, 0] and said[0, 1] < true[0, 1]:
                yield "shorter", start, end
            elif true[0, 0] < said[0, 0] and true[0, 1] < said[0, 1]:
                yield "later", start, end
        elif len(true) == 2 and len(said) == 1:
            yield "bridged", start, end
        elif len(true) == 1 and len(said) == 2:
            yield "broken", start, end


def _borders(channel: Bools, start: int, end: int) -> Ints:
    """(runs, 2): start and end of each run."""
    padded = np.concatenate([[False], channel[start:end], [False]])
    return np.flatnonzero(padded[1:] != padded[:-1]).reshape(-1, 2) + start


def draw_extracts(path: Path, activities: Sequence[str], truth: Bools, active: Bools) -> list[str]:
    """Fig. 3; returns what each panel shows."""
    shown = extracts(truth, active)
    if not shown:
        return []
    plots = pyplot()
    figure, axes = plots.subplots(len(shown), 1, figsize=(8, 1.15 * len(shown)), dpi=110, facecolor="white")
    captions = []
    for letter, axis, each in zip("abcd", np.atleast_1d(axes), shown, strict=False):
        first, last = max(0, each.start - MARGIN), min(len(truth), each.end + MARGIN)
        _halves(axis, truth[first:last, each.activity], active[first:last, each.activity], first, 0.0)
        axis.set_yticks([])
        axis.set_xlim(first, last)
        axis.set_ylabel(f"({letter})", rotation=0, ha="right", va="center")
        axis.tick_params(labelsize=8)
        captions.append(f"({letter}) {activities[each.activity]}: {KINDS[each.kind]}")
    axes_last = np.atleast_1d(axes)[-1]
    axes_last.set_xlabel("event; red, above: topic; blue, below: truth", fontsize=9)
    figure.tight_layout(h_pad=0.3)
    figure.savefig(path)
    plots.close(figure)
    return captions


def draw_session(path: Path, person: EventData, truth: Bools, active: Bools) -> None:
    """The first events of all activities with their topics, a row an activity; they are of this person."""
    breaks = person.breaks + np.arange(len(person.breaks))
    plots, count = pyplot(), min(len(person.truth) + len(breaks), SHOWN)
    figure, axis = plots.subplots(figsize=(9, 3.6), dpi=110, facecolor="white")
    rows = range(len(person.activities))
    for number in rows:
        _halves(axis, truth[:count, number], active[:count, number], 0, -1.2 * number)
    for at in breaks[breaks < count]:
        axis.axvline(at + 0.5, color="#999999", lw=0.6, ls=":")
    axis.set_yticks([0.5 - 1.2 * number for number in rows], person.activities, fontsize=9)
    axis.set_xlim(0, count)
    axis.set_xlabel("event; red, above: topic; blue, below: truth; dotted: a break", fontsize=9)
    axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path)
    plots.close(figure)


def _halves(axis: Axes, truth: Bools, active: Bools, first: int, low: float) -> None:
    for channel, colour, bottom in ((active, FOUND, low + 0.5), (truth, TRUE, low)):
        for start, end in _borders(channel, 0, len(channel)):
            axis.bar(first + start, 0.48, end - start, bottom, align="edge", color=colour, lw=0)
