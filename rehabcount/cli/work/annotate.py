"""Labels made in ELAN taken into the session."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import typer

from rehabcount.cli.console import errors, output, print_json
from rehabcount.domain import editing
from rehabcount.domain.editing import Author, Editing
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event
from rehabcount.errors import ImportRefused, SessionUnsaid
from rehabcount.exchange.elan import Annotations, Labelled, labelled, read_eaf, restored
from rehabcount.store.layers import Layer
from rehabcount.store.session_file import SessionFile


@dataclass(frozen=True, slots=True)
class AnnotateRequest:
    """Which labels go into which session."""

    file: Path  # the session
    labels: Path  # what ELAN saved
    by: str  # who labelled
    tiers: str = "corrected"
    reference: str | None = None  # keep them under this name; None: as corrections
    counting: int | None = None  # to correct; None: the last
    sure: bool = False  # they are of this session, although they name none
    as_json: bool = False

    def __post_init__(self) -> None:
        if not self.by:
            raise typer.BadParameter("say who labelled", param_hint="--by")


def take_labels(request: AnnotateRequest) -> None:
    with SessionFile.open(request.file) as session:
        found = _read(request.labels, labelled(session), request.file, request.sure)
    if request.tiers not in found.layers:
        has = ", ".join(repr(name) for name in found.layers) or "none that name an arm"
        said = f"there are no tiers {request.tiers!r}; it has {has}"
        raise ImportRefused(request.labels, said, advice="Name them with --tiers.")
    segments = found.layers[request.tiers]
    with SessionFile.annotate(request.file) as session:
        if request.reference is not None:
            session.add_segments(Layer(request.reference), segments)
            news, kind = len(segments), "reference labels"
        else:
            news, kind = _correct(session, segments, request.by, request.counting), "corrections"
    for name in found.ignored:
        errors.print(f"Tier {name!r} names no arm and was left alone.", style="dim", markup=False, highlight=False)
    if request.as_json:
        print_json({"session": str(request.file), kind.replace(" ", "_"): news, "ignored_tiers": list(found.ignored)})
    else:
        output.print(f"{news} {kind} by {request.by}.", markup=False, highlight=False)


def _read(labels: Path, of: Labelled, file: Path, sure: bool) -> Annotations:
    """The labels. If the file names no session, the user must confirm that it is of this one."""
    try:
        return read_eaf(labels, of, sure_of_session=sure)
    except SessionUnsaid as problem:
        if not _can_ask():
            raise SessionUnsaid(
                labels, problem.reason, advice=f"If they are of {file.name}, say so with --yes."
            ) from problem
        if not typer.confirm(f"{problem}. Are they of {file.name}?", err=True):
            raise
    return read_eaf(labels, of, sure_of_session=True)


def _can_ask() -> bool:
    return sys.stdin.isatty()


def _correct(session: SessionFile, segments: tuple[Segment, ...], by: str, counting: int | None) -> int:
    numbers = [each.number for each in session.countings()]
    number = counting if counting is not None else max(numbers, default=0)
    if number not in numbers:
        raise typer.BadParameter(
            f"there is no such counting; the session has {numbers or 'none'}. --reference keeps labels without one.",
            param_hint="--counting",
        )
    events = tuple(update for update in session.updates(number) if isinstance(update, Event))
    before = Editing(events, session.corrections(number))
    exact = restored(segments, [each.segment for each in before.standing])
    after = editing.replace_all(before, exact, Author(by, time.time_ns()), "ELAN")
    news = editing.news(before, after)
    session.correct(number, *news)
    return len(news)
