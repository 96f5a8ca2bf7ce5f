"""Tables 2 to 6 of GAIN from the rows that are finished, and the paper's claims beside ours.

Conventions: frame accuracy and F1@10 are pooled over all trials, as in MS-TCN's evaluation; the edit score is the mean
over trials. Background (JIGSAWS: frames without a gesture) takes part in frame accuracy only. `mAP@mid`: a segment's
confidence is the mean probability of its label (metrics/detection.py). All in percent. Of several seeds the mean is
given.

Balanced accuracy is not the paper's: the mean over steps of the share of their frames that are right. Unseen tasks have
another mixture of steps, and a set with more idle time is easier to get right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rehabcount.bench.experiment import Claim, FigureValue
from rehabcount.bench.gain_data import IN, OOD
from rehabcount.bench.gain_kept import GainRow, TestedTrial
from rehabcount.bench.gain_rows import NETWORKS, SEEDS
from rehabcount.metrics import detection, edit, segment
from rehabcount.metrics.matching import Spans

Pair = tuple[float, float]  # in distribution, out of it
PAPER_2: dict[str, Pair] = {  # COIN / GAIN-C, overall frame accuracy
    "lstm": (63.9, 52.3),
    "c-lstm": (65.4, 55.1),
    "edtcn": (61.2, 52.7),
    "c-edtcn": (62.2, 55.3),
    "tresnet": (61.6, 52.4),
    "c-tresnet": (62.2, 54.6),
    "mstcnpp": (65.5, 51.8),
    "c-mstcnpp": (65.6, 56.0),
}
PAPER_3: dict[str, dict[str, Pair]] = {  # Breakfast / GAIN-B
    "accuracy": {
        "edtcn": (42.4, 21.3),
        "c-edtcn": (44.5, 35.4),
        "tresnet": (49.1, 18.0),
        "c-tresnet": (49.2, 30.8),
        "mstcnpp": (67.6, 16.8),
        "c-mstcnpp": (66.4, 32.1),
        "lstm": (47.8, 25.5),
        "c-lstm": (45.7, 37.9),
    },
    "F1@10": {
        "edtcn": (37.8, 3.2),
        "c-edtcn": (42.7, 5.3),
        "tresnet": (41.6, 3.7),
        "c-tresnet": (43.0, 5.5),
        "mstcnpp": (57.1, 3.1),
        "c-mstcnpp": (54.7, 3.7),
        "lstm": (4.0, 0.3),
        "c-lstm": (4.8, 0.5),
    },
    "edit": {
        "edtcn": (39.0, 4.7),
        "c-edtcn": (44.3, 5.9),
        "tresnet": (44.1, 6.7),
        "c-tresnet": (46.4, 8.8),
        "mstcnpp": (54.6, 4.9),
        "c-mstcnpp": (56.4, 6.4),
        "lstm": (3.5, 1.1),
        "c-lstm": (6.2, 1.8),
    },
}
PAPER_4 = {
    "COIN": {"lstm": (32.8, 6.0), "c-lstm": (35.2, 8.0)},
    "Breakfast": {"lstm": (57.7, 8.5), "c-lstm": (58.6, 13.2)},
}
PAPER_5: dict[tuple[float, bool], Pair] = {
    (5e-4, False): (62.1, 49.0),
    (5e-4, True): (64.0, 52.3),
    (1e-3, False): (64.7, 54.3),
    (1e-3, True): (65.5, 56.2),
    (2e-3, False): (65.5, 51.8),
    (2e-3, True): (65.6, 56.0),
}
PAPER_6: dict[str, Pair] = {
    "plain": (42.4, 21.3),
    "": (44.5, 35.4),
    "steps=0.5": (44.5, 31.1),
    "steps=1.5": (44.5, 30.7),
    "videos=0.5": (43.9, 29.1),
    "videos=1.5": (42.1, 37.6),
}
METHODS = tuple(f"{c}{network}" for network in NETWORKS for c in ("", "c-"))
SHOWN = {"simulated": "simulated", "suturing": "JIGSAWS, suturing / needle passing",
         "needle_passing": "JIGSAWS, needle passing / suturing"}  # fmt: skip
METRICS = ("accuracy", "balanced", "F1@10", "edit", "mAP@mid")
MOST_LOST = 1.0  # points of frame accuracy in distribution that the target allows


@dataclass(frozen=True, slots=True)
class Cell:
    """One measured number, in percent: the mean of seeds and every seed's own."""

    mean: float
    seeds: tuple[float, ...]


def method_of(row: GainRow) -> str:
    return ("c-" if row.causal else "") + row.network


