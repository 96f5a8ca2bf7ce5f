"""The simulated patient against real people, written as tables and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from rehabcount.bench.comparison_picture import draw_comparison
from rehabcount.bench.first_learner import learn
from rehabcount.bench.shortcuts import probe_shortcuts
from rehabcount.bench.simulated_patient import GROUPS, classify, compare
from rehabcount.bench.single_moves import compare_moves
from rehabcount.cli.console import output, progress
from rehabcount.cli.options import PARTS
from rehabcount.simulate.accuracy import angle_errors
from rehabcount.simulate.cohort import make_cohort
from rehabcount.simulate.drawing import draw_drink, draw_trial
from rehabcount.simulate.made_up_picture import draw_made_up
from rehabcount.simulate.recording import simulate_session, simulate_trial
from rehabcount.simulate.statistics import describe

ANGLE_SESSION_MIN = 45.0
ANGLE_SUBJECTS = (5, 38, 47, 70)  # of the cohort: training, test, severe, healthy
DRAWN_SUBJECT = 18  # moderately impaired, right arm
HEAD = (
    "# The simulated patient in numbers",
    "",
    "Written by `rehabcount bench simulated`; [the patient's page](../simulated-patient.md) explains them.",
)


@dataclass(frozen=True, slots=True)
class SimulatedRequest:
    """Which parts of the page to make anew."""

    data: Path  # holds the folders drinking and moca
    out: Path
    only: tuple[str, ...] = ()  # empty: every part
    quick: bool = False  # without the learner and the long sessions
    seed: int = 0

    def __post_init__(self) -> None:
        if unknown := set(self.only) - set(PARTS):
            raise typer.BadParameter(f"{', '.join(sorted(unknown))}: no such part", param_hint="--only")


def measure_simulated(request: SimulatedRequest) -> None:
    out = request.out
    out.mkdir(parents=True, exist_ok=True)
    makers: dict[str, Callable[[], list[str]]] = {
        "cohort": lambda: _cohort(request.seed, every=7 if request.quick else 1),
        "drinks": lambda: _drinks(request.data, out),
        "moves": lambda: _single_moves(request.data),
        "classifier": lambda: _classifier(request.data),
        "shortcuts": lambda: _shortcuts(request.seed),
        "pictures": lambda: _pictures(out, request.seed),
        "learner": lambda: _learner(request.seed),
        "angles": lambda: _angles(request.seed),
    }
    chosen = [
        part
        for part in PARTS
        if part in (request.only or PARTS) and not (request.quick and part in ("learner", "angles"))
    ]
    page = out / "tables.md"
    kept = _kept(page.read_text(encoding="utf-8")) if page.is_file() else {}
    with progress() as bar:
        task = bar.add_task("Measuring", total=len(chosen))
        for part in chosen:
            bar.update(task, description=f"Measuring: {part}")
            kept[PARTS[part]] = makers[part]()
            shown = (title for title in PARTS.values() if kept.get(title))
            lines = [line for title in shown for line in ("", f"## {title}", "", *kept[title])]
            page.write_text("\n".join([*HEAD, *lines]) + "\n", encoding="utf-8")
            bar.advance(task)
    output.print(f"Tables and pictures are in {out}.", highlight=False, markup=False)


def _kept(page: str) -> dict[str, list[str]]:
    """What lies under each title of an earlier page."""
    parts = (part.partition("\n") for part in page.split("\n## ")[1:])
    return {title: body.strip().splitlines() for title, _, body in parts}


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    return lines + [f"| {' | '.join(row)} |" for row in rows]


def _quartiles(values: Iterable[float]) -> str:
    return " / ".join(f"{value:.3g}" for value in values)


def _cohort(seed: int, every: int) -> list[str]:
    rows = []
    for figure in describe(make_cohort(seed), seed, every):
        paper = "" if figure.paper is None else f"{figure.paper:,.2f}"
        deviation = "" if figure.deviation is None else f"{100 * figure.deviation:+.1f} %"
        rows.append([figure.name, f"{figure.ours:,.2f}", paper, deviation])
    return _table(["figure", "ours", "paper", "deviation"], rows)


def _drinks(data: Path, out: Path) -> list[str]:
    fit, test = compare(data, "fit"), compare(data, "test")
    draw_comparison(fit, out / "real-and-simulated.png")
    others = {(row.measure, row.group): row for row in test}
    people = sum(row.real[0] <= others[row.measure, row.group].real[1] <= row.real[2] for row in fit)
    rows = [
        [
            row.measure,
            row.group,
            _quartiles(row.real),
            _quartiles(row.simulated),
            "yes" if row.inside else "**no**",
            _quartiles(others[row.measure, row.group].real),
        ]
        for row in fit
    ]
    lines = _table(
        ["measure", "group", "real, fit", "simulated", "median inside", "real, test"],
        rows,
    )
    counts = [sum(row.inside for row in part) for part in (fit, test)]
    return [
        *lines,
        "",
        f"Simulated medians within the real interquartile range: {counts[0]} of {len(fit)} for the people of the fit,",
        f"{counts[1]} of {len(test)} for those kept for testing. For comparison, the medians of the real test people",
        f"lie within the range of the real fit people in {people} of {len(fit)}.",
    ]


def _single_moves(data: Path) -> list[str]:
    rows = [[label, name, _quartiles(real), _quartiles(ours)] for label, name, real, ours in compare_moves(data)]
    return _table(["movement", "measure", "real", "simulated"], rows)


def _classifier(data: Path) -> list[str]:
    parts: list[tuple[str, ...]] = [GROUPS, *((group,) for group in GROUPS)]
    verdicts = [classify(data, groups=groups) for groups in parts]
    rows = [
        [" and ".join(groups), f"{100 * verdict.accuracy:.1f} %", str(verdict.windows)]
        for groups, verdict in zip(parts, verdicts, strict=True)
    ]
    telling = ", ".join(f"{name} ({area:.2f})" for name, area in verdicts[0].telling[:6])
    lines = _table(["people", "held-out windows right", "windows"], rows)
    return [*lines, "", f"Most telling alone (area under the curve): {telling}."]


def _shortcuts(seed: int) -> list[str]:
    rows = [
        [probe.name, f"{100 * probe.accuracy:.1f} %", f"{100 * probe.chance:.1f} %", f"{100 * probe.gain:+.1f}"]
        for probe in probe_shortcuts(subjects=20, repetitions=2, seed=seed)
    ]
    return _table(["probe", "right", "chance", "points above chance"], rows)


def _pictures(out: Path, seed: int) -> list[str]:
    draw_drink(out / "drink.png", seed)
    draw_drink(out / "drink.gif", seed)
    draw_made_up(out / "made-up.png", seed)
    draw_trial(simulate_trial(make_cohort(seed)[DRAWN_SUBJECT], "drinking", 2, seed), out / "trial.png")
    return []


def _learner(seed: int) -> list[str]:
    rows = [
        [
            score.group,
            str(score.people),
            str(score.trials),
            f"{score.error_rate:.3f}",
            f"{100 * score.frame_accuracy:.1f} %",
        ]
        for score in learn(seed=seed)
    ]
    return _table(["people", "number", "trials", "action error rate", "rows right"], rows)


def _angles(seed: int) -> list[str]:
    cohort = make_cohort(seed)
    chosen = [cohort[i] for i in ANGLE_SUBJECTS]
    errors = [angle_errors(simulate_session(subject, ANGLE_SESSION_MIN, seed)) for subject in chosen]
    both = [_by_name(each) for each in errors]
    columns = ["angle", *(f"{s.name} (score {s.score}, {s.side.value})" for s in chosen)]
    rows = [[name, *(each[name] for each in both)] for name in both[0]]
    lines = _table(columns, rows)
    return [*lines, "", "Two numbers: left and right."]


def _by_name(errors: dict[str, float]) -> dict[str, str]:
    """Left and right in one cell."""
    cells: dict[str, list[str]] = {}
    for name, value in errors.items():
        cells.setdefault(name.replace("left-", "").replace("right-", ""), []).append(f"{value:.1f}")
    return {name: " / ".join(values) for name, values in cells.items()}
