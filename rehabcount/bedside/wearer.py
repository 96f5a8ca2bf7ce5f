"""The simulated patient of a set-up: sits still until `begin`, then performs the calibration and the training.

`motion_of` is the motion of the virtual sensors. Before `begin` the patient holds the first pose of the recording; then
the recording is performed (`bedside/performance.py`): the calibration once, the training without end.
"""

from __future__ import annotations

import time

import numpy as np

from rehabcount.bedside.guide_steps import GuideStep
from rehabcount.bedside.rigging import Choice
from rehabcount.domain.arrays import Floats
from rehabcount.domain.rig import Place
from rehabcount.sensors.virtual import AHEAD_S, IdealReading, PlaceMotion

MINUTES = 6.0  # enough for several activities, and simulated within two seconds
STARTS_IN_S = AHEAD_S + 0.3  # virtual sensors have prepared their bytes AHEAD_S ahead


class Wearer:
    """One simulated patient; making one takes some seconds."""

    def __init__(self, choice: Choice, seed: int) -> None:
        from rehabcount.bedside.performance import Performance
        from rehabcount.bedside.virtual_patient import (  # heavy; this runs in the preparation's thread
            session_of,
            worn_by,
        )

        self.recording = session_of(choice, MINUTES, seed)
        self._motions = Performance(self.recording, worn_by(self.recording)[0]).motion_of
        self._begun_s: float | None = None  # on the sensors' clock
        self.begun_ns = time.monotonic_ns()  # when the sensors' clocks start
        spans = {name: self.recording.span("calibration", name) for name in ("still", "elbow", "forearm")}
        ready_s = STARTS_IN_S + spans["still"][0]
        self.guide = (
            GuideStep("ready", ready_s),
            GuideStep("still", spans["elbow"][0] - spans["still"][0]),
            GuideStep("elbow", spans["forearm"][0] - spans["elbow"][0]),
            GuideStep("forearm", spans["forearm"][1] - spans["forearm"][0]),
        )

    def begin(self) -> None:
        """The patient starts to move in a moment."""
        self._begun_s = (time.monotonic_ns() - self.begun_ns) / 1e9 + STARTS_IN_S

    def motion_of(self, place: Place) -> PlaceMotion:
        recorded = self._motions(place)

        def motion(time_s: Floats) -> IdealReading:
            since_s = time_s - (np.inf if self._begun_s is None else self._begun_s)
            playing = since_s >= 0
            reading = recorded(np.where(playing, since_s, 0.0))
            return IdealReading(reading.acc, np.where(playing[:, None], reading.gyr, 0.0), reading.quat)

        return motion