def shown_method(method: str) -> str:
    return ("C-" if method.startswith("c-") else "") + NETWORKS[method.removeprefix("c-")]


def score_of(row: GainRow, where: str, metric: str, task: str = "") -> float:
    """In percent; NaN where there are no such trials."""
    trials = [trial for trial in row.trials if trial.where == where and task in ("", trial.task)]
    if not trials:
        return float("nan")
    return _SCORES[metric](row, trials)


def cell(
    rows: Sequence[GainRow], source: str, method: str, variant: str, where: str, metric: str, task: str = ""
) -> Cell:
    """Over the seeds that are there."""
    found = sorted(
        (row for row in rows if (row.source, method_of(row), row.variant) == (source, method, variant)),
        key=lambda row: row.seed,
    )
    values = tuple(score_of(row, where, metric, task) for row in found)
    known = [value for value in values if not np.isnan(value)]
    return Cell(float(np.mean(known)) if known else float("nan"), values)


def spans_of_reference(trial: TestedTrial) -> Spans:
    return _spans(trial.reference)


def spans_of_estimate(trial: TestedTrial) -> Spans:
    return _spans([each[:3] for each in trial.estimate])


def _spans(segments: Sequence[tuple[int, int, int]]) -> Spans:
    table = np.array(segments, np.int64).reshape(-1, 3)
    return Spans(table[:, 0], table[:, 1].astype(float), table[:, 2].astype(float))


def _segments(row: GainRow, trials: Sequence[TestedTrial]) -> segment.SegmentResult:
    return segment.evaluate(
        [spans_of_reference(trial) for trial in trials],
        [spans_of_estimate(trial) for trial in trials],
        background=background_of(row),
    )


def background_of(row: GainRow) -> list[int]:
    return [row.labels.index(name) for name in row.background]


def _accuracy(row: GainRow, trials: Sequence[TestedTrial]) -> float:
    return 100 * float(_segments(row, trials).frame_accuracy())


def _f1(row: GainRow, trials: Sequence[TestedTrial]) -> float:
    return float(_segments(row, trials).f1(0.10))


def _edit(row: GainRow, trials: Sequence[TestedTrial]) -> float:
    left_out = background_of(row)
    sequences = [
        [[each[0] for each in side if each[0] not in left_out] for side in (trial.reference, trial.estimate)]
        for trial in trials
    ]
    return float(edit.evaluate([one for one, _ in sequences], [two for _, two in sequences]).edit_score())


def _map(row: GainRow, trials: Sequence[TestedTrial]) -> float:
    said = [(spans_of_estimate(trial), np.array([each[3] for each in trial.estimate])) for trial in trials]
    found = detection.evaluate([spans_of_reference(t) for t in trials], said, background=background_of(row))
    return 100 * found.map()


def _balanced(row: GainRow, trials: Sequence[TestedTrial]) -> float:
    right, total = np.zeros(len(row.labels)), np.zeros(len(row.labels))
    for trial in trials:
        end = max(each[2] for each in trial.reference)
        true, said = np.full(end, -1), np.full(end, -1)
        for label, a, b in trial.reference:
            true[a:b] = label
        for label, a, b, _ in trial.estimate:
            said[a:b] = label
        total += np.bincount(true[true >= 0], minlength=len(total))
        right += np.bincount(true[(true >= 0) & (true == said)], minlength=len(total))
    return 100 * float((right[total > 0] / total[total > 0]).mean())


_SCORES: dict[str, Callable[[GainRow, Sequence[TestedTrial]], float]] = {
    "accuracy": _accuracy,
    "balanced": _balanced,
    "F1@10": _f1,
    "edit": _edit,
    "mAP@mid": _map,
}


