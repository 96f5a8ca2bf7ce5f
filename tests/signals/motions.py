"""Motions whose truth is known: exact orientations, angular rates and accelerations of a jointed arm.

A chain of rigid links, each turned against its parent by rotations about fixed axes whose angle, rate and acceleration
are given in closed form (sums of sines). Rates and accelerations follow by the rules of rigid-body kinematics; nothing
is differentiated numerically, and nothing is imported from the code under test but quaternion products.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from rehabcount.domain.arrays import Floats
from rehabcount.signals.rotation import IDENTITY, exponential, multiply, normalize

Array = NDArray[np.float64]
GRAVITY = np.array([0.0, 0.0, 9.81])  # what a resting accelerometer reads, in earth axes
UPRIGHT = Rotation.from_matrix(np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]]))  # body axes of a person facing x


@dataclass(frozen=True)
class Angle:
    """mean + sum of amplitude * (1 - cos(2 pi f (t - t0)))/2 ramps that start and end at rest, or plain sines."""

    mean: float = 0.0
    sines: tuple[tuple[float, float, float], ...] = ()  # amplitude, frequency_hz, phase
    pulses: tuple[tuple[float, float, float, int], ...] = ()  # amplitude, start_s, period_s, number: out and back

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Angle, rate, acceleration."""
        value, rate, acceleration = np.full_like(t, self.mean), np.zeros_like(t), np.zeros_like(t)
        for amplitude, frequency, phase in self.sines:
            w = 2 * np.pi * frequency
            value += amplitude * np.sin(w * t + phase)
            rate += amplitude * w * np.cos(w * t + phase)
            acceleration -= amplitude * w**2 * np.sin(w * t + phase)
        for amplitude, start, period, number in self.pulses:
            w = 2 * np.pi / period
            on = (t >= start) & (t < start + number * period)
            u = t - start
            value += np.where(on, amplitude * (1 - np.cos(w * u)) / 2, 0.0)
            rate += np.where(on, amplitude * w * np.sin(w * u) / 2, 0.0)
            acceleration += np.where(on, amplitude * w**2 * np.cos(w * u) / 2, 0.0)
        return value, rate, acceleration


@dataclass(frozen=True)
class Link:
    """Turned against its parent about these axes in order, outermost first; `end` is where the next link hangs."""

    joints: tuple[tuple[tuple[float, float, float], Angle], ...]
    end: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Pose:
    """A link through time: orientation (to earth), angular rate and its derivative (earth), origin acceleration
    (earth)."""

    orientation: Rotation
    rate: Array
    rate_change: Array
    acceleration: Array


@dataclass(frozen=True)
class SensorReading:
    acc: Array
    gyr: Array
    orientation: Rotation  # of the sensor, to earth


def chain(t: Array, links: list[Link], base: Rotation = UPRIGHT) -> list[Pose]:
    """Poses of the links; the first one's origin is at rest."""
    orientation = base * Rotation.identity(len(t))
    rate, change, acceleration = (np.zeros((len(t), 3)) for _ in range(3))
    poses = []
    for link in links:
        for axis, angle in link.joints:
            theta, theta_rate, theta_change = angle.at(t)
            axis_earth = orientation.apply(np.asarray(axis, float))
            # d/dt (rate + axis*theta_rate), the axis being carried by the outer rotation.
            change = change + axis_earth * theta_change[:, None] + np.cross(rate, axis_earth * theta_rate[:, None])
            rate = rate + axis_earth * theta_rate[:, None]
            orientation = orientation * Rotation.from_rotvec(np.asarray(axis, float) * theta[:, None])
        poses.append(Pose(orientation, rate, change, acceleration))
        arm = orientation.apply(np.asarray(link.end, float))
        acceleration = acceleration + np.cross(change, arm) + np.cross(rate, np.cross(rate, arm))
    return poses


def sensor_on(pose: Pose, mount: Rotation, offset: tuple[float, float, float]) -> SensorReading:
    """What an ideal sensor measures; `mount` turns sensor axes into link axes, `offset` lies in link axes."""
    arm = pose.orientation.apply(np.asarray(offset, float))
    acceleration = pose.acceleration + np.cross(pose.rate_change, arm) + np.cross(pose.rate, np.cross(pose.rate, arm))
    orientation = pose.orientation * mount
    return SensorReading(
        orientation.inv().apply(acceleration + GRAVITY), orientation.inv().apply(pose.rate), orientation
    )


@dataclass(frozen=True)
class ArmMotion:
    """A seated person: calibration pose and movements, then exercise, of a right arm."""

    t: Array
    poses: dict[str, Pose]
    elbow: Array
    pronation: Array


