"""How a hand gets from one place to the next: minimum-jerk submovements and noise.

    progress()   a sum of minimum-jerk steps, 0 at the start and 1 at the end
    rumble()     band-limited noise, for tremor, sway and unsteadiness
    ringing()    what an impact leaves in the limb

Minimum-jerk steps after Flash and Hogan (1985); movement after stroke as fewer, larger, better blended submovements
with recovery after Rohrer et al. (2004).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import signal

from rehabcount.domain.arrays import Floats

SHORTEST_STEP_S = 0.32  # submovements of all people take 0.2-0.6 s (Krebs et al. 1999; Rohrer et al. 2004)
MOTION_RATE_HZ = 200.0  # frames of simulated motion; also the rate of the marker recordings it is compared with


@dataclass(frozen=True, slots=True)
class Submovements:
    """Minimum-jerk steps that together make one movement; seconds from its start, weights add up to 1."""

    start_s: Floats  # (k,)
    length_s: Floats  # (k,)
    weight: Floats  # (k,)
    skew: float = 1.0  # of the first, main step; above 1: quick to start, slow to arrive

    @property
    def end_s(self) -> float:
        return float(np.max(self.start_s + self.length_s))


def minimum_jerk(share: ArrayLike) -> Floats:
    """Path covered after a share of the time: smooth in speed and acceleration at both ends."""
    u = np.clip(np.asarray(share, float), 0.0, 1.0)
    return u * u * u * (10.0 + u * (6.0 * u - 15.0))


def progress(time_s: Floats, parts: Submovements) -> Floats:
    """How far each part has come at each time, 0..1: (n, k)."""
    share = np.clip((time_s[:, None] - parts.start_s) / parts.length_s, 0.0, 1.0)
    share[:, 0] = 1.0 - (1.0 - share[:, 0]) ** parts.skew
    return minimum_jerk(share)


def split_movement(
    length_s: float, corrections: float, evenness: float, overlap: float, skew: float, rng: np.random.Generator
) -> Submovements:
    """A movement whose main step would take about `length_s` for all of the way; on average `corrections` more follow.

    evenness   0: the main step covers nearly all and the rest mend small errors; 1: all steps are alike
    overlap    share of a step that has not finished when the next begins
    skew       above 1: the speed peak comes early, as when something must not be spilt
    """
    count = 1 + int(rng.poisson(corrections))
    first = float(np.clip(rng.normal(0.90 - 0.35 * evenness, 0.06), 0.3, 0.98)) if count > 1 else 1.0
    rest = rng.dirichlet(np.full(count - 1, 2.0)) * (1.0 - first) if count > 1 else np.empty(0)
    weight = np.concatenate([[first], rest])
    # A step's time grows with the root of its size, a compromise between constant time and constant speed.
    length = length_s * np.sqrt(weight) * rng.uniform(0.85, 1.2, count)
    length = np.maximum(length, SHORTEST_STEP_S * rng.uniform(0.8, 1.4, count))
    lap = np.clip(rng.normal(overlap, 0.12, count), 0.05, 0.85)
    start = np.concatenate([[0.0], np.cumsum(length * (1.0 - lap))[:-1]])
    return Submovements(start, length, weight, skew)


def rumble(
    n: int, columns: int, band_hz: tuple[float, float], rng: np.random.Generator, rate_hz: float = MOTION_RATE_HZ
) -> Floats:
    """Noise (n, columns) of standard deviation 1 within a frequency band (low 0: everything below high)."""
    sections = _sections(band_hz, rate_hz)
    # Start inside the noise: the filter needs a few of its slowest periods to settle.
    settle = int(3 * rate_hz / max(band_hz[0], band_hz[1] / 4))
    noise = signal.sosfilt(sections, rng.standard_normal((n + settle, columns)), axis=0)[settle:]
    return noise / _gain(band_hz, rate_hz)


def _sections(band_hz: tuple[float, float], rate_hz: float) -> Floats:
    low, high = band_hz
    if low > 0:
        return signal.butter(3, (low, high), "bandpass", fs=rate_hz, output="sos")
    return signal.butter(2, high, "lowpass", fs=rate_hz, output="sos")


@functools.cache
def _gain(band_hz: tuple[float, float], rate_hz: float) -> float:
    """Standard deviation of `rumble`'s filter for white noise, from its impulse response."""
    impulse = np.zeros(int(20 * rate_hz / max(band_hz[0], band_hz[1] / 4)))
    impulse[0] = 1.0
    return float(np.sqrt(np.sum(signal.sosfilt(_sections(band_hz, rate_hz), impulse) ** 2)))


def ringing(frequency_hz: float, decay_s: float, rate_hz: float = MOTION_RATE_HZ) -> Floats:
    """A decaying oscillation that starts smoothly from zero; five decay times long, largest value about 1."""
    t = np.arange(int(5 * decay_s * rate_hz)) / rate_hz
    return np.sin(2 * np.pi * frequency_hz * t) * np.exp(-t / decay_s) * (1 - np.exp(-t / 0.006))
