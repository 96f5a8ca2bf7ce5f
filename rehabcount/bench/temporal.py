"""Do our structure metrics give the published scores of published clusterings?

Goel & Brunskill, Learning Procedural Abstractions and Evaluating Discrete Latent Temporal Structure, ICLR 2019, Tables
3 to 9 and Figs. 6 and 6i. The authors' predictions are read from one npz a dataset (`bees1` to `bees6`, `mocap6`):
`truth`, optionally `sequence_lengths` and `label_names`, and `<method>/<run>`.

The rule of the tables: sequences are concatenated, and a run with one cluster only is left out. Of each method the run
with the highest TSS is kept. All its scores are reported to two decimals (the mean, if several runs have that TSS).
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np

from rehabcount.bench.experiment import Claim, Context, Experiment, FigureValue, Results, Value, pyplot
from rehabcount.bench.temporal_tables import SIGN_NOTE, TABLES, PublishedTable
from rehabcount.domain.arrays import Ints
from rehabcount.errors import ConfigError, DatasetChanged, DatasetMissing
from rehabcount.metrics import ribbons, structure
from rehabcount.metrics.matching import runs
from rehabcount.store.npz import Arrays, open_arrays

SOURCE = "StanfordAI4HI/ICLR2019_evaluating_discrete_temporal_structure (MIT)"
BETAS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # those of the authors' study

# The published reading; --set tries another (common=subsequence, prune=no, borders=kept).
DEFAULTS: Mapping[str, Value] = {"common": "substring", "prune": True, "borders": "ignored"}
SCORES = {
    "ARI": structure.StructureResult.ari,
    "Com": structure.StructureResult.completeness,
    "Hom": structure.StructureResult.homogeneity,
    "LASS": structure.StructureResult.lass,
    "LASS-O": structure.StructureResult.lass_o,
    "LASS-U": structure.StructureResult.lass_u,
    "Munk": structure.StructureResult.munkres,
    "NMI": structure.StructureResult.nmi,
    "RSS": lambda result: result.rss,
    "SSS": structure.StructureResult.sss,
    "TSS": structure.StructureResult.tss,
}


@dataclass(frozen=True, slots=True)
class BestRun:
    """A method's run with the highest TSS."""

    run: str
    scores: dict[str, float]


def evaluation(settings: Mapping[str, Value]) -> Callable[..., structure.StructureResult]:
    """`structure.evaluate` with the options of the settings."""
    return partial(
        structure.evaluate,
        common=cast(structure.Common, settings["common"]),
        prune=bool(settings["prune"]),
        borders=cast(structure.Borders, settings["borders"]),
    )


def run(settings: Mapping[str, Value], context: Context) -> Results:
    try:
        evaluation(settings)([0], [0])
    except ValueError as error:
        raise ConfigError(
            f"these settings cannot be: {error}.", advice=f"The defaults are {dict(DEFAULTS)}."
        ) from error
    folder = context.folder("temporal-clusterings")
    present = [(table, folder / f"{table.dataset}.npz") for table in TABLES]
    present = [(table, path) for table, path in present if path.is_file()]
    if not present:
        raise DatasetMissing(
            f"{folder} holds none of {', '.join(table.dataset + '.npz' for table in TABLES)}.",
            advice=f"The predictions come from {SOURCE}.",
        )
    if context.quick:
        present = present[:1]
    claims: list[Claim] = []
    figures: dict[str, FigureValue] = {}
    for done, (table, path) in enumerate(present):
        context.on_progress(table.dataset, done, len(present))
        key = f"{table.dataset} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        best = context.step(dict[str, BestRun], key, partial(best_runs, path, settings))
        claims += _claims(table, best)
        for beta in BETAS:
            rss = [row.scores["RSS"] for row in best.values()]
            sss = [row.scores["SSS"] for row in best.values()]
            figures[f"{table.dataset} NDCG(beta={beta:g})"] = structure.beta_sensitivity(rss, sss, beta)
        if context.out is not None:
            _draw_ribbons(path, best, context.out / f"{table.dataset}.png")
    context.on_progress("done", len(present), len(present))
    figures = {
        "cells": len(claims),
        "cells matched": sum(claim.match is True for claim in claims),
        "datasets": ", ".join(table.dataset for table, _ in present),
        **figures,
    }
    if context.out is not None:
        _draw_sensitivity([table.dataset for table, _ in present], figures, context.out / "beta-sensitivity.png")
    return Results(tuple(claims), figures)


