"""Errors and advice are said in the window's language, and nothing that names a file or a sensor is lost."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QApplication

from rehabcount import errors
from rehabcount.gui import language
from rehabcount.gui.troubles import _sentences, advice_words, words_of

ROOT = Path(__file__).parents[2]


def test_english_is_said_as_it_is() -> None:
    assert words_of(errors.StoreFull("a.rehab cannot grow.", advice="Make room.")) == "a.rehab cannot grow. Make room."


def test_another_language_says_what_kind_it_is_and_keeps_the_names(qapp: QApplication) -> None:
    language.install(qapp, "de")
    words = words_of(errors.StoreFull("a.rehab cannot grow.", advice="Make room."))
    assert words.startswith("Das Laufwerk ist voll.")
    assert "a.rehab" in words


def test_every_kind_of_error_that_a_window_meets_has_a_sentence() -> None:
    kinds = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)]
    not_met = (errors.RehabcountError, errors.DatasetError, errors.MissingExtra, errors.InputRefused)
    unsaid = [kind for kind in kinds if not set(kind.__mro__) & set(_sentences()) and not issubclass(kind, not_met[1:])]
    assert unsaid == [errors.RehabcountError]


@pytest.mark.parametrize(
    ("advice", "words"),
    [
        (
            "The right hand moved in the still pose; hold it still for 3 seconds and repeat.",
            "Right hand: moved in the still pose. Hold it still for 3 seconds.",
        ),
        (
            "right-hand and right-forearm seem to be swapped (because); exchange them, then repeat.",
            "Right hand and Right forearm seem to be swapped. Exchange them, then repeat.",
        ),
        ("Something nobody knew.", "Something nobody knew."),
    ],
)
def test_advice_calls_places_as_the_window_does(advice: str, words: str) -> None:
    assert advice_words(advice) == words


def filled_in(sentence: ast.JoinedStr) -> str:
    """An f-string with a movement or a place wherever something is filled in."""
    return "".join(
        str(part.value)
        if isinstance(part, ast.Constant)
        else "Bend the elbow"
        if ast.unparse(part.value) == "verb"  # type: ignore[attr-defined]  # a FormattedValue
        else "right-hand"
        for part in sentence.values
    )


@pytest.mark.parametrize("module", ["calibration", "placement"])
def test_every_advice_of_the_calibration_is_known(module: str) -> None:
    tree = ast.parse((ROOT / "rehabcount" / "signals" / f"{module}.py").read_text(encoding="utf-8"))
    said = [filled_in(node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    sentences = [sentence for sentence in said if sentence.endswith(".")]
    assert len(sentences) >= 2
    for sentence in sentences:
        assert advice_words(sentence) != sentence


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (errors.SessionCorrupt("a-1.rehab breaks off after 12 bytes."), "(a-1.rehab)"),
        (errors.SessionMissing("There is no file /data/x/a.rehab."), "(/data/x/a.rehab)"),
        (errors.SessionBusy("a.rehab is being recorded.", advice="End the session first."), "a.rehab wird gerade"),
        (errors.PatientExists("There is a patient P-7 already."), "vergeben"),
        (errors.SensorLost("The link was lost."), "Sensor"),
    ],
)
def test_no_english_is_left_in_another_language(qapp: QApplication, error: errors.RehabcountError, words: str) -> None:
    language.install(qapp, "de")
    said = words_of(error)
    assert words in said
    for english in (" is ", " the ", "There", "after", "patient "):
        assert english not in said


def test_what_nobody_knows_is_said_as_it_is(qapp: QApplication) -> None:
    language.install(qapp, "de")
    assert words_of(errors.RehabcountError("Odd.", advice="Ask.")) == "Etwas ist schiefgegangen: Odd. Ask."
