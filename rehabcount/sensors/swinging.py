"""A motion in closed form, for virtual sensors: a limb that swings like a pendulum about a horizontal axis.

The sensor hangs `length_m` below the axis, its y up along the limb and its z on the axis. Angle, angular rate and
specific force are exact, so the results of the signal chain can be compared with them. `noisy` adds a chip's noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import G_M_S2
from rehabcount.domain.rig import BodyPart, Place
from rehabcount.sensors.virtual import IdealReading, PlaceMotion
from rehabcount.signals.rotation import from_axes, multiply

HANGING = from_axes([1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0])  # body axes of an upright person, to earth
# How far and how fast each part swings, and how far below the axis its sensor sits.
SWINGS = {
    BodyPart.PELVIS: (0.03, 0.2, 0.1),
    BodyPart.LUMBAR: (0.04, 0.2, 0.2),
    BodyPart.THORAX: (0.05, 0.2, 0.3),
    BodyPart.UPPER_ARM: (0.5, 0.5, 0.15),
    BodyPart.FOREARM: (0.8, 0.5, 0.4),
    BodyPart.HAND: (0.9, 0.5, 0.6),
}


@dataclass(frozen=True, slots=True)
class Swing:
    """angle = amplitude * sin(2 pi frequency t)."""

    amplitude_rad: float
    frequency_hz: float
    length_m: float

    def angle(self, time_s: Floats) -> tuple[Floats, Floats, Floats]:
        """The angle and its first two derivatives."""
        pace = 2 * np.pi * self.frequency_hz
        sine, cosine = np.sin(pace * time_s), np.cos(pace * time_s)
        return self.amplitude_rad * sine, self.amplitude_rad * pace * cosine, -self.amplitude_rad * pace**2 * sine

    def __call__(self, time_s: Floats) -> IdealReading:
        angle, rate, change = self.angle(time_s)
        zero = np.zeros_like(angle)
        turned = np.stack([np.cos(angle / 2), zero, zero, np.sin(angle / 2)], axis=1)
        # In the sensor's axes: the tangential part along x, the centripetal one and gravity along y.
        acc = np.stack(
            [change * self.length_m + G_M_S2 * np.sin(angle), rate**2 * self.length_m + G_M_S2 * np.cos(angle), zero],
            axis=1,
        )
        return IdealReading(acc, np.stack([zero, zero, rate], axis=1), multiply(HANGING, turned))


ACC_NOISE_MS2 = 0.02  # per sample, as the better chips have it
GYR_NOISE_RADS = 0.003


def noisy(motion: PlaceMotion, seed: int) -> PlaceMotion:
    """The motion with the noise of a chip; the same stretch of time has the same noise."""

    def measured(time_s: Floats) -> IdealReading:
        exact = motion(time_s)
        rng = np.random.default_rng([seed, round(float(time_s[0]) * 1e6)])
        acc = exact.acc + ACC_NOISE_MS2 * rng.normal(size=exact.acc.shape)
        return IdealReading(acc, exact.gyr + GYR_NOISE_RADS * rng.normal(size=exact.gyr.shape), exact.quat)

    return measured


def swing_of(place: Place) -> Swing:
    """A plausible swing of this place; the two arms differ a little in pace."""
    amplitude, frequency, length = SWINGS[place.part]
    return Swing(amplitude, frequency * (1.1 if place.value.startswith("left") else 1.0), length)
