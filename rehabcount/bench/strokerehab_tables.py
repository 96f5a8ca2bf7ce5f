"""Tables 2 and 3 of StrokeRehab from finished rows: ours beside the paper's, with intervals from resampling subjects.

In: finished rows. Out: scores, paired comparisons and claims.

The stroke test set is the cohort's eight patients, as many as the paper has, and those of further sets if there are
any, because with eight people a bias is uncertain by a few per cent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rehabcount.bench.experiment import Claim, FigureValue
from rehabcount.bench.strokerehab_kept import FinishedRow, TrialSequences
from rehabcount.bench.strokerehab_rows import FURTHER, SMOOTHED
from rehabcount.domain.arrays import Floats
from rehabcount.errors import DatasetChanged
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
STROKE = ("test", FURTHER)
GROUPS = {"test": STROKE}  # of TESTS, where it is not the one group of that name
PAPER_SHIFT = {  # Table 3: trained on -> tested on -> AER
    "healthy": {"healthy-test": 0.281, "test": 0.405, "severe": 0.819},
    "stroke": {"healthy-test": 0.286, "test": 0.305, "severe": 0.612},
    "both": {"healthy-test": 0.287, "test": 0.297, "severe": 0.604},
}
AS_HARD = {"test": (0.25, 0.40), "severe": (0.50, 0.70)}  # bounds for Raw2seq: the simulated people as hard as life
LARGEST_BIAS = 0.03
LONGEST_DELAY_S = 1.0
LARGEST_MISFIT = 0.1  # of a training's CPU time and its budget


@dataclass(frozen=True, slots=True)
class Scores:
    """One way of one row on one group of test subjects."""

    aer: float
    edit_score: float
    sensitivity: float
    false_discovery: float
    ratio: float  # movements counted over movements there
    biases: dict[str, float]  # label -> counted over true, less 1
    aer_replicates: Floats  # (replicates,), subjects resampled; the same for every row
    edit_score_replicates: Floats
    bias_replicates: dict[str, Floats]

    @property
    def worst_label(self) -> str:
        """The label whose count is furthest off."""
        return max(self.biases, key=lambda label: abs(self.biases[label]), default="")

    @property
    def worst_bias(self) -> float:
        return self.biases.get(self.worst_label, 0.0)


def trials_of(row: FinishedRow, way: str, groups: Sequence[str]) -> list[TrialSequences]:
    return [trial for trial in row.ways[way].trials if trial.group in groups]


def result_of(trials: Sequence[TrialSequences]) -> EditResult:
    return evaluate(
        [[label for label, _, _ in trial.reference] for trial in trials],
        [[label for label, _, _ in trial.estimate] for trial in trials],
        subjects=[trial.subject for trial in trials],
        activities=[trial.activity for trial in trials],
    )


def scores_of(row: FinishedRow, way: str, groups: Sequence[str]) -> Scores | None:
    """None where the groups have no trials."""
    trials = trials_of(row, way, groups)
    if not trials:
        return None
    result = result_of(trials)
    resampled = weights(len(trials), replicates=REPLICATES, seed=1, groups=[trial.subject for trial in trials])
    replicates = np.asarray(result.aer(weights=resampled))
    true, found = result.reference_counts.sum(axis=0), result.estimate_counts.sum(axis=0)
    names = ["" if label is None else row.labels[int(str(label))] for label in result.labels]
    known = [i for i, name in enumerate(names) if name and true[i]]
    with np.errstate(divide="ignore", invalid="ignore"):  # a replicate may lack a label altogether
        drawn = (resampled @ result.estimate_counts) / (resampled @ result.reference_counts) - 1
    return Scores(
        float(result.aer()),
        float(result.edit_score()),
        float(result.sensitivity()),
        float(result.false_discovery()),
        float(found.sum() / max(1, true.sum())),
        {names[i]: float(found[i] / true[i] - 1) for i in known},
        replicates,
        np.asarray(result.edit_score(weights=resampled)),
        {names[i]: drawn[:, i] for i in known},
    )


def table_2(rows: Sequence[FinishedRow]) -> dict[str, list[Scores]]:
    """Way -> scores of its seeds on the stroke test set; rows trained on stroke patients only. Comparisons pair
    resampled subjects by their place, so all rows must have been tested on the same trials."""
    tests = {tuple(map(_trial_of, trials_of(row, way, STROKE))) for row in rows for way in row.ways}
    if len(tests) > 1:
        raise DatasetChanged(
            "the rows were tested on different trials.", advice="Give each set its own --out, and train the rows there."
        )
    table: dict[str, list[Scores]] = {}
    for way in ORDER:
        for row in rows:
            if row.trained_on == "stroke" and way in row.ways:
                found = scores_of(row, way, STROKE)
                if found is not None:
                    table.setdefault(way, []).append(found)
    return table


def _trial_of(trial: TrialSequences) -> tuple[str, str, tuple[int, ...]]:
    return trial.subject, trial.activity, tuple(label for label, _, _ in trial.reference)


def table_3(rows: Sequence[FinishedRow], way: str) -> dict[str, dict[str, Scores]]:
    """Trained on -> tested on -> scores of the first seed."""
    table: dict[str, dict[str, Scores]] = {}
    for row in rows:
        if way in row.ways and row.trained_on not in table:
            found = {group: scores_of(row, way, GROUPS.get(group, (group,))) for group in TESTS}
            table[row.trained_on] = {group: each for group, each in found.items() if each is not None}
    return {on: table[on] for on in PAPER_SHIFT if on in table}


@dataclass(frozen=True, slots=True)
class Bias:
    """How far the counts of one label are off."""

    mean: float  # of the seeds
    interval: Interval  # of that mean, subjects resampled
    seeds: tuple[float, ...]


def biases_of(rows: Sequence[FinishedRow], way: str, groups: Sequence[str]) -> dict[str, Bias]:
    """Label -> count bias of this way on these groups, over all rows trained on stroke patients."""
    scores = [
        found
        for row in rows
        if row.trained_on == "stroke" and way in row.ways
        if (found := scores_of(row, way, groups)) is not None
    ]
    return {
        label: Bias(
            float(np.mean([each.biases[label] for each in scores])),
            interval(np.mean([each.bias_replicates[label] for each in scores], axis=0)),
            tuple(each.biases[label] for each in scores),
        )
        for label in (scores[0].biases if scores else ())
    }


def people_in(rows: Sequence[FinishedRow], groups: Sequence[str]) -> int:
    """Test subjects of these groups."""
    return len({trial.subject for way in rows[0].ways for trial in trials_of(rows[0], way, groups)})


def versus(table: Mapping[str, Sequence[Scores]], one: str, two: str) -> Difference | None:
    """AER of `two` less that of `one`, each the mean over its seeds, over the same resampled subjects."""
    if one not in table or two not in table:
        return None
    means = [np.mean([each.aer_replicates for each in table[way]], axis=0) for way in (one, two)]
    return paired(means[0], means[1])


def mean_of(scores: Sequence[Scores], name: str) -> float:
    return float(np.mean([getattr(each, name) for each in scores]))


def interval_of(scores: Sequence[Scores], name: str) -> Interval:
    """Of the mean over seeds of `aer` or `edit_score`."""
    return interval(np.mean([getattr(each, f"{name}_replicates") for each in scores], axis=0))


def claims_of(rows: Sequence[FinishedRow]) -> list[Claim]:
    """The paper's numbers beside ours, and the bounds for `stream`."""
    people = "simulated people" if any(row.evidence == "simulated" for row in rows) else ""
    table = table_2(rows)
    claims = _claims_of_table_2(table, people)
    claims += _claims_of_table_3(table_3(rows, RAW2SEQ), people)
    claims += _claims_of_comparison(table)
    claims.append(_claim_of_budgets(rows))
    if OURS in table:
        claims += _claims_of_bias(rows, table[OURS])
        delay = max(float(str(row.ways[OURS].choices["delay_s"])) for row in rows if OURS in row.ways)
        claims.append(Claim("stream", "delay, s, at most 1", None, delay, delay <= LONGEST_DELAY_S))
    return claims


