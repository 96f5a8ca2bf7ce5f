"""A simulated person at exercise: arrays, labels and, on demand, a session file."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np

from rehabcount.api import bedside
from rehabcount.domain.arrays import Floats, frozen
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.errors import InputRefused
from rehabcount.sensors.simulated import calibration_steps
from rehabcount.simulate.cohort import Subject, make_cohort
from rehabcount.simulate.recording import SCRIPTS, Recording, simulate_session, simulate_trial

SESSION = "session"
RIGS = ("nine", "five", "three", "one")
LENGTHS_MIN = (0.5, 120.0)


@dataclass(frozen=True, slots=True)
class SimulatedRecording:
    """The recording of a simulated person's sensors, and the true movements. No real person was measured.

    Attributes
    ----------
    name : str
    side : Side
        The trained arm: the affected one.
    fugl_meyer : int
        Of that arm, 0 to 66; 66 is a healthy arm.
    places : tuple of str
        Where the sensors sit, in the order of the arrays.
    rate_hz : float
        Nominal samples per second of this person's kind of sensor: 60, 100 or 120.
    time_s : array, shape (samples,)
    acc, gyr : array, shape (samples, sensors, 3)
        m/s2 with gravity, and rad/s; noise, bias and soft tissue included.
    labels : tuple of Segment
        What the trained arm did, calibration included (`other`); on the same time axis.
    calibration : mapping from str to (start_s, end_s)
        When the person went through the calibration; `count_arrays` takes it.

    Examples
    --------
    >>> import rehabcount as rc
    >>> person = rc.simulate("drinking", subject="H17", rig="three")
    >>> person.places, person.acc.shape == person.gyr.shape
    (('right-hand', 'right-upper-arm', 'sternum'), True)
    """

    name: str
    side: Side
    fugl_meyer: int
    places: tuple[str, ...]
    rate_hz: float
    time_s: Floats
    acc: Floats
    gyr: Floats
    labels: tuple[Segment, ...]
    calibration: dict[str, tuple[float, float]]
    _recording: Recording = field(repr=False)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write it as a session file, with what was done as reference labels.

        Parameters
        ----------
        path : path
            Ends in `.rehab`; a file that is there already is not overwritten (StoreError).

        Returns
        -------
        Path
            The same, for `open_session` and `count`.
        """
        bedside.save_recording(self._recording, Path(path))
        return Path(path)


def simulate(
    activity: str = "drinking",
    *,
    subject: str = "S36",
    repetition: int = 1,
    rig: str = "five",
    minutes: float = 5.0,
    seed: int = 0,
) -> SimulatedRecording:
    """Let a simulated person exercise with sensors on. The same arguments give the same recording.

    Parameters
    ----------
    activity : str
        `drinking`, `feeding`, `combing`, `glasses`, `face wash`, `deodorant`, `brushing`, `shelf`, `table targets` or
        `drinks`, once, after a calibration; or `session`: calibration, exercise and rest for `minutes`.
    subject : str
        One of 71 people: `S01` to `S51` after a stroke, of whom `S44` to `S51` are severely affected; `H01` to `H20`
        healthy. No model was trained on `S36` to `S51` and `H17` to `H20`.
    repetition : int
        Another number is another time that the person does it.
    rig : {"nine", "five", "three", "one"}
        How many sensors are worn.
    minutes : float
        Length of a `session`.
    seed : int
        Another number is another cohort.

    Returns
    -------
    SimulatedRecording
        Arrays, labels, spans of the calibration; `.save(path)` writes a session file.

    Examples
    --------
    >>> import rehabcount as rc
    >>> person = rc.simulate("drinking", subject="S36")
    >>> person.side.value, person.fugl_meyer, person.labels[-1].label
    ('left', 27, 'idle')
    """
    who = _subject(subject, seed)
    if activity not in (*SCRIPTS, SESSION):
        raise InputRefused(f"there is no activity {activity!r}.", advice=f"Choose {', '.join(SCRIPTS)} or {SESSION}.")
    if rig not in RIGS:
        raise InputRefused(f"there is no rig {rig!r}.", advice=f"Choose one of {', '.join(RIGS)}.")
    if activity == SESSION:
        if not LENGTHS_MIN[0] <= minutes <= LENGTHS_MIN[1]:
            raise InputRefused(f"minutes is {minutes:g}.", advice="Choose 0.5 to 120.")
        return _as_arrays(simulate_session(who, minutes, seed, number=repetition, rig=rig))
    return _as_arrays(simulate_trial(who, activity, repetition, seed, rig=rig))


def _subject(name: str, seed: int) -> Subject:
    cohort = {each.name: each for each in make_cohort(seed)}
    if name not in cohort:
        raise InputRefused(f"there is no subject {name!r}.", advice="Choose S01 to S51 or H01 to H20.")
    return cohort[name]


def _as_arrays(recording: Recording) -> SimulatedRecording:
    streams = [recording.samples[name] for name in recording.rig.names]
    number = min(len(stream) for stream in streams)  # clocks differ by millionths: by a sample at most
    rate_hz = recording.rig.sensors[0].rate_hz
    acc = np.stack([stream.acc[:number] for stream in streams if stream.acc is not None], axis=1)
    gyr = np.stack([stream.gyr[:number] for stream in streams if stream.gyr is not None], axis=1)
    return SimulatedRecording(
        name=recording.name,
        side=recording.side,
        fugl_meyer=recording.subject.score,
        places=tuple(str(place) for place in recording.rig.places),
        rate_hz=rate_hz,
        time_s=frozen(np.arange(number) / rate_hz),
        acc=frozen(acc),
        gyr=frozen(gyr),
        labels=tuple(sorted(recording.of(recording.side), key=lambda segment: segment.start_s)),
        calibration={
            step.step: (round(step.start_s, 3), round(step.end_s, 3)) for step in calibration_steps(recording)
        },
        _recording=recording,
    )
