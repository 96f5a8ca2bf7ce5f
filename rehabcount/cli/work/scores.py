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
from rehabcount.models import card_scores
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


def draw_delay(runs: Sequence[Path], out: Path, title: str) -> None:
    draw_curves({run.name: read_curve(run) for run in runs}, out, title)
    output.print(f"{out} is drawn.", markup=False, soft_wrap=True)
