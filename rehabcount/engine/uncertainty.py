"""The uncertainty of a count, from the evidence in the model's card.

An interval is given only if the card has evidence from at least eight real patients of this severity with this rig: a
score called `count ratio` (true over estimated counts, with the limits between which 95 % of people fall). The limits
must describe the differences between people: the confidence interval of a mean over people says nothing about the next
person. Without such evidence the answer is a sentence.

`expected` is the card's measurement on the test people who are most like the patient: of this severity, with this rig.
A patient without a Fugl-Meyer score may belong to either group, and gets the figures of both. They are only a hint,
because the test people may be simulated; the card says so.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from rehabcount.domain.patient import SEVERE_BELOW, Severity
from rehabcount.domain.session_agreement import in_english
from rehabcount.inference.addendum import sessions_of
from rehabcount.inference.card import Evidence, MeasuredScore, ModelCard

COUNT_RATIO = "count ratio"  # name of the score
ERRORS, COUNTED = "AER", "counted / true"  # names of the scores behind `expected`
FEWEST_PEOPLE = 8  # fewer people show too little of the differences between people
UNKNOWN = "accuracy on patients unknown"
# From this AER on a count shows that the arm moved, but not how much: with one movement in four wrong,
# a session of 30 and one of 40 cannot be distinguished.
LITTLE_USE = 0.25
GROUP_NAMES = {Severity.MODERATE: "stroke", Severity.SEVERE: "severe"}  # as the cards call them


@dataclass(frozen=True, slots=True)
class Expected:
    """The scores of one group of test people with the patient's rig."""

    severity: Severity
    errors: MeasuredScore  # for each movement made
    counted: MeasuredScore | None = None  # of the movements made

    @property
    def of_little_use(self) -> bool:
        """Whether the count is no dose: it shows that something was done, not how much."""
        return self.errors.value >= LITTLE_USE

    @property
    def errors_in_100(self) -> int:
        return round(100 * self.errors.value)

    @property
    def counted_of_100(self) -> int | None:
        """How many are counted of a hundred made; None: not measured."""
        return None if self.counted is None else round(100 * self.counted.value)


def expected(card: ModelCard, rig: str, severity: Severity | None) -> tuple[Expected, ...]:
    """The figures of that group; of both if the group is unknown, the weaker arms last. Empty: not measured."""
    groups = tuple(Severity) if severity is None else (severity,)
    found = []
    for group in groups:
        mine = {score.metric: score for score in reversed(card.scores) if _is_on(score, rig, group)}
        if ERRORS in mine:
            found.append(Expected(group, mine[ERRORS], mine.get(COUNTED)))
    return tuple(found) if len(found) == len(groups) else ()


def _is_on(score: MeasuredScore, rig: str, severity: Severity) -> bool:
    """Whether it was measured on single activities of this group with this very rig."""
    return bool(re.fullmatch(rf"(\w+ )?{GROUP_NAMES[severity]} test set \(\d+ people\), {rig} sensors?", score.on))


def group_of(rig: str, severity: Severity) -> str:
    """The text in a score's `on` for patients of one severity with one rig."""
    return f"{Evidence.PATIENTS.value}, {rig} sensors, {severity}"


def interval(card: ModelCard, rig: str, severity: Severity | None, number: int) -> tuple[int, int] | None:
    """The limits of the true count behind a count of `number` for 95 % of such patients; None: unknown."""
    if severity is None or card.evidence is not Evidence.PATIENTS or card.evidence_people < FEWEST_PEOPLE:
        return None
    for score in card.scores:
        known = score.low is not None and score.high is not None
        if known and score.metric == COUNT_RATIO and score.on == group_of(rig, severity):
            return math.floor(number * (score.low or 0.0)), math.ceil(number * (score.high or 0.0))
    return None


def in_words(card: ModelCard, rig: str, severity: Severity | None, number: int) -> str:
    """The interval, or a sentence that there is none and what is known instead."""
    found = interval(card, rig, severity, number)
    if found is not None:
        return f"{found[0]} to {found[1]} for 95 % of such patients"
    agreement = sessions_of(card)
    return f"{_errors(card, rig, severity)}{f'; {in_english(agreement, severity)}' if agreement is not None else ''}"


def _errors(card: ModelCard, rig: str, severity: Severity | None) -> str:
    """The errors in a hundred movements."""
    known = expected(card, rig, severity)
    if not known:
        return UNKNOWN
    on = "simulated ones" if card.evidence is Evidence.SIMULATED else card.evidence.value
    first, last = known[0], known[-1]
    words = f"{UNKNOWN}; on {on} about {first.errors_in_100} errors in 100 movements"
    if last is not first:
        return f"{words}, {last.errors_in_100} with a severely affected arm (Fugl-Meyer below {SEVERE_BELOW})"
    return f"{words}: read the count as a rough sign of activity only" if first.of_little_use else words
