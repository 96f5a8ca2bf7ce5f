"""The page of the GAIN bench as Markdown: principles, Tables 2 to 6 beside the paper's, claims, what it took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rehabcount.bench.experiment import Claim, number, verdict
from rehabcount.bench.gain_data import IN, OOD
from rehabcount.bench.gain_kept import GainRow
from rehabcount.bench.gain_rows import BEST_RATE, FACTORS, NETWORKS, RATES
from rehabcount.bench.gain_splits import SplitReport
from rehabcount.bench.gain_tables import (
    METHODS,
    PAPER_2,
    PAPER_3,
    PAPER_4,
    PAPER_5,
    PAPER_6,
    SHOWN,
    Cell,
    cell,
    claims_of,
    method_of,
    missing_rows,
    score_of,
    shown_method,
    sources_of,
    tasks_of,
    verdict_of,
)

ABOUT = """Does a network that was trained on some tasks find the same steps in tasks that it has not seen? Li et al.
found that it does so much worse, because it leans on what usually stands beside a step, and that training on trials
reassembled from steps in random order (C-, the causal variants) helps. This page rebuilds their tables; all numbers
are percent, `known tasks / unseen tasks`, the mean of the seeds that are there.

**Numbers of the source "simulated" are measured on simulated people only.** The paper's numbers are beside ours for the
direction of the differences; they are of videos, and cannot be compared in size.

A causal row has as many gradient steps as its plain row, on stretches drawn from originals and reassembled trials
together. Nothing is chosen on anything; the network after the last step is tested.
"""
SIMULATED = """Simulated: 14 patients train on six activities (face wash, glasses, feeding, brushing, table targets,
shelf); eight other patients are tested on these and on unseen tasks: deodorant, combing, drinking, and eight that the
simulator reassembles from steps of the six and moves by a body (`simulate/reassembled.py`). A step is a primitive with
the kind of place that it goes to (16 steps). Input: recipe `bedside`, nine sensors, 25 Hz.
"""
JIGSAWS = """JIGSAWS (real surgeons): one task trains without one surgeon, whose trials of it and of the other task are
tested; each seed leaves another surgeon out, of the four who did both. A step is a gesture. Input: motion of the
instruments, 15 Hz. Its terms forbid to pass it on; here are numbers and labels only.
"""
WORDS = {  # variants that are in no table of the paper
    "fade": "joins faded over {} s instead of 0.2 s",
    "person": "steps of one person in each reassembled trial",
    "run": "{} steps that followed each other are drawn together",
    "long": "{} times as many gradient steps",
}
BY_NETWORK = """Points lost on unseen tasks (plain), gained there by the causal variant, and gained by it on known
tasks. `balanced`: the mean over steps of the share of their frames that are right (not in the paper), for unseen tasks
have another mixture of steps.
"""
PRINCIPLES = """The paper's three principles, checked by code (`bench/gain_splits.py`): tasks do not overlap, every
tested step is trained, categories are diverse. Distance: of the distribution of steps from that of training (0 alike, 1
nothing in common), for known and unseen tasks.
"""


def page(
    rows: Sequence[GainRow],
    reports: Mapping[str, SplitReport],
    pictures: Mapping[str, str],
    wanted: Sequence[str],
    tried: str = "",
) -> str:
    """Everything; `reports` by source, `pictures`: file -> caption, `wanted`: names of all rows."""
    lines = ["# Tasks that training does not have (GAIN)", ""]
    lines += ["Written by `rehabcount bench gain`. The paper: Li et al., GAIN: On the Generalization of Instructional"]
    lines += ["Action Understanding, ICLR 2023.", "", ABOUT]
    lacking = missing_rows(rows, wanted)
    if lacking:
        said = f"**Not finished: {len(lacking)} of {len(wanted)} rows** ({', '.join(lacking)}). "
        lines += [said + "Cells without them are the mean of fewer seeds, or empty.", ""]
    lines += ["## What came out", "", *_claims(rows), *_by_network(rows), tried, ""]
    lines += ["## The benchmark", "", SIMULATED, JIGSAWS, *_principles(reports)]
    lines += _pictures(pictures, ("steps",))
    for source in sources_of(rows):
        lines += [f"## Tables 2 and 3: {SHOWN[source]}", "", *_main(rows, source), *_by_task(rows, source)]
    lines += ["## Table 4: detection, mAP@mid", "", *_detection(rows)]
    lines += ["## Table 5: learning rate, simulated, one seed", "", *_rates(rows)]
    lines += ["## Table 6: relative sizes of reassembled trials, simulated, one seed", "", *_factors(rows)]
    lines += ["## Trials", "", *_pictures(pictures, ("success", "failure", "networks"))]
    lines += _tried(rows)
    lines += ["## What it took", "", *_costs(rows)]
    return "\n".join(lines).rstrip() + "\n"


def table(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(r) + " |" for r in body), ""]


def _value(found: Cell) -> str:
    return "-" if np.isnan(found.mean) else f"{found.mean:.1f}"


def _pair(rows: Sequence[GainRow], source: str, method: str, metric: str, variant: str = "") -> str:
    return " / ".join(_value(cell(rows, source, method, variant, where, metric)) for where in (IN, OOD))


def _paper(pair: tuple[float, float] | None) -> str:
    return "-" if pair is None else f"{pair[0]:.1f} / {pair[1]:.1f}"


def _claims(rows: Sequence[GainRow]) -> list[str]:
    found: list[Claim] = [claim for claim in claims_of(rows) if claim.where.startswith(("claim", "target"))]
    return table(
        ("", "what", "paper (COIN / GAIN-C), or wanted", "ours", "holds", "where"),
        [(c.where, c.name, number(c.published), number(c.ours), verdict(c.match), c.note) for c in found],
    )


def _by_network(rows: Sequence[GainRow]) -> list[str]:
    """Gain and cost of each network's causal variant."""
    body = []
    for source in sources_of(rows):
        for metric in ("accuracy", "balanced", "F1@10", "edit"):
            found = verdict_of(rows, source, metric)
            cells = [
                f"{found.dropped[n]:+.1f}, {found.gained[n]:+.1f}, {-found.cost[n]:+.1f}" if n in found.gained else "-"
                for n in NETWORKS
            ]
            body.append((SHOWN[source], metric, *cells))
    return [BY_NETWORK, *table(("source", "metric", *NETWORKS.values()), body)]


