"""Labels made in ELAN taken into the session."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import typer

from rehabcount.cli.console import errors, output, print_json
from rehabcount.domain import editing
from rehabcount.domain.correction import Correction
from rehabcount.domain.editing import Author, Editing
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event
from rehabcount.errors import ImportRefused, SessionUnsaid
from rehabcount.exchange.elan import (
    Annotations,
    Labelled,
    check_counting,
    is_untouched,
    labelled,
    read_eaf,
    restored,
)
from rehabcount.store.layers import Layer
from rehabcount.store.notes import Counting
from rehabcount.store.session_file import SessionFile


@dataclass(frozen=True, slots=True)
class AnnotateRequest:
    """Which labels go into which session."""

    file: Path  # the session
    labels: Path  # what ELAN saved
    by: str  # who labelled
    tiers: str = "corrected"
    reference: str | None = None  # keep them under this name; None: as corrections
    counting: int | None = None  # to correct, whatever the labels say; None: the last, if they are of it
    sure: bool = False  # they are of this session and of its last counting, although they do not say so
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
            news, kind = _correct(session, segments, found, request), "corrections"
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
        _ask(problem, labels, f"of {file.name}", "--yes")
    return read_eaf(labels, of, sure_of_session=True)


def _ask(problem: SessionUnsaid, labels: Path, whose: str, option: str) -> None:
    """SessionUnsaid unless a person confirms whose the labels are."""
    if not _can_ask():
        raise SessionUnsaid(labels, problem.reason, advice=f"If they are {whose}, say so with {option}.") from problem
    if not typer.confirm(f"{problem}. Are they {whose}?", err=True):
        raise problem


def _can_ask() -> bool:
    return sys.stdin.isatty()


def _correct(session: SessionFile, segments: tuple[Segment, ...], labels: Annotations, request: AnnotateRequest) -> int:
    counting = _counting(session, labels, request)
    number = counting.number
    events = tuple(update for update in session.updates(number) if isinstance(update, Event))
    before = Editing(events, session.corrections(number))
    said = labels.counting
    if said is not None and said.is_of(counting):
        then = Editing(events, before.corrections[: said.corrections])
        if is_untouched(segments, [each.segment for each in then.standing]):
            return 0
        _refuse_to_take_back(before.corrections[said.corrections :], number, request)
    exact = restored(segments, [each.segment for each in before.standing])
    after = editing.replace_all(before, exact, Author(request.by, time.time_ns()), "ELAN")
    news = editing.news(before, after)
    session.correct(number, *news)
    return len(news)


def _counting(session: SessionFile, labels: Annotations, request: AnnotateRequest) -> Counting:
    """The counting to correct: the one that was asked for, or the last if the labels are of it."""
    countings = {each.number: each for each in session.countings()}
    number = request.counting if request.counting is not None else max(countings, default=0)
    if number not in countings:
        raise typer.BadParameter(
            f"there is no such counting; the session has {[*countings] or 'none'}. "
            "--reference keeps labels without one.",
            param_hint="--counting",
        )
    if request.counting is None:
        try:
            check_counting(request.labels, labels, countings[number], sure=request.sure)
        except SessionUnsaid as problem:
            _ask(problem, request.labels, f"of counting {number}", f"--counting {number}")
    return countings[number]


def _refuse_to_take_back(since: tuple[Correction, ...], number: int, request: AnnotateRequest) -> None:
    """The labels know nothing of corrections made since the export, so they would undo them. Those that came from ELAN
    by the same person are in the labels already."""
    others = [each for each in since if (each.who, each.note) != (request.by, "ELAN")]
    if others and request.counting is None:
        raise ImportRefused(
            request.labels,
            f"counting {number} was corrected after these labels were exported, and they would take that back",
            advice=f"Export the session again, or take them as they are with --counting {number}.",
        )
