"""Taught exercises: what is taught is counted, once and soon; what is something else is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rehabcount.domain.document import from_document, to_document
from rehabcount.domain.motion import Rows
from rehabcount.domain.rig import Side
from rehabcount.domain.taught import Clarity, TaughtExercise, TaughtExercises
from rehabcount.engine.taught import RepetitionStage, repetitions_in, teach
from rehabcount.errors import InputRefused
from rehabcount.signals.features import BEDSIDE
from tests.repeated_motion import CURL, TURN, Shape, angles, blocks_of, rows_of_angles

LATEST_S = 0.7  # after the true end


def shown(shape: Shape = CURL, number: int = 5, length_s: float = 2.0, name: str = "curl") -> TaughtExercise:
    rows = rows_of_angles(angles(shape, [length_s] * number))
    return teach(rows, number, name=name, side=Side.RIGHT)


def unequal(number: int, seed: int = 3) -> list[float]:
    return [float(each) for each in np.random.default_rng(seed).uniform(1.6, 2.6, number)]


@pytest.fixture(scope="module")
def curl() -> TaughtExercise:
    return shown()


def test_repetitions_of_unequal_lengths_are_counted(curl: TaughtExercise) -> None:
    assert curl.clarity is Clarity.CLEAR
    lengths = unequal(20)
    found = repetitions_in([rows_of_angles(angles(CURL, lengths), 1)], [curl])
    assert len(found) == 20
    assert [each.number for each in found] == list(range(1, 21))
    ends = np.cumsum(lengths)
    assert np.abs(np.array([each.end_s for each in found]) - ends).max() < 0.35
    assert all(each.similarity > 0.8 and 0.7 < each.amplitude < 1.4 for each in found)
    assert all(each.smoothness is not None and each.smoothness < 0 for each in found)
    assert all(each.lean_rad is None for each in found)  # no sensor on the trunk


@pytest.mark.parametrize("size", [1, 7, 10, 333])
def test_the_size_of_blocks_changes_nothing(curl: TaughtExercise, size: int) -> None:
    rows = rows_of_angles(angles(CURL, [*unequal(6), -3.0, *unequal(5)]), 2)
    assert repetitions_in(blocks_of(rows, size), [curl]) == repetitions_in([rows], [curl])


def test_a_repetition_is_said_soon_after_its_end(curl: TaughtExercise) -> None:
    lengths = [-2.0, *unequal(10)]
    stage = RepetitionStage([curl])
    late = list[float]()
    ends = np.cumsum(np.abs(lengths))[1:]
    for rows in blocks_of(rows_of_angles(angles(CURL, lengths), 4), 10):
        for each in stage.push(rows):
            true_end_s = ends[np.abs(ends - each.end_s).argmin()]
            late.append(float(rows.time_s[-1] - true_end_s))
        assert all(0.0 <= each.share <= 1.0 for each in stage.draft())
    assert len(late) >= 9
    assert np.percentile(late, 95) <= LATEST_S


def test_something_else_is_not_counted(curl: TaughtExercise) -> None:
    assert len(repetitions_in([rows_of_angles(angles(TURN, unequal(15)), 5)], [curl])) <= 1
    assert repetitions_in([rows_of_angles(angles(CURL, [-60.0]), 6)], [curl]) == []


def test_idle_stretches_between_add_nothing(curl: TaughtExercise) -> None:
    rows = rows_of_angles(angles(CURL, [-4.0, *unequal(5), -10.0, *unequal(5), -5.0]), 7)
    assert abs(len(repetitions_in([rows], [curl])) - 10) <= 1


def test_a_lost_sensor_is_masked_and_counting_goes_on(curl: TaughtExercise) -> None:
    rows = rows_of_angles(angles(CURL, [2.0] * 20), 8)
    valid = rows.valid.copy()
    valid[1000:2000] = False  # five repetitions
    gone = Rows(rows.index, rows.time_s, np.where(valid, rows.values, 0.0), valid)
    found = repetitions_in(blocks_of(gone, 10), [curl])
    assert 14 <= len(found) <= 16
    assert not any(each.start_s > 11.5 and each.end_s < 19.5 for each in found)


def test_a_pause_without_frames_ends_what_is_under_way(curl: TaughtExercise) -> None:
    rows = rows_of_angles(angles(CURL, [2.0] * 3), 9)
    later = Rows(rows.index + 100_000, rows.time_s + 1000.0, rows.values, rows.valid)
    found = repetitions_in([rows, later], [curl])
    assert [each.number for each in found] == [1, 2, 3, 4, 5, 6]
    assert found[3].start_s > 999.0


def test_smaller_and_faster_repetitions_say_so(curl: TaughtExercise) -> None:
    small = repetitions_in([rows_of_angles(0.6 * angles(CURL, [2.0] * 8), 10)], [curl])
    assert len(small) >= 7
    assert np.median([each.amplitude for each in small[1:]]) == pytest.approx(0.6, abs=0.15)
    fast = repetitions_in([rows_of_angles(angles(CURL, [1.3] * 10), 11)], [curl])
    assert len(fast) >= 9
    assert np.median([each.length_s for each in fast]) == pytest.approx(1.3, abs=0.1)


def test_two_exercises_are_followed_side_by_side(curl: TaughtExercise) -> None:
    turn = shown(TURN, name="turn")
    rows = rows_of_angles(np.concatenate([angles(CURL, [2.0] * 8), angles(TURN, [2.0] * 8)]), 12)
    found = repetitions_in([rows], [curl, turn])
    assert abs(sum(each.exercise == "curl" and each.end_s < 17 for each in found) - 8) <= 1
    assert abs(sum(each.exercise == "turn" and each.end_s > 16 for each in found) - 8) <= 1
    assert sum(each.exercise == "curl" and each.start_s > 17 for each in found) <= 1


def test_ends_that_were_said_are_used() -> None:
    lengths = [1.2, 2.4, 1.6, 2.8]
    rows = rows_of_angles(angles(CURL, lengths), 13)
    taught = teach(rows, 4, name="curl", side=Side.RIGHT, ends_s=np.cumsum(lengths).tolist())
    assert len(repetitions_in([rows], [taught])) == 4


@pytest.mark.parametrize("number", [1, 50])
def test_teaching_with_one_and_with_fifty(number: int) -> None:
    taught = shown(number=number)
    assert taught.shown == number
    assert (taught.clarity is Clarity.WEAK) == (number == 1)
    assert abs(len(repetitions_in([rows_of_angles(angles(CURL, [2.0] * 10), 14)], [taught])) - 10) <= 1


@pytest.mark.parametrize(("number", "length_s"), [(0, 10.0), (61, 200.0), (50, 5.0), (1, 90.0)])
def test_what_cannot_be_is_refused_with_advice(number: int, length_s: float) -> None:
    rows = rows_of_angles(angles(CURL, [-length_s]))
    with pytest.raises(InputRefused) as refused:
        teach(rows, number, name="curl", side=Side.RIGHT)
    assert refused.value.advice


def test_a_stretch_without_a_sensor_is_refused() -> None:
    rows = rows_of_angles(angles(CURL, [2.0] * 3))
    nothing = Rows(0, rows.time_s, 0 * rows.values, np.zeros_like(rows.valid))
    with pytest.raises(InputRefused):
        teach(nothing, 3, name="curl", side=Side.RIGHT)


def test_noise_and_wrong_numbers_are_not_clear() -> None:
    noise = np.cumsum(np.random.default_rng(1).normal(0.0, 0.02, (1500, 2)), axis=0)
    assert teach(rows_of_angles(noise), 5, name="noise", side=Side.RIGHT).clarity is not Clarity.CLEAR


def test_it_is_a_document_with_a_hash(curl: TaughtExercise) -> None:
    again = from_document(TaughtExercise, to_document(curl))
    assert (again, again.hash) == (curl, curl.hash)
    assert replace(curl, name="other").hash == curl.hash
    assert replace(curl, cycle_s=curl.cycle_s + 0.1).hash != curl.hash
    with pytest.raises(ValueError, match="version"):
        replace(curl, version=99)
    with pytest.raises(ValueError, match="same name"):
        TaughtExercises((curl, curl))
    assert TaughtExercises((curl,)).of(Side.LEFT) == []


def test_the_same_turns_with_the_arm_held_elsewhere_are_not_counted(curl: TaughtExercise) -> None:
    rows = rows_of_angles(angles(CURL, [2.0] * 8), 15)
    up, force = ([BEDSIDE.index(f"forearm {what} {axis}") for axis in "xyz"] for what in ("up", "force"))
    values = rows.values.copy()
    elsewhere = np.roll(values[:, up], 1, axis=1)  # the sensor's y is up instead of its z
    values[:, force] += elsewhere - values[:, up]
    values[:, up] = elsewhere
    assert len(repetitions_in([rows], [curl])) == 8
    assert repetitions_in([Rows(0, rows.time_s, values, rows.valid)], [curl]) == []
