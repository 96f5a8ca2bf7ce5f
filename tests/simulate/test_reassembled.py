"""Tasks put together from the steps of the nine: the nine themselves unchanged, labels, steps, reproducibility."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from rehabcount.domain.arrays import Floats
from rehabcount.domain.rig import Side
from rehabcount.simulate.activities import ACTIVITIES
from rehabcount.simulate.cohort import make_cohort
from rehabcount.simulate.reassembled import KINDS, TASKS, NotedScene, kind_of, simulate_steps
from rehabcount.simulate.recording import Recording, simulate_trial

PATIENT, HEALTHY = make_cohort(0)[20], make_cohort(0)[60]


def same_samples(one: Recording, two: Recording) -> bool:
    def values(recording: Recording) -> list[Floats]:
        return [each for s in recording.samples.values() for each in (s.acc, s.gyr) if each is not None]

    return all(np.array_equal(a, b) for a, b in zip(values(one), values(two), strict=True))


def test_the_nine_are_what_they_are_elsewhere() -> None:
    noted, steps = simulate_steps(PATIENT, "drinking", 2, seed=3)
    plain = simulate_trial(PATIENT, "drinking", 2, seed=3)
    assert noted.name == plain.name
    assert noted.segments == plain.segments
    assert same_samples(noted, plain)
    assert len(steps) == len(plain.of(plain.side))


@pytest.mark.parametrize("task", list(TASKS))
def test_every_task_is_moved_and_labelled(task: str) -> None:
    for subject in (PATIENT, HEALTHY):
        recording, steps = simulate_steps(subject, task, 1)
        segments = recording.of(recording.side)
        assert len(steps) == len(segments) > 8
        for segment, step in zip(segments, steps, strict=True):
            primitive, _, kind = step.partition(" ")
            assert primitive == segment.label
            assert kind in (*KINDS, "")
            assert bool(kind) == (primitive in ("reach", "transport", "stabilize"))
        assert recording.span("activity", task)[1] > recording.span("calibration", "done")[1]
        assert 15 < recording.length_s < 200
        for one, two in pairwise(segments):
            assert two.start_s == pytest.approx(one.end_s, abs=0.05)


def test_the_same_seed_gives_the_same_task() -> None:
    one, two, other = (simulate_steps(PATIENT, "bread", 1, seed) for seed in (4, 4, 5))
    assert one[1] == two[1]
    assert one[0].segments == two[0].segments != other[0].segments
    assert same_samples(one[0], two[0])
    assert not same_samples(one[0], other[0])


def test_tasks_are_known_by_name() -> None:
    assert not set(TASKS) & set(ACTIVITIES)
    with pytest.raises(ValueError, match="task must be one of face wash"):
        simulate_steps(PATIENT, "juggling", 1)


def test_kinds_of_places() -> None:
    scene = NotedScene(PATIENT.body, PATIENT.arms, PATIENT.habits, PATIENT.layout, np.random.default_rng(0))
    layout = PATIENT.layout
    for kind, place in (
        ("table", scene.spot(None, layout.near + 0.1, 0.1, 0.05)),
        ("air", scene.spot(Side.RIGHT, layout.near + 0.02, 0.05, 0.15)),
        ("high", scene.spot(None, layout.shelf_forward, 0.1, 0.7 * layout.shelf[1])),
        ("body", scene.on_body(np.array([0.085, 0.078, 0.0]), Side.RIGHT, 0.035)),
    ):
        assert kind_of(scene, place) == kind