def tasks_of(rows: Sequence[GainRow], source: str, where: str) -> list[str]:
    found = [t.task for row in rows if row.source == source for t in row.trials if t.where == where]
    return list(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class CausalVerdict:
    """What one source says to the paper's three claims, from mean frame accuracies."""

    source: str
    dropped: dict[str, float]  # by network: points lost out of distribution, plain
    gained: dict[str, float]  # by network: points that the causal variant is better out of distribution
    cost: dict[str, float]  # by network: points that it is worse in distribution

    @property
    def better(self) -> list[str]:
        """Networks whose causal variant gains out of distribution and loses at most MOST_LOST within."""
        return [each for each, gain in self.gained.items() if gain > 0 and self.cost[each] <= MOST_LOST]


def verdict_of(rows: Sequence[GainRow], source: str, metric: str = "accuracy") -> CausalVerdict:
    dropped, gained, cost = {}, {}, {}
    for network in NETWORKS:
        own = [row for row in rows if (row.source, row.network, row.variant) == (source, network, "")]
        both = {row.seed for row in own if row.causal} & {row.seed for row in own if not row.causal}
        paired = [row for row in own if row.seed in both or not both]  # of an unfinished pair nothing can be said
        plain, causal = (
            [cell(paired, source, f"{c}{network}", "", where, metric) for where in (IN, OOD)] for c in ("", "c-")
        )
        if plain[0].seeds:
            dropped[network] = plain[0].mean - plain[1].mean
        if plain[0].seeds and causal[0].seeds:
            gained[network] = causal[1].mean - plain[1].mean
            cost[network] = plain[0].mean - causal[0].mean
    return CausalVerdict(source, dropped, gained, cost)


def sources_of(rows: Sequence[GainRow]) -> list[str]:
    return [source for source in SHOWN if any(row.source == source for row in rows)]


def claims_of(rows: Sequence[GainRow]) -> list[Claim]:
    """The paper's numbers beside ours; then its claims and our target, judged."""
    claims = []
    for source in sources_of(rows):
        for method in METHODS:
            for where, place in ((IN, 0), (OOD, 1)):
                for metric in PAPER_3:
                    ours = cell(rows, source, method, "", where, metric)
                    paper = PAPER_2[method][place] if metric == "accuracy" else PAPER_3[metric][method][place]
                    table = "Table 2, COIN / GAIN-C" if metric == "accuracy" else "Table 3, Breakfast / GAIN-B"
                    if ours.seeds:
                        note = f"{SHOWN[source]}; {len(ours.seeds)} seeds; another task"
                        name = f"{shown_method(method)}, {metric}, {'in' if where == IN else 'out of'} distribution"
                        claims.append(Claim(table, name, paper, round(ours.mean, 1), None, note))
        claims += _judged(differences_of(rows, source), SHOWN[source], _seeds(rows, source))
    return claims


def _seeds(rows: Sequence[GainRow], source: str) -> int:
    return min(len(cell(rows, source, method, "", IN, "accuracy").seeds) for method in METHODS)


def _judged(verdict: CausalVerdict, shown: str, seeds: int) -> list[Claim]:
    if not verdict.gained:
        return []
    simulated = verdict.source == "simulated"
    number, drop = len(verdict.gained), list(verdict.dropped.values())
    whole = f"{shown}; {seeds} seeds" + ("" if number == len(NETWORKS) else f"; {number} of {len(NETWORKS)} networks")
    paper_drop = float(np.mean([PAPER_2[n][0] - PAPER_2[n][1] for n in NETWORKS]))
    paper_gain = float(np.mean([PAPER_2[f"c-{n}"][1] - PAPER_2[n][1] for n in NETWORKS]))
    paper_cost = float(np.mean([PAPER_2[n][0] - PAPER_2[f"c-{n}"][0] for n in NETWORKS]))
    gain, cost = list(verdict.gained.values()), list(verdict.cost.values())
    claims = [
        Claim("claim 1", "points of accuracy lost on unseen tasks, mean of networks", round(paper_drop, 1),
              round(float(np.mean(drop)), 1), min(drop) > 0, f"{whole}; all networks must lose"),
        Claim("claim 2", "points that causal variants gain there, mean of networks", round(paper_gain, 1),
              round(float(np.mean(gain)), 1), min(gain) > 0, f"{whole}; all networks must gain"),
        Claim("claim 3", "points that they cost in distribution, mean of networks", round(paper_cost, 1),
              round(float(np.mean(cost)), 1), max(cost) <= MOST_LOST, f"{whole}; at most {MOST_LOST:g} each"),
    ]  # fmt: skip
    if simulated:
        claims.append(
            Claim("target", "networks whose causal variant is better unseen at most a point below in distribution", 3.0,
                  float(len(verdict.better)), len(verdict.better) >= 3 and seeds == len(SEEDS), whole)
        )  # fmt: skip
    return claims


def figures_of(rows: Sequence[GainRow]) -> dict[str, FigureValue]:
    figures: dict[str, FigureValue] = {"rows": len(rows)}
    figures["CPU min, all rows"] = round(sum(row.training_s + row.testing_s for row in rows) / 60, 1)
    for source in sources_of(rows):
        for method in METHODS:
            for where in (IN, OOD):
                for metric in METRICS:
                    found = cell(rows, source, method, "", where, metric)
                    if found.seeds:
                        figures[f"{source}, {shown_method(method)}, {where}, {metric}"] = round(found.mean, 1)
    return figures


def missing_rows(rows: Sequence[GainRow], wanted: Sequence[str]) -> list[str]:
    there = {row.name for row in rows}
    return [name for name in wanted if name not in there]
