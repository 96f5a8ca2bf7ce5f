"""Every doubt, discard, piece of advice and error is said in both languages, each in its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QApplication

from rehabcount import errors
from rehabcount.domain.message import BLANKS, ENGLISH, Code, Message, blanks_of
from rehabcount.gui.language import install, read_words
from rehabcount.gui.place_state import called
from rehabcount.gui.troubles import message_words, words_of

ROOT = Path(__file__).parents[2]
FOLDERS = ("rehabcount", "gui", "models", "export")
KINDS = sorted(
    {each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.RehabcountError)},
    key=lambda kind: kind.__name__,
)
# Words of one language that no sentence of the other has.
ENGLISH_WORDS = re.compile(r"\b(the|is|are|of|and|not|cannot|to|that|it|this|there|no)\b", re.IGNORECASE)
GERMAN_WORDS = re.compile(r"\b(der|die|das|ist|und|nicht|Sie|ein|eine|einen|kein|keine|den|dem|zu)\b")


def filled(code: Code) -> Message:
    return Message.of(code, **{name: "right-hand" if name == "place" else f"<{name}>" for name in BLANKS[code]})


@pytest.mark.parametrize("code", Code)
def test_both_languages_say_it(code: Code, qapp: QApplication) -> None:
    german, message = read_words("de").get(code, ""), filled(code)
    assert ENGLISH[code], "no English"
    assert german, "no German"
    assert blanks_of(german) == blanks_of(ENGLISH[code])
    in_english = message_words(message)
    install(qapp, "de")
    in_german = message_words(message)
    for name, value in message.blanks:
        words = "right hand" if name == "place" else str(value)
        assert words in in_english
        assert (called(str(value)) if name == "place" else words) in in_german
    if code is not Code.TEXT:
        assert in_german != in_english
        assert not ENGLISH_WORDS.search(re.sub(r"<\w+>|--\w+", "", in_german)), in_german
        assert not GERMAN_WORDS.search(re.sub(r"<\w+>|--\w+", "", in_english)), in_english


def test_every_code_is_said_somewhere() -> None:
    said: set[str] = set()
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        if path.name not in ("message.py", "sentences_before.py"):
            said.update(re.findall(r"\bCode\.([A-Z_]+)\b", path.read_text(encoding="utf-8")))
    assert {code.name for code in Code} - said == {Code.TEXT.name}  # made by Message.free


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_of_error_has_a_code_of_its_own(kind: type[errors.RehabcountError]) -> None:
    assert kind.code.startswith("error.")
    assert [other for other in KINDS if other.code is kind.code] == [kind]
    assert not BLANKS[kind.code]


def test_an_error_with_codes_is_said_by_them(qapp: QApplication) -> None:
    error = errors.CalibrationError(Message.of(Code.NONE_SENT), advice=Message.of(Code.CHECK_ALL_ON))
    english = "No sensor sent anything. Check that the sensors are on."
    assert (f"{error} {error.advice}", words_of(error)) == (english, english)
    install(qapp, "de")
    assert words_of(error) == "Kein Sensor hat etwas gesendet. Prüfen Sie, ob die Sensoren an sind."


def test_an_error_of_english_words_alone_is_said_by_its_kind(qapp: QApplication) -> None:
    error = errors.DatasetMissing("There is no folder x.", advice="Make it.")
    assert words_of(error) == "There is no folder x. Make it."
    install(qapp, "de")
    assert words_of(error) == "Die Daten sind nicht da. (There is no folder x. Make it.)"


def test_places_and_sensors_are_called_as_everywhere(qapp: QApplication) -> None:
    moved = Message.of(Code.MOVED_IN_POSE, place="right-hand")
    swapped = Message.of(Code.SWAPPED_SHAKEN, one="right-hand", other="watch-3")
    assert message_words(moved).startswith("The right hand moved in the still pose")
    assert message_words(swapped).startswith("Right hand and watch-3 seem to be swapped")
    install(qapp, "de")
    assert message_words(moved).startswith("Rechte Hand: ")
    assert message_words(swapped).startswith("Rechte Hand und watch-3 scheinen vertauscht")
