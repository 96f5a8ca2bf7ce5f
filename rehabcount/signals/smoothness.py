"""Smoothness of one movement: the spectral arc length of its speed (Balasubramanian et al. 2012 and 2015).

In: the speed of a movement (any unit) at a fixed rate. Out: a number below 0; nearer to 0 is smoother. It depends on
the shape of the speed only, not on amplitude or duration.
"""

from __future__ import annotations

import numpy as np

from rehabcount.domain.arrays import Floats

HIGHEST_HZ = 20.0  # Balasubramanian et al. 2015: voluntary movements have no more
LEAST_SHARE = 0.05  # of the largest amplitude: beyond the last frequency above it there is noise
PADDED = 4  # powers of two: the spectrum's length is interpolated
LEAST_SAMPLES = 4


def spectral_arc_length(speed: Floats, rate_hz: float) -> float | None:
    """None for a movement without speed, or one that is too short."""
    if len(speed) < LEAST_SAMPLES or not np.isfinite(speed).all() or not np.any(speed):
        return None
    size = 2 ** (int(np.ceil(np.log2(len(speed)))) + PADDED)
    amplitude = np.abs(np.fft.rfft(speed, size))
    frequency = np.fft.rfftfreq(size, 1 / rate_hz)
    amplitude = amplitude[frequency <= HIGHEST_HZ] / amplitude.max()
    last = int(np.flatnonzero(amplitude >= LEAST_SHARE)[-1])
    if last == 0:
        return 0.0
    amplitude = amplitude[: last + 1]
    return -float(np.sqrt((1.0 / last) ** 2 + np.diff(amplitude) ** 2).sum())
