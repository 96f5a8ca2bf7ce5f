"""The page and the pictures of `bench prism`: tables ours beside published, Fig. 7, ribbons, cost of a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

from rehabcount.bench.experiment import Claim, commit, number, pyplot, verdict
from rehabcount.bench.prism_rows import ProcedureRow
from rehabcount.bench.prism_speed import ProcedureSpeed
from rehabcount.bench.prism_tables import AS_PUBLISHED, BEST, BY_SLOTS, BY_STATES, METHODS, OURS, PUBLISHED, Pair
from rehabcount.metrics import ribbons
from rehabcount.metrics.matching import runs
from rehabcount.store.private import written_whole

PAGE, FOLDER = "prism.md", "prism"
MOST_DRAWN = 3  # recordings of a set
ABOUT = """\
PRISM finds the procedure that recordings of the same exercise share, without labels: which states follow each
other, and how long each lasts in each recording. Scores are NMI and TSS ([structure](../metrics/structure.md))
against the true labels, of all recordings of a set together. "Published" is the paper; its HMMs have the
concentration of their transition rows in brackets.

- **PRISM as published**: the Gibbs sampler of appendix C, 501 sweeps, mean score of ten samples from the last 50
  sweeps.
- **PRISM**: the same, but the state of a slot is drawn with means and covariances integrated out
  (`models/prism.py`).
- **PRISM, best sample**: of these chains the sample with the highest log joint density, so without looking at
  labels; and the same of five chains.
- **Mixture** and **HMM** have the same normal states. The HMM's score is that of the most frequent state of each
  frame, as published."""
INPUTS = """\
- **simulated**: the authors' own numbers, drawn as their generator draws them.
- **bees 4**: the paper's input. **bees 1 to 3**: the heading is put together from its scaled differences; its scale
  and offset are those that agree best with the direction of movement. That the mixture's scores are then the
  published ones to two decimals (bees 1: .20 and .61) says that the input is the paper's, nearly. Bees 5 and 6 are
  not in the folder.
- **suturing, needle passing, knot tying**: the paper's 38 columns are not in the re-release of JIGSAWS. They are
  computed from its 22: rotation matrices and angular velocities from quaternions. The published text says "the
  first 38 features"; the published code takes the columns after them, which are the robot's arms, and so do we.
  This input is easier than the paper's: the mixture, which knows no time and has no random schedule, scores far
  above its published number on all of them. Compare methods within our columns; across, only the published bounds
  can be read as reached or not. Needle passing is half of the task."""

CAUSES = """\
- **What limits the simulated set is the model, not the sampler.** The true labels have a log joint density of -774;
  with three pairs of neighbouring letters taken for one it is -743, and the best samples have -739. With a prior
  covariance of the identity and 20 frames a letter, one wide state is cheaper than two narrow ones. A narrower
  prior does not help: with .3 and .1 times the identity the NMI of best samples falls from .92 to .82 and .84,
  because free states then divide the A's (20 seeds).
- **Schedule and read-out.** Chains reach their level within 500 sweeps: 2,000 give .836 / .859 instead of .838 /
  .859 (20 and 40 seeds). A likelihood that is weak at the beginning makes it worse (NMI .55 to .77). What helps is
  to draw the states of slots with means and covariances integrated out, and to read the best sample instead of an
  average of scores.
- **The mixture** of the simulated set should equal the published one with the authors' seeds. It does to .0001 in
  NMI and .0011 in TSS. The numbers that enter are theirs to 1e-7; scikit-learn is another version, which may label
  a few frames of one run differently.
- **Bees 1 to 3**: chains with 200 slots and one recording do not mix within 501 sweeps. On bees 2 the log joint
  densities of ten chains end between -5720 and -5018. Chains with means and covariances integrated out settle
  sooner, some of them badly, and score below the published sampler on all three; more chains, of which the densest
  counts, help on two.
