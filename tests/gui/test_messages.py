"""Every doubt, discard, piece of advice and error is said in both languages, each in its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QApplication

from rehabcount import errors
from rehabcount.bedside.config import load_settings
from rehabcount.domain.message import BLANKS, ENGLISH, Code, Message, blanks_of
from rehabcount.domain.sentences_before import message_of
from rehabcount.exchange.elan import Labelled, read_eaf
from rehabcount.gui.language import install, read_words
from rehabcount.gui.troubles import message_words, words_of
from rehabcount.inference.artifact import SHIPPED, find, verify
from rehabcount.inference.card import ModelCard, read_card
from rehabcount.store.backup import back_up
from rehabcount.store.library import Library
from rehabcount.store.session_file import SessionFile

ROOT = Path(__file__).parents[2]
FOLDERS = ("rehabcount", "gui", "models", "export")
KINDS = sorted(
    {each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.RehabcountError)},
    key=lambda kind: kind.__name__,
)
CARDS = [read_card(path) for path in sorted(SHIPPED.glob("*/card.json"))]
# Words of one language that no sentence of the other has.
ENGLISH_WORDS = re.compile(r"\b(the|is|are|of|and|not|cannot|to|that|it|this|there|no)\b", re.IGNORECASE)
GERMAN_WORDS = re.compile(r"\b(der|die|das|ist|und|nicht|Sie|ein|eine|einen|kein|keine|den|dem|zu)\b")


# What stands in blanks that hold words of ours, in English and in German.
OURS = {
    "place": ("right-hand", "right hand", "Rechte Hand"),
    "places": ("right-hand, c7", "right-hand, c7", "Rechte Hand, Nacken"),
    "arm": ("left", "left", "links"),
    "parts": ("hand, forearm", "hand and the forearm", "Hand, Unterarm"),
    "worn": ("", "none there", "–"),
    "whose": ("DEMO", "Demo patient", "Demo-Patient"),
    "n": ("3.2", "3.2", "3,2"),
    "size": ("3.2", "3.2", "3,2"),
}


def filled(code: Code) -> Message:
    return Message.of(code, **{name: OURS[name][0] if name in OURS else f"<{name}>" for name in BLANKS[code]})


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
        _, english, own = OURS.get(name, (value,) * 3)
        assert str(english) in in_english
        assert str(own) in in_german
    if code is not Code.TEXT:
        assert in_german != in_english
        assert not ENGLISH_WORDS.search(re.sub(r"<\w+>|--\w+", "", in_german)), in_german
        assert not GERMAN_WORDS.search(re.sub(r"<\w+>|--\w+", "", in_english)), in_english


def test_every_code_is_said_somewhere() -> None:
    said: set[str] = set()
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        if path.name not in ("message.py", "sentences_before.py"):
            said.update(re.findall(r"\bCode\.([A-Z_]+)\b", path.read_text(encoding="utf-8")))
    said |= {message_of(text).code.name for card in CARDS for text in sentences_of(card)}
    said.add(Code.TEXT.name)  # made by Message.free
    assert {code.name for code in Code} == said


def sentences_of(card: ModelCard) -> list[str]:
    """What a card says in words, and the parts of the name of its training data."""
    words = [f"{each.removesuffix('.')}." for each in f"{card.intended_use} {card.limits}".split(". ")]
    return words + [part for data in card.training.name.split(" and ") for part in data.split(", ")]


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_shipped_cards_hold_no_sentence_without_a_code(card: ModelCard) -> None:
    unknown = [text for text in sentences_of(card) if message_of(text).code is Code.TEXT]
    assert not unknown


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


@pytest.mark.parametrize("code", Code)
def test_whatever_a_file_holds_in_a_blank_is_shown(code: Code, qapp: QApplication) -> None:
    install(qapp, "de")
    for words in ("..", "1.2.3", "{x}", "hand, foot", ""):
        message_words(Message.of(code, **dict.fromkeys(BLANKS[code], words)))


def raised(tree: ast.AST) -> Iterator[ast.Call]:
    """Calls that make one of our errors."""
    names = {kind.__name__ for kind in KINDS}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            yield node


@pytest.mark.parametrize("folder", FOLDERS)
def test_who_says_by_code_what_happened_says_so_what_to_do(folder: str) -> None:
    """Advice in English words would be missing from the German."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        for call in raised(ast.parse(path.read_text(encoding="utf-8"))):
            advice = [ast.unparse(each.value) for each in call.keywords if each.arg == "advice"]
            if any("Message.of" in ast.unparse(each) for each in call.args):
                assert not [each for each in advice if each.startswith(("'", '"', "f'", 'f"'))], f"{path}:{call.lineno}"


def test_a_store_says_by_code_what_happened() -> None:
    """The window meets all of its errors."""
    for path in sorted((ROOT / "rehabcount" / "store").glob("*.py")):
        for call in raised(ast.parse(path.read_text(encoding="utf-8"))):
            assert not [each for each in call.args if isinstance(each, ast.JoinedStr | ast.Constant)], (
                f"{path}:{call.lineno}"
            )


def refusals(folder: Path) -> Iterator[Callable[[], object]]:
    """What a therapist may meet with files, patients, settings and models."""
    foreign, empty = folder / "song.rehab", folder / "empty.rehab"
    foreign.write_bytes(b"la la la" * 100)
    empty.touch()
    (folder / "settings.toml").write_text("colour = 1", encoding="utf-8")
    (folder / "other.eaf").write_text("<other/>", encoding="utf-8")
    library = Library(folder / "data")
    yield lambda: SessionFile.open(folder / "none.rehab")
    yield lambda: SessionFile.open(foreign)
    yield lambda: SessionFile.open(empty)
    yield lambda: SessionFile.open(folder)
    yield lambda: library.patient("P-9")
    yield lambda: library.delete_patient("P-9", "x")
    yield lambda: back_up(library, folder / "data" / "sessions" / "a.zip")
    yield lambda: load_settings(folder / "settings.toml")
    yield lambda: find("none", [SHIPPED])
    yield lambda: verify(folder)
    yield lambda: read_eaf(folder / "other.eaf", Labelled("a", 1.0))


def test_errors_that_a_window_meets_are_german_in_german(tmp_path: Path, qapp: QApplication) -> None:
    install(qapp, "de")
    for refused in refusals(tmp_path):
        with pytest.raises(errors.RehabcountError) as caught:
            refused()
        assert caught.value.messages, caught.value
        said = re.sub(r"`.*?`|\(rehabcount.*?\)|: rehabcount.*", "", words_of(caught.value).replace(str(tmp_path), ""))
        assert not ENGLISH_WORDS.search(said), said


def test_an_error_that_grows_keeps_its_codes(qapp: QApplication) -> None:
    """What a failing disk costs is said behind what happened, in both languages."""
    full = errors.StoreFull(Message.of(Code.DISK_FULL_GROW, file="a.rehab"), advice=Message.of(Code.DO_MAKE_ROOM_SAFE))
    told = type(full)(*full.what, Message.of(Code.NOT_ON_DISK, n="3.2"), advice=full.what_to_do)
    assert str(told) == "The disk is full; a.rehab cannot grow. 3.2 s of the recording are not on the disk."
    install(qapp, "de")
    assert words_of(told) == (
        "Das Laufwerk ist voll; a.rehab kann nicht wachsen. 3,2 s der Aufzeichnung sind nicht auf der Platte. "
        "Schaffen Sie Platz auf dem Laufwerk. Was vorher aufgezeichnet wurde, ist sicher."
    )
