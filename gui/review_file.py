"""Reading and writing session files for the review; without Qt, for a thread of its own.

Each correction is written at once, as one transaction. If another window corrected the session meanwhile, nothing is
written and the session is read again, because corrections refer to the state in which they were made.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rehabcount.bedside.config import Settings
from rehabcount.bedside.counting import count_file
from rehabcount.bedside.discovering import kept_steps
from rehabcount.domain.correction import Correction
from rehabcount.domain.dose import Dose, Plan
from rehabcount.domain.editing import Author, Editing, news, replace_all
from rehabcount.domain.message import Code, Message
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.session_summary import Agreement, Summary
from rehabcount.domain.update import Adjusted, Believing, Context, Event, Gap, Mark, Phase, PhaseName, Update
from rehabcount.engine.summarise import LOOKED_AT, adjusted, agreement, context_of, dose_of, phases_of, summarise
from rehabcount.engine.tally import uncounted
from rehabcount.errors import SessionBusy
from rehabcount.exchange.elan import (
    Labelled,
    OfCounting,
    check_counting,
    is_untouched,
    labelled,
    read_eaf,
    restored,
    write_eaf,
)
from rehabcount.gui.review_state import OtherCounting, ReviewState, Uncounted
from rehabcount.inference.addendum import belief_of
from rehabcount.inference.artifact import Artifact, Opened, open_model
from rehabcount.store.layers import CORRECTED, COUNTED
from rehabcount.store.notes import Counting
from rehabcount.store.session_file import SessionFile


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A session as a review needs it: one counting, and which others there are."""

    path: Path
    summary: Summary
    rig: Rig
    plan: Plan
    counting: int | None
    countings: tuple[Counting, ...]
    editing: Editing
    context: tuple[Context, ...]
    phases: tuple[Phase, ...]
    gaps: tuple[Gap, ...]
    marks: tuple[Mark, ...]
    uncounted: tuple[Uncounted, ...]
    begun_s: float | None  # when counting first began; None: the file has no phases
    labelled: Labelled  # what a file of labels has to fit
    by_hand: tuple[Adjusted, ...]  # task repetitions that the therapist added or removed during the session
    steps_layer: str = ""  # that holds the steps of the exercise
    steps: tuple[Segment, ...] = ()

    @property
    def side(self) -> Side:
        return self.summary.side


def read_review(path: Path, counting: int | None = None) -> Reviewed:
    """The last counting, or the one asked for."""
    with SessionFile.open(path) as session:
        summary = summarise(session, counting)
        number = summary.counting
        updates: list[Update] = list(session.updates(None))
        updates += session.updates(number, *LOOKED_AT) if number is not None else []
        phases = tuple(phases_of(updates))
        context = context_of(updates)
        steps_layer, steps = kept_steps(session)
        return Reviewed(
            path=path,
            summary=summary,
            rig=session.rig,
            plan=summary.dose.plan,
            counting=number,
            countings=session.countings(),
            editing=Editing(
                tuple(update for update in updates if isinstance(update, Event)),
                session.corrections(number) if number is not None else (),
            ),
            context=context,
            phases=phases,
            gaps=tuple(update for update in updates if isinstance(update, Gap)),
            marks=summary.notes,
            uncounted=tuple(
                Uncounted(side, *span) for side in Side for span in uncounted(context, side, summary.length_s)
            ),
            begun_s=next(
                (phase.at_s for phase in phases if phase.name in (PhaseName.COUNTING, PhaseName.ASSISTED)), None
            ),
            labelled=labelled(session),
            by_hand=tuple(update for update in updates if isinstance(update, Adjusted)),
            steps_layer=steps_layer,
            steps=steps,
        )


def read_events(path: Path, counting: int) -> OtherCounting:
    """Another counting, to compare with."""
    with SessionFile.open(path) as session:
        updates = tuple(session.updates(counting, Event, Believing))
    return OtherCounting(
        tuple(update for update in updates if isinstance(update, Event)),
        next((update for update in updates if isinstance(update, Believing)), None),
    )


