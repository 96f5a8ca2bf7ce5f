"""How far a count may be off, as far as anybody knows.

An interval is given only where the model's card holds evidence from at least eight real patients with this rig and of
this severity: a score called `count ratio` (true over estimated counts, with the limits between which 95 % of people
fall). It is the scatter between people that is asked for: how exactly a mean over people is known says nothing about
the next one. Everywhere else the answer is a sentence.
"""

from __future__ import annotations

import math

from rehabcount.inference.card import Evidence, ModelCard

COUNT_RATIO = "count ratio"  # name of the score
FEWEST_PEOPLE = 8  # below, the extremes of the next eight people are anybody's guess
UNKNOWN = "accuracy on patients unknown"


def group_of(rig: str, severity: str) -> str:
    """What a score's `on` says about patients of one severity who wear one rig."""
    return f"{Evidence.PATIENTS.value}, {rig} sensors, {severity}"


def interval(card: ModelCard, rig: str, severity: str, number: int) -> tuple[int, int] | None:
    """Between which true counts a count of `number` lies for 95 % of such patients; None: nobody knows."""
    if card.evidence is not Evidence.PATIENTS or card.evidence_people < FEWEST_PEOPLE:
        return None
    for score in card.scores:
        known = score.low is not None and score.high is not None
        if known and score.metric == COUNT_RATIO and score.on == group_of(rig, severity):
            return math.floor(number * (score.low or 0.0)), math.ceil(number * (score.high or 0.0))
    return None


def in_words(card: ModelCard, rig: str, severity: str, number: int) -> str:
    """The interval, or that there is none."""
    found = interval(card, rig, severity, number)
    return UNKNOWN if found is None else f"{found[0]} to {found[1]} for 95 % of such patients"
