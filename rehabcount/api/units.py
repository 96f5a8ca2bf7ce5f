"""Checks the units of acceleration and angular rate with gravity.

In: arrays of one or more sensors, in chunks. Out: nothing, or InputRefused with advice.

- At rest an accelerometer measures gravity, 9.81 m/s2. If it measures 1, the unit is g; if it measures 0, gravity was
  removed.
- When a sensor turns, the direction of gravity in its axes turns the opposite way at the same rate. A gyroscope in
deg/s
  gives 57 times that rate.

Blocks of `BLOCK_S` are checked until one has enough movement, so the result does not depend on the size of the chunks.
The gyroscope of a sensor that never moves cannot be checked, and is accepted.
"""

from __future__ import annotations

import numpy as np

from rehabcount.domain.arrays import Bools, Floats
from rehabcount.domain.motion import GRAVITY_M_S2
from rehabcount.errors import InputRefused
from rehabcount.sensors.importers.physics import REST_TOLERANCE, norm_at_rest

BLOCK_S = 20.0  # a still pose and a movement of the calibration
SHORTEST_S = 2.0  # too short to contain rest
STEP_S = 0.2  # turns are compared over this time: long against noise, short enough that a turn remains a small angle
NEAR_GRAVITY_M_S2 = 1.0  # 10 %: nearer than this, the acceleration points up to within a few degrees
TURNING_RAD = 0.02  # in a step, on average: 0.1 rad/s; the bias of a bad gyroscope is a twentieth of it
# The ratio of gravity's turn to the gyroscope's is 1, and 1/57 in deg/s; soft tissue and quick movements blur it.
TOO_FAST, TOO_SLOW = 0.25, 4.0
CERTAIN = 0.5  # correlation, before a gyroscope is called too slow: little movement and much noise look alike otherwise
NO_GRAVITY_M_S2 = 0.5  # at rest: what is left when gravity was taken off
ACC_HINTS = {
    1.0: "It looks like g: multiply by 9.80665.",
    1000.0: "It looks like mg: multiply by 0.00980665.",
}
ACC_ADVICE = "Give acceleration as the sensor measures it: in m/s2, gravity included, with some rest in the recording."


class UnitCheck:
    """Checks the sensors called `names` until each is decided."""

    def __init__(self, names: tuple[str, ...], rate_hz: float) -> None:
        self._names, self._rate_hz = names, rate_hz
        self._left = set(range(len(names)))
        self._waiting: list[Floats] = []
        self._block = round(BLOCK_S * rate_hz)

    def push(self, motion: Floats) -> None:
        """More samples (samples, sensors, 6): m/s2, then rad/s; NaN where a sample was lost."""
        if not self._left:
            return
        self._waiting.append(motion)
        if sum(len(each) for each in self._waiting) < self._block:
            return
        waiting = np.concatenate(self._waiting)
        while len(waiting) >= self._block and self._left:
            self._look(waiting[: self._block])
            waiting = waiting[self._block :]
        self._waiting = [waiting]

    def finish(self) -> None:
        """No more samples: check the rest."""
        if self._left and self._waiting:
            self._look(np.concatenate(self._waiting))
        self._waiting = []

    def _look(self, block: Floats) -> None:
        for sensor in sorted(self._left):
            if _is_judged(self._names[sensor], block[:, sensor], self._rate_hz):
                self._left.discard(sensor)


def _is_judged(name: str, motion: Floats, rate_hz: float) -> bool:
    """Whether this block was enough for a decision; InputRefused if the units are wrong."""
    there: Bools = np.asarray(np.isfinite(motion).all(axis=1))
    if there.sum() < SHORTEST_S * rate_hz:
        return False
    _check_rest(name, norm_at_rest(motion[there, :3]))
    felt, said = _turns(motion, there, rate_hz)
    if len(felt) < SHORTEST_S / STEP_S:
        return False
    both, square = float((felt * said).sum()), float((said * said).sum())
    said_rad, felt_rad = np.sqrt(square / len(said)), np.sqrt(float((felt * felt).sum()) / len(felt))
    if said_rad > TURNING_RAD and both < TOO_FAST * square:
        raise InputRefused(
            f"gyr of {name} does not fit acc: the sensor turns {said_rad / STEP_S:.1f} rad/s by gyr, and gravity does "
            "not turn with it.",
            advice="If gyr is in deg/s, multiply it by pi/180. If not, check that acc and gyr have the same axes.",
        )
    agrees = both > CERTAIN * len(felt) * said_rad * felt_rad
    if felt_rad > TURNING_RAD and agrees and both / square > TOO_SLOW:
        raise InputRefused(
            f"gyr of {name} does not fit acc: gravity turns {both / square:.0f} times as far as gyr says.",
            advice="Give gyr in rad/s; perhaps it was converted from deg/s twice.",
        )
    return bool(said_rad > TURNING_RAD)


def _check_rest(name: str, rest: float) -> None:
    if abs(rest / GRAVITY_M_S2 - 1) <= REST_TOLERANCE:
        return
    hint = next((said for one, said in ACC_HINTS.items() if abs(rest / one - 1) <= REST_TOLERANCE), "")
    if rest < NO_GRAVITY_M_S2:
        hint = "Gravity seems to have been taken off."
    raise InputRefused(
        f"acc of {name} measures {rest:.3g} at its calmest; an accelerometer at rest measures 9.81 m/s2.",
        advice=f"{hint} {ACC_ADVICE}".strip(),
    )


def _turns(motion: Floats, there: Bools, rate_hz: float) -> tuple[Floats, Floats]:
    """The change of the direction of gravity over each step (n, 3), from acceleration and from the gyroscope."""
    acc, gyr = np.where(there[:, None], motion[:, :3], 0.0), np.where(there[:, None], motion[:, 3:], 0.0)
    size = np.linalg.norm(acc, axis=1)
    up = acc / np.maximum(size, 1e-9)[:, None]
    step = max(1, round(STEP_S * rate_hz))
    turned = np.cumsum(
        -np.cross(gyr, up) / rate_hz, axis=0
    )  # a direction that stays in earth turns backwards in sensor
    lost = np.cumsum(~there)
    start = np.arange(0, len(motion) - step, max(1, step // 2))
    end = start + step
    near = np.abs(size - GRAVITY_M_S2) < NEAR_GRAVITY_M_S2
    good = near[start] & near[end] & (lost[start] == lost[end])
    start, end = start[good], end[good]
    return up[end] - up[start], turned[end] - turned[start]