- **JIGSAWS**: with our columns PRISM has the highest NMI on all four sets, and the highest TSS on knot tying; on
  the others the mixture or an HMM has the higher TSS. More slots help PRISM (Fig. 7 below): two experts do not
  follow one order of 25 steps."""


@dataclass(frozen=True, slots=True)
class MeasuredProcedures:
    """All that the page shows."""

    tables: Mapping[str, Mapping[str, ProcedureRow]]
    sensitivity: Mapping[str, Mapping[int, ProcedureRow]]
    speed: ProcedureSpeed
    ribbons: Mapping[str, Mapping[str, Sequence[Sequence[int]]]]  # set, row, recording


def write_page(folder: Path, measured: MeasuredProcedures, claims: Sequence[Claim]) -> None:
    """`prism.md` in the folder, and pictures in `prism/` beside it."""
    pictures = folder / FOLDER
    pictures.mkdir(parents=True, exist_ok=True)
    lines = [
        "# PRISM: procedures without labels",
        "",
        f"Written by `rehabcount bench prism`, commit {commit() or 'unknown'}.",
        "",
        ABOUT,
        "",
        "## What was asked",
        "",
        *_bounds(claims),
        "",
        "## Scores",
        "",
        "NMI / TSS, published in brackets.",
        "",
        *_scores(measured.tables),
        "",
        INPUTS,
        "",
        "## Why not more",
        "",
        CAUSES,
        "",
        *_all_of_sensitivity(measured.sensitivity, pictures),
        "## Ribbons",
        "",
        *_all_of_ribbons(measured.ribbons, pictures),
        "## Speed",
        "",
        *_speed(measured.speed, pictures),
    ]
    with written_whole(folder / PAGE) as partial:
        partial.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def _bounds(claims: Sequence[Claim]) -> list[str]:
    """Only what has a bound."""
    lines = ["| where | what | published or bound | ours | met |", "|---|---|---|---|---|"]
    for claim in claims:
        if claim.match is not None:
            ours = number(claim.ours) if claim.match else f"**{number(claim.ours)}**"
            met = verdict(claim.match).lower()
            lines.append(f"| {claim.where} | {claim.name} | {number(claim.published)} | {ours} | {met} |")
    return lines


def _scores(tables: Mapping[str, Mapping[str, ProcedureRow]]) -> list[str]:
    names = [name for name in METHODS if name != BEST]
    lines = ["| | " + " | ".join((*names, BEST, "best of five chains")) + " |", "|---" * (len(names) + 3) + "|"]
    for set_name, rows in tables.items():
        cells = [_cell(rows[name].mean(), PUBLISHED.get(set_name, {}).get(_published_as(name))) for name in names]
        best = rows[BEST]
        cells.append(_cell(best.mean()))
        cells.append(_cell(best.best_of(5)) if len(best.joint) >= 5 else "")
        lines.append(f"| {set_name} | " + " | ".join(cells) + " |")
    return lines


def _published_as(method: str) -> str:
    return OURS if method == AS_PUBLISHED else "" if method == OURS else method


def _cell(ours: Pair, published: Pair | None = None) -> str:
    return _pair(ours) + (f" ({_pair(published)})" if published is not None else "")


def _pair(pair: Pair) -> str:
    return " / ".join(f"{value:.3f}".removeprefix("0") for value in pair)


def _all_of_sensitivity(sensitivity: Mapping[str, Mapping[int, ProcedureRow]], pictures: Path) -> list[str]:
    if not sensitivity:
        return []
    lines = ["## Sensitivity (Fig. 7)", "", "Suturing of one expert. NMI / TSS, published in brackets.", ""]
    for what, published in (("slots", BY_SLOTS), ("states", BY_STATES)):
        lines += [f"| {what} | PRISM |", "|---|---|"]
        lines += [f"| {value} | {_cell(row.mean(), published[value])} |" for value, row in sensitivity[what].items()]
        lines.append("")
    _draw_sensitivity(sensitivity, pictures / "sensitivity.png")
    return [*lines, f"![NMI and TSS by slots and by states, ours and published]({FOLDER}/sensitivity.png)", ""]


def _draw_sensitivity(sensitivity: Mapping[str, Mapping[int, ProcedureRow]], path: Path) -> None:
    plots = pyplot()
    figure, all_axes = plots.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
    for axes, (what, published) in zip(all_axes, (("slots", BY_SLOTS), ("states", BY_STATES)), strict=True):
        rows = sensitivity[what]
        for i, (metric, colour) in enumerate((("NMI", "#0072b2"), ("TSS", "#d55e00"))):
            axes.plot(list(rows), [row.mean()[i] for row in rows.values()], "o-", color=colour, label=f"{metric}, ours")
            axes.plot(
                list(published),
                [pair[i] for pair in published.values()],
                "s--",
                color=colour,
                markerfacecolor="white",
                label=f"{metric}, published",
            )
        axes.set_xlabel(f"number of {what}", fontsize=12)
        axes.grid(alpha=0.3)
        axes.tick_params(labelsize=11)
    all_axes[0].set_ylim(0, 1)
    all_axes[0].legend(fontsize=10)
    figure.savefig(path, dpi=110)
    plots.close(figure)


def _all_of_ribbons(drawn: Mapping[str, Mapping[str, Sequence[Sequence[int]]]], pictures: Path) -> list[str]:
    lines = [
        "As in Fig. 1: the truth, and what was found without it. A cluster has the colour of the label it overlaps",
        "most, one to one. PRISM is the best sample of five chains; mixture and HMM are of one seed.",
        "",
    ]
    for name, rows in drawn.items():
        file = f"{name.replace(',', '').replace(' ', '-')}.png"
        _draw_ribbons(name, rows, pictures / file)
        lines += [f"![{name}: the truth and what was found]({FOLDER}/{file})", ""]
    return lines


def _draw_ribbons(name: str, rows: Mapping[str, Sequence[Sequence[int]]], path: Path) -> None:
    truth = np.concatenate([np.asarray(each) for each in rows["truth"]])
    bands = []
    names = {method: _matched(truth, np.concatenate([np.asarray(e) for e in of])) for method, of in rows.items()}
    lengths = [len(each) for each in rows["truth"]]
    ends = np.cumsum(lengths)
    for i in range(min(MOST_DRAWN, len(lengths))):
        for method in rows:
            labels = names[method][ends[i] - lengths[i] : ends[i]]
            numbered = f"{method}, {i + 1}" if len(lengths) > 1 else method
            bands.append((numbered, runs(np.array([str(label) for label in labels]))))
    ribbons.draw(bands, path, title=name)


def _matched(truth: np.ndarray, found: np.ndarray) -> np.ndarray:
    """The clusters by the labels of the truth, one to one where they overlap most."""
    known, t = np.unique(truth, return_inverse=True)
    own, f = np.unique(found, return_inverse=True)
    overlap = np.zeros((len(own), max(len(known), len(own))))
    np.add.at(overlap, (f, t), 1)
    _, to = linear_sum_assignment(-overlap)
    named = np.array([str(known[i]) if i < len(known) else f"+{i - len(known) + 1}" for i in to])
    return named[f]


def _speed(speed: ProcedureSpeed, pictures: Path) -> list[str]:
    plots = pyplot()
    figure, axes = plots.subplots(figsize=(6, 4), layout="constrained")
    axes.loglog(speed.frames, speed.sweep_ms, "o-", color="#0072b2", label="measured")
    linear = np.array(speed.frames) * speed.sweep_ms[-1] / speed.frames[-1]
    axes.loglog(speed.frames, linear, "--", color="#888888", label="linear")
    axes.set_xlabel("frames of ten recordings", fontsize=12)
    axes.set_ylabel("CPU ms a sweep", fontsize=12)
    axes.grid(alpha=0.3, which="both")
    axes.legend(fontsize=11)
    figure.savefig(pictures / "speed.png", dpi=110)
    plots.close(figure)
    return [
        "CPU time of one thread; the published code takes 220 ms and 2,000 ms.",
        "",
        "| | |",
        "|---|---|",
        f"| a sweep of the simulated set (10 x 36 frames, 25 slots, 8 states) | {speed.simulated_ms:.2f} ms |",
        f"| of a sequence of bees (1,058 frames, 200 slots, 3 states) | {speed.bees_ms:.1f} ms |",
        f"| memory of a fit of recordings of 5,000 frames, 500,000 in all | {speed.megabytes:.0f} MB |",
        f"| cost in frames: exponent of the four longest | {speed.exponent:.2f} |",
        "",
        f"![CPU time of a sweep by the number of frames]({FOLDER}/speed.png)",
    ]