def best_runs(path: Path, settings: Mapping[str, Value] = DEFAULTS) -> dict[str, BestRun]:
    """Per method the run with the highest TSS: its name and its scores."""
    evaluate = evaluation(settings)
    with _opened(path) as held:
        truth = _labels(path, held, "truth")
        lengths = _labels(path, held, "sequence_lengths").tolist() if "sequence_lengths" in held else [len(truth)]
        by_method: dict[str, list[tuple[str, structure.StructureResult]]] = {}
        for key in held:
            method, slash, name = key.partition("/")
            if not slash:
                continue
            clusters = _labels(path, held, key)
            if len(clusters) != len(truth):
                raise DatasetChanged(f"{path.name}: {key} has {len(clusters)} frames, truth has {len(truth)}.")
            if np.any(clusters != clusters[:1]):
                result = evaluate(truth, clusters, sequence_lengths=lengths)
                by_method.setdefault(method, []).append((name, result))
    best = {}
    for method, scored in by_method.items():
        highest = max(result.tss() for _, result in scored)
        kept = [(name, result) for name, result in scored if result.tss() == highest]
        scores = {name: float(np.mean([score(result) for _, result in kept])) for name, score in SCORES.items()}
        best[method] = BestRun(kept[0][0], scores)
    return best


def _claims(table: PublishedTable, best: Mapping[str, BestRun]) -> list[Claim]:
    where = f"Table {table.number}, {table.dataset}"
    claims = []
    for column, method in enumerate(table.methods):
        for metric, row in table.rows.items():
            published = row[column]
            if method not in best:
                claims.append(Claim(where, f"{method} {metric}", published, None, False, "no run in the file"))
                continue
            ours = round(best[method].scores[metric], 2)
            match = ours == published
            flipped = not match and ours == -published and metric == "ARI" and method == "LRSC"
            claims.append(Claim(where, f"{method} {metric}", published, ours, match, SIGN_NOTE if flipped else ""))
    return claims


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Arrays]:
    try:
        with open_arrays(path) as held:
            yield held
    except (OSError, ValueError) as error:
        raise DatasetChanged(f"{path.name} is not an npz of predictions: {error}.", advice=f"See {SOURCE}.") from error


def _labels(path: Path, held: Arrays, key: str) -> Ints:
    try:
        labels: Ints = np.ravel(held.need(key))
    except ValueError as error:
        raise DatasetChanged(f"{path.name}: {key!r} is missing or unreadable.", advice=f"See {SOURCE}.") from error
    if not np.issubdtype(labels.dtype, np.integer):
        raise DatasetChanged(f"{path.name}: {key!r} holds {labels.dtype}, not integer labels.")
    return labels


def _draw_ribbons(path: Path, best: Mapping[str, BestRun], picture: Path) -> None:
    """The truth above the best and the worst method by TSS, RSS and LASS (Fig. 6)."""
    chosen: dict[str, list[str]] = {}
    for metric in ("TSS", "RSS", "LASS"):
        ranked = sorted(best, key=lambda method: best[method].scores[metric])
        for method, rank in ((ranked[-1], "best"), (ranked[0], "worst")):
            chosen.setdefault(method, []).append(f"{rank} {metric} {best[method].scores[metric]:.2f}")
    with _opened(path) as held:
        rows = [("ground truth", runs(_labels(path, held, "truth")))]
        rows += [
            (f"{method}\n{', '.join(ranks)}", runs(_labels(path, held, f"{method}/{best[method].run}")))
            for method, ranks in chosen.items()
        ]
    ribbons.draw(rows, picture, title=f"{path.stem}: best and worst clusterings", own_names=True)


def _draw_sensitivity(datasets: list[str], figures: Mapping[str, FigureValue], picture: Path) -> None:
    """How well the ranking by TSS(1) serves other beta (Fig. 6i)."""
    plots = pyplot()
    figure, axes = plots.subplots(figsize=(7, 4.5), layout="constrained")
    markers = "osD^vPX"
    for i, dataset in enumerate(datasets):
        values = [figures[f"{dataset} NDCG(beta={beta:g})"] for beta in BETAS]
        axes.plot(
            BETAS, values, marker=markers[i], color=ribbons.COLOURS[-1 - i], markeredgecolor="black", label=dataset
        )
    axes.set_xscale("log")
    axes.set_xticks(BETAS, [f"{beta:g}" for beta in BETAS], fontsize=11)
    axes.set_xlabel("beta that one believes in", fontsize=12)
    axes.set_ylabel("NDCG of the ranking by beta = 1", fontsize=12)
    axes.tick_params(axis="y", labelsize=11)
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend(fontsize=11)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=120)
    plots.close(figure)


EXPERIMENT = Experiment(
    name="temporal",
    question="Do our structure metrics give the published scores of published clusterings?",
    citation="Goel & Brunskill, ICLR 2019, Tables 3-9",
    needs="temporal-clusterings/*.npz (any of bees1-6, mocap6)",
    takes="seconds",
    run=run,
    settings=DEFAULTS,
    folder="temporal-clusterings",
)
