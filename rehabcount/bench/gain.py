"""GAIN's comparison: do recognisers lean on what stands beside a step, and does reassembling steps help?

Question: a network is trained on some tasks. How much worse is it on tasks that it has not seen but whose steps it
knows, and is it better there when it was trained on trials with steps in random order, too (the causal variant)?

Sources: simulated patients at six of the nine activities, with the other three and eight tasks that the simulator
reassembles as unseen ones; and, where `--data` gives JIGSAWS, suturing with needle passing unseen, and the other way
round. Four networks, plain and causal, with the same number of gradient steps on stretches of the same length.

Rows are trained one by one and kept. Tables 2 to 6, Fig. 3 and the ribbons of the paper are made from the rows that are
there; what is missing is named.

Citation: Li et al., GAIN: On the Generalization of Instructional Action Understanding, ICLR 2023.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rehabcount.bench.experiment import Context, Experiment, Results, Value
from rehabcount.bench.gain_kept import GainRow
from rehabcount.bench.gain_rows import SOURCES, GainName, main_rows, parameter_rows, row_named, train_gain_row
from rehabcount.errors import ConfigError
from rehabcount.models.torch_extra import require_torch


def run(settings: Mapping[str, Value], context: Context) -> Results:
    """Train the missing rows, then make the tables, pictures and page."""
    require_torch()
    if context.out is None:
        raise ConfigError("this bench keeps what it trains.", advice="Add --out FOLDER.")
    rows = chosen_gain_rows(str(settings["rows"]), int(settings["seeds"]), context)
    found: list[GainRow] = []
    if not settings["only_tables"]:
        for row in rows:
            found.append(
                train_gain_row(
                    context.out, _jigsaws(context), row, quick=context.quick, on_progress=context.on_progress
                )
            )
    if settings["only_train"]:
        return Results((), {f"{row.name}: CPU s": row.training_s + row.testing_s for row in found})
    return Results()


def chosen_gain_rows(text: str, seeds: int, context: Context) -> list[GainName]:
    """The rows named; without names all that the data allow, the most important ones first."""
    if text:
        return [row_named(name) for name in text.split(",") if name.strip()]
    if context.quick:
        return main_rows(("simulated",), 1)
    sources = SOURCES if context.data is not None else SOURCES[:1]
    first, rest = main_rows(sources, 1), main_rows(sources, seeds)
    rest = [row for row in rest if row not in first]
    simulated = [row for row in rest if row.source == "simulated"]
    return [*first, *simulated, *parameter_rows(), *(row for row in rest if row not in simulated)]


def _jigsaws(context: Context) -> Path | None:
    return context.folder("jigsaws") if context.data is not None else None


EXPERIMENT = Experiment(
    "gain",
    "Do recognisers fail on tasks that they have not seen, and do reassembled steps help?",
    "Li et al. 2023 (GAIN), Tables 2 to 6, Figs. 3, 5, 12, 13",
    "nothing (simulated people), JIGSAWS in addition; extras train, bench",
    "about an hour of CPU time; --quick: minutes",
    run,
    {"seeds": 3, "rows": "", "only_train": False, "only_tables": False, "page": ""},
    alone=True,
)
