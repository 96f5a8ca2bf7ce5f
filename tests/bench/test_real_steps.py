"""The bench on steps of a drink: true phases, scores of made-up results, and real drinks where they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rehabcount.bench import real_steps
from rehabcount.bench.real_steps import HMM, MIXTURE, OURS, DrinkResult, DrinkScore
from rehabcount.bench.steps_data import (
    PHASES,
    DrinkSet,
    borders_of_labels,
    borders_of_peaks,
    real_sets,
    simulated_set,
)
from rehabcount.domain.arrays import Ints
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.steps import FoundSteps
from rehabcount.models.steps_input import Channels, Demonstration
from rehabcount.signals.posture import Posture
from rehabcount.simulate.repeated_drinks import patient, simulate_drinks

TRUE = np.repeat([0, 1, 2, 3, 4, 5, 0], [5, 8, 9, 4, 10, 7, 6])


def drink_set(*phases: Ints | None) -> DrinkSet:
    nothing = Channels(0.0, 10.0, ("x",), np.zeros((len(TRUE), 1)))
    return DrinkSet("test made-up", tuple(Demonstration(str(i), nothing) for i in range(len(phases))), phases)


def test_borders_of_labelled_and_of_recorded_drinks() -> None:
    words = "idle 1, reach 1, transport 2, stabilize 0.5, transport 2, idle 0.5, reposition 1, idle 1"
    segments, at_s = list[Segment](), 0.0
    for word in words.split(", "):
        label, length = word.split()
        segments.append(Segment(label, Side.RIGHT, at_s, at_s + float(length)))
        at_s += float(length)
    assert borders_of_labels(segments) == [1.0, 2.0, 4.0, 4.5, 7.0, 8.0]
    found = {"reach": (100, 200), "to mouth": (220, 400), "back": (440, 640), "reposition": (700, 800)}
    assert borders_of_peaks(found) == [0.5, 1.1, 2.0, 2.2, 3.5, 4.0]
    assert borders_of_peaks(None) is None


def test_a_perfect_result_scores_one_whatever_steps_are_called() -> None:
    group = drink_set(TRUE, None, TRUE)
    named = (TRUE * 7 + 3) % 50
    score = real_steps._score(group, [named] * 3, [named] * 3, 1.0)
    assert (score.tss, score.nmi, score.accuracy) == pytest.approx((1.0, 1.0, 1.0))
    assert score.found == (1.0,) * len(PHASES)
    assert (score.apart, score.border_s) == (1.0, 0.0)


def test_a_phase_that_is_joined_with_another_is_not_found() -> None:
    joined = np.where(TRUE == 3, 2, TRUE)  # the drink is part of the way to the mouth
    score = real_steps._score(drink_set(TRUE), [joined], [joined], 1.0)
    assert score.found == (1.0, 1.0, 1.0, 0.0, 1.0, 1.0)
    assert score.apart == 0.0
    assert 0.5 < score.tss < 1.0


def test_a_phase_that_a_drink_lacks_is_not_asked_for() -> None:
    turned = np.where(TRUE == 3, 4, TRUE)  # back from the mouth at once
    score = real_steps._score(drink_set(TRUE, turned), [TRUE, turned], [TRUE, turned], 1.0)
    assert score.found == (1.0,) * len(PHASES)
    assert score.apart == 1.0


def test_a_drink_of_a_simulated_patient_has_all_phases() -> None:
    group = simulated_set(simulate_drinks(patient(50, 2), 2, rig="three"), "two")
    assert len(group.drinks) == 2
    for drink, phases in zip(group.drinks, group.phases, strict=True):
        assert isinstance(drink.measured, Posture)
        assert phases is not None
        assert len(drink.measured) == len(phases)
        order = phases[np.flatnonzero(np.diff(phases, prepend=-1))]
        assert order.tolist() == [0, 1, 2, 3, 4, 5, 0]


def test_claims_judge_the_test_half_and_others_are_shown() -> None:
    nothing = FoundSteps((), (), (), (), 1.0)
    good = DrinkScore(0.8, 0.7, 0.7, (1.0,) * 5 + (0.5,), 0.9, 0.1, 3.0)
    poor = DrinkScore(0.6, 0.4, 0.5, (0.2,) * 6, 0.0, 0.2, 1.0)
    scores = {OURS: good, HMM: poor, MIXTURE: poor}
    tested = DrinkResult(drink_set(TRUE), nothing, scores)
    fitted = DrinkResult(
        DrinkSet("fit made-up", *(getattr(drink_set(TRUE), n) for n in ("drinks", "phases"))), nothing, scores
    )
    claims = real_steps.summary([tested, fitted]).claims
    judged = {claim.name: claim.match for claim in claims if claim.where == "test made-up"}
    assert judged["TSS"] is True
    assert judged["return, drinks in which it is found"] is False
    assert judged["drinks with every phase in a step of its own"] is True
    assert all(claim.match is None for claim in claims if claim.where == "fit made-up")


def test_real_drinks_in_four_groups(data_folder: Path) -> None:
    groups = real_sets(data_folder, every=20)
    assert sum(len(each.drinks) for each in groups.values()) == 3
    for group in groups.values():
        for drink, phases in zip(group.drinks, group.phases, strict=True):
            assert isinstance(drink.measured, Posture)
            assert drink.measured.worn == ("forearm", "upper-arm", "thorax")
            assert phases is None or {0, 1, 2, 4, 5} <= set(phases.tolist()) <= set(range(6))
