"""A motion in a file, by which a fake in another process moves its sensors: `values` (n, CHANNELS), every 10 ms."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rehabcount.domain.motion import FRAME_RATE_HZ, Frames
from rehabcount.sensors.recorded_motion import motion_from
from rehabcount.sensors.virtual import IdealReading, PlaceMotion


def write(path: Path, reading: IdealReading) -> None:
    np.savez(path, values=np.concatenate([reading.acc, reading.gyr, reading.quat], axis=1))


def read(path: Path) -> PlaceMotion:
    with np.load(path, allow_pickle=False) as arrays:
        values = arrays["values"][:, None]
    n = len(values)
    return motion_from(Frames(0, np.arange(n) / FRAME_RATE_HZ, values, np.ones((n, 1), bool)), 0)
