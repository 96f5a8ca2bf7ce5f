"""The model's card is said in plain words, and in German without English where its words are known."""

from __future__ import annotations

import re

import pytest
from PyQt6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from rehabcount.gui import language
from rehabcount.gui.about import AboutScreen
from rehabcount.gui.card_words import free_words, measured_rows, people_words, worn_words
from rehabcount.gui.desk import Desk
from rehabcount.inference.card import MeasuredScore

ON = "simulated stroke test set (8 people), five sensors"


def test_a_row_holds_what_was_measured_on_the_same_people_and_rig() -> None:
    whole = "whole sessions, simulated stroke test set (8 people)"
    rows = measured_rows(
        [
            MeasuredScore("AER", 0.14, 0.11, 0.17, ON),
            MeasuredScore("counted / true", 1.02, None, None, ON),
            MeasuredScore("edit score", 89.0, None, None, ON),
            MeasuredScore("AER", 0.2, None, None, whole),
            MeasuredScore("false counts an hour out of task", 34.0, 20.0, 50.0, f"{whole}, 0.77 h out of task"),
        ]
    )
    assert [(row.people, row.worn) for row in rows] == [
        ("8 simulated people after stroke", "5 sensors"),
        ("8 simulated people after stroke", "whole sessions, with the pauses"),
    ]
    assert rows[0].errors is not None
    assert rows[0].errors.value == 0.14
    assert rows[1].false_per_hour is not None
    assert rows[1].counted is None


@pytest.mark.parametrize(
    ("on", "people", "worn"),
    [
        ("simulated healthy test set (4 people), one sensor", "4 simulated healthy people", "1 sensor"),
        (
            "simulated severe test set (8 people), three (forearm, upper-arm, thorax) sensors",
            "8 simulated people with a severely affected arm",
            "3 sensors: forearm, upper arm, breastbone or neck",
        ),
        ("simulated stroke test set (8 people), one lost sensor", "8 simulated people after stroke",
         "one of all sensors lost"),
        ("simulated further stroke test set (80 people), nine sensors", "80 further simulated people after stroke",
         "9 sensors"),
        ("forty surgeons", "forty surgeons", ""),
    ],
)  # fmt: skip
def test_people_and_rigs_in_words(on: str, people: str, worn: str) -> None:
    assert (people_words(on), worn_words(on)) == (people, worn)


def test_free_text_that_is_not_known_says_that_it_is_english(qapp: QApplication) -> None:
    text = "Trained and scored on simulated people only. Knows nothing."
    assert free_words(text) == text
    language.install(qapp, "de")
    assert free_words(text).endswith("Knows nothing. (auf der Karte englisch)")
    assert free_words("Between exercises it makes about 34 false counts an hour.").startswith("Zwischen")


def test_the_shipped_card_is_german_in_german(qtbot: QtBot, desk: Desk, qapp: QApplication) -> None:
    language.install(qapp, "de")
    about = AboutScreen(desk)
    qtbot.addWidget(about)
    about.entered(None)
    typed = re.compile(r"rehabcount (simulate|models).*")  # what made it, and what shows the rest
    said = [typed.sub("", label.text()) for label in about.findChildren(QLabel)]
    words = "\n".join(each for each in said if not each.endswith("(auf der Karte englisch)"))
    assert "simulierte Menschen nach Schlaganfall" in words
    assert not re.search(r"\b(simulated|people|sensors|counted|only|missed)\b", words)
