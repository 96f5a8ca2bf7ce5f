"""Problems and advice in the window's language.

Doubts, advice and errors are messages: a code, and the values of the blanks in its sentence. The English sentences are
in `domain/message.py`, those of other languages in `languages/*/messages.ts`. An error that was raised with English
text only is shown by the sentence of its class, followed by that text.
"""

from __future__ import annotations

from collections.abc import Callable

from rehabcount.domain.message import Called, Message
from rehabcount.domain.rig import BodyPart
from rehabcount.errors import RehabcountError
from rehabcount.gui.language import decimal, patient_name, side_name, speaks_source, tr
from rehabcount.gui.place_state import called, part_name

NAMES: Called = {"sensor": called, "one": called, "other": called, "whose": patient_name}


def _each(called_so: Callable[[str], str]) -> Callable[[str], str]:
    """The same for several words, separated by commas; a dash for none."""
    return lambda words: ", ".join(called_so(each) for each in words.split(", ") if each) or "–"


def _number(text: str) -> str:
    try:
        return decimal(float(text)) if "." in text else text
    except ValueError:  # a session file may hold any words there
        return text


def _part(text: str) -> str:
    return part_name(text) if text in list(BodyPart) else text


SAID_IN_BLANKS: Called = {
    **NAMES,
    "n": _number,
    "size": _number,
    "place": called,
    "places": _each(called),
    "arm": side_name,
    "parts": _each(_part),
    "worn": _each(_part),
}


def message_words(message: Message) -> str:
    """A message; sensors, places and numbers in it are said as everywhere in the window."""
    if speaks_source():
        return message.in_english(NAMES)
    return message.said(tr(message.code), SAID_IN_BLANKS)


def words_of(error: RehabcountError) -> str:
    """The problem, and the advice."""
    in_english = f"{error} {error.advice}".strip()
    if speaks_source():
        return in_english
    if error.messages:
        return " ".join(message_words(each) for each in error.messages)
    return f"{message_words(Message.of(error.code))} ({in_english})"
