"""Trunk lean: how far the trunk is tilted from where it was when the movement began, in degrees.

In: oriented frames of a rig. Out: the tilt of the trunk's sensor, in any direction, against its own mean over the first
second of valid frames. It needs no calibration: the angle between two directions of "up", both in the sensor's axes,
does not depend on how the sensor is mounted.
"""

from __future__ import annotations

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import FRAME_RATE_HZ, Frames
from rehabcount.domain.rig import BodyPart, Rig
from rehabcount.signals.rotation import conjugate, rotate

REFERENCE_FRAMES = round(1.0 * FRAME_RATE_HZ)
# Leaning is flagged above the first and until below the second. Reaching a cup within arm's length takes well under 20
# degrees of trunk; the two are apart so that the flag does not flicker. They are ours, not a clinical norm.
FLAGGED_DEG, RELEASED_DEG = 22.0, 16.0


class TrunkLean:
    """Follows one session. `deg` is None without a sensor on the thorax, or before the reference is known."""

    def __init__(self, rig: Rig) -> None:
        on_trunk = [i for i, place in enumerate(rig.places) if place is not None and place.part is BodyPart.THORAX]
        self._sensor = on_trunk[0] if on_trunk else None
        self.deg: float | None = None
        self.flagged = False
        self.rebase()

    def rebase(self) -> None:
        """Measure from now on against the present posture."""
        self._sum, self._frames = np.zeros(3), 0

    def look(self, frames: Frames) -> None:
        if self._sensor is None:
            return
        quat = frames.quat[:, self._sensor]
        quat = quat[frames.valid[:, self._sensor] & np.isfinite(quat).all(axis=1)]
        if not len(quat):
            return
        up: Floats = rotate(conjugate(quat), np.array([0.0, 0.0, 1.0]))  # (n, 3) in the sensor's axes
        if self._frames < REFERENCE_FRAMES:
            self._sum, self._frames = self._sum + up.sum(axis=0), self._frames + len(up)
            return
        reference = self._sum / np.linalg.norm(self._sum)
        mean = up.mean(axis=0)
        cosine = float(mean @ reference / np.linalg.norm(mean))
        self.deg = float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
        self.flagged = self.deg > (RELEASED_DEG if self.flagged else FLAGGED_DEG)
