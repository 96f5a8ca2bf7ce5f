"""Calibration: how each sensor sits on its body part, and how reliable that is.

The body-part axes are those of `rehabcount.signals.calibration`, which also makes these.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rehabcount.domain.message import Message
from rehabcount.domain.rig import Place


class Verdict(StrEnum):
    """How far a calibration is to be trusted."""

    GOOD = "good"
    USABLE = "usable"
    REPEAT = "repeat"


@dataclass(frozen=True, slots=True)
class Mounting:
    """One sensor's mounting.

    Attributes
    ----------
    sensor : str
    place : Place
    quat : tuple of float
        The unit quaternion (w, x, y, z) that turns sensor axes into body-part axes.
    heading_rad : float
        Heading of the body part in the calibration pose, in this recording.
    quality : float
        0 (useless) to 1.
    method : str
        What determined it: "movement", or "pose and mount".
    remarks : tuple of Message
        What lowered the quality.
    carrying_rad : float
        Of a forearm or hand: how far its long axis is from square to the elbow's bending axis.
    """

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
    """All mountings of a rig. Each session keeps its own, because results with different mountings can differ.

    Attributes
    ----------
    mountings : tuple of Mounting
        One for each sensor that could be calibrated.
    quality : float
        The lowest of the mountings, 0 to 1.
    verdict : Verdict
        `good`, `usable` or `repeat`.
    advice : tuple of Message
        What to do better; `str(each)` is a sentence.
    """

    mountings: tuple[Mounting, ...]
    quality: float
    verdict: Verdict
    advice: tuple[Message, ...] = ()

    def of(self, sensor: str) -> Mounting | None:
        """The mounting of the sensor called `sensor`; None if it was not calibrated."""
        return next((mounting for mounting in self.mountings if mounting.sensor == sensor), None)