def _principles(reports: Mapping[str, SplitReport]) -> list[str]:
    body = []
    for name, report in reports.items():
        broken = "; ".join(f"{each.principle}: {each.what}" for each in report.violations) or "none"
        body.append(
            (
                name,
                *(f"{report.minutes[g]:g} min, {report.people[g]}" for g in ("train", IN, OOD)),
                f"{len(report.tasks[OOD])} ({report.effective_tasks:g})",
                f"{report.distance('train', IN):.2f} / {report.distance('train', OOD):.2f}",
                broken,
            )
        )
    head = ("set", "trained (people)", "known tasks", "unseen tasks", "unseen: number (effective)", "distance")
    return [PRINCIPLES, *table((*head, "violations"), body)]


def _pictures(pictures: Mapping[str, str], kinds: Sequence[str]) -> list[str]:
    lines = []
    for file, caption in pictures.items():
        if file.rsplit(".", 1)[0].endswith(tuple(kinds)):
            lines += [f"![{caption}]({file})", "", f"*{caption[:1].upper()}{caption[1:]}*", ""]
    return lines


def _main(rows: Sequence[GainRow], source: str) -> list[str]:
    body = []
    shown = {"accuracy": "Acc.", "balanced": "Acc., balanced", "F1@10": "F1@10", "edit": "Edit"}
    for metric, name in shown.items():
        body.append((f"{name}, ours", *(_pair(rows, source, method, metric) for method in METHODS)))
        if metric in PAPER_3:
            body.append((f"{name}, Breakfast / GAIN-B", *(_paper(PAPER_3[metric].get(method)) for method in METHODS)))
        if metric == "accuracy":
            body.append((f"{name}, COIN / GAIN-C", *(_paper(PAPER_2[method]) for method in METHODS)))
    seeds = [", ".join(f"{v:.1f}" for v in cell(rows, source, m, "", OOD, "accuracy").seeds) or "-" for m in METHODS]
    body.append(("Acc. on unseen tasks, each seed", *seeds))
    return table(("", *(shown_method(method) for method in METHODS)), body)


