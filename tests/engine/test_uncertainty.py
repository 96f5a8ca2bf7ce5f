"""An interval only where real patients stand behind it; else a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rehabcount.engine.uncertainty import COUNT_RATIO, UNKNOWN, group_of, in_words, interval
from rehabcount.inference.card import Evidence, Kind, MeasuredScore, ModelCard
from tests.engine.oracle import oracle_card


@pytest.fixture
def card() -> ModelCard:
    score = MeasuredScore(COUNT_RATIO, 1.0, 0.9, 1.15, group_of("five", "mild"))
    return replace(oracle_card(Kind.FRAMES), evidence=Evidence.PATIENTS, evidence_people=8, scores=(score,))


def test_eight_patients_of_this_rig_and_severity_give_an_interval(card: ModelCard) -> None:
    assert interval(card, "five", "mild", 100) == (90, 115)
    assert in_words(card, "five", "mild", 100) == "90 to 115 for 95 % of such patients"


@pytest.mark.parametrize(
    "change",
    [
        {"evidence": Evidence.SIMULATED},
        {"evidence": Evidence.HEALTHY},
        {"evidence_people": 7},
        {"scores": ()},
        {"scores": (MeasuredScore(COUNT_RATIO, 1.0, 0.9, 1.15, group_of("nine", "mild")),)},
        {"scores": (MeasuredScore(COUNT_RATIO, 1.0, 0.9, 1.15, group_of("five", "severe")),)},
        {"scores": (MeasuredScore(COUNT_RATIO, 1.0, None, None, group_of("five", "mild")),)},
        {"scores": (MeasuredScore("AER", 0.2, 0.1, 0.3, group_of("five", "mild")),)},
    ],
)
def test_anything_less_gives_words(card: ModelCard, change: dict[str, object]) -> None:
    assert in_words(replace(card, **change), "five", "mild", 100) == UNKNOWN  # type: ignore[arg-type]