def recount(path: Path, artifact: Artifact, settings: Settings) -> OtherCounting:
    """That of another recogniser, for comparison. Nothing is written."""
    opened = Opened(open_model(artifact.folder), artifact.sha256)
    belief = belief_of(artifact.card)
    events = count_file(path, opened, settings, keep=False).events
    return OtherCounting(events, Believing(belief) if belief is not None else None)


def keep(path: Path, counting: int | None, before: ReviewState, after: ReviewState) -> None:
    """Writes the corrections that `after` has in addition; SessionBusy if the file was corrected meanwhile."""
    said = news(before.editing, after.editing)
    adjusted_by = after.by_hand[len(before.by_hand) :]
    with SessionFile.annotate(path) as session:
        known = len(session.corrections(counting)) if counting is not None else 0
        by_hand = [*session.updates(None, Adjusted), *(session.updates(counting, Adjusted) if counting else ())]
        if (known, len(by_hand)) != (len(before.editing.corrections), len(before.by_hand)):
            raise SessionBusy(
                Message.of(Code.CORRECTED_MEANWHILE, file=path.name),
                advice=Message.of(Code.DO_LOOK_AGAIN),
            )
        if said and counting is not None:
            session.correct(counting, *said)
        if adjusted_by:
            session.accept(*adjusted_by)


def export_elan(reviewed: Reviewed, editing: Editing, path: Path) -> None:
    layers: dict[str, tuple[Segment, ...]] = {
        COUNTED: tuple(event.segment for event in editing.events),
        CORRECTED: tuple(each.segment for each in editing.standing),
    }
    counting = _shown(reviewed)
    of = OfCounting.of(counting, len(editing.corrections)) if counting is not None else None
    write_eaf(path, layers, reviewed.labelled.session, counting=of)


def _shown(reviewed: Reviewed) -> Counting | None:
    return next((each for each in reviewed.countings if each.number == reviewed.counting), None)


def import_elan(reviewed: Reviewed, editing: Editing, path: Path, author: Author, *, sure: bool) -> Editing:
    """The editing after an annotator's changes in ELAN; events that were not changed there stay as they are."""
    labels = read_eaf(path, reviewed.labelled, sure_of_session=sure)
    counting = _shown(reviewed)
    if counting is not None:
        check_counting(path, labels, counting, sure=sure)
    found = labels.layers
    segments = found.get(CORRECTED) or next(iter(found.values()), ())
    if labels.counting is not None:
        then = Editing(editing.events, editing.corrections[: labels.counting.corrections])
        if is_untouched(segments, [each.segment for each in then.standing]):
            return editing
    exact = restored(segments, [each.segment for each in editing.standing])
    return replace_all(editing, exact, author, "ELAN")


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts: automatic, corrected, and of another counting if one is compared."""

    automatic: Dose
    corrected: Dose
    agreement: Agreement
    compared: Dose | None


def count(reviewed: Reviewed, state: ReviewState) -> Counts:
    plan, side, editing = reviewed.plan, reviewed.side, state.editing
    automatic = dose_of(editing.events, reviewed.context, plan, side)
    events = [each.as_event() for each in editing.standing]
    corrected = adjusted(dose_of(events, reviewed.context, plan, side), state.by_hand)
    by_hand = sum(each.by for each in state.by_hand)
    found = agreement(editing.events, editing.standing, editing.corrections, automatic, corrected, side, by_hand)
    other = _dose_compared(reviewed, state) if state.compared else None
    return Counts(automatic, corrected, found, other)


def _dose_compared(reviewed: Reviewed, state: ReviewState) -> Dose:
    """The dose of the other counting, with its own belief."""
    context: list[Context] = [each for each in reviewed.context if not isinstance(each, Believing)]
    context += [state.compared_by] if state.compared_by is not None else []
    return dose_of(state.compared, context, reviewed.plan, reviewed.side)


def said_about(editing: Editing, number: int) -> tuple[Correction, ...]:
    """Every correction of one event, oldest first."""
    found = []
    added = 0
    for correction in editing.corrections:
        if correction.event is None:
            added += 1
        if (correction.event if correction.event is not None else -added) == number:
            found.append(correction)
    return tuple(found)
