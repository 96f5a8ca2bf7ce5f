"""What went wrong and what to do about it, in the window's language.

Doubts, advice and errors are messages: a code, and what stands in the blanks of its sentence. English is their own; in
another language each code has a sentence in `languages/*/messages.ts`. An error that was raised with English words
alone is said by the sentence of its kind, with those words behind it.
"""

from __future__ import annotations

from rehabcount.domain.message import Message
from rehabcount.errors import RehabcountError
from rehabcount.gui.language import speaks_source, tr
from rehabcount.gui.place_state import called


def message_words(message: Message) -> str:
    """A message; sensors are called as everywhere in the window, and so are places but inside an English sentence."""
    if speaks_source():
        return message.in_english(sensor=called)
    return message.said(tr(message.code), place=called, sensor=called)


def words_of(error: RehabcountError) -> str:
    """What happened, and what can be done."""
    in_english = f"{error} {error.advice}".strip()
    if speaks_source():
        return in_english
    if error.messages:
        return " ".join(message_words(each) for each in error.messages)
    return f"{message_words(Message.of(error.code))} ({in_english})"
