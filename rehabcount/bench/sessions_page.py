"""The page and the Bland-Altman picture of whole sessions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from rehabcount.bench.experiment import pyplot
from rehabcount.bench.sessions_tables import (
    ALL,
    BOUNDS,
    EVERY_RUN,
    GROUPS,
    REPETITIONS,
    AgreementRow,
    SessionCount,
    agreement_of,
    agreements,
    measures_of,
    of_group,
)

PAGE, PICTURE = "sessions.md", "sessions.png"
COLOURS = dict(zip(GROUPS, ("#0072b2", "#d55e00", "#009e73"), strict=True))
MARKERS = dict(zip(GROUPS, ("o", "s", "^"), strict=True))
PEOPLE = {GROUPS[0]: "stroke patients", GROUPS[1]: "severely affected", GROUPS[2]: "healthy", ALL: "all"}


def write_page(folder: Path, what: str, counted: Sequence[SessionCount], refused: Sequence[str]) -> None:
    """`sessions.md` and `sessions.png` in the folder; `what` names the model and the sessions."""
    folder.mkdir(parents=True, exist_ok=True)
    draw(folder / PICTURE, what, counted)
    spent = [sum(seconds) / 60 for seconds in zip(*((e.simulating_s, e.counting_s) for e in counted), strict=True)]
    lines = [
        "# What the count of a single session is worth",
        "",
        f"Written by `rehabcount bench sessions`. Model {what}. The data are simulated.",
        "",
        *(_worth(counted)),
        "",
        "## Task repetitions",
        "",
        *_table(counted, (REPETITIONS, EVERY_RUN)),
        "",
        "## Bounds",
        "",
        *_bounds(counted),
        "",
        f"![Bland-Altman plot of task repetitions: before and now]({PICTURE})",
        "",
        "## Primitives",
        "",
        *_table(counted, [row.what for row in agreements(counted) if row.what not in (REPETITIONS, EVERY_RUN)]),
        "",
        "## Every session",
        "",
        *_sessions(counted),
        "",
        *(f"Not counted: {each}" for each in refused),
        f"CPU time: {spent[0]:.1f} min of simulating and {spent[1]:.1f} min of counting.",
    ]
    (folder / PAGE).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _worth(counted: Sequence[SessionCount]) -> list[str]:
    return [
        f"- {PEOPLE[group.group]}: {group.within} of {group.sessions} sessions were counted within {group.off} "
        f"repetitions of the true number, which was {group.repetitions:.0f} on average."
        for group in agreement_of(counted, "").groups
    ]


def _table(counted: Sequence[SessionCount], measures: Sequence[str]) -> list[str]:
    lines = [
        "| people | what | sessions | counted of true | bias | MAPE | ICC(A,1) | 95 % limits |",
        "|---|---|---|---|---|---|---|---|",
    ]
    rows = agreements(counted)
    return lines + [_row(row) for what in dict.fromkeys(measures) for row in rows if row.what == what]


def _row(row: AgreementRow) -> str:
    found, icc = row.result, row.result.icc
    return (
        f"| {PEOPLE[row.group]} | {row.what} | {row.sessions} | {row.counted:,} of {row.true:,} "
        f"({100 * (row.counted / max(1, row.true) - 1):+.1f} %) | {found.bias:+.2f} | {found.mape:.1f} % "
        f"| {_spread('{:.3f}', icc.value, icc.low, icc.high)} "
        f"| {_limits(found.lower_limit, found.upper_limit)} |"
    )


def _spread(form: str, value: float, low: float, high: float) -> str:
    if math.isnan(value):
        return "-"
    return form.format(value) + ("" if math.isnan(low) else f" ({form.format(low)} to {form.format(high)})")


def _limits(low: float, high: float) -> str:
    return "-" if math.isnan(low) else f"{100 * (low - 1):+.1f} to {100 * (high - 1):+.1f} %"


def _bounds(counted: Sequence[SessionCount]) -> list[str]:
    lines = ["| people | measure | bound | before | now | met |", "|---|---|---|---|---|---|"]
    for group in (GROUPS[0], ALL):
        now, before = measures_of(counted, group, REPETITIONS), measures_of(counted, group, EVERY_RUN)
        if now is None or before is None:
            continue
        for name, (limit, direction, value) in BOUNDS.items():
            met = value(now) >= limit if direction == "at least" else value(now) <= limit
            lines.append(
                f"| {PEOPLE[group]} | {name} | {direction} {limit:g} | {value(before):.3f} | {value(now):.3f} "
                f"| {'yes' if met else '**no**'} |"
            )
    return lines


def _sessions(counted: Sequence[SessionCount]) -> list[str]:
    lines = ["| person | people | Fugl-Meyer | true | now | before |", "|---|---|---|---|---|---|"]
    return lines + [
        f"| {each.person} | {PEOPLE[each.group]} | {each.score} | {each.true[REPETITIONS]} "
        f"| {each.counted[REPETITIONS]} | {each.counted[EVERY_RUN]} |"
        for each in counted
    ]


def draw(path: Path, what: str, counted: Sequence[SessionCount]) -> None:
    """Difference in percent against the mean, before (every run counted) and now; lines: the limits of all patients
    who are not severely affected."""
    plots = pyplot()
    figure, panels = plots.subplots(1, 2, figsize=(12, 5), dpi=100, sharey=True, facecolor="white")
    for panel, measure, title in zip(panels, (EVERY_RUN, REPETITIONS), ("every run counted", "believed"), strict=True):
        for group in GROUPS:
            mine = of_group(counted, group)
            true = [each.true[REPETITIONS] for each in mine]
            ours = [each.counted[measure] for each in mine]
            mean = [(a + b) / 2 for a, b in zip(true, ours, strict=True)]
            off = [200 * (b - a) / max(1, a + b) for a, b in zip(true, ours, strict=True)]
            panel.plot(mean, off, MARKERS[group], color=COLOURS[group], ms=6, alpha=0.8, label=PEOPLE[group])
        row = measures_of(counted, GROUPS[0], measure)
        if row is not None:
            for value, style in (
                (row.result.ratio, "-"),
                (row.result.lower_limit, "--"),
                (row.result.upper_limit, "--"),
            ):
                panel.axhline(100 * (value - 1), color=COLOURS[GROUPS[0]], ls=style, lw=1.2)
        panel.axhline(0, color="#777777", lw=0.8)
        panel.set_yscale("symlog", linthresh=15)
        panel.set_yticks([-100, -50, -15, -10, -5, 0, 5, 10, 15, 50, 100])
        panel.yaxis.set_major_formatter(plots.FuncFormatter(lambda value, _: f"{value:+.0f}" if value else "0"))
        panel.set_title(title)
        panel.set_xlabel("task repetitions of a session (mean of true and counted)")
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("counted less true, % of the mean")
    panels[0].legend(frameon=False, loc="upper right")
    figure.suptitle(f"{what}; lines: stroke patients, mean ratio and 95 % limits", fontsize=11)
    figure.tight_layout()
    figure.savefig(path)
    plots.close(figure)
