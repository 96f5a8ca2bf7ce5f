"""An interval only where real patients stand behind it; else a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rehabcount.domain.patient import Severity, severity_of
from rehabcount.domain.session_agreement import SessionAgreement, SessionGroup, in_english
from rehabcount.engine.uncertainty import COUNT_RATIO, UNKNOWN, expected, group_of, in_words, interval
from rehabcount.inference.artifact import SHIPPED, find
from rehabcount.inference.card import Evidence, Kind, MeasuredScore, ModelCard
from tests.engine.oracle import oracle_card

AGREEMENT = SessionAgreement(
    "x", "simulated", (SessionGroup("stroke", 30, 29, 3, 60.0), SessionGroup("severe", 10, 10, 20, 30.0)), 9
)


@pytest.fixture
def card() -> ModelCard:
    score = MeasuredScore(COUNT_RATIO, 1.0, 0.9, 1.15, group_of("five", Severity.MODERATE))
    return replace(oracle_card(Kind.FRAMES), evidence=Evidence.PATIENTS, evidence_people=8, scores=(score,))


def test_eight_patients_of_this_rig_and_severity_give_an_interval(card: ModelCard) -> None:
    assert interval(card, "five", Severity.MODERATE, 100) == (90, 115)
    assert in_words(card, "five", Severity.MODERATE, 100) == "90 to 115 for 95 % of such patients"


@pytest.mark.parametrize(
    "change",
    [
        {"evidence": Evidence.SIMULATED},
        {"evidence": Evidence.HEALTHY},
        {"evidence_people": 7},
        {"scores": ()},
        {"scores": (MeasuredScore(COUNT_RATIO, 1.0, 0.9, 1.15, group_of("nine", Severity.MODERATE)),)},
        {"scores": (MeasuredScore(COUNT_RATIO, 1.0, 0.9, 1.15, group_of("five", Severity.SEVERE)),)},
        {"scores": (MeasuredScore(COUNT_RATIO, 1.0, None, None, group_of("five", Severity.MODERATE)),)},
        {"scores": (MeasuredScore("AER", 0.2, 0.1, 0.3, group_of("five", Severity.MODERATE)),)},
    ],
)
def test_anything_less_gives_words(card: ModelCard, change: dict[str, object]) -> None:
    assert in_words(replace(card, **change), "five", Severity.MODERATE, 100) == UNKNOWN  # type: ignore[arg-type]


# -- what is known of people like this patient ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "severity"),
    [(None, None), (0, Severity.SEVERE), (25, Severity.SEVERE), (26, Severity.MODERATE), (66, Severity.MODERATE)],
)
def test_the_score_says_which_group_a_patient_is_like(score: int | None, severity: Severity | None) -> None:
    assert severity_of(score) is severity


def test_a_weak_arm_gets_the_figures_of_weak_arms_with_this_rig() -> None:
    """The shipped card: with five sensors 11 errors in 100 on stroke patients, 56 on severe ones; with one 70."""
    card = find("stream", [SHIPPED]).card
    (strong,) = expected(card, "five", Severity.MODERATE)
    (weak,) = expected(card, "five", Severity.SEVERE)
    (weakest,) = expected(card, "one", Severity.SEVERE)
    assert [each.errors_in_100 for each in (strong, weak, weakest)] == [11, 56, 70]
    assert [each.of_little_use for each in (strong, weak, weakest)] == [False, True, True]
    assert weakest.counted_of_100 == 45
    either = expected(card, "five", None)
    assert either == (strong, weak)


def test_a_rig_that_was_not_measured_has_no_figures() -> None:
    card = find("stream", [SHIPPED]).card
    assert expected(card, "seven", Severity.SEVERE) == ()
    half = replace(card, scores=tuple(score for score in card.scores if "severe" not in score.on))
    assert expected(half, "five", None) == ()  # half of an answer would be the better half
    assert in_words(replace(half, version="0"), "five", None, 10) == UNKNOWN


@pytest.mark.parametrize(
    ("severity", "words"),
    [
        (Severity.MODERATE, "on simulated ones about 11 errors in 100 movements"),
        (
            Severity.SEVERE,
            "on simulated ones about 56 errors in 100 movements: read the count as a rough sign of activity only",
        ),
        (
            None,
            "on simulated ones about 11 errors in 100 movements, 56 with a severely affected arm (Fugl-Meyer below 26)",
        ),
    ],
)
def test_the_board_says_what_to_expect_of_this_patient(severity: Severity | None, words: str) -> None:
    card = replace(find("stream", [SHIPPED]).card, version="0")  # of which no sessions were measured
    assert in_words(card, "five", severity, 0) == f"{UNKNOWN}; {words}"
    measured = replace(card, sessions=AGREEMENT)
    clause = in_english(AGREEMENT, severity)
    assert in_words(measured, "five", severity, 0) == f"{UNKNOWN}; {words}; {clause}"
    assert ("of 30 sessions" in clause) is (severity is not Severity.SEVERE)
    assert ("of 10 sessions" in clause) is (severity is not Severity.MODERATE)
