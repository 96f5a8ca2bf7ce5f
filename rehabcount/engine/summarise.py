"""A session file -> its Summary: what was done, after corrections, compared with the plan.

Counts come from the same `Tally` as live, from the corrected events and the session's phases. Task repetitions that the
therapist added or removed by hand are included. A session that was not counted has zeros and no model; facts that the
file does not hold stay empty.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rehabcount.domain.corrected import CorrectedEvent, corrected, opinions
from rehabcount.domain.correction import Correction
from rehabcount.domain.dose import ActivityDose, Dose, Plan
from rehabcount.domain.labels import PRIMITIVES
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.session_summary import Agreement, Bin, Compared, Editor, Missing, ModelFacts, Pause, Summary
from rehabcount.domain.update import (
    Adjusted,
    Believing,
    Context,
    Event,
    Gap,
    Mark,
    Phase,
    PhaseName,
    SensorSet,
    Unmarked,
    Update,
)
from rehabcount.engine.tally import Tally
from rehabcount.engine.uncertainty import FEWEST_PEOPLE
from rehabcount.errors import ArtifactError
from rehabcount.inference.addendum import sessions_of
from rehabcount.inference.artifact import candidates, shipped_hashes, verify_card
from rehabcount.inference.card import Evidence, ModelCard
from rehabcount.store.documents import DOSE, MODEL, PATIENT, PLAN, SIMULATION
from rehabcount.store.session_file import SessionFile
from rehabcount.store.trained_arm import side_of

BIN_LENGTHS_S = (
    10.0,
    30.0,
    60.0,
    120.0,
    300.0,
    600.0,
    900.0,
    1800.0,
    3600.0,
)  # bin lengths that are easy to read on an axis
# Without drafts and doses, which are many.
LOOKED_AT = (Event, Gap, Mark, Unmarked, Adjusted, Phase, SensorSet, Believing)
MOST_BINS = 16  # more bars are hard to read
MDC = "mdc95 of task repetitions"  # the score of a card that says how large a change must be


def summarise(
    session: SessionFile, counting: int | None = None, models: Mapping[str, ModelFacts] | None = None
) -> Summary:
    """The summary of a counting, by default of the valid one, if any. `models` are the known models, by hash."""
    countings = {each.number: each for each in session.countings()}
    number = counting if counting is not None else counting_that_holds(session)
    if number is not None and number not in countings:
        raise ValueError(f"counting must be one of {sorted(countings)}, not {number}")
    updates = [*session.updates(None), *(session.updates(number, *LOOKED_AT) if number is not None else ())]
    said = session.corrections(number) if number is not None else ()
    events = [update for update in updates if isinstance(update, Event)]
    phases = phases_of(updates)
    sets = [update for update in updates if isinstance(update, SensorSet)]
    context = context_of(updates)
    rig, plan = session.rig, session.document(PLAN) or Plan()
    owner = session.legible(PATIENT)
    side = side_of(session, number)
    both = {event.segment.side for event in events} | {each.side for each in sets} == set(Side)
    standing = corrected(events, said)
    automatic = dose_of(events, context, plan, side, both_arms=both)
    after = [each.as_event() for each in standing]
    length_s = length_of(session, updates)
    start_s = start_of(phases)
    bin_s = bin_length(length_s - start_s)
    pauses = pauses_in(phases, start_s, length_s)
    about, stretches = session.about(), session.stretches()
    by_hand = [update for update in updates if isinstance(update, Adjusted)]
    dose = adjusted(dose_of(after, context, plan, side, both_arms=both), by_hand)
    return Summary(
        file=session.path.name,
        session=about.get("session", ""),
        patient=owner.code if owner is not None else "",
        begun_utc_ns=stretches[0].utc_ns if stretches else None,
        length_s=length_s,
        start_s=start_s,
        counting_s=time_in((PhaseName.COUNTING,), phases, length_s),
        assisted_s=time_in((PhaseName.ASSISTED,), phases, length_s),
        paused_s=sum(each.end_s - each.start_s for each in pauses),
        pauses=pauses,
        side=side,
        simulated=session.has_document(SIMULATION),
        rig=rig,
        counting=number,
        model=model_of(countings[number].model, session, models or {}) if number is not None else None,
        dose=dose,
        automatic=automatic,
        agreement=agreement(events, standing, said, automatic, dose, side, sum(each.by for each in by_hand)),
        bin_s=bin_s,
        bins=by_hand_in(bins_of(after, context, plan, side, (start_s, length_s), bin_s), by_hand, start_s, bin_s),
        missing=_missing(updates, rig),
        entries=len(said),
        editors=_editors(said),
        notes=marks_of(updates),
        software=countings[number].software if number is not None else about.get("software", ""),
    )


def counting_that_holds(session: SessionFile) -> int | None:
    """The newest counting with corrections, else the newest: a recount must not hide the corrections of people."""
    numbers = [each.number for each in session.countings()]
    said = (number for number in reversed(numbers) if opinions(session.corrections(number)))
    return next(said, numbers[-1] if numbers else None)


def keep_dose(session: SessionFile, summary: Summary) -> bool:
    """Writes the corrected dose into the file, for lists of sessions; True if the file held another one."""
    if session.legible(DOSE) == summary.dose or (not summary.agreement.is_checked and not session.has_document(DOSE)):
        return False
    session.put_document(DOSE, summary.dose)
    return True


def dose_of(
    events: Iterable[Event],
    context: Iterable[Context],
    plan: Plan,
    side: Side,
    *,
    both_arms: bool = False,
) -> Dose:
    """The dose of these events, with these phases and sensor sets."""
    running = _tally(context, plan, side, both_arms=both_arms)
    for event in events:
        running.count(event)
    return running.close()


def counted_numbers(updates: Iterable[Update], side: Side) -> frozenset[int]:
    """The numbers of the events that are in the numbers of the dose; phases and sensor sets may come after them."""
    said = list(updates)
    running = _tally(context_of(said), Plan(), side)
    return frozenset(each.number for each in said if isinstance(each, Event) and running.is_counted(each.segment))


def _tally(context: Iterable[Context], plan: Plan, side: Side, *, both_arms: bool = False) -> Tally:
    running = Tally(plan, side, both_arms)
    for each in context:
        running.follow(each)
    return running


def context_of(updates: Iterable[Update]) -> tuple[Context, ...]:
    """What decides which events of a counting count, and how."""
    said = list(updates)
    return (*phases_of(said), *(update for update in said if isinstance(update, SensorSet | Believing)))


def phases_of(updates: Iterable[Update]) -> list[Phase]:
    """The session's phases in order of time, each once; of several within one millisecond only the last one."""
    said = [update for update in updates if isinstance(update, Phase)]
    last = list(dict.fromkeys(reversed(said)))[::-1]
    return sorted(last, key=lambda phase: phase.at_s)


