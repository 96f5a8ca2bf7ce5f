"""StrokeRehab's comparison of recognisers, with ours as one more row: Tables 2 and 3, Figs. 4, 5 and 7.

Question: given the same people, input and CPU time, which recogniser writes down the sequence of primitives best, and
does one that answers within a second keep up with those that see the whole trial?

Without `--data` the people are simulated: the cohort with recipe `paper77` is made in the folder for results. With
`--data` they are those of a training set that `rehabcount simulate --training` made, or the real dataset's CSV files.
Rows are trained on stroke patients and tested on stroke patients (Table 2); Raw2seq also on healthy people and on both,
tested on healthy people, stroke patients and the severely impaired (Table 3). `stream` gets the paper's input, too,
which is normalised over each trial: for this comparison only, the product's own recipe needs no future.

Equal budget: every epoch has as many batches as fit into its share of the remaining CPU minutes (models/budget.py).

Citation: Kaku et al., StrokeRehab: A Benchmark Dataset for Sub-second Action Identification, NeurIPS 2022. As the
authors' notebook shows, their "MS-TCN" rows are ASRF's segmentation branch; ours is an MS-TCN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from rehabcount.bench.experiment import Context, Experiment, FigureValue, Results, Value
from rehabcount.bench.strokerehab_kept import FinishedRow
from rehabcount.bench.strokerehab_rows import FIRST_SEED, RowName, row_of, train_row
from rehabcount.bench.strokerehab_tables import claims_of, figures_of
from rehabcount.errors import ConfigError
from rehabcount.models.torch_extra import require_torch
from rehabcount.store.private import written_whole

ROWS = "mstcn,asrf,raw2seq,stream,seg2seq,raw2seq-healthy,raw2seq-both"
SEVERAL_SEEDS = ("mstcn", "raw2seq", "stream")  # rows that the claim about `stream` compares
VALIDATION_SEED = 2  # of the simulated patients on whom decoder and smoothing are chosen, beside the cohort's own
QUICK_MINUTES = 0.5
QUICK_ACTIVITIES = ("drinking", "glasses")


def run(settings: Mapping[str, Value], context: Context) -> Results:
    """Train the missing rows, then make the tables, pictures and page."""
    require_torch()
    if context.out is None:
        raise ConfigError("this bench keeps what it trains.", advice="Add --out FOLDER.")
    quick = context.quick
    minutes = QUICK_MINUTES if quick else float(settings["minutes"])
    rows = chosen_rows(str(settings["rows"]), 1 if quick else int(settings["seeds"]))
    data = context.data if context.data is not None else simulated(context, settings)
    validate, further = (
        tuple(Path(each) for each in str(settings[option]).split(",") if each) for option in ("validate", "further")
    )
    if not validate and context.data is None and not quick:
        validate = (simulated(context, settings, VALIDATION_SEED),)
    train_one = partial(train_row, context.out / "rows", data, minutes=minutes, validate=validate, further=further)
    found = train_all(train_one, rows, int(settings["processes"]), context)
    if settings["only_train"]:
        return Results((), training_figures(found))
    written = Path(str(settings["page"])) if settings["page"] else context.out
    write_page(found, written)
    return Results(tuple(claims_of(found)), figures_of(found))


def chosen_rows(text: str, seeds: int) -> list[RowName]:
    """The rows named, and those that the comparison needs with further seeds."""
    rows = [row_of(name) for name in text.split(",") if name.strip()]
    if not rows:
        raise ConfigError("no row was named.", advice=f"The usual ones: {ROWS}.")
    more = [
        RowName(row.network, row.trained_on, row.seed + number)
        for number in range(1, seeds)
        for row in rows
        if row.network in SEVERAL_SEEDS and row.trained_on == "stroke" and row.seed == FIRST_SEED
    ]
    return list(dict.fromkeys([*rows, *more]))


def simulated(context: Context, settings: Mapping[str, Value], seed: int = 0) -> Path:
    """The simulated cohort, made once; with another seed the patients of another one, to choose on."""
    from rehabcount.models.simulated import SimulationPlan, write

    assert context.out is not None
    folder = context.out / ("cohort-quick" if context.quick else "cohort" if not seed else f"cohort-{seed}")
    if not (folder / "set.json").is_file():
        if context.quick:
            plan = SimulationPlan("paper77", repetitions=1, every=5, activities=QUICK_ACTIVITIES)
        else:
            plan = SimulationPlan("paper77", repetitions=int(settings["repetitions"]))
            plan = replace(plan, groups=("train",), repetitions=1, seed=seed) if seed else plan
        write(
            folder,
            plan,
            int(settings["processes"]),
            lambda done, total: context.on_progress("simulating the cohort", done, total),
        )
    return folder


def train_all(
    train_one: Callable[..., FinishedRow], rows: Sequence[RowName], processes: int, context: Context
) -> list[FinishedRow]:
    """Every row, in the order given; Seg2seq after the others, for it reads MS-TCN."""
    if len(rows) == 1 or processes == 1:
        ordered = sorted(rows, key=lambda row: row.network == "seg2seq")
        found = {row: train_one(row=row, on_progress=context.on_progress) for row in ordered}
        return [found[row] for row in rows]
    found = {}
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for phase in (False, True):
            running = {pool.submit(train_one, row=row): row for row in rows if (row.network == "seg2seq") is phase}
            context.on_progress(f"training {', '.join(row.name for row in running.values())}", len(found), len(rows))
            for each in as_completed(running):
                found[running[each]] = each.result()
                context.on_progress(f"{running[each].name} is trained", len(found), len(rows))
    return [found[row] for row in rows]


def training_figures(rows: Sequence[FinishedRow]) -> dict[str, FigureValue]:
    figures: dict[str, FigureValue] = {}
    for row in rows:
        aer = row.chosen.aer if row.chosen else None
        figures[f"{row.name}: validation AER"] = round(aer, 4) if aer is not None else None
        figures[f"{row.name}: count bias within 3 %"] = row.unbiased
        figures[f"{row.name}: CPU min"] = round(row.cpu_s.total_s / 60, 1)
    return figures


def write_page(rows: Sequence[FinishedRow], folder: Path) -> None:
    """strokerehab.md with its pictures."""
    from rehabcount.bench.strokerehab_page import page
    from rehabcount.bench.strokerehab_pictures import draw

    pictures = draw(rows, folder / "strokerehab")
    with written_whole(folder / "strokerehab.md") as partial:
        partial.write_text(
            page(rows, {f"strokerehab/{file}": text for file, text in pictures.items()}), encoding="utf-8"
        )


EXPERIMENT = Experiment(
    "strokerehab",
    "Which recogniser writes down the sequence of primitives best, and does a live one keep up?",
    "Kaku et al. 2022, Tables 2 and 3, Figs. 4, 5, 7",
    "nothing (simulated people), or StrokeRehab's CSV files; extras train, bench",
    "the CPU minutes given, times 13 rows; --quick: minutes",
    run,
    {
        "minutes": 120.0,
        "seeds": 3,
        "rows": ROWS,
        "repetitions": 5,
        "processes": 2,
        "only_train": False,
        "page": "",
        "validate": "",
        "further": "",
    },
    alone=True,
)
