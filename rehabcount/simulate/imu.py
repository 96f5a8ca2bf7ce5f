"""Virtual sensors: what an IMU strapped to the moving body measures.

    in   Pose of the body at MOTION_RATE_HZ, a Strap (where and how it sits), a Device (how good it is)
    out  Samples: specific force (m/s2) and angular rate (rad/s) in the sensor's axes, on the device's own clock

`ideal_imu` is exact for the sampled motion: at rest it reads 9.81, its angular rate integrates back to the
orientation, and its force back to the positions. `sense` adds what straps, skin, chips and radios do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import signal

from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import GRAVITY_M_S2, Samples
from rehabcount.domain.rig import BodyPart, Place, Side
from rehabcount.signals import rotation
from rehabcount.simulate.body import Body, Pose
from rehabcount.simulate.movement import MOTION_RATE_HZ, minimum_jerk

TICK_HZ = 1_000_000  # device clocks count microseconds


@dataclass(frozen=True, slots=True)
class Device:
    """One kind of sensor with one specimen's errors; standard deviations per sample."""

    rate_hz: float
    acc_noise: float  # m/s2
    gyr_noise: float  # rad/s
    acc_bias: tuple[float, float, float]
    gyr_bias: tuple[float, float, float]
    gyr_walk: float  # rad/s per root second
    scale: tuple[float, float]  # of acc and gyr
    filter_hz: float  # of the chip's low-pass
    delay_s: float
    clock_ppm: float
    acc_limit: float = 16 * GRAVITY_M_S2
    gyr_limit: float = float(np.radians(2000.0))


@dataclass(frozen=True, slots=True)
class Strap:
    """How one sensor sits: `offset` from the part's near joint (m), `quat` turns sensor axes into part axes."""

    place: Place
    offset: tuple[float, float, float]
    quat: tuple[float, float, float, float]
    axial_share: float  # of the limb's turn about its length that the skin follows; 1 on the trunk and the hand
    wobble: float  # soft tissue: 0 none, 1 a heavy arm
    wobble_hz: float
    slips: tuple[tuple[float, float, float], ...] = ()  # time (s), turn about the limb (rad), way along it (m)


def nominal_strap(body: Body, place: Place) -> Strap:
    """The sensor worn as the pictures show."""
    up, fore, girth = body.upper_arm, body.forearm, body.girth
    back = _axes(z=(-1.0, 0.0, 0.0), y=(0.0, 1.0, 0.0))
    front = _axes(z=(1.0, 0.0, 0.0), y=(0.0, 1.0, 0.0))
    outside = (1.0, 0.0, 0.0, 0.0)
    spots: dict[str, tuple[tuple[float, float, float], tuple[float, float, float, float], float, float, float]] = {
        "pelvis": ((-0.10 * girth, 0.02, 0.0), back, 1.0, 0.15, 9.0),
        "t12": ((-0.09 * girth, 0.9 * body.lumbar, 0.0), back, 1.0, 0.15, 9.0),
        "c7": ((-0.06, 1.05 * body.thorax, 0.0), back, 1.0, 0.10, 10.0),
        "sternum": ((0.09 * girth, 0.7 * body.thorax, 0.0), front, 1.0, 0.15, 9.0),
        "upper-arm": ((0.0, -0.55 * up, 0.050 * girth), outside, 0.60, 0.50, 7.0),
        "forearm": ((0.0, -0.55 * fore, 0.038 * girth), outside, 0.70, 0.25, 9.0),
        "wrist": ((0.0, -0.88 * fore, 0.028 * girth), outside, 0.92, 0.15, 11.0),
        "hand": ((0.0, -0.065, 0.018), outside, 1.0, 0.05, 13.0),
    }
    name = place.value if place.side is None else place.value.split("-", 1)[1]
    offset, quat, share, wobble, wobble_hz = spots[name]
    if place.side is Side.LEFT:
        offset = (offset[0], offset[1], -offset[2])
        quat = (0.0, 0.0, 1.0, 0.0)  # z out to the left, y up
    return Strap(place, offset, quat, share, wobble, wobble_hz)


