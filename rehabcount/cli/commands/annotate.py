"""`rehabcount annotate`: what people labelled in ELAN goes back into the session."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rehabcount.cli.console import errors, output, print_json
from rehabcount.errors import ImportRefused, SessionUnsaid

if TYPE_CHECKING:
    from rehabcount.domain.sequence import Segment
    from rehabcount.exchange.elan import Annotations, Labelled
    from rehabcount.store.session_file import SessionFile


def annotate(
    file: Annotated[Path, typer.Argument(help="The session file.", metavar="SESSION")],
    labels: Annotated[Path, typer.Argument(help="What ELAN saved.", metavar="FILE.eaf")],
    by: Annotated[str, typer.Option(help="Initials or role of who labelled.", metavar="WHO")],
    tiers: Annotated[
        str, typer.Option(help="Which tiers: `corrected` for corrected left and corrected right.", metavar="NAME")
    ] = "corrected",
    reference: Annotated[
        str | None, typer.Option(help="Keep them as reference labels of this name, not as corrections.", metavar="NAME")
    ] = None,
    counting: Annotated[int | None, typer.Option(help="Which counting to correct. Default: the last.", min=1)] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="The labels are of this session, although FILE.eaf does not say so.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Take labels that were made in ELAN into a session, as corrections of its count or as reference labels.

    The recogniser's events stay as they are; what differs becomes a correction with your initials and the time. Events
    that were not touched in ELAN are not touched here. Labels that were exported from another session are refused; a
    file that does not say where it came from is asked about.

    Example: `rehabcount annotate monday.rehab monday.eaf --by AB`
    """
    from rehabcount.exchange.elan import labelled
    from rehabcount.store.layers import Layer
    from rehabcount.store.session_file import SessionFile

    if not by.strip():
        raise typer.BadParameter("say who labelled", param_hint="--by")
    with SessionFile.open(file) as session:
        found = _read(labels, labelled(session), file, yes)
    if tiers not in found.layers:
        has = ", ".join(repr(name) for name in found.layers) or "none that name an arm"
        raise ImportRefused(labels, f"there are no tiers {tiers!r}; it has {has}", advice="Name them with --tiers.")
    with SessionFile.annotate(file) as session:
        if reference is not None:
            session.add_segments(Layer(reference), found.layers[tiers])
            news, kind = len(found.layers[tiers]), "reference labels"
        else:
            news, kind = _correct(session, found.layers[tiers], by.strip(), counting), "corrections"
    for name in found.ignored:
        errors.print(f"Tier {name!r} names no arm and was left alone.", style="dim", markup=False, highlight=False)
    if as_json:
        print_json({"session": str(file), kind.replace(" ", "_"): news, "ignored_tiers": list(found.ignored)})
    else:
        output.print(f"{news} {kind} by {by.strip()}.", markup=False, highlight=False)


def _read(labels: Path, of: Labelled, file: Path, sure: bool) -> Annotations:
    """The labels. Whether a file that names no session is of this one is for a person to say."""
    from rehabcount.exchange.elan import read_eaf

    try:
        return read_eaf(labels, of, sure_of_session=sure)
    except SessionUnsaid as problem:
        if not _somebody_is_there():
            raise SessionUnsaid(
                labels, problem.reason, advice=f"If they are of {file.name}, say so with --yes."
            ) from problem
        if not typer.confirm(f"{problem}. Are they of {file.name}?", err=True):
            raise
    return read_eaf(labels, of, sure_of_session=True)


def _somebody_is_there() -> bool:
    return sys.stdin.isatty()


def _correct(session: SessionFile, segments: tuple[Segment, ...], by: str, counting: int | None) -> int:
    from rehabcount.domain import editing
    from rehabcount.domain.editing import Author, Editing
    from rehabcount.domain.update import Event
    from rehabcount.exchange.elan import restored

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
