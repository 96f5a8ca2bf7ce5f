"""Tables 2 and 3 of StrokeRehab from finished rows: ours beside the paper's, with intervals from resampling subjects.

In: row documents of `strokerehab_rows`. Out: scores, paired comparisons and claims.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rehabcount.bench.frame import Claim
from rehabcount.bench.strokerehab_rows import SMOOTHED
from rehabcount.domain.arrays import Floats
from rehabcount.metrics.bootstrap import Difference, Interval, interval, paired, weights
from rehabcount.metrics.edit import EditResult, evaluate

REPLICATES = 2000
OURS, RAW2SEQ, MSTCN = "stream (ours)", "Raw2seq", "MS-TCN"
ORDER = (MSTCN, SMOOTHED, "ASRF", "Seg2seq", RAW2SEQ, OURS)
# Sensor columns of Table 2, and what the authors' notebook prints: edit score, AER, its interval, TPR, FDR.
PAPER: dict[str, tuple[float, float, tuple[float, float], float, float]] = {
    MSTCN: (68.7, 0.330, (0.307, 0.354), 0.790, 0.201),
    SMOOTHED: (68.8, 0.317, (0.297, 0.338), 0.759, 0.163),
    "ASRF": (67.9, 0.349, (0.326, 0.372), 0.784, 0.219),
    "Seg2seq": (63.0, 0.337, (0.311, 0.363), 0.708, 0.146),
    RAW2SEQ: (68.8, 0.305, (0.284, 0.324), 0.755, 0.146),
}
TESTS = {"healthy-test": "healthy", "test": "stroke", "severe": "severe"}
PAPER_SHIFT = {  # Table 3: trained on -> tested on -> AER
    "healthy": {"healthy-test": 0.281, "test": 0.405, "severe": 0.819},
    "stroke": {"healthy-test": 0.286, "test": 0.305, "severe": 0.612},
    "both": {"healthy-test": 0.287, "test": 0.297, "severe": 0.604},
}
AS_HARD = {"test": (0.25, 0.40), "severe": (0.50, 0.70)}  # bounds for Raw2seq: the simulated people as hard as life
LARGEST_BIAS = 0.03
LONGEST_DELAY_S = 1.0


@dataclass(frozen=True, slots=True)
class Scores:
    """One way of one row on one group of test subjects."""

    aer: float
    aer_interval: Interval
    edit_score: float
    edit_interval: Interval
    sensitivity: float
    false_discovery: float
    ratio: float  # movements counted over movements there
    worst_bias: float  # of the label whose count is furthest off
    worst_label: str
    aer_replicates: Floats  # (replicates,), subjects resampled; the same for every row


def trials_of(row: Mapping[str, Any], way: str, group: str) -> list[dict[str, Any]]:
    return [trial for trial in row["ways"][way]["trials"] if trial["group"] == group]


def result_of(trials: Sequence[Mapping[str, Any]]) -> EditResult:
    return evaluate(
        [[int(move[0]) for move in trial["reference"]] for trial in trials],
        [[int(move[0]) for move in trial["estimate"]] for trial in trials],
        subjects=[trial["subject"] for trial in trials],
        activities=[trial["activity"] for trial in trials],
    )


def scores_of(row: Mapping[str, Any], way: str, group: str) -> Scores | None:
    """None where the group has no trials."""
    trials = trials_of(row, way, group)
    if not trials:
        return None
    result = result_of(trials)
    resampled = weights(len(trials), replicates=REPLICATES, seed=1, groups=[trial["subject"] for trial in trials])
    replicates = np.asarray(result.aer(weights=resampled))
    true, found = result.reference_counts.sum(axis=0), result.estimate_counts.sum(axis=0)
    biases = {
        label: float(f / t - 1)
        for label, f, t in zip(result.labels, found, true, strict=True)
        if t and label is not None
    }
    worst: Any = max(biases, key=lambda label: abs(biases[label]), default=None)
    return Scores(
        float(result.aer()),
        interval(replicates),
        float(result.edit_score()),
        interval(result.edit_score(weights=resampled)),
        float(result.sensitivity()),
        float(result.false_discovery()),
        float(found.sum() / max(1, true.sum())),
        biases.get(worst, 0.0),
        row["labels"][worst] if worst is not None else "",
        replicates,
    )


def table_2(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Scores]]:
    """Way -> scores of its seeds on the stroke test set; rows trained on stroke patients only."""
    table: dict[str, list[Scores]] = {}
    for way in ORDER:
        for row in rows:
            if row["trained_on"] == "stroke" and way in row["ways"]:
                found = scores_of(row, way, "test")
                if found is not None:
                    table.setdefault(way, []).append(found)
    return table


def table_3(rows: Sequence[Mapping[str, Any]], way: str) -> dict[str, dict[str, Scores]]:
    """Trained on -> tested on -> scores of the first seed."""
    table: dict[str, dict[str, Scores]] = {}
    for row in rows:
        if way in row["ways"] and row["trained_on"] not in table:
            found = {group: scores_of(row, way, group) for group in TESTS}
            table[row["trained_on"]] = {group: each for group, each in found.items() if each is not None}
    return {on: table[on] for on in PAPER_SHIFT if on in table}


def versus(table: Mapping[str, Sequence[Scores]], one: str, two: str) -> Difference | None:
    """AER of `two` less that of `one`, each the mean over its seeds, over the same resampled subjects."""
    if one not in table or two not in table:
        return None
    means = [np.mean([each.aer_replicates for each in table[way]], axis=0) for way in (one, two)]
    return paired(means[0], means[1])


def mean_of(scores: Sequence[Scores], name: str) -> float:
    return float(np.mean([getattr(each, name) for each in scores]))


def claims_of(rows: Sequence[Mapping[str, Any]]) -> list[Claim]:
    """The paper's numbers beside ours, and what is promised of `stream`."""
    people = "simulated people" if any(row["evidence"] == "simulated" for row in rows) else ""
    table = table_2(rows)
    claims = []
    for way, (edit, aer, _, tpr, fdr) in PAPER.items():
        if way in table:
            found = table[way]
            claims += [
                Claim("Table 2", f"{way}, AER", aer, round(mean_of(found, "aer"), 3), None, people),
                Claim("Table 2", f"{way}, edit score", edit, round(mean_of(found, "edit_score"), 1), None, people),
                Claim("Table 2", f"{way}, TPR", tpr, round(mean_of(found, "sensitivity"), 3), None, people),
                Claim("Table 2", f"{way}, FDR", fdr, round(mean_of(found, "false_discovery"), 3), None, people),
            ]
    shift = table_3(rows, RAW2SEQ)
    for on, tested in shift.items():
        for group, found_scores in tested.items():
            name = f"Raw2seq trained on {on}, tested on {TESTS[group]}, AER"
            claims.append(Claim("Table 3", name, PAPER_SHIFT[on][group], round(found_scores.aer, 3), None, people))
    for group, (low, high) in AS_HARD.items():
        if people and group in shift.get("stroke", {}):
            ours = shift["stroke"][group].aer
            name = f"Raw2seq on simulated {TESTS[group]}, AER within {low:.2f} to {high:.2f}"
            claims.append(
                Claim("as hard as life", name, PAPER_SHIFT["stroke"][group], round(ours, 3), low <= ours <= high)
            )
    for way in (RAW2SEQ, SMOOTHED):
        difference = versus(table, way, OURS)
        if difference is not None:
            seeds = min(len(table[way]), len(table[OURS]))
            note = (
                f"95 % of subject-paired resamples: {difference.low:+.3f} to {difference.high:+.3f}, "
                f"p {difference.p_value:.3g}, {seeds} seed{'s' if seeds > 1 else ''}"
            )
            gap = mean_of(table[OURS], "aer") - mean_of(table[way], "aer")
            claims.append(
                Claim("stream", f"AER less that of {way}, below 0", None, round(gap, 3), difference.high < 0, note)
            )
    if OURS in table:
        worst = max(table[OURS], key=lambda each: abs(each.worst_bias))
        claims.append(
            Claim(
                "stream",
                "largest count bias of a primitive, any seed, within 0.03",
                None,
                round(worst.worst_bias, 3),
                abs(worst.worst_bias) <= LARGEST_BIAS,
                worst.worst_label,
            )
        )
        delay = max(row["ways"][OURS]["choices"]["delay_s"] for row in rows if OURS in row["ways"])
        claims.append(Claim("stream", "delay, s, at most 1", None, delay, delay <= LONGEST_DELAY_S))
    return claims


def figures_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Orders, and what each training cost."""
    table = table_2(rows)
    figures: dict[str, Any] = {}
    ours = sorted(table, key=lambda way: mean_of(table[way], "aer"))
    figures["order by AER, ours"] = " < ".join(ours)
    figures["order by AER, paper"] = " < ".join(sorted(PAPER, key=lambda way: PAPER[way][1]))
    for row in rows:
        figures[f"{row['row']}: CPU min"] = round(sum(row["cpu_s"].values()) / 60, 1)
        figures[f"{row['row']}: commit"] = row["commit"]
    figures["CPU hours of all trainings"] = round(sum(sum(row["cpu_s"].values()) for row in rows) / 3600, 2)
    return figures