def marks_of(updates: Iterable[Update]) -> tuple[Mark, ...]:
    """The marks that were not removed, each once, in order of time."""
    marks: list[Mark] = []
    for update in updates:
        if isinstance(update, Mark) and update not in marks:
            marks.append(update)
        elif isinstance(update, Unmarked) and marks:
            marks.pop()
    return tuple(sorted(marks, key=lambda mark: mark.at_s))


def adjusted(dose: Dose, by_hand: Sequence[Adjusted]) -> Dose:
    """The dose with repetitions added and removed by hand; the total stays the sum of the activities."""
    known = {each.name: each for each in dose.activities}
    activities = [known.get(name) or ActivityDose(name, 0) for name in {**known, **{e.activity: None for e in by_hand}}]
    places = {each.name: place for place, each in enumerate(activities)}
    numbers = _changed([each.repetitions for each in activities], [(places[e.activity], e.by) for e in by_hand])
    made = tuple(replace(each, repetitions=number) for each, number in zip(activities, numbers, strict=True))
    return replace(dose, repetitions=sum(numbers), activities=made)


def by_hand_in(bins: tuple[Bin, ...], by_hand: Sequence[Adjusted], start_s: float, bin_s: float) -> tuple[Bin, ...]:
    """The time course with repetitions added and removed by hand."""
    places = [min(max(0, int((each.at_s - start_s) / bin_s)), len(bins) - 1) for each in by_hand]
    changes = [(place, each.by) for place, each in zip(places, by_hand, strict=True)]
    numbers = _changed([each.repetitions for each in bins], changes)
    return tuple(replace(each, repetitions=number) for each, number in zip(bins, numbers, strict=True))


