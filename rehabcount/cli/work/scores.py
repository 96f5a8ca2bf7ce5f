"""How well models do: measured on test people, and drawn against delay. Only a checkpoint needs torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rehabcount.bench.delay_picture import draw_curves, read_curve
from rehabcount.cli.console import new_table, output, print_json, progress
from rehabcount.cli.work.models import model_folders
from rehabcount.domain.document import to_document
from rehabcount.inference.artifact import find, open_model
from rehabcount.metrics.agreement import AgreementResult
from rehabcount.models import believing, card_scores
from rehabcount.models.sources import open_data
from rehabcount.models.torch_extra import require_torch


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """Which model to measure, on whom."""

    model: str  # a checkpoint.pt, or a model by name, hash or folder
    data: Path
    further: tuple[Path, ...] = ()  # the stroke patients among their test people
    every: int = 1  # one in so many single activities
    page: Path | None = None
    folder: Path | None = None  # of models
    as_json: bool = False


def score_model(request: ScoreRequest) -> None:
    """The scores of a checkpoint are kept beside it."""
    checkpoint = Path(request.model) if request.model.endswith(".pt") else None
    if checkpoint is not None:
        require_torch()
        recognise = card_scores.checkpoint_recogniser(checkpoint)
    else:
        folder = find(request.model, model_folders(request.folder)).folder
        recognise = card_scores.artifact_recogniser(open_model(folder))
    with progress() as bar:
        task = bar.add_task("Scoring", total=None)
        report = card_scores.measure(
            open_data(request.data),
            recognise,
            every=request.every,
            further=[open_data(each) for each in request.further],
            on_progress=lambda what, done, total: bar.update(task, description=what, completed=done, total=total),
        )
    if checkpoint is not None:
        card_scores.keep(checkpoint.parent, report)
    if request.as_json:
        print_json(to_document(report))
        return
    header, *rows = card_scores.table(report.scores)
    title = f"{request.model} on {report.name}"
    if request.page is not None:
        lines = [f"# {title}", "", f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
        text = "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
        request.page.write_text(text + "\n", encoding="utf-8")
    shown = new_table(title, *header)
    for row in rows:
        shown.add_row(*row)
    output.print(shown)


@dataclass(frozen=True, slots=True)
class BelieveRequest:
    """Which model's belief to settle, and on whom."""

    model: str  # a checkpoint.pt, or a model by name, hash or folder
    seed: int = 161
    people: int = sum(number for _, number in believing.GROUPS)
    minutes: float = 20.0
    out: Path | None = None
    folder: Path | None = None  # of models
    as_json: bool = False

    def groups(self) -> tuple[tuple[str, int], ...]:
        """The groups' shares of that many people."""
        whole = sum(number for _, number in believing.GROUPS)
        rest = [(group, number * self.people // whole) for group, number in believing.GROUPS[1:]]
        first = believing.GROUPS[0][0]
        return ((first, self.people - sum(number for _, number in rest)), *rest)


def settle_belief(request: BelieveRequest) -> None:
    """Of a checkpoint the belief is kept beside it."""
    checkpoint = Path(request.model) if request.model.endswith(".pt") else None
    if checkpoint is not None:
        require_torch()
        recognise = believing.checkpoint_events(checkpoint)
    else:
        found = find(request.model, model_folders(request.folder))
        recognise = believing.artifact_events(open_model(found.folder))
    with progress() as bar:
        task = bar.add_task("Simulating sessions", total=None)
        sessions = list(
            believing.practise(
                recognise,
                request.seed,
                request.minutes,
                request.groups(),
                lambda done, total: bar.update(task, completed=done, total=total),
            )
        )
        settled = believing.settle(sessions)
    kept = [path for path in (request.out, checkpoint and checkpoint.parent / believing.FILE) if path is not None]
    for path in kept:
        believing.keep(path, settled.belief)
    if request.as_json:
        print_json(to_document(settled))
        return
    table = new_table("Task repetitions of people who took no part", "", *AGREEMENT)
    for name, result in (("every run counted", settled.plain), ("believed", settled.believed)):
        table.add_row(name, *agreement_cells(result))
    output.print(table)
    for path in kept:
        output.print(f"{path} is written.", markup=False, soft_wrap=True)


AGREEMENT = ("sessions", "bias", "MAPE", "ICC(A,1)", "95 % of sessions")


def agreement_cells(result: AgreementResult) -> tuple[str, ...]:
    icc = result.icc
    return (
        str(result.sessions),
        f"{result.bias:+.2f}",
        f"{result.mape:.1f} %",
        f"{icc.value:.3f} ({icc.low:.3f} to {icc.high:.3f})",
        f"{100 * (result.lower_limit - 1):+.1f} to {100 * (result.upper_limit - 1):+.1f} %",
    )


def draw_delay(runs: Sequence[Path], out: Path, title: str) -> None:
    draw_curves({run.name: read_curve(run) for run in runs}, out, title)
    output.print(f"{out} is drawn.", markup=False, soft_wrap=True)