def _claims_of_table_2(table: Mapping[str, Sequence[Scores]], people: str) -> list[Claim]:
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
    return claims


def _claims_of_table_3(shift: Mapping[str, Mapping[str, Scores]], people: str) -> list[Claim]:
    """The shift of the paper, and whether simulated people are as hard as its own."""
    claims = []
    for on, tested in shift.items():
        for group, scores in tested.items():
            name = f"Raw2seq trained on {on}, tested on {TESTS[group]}, AER"
            claims.append(Claim("Table 3", name, PAPER_SHIFT[on][group], round(scores.aer, 3), None, people))
    for group, (low, high) in AS_HARD.items():
        if people and group in shift.get("stroke", {}):
            ours = shift["stroke"][group].aer
            name = f"Raw2seq on simulated {TESTS[group]}, AER within {low:.2f} to {high:.2f}"
            claims.append(
                Claim("as hard as life", name, PAPER_SHIFT["stroke"][group], round(ours, 3), low <= ours <= high)
            )
    return claims


def _claims_of_comparison(table: Mapping[str, Sequence[Scores]]) -> list[Claim]:
    """`stream` beside the paper's best and the smoothed one."""
    claims = []
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
    return claims


def _claim_of_budgets(rows: Sequence[FinishedRow]) -> Claim:
    furthest_off = max(rows, key=lambda row: abs(_share_spent(row) - 1))
    return Claim(
        "equal budgets",
        "CPU time of a training over what it was given, within a tenth of 1",
        None,
        round(_share_spent(furthest_off), 3),
        abs(_share_spent(furthest_off) - 1) <= LARGEST_MISFIT,
        f"furthest: {furthest_off.name}",
    )


