"""`rehabcount report`: a session on one page, and as tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rehabcount.cli.console import new_table, output, print_json

if TYPE_CHECKING:
    from rehabcount.domain.session_summary import Summary


def report(
    files: Annotated[list[Path], typer.Argument(help="Session files.", metavar="FILE...")],
    out: Annotated[Path | None, typer.Option(help="Folder for what is written. Default: beside each FILE.")] = None,
    pdf: Annotated[bool, typer.Option(help="Write the page to print, NAME.pdf.")] = True,
    csv: Annotated[bool, typer.Option(help="Write every figure of the session, NAME.csv.")] = True,
    sessions: Annotated[
        Path | None, typer.Option(help="Write one line for each session into this table too.", metavar="TABLE.csv")
    ] = None,
    counting: Annotated[
        int | None,
        typer.Option(help="Which counting. Default: the last that somebody corrected, else the last.", min=1),
    ] = None,
    language: Annotated[str, typer.Option(help="Of the page: en or de.")] = "en",
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as one JSON document.")] = False,
) -> None:
    """Write a session's report: one page that prints well in grey, and the same figures as a table.

    Counts are those after people's corrections; the automatic ones stand beside them.

    Example: `rehabcount report monday.rehab --out reports --sessions reports/all.csv`
    """
    from dataclasses import asdict

    from rehabcount.exchange.report import figures, write_figures, write_sessions

    if out is not None and len({file.stem for file in files}) < len(files):
        raise typer.BadParameter("two files of one name would overwrite each other's report", param_hint="--out")
    summaries = [_summary(file, counting) for file in files]
    written: list[Path] = []
    for file, summary in zip(files, summaries, strict=True):
        folder = out or file.parent
        if csv:
            written.append(folder / f"{file.stem}.csv")
            write_figures(written[-1], summary)
        if pdf:
            from rehabcount.gui.report_page import write_pdf_without_window

            written.append(folder / f"{file.stem}.pdf")
            write_pdf_without_window(written[-1], summary, language)
    if sessions is not None:
        write_sessions(sessions, summaries)
        written.append(sessions)
    if as_json:
        print_json(
            {
                "written": [str(path) for path in written],
                "sessions": [
                    {"file": summary.file, "figures": [asdict(row) for row in figures(summary)]}
                    for summary in summaries
                ],
            }
        )
        return
    for summary in summaries:
        _show(summary)
    for path in written:
        output.print(f"Wrote {path}", markup=False, highlight=False)


def _summary(file: Path, counting: int | None) -> Summary:
    from rehabcount.bedside.config import load_settings
    from rehabcount.engine.summarise import known_models, summarise
    from rehabcount.inference.artifact import SHIPPED
    from rehabcount.store.session_file import SessionFile

    models = known_models((load_settings().models, SHIPPED))
    with SessionFile.open(file) as session:
        try:
            return summarise(session, counting, models)
        except ValueError as problem:
            raise typer.BadParameter(f"{file.name}: {problem}", param_hint="--counting") from problem


def _show(summary: Summary) -> None:
    from rich.markup import escape

    from rehabcount.domain.session_summary import DISCLAIMER, SIMULATED

    dose = summary.dose
    table = new_table(f"{summary.file}: {summary.patient or 'patient not said'}", "", "corrected", "automatic")
    table.add_row("task repetitions", str(dose.repetitions), str(summary.automatic.repetitions))
    if dose.of_plan is not None:
        table.add_row("of the plan", f"{dose.of_plan} of {dose.plan.target}", "")
    for each in summary.agreement.primitives:
        table.add_row(escape(each.label), str(each.corrected), str(each.automatic))
    table.add_row("active minutes", f"{dose.active_s / 60:.1f}", f"{summary.automatic.active_s / 60:.1f}")
    output.print(table)
    if summary.counting is None:
        output.print("Nobody has counted this session yet.", markup=False)
    else:
        model = summary.model
        by = f"Counted by {model.described}.\n{model.accuracy}." if model else ""
        found = summary.agreement
        output.print(
            f"Events corrected: {found.corrected} ({found.changed} changed, {found.removed} removed, "
            f"{found.added} added).\n{by}",
            markup=False,
            highlight=False,
        )
    notice = f"{SIMULATED} {DISCLAIMER}" if summary.simulated else DISCLAIMER
    output.print(notice, style="dim", markup=False)
