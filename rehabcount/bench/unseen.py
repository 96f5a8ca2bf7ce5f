"""Activities that training never saw: how much worse is `stream` on them, and what helps?

Three times, three of the nine activities are left out of training (every activity once). Four recipes with equal steps:
the other six alone, with their movements reassembled at random (the intervention of GAIN), with tasks that the
simulator makes up, with both. Test people do all nine. A recipe's ratio is its error rate (AER) on the activities that
were left out, over that of the same recipe trained on all nine, on the same activities; mean of the splits.

Without `--data` both sets are simulated into the folder for results. With `--data` it holds the folders `cohort` and
`made-up` that `rehabcount simulate --training` made. All people are simulated.

Citation: Li et al., GAIN: On the Generalization of Instructional Action Understanding, ICLR 2023 (the intervention).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from rehabcount.bench.experiment import Claim, Context, Experiment, FigureValue, Results, Value, pyplot
from rehabcount.bench.unseen_rows import (
    ALL,
    EPOCH_BATCHES,
    EPOCHS,
    RECIPES,
    SPLITS,
    TrainingAmount,
    UnseenName,
    UnseenRow,
    aer_of,
    left_out_of,
    read_row,
    row_of,
    train_row,
)
from rehabcount.errors import ConfigError
from rehabcount.simulate.activities import ACTIVITIES

BOUND = 1.25  # of the best recipe's ratio
QUICK = TrainingAmount(epochs=2, epoch_batches=4, preset="tiny")
ROWS = ",".join(f"{recipe}-{split or 'all'}" for split in (ALL, *range(1, SPLITS + 1)) for recipe in RECIPES)


def run(settings: Mapping[str, Value], context: Context) -> Results:
    """Train the rows that are asked for and not there yet; judge what is there."""
    from rehabcount.models.torch_extra import require_torch

    require_torch()
    if context.out is None:
        raise ConfigError("this bench keeps what it trains.", advice="Add --out FOLDER.")
    amount = QUICK if context.quick else TrainingAmount(int(settings["epochs"]), int(settings["epoch_batches"]))
    rows = [row_of(each) for each in str(settings["rows"]).split(",") if each.strip()]
    if context.data is not None:
        cohort, made_up = context.data / "cohort", context.data / "made-up"
    else:
        cohort, made_up = simulated(context, settings)
    for row in rows:
        train_row(context.out / "rows", cohort, made_up, amount, row, context.on_progress)
    found = _kept(context.out / "rows")
    if any(row.recipe != "plain" or row.left_out for row in found):
        draw(context.out / "unseen.png", found)
    return summary(found)


def simulated(context: Context, settings: Mapping[str, Value]) -> tuple[Path, Path]:
    """The cohort and the made-up tasks, made once."""
    from rehabcount.models.simulated import SimulationPlan, write

    assert context.out is not None
    every = 5 if context.quick else 1
    people = ("train", "test")
    repetitions = 1 if context.quick else int(settings["repetitions"])
    plans = {
        "cohort": SimulationPlan(groups=people, repetitions=repetitions, every=every),
        "made-up": SimulationPlan(
            groups=people[:1], repetitions=0, made_up=1 if context.quick else int(settings["made_up"]), every=every
        ),
    }
    for name, plan in plans.items():
        if not (context.out / name / "set.json").is_file():
            write(
                context.out / name,
                plan,
                int(settings["processes"]),
                lambda done, total, name=name: context.on_progress(f"simulating {name}", done, total),  # type: ignore[misc]
            )
    return context.out / "cohort", context.out / "made-up"


def _kept(folder: Path) -> list[UnseenRow]:
    return [read_row(path) for path in sorted(folder.glob("*/row.json"))]


def summary(found: Sequence[UnseenRow]) -> Results:
    """Each recipe's ratio, then every row's error rates."""
    claims, figures = list[Claim](), dict[str, FigureValue]()
    for recipe in RECIPES:
        ratios = ratios_of(found, recipe)
        if len(ratios) == SPLITS:
            figures[f"{recipe}: AER unseen / seen, mean of the splits"] = round(float(np.mean(ratios)), 3)
            figures[f"{recipe}: the same, each split"] = " ".join(f"{ratio:.2f}" for ratio in ratios)
            unseen = [aer_of(row.trials, left_out_of(row.left_out)) for row in found if _is(row, recipe)]
            figures[f"{recipe}: AER on unseen activities, mean of the splits"] = round(float(np.mean(unseen)), 4)
    complete = {recipe: float(np.mean(r)) for recipe in RECIPES if len(r := ratios_of(found, recipe)) == SPLITS}
    if len(complete) == len(RECIPES):
        unseen_of = {recipe: figures[f"{recipe}: AER on unseen activities, mean of the splits"] for recipe in complete}
        best = min(complete, key=lambda recipe: float(unseen_of[recipe] or 0.0))
        claims.append(
            Claim(
                "three splits of six and three, simulated people",
                f"AER on unseen activities over that when trained on all nine: {best}",
                None,
                round(complete[best], 3),
                complete[best] <= BOUND,
                f"bound {BOUND}; plain {complete['plain']:.3f}",
            )
        )
    for row in found:
        name = UnseenName(row.recipe, row.left_out, row.seed).name
        hidden = left_out_of(row.left_out)
        seen = [activity for activity in ACTIVITIES if activity not in hidden]
        figures[f"{name}: AER on activities trained on"] = round(aer_of(row.trials, seen), 4)
        for activity in hidden or ACTIVITIES:
            figures[f"{name}: AER, {activity}"] = round(aer_of(row.trials, (activity,)), 4)
        figures[f"{name}: CPU min"] = round(row.cpu_s / 60, 1)
        figures[f"{name}: hours of recordings to draw from"] = row.training_h
    return Results(tuple(claims), figures)


def _is(row: UnseenRow, recipe: str) -> bool:
    return row.recipe == recipe and row.left_out != ALL


def ratios_of(found: Sequence[UnseenRow], recipe: str) -> list[float]:
    """AER on the activities left out, over that of the recipe trained on all nine; of each split that is there."""
    whole = [row for row in found if row.recipe == recipe and row.left_out == ALL]
    if not whole:
        return []
    ratios = []
    for row in sorted((row for row in found if _is(row, recipe)), key=lambda row: row.left_out):
        hidden = left_out_of(row.left_out)
        ratios.append(aer_of(row.trials, hidden) / max(1e-9, aer_of(whole[0].trials, hidden)))
    return ratios


def draw(path: Path, found: Sequence[UnseenRow]) -> None:
    """Bars: AER on each split's three activities when they were left out, and when they were trained on."""
    plots = pyplot()
    figure, axes = plots.subplots(1, SPLITS, figsize=(11, 3.4), sharey=True)
    for split, axis in enumerate(axes, start=1):
        hidden = left_out_of(split)
        for number, recipe in enumerate(RECIPES):
            for left_out, shift, colour in ((split, -0.2, "tab:orange"), (ALL, 0.2, "tab:blue")):
                rows = [row for row in found if (row.recipe, row.left_out) == (recipe, left_out)]
                if rows:
                    axis.bar(number + shift, aer_of(rows[0].trials, hidden), 0.38, color=colour)
        axis.set_title(", ".join(hidden), fontsize=9)
        axis.set_xticks(range(len(RECIPES)), RECIPES, fontsize=8)
    axes[0].set_ylabel("AER, simulated test people")
    for colour, words in (("tab:orange", "never trained on"), ("tab:blue", "trained on all nine")):
        axes[-1].bar([0], [0], color=colour, label=words)
    axes[-1].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plots.close(figure)


EXPERIMENT = Experiment(
    "unseen",
    "How well are activities counted that training never saw?",
    "Li et al. 2023 (the intervention); simulated people",
    "nothing, or --data with training sets; extras train, bench",
    "three CPU hours",
    run,
    {
        "rows": ROWS,
        "epochs": EPOCHS,
        "epoch_batches": EPOCH_BATCHES,
        "repetitions": 2,
        "made_up": 6,
        "processes": 1,
    },
    alone=True,
)
