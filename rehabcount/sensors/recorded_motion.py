"""A recording as the motion of virtual sensors: recorded or simulated data are sent again as a device's bytes.

In: oriented Frames (as `engine.walk.frames` gives them) and which of their sensors. Out: a Motion for any times,
interpolated linearly between frames; it starts again when the recording is over. Invalid frames are bridged, because
losses of a virtual sensor are set by its faults.
"""

from __future__ import annotations

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import ACC, FRAME_RATE_HZ, GYR, QUAT, Frames
from rehabcount.sensors.virtual import IdealReading, PlaceMotion
from rehabcount.signals.rotation import normalize


def motion_from(frames: Frames, sensor: int) -> PlaceMotion:
    """The motion of one sensor of the recording; ValueError if it has fewer than two whole frames."""
    values = frames.values[:, sensor]
    whole = frames.valid[:, sensor] & np.isfinite(values).all(axis=1)
    if whole.sum() < 2:
        raise ValueError(f"sensor {sensor} must have at least two frames with acceleration, rate and orientation")
    at_s = (frames.time_s - frames.time_s[0])[whole]
    table = np.array(values[whole])  # (n, CHANNELS)
    # q and -q are one orientation; between neighbours the nearer one is meant.
    flips = np.where(np.sum(table[1:, QUAT] * table[:-1, QUAT], axis=1) < 0, -1.0, 1.0)
    table[1:, QUAT] *= np.cumprod(flips)[:, None]
    length_s = len(frames) / FRAME_RATE_HZ

    def motion(time_s: Floats) -> IdealReading:
        asked_s = time_s % length_s
        between = np.stack([np.interp(asked_s, at_s, column) for column in table.T], axis=1)
        return IdealReading(between[:, ACC], between[:, GYR], normalize(between[:, QUAT]))

    return motion
