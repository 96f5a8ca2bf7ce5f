"""The steps of a drink, found without labels: simulated patients, real healthy people and stroke patients.

Ten drinks of each of five simulated patients of moderate impairment, and the drinks of real people, one group at a
time: healthy people and stroke patients, of the fit half and of the test half. `rehabcount discover` is told nothing,
neither how many kinds of steps there are nor how long the procedure is. A Gaussian mixture and a Bayesian HMM get the
same observations and the same number of kinds.

TSS, NMI and accuracy compare kinds with the true phases (rest, reach, to mouth, drink, back, return). A phase is found
in a drink if the steps that belong to it cover it with an intersection over union of one half at least; each step (of
the baselines each kind) belongs to the phase that it overlaps most in all drinks together. Besides, the middles of the
phases of a drink should lie in different steps. A few people turn round at the mouth without a tenth of a second of
rest: their drinks have five phases. The channels and the tolerances of the choice of sizes were chosen on the fit half
and on other simulated patients; the test half is judged.

Our bounds: each phase in 80 % of the drinks, and all of them in steps of their own in as many; less than 30 s a group;
TSS above both baselines.

Citation: Averta et al., U-Limb, GigaScience 2021 (recordings); Goel & Brunskill, ICLR 2019 (model and metric).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from rehabcount.bench.experiment import Claim, Context, Experiment, FigureValue, Results, Value, pyplot
from rehabcount.bench.prism_data import ProcedureSet
from rehabcount.bench.prism_rows import mixture
from rehabcount.bench.steps_data import GROUPS, PHASES, DrinkSet, real_sets, simulated_set
from rehabcount.domain.arrays import Ints
from rehabcount.domain.steps import FoundSteps
from rehabcount.metrics import structure
from rehabcount.metrics.ribbons import COLOURS
from rehabcount.models.discovery import DiscoverySettings, discover
from rehabcount.models.hmm_gibbs import HmmSettings, fit_hmm
from rehabcount.models.steps_input import comparable
from rehabcount.signals.posture import POSTURE_RATE_HZ
from rehabcount.simulate.repeated_drinks import patient, simulate_drinks

SCORES = (40, 43, 45, 47, 50)  # Fugl-Meyer of the simulated patients, of 66: moderate
DRINKS = 10
SMALLEST_SHARE, LONGEST_S, OVERLAP = 0.80, 30.0, 0.5
OURS, HMM, MIXTURE = "discover", "Bayesian HMM", "Gaussian mixture"
INK = "#22303c"


@dataclass(frozen=True, slots=True)
class DrinkScore:
    """One method on one group."""

    tss: float
    nmi: float
    accuracy: float
    found: tuple[float, ...]  # of each phase, the share of the drinks that have it
    apart: float  # share of the drinks in which the middles of all phases lie in different steps
    border_s: float  # median distance from a true border to the nearest one that was found
    took_s: float  # of one core


@dataclass(frozen=True, slots=True)
class DrinkResult:
    """All methods on one group, and what ours found."""

    group: DrinkSet
    found: FoundSteps
    scores: Mapping[str, DrinkScore]


def run(settings: Mapping[str, Value], context: Context) -> Results:
    """Every group with every method."""
    folder = context.folder("drinking")
    folder = folder.parent if folder.name == "drinking" else folder
    seed = int(settings["seed"])
    scores = SCORES[:1] if context.quick else SCORES
    groups = []
    for number, score in enumerate(scores, 1):
        context.on_progress(f"simulated patient {number}", number, len(scores))
        name = f"simulated patient {number} (score {score})"
        groups.append(simulated_set(simulate_drinks(patient(score, number), DRINKS), name))
    real = real_sets(
        folder, every=6 if context.quick else 1, on_drink=lambda done, total: context.on_progress("drinks", done, total)
    )
    groups += [real[group] for group in GROUPS if group in real]
    done = []
    for number, group in enumerate(groups, 1):
        done.append(_measure(group, seed))
        context.on_progress(group.name, number, len(groups))
    if context.out is not None:
        shown = [done[min(2, len(scores) - 1)], *done[len(scores) : len(scores) + 2]]
        draw(shown, context.out / f"{EXPERIMENT.name}.png")
    return summary(done)


def _measure(group: DrinkSet, seed: int) -> DrinkResult:
    begun = time.process_time()
    found = discover(group.drinks, DiscoverySettings(seed=seed))
    took_s = time.process_time() - begun
    kinds = [np.concatenate(each) for each in _frames(found, by_step=False)]
    steps = [np.concatenate(each) for each in _frames(found, by_step=True)]
    scores = {OURS: _score(group, kinds, steps, took_s)}
    tables, number = comparable(group.drinks).tables, len(found.kinds)
    for name in (HMM, MIXTURE):
        begun = time.process_time()
        labels = _baseline(name, tables, number, seed)
        scores[name] = _score(group, labels, labels, time.process_time() - begun)
    return DrinkResult(group, found, scores)


def _baseline(name: str, tables: Sequence[np.ndarray], kinds: int, seed: int) -> list[Ints]:
    if name == HMM:
        return list(fit_hmm(tables, HmmSettings(kinds, seed=seed)).states)
    lengths = [np.zeros(len(each), np.int64) for each in tables]
    together = mixture(ProcedureSet("drinks", tuple(tables), tuple(lengths), kinds, kinds, 1.0), seed)
    return np.split(together, np.cumsum([len(each) for each in tables])[:-1])


def _frames(found: FoundSteps, *, by_step: bool) -> list[list[Ints]]:
    """For each recording its stretches, as frames: kinds, or steps (and kinds outside of the procedure)."""
    out = []
    for recording in found.recordings:
        parts = []
        for span in recording.spans:
            label = span.number if by_step and span.number else 100 + ord(span.kind)
            parts.append(np.full(round(span.length_s * POSTURE_RATE_HZ), label, np.int64))
        out.append(parts)
    return out


def _score(group: DrinkSet, kinds: Sequence[Ints], steps: Sequence[Ints], took_s: float) -> DrinkScore:
    known = [i for i, phases in enumerate(group.phases) if phases is not None]
    truth = [phases for phases in group.phases if phases is not None]
    lengths = [len(each) for each in truth]
    result = structure.evaluate(
        np.concatenate(truth), np.concatenate([kinds[i] for i in known]), sequence_lengths=lengths
    )
    together, named = np.concatenate(truth), np.concatenate([steps[i] for i in known])
    phase_of = {
        step: int(np.bincount(together[named == step], minlength=len(PHASES)).argmax())
        for step in np.unique(named).tolist()
    }
    hits, there, apart, distances = np.zeros(len(PHASES)), np.zeros(len(PHASES)), 0, list[float]()
    for i, phases in zip(known, truth, strict=True):
        edges, borders = (np.flatnonzero(np.diff(each)) + 1 for each in (phases, steps[i]))
        middle_of: dict[int, int] = {}
        for begin, end in pairwise([0, *edges.tolist(), len(phases)]):
            middle_of.setdefault(int(phases[begin]), (begin + end) // 2)
        own = {int(steps[i][middle]) for middle in middle_of.values()}
        apart += len(own) == len(middle_of)
        distances += [float(np.abs(borders - edge).min(initial=len(phases))) / POSTURE_RATE_HZ for edge in edges]
        mine = np.array([phase_of[step] for step in steps[i].tolist()])
        for phase in middle_of:
            either = np.sum((mine == phase) | (phases == phase))
            hits[phase] += np.sum((mine == phase) & (phases == phase)) >= OVERLAP * either
            there[phase] += 1
    shares = tuple(float(each) for each in hits / np.maximum(there, 1))
    return DrinkScore(
        result.tss(),
        result.nmi(),
        result.munkres(),
        shares,
        apart / len(known),
        float(np.median(distances)),
        took_s,
    )


def summary(done: Sequence[DrinkResult]) -> Results:
    claims, figures = list[Claim](), dict[str, FigureValue]()
    for each in done:
        name, ours = each.group.name, each.scores[OURS]
        judged = not name.startswith("fit")
        number = len([phases for phases in each.group.phases if phases is not None])
        others = {method: score.tss for method, score in each.scores.items() if method != OURS}
        said = "; ".join(f"{method} {tss:.3f}" for method, tss in others.items())
        above = ours.tss > max(others.values())
        claims.append(
            Claim(name, "TSS", None, round(ours.tss, 3), above if judged else None, f"{said}; {number} drinks")
        )
        for phase, share in zip(PHASES, ours.found, strict=True):
            beside = ", ".join(
                f"{method} {each.scores[method].found[PHASES.index(phase)]:.2f}" for method in (HMM, MIXTURE)
            )
            met = share >= SMALLEST_SHARE if judged else None
            claims.append(Claim(name, f"{phase}, drinks in which it is found", None, round(share, 3), met, beside))
        beside = ", ".join(f"{method} {each.scores[method].apart:.2f}" for method in (HMM, MIXTURE))
        met = ours.apart >= SMALLEST_SHARE if judged else None
        claims.append(
            Claim(name, "drinks with every phase in a step of its own", None, round(ours.apart, 3), met, beside)
        )
        quick = ours.took_s <= LONGEST_S
        claims.append(Claim(name, "CPU seconds", None, round(ours.took_s, 1), quick if judged else None, "bound 30"))
        figures[f"{name}: NMI"] = "; ".join(f"{m} {s.nmi:.3f}" for m, s in each.scores.items())
        figures[f"{name}: accuracy, one kind a phase"] = "; ".join(
            f"{m} {s.accuracy:.3f}" for m, s in each.scores.items()
        )
        figures[f"{name}: from a true border to the nearest found, median (s)"] = "; ".join(
            f"{m} {s.border_s:.2f}" for m, s in each.scores.items()
        )
        figures[f"{name}: procedure"] = " ".join(step.kind for step in each.found.steps)
        chosen = next((size for size in each.found.tried if size.chosen), None)
        if chosen is not None:
            figures[f"{name}: kinds and slots chosen"] = f"{chosen.kinds}, {chosen.slots}"
    return Results(tuple(claims), figures)


def draw(shown: Sequence[DrinkResult], path: Path) -> None:
    """For each group every drink as two bands: the true phases above, the steps that were found below."""
    plt = pyplot()
    rows = [len(each.group.drinks) for each in shown]
    figure, panels = plt.subplots(len(shown), 1, figsize=(11, 0.36 * sum(rows) + 1.6), dpi=100, height_ratios=rows)
    colours = dict(
        zip(range(len(PHASES)), (COLOURS[7], COLOURS[1], COLOURS[2], COLOURS[3], COLOURS[4], COLOURS[6]), strict=True)
    )
    for panel, each in zip(np.atleast_1d(panels), shown, strict=True):
        names = []
        for row, (drink, phases, recording) in enumerate(
            zip(each.group.drinks, each.group.phases, each.found.recordings, strict=True)
        ):
            names.append(drink.name)
            for begin, end, phase in _runs(phases) if phases is not None else ():
                panel.barh(row - 0.2, end - begin, 0.34, begin, color=colours[phase], edgecolor="white", linewidth=0.4)
            for span in recording.spans:
                begin, end = span.start_s - recording.start_s, span.end_s - recording.start_s
                shade = "#ffffff" if span.number == 0 else ("#dfe5ea", "#c3ced8")[span.number % 2]
                panel.barh(row + 0.17, end - begin, 0.34, begin, color=shade, edgecolor=INK, linewidth=0.4)
                if end - begin > 0.15:
                    panel.text(
                        (begin + end) / 2, row + 0.18, span.kind, ha="center", va="center", fontsize=7, color=INK
                    )
        panel.set_yticks(range(len(names)), names, fontsize=8)
        panel.invert_yaxis()
        panel.set_title(each.group.name, fontsize=10, color=INK, loc="left")
        panel.spines[["top", "right", "left"]].set_visible(False)
    np.atleast_1d(panels)[-1].set_xlabel("seconds", color=INK)
    handles = [plt.Rectangle((0, 0), 1, 1, color=colours[i]) for i in range(len(PHASES))]
    figure.legend(handles, PHASES, ncols=len(PHASES), frameon=False, fontsize=9, loc="upper right")
    figure.suptitle("True phases (above) and steps found (below)", fontsize=10.5, color=INK, x=0.01, ha="left")
    figure.tight_layout(rect=(0, 0, 1, 0.985))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)


def _runs(phases: Ints) -> list[tuple[float, float, int]]:
    edges = [0, *(np.flatnonzero(np.diff(phases)) + 1).tolist(), len(phases)]
    return [(a / POSTURE_RATE_HZ, b / POSTURE_RATE_HZ, int(phases[a])) for a, b in pairwise(edges)]


EXPERIMENT = Experiment(
    "real-steps",
    "Does `discover` find the steps of a drink, in simulated patients and in real people?",
    "Averta et al. 2021 (recordings)",
    "drinking (folder drinking), extra bench",
    "three minutes",
    run,
    {"seed": 0},
    "drinking",
)