def _by_task(rows: Sequence[GainRow], source: str) -> list[str]:
    body = []
    for where, words in ((IN, "known"), (OOD, "unseen")):
        for task in tasks_of(rows, source, where):
            values = [_value(cell(rows, source, method, "", where, "accuracy", task)) for method in METHODS]
            body.append((words, task, *values))
    return ["Frame accuracy by task (the paper's Table 2 has domains here):", "",
            *table(("", "task", *(shown_method(method) for method in METHODS)), body)]  # fmt: skip


def _detection(rows: Sequence[GainRow]) -> list[str]:
    body = []
    for method in ("lstm", "c-lstm"):
        ours = [_pair(rows, source, method, "mAP@mid") for source in SHOWN]
        name = "LSTM" if method == "lstm" else "Causal LSTM"
        body.append((name, *ours, *(_paper(PAPER_4[corpus][method]) for corpus in PAPER_4)))
    return table(("", *(f"ours, {shown}" for shown in SHOWN.values()), "COIN / GAIN-C", "Breakfast / GAIN-B"), body)


def _rates(rows: Sequence[GainRow]) -> list[str]:
    body = []
    first = [row for row in rows if row.seed == 7]
    for rate in RATES:
        for causal in (False, True):
            variant = "" if rate == BEST_RATE else f"rate={rate:g}"
            method = "c-mstcnpp" if causal else "mstcnpp"
            ours = _pair(first, "simulated", method, "accuracy", variant)
            name = "Causal MS-TCN++" if causal else "MS-TCN++"
            body.append((f"{rate:g}", name, ours, _paper(PAPER_5[rate, causal])))
    return table(("learning rate", "method", "ours", "COIN / GAIN-C"), body)


def _factors(rows: Sequence[GainRow]) -> list[str]:
    first = [row for row in rows if row.seed == 7]
    columns = ["plain", "", *FACTORS]
    ours = [
        _pair(first, "simulated", "edtcn" if c == "plain" else "c-edtcn", "accuracy", "" if c == "plain" else c)
        for c in columns
    ]
    names = ["ED-TCN", "Causal, 1x steps, 1x videos", *(f"Causal, {factor}x" for factor in FACTORS)]
    return table(("", *names), [("ours", *ours), ("Breakfast / GAIN-B", *(_paper(PAPER_6[c]) for c in columns))])


def _tried(rows: Sequence[GainRow]) -> list[str]:
    """Variants that the paper does not have, each beside the plain and the causal row of its seed."""
    body = []
    variants = [row for row in rows if row.variant.partition("=")[0] in WORDS]
    for row in sorted(variants, key=lambda each: (each.source, each.network, each.seed, each.variant, each.causal)):
        key, _, value = row.variant.partition("=")
        same = [each for each in rows if (each.source, each.network, each.seed) == (row.source, row.network, row.seed)]
        beside = [[each for each in same if each.causal == causal and not each.variant] for causal in (False, True)]
        cells = [
            " / ".join(f"{score_of(each, where, metric):.1f}" for where in (IN, OOD)) if each else "-"
            for each in (row, *(found[0] if found else None for found in beside))
            for metric in ("accuracy", "F1@10")
        ]
        body.append((row.source, shown_method(method_of(row)), str(row.seed), WORDS[key].format(value), *cells))
    if not body:
        return []
    head = ("source", "row", "seed", "what", "Acc.", "F1@10", "plain row: Acc.", "F1@10", "causal row: Acc.", "F1@10")
    return ["## What else was tried", "", *table(head, body)]


def _costs(rows: Sequence[GainRow]) -> list[str]:
    body = []
    for row in rows:
        spent = f"{row.training_s / 60:.1f}, {row.testing_s / 60:.1f}"
        what = shown_method(method_of(row)) + (f", {row.variant}" if row.variant else "")
        body.append(
            (row.source.replace("_", " "), what, str(row.seed), str(row.parameters), str(row.gradient_steps), spent,
             row.commit)
        )  # fmt: skip
    total = sum(row.training_s + row.testing_s for row in rows) / 60
    head = ("source", "row", "seed", "parameters", "gradient steps", "CPU min: training, test", "commit")
    return [f"All rows together: {total:.0f} CPU minutes on one thread.", "", *table(head, body)]