def _axes(*, z: tuple[float, float, float], y: tuple[float, float, float]) -> tuple[float, float, float, float]:
    x = np.cross(y, z)
    w = rotation.from_axes(x, y, z)
    return float(w[0]), float(w[1]), float(w[2]), float(w[3])


def sensor_path(body: Body, pose: Pose, strap: Strap) -> tuple[Floats, Floats]:
    """Orientation (n, 4) and position (n, 3) of the strapped sensor in the room, skin included."""
    part, side = strap.place.part, strap.place.side
    key = (part, side)
    quat, origin = pose.orientation[key], pose.origin[key]
    offset = np.array(strap.offset)
    carried = np.zeros(len(quat))  # turn of the sensor about the limb, against the bone (rad)
    along = np.zeros(len(quat))
    if strap.axial_share < 1.0 and side is not None:
        carried = (strap.axial_share - 1.0) * axial_turn(pose, part, side)
    for at_s, turn, way in strap.slips:
        step = minimum_jerk((np.arange(len(quat)) / MOTION_RATE_HZ - at_s) / 0.4)
        carried = carried + turn * step
        along = along + way * step
    limb = quat
    if np.any(carried):
        half = carried / 2
        zero = np.zeros_like(half)
        limb = rotation.multiply(quat, np.stack([np.cos(half), zero, np.sin(half), zero], axis=-1))
    spot = np.broadcast_to(offset, (len(quat), 3))
    if np.any(along):
        spot = spot + along[:, None] * np.array([0.0, 1.0, 0.0])
    place = origin + rotation.rotate(limb, spot)
    if strap.wobble > 0:
        place, limb = _wobbled(place, limb, strap)
    return rotation.multiply(limb, np.array(strap.quat)), place


def axial_turn(pose: Pose, part: BodyPart, side: Side) -> Floats:
    """How far the part is turned about its own length, against the part before it (rad about +y)."""
    if part is BodyPart.FOREARM:
        return pose.pronation[side] * (1.0 if side is Side.RIGHT else -1.0)
    joint = pose.shoulder[side]
    return np.unwrap(2.0 * np.arctan2(joint[:, 2], joint[:, 0]))


def _wobbled(place: Floats, quat: Floats, strap: Strap) -> tuple[Floats, Floats]:
    """Skin and muscle under the strap swing against the bone: a damped spring driven by the bone's acceleration."""
    omega, damping = 2 * np.pi * strap.wobble_hz, 0.45
    step = 1.0 / MOTION_RATE_HZ
    pushed = np.zeros_like(place)
    pushed[1:-1] = (place[2:] - 2 * place[1:-1] + place[:-2]) / step**2
    # Bilinear transform of 1 / (s^2 + 2 d w s + w^2).
    k = 2.0 / step
    a0, a1, a2 = (
        k * k + 2 * damping * omega * k + omega**2,
        2 * omega**2 - 2 * k * k,
        k * k - 2 * damping * omega * k + omega**2,
    )
    shift = -strap.wobble * signal.lfilter(np.array([1.0, 2.0, 1.0]) / a0, [1.0, a1 / a0, a2 / a0], pushed, axis=0)
    # What swings by a millimetre also tilts, as a box on a cushion would: by a fifth of a degree.
    tilt = rotation.unrotate(quat, shift)[:, [2, 1, 0]] * np.array([1.0, 0.5, -1.0]) * 4.0
    return place + shift, rotation.multiply(quat, rotation.exponential(tilt))


def ideal_imu(quat: Floats, place: Floats, rate_hz: float = MOTION_RATE_HZ) -> tuple[Floats, Floats]:
    """Specific force and angular rate (n, 3) of a sensor with this path. Room axes: gravity pulls along -y."""
    force = np.empty_like(place)
    force[1:-1] = (place[2:] - 2 * place[1:-1] + place[:-2]) * rate_hz**2
    force[0], force[-1] = force[1], force[-2]
    force[:, 1] += GRAVITY_M_S2
    return rotation.unrotate(quat, force), rotation.angular_rate(quat, rate_hz)


