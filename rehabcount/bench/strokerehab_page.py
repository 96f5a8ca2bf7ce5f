"""The page of the StrokeRehab bench: both tables, what each row cost, and the pictures, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rehabcount.bench.strokerehab_kept import FinishedRow
from rehabcount.bench.strokerehab_rows import FURTHER, SMOOTHED
from rehabcount.bench.strokerehab_tables import (
    OURS,
    PAPER,
    PAPER_SHIFT,
    RAW2SEQ,
    REPLICATES,
    STROKE,
    TESTS,
    Scores,
    biases_of,
    interval_of,
    mean_of,
    people_in,
    table_2,
    table_3,
    versus,
)

ABOUT_SIMULATED = """**Every number of ours on this page is measured on simulated people**, the paper's on its patients.
The order of the rows and the differences between them can be compared, not the numbers themselves.
Reference labels have annotators' mistakes, .021 edits a primitive as the paper reports of its own: a perfect
recogniser would still have these errors.
"""
ABOUT = """Every row had {minutes:g} CPU minutes of training on one thread, validation included; the last table has
the minutes used. Epoch, smoothing window and decoder weights were chosen on validation subjects: the
lowest action error rate (AER) among epochs whose count bias is within 3 % for every primitive; if there is none, the
lowest AER. For `stream`, whose counts the decoder corrects afterwards, it is always the epoch with the lowest
AER. Smoothing window and decoder are chosen after training, if possible on more people than the epoch
(last table); the epoch of MS-TCN + smoothing is that of MS-TCN. Steps have half the usual number of
stretches in all rows, because that was better for `stream`; other rows were not tried with both. Of
several seeds the mean is shown. Intervals: 95 %, subjects resampled {replicates} times; they do not
include the differences between trainings, which the seeds show. TPR and FDR of the paper are those that
the authors' notebook prints; its "counted / true" is TPR / (1 - FDR) of them. Seg2seq reads the
probabilities of MS-TCN on that network's own training trials, which are surer than those of unseen
people. Its CPU minutes are in addition to those of that MS-TCN.

