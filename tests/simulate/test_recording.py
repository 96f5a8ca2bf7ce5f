from __future__ import annotations

import itertools
import time
from dataclasses import replace

import numpy as np
import pytest

from rehabcount.domain.labels import PRODUCT
from rehabcount.domain.rig import Side
from rehabcount.simulate.accuracy import angle_errors
from rehabcount.simulate.cohort import Subject, make_cohort
from rehabcount.simulate.other import EPISODES, LIKE_EXERCISE
from rehabcount.simulate.recording import Recording, frame_labels, simulate_session, simulate_trial


def content(recording: Recording) -> list[bytes]:
    parts = []
    for samples in recording.samples.values():
        assert samples.tick is not None
        assert samples.acc is not None
        assert samples.gyr is not None
        parts += [array.tobytes() for array in (samples.received_ns, samples.tick, samples.acc, samples.gyr)]
    return [*parts, repr(recording.segments).encode(), repr(recording.stretches).encode()]


def test_same_seed_same_bytes(cohort: tuple[Subject, ...]) -> None:
    first = content(simulate_trial(cohort[1], "glasses", 2, 7))
    assert content(simulate_trial(make_cohort(0)[1], "glasses", 2, 7)) == first
    assert content(simulate_trial(cohort[1], "glasses", 3, 7)) != first
    assert content(simulate_trial(cohort[1], "glasses", 2, 8)) != first


def test_a_session_is_not_all_exercise(session: Recording) -> None:
    """At least a third is not exercise, apart from the calibration."""
    for side in Side:
        calibrated = session.span("calibration", "done")[1]
        rest = session.length_s - calibrated
        other = sum(s.end_s - max(s.start_s, calibrated) for s in session.of(side) if s.label == "other")
        assert 1 / 3 <= other / rest < 0.75
    assert {s.name for s in session.stretches if s.kind == "other"} <= set(EPISODES)


def test_every_moment_has_a_label(session: Recording) -> None:
    for side in Side:
        labels = frame_labels(session.of(side), int(session.length_s * 100))
        assert (labels >= 0).all()
        assert set(labels) <= set(range(len(PRODUCT)))


def test_repeats_survive_in_the_events_only(session: Recording) -> None:
    arm = session.of(session.side)
    repeats = sum(a.label == b.label for a, b in itertools.pairwise(arm))
    assert repeats > 0


def test_frame_labels_are_half_open(session: Recording) -> None:
    segment = session.of(Side.RIGHT)[0]
    labels = frame_labels([segment], 2000)
    assert (labels >= 0).sum() == int(np.ceil(segment.end_s * 100 - 1e-9))


def test_the_calibration_prelude_is_there_and_still(session: Recording) -> None:
    start, end = session.span("calibration", "still")
    assert end - start >= 3.0
    hand = session.samples[f"{session.side.value}-hand"]
    rate = session.devices[hand.sensor].rate_hz
    assert hand.gyr is not None
    still = hand.gyr[int((start + 0.6) * rate) : int(end * rate)]
    assert np.degrees(still.std(axis=0)).max() < 4.0  # an impaired arm sways; moving it takes 30 and more
    for name in ("elbow", "forearm"):
        a, b = session.span("calibration", name)
        assert np.degrees(np.abs(hand.gyr[int(a * rate) : int(b * rate)]).max()) > 30


def test_in_the_calibration_everybody_holds_the_palm_down(cohort: tuple[Subject, ...]) -> None:
    """Habits show in the exercise and not in the calibration, which would take them out of what is measured."""
    person = cohort[30]
    turned_in = replace(person, habits=replace(person.habits, swivel=0.4, pronation=-0.6))
    still, drinking = [], []
    for each in (person, turned_in):
        recording = simulate_trial(each, "drinks", 1, 0)
        turn = recording.truth.pronation[recording.side]
        start, end = (round(100 * at) for at in recording.span("calibration", "still"))
        still.append(float(turn[start:end].mean()))
        drinking.append(float(np.median(turn[round(100 * recording.span("calibration", "done")[1]) :])))
    assert still[1] == pytest.approx(still[0], abs=0.02)
    assert drinking[1] == pytest.approx(drinking[0] - 0.6, abs=0.1)


def test_a_session_holds_the_breaks_that_it_was_told_to(cohort: tuple[Subject, ...]) -> None:
    recording = simulate_session(cohort[30], 3.0, seed=4, episodes=LIKE_EXERCISE)
    breaks = {stretch.name for stretch in recording.stretches if stretch.kind == "other"}
    assert breaks
    assert breaks <= set(LIKE_EXERCISE) < set(EPISODES)


def test_the_chain_recovers_the_body_for_six_minutes(session: Recording) -> None:
    errors = angle_errors(session)
    assert inclination_error(errors) < 5.0
    assert errors["elbow flexion"] < 10.0


def inclination_error(errors: dict[str, float]) -> float:
    """RMS over all nine sensors."""
    return float(np.sqrt(np.mean([value**2 for name, value in errors.items() if name.startswith("inclination")])))


@pytest.mark.slow
def test_the_chain_recovers_the_body_for_45_minutes(cohort: tuple[Subject, ...]) -> None:
    """With drift, slip, skin and strap errors: inclination within 5 degrees RMS, elbow flexion within 10."""
    for subject in (cohort[5], cohort[38], cohort[47], cohort[70]):
        errors = angle_errors(simulate_session(subject, 45.0, seed=2))
        assert inclination_error(errors) < 5.0, errors
        assert errors["elbow flexion"] < 10.0, errors


def test_a_hundred_times_faster_than_life(cohort: tuple[Subject, ...]) -> None:
    """Nine sensors; processor time, because the machine may be busy. Measured: about 250."""
    before = time.process_time()
    recording = simulate_session(cohort[30], 3.0, seed=3)
    assert recording.length_s / (time.process_time() - before) > 100


def test_bad_requests_are_refused(cohort: tuple[Subject, ...]) -> None:
    with pytest.raises(ValueError, match="activity"):
        simulate_trial(cohort[0], "juggling", 1)
    with pytest.raises(ValueError, match="minutes"):
        simulate_session(cohort[0], 0.1)


@pytest.mark.parametrize("name", EPISODES)
def test_episodes_leave_the_hands_where_exercise_begins(cohort: tuple[Subject, ...], name: str) -> None:
    from rehabcount.simulate.motion import perform
    from rehabcount.simulate.other import episode
    from rehabcount.simulate.scene import Scene

    subject = cohort[40]
    scene = Scene(subject.body, subject.arms, subject.habits, subject.layout, np.random.default_rng(2))
    episode(scene, name)
    motion = perform(scene)
    assert {segment.label for segment in motion.segments} <= {"other", "idle"}
    assert motion.channels[-1, :4] == pytest.approx(np.zeros(4), abs=0.02)  # back in the chair, facing the table
    for side in Side:
        place = scene.hands[side].posture[:3]
        assert place[1] > subject.layout.table - 0.1


def test_the_prelude_does_not_change_what_follows(cohort: tuple[Subject, ...]) -> None:
    """So that statistics of scripts are statistics of the recordings."""
    alone, after = (simulate_trial(cohort[9], "combing", 1, 0, prelude=prelude, rig="one") for prelude in (False, True))
    start = after.span("activity", "combing")[0]
    labels = [segment.label for segment in after.of(after.side) if segment.start_s >= start - 0.01]
    assert labels == [segment.label for segment in alone.of(alone.side)]