def sense(body: Body, pose: Pose, strap: Strap, device: Device, name: str, rng: np.random.Generator) -> Samples:
    """What the device reports while the body moves."""
    quat, place = sensor_path(body, pose, strap)
    acc, gyr = ideal_imu(quat, place)
    both = np.concatenate([acc, gyr], axis=1)
    sos = signal.butter(2, device.filter_hz, fs=MOTION_RATE_HZ, output="sos")
    state = signal.sosfilt_zi(sos)[..., None] * both[0]
    both, _ = signal.sosfilt(sos, both, axis=0, zi=state)
    step_us = round(TICK_HZ / device.rate_hz)
    true_rate = TICK_HZ / step_us * (1.0 + device.clock_ppm * 1e-6)
    count = int((len(both) - 1) / MOTION_RATE_HZ * true_rate)
    at_s = np.arange(count) / true_rate
    # Straight between neighbours: the filter has left nothing that curves faster.
    position = at_s * MOTION_RATE_HZ
    left = np.minimum(position.astype(np.int64), len(both) - 2)
    share = (position - left)[:, None]
    values = both[left] * (1 - share) + both[left + 1] * share
    drift = np.cumsum(rng.standard_normal((count, 3)) * device.gyr_walk / np.sqrt(device.rate_hz), axis=0)
    noise = rng.standard_normal((count, 6))
    acc = values[:, :3] * device.scale[0] + np.array(device.acc_bias) + device.acc_noise * noise[:, :3]
    gyr = values[:, 3:] * device.scale[1] + np.array(device.gyr_bias) + drift + device.gyr_noise * noise[:, 3:]
    tick = int(rng.integers(0, 2**31)) + step_us * np.arange(count, dtype=np.int64)
    late = device.delay_s + 0.004 * rng.standard_exponential(count)
    received = np.maximum.accumulate(((at_s + late) * 1e9).astype(np.int64))
    return Samples(
        name,
        received,
        tick,
        np.clip(acc, -device.acc_limit, device.acc_limit),
        np.clip(gyr, -device.gyr_limit, device.gyr_limit),
    )


def strapped(body: Body, place: Place, rng: np.random.Generator, length_s: float, *, slips: bool = True) -> Strap:
    """A sensor put on by a person in a hurry: up to 3 cm and 25 degrees off, and it may slip."""
    ideal = nominal_strap(body, place)
    way = rng.uniform(-1.0, 1.0, 3) * np.array([0.006, 0.03, 0.012])
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    angle = np.radians(25.0) * min(1.0, abs(float(rng.normal(0.0, 0.45))))
    # Most of the error is a turn about the limb's length.
    axis = np.array([0.4, 1.0, 0.6]) * axis
    turn = rotation.exponential(angle * axis / np.linalg.norm(axis))
    quat = rotation.multiply(turn, np.array(ideal.quat))
    count = int(rng.poisson(length_s / 1500.0)) if slips else 0
    when = np.sort(rng.uniform(60.0, max(61.0, length_s), count))
    marks = tuple(
        (float(at), float(np.radians(rng.normal(0, 5.0))), float(rng.normal(0, 0.008))) for at in when if at < length_s
    )
    share = float(np.clip(ideal.axial_share + rng.normal(0, 0.06), 0.4, 1.0)) if ideal.axial_share < 1 else 1.0
    return Strap(
        place,
        tuple(np.array(ideal.offset) + way),
        (float(quat[0]), float(quat[1]), float(quat[2]), float(quat[3])),
        share,
        ideal.wobble * float(np.exp(rng.normal(0, 0.3))) * body.girth,
        ideal.wobble_hz * float(np.exp(rng.normal(0, 0.12))),
        marks,
    )