def _changed(numbers: Sequence[int], changes: Iterable[tuple[int, int]]) -> list[int]:
    """The numbers after all changes (place, by). Additions are made first, so that a change and its undoing cancel.

    A removal reduces the number at its place, then the nearest places before, then those after. So the sum changes by
    the sum of all changes, and no number falls below 0."""
    made = list(numbers)
    for place, by in sorted(changes, key=lambda change: change[1] < 0):
        if by > 0:
            made[place] += by
            continue
        left = -by
        for i in (*range(place, -1, -1), *range(place + 1, len(made))):
            off = min(left, made[i])
            made[i] -= off
            left -= off
    return made


def start_of(phases: Sequence[Phase]) -> float:
    """When counting began; 0 for a recording without phases, which counts throughout, or without Start."""
    return next((phase.at_s for phase in phases if phase.name in (PhaseName.COUNTING, PhaseName.ASSISTED)), 0.0)


def spans_of(names: Sequence[PhaseName], phases: Sequence[Phase], length_s: float) -> list[tuple[float, float]]:
    """When the session was in phases of these names, one span for each phase."""
    ends = [*(phase.at_s for phase in phases[1:]), length_s][: len(phases)]
    spans = [(phase.at_s, min(end, length_s)) for phase, end in zip(phases, ends, strict=True) if phase.name in names]
    return [(start_s, end_s) for start_s, end_s in spans if end_s > start_s]


def time_in(names: Sequence[PhaseName], phases: Sequence[Phase], length_s: float) -> float:
    """Seconds spent in phases of these names; a recording without phases counts throughout."""
    if not phases:
        return length_s if PhaseName.COUNTING in names else 0.0
    return sum(end_s - start_s for start_s, end_s in spans_of(names, phases, length_s))


def pauses_in(phases: Sequence[Phase], start_s: float, length_s: float) -> tuple[Pause, ...]:
    """The pauses since Start."""
    spans = spans_of((PhaseName.PAUSED,), phases, length_s)
    return tuple(Pause(begun_s - start_s, end_s - start_s) for begun_s, end_s in spans if begun_s >= start_s)


def bin_length(length_s: float) -> float:
    """The shortest readable length that gives no more than MOST_BINS bars."""
    return next((each for each in BIN_LENGTHS_S if length_s / each <= MOST_BINS), BIN_LENGTHS_S[-1])


def bins_of(
    events: Sequence[Event],
    context: Iterable[Context],
    plan: Plan,
    side: Side,
    span: tuple[float, float],
    bin_s: float,
) -> tuple[Bin, ...]:
    """The time course from Start to the end (`span`, of the record). An event belongs to the bin of its middle; a
    repetition to that of the event at which it was counted."""
    begun_s, length_s = span[0], span[1] - span[0]
    number = max(1, math.ceil(length_s / bin_s - 1e-9))
    repetitions, assisted, primitives, active_s = ([0.0] * number for _ in range(4))
    running = _tally(context, plan, side)
    before, at = running.dose(), 0
    for event in (*events, None):
        dose = running.count(event) if event is not None else running.close()
        if event is not None:
            middle_s = (event.segment.start_s + event.segment.end_s) / 2 - begun_s
            at = min(max(0, int(middle_s / bin_s)), number - 1)
        repetitions[at] += dose.repetitions - before.repetitions
        assisted[at] += dose.assisted_repetitions - before.assisted_repetitions
        primitives[at] += primitives_in(dose, side) - primitives_in(before, side)
        active_s[at] += dose.active_s - before.active_s
        before = dose
    return tuple(
        Bin(
            i * bin_s,
            min((i + 1) * bin_s, length_s) if length_s > 0 else bin_s,
            int(repetitions[i]),
            int(assisted[i]),
            int(primitives[i]),
            round(active_s[i], 3),
        )
        for i in range(number)
    )


