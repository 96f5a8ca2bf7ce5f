"""Calibration: how each sensor sits on its body part, and how reliable that is.

The body-part axes are those of `rehabcount.signals.calibration`, which also makes these.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rehabcount.domain.message import Message
from rehabcount.domain.rig import Place


class Verdict(StrEnum):
    GOOD = "good"
    USABLE = "usable"
    REPEAT = "repeat"


@dataclass(frozen=True, slots=True)
class Mounting:
    """One sensor's mounting: the quaternion that turns sensor axes into body-part axes."""

    sensor: str
    place: Place
    quat: tuple[float, float, float, float]  # (w, x, y, z)
    heading_rad: float  # of the body part in the calibration pose, in the heading of its own filter in this recording
    quality: float  # 0 (worthless) .. 1
    method: str  # what determined it: "movement", "pose and mount"
    remarks: tuple[Message, ...] = ()
    carrying_rad: float = 0.0  # forearm: how far its long axis is from square to the elbow's bending axis


@dataclass(frozen=True, slots=True)
class Calibration:
    """All mountings of a rig. Each session keeps its own, because results with different mountings can differ."""

    mountings: tuple[Mounting, ...]
    quality: float
    verdict: Verdict
    advice: tuple[Message, ...] = ()

    def of(self, sensor: str) -> Mounting | None:
        """The mounting of the sensor called `sensor`; None if it was not calibrated."""
        return next((mounting for mounting in self.mountings if mounting.sensor == sensor), None)
