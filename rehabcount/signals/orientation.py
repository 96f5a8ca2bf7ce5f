"""Orientation of each sensor from acceleration and angular rate (VQF, Laidig & Seel 2023).

In: Frames in sensor axes. Out: the same frames with the quaternion filled in and the gyroscope's estimated bias taken
off the angular rate. Without a magnetometer the heading starts arbitrary and drifts slowly; inclination does not.

A sensor that measures no angular rate but reports an orientation of its own (some exports) keeps that orientation.
A gap of up to `BRIDGED_S` is interpolated linearly, inside the filter only: the frames stay invalid. After a longer gap
the filter starts again from gravity and keeps its estimate of the gyroscope bias.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from vqf import VQF

from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import ACC, FRAME_RATE_HZ, GYR, QUAT, Frames

BRIDGED_S = 0.3  # an arm turns at most about a radian in this time


class _Filter:
    """The orientation filter of one sensor."""

    def __init__(self) -> None:
        self._vqf = VQF(1.0 / FRAME_RATE_HZ)
        self._last: Floats | None = None  # acc and gyr of the last usable frame
        self._last_index = -1

    def run(self, index: int, motion: Floats) -> tuple[Floats, Floats]:
        """Unbroken usable frames (n, 6) from frame `index` on -> quaternions (n, 4), angular rates without bias."""
        missing = index - self._last_index - 1
        if self._last is not None and missing > 0:
            if missing <= BRIDGED_S * FRAME_RATE_HZ:
                share = (np.arange(1, missing + 1) / (missing + 1))[:, None]
                self._update(self._last + share * (motion[0] - self._last))
            else:
                bias, sigma = self._vqf.getBiasEstimate()
                self._vqf.resetState()
                self._vqf.setBiasEstimate(np.asarray(bias), sigma)
        self._last, self._last_index = motion[-1].copy(), index + len(motion) - 1
        result = self._update(motion)
        return result["quat6D"], motion[:, GYR] - result["bias"]

    def _update(self, motion: Floats) -> dict[str, Floats]:
        result: dict[str, Floats] = self._vqf.updateBatch(
            np.ascontiguousarray(motion[:, GYR]), np.ascontiguousarray(motion[:, ACC])
        )
        return result


def orient(blocks: Iterable[Frames]) -> Iterator[Frames]:
    """The stream."""
    filters: list[_Filter] = []
    for frames in blocks:
        while len(filters) < frames.valid.shape[1]:
            filters.append(_Filter())
        values = frames.values.copy()
        usable = frames.valid & np.isfinite(frames.values[:, :, :6]).all(axis=2)  # (n, sensors)
        for sensor, one in enumerate(filters):
            for start, end in _runs(usable[:, sensor]):
                quat, gyr = one.run(frames.index + start, frames.values[start:end, sensor, :6])
                values[start:end, sensor, QUAT] = quat
                values[start:end, sensor, GYR] = gyr
        yield Frames(frames.index, frames.time_s, values, frames.valid)


def orient_all(frames: Frames) -> Frames:
    """The array kernel: a whole recording at once."""
    return next(orient([frames]))


def _runs(usable: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> list[tuple[int, int]]:
    """Half-open spans of True."""
    if usable.all():
        return [(0, len(usable))] if len(usable) else []
    edges = np.flatnonzero(np.diff(usable.astype(np.int8), prepend=0, append=0))
    return [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]
