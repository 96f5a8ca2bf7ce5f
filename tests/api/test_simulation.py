"""A simulated person is arrays, labels and, on demand, a session file that says the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rehabcount as rc


def test_the_same_arguments_give_the_same_recording(person: rc.SimulatedRecording) -> None:
    again = rc.simulate("drinking", subject="H17", rig="three")
    np.testing.assert_array_equal(again.acc, person.acc)
    assert again.labels == person.labels
    assert not np.array_equal(
        rc.simulate("drinking", subject="H17", rig="three", repetition=2).acc[:99], person.acc[:99]
    )


def test_the_file_holds_what_the_arrays_hold(person: rc.SimulatedRecording, saved: Path) -> None:
    signals = rc.open_session(saved).signals()
    here = slice(1000, 1500)
    shift_s = 0.07  # the file's time begins with the first packet that arrived, six samples and a delay later
    for axis, column in enumerate("xyz"):
        found = np.interp(signals["time_s"][here] + shift_s, person.time_s, person.acc[:, 0, axis])
        assert np.corrcoef(found, signals[f"right-hand acc_{column}"][here])[0, 1] > 0.95


def test_a_file_that_is_there_is_not_overwritten(person: rc.SimulatedRecording, saved: Path) -> None:
    before = saved.read_bytes()
    with pytest.raises(rc.RehabcountError):
        person.save(saved)
    assert saved.read_bytes() == before


def test_a_session_has_exercise_and_rest() -> None:
    session = rc.simulate("session", subject="S44", rig="one", minutes=1.0)
    assert session.time_s[-1] > 55
    assert session.acc.shape[1:] == (1, 3)
    assert session.fugl_meyer < 26


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"activity": "juggling"}, "drinking"),
        ({"subject": "S99"}, "S01 to S51"),
        ({"rig": "six"}, "nine, five"),
        ({"activity": "session", "minutes": 0.1}, "0.5 to 120"),
    ],
)
def test_what_cannot_be_simulated_is_refused(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(rc.InputRefused) as found:
        rc.simulate(**arguments)  # type: ignore[arg-type]
    assert words in found.value.advice
