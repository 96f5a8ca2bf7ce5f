"""Reports of sessions: a page for each, and tables."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import typer
from rich.markup import escape

from rehabcount.bedside.config import load_settings
from rehabcount.cli.console import new_table, output, print_json
from rehabcount.domain.session_agreement import in_english
from rehabcount.domain.session_summary import DISCLAIMER, SIMULATED, Summary
from rehabcount.engine.summarise import known_models, summarise
from rehabcount.exchange.report import figures, write_figures, write_sessions
from rehabcount.inference.artifact import SHIPPED
from rehabcount.store.session_file import SessionFile


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """Which sessions, which files, and where."""

    files: tuple[Path, ...]
    out: Path | None = None  # None: beside each file
    pdf: bool = True
    csv: bool = True
    sessions: Path | None = None  # a table with a line for each
    counting: int | None = None  # None: the last that was corrected, else the last
    language: str = "en"  # of the page
    as_json: bool = False

    def __post_init__(self) -> None:
        if self.out is not None and len({file.stem for file in self.files}) < len(self.files):
            raise typer.BadParameter("two files of one name would overwrite each other's report", param_hint="--out")


def write_reports(request: ReportRequest) -> None:
    summaries = [_summary(file, request.counting) for file in request.files]
    written = [
        path for file, each in zip(request.files, summaries, strict=True) for path in _write(file, each, request)
    ]
    if request.sessions is not None:
        write_sessions(request.sessions, summaries)
        written.append(request.sessions)
    if request.as_json:
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


def _write(file: Path, summary: Summary, request: ReportRequest) -> list[Path]:
    """Table and page of one session; returns where they are."""
    folder, written = request.out or file.parent, list[Path]()
    if request.csv:
        written.append(folder / f"{file.stem}.csv")
        write_figures(written[-1], summary)
    if request.pdf:
        from rehabcount.gui.report_page import write_pdf_without_window  # Qt only where a page is wanted

        written.append(folder / f"{file.stem}.pdf")
        write_pdf_without_window(written[-1], summary, request.language)
    return written


def _summary(file: Path, counting: int | None) -> Summary:
    models = known_models((load_settings().models, SHIPPED))
    with SessionFile.open(file) as session:
        try:
            return summarise(session, counting, models)
        except ValueError as problem:
            raise typer.BadParameter(f"{file.name}: {problem}", param_hint="--counting") from problem


def _show(summary: Summary) -> None:
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
        output.print("This session has not been counted yet.", markup=False)
    else:
        model = summary.model
        by = f"Counted by {model.described}.\n{model.accuracy}; {in_english(model.sessions)}." if model else ""
        found = summary.agreement
        output.print(
            f"Events corrected: {found.corrected} ({found.changed} changed, {found.removed} removed, "
            f"{found.added} added).\n{by}",
            markup=False,
            highlight=False,
        )
    notice = f"{SIMULATED} {DISCLAIMER}" if summary.simulated else DISCLAIMER
    output.print(notice, style="dim", markup=False)
