"""Motions whose truth is known: exact orientations, angular rates and accelerations of a jointed arm.

A chain of rigid links, each turned against its parent by rotations about fixed axes whose angle, rate and acceleration
are given in closed form (sums of sines). Rates and accelerations follow by the rules of rigid-body kinematics; nothing
is differentiated numerically, and nothing is imported from the code under test but quaternion products.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

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
    """A seated person: calibration pose and movements, then exercise, of a right arm (or its mirror image)."""

    t: Array
    poses: dict[str, Pose]
    elbow: Array
    pronation: Array
    pose_s: tuple[float, float] = (0.5, 3.5)
    bending_s: tuple[float, float] = (4.0, 13.0)
    turning_s: tuple[float, float] = (14.0, 23.0)
    exercise_s: float = 24.0
    mounts: dict[str, Rotation] = field(default_factory=dict)


def arm_motion(length_s: float = 60.0, rate_hz: float = 100.0, swing: float = 0.5, exercise: float = 1.0) -> ArmMotion:
    """Trunk, upper arm, forearm, hand through the calibration of docs/body-axes.md and then a swinging exercise."""
    t = np.arange(0, length_s, 1 / rate_hz)
    start, number = 24.0, int((length_s - 24.0) // 3)
    flexion = Angle(np.pi / 2, pulses=((0.7, 4.0, 3.0, 3), (-0.9 * exercise, start, 3.0, number)))
    pronation = Angle(np.pi / 2, pulses=((-1.8, 14.0, 3.0, 3), (-1.0 * exercise, start, 6.0, number // 2)))
    shoulder = Angle(0.0, pulses=((swing, 4.0, 3.0, 3), (1.1 * exercise, start, 3.0, number)))
    abduction = Angle(0.0, pulses=((-0.6 * exercise, start, 6.0, number // 2),))
    lean = Angle(0.0, pulses=((-0.3 * exercise, start, 6.0, number // 2),))
    wrist = Angle(0.0, pulses=((0.3 * exercise, start, 3.0, number),))
    z, x, y = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    links = [
        Link(((z, lean),), end=(0.0, 0.45, 0.18)),
        Link(((z, shoulder), (x, abduction)), end=(0.0, -0.3, 0.0)),
        Link(((z, flexion), (y, pronation)), end=(0.0, -0.26, 0.0)),
        Link(((x, wrist),)),
    ]
    names = ("thorax", "upper-arm", "forearm", "hand")
    poses = dict(zip(names, chain(t, links), strict=True))
    return ArmMotion(t, poses, flexion.at(t)[0], pronation.at(t)[0])
