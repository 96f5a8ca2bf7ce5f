"""A model's card in plain words: its scores by group of people, their meaning for one patient, and its free text in the
window's language.

The scores of a card (`models/card_scores.py`) are named for a machine to find. `measured_rows` makes a table of the two
that matter at the bedside, errors and counts for every hundred movements; `models explain` prints all of them. Free
text is English; sentences that are known are translated, others stay and say so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rehabcount.domain.message import Code
from rehabcount.domain.patient import SEVERE_BELOW, Severity
from rehabcount.domain.sentences_before import message_of
from rehabcount.engine.uncertainty import COUNTED, ERRORS, Expected, expected
from rehabcount.gui.language import plural, speaks_source, tr
from rehabcount.gui.place_state import part_name
from rehabcount.gui.troubles import message_words
from rehabcount.inference.card import Evidence, MeasuredScore, ModelCard

FALSE = "false counts an hour out of task"
FAR_OFF = 25  # of 100 movements that are not counted, or counted too often: then the sum is off, too
WHOLE = "whole sessions, "
# How models/card_scores.py names people and sensors.
PEOPLE = re.compile(r"simulated (?P<who>stroke|further stroke|severe|healthy) test set \((?P<number>\d+) people\)")
THREE = re.compile(r"three \((?P<parts>.+)\) sensors")
NUMBERS = {"nine": 9, "five": 5, "three": 3, "one": 1}


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """How well the model did with these people wearing these sensors; None: not measured."""

    people: str
    worn: str
    errors: MeasuredScore | None
    counted: MeasuredScore | None
    false_per_hour: MeasuredScore | None = None
    stands_for: str = ""  # which patients


def measured_rows(scores: Sequence[MeasuredScore]) -> list[MeasuredRow]:
    """One row for each group of people and rig, in the card's order; empty if the card has none of these scores."""
    by_place: dict[str, dict[str, MeasuredScore]] = {}
    for score in scores:
        place = score.on.rpartition(", ")[0] if score.metric == FALSE else score.on  # its hours are its own
        by_place.setdefault(place, {})[score.metric] = score
    return [
        MeasuredRow(
            people_words(place),
            worn_words(place),
            found.get(ERRORS),
            found.get(COUNTED),
            found.get(FALSE),
            group_words(place),
        )
        for place, found in by_place.items()
        if ERRORS in found
    ]


@dataclass(frozen=True, slots=True)
class Worth:
    """The accuracy of a count for one patient, and a warning if it is of little use."""

    figure: str = ""
    warning: str = ""


def worth_of(card: ModelCard | None, rig: str, severity: Severity | None) -> Worth:
    """In words, for a patient of this severity (None: not known) who wears this rig; empty if it was not measured."""
    known = expected(card, rig, severity) if card is not None else ()
    if card is None or not known:
        return Worth()
    first, last = known[0], known[-1]
    if last is first:
        if first.of_little_use:
            return Worth(tr("Measured on {people}.").format(people=people_words(first.errors.on)), _warning(first))
        words = tr("About {n} errors in 100 movements, measured on {people}.")
        return Worth(words.format(n=first.errors_in_100, people=people_words(first.errors.on)))
    words = tr(
        "About {n} errors in 100 movements with a mildly or moderately affected arm, about {more} with a severely "
        "affected one (Fugl-Meyer below {score})."
    )
    figure = words.format(n=first.errors_in_100, more=last.errors_in_100, score=SEVERE_BELOW)
    if card.evidence is Evidence.SIMULATED:
        figure += " " + tr("Measured on simulated people.")
    unknown = tr("Enter the Fugl-Meyer score: severely affected arms are counted poorly.")
    return Worth(figure, unknown if last.of_little_use else "")


def _warning(found: Expected) -> str:
    """Why the count is of little use."""
    words = (
        tr("For arms this weak, about {n} in 100 movements are missed or counted wrongly.")
        if found.severity is Severity.SEVERE
        else tr("With this model and these sensors, about {n} in 100 movements are missed or counted wrongly.")
    )
    said = [words.format(n=found.errors_in_100)]
    if found.counted_of_100 is not None and abs(found.counted_of_100 - 100) > FAR_OFF:
        said.append(tr("For 100 movements made it counts about {n}.").format(n=found.counted_of_100))
    return " ".join([*said, tr("Read the count as a rough sign of activity only.")])


def group_words(on: str) -> str:
    """Which patients those people stand for, by their score; empty where none can be told."""
    people = on.removeprefix(WHOLE)
    if " severe test set" in people:
        return tr("for patients with Fugl-Meyer below {score}").format(score=SEVERE_BELOW)
    if " stroke test set" in people:
        return tr("for patients with Fugl-Meyer {score} or more").format(score=SEVERE_BELOW)
    return ""


def people_words(on: str) -> str:
    """On whom a score was measured."""
    found = PEOPLE.match(on.removeprefix(WHOLE))
    if found is None:
        return on
    known = {
        "stroke": tr("{n} simulated people after stroke"),
        "further stroke": tr("{n} further simulated people after stroke"),
        "severe": tr("{n} simulated people with a severely affected arm"),
        "healthy": tr("{n} simulated healthy people"),
    }
    return known[found["who"]].format(n=found["number"])


def worn_words(on: str) -> str:
    """With which sensors it was measured."""
    if on.startswith(WHOLE):
        return tr("whole sessions, with the pauses")
    worn = on.partition("), ")[2]
    if worn == "one lost sensor":
        return tr("one of all sensors lost")
    if found := THREE.fullmatch(worn):
        return tr("3 sensors: {parts}").format(parts=", ".join(_part(each) for each in found["parts"].split(", ")))
    number = NUMBERS.get(worn.removesuffix("s").removesuffix(" sensor"))
    return worn if number is None else plural(number, "{n} sensor", "{n} sensors")


def _part(name: str) -> str:
    try:
        return part_name(name)
    except ValueError:
        return name


def training_words(name: str) -> str:
    """What a model was trained on; several sets are joined by "and"."""
    sets = [[message_words(message_of(part)) for part in each.split(", ")] for each in name.split(" and ")]
    return " + ".join(", ".join(parts) for parts in sets)


def free_words(text: str) -> str:
    """A card's free text; what is not known in the window's language stays English."""
    said = [message_of(sentence.removesuffix(".") + ".") for sentence in text.split(". ") if sentence.strip()]
    words = " ".join(map(message_words, said))
    is_known = all(each.code is not Code.TEXT for each in said)
    return words if speaks_source() or is_known else tr("{words} (English on the card)").format(words=words)
