"""Settling a belief: what practice sessions teach, that it removes a bias, and that it is the same each time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rehabcount.domain.belief import EXCLUDED, HELD_AFTER, HELD_BEFORE, STATES, Belief, place_of
from rehabcount.domain.document import from_document, to_document
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.session_agreement import SessionAgreement
from rehabcount.domain.update import Event
from rehabcount.errors import CardInvalid
from rehabcount.inference.addendum import default_belief
from rehabcount.models import believing
from rehabcount.models.believing import Practice

DRINK = ("idle", "reach", "transport", "stabilize", "transport", "reposition")
MISS = ("idle", "reach", "reposition")


def segments(labels: list[str]) -> tuple[Segment, ...]:
    return tuple(Segment(label, Side.RIGHT, float(i), i + 1.0) for i, label in enumerate(labels))


def practice(number: int, *, misses: bool = True) -> Practice:
    """Drinks and missed cups; the recogniser takes half of the hands that draw back for a transport, with little
    confidence."""
    rng = np.random.default_rng(number)
    labels: list[str] = []
    for _ in range(12):
        labels += MISS if misses and rng.random() < 0.4 else DRINK
    events = []
    for i, segment in enumerate(segments(labels)):
        wrong = segment.label == "reposition" and labels[i - 1] == "reach" and rng.random() < 0.5
        sure = float(rng.uniform(0.35, 0.65) if wrong else rng.uniform(0.7, 0.95))
        events.append(Event(i + 1, replace(segment, label="transport" if wrong else segment.label), sure))
    return Practice(f"P{number}", "train", Side.RIGHT, segments(labels), tuple(events))


@pytest.fixture(scope="module")
def sessions() -> list[Practice]:
    return [practice(number) for number in range(15)]


def test_stabilize_before_and_after_the_first_transport_are_two_states() -> None:
    labels = ["reach", "stabilize", "transport", "stabilize", "idle", "stabilize"]
    found = believing.states_of(segments(labels))
    held = [state for state, label in zip(found, labels, strict=True) if label == "stabilize"]
    assert held == [HELD_BEFORE, HELD_AFTER, HELD_BEFORE]
    later = (*segments(["transport"]), Segment("stabilize", Side.RIGHT, 9.0, 10.0))  # after a break: a new cycle
    assert believing.states_of(later)[-1] == HELD_BEFORE


def test_a_belief_says_how_the_recogniser_mistakes_movements(sessions: list[Practice]) -> None:
    belief = believing.fit(sessions)
    reposition, transport = place_of("reposition"), place_of("transport")
    assert 0.05 < belief.named[reposition][transport] < 0.4
    assert belief.named[transport][transport] > 0.95
    wrong, right = belief.confidence[transport]
    assert sum(wrong[:4]) > 0.7  # below .6
    assert sum(right[:4]) < 0.1
    for row in (*belief.follow, *belief.named):
        assert sum(row) == pytest.approx(1.0, abs=0.01)
    assert all(belief.follow[a][b] == 0 for a, b in EXCLUDED)
    assert from_document(Belief, to_document(belief)) == belief


def test_settling_removes_the_bias_in_people_who_took_no_part(sessions: list[Practice]) -> None:
    settled = believing.settle(sessions)
    assert settled.plain.bias > 0.8  # a missed cup in two invents a repetition
    assert abs(settled.believed.bias) < 0.35
    assert settled.believed.mae < settled.plain.mae / 2
    assert settled.believed.sessions == len(sessions)
    assert settled == believing.settle(sessions)
    assert settled.belief.readiness != 1.0


def test_without_mistakes_every_repetition_counts() -> None:
    clear = [practice(number, misses=False) for number in range(10)]
    belief = believing.settle(clear).belief
    assert [believing.repetitions_of(each, belief) for each in clear] == [12] * 10
    assert [believing.true_repetitions(each) for each in clear] == [12] * 10


def test_practice_is_the_same_each_time_and_of_nobody_twice() -> None:
    people = list(believing.drawn(161, (("train", 36), ("healthy-train", 2))))
    assert len({(subject.name, seed) for subject, seed in people}) == 38
    assert [seed for _, seed in people[34:]] == [161, 162, 161, 161]
    with pytest.raises(ValueError, match="no group"):
        list(believing.drawn(1, (("strangers", 1),)))


def test_a_belief_is_kept_beside_a_checkpoint(tmp_path: Path) -> None:
    assert believing.read_belief(tmp_path) is None
    believing.keep(tmp_path / believing.FILE, default_belief())
    assert believing.read_belief(tmp_path) == default_belief()
    assert believing.read_sessions(tmp_path) is None
    (tmp_path / believing.SESSIONS).write_text('{"on": "x", "evidence": "simulated", "groups": [], "sensors": 9}')
    assert believing.read_sessions(tmp_path) == SessionAgreement("x", "simulated", (), 9)
    (tmp_path / believing.FILE).write_text("{}")
    with pytest.raises(CardInvalid, match="belief"):
        believing.read_belief(tmp_path)
    believing.forget(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "broken",
    [
        {"start": (1.0,)},
        {"follow": tuple((1.0,) * len(STATES) for _ in STATES)},
        {"named": tuple((0.0,) * 6 for _ in STATES)},
        {"confidence_edges": (0.5, 0.4)},
        {"length": ()},
        {"readiness": 0.0},
    ],
)
def test_an_impossible_belief_is_refused(broken: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="must"):
        replace(default_belief(), **broken)  # type: ignore[arg-type]