POSE_S, BENDING_S, TURNING_S, EXERCISE_S = (0.5, 3.5), (4.0, 13.0), (14.0, 23.0), 24.0
PARTS = ("thorax", "upper-arm", "forearm", "hand")
# How the sensors are worn: sensor axes to body-part axes of a right arm, and where they sit (m).
WORN = {
    "thorax": Rotation.from_matrix(np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])),  # on the sternum, face forward
    "upper-arm": Rotation.identity(),
    "forearm": Rotation.identity(),
    "hand": Rotation.identity(),
}
SEAT = {
    "thorax": (0.1, 0.3, 0.0),
    "upper-arm": (0.0, -0.15, 0.05),
    "forearm": (0.0, -0.2, 0.03),
    "hand": (0.0, -0.05, 0.02),
}


def arm_motion(
    length_s: float = 60.0,
    rate_hz: float = 100.0,
    *,
    swing: float = 0.5,
    carrying: float = 0.0,
    stretch: float = 0.0,
    pose_error: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> ArmMotion:
    """Trunk, upper arm, forearm and hand through the calibration of docs/body-axes.md, then a swinging exercise.

    `swing`: how far the upper arm goes along while the elbow is bent; `stretch`: how far the elbow is stretched after a
    bend. `pose_error`: how far shoulder, elbow and forearm
    rotation are from the pose that was asked for (rad).
    """
    t = np.arange(0, length_s, 1 / rate_hz)
    number = int((length_s - EXERCISE_S) // 6)
    shoulder_off, elbow_off, pronation_off = pose_error
    bends: tuple[tuple[float, float, float, int], ...] = ((0.7, 4.0, 3.0, 3),)
    if stretch:
        bends = ((0.7, 4.0, 3.0, 1), (-stretch, 7.0, 3.0, 1), (0.7, 10.0, 3.0, 1))
    flexion = Angle(np.pi / 2 + elbow_off, pulses=(*bends, (-0.9, EXERCISE_S, 3.0, 2 * number)))
    pronation = Angle(np.pi / 2 + pronation_off, pulses=((-1.8, 14.0, 3.0, 3), (-1.0, EXERCISE_S, 6.0, number)))
    shoulder = Angle(shoulder_off, pulses=((swing, 4.0, 3.0, 3), (1.1, EXERCISE_S, 3.0, 2 * number)))
    abduction = Angle(0.0, pulses=((-0.6, EXERCISE_S, 6.0, number),))
    lean = Angle(0.0, pulses=((-0.3, EXERCISE_S, 6.0, number),))
    wrist = Angle(0.0, pulses=((0.3, EXERCISE_S, 3.0, 2 * number),))
    z, x, y = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    links = [
        Link(((z, lean),), end=(0.0, 0.45, 0.18)),
        Link(((z, shoulder), (x, abduction)), end=(0.0, -0.3, 0.0)),
        Link(((z, flexion), (x, Angle(carrying)), (y, pronation)), end=(0.0, -0.26, 0.0)),
        Link(((x, wrist),)),
    ]
    return ArmMotion(t, dict(zip(PARTS, chain(t, links), strict=True)), flexion.at(t)[0], pronation.at(t)[0])


def read(
    motion: ArmMotion, rng: np.random.Generator, *, tilt_rad: float = 0.0, noise: float = 0.0, bias_rad_s: float = 0.0
) -> tuple[Array, dict[str, Rotation]]:
    """What sensors on all PARTS measure: acceleration and angular rate (n, parts, 6); and how each really sat.

    Each is worn `tilt_rad` askew about a random axis.
    """
    values, mounts = [], {}
    for part in PARTS:
        axis = rng.normal(size=3)
        mounts[part] = WORN[part] * Rotation.from_rotvec(axis / np.linalg.norm(axis) * tilt_rad)
        reading = sensor_on(motion.poses[part], mounts[part], SEAT[part])
        acc = reading.acc + noise * rng.normal(0, 0.05, reading.acc.shape)
        gyr = reading.gyr + noise * rng.normal(0, 0.005, reading.gyr.shape) + bias_rad_s * rng.normal(size=3)
        values.append(np.concatenate([acc, gyr], axis=1))
    return np.stack(values, axis=1), mounts


def integrate(gyr: ArrayLike, rate_hz: float, start: ArrayLike = IDENTITY) -> Floats:
    """Orientations after each step of constant angular rate `gyr` (n, 3), beginning from `start`."""
    q = np.asarray(start, float)
    out = np.empty((len(np.asarray(gyr)), 4))
    for i, step in enumerate(exponential(np.asarray(gyr, float) / rate_hz)):
        q = normalize(multiply(q, step))
        out[i] = q
    return out