def _claims_of_bias(rows: Sequence[FinishedRow], ours: Sequence[Scores]) -> list[Claim]:
    """How far the counts of `stream` are off: the mean of the seeds, any seed, any seed on the cohort's own people."""

    def claim(which: str, bias: float, note: str) -> Claim:
        name = f"largest count bias of a primitive, {which}, within 0.03"
        return Claim("stream", name, None, round(bias, 3), abs(bias) <= LARGEST_BIAS, note)

    found = biases_of(rows, OURS, STROKE)
    label = max(found, key=lambda name: abs(found[name].mean))
    spread = found[label].interval
    worst = max(ours, key=lambda each: abs(each.worst_bias))
    people = f"{people_in(rows, STROKE)} people"
    claims = [
        claim("mean of the seeds", found[label].mean, f"{label}, {spread.low:+.3f} to {spread.high:+.3f}; {people}"),
        claim("any seed", worst.worst_bias, f"{worst.worst_label}; {people}"),
    ]
    if people_in(rows, (FURTHER,)):
        eight = biases_of(rows, OURS, ("test",))
        label = max(eight, key=lambda name: max(map(abs, eight[name].seeds)))
        furthest = max(eight[label].seeds, key=abs)
        note = f"{label}; {people_in(rows, ('test',))} people"
        claims.append(claim("any seed, the cohort's own patients", furthest, note))
    return claims


def _share_spent(row: FinishedRow) -> float:
    return row.cpu_s.training_s / (60 * row.budget_min)


def figures_of(rows: Sequence[FinishedRow]) -> dict[str, FigureValue]:
    """Orders, and what each training cost."""
    table = table_2(rows)
    figures: dict[str, FigureValue] = {}
    ours = sorted(table, key=lambda way: mean_of(table[way], "aer"))
    figures["order by AER, ours"] = " < ".join(ours)
    figures["order by AER, paper"] = " < ".join(sorted(PAPER, key=lambda way: PAPER[way][1]))
    for row in rows:
        figures[f"{row.name}: CPU min"] = round(row.cpu_s.total_s / 60, 1)
        figures[f"{row.name}: commit"] = row.commit
    figures["CPU hours of all trainings"] = round(sum(row.cpu_s.total_s for row in rows) / 3600, 2)
    return figures
