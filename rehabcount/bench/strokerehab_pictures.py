"""Figs. 4, 5 and 7 of StrokeRehab, and how each row's training went, drawn from finished rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rehabcount.bench.experiment import pyplot
from rehabcount.bench.strokerehab_kept import FinishedRow, Move
from rehabcount.bench.strokerehab_tables import ORDER, OURS, RAW2SEQ, STROKE, result_of, trials_of
from rehabcount.metrics import segment
from rehabcount.metrics.matching import Spans

if TYPE_CHECKING:  # matplotlib belongs to the extra `bench`
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, PALE = "#22303c", "#c8d0d8"
COLOURS = dict(zip(ORDER, ("#999999", "#56b4e9", "#e69f00", "#cc79a7", "#0072b2", "#d55e00"), strict=True))
TOLERANCE_S = 0.2  # an onset within that is found; the paper does not say what it took
DURATIONS_S = (0.0, 0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, np.inf)
FEWEST_ONSETS = 20  # a bin with fewer is not drawn


def draw(rows: Sequence[FinishedRow], folder: Path) -> dict[str, str]:
    """All pictures into the folder; file -> caption. Only first seeds, trained on stroke patients, are drawn."""
    first = {way: row for row in reversed(rows) if row.trained_on == "stroke" for way in row.ways}
    first = {way: first[way] for way in ORDER if way in first}
    who = "simulated people" if any(row.evidence == "simulated" for row in rows) else "StrokeRehab"
    folder.mkdir(parents=True, exist_ok=True)
    made = {}
    for name, drawn, caption in (
        (
            "boundaries",
            boundaries,
            f"Fig. 4: share of onsets found within {TOLERANCE_S:g} s, by the movement's length; {who}",
        ),
        ("counts", counts, f"Fig. 5: movements counted and true, mean a subject, by activity; {who}"),
        ("confusion", confusion, f"Fig. 7: what was recognised as what, share of true movements; {who}"),
        ("plateau", plateau, f"Validation AER while training, against CPU time; a ring is the chosen epoch; {who}"),
    ):
        if drawn(first, folder / f"{name}.png", caption):
            made[f"{name}.png"] = caption
    return made


def _panel(width: float, height: float, columns: int = 1) -> tuple[Figure, list[Axes]]:
    figure, axes = pyplot().subplots(1, columns, figsize=(width, height), dpi=110, squeeze=False, facecolor="white")
    for axis in axes[0]:
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(colors=INK, labelsize=9)
    return figure, list(axes[0])


def _save(figure: Figure, path: Path, caption: str) -> bool:
    figure.suptitle(caption, fontsize=10.5, color=INK, x=0.01, ha="left", wrap=True)
    figure.tight_layout(rect=(0, 0, 1, 0.97))
    figure.savefig(path)
    pyplot().close(figure)
    return True


def _spans(moves: Sequence[Move]) -> Spans:
    table = np.array(moves, float).reshape(-1, 3)
    return Spans(table[:, 0].astype(np.int64), table[:, 1], np.maximum(table[:, 2], table[:, 1]))


def boundaries(first: Mapping[str, FinishedRow], path: Path, caption: str) -> bool:
    figure, (axis,) = _panel(8.5, 4.6)
    for way, row in first.items():
        trials = [trial for trial in trials_of(row, way, STROKE) if trial.reference and trial.estimate]
        if not trials:
            continue
        found = segment.evaluate(
            [_spans(trial.reference) for trial in trials],
            [_spans(trial.estimate) for trial in trials],
            tolerance=TOLERANCE_S,
        )
        bins = [each for each in found.boundary_accuracy(DURATIONS_S) if each.onsets >= FEWEST_ONSETS]
        middles = [(each.shortest + min(each.longest, 2 * each.shortest + 0.3)) / 2 for each in bins]
        axis.plot(middles, [each.accuracy for each in bins], "o-", color=COLOURS[way], label=way, ms=4.5, lw=1.6)
    if not axis.lines:
        pyplot().close(figure)
        return False
    axis.set_xscale("log")
    ticks = [0.2, 0.5, 1, 2, 5, 10]
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.set_xlabel("length of the movement, s", color=INK)
    axis.set_ylabel("onsets found", color=INK)
    axis.set_ylim(0, 1)
    axis.legend(frameon=False, fontsize=9)
    return _save(figure, path, caption)


def counts(first: Mapping[str, FinishedRow], path: Path, caption: str) -> bool:
    ways = [way for way in (RAW2SEQ, OURS) if way in first and trials_of(first[way], way, STROKE)]
    if not ways:
        return False
    figure, (axis,) = _panel(9.5, 4.6)
    shown = {way: result_of(trials_of(first[way], way, STROKE)).counts_by_activity() for way in ways}
    activities = [each.activity for each in shown[ways[0]]]
    wide = 0.8 / (len(ways) + 1)
    at = np.arange(len(activities))
    axis.bar(at, [each.reference for each in shown[ways[0]]], wide, color=PALE, label="true")
    for i, way in enumerate(ways, 1):
        bars = axis.bar(at + i * wide, [each.estimate for each in shown[way]], wide, color=COLOURS[way], label=way)
        texts = [f"{each.relative_error:+z.0%}" for each in shown[way]]
        axis.bar_label(bars, texts, fontsize=6.5, color=INK, padding=1)
    axis.set_xticks(at + wide * len(ways) / 2, activities, rotation=20, ha="right")
    axis.set_ylabel("movements a subject", color=INK)
    axis.legend(frameon=False, fontsize=9)
    return _save(figure, path, caption)


def confusion(first: Mapping[str, FinishedRow], path: Path, caption: str) -> bool:
    ways = [way for way in (RAW2SEQ, OURS) if way in first and trials_of(first[way], way, STROKE)]
    if not ways:
        return False
    figure, axes = _panel(6.4 * len(ways), 5.2, len(ways))
    for axis, way in zip(axes, ways, strict=True):
        result = result_of(trials_of(first[way], way, STROKE))
        names = [first[way].labels[int(str(label))] for label in result.labels]
        table = result.confusion()
        axis.imshow(table, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        for (i, j), value in np.ndenumerate(table):
            axis.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=8, color="white" if value > 0.5 else INK)
        axis.axvline(len(names) - 0.5, color="white", lw=3)
        axis.set_xticks(range(len(names) + 2), [*names, "missed", "invented"], rotation=30, ha="right")
        axis.set_yticks(range(len(names)), names)
        axis.set_title(way, fontsize=10.5, color=INK)
        axis.set_ylabel("true", color=INK)
        axis.set_xlabel("recognised as", color=INK)
    return _save(figure, path, caption)


def plateau(first: Mapping[str, FinishedRow], path: Path, caption: str) -> bool:
    figure, (axis,) = _panel(8.5, 4.6)
    for row in {row.name: row for row in first.values()}.values():
        way = next(iter(row.ways))
        known = [(each.cpu_s / 60, each.aer) for each in row.history if each.aer is not None]
        if not known:
            continue
        minutes, errors = zip(*known, strict=True)
        axis.plot(minutes, errors, color=COLOURS[way], label=way, lw=1.6)
        if row.chosen and row.chosen.aer is not None:
            axis.plot(row.chosen.cpu_s / 60, row.chosen.aer, "o", color=COLOURS[way], mfc="white", ms=8, mew=1.8)
    if not axis.lines:
        pyplot().close(figure)
        return False
    axis.set_xlabel("CPU minutes", color=INK)
    axis.set_ylabel("AER on validation subjects", color=INK)
    axis.set_ylim(0, 1.2)
    axis.legend(frameon=False, fontsize=9)
    return _save(figure, path, caption)
