"""How far a count may be off, as far as anybody knows.

An interval is given only where the model's card holds evidence from at least eight real patients with this rig and of
this severity: a score called `count ratio` (true over estimated counts, with the limits between which 95 % of people
fall). It is the scatter between people that is asked for: how exactly a mean over people is known says nothing about
the next one. Everywhere else the answer is a sentence.

`expected` is what the card measured on the test people who are most like the patient: of this severity, with this rig.
Who has no score may belong to either group, and gets both figures. It is never more than a hint: the test people are
simulated as long as the card says so.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from rehabcount.domain.patient import SEVERE_BELOW, Severity
from rehabcount.inference.card import Evidence, MeasuredScore, ModelCard

COUNT_RATIO = "count ratio"  # name of the score
ERRORS, COUNTED = "AER", "counted / true"  # names of the scores behind `expected`
FEWEST_PEOPLE = 8  # below, the extremes of the next eight people are anybody's guess
UNKNOWN = "accuracy on patients unknown"
# Errors for each movement made, from which a count says that the arm moved, but not how much: with one in four wrong,
# a session of 30 and one of 40 cannot be told apart.
LITTLE_USE = 0.25
GROUP_NAMES = {Severity.MODERATE: "stroke", Severity.SEVERE: "severe"}  # as the cards call them


@dataclass(frozen=True, slots=True)
class Expected:
    """What was measured on one group of test people with the patient's rig."""

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
    """The figures of that group; where nobody knows, of both, the weaker arms last. Empty: not measured."""
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
    """What a score's `on` says about patients of one severity who wear one rig."""
    return f"{Evidence.PATIENTS.value}, {rig} sensors, {severity}"


def interval(card: ModelCard, rig: str, severity: Severity | None, number: int) -> tuple[int, int] | None:
    """Between which true counts a count of `number` lies for 95 % of such patients; None: nobody knows."""
    if severity is None or card.evidence is not Evidence.PATIENTS or card.evidence_people < FEWEST_PEOPLE:
        return None
    for score in card.scores:
        known = score.low is not None and score.high is not None
        if known and score.metric == COUNT_RATIO and score.on == group_of(rig, severity):
            return math.floor(number * (score.low or 0.0)), math.ceil(number * (score.high or 0.0))
    return None


def in_words(card: ModelCard, rig: str, severity: Severity | None, number: int) -> str:
    """The interval, or that there is none and what is known instead."""
    found = interval(card, rig, severity, number)
    if found is not None:
        return f"{found[0]} to {found[1]} for 95 % of such patients"
    known = expected(card, rig, severity)
    if not known:
        return UNKNOWN
    on = "simulated ones" if card.evidence is Evidence.SIMULATED else card.evidence.value
    first, last = known[0], known[-1]
    words = f"{UNKNOWN}; on {on} about {first.errors_in_100} errors in 100 movements"
    if last is not first:
        return f"{words}, {last.errors_in_100} with a severely affected arm (Fugl-Meyer below {SEVERE_BELOW})"
    return f"{words}: read the count as a rough sign of activity only" if first.of_little_use else words