def primitives_in(dose: Dose, side: Side) -> int:
    """Counted primitives of one arm, unassisted; idle is time, not a count."""
    return sum(count.number for count in dose.counts if count.side is side and PRIMITIVES[count.label].counted)


def agreement(
    events: Sequence[Event],
    standing: Sequence[CorrectedEvent],
    said: Sequence[Correction],
    automatic: Dose,
    dose: Dose,
    side: Side,
    by_hand: int = 0,
) -> Agreement:
    """The automatic count beside the corrected one."""

    def number(of: Dose, label: str) -> int:
        return sum(count.number for count in of.counts if count.side is side and count.label == label)

    stands = {each.number: each for each in standing}
    kept = sum(event.number in stands and not stands[event.number].is_changed for event in events)
    removed = sum(event.number not in stands for event in events)
    return Agreement(
        repetitions=Compared("", automatic.repetitions, dose.repetitions),
        primitives=tuple(
            Compared(label.name, number(automatic, label.name), number(dose, label.name)) for label in PRIMITIVES.labels
        ),
        kept=kept,
        changed=len(events) - kept - removed,
        removed=removed,
        added=sum(each.automatic is None for each in standing),
        opinions=opinions(said),
        by_hand=by_hand,
    )


def known_models(folders: Iterable[Path]) -> dict[str, ModelFacts]:
    """The facts from the cards of the artifacts in these folders, by hash. Broken artifacts are left out."""
    found = {}
    for folder in folders:
        for each in candidates(folder):
            with contextlib.suppress(ArtifactError):
                artifact = verify_card(each)
                found[artifact.sha256] = facts_of(artifact.card, artifact.sha256)
    return found


def facts_of(card: ModelCard, sha256: str) -> ModelFacts:
    """A card in short. It has a smallest detectable change only if that was measured on enough real patients."""
    enough = card.evidence is Evidence.PATIENTS and card.evidence_people >= FEWEST_PEOPLE
    measured = (score.value for score in card.scores if score.metric == MDC and enough)
    return ModelFacts(
        sha256,
        card.name,
        card.version,
        card.evidence.value,
        card.evidence_people,
        sha256 in shipped_hashes(),
        next(measured, None),
        sessions_of(card),
    )


def model_of(sha256: str, session: SessionFile, known: Mapping[str, ModelFacts]) -> ModelFacts:
    """The facts from the artifact's card, or else from the newest document of the file about that artifact."""
    if sha256 in known:
        return known[sha256]
    for version in reversed(session.document_versions(MODEL)):
        if version.content.sha256 == sha256:
            return replace(version.content, is_shipped=sha256 in shipped_hashes())
    return ModelFacts(sha256, is_shipped=sha256 in shipped_hashes())


def length_of(session: SessionFile, updates: Sequence[Update]) -> float:
    """From the first packet to the last; without packets, to the end of the last event."""
    recorded = session.length_s()
    ends = [update.segment.end_s for update in updates if isinstance(update, Event)]
    return recorded if recorded > 0 else max(ends, default=0.0)


def _missing(updates: Sequence[Update], rig: Rig) -> tuple[Missing, ...]:
    gaps = [update for update in updates if isinstance(update, Gap)]
    names = dict.fromkeys([*rig.names, *(gap.sensor for gap in gaps)])
    found = ([gap for gap in gaps if gap.sensor == name] for name in names)
    return tuple(
        Missing(mine[0].sensor, len(mine), round(sum(gap.end_s - gap.start_s for gap in mine), 3))
        for mine in found
        if mine
    )


def _editors(said: Sequence[Correction]) -> tuple[Editor, ...]:
    return tuple(
        Editor(who, len(mine), max(each.at_utc_ns for each in mine))
        for who in dict.fromkeys(each.who for each in said)
        if (mine := [each for each in said if each.who == who])
    )