`stream` answers within its delay once it has its input. But `paper77` is normalised over each whole
trial, for all rows: this page compares networks. The delay for a patient is measured with the bedside's
own input.
"""
COLUMNS = (
    *("row", "seeds", "AER", "paper", "edit score", "paper", "TPR", "paper", "FDR", "paper"),
    *("counted / true", "paper", "worst count bias"),
)
COSTS = (
    *(
        "row",
        "people trained on",
        "chosen on",
        "parameters",
        "epochs",
        "batches",
        "chosen epoch",
        "validation AER",
        "bias within 3 %",
    ),
    *("CPU min (training; choices and test)", "commit"),
)


def page(rows: Sequence[FinishedRow], pictures: Mapping[str, str]) -> str:
    """Everything as Markdown; `pictures`: file -> caption."""
    simulated = any(row.evidence == "simulated" for row in rows)
    who = "simulated people" if simulated else "StrokeRehab's people"
    table = table_2(rows)
    lines = ["# StrokeRehab: the recognisers compared", ""]
    lines += ["Written by `rehabcount bench strokerehab`; the paper is Kaku et al., NeurIPS 2022.", ""]
    lines += [ABOUT_SIMULATED] if simulated else []
    lines += [
        ABOUT.format(minutes=rows[0].budget_min, replicates=REPLICATES),
        f"## Table 2: stroke test set, {people_in(rows, STROKE)} {who}",
        "",
        *header(COLUMNS),
    ]
    for way, found in table.items():
        said = PAPER.get(way)
        worst = max(found, key=lambda each: abs(each.worst_bias))
        paper = ["", "", "", "", ""]
        if said is not None:
            edit, aer, (low, high), tpr, fdr = said
            ratio = tpr / (1 - fdr)
            paper = [f"{aer:.3f} ({low:.3f}-{high:.3f})", f"{edit:.1f}", f"{tpr:.3f}", f"{fdr:.3f}", f"{ratio:.3f}"]
        ours = [
            with_interval(found, "aer", 3),
            with_interval(found, "edit_score", 1),
            f"{mean_of(found, 'sensitivity'):.3f}",
            f"{mean_of(found, 'false_discovery'):.3f}",
            f"{mean_of(found, 'ratio'):.3f}",
        ]
        cells = [cell for pair in zip(ours, paper, strict=True) for cell in pair]
        lines.append(line([way, str(len(found)), *cells, f"{worst.worst_label} {worst.worst_bias:+.1%}"]))
    lines += _comparisons(table) + _biases(rows, who) + _shift(rows, who) + _trainings(rows)
    for file, caption in pictures.items():
        lines += ["", f"![{caption}]({file})", "", f"*{caption}*"]
    return "\n".join(lines) + "\n"


def _comparisons(table: Mapping[str, Sequence[Scores]]) -> list[str]:
    lines = ["", "Order by AER, ours: " + " < ".join(sorted(table, key=lambda way: mean_of(table[way], "aer"))) + "."]
    lines.append("Paper: " + " < ".join(sorted(PAPER, key=lambda way: PAPER[way][1])) + ".")
    for way in (RAW2SEQ, SMOOTHED):
        difference = versus(table, way, OURS)
        if difference is not None:
            gaps = [f"{two.aer - one.aer:+.3f}" for one, two in zip(table[way], table[OURS], strict=False)]
            spread = f"{difference.low:+.3f} to {difference.high:+.3f}, p {difference.p_value:.3g}"
            said = f"AER of {OURS} less that of {way}, seed by seed: {', '.join(gaps)}"
            lines += ["", f"{said}; subject-paired resampling of the seeds' mean: {spread}."]
    return lines


def _biases(rows: Sequence[FinishedRow], who: str) -> list[str]:
    """Count bias of `stream`: those of the paper's number apart from the further ones."""
    sets = {"all": STROKE, "the cohort's own": ("test",), "further": (FURTHER,)}
    sets = {name: groups for name, groups in sets.items() if people_in(rows, groups)}
    if "further" not in sets:
        sets = {"all": STROKE}
    found = {name: biases_of(rows, OURS, groups) for name, groups in sets.items()}
    if not found["all"]:
        return []
    lines = ["", f"## Count bias of {OURS}, stroke test set, {who}", ""]
    lines += ["Counted / true less 1: mean of the seeds, 95 % of resampled subjects, each seed.", ""]
    lines += header(["primitive", *(f"{name}, {people_in(rows, groups)} people" for name, groups in sets.items())])
    for label in found["all"]:
        cells = []
        for each in found.values():
            bias = each[label]
            seeds = ", ".join(f"{seed:+.1%}" for seed in bias.seeds)
            cells.append(f"{bias.mean:+.1%} ({bias.interval.low:+.1%} to {bias.interval.high:+.1%}): {seeds}")
        lines.append(line([label, *cells]))
    return lines


def _shift(rows: Sequence[FinishedRow], who: str) -> list[str]:
    lines = []
    for way in (RAW2SEQ, OURS):
        shift = table_3(rows, way)
        if not shift:
            continue
        lines += ["", f"## Table 3: AER of {way} under distribution shift, {who}", ""]
        lines += header(["trained on", *TESTS.values()])
        for on, tested in shift.items():
            cells = []
            for group in TESTS:
                found = tested.get(group)
                said = f"; paper {PAPER_SHIFT[on][group]:.3f}" if way == RAW2SEQ else ""
                cells.append(f"{with_interval([found], 'aer', 3)}{said}" if found is not None else "-")
            lines.append(line([on, *cells]))
    return lines


def _trainings(rows: Sequence[FinishedRow]) -> list[str]:
    lines = ["", "## What each row cost", "", *header(COSTS)]
    for row in rows:
        chosen = row.chosen
        cells = [
            row.name,
            str(row.people_trained_on),
            str(row.people_chosen_on),
            f"{row.parameters:,}",
            str(len(row.history)),
            f"{sum(each.batches for each in row.history):,}",
            str(chosen.number + 1) if chosen else "-",
            f"{chosen.aer:.3f}" if chosen else "-",
            "yes" if row.unbiased else "no",
            "; ".join(f"{seconds / 60:.1f}" for seconds in (row.cpu_s.training_s, row.cpu_s.after_s)),
            row.commit,
        ]
        lines.append(line(cells))
    return lines


def with_interval(scores: Sequence[Scores], name: str, digits: int) -> str:
    spread = interval_of(scores, name)
    return f"{mean_of(scores, name):.{digits}f} ({spread.low:.{digits}f}-{spread.high:.{digits}f})"


def header(names: Sequence[str]) -> list[str]:
    return [line(names), "|---" * len(names) + "|"]


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
