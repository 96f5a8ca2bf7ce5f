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

from collections.abc import Mapping, Sequence
from pathlib import Path

from rehabcount.bench.experiment import Context, Experiment, Results, Value
from rehabcount.bench.gain_kept import GainRow, read
from rehabcount.bench.gain_page import page
from rehabcount.bench.gain_pictures import draw_ribbons, draw_steps
from rehabcount.bench.gain_rows import (
    SEEDS,
    SOURCES,
    GainName,
    data_of,
    main_rows,
    parameter_rows,
    row_named,
    train_gain_row,
)
from rehabcount.bench.gain_splits import SplitReport, check
from rehabcount.bench.gain_tables import SHOWN, claims_of, figures_of, sources_of
from rehabcount.errors import ConfigError
from rehabcount.models.torch_extra import require_torch
from rehabcount.store.private import written_whole


def run(settings: Mapping[str, Value], context: Context) -> Results:
    """Train the missing rows, then make the tables, pictures and page."""
    require_torch()
    if context.out is None:
        raise ConfigError("this bench keeps what it trains.", advice="Add --out FOLDER.")
    rows = chosen_gain_rows(str(settings["rows"]), int(settings["seeds"]), context)
    if not settings["only_tables"]:
        jigsaws = _jigsaws(context)
        for row in rows:
            train_gain_row(context.out, jigsaws, row, quick=context.quick, on_progress=context.on_progress)
    found = finished_rows(context.out / ("quick" if context.quick else "rows"), rows)
    if settings["only_train"]:
        return Results((), {f"{row.name}: CPU s": row.training_s + row.testing_s for row in found})
    written = Path(str(settings["page"])) if settings["page"] else context.out
    write_page(found, written, context, [row.name for row in rows])
    return Results(tuple(claims_of(found)), figures_of(found))


def finished_rows(folder: Path, rows: Sequence[GainName]) -> list[GainRow]:
    """Those of these rows that are there, and every other row of the folder behind them."""
    paths = [folder / row.name / "row.json" for row in rows]
    paths += sorted(set(folder.rglob("row.json")) - set(paths))
    return [read(path) for path in paths if path.is_file()]


def write_page(rows: Sequence[GainRow], folder: Path, context: Context, wanted: Sequence[str]) -> None:
    """gain.md with its pictures."""
    assert context.out is not None
    reports = split_reports(rows, context)
    pictures = {}
    for name, report in reports.items():
        if name in ("simulated", "suturing"):
            title = "Fig. 3: how often each step occurs; " + SHOWN[name]
            draw_steps(report, folder / "gain" / f"{name}-steps.png", title)
            pictures[f"gain/{name}-steps.png"] = title
    for source in sources_of(rows):
        made = draw_ribbons(rows, source, folder / "gain")
        pictures |= {f"gain/{file}": caption for file, caption in made.items()}
    # What was tried by hand stays when the tables are made again.
    notes = folder / "gain" / "notes.txt"
    tried = notes.read_text(encoding="utf-8") if notes.is_file() else ""
    with written_whole(folder / "gain.md") as partial:
        partial.write_text(page(rows, reports, pictures, wanted, tried), encoding="utf-8")


def split_reports(rows: Sequence[GainRow], context: Context) -> dict[str, SplitReport]:
    """Of each source's set, that of the first seed."""
    assert context.out is not None
    found = {}
    for source in sources_of(rows):
        if source == "simulated" or context.data is not None:
            row = GainName(source, "lstm", False)
            made = data_of(row, context.out, _jigsaws(context), quick=context.quick, on_progress=context.on_progress)
            found[source] = check(made.data)
    return found


def chosen_gain_rows(text: str, seeds: int, context: Context) -> list[GainName]:
    """The rows named; without names all that the data allow, the most important ones first."""
    if text:
        return [row_named(name) for name in text.split(",") if name.strip()]
    if context.quick:
        return main_rows(("simulated",), 1)
    sources = SOURCES if context.data is not None else SOURCES[:1]
    rows = main_rows(sources, seeds)
    simulated = [row for row in rows if row.source == "simulated"]
    first = [row for row in rows if row.source != "simulated" and row.seed == SEEDS[0]]
    return list(dict.fromkeys([*simulated, *first, *parameter_rows(), *rows]))


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
