"""Made-up people who wear sensors: arms that move as joints can, measured by sensors worn in known ways."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from rehabcount.domain.motion import G_M_S2
from rehabcount.domain.rig import Side

Array = NDArray[np.float64]
STANDING = Rotation.from_matrix(
    np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])
)  # body axes of a hanging part, to earth
# Sensor axes in body axes, as columns: how each sensor of the corpora is worn.
KIEL_TRUNK = np.array([[0.0, 0, 1.0], [1.0, 0, 0], [0, 1.0, 0]])  # x up, z forward
KIEL_ARM = {
    Side.RIGHT: np.array([[0.0, -1.0, 0], [1.0, 0, 0], [0, 0, 1.0]]),  # x up, z to the right
    Side.LEFT: np.array([[0.0, 1.0, 0], [1.0, 0, 0], [0, 0, -1.0]]),
}
PACKING_WRIST = {
    Side.RIGHT: np.eye(3),  # x to the thumb, y to the elbow
    Side.LEFT: np.diag([1.0, -1.0, -1.0]),
}
PACKING_UPPER = {
    Side.RIGHT: np.array([[-1.0, 0, 0], [0, -1.0, 0], [0, 0, 1.0]]),  # y to the elbow, z to the outside
    Side.LEFT: np.array([[1.0, 0, 0], [0, -1.0, 0], [0, 0, -1.0]]),
}


def wandering(rng: np.random.Generator, n: int, rate_hz: float, low: float, high: float, period_s: float) -> Array:
    """A smooth track between two values."""
    knots = max(4, int(n / rate_hz / period_s) + 3)
    values = rng.uniform(low, high, knots)
    at = np.linspace(0, knots - 1, n)
    left = np.minimum(at.astype(int), knots - 2)
    share = (1 - np.cos(np.pi * (at - left))) / 2
    return np.asarray(values[left] * (1 - share) + values[left + 1] * share)


def about(axis: str, angle: Array) -> Rotation:
    return Rotation.from_rotvec(np.outer(angle, np.eye(3)["xyz".index(axis)]))


def arm(rng: np.random.Generator, n: int, rate_hz: float, side: Side) -> tuple[Rotation, Rotation]:
    """Orientations of upper arm and forearm, body-part axes to earth, of a person at work who also turns about."""
    sign = 1.0 if side is Side.RIGHT else -1.0
    heading = about("z", wandering(rng, n, rate_hz, -1.0, 1.0, 4.0))
    swung = about("z", wandering(rng, n, rate_hz, -0.3, 0.6, 1.5))  # forward
    out = about("x", -sign * wandering(rng, n, rate_hz, 0.05, 0.6, 2.0))
    upper = heading * STANDING * out * swung
    flexed = about("z", wandering(rng, n, rate_hz, 0.5, 1.9, 1.0))
    turned = about("y", sign * wandering(rng, n, rate_hz, -0.7, 1.2, 1.2))
    return upper, upper * flexed * turned


def sensed(orientation: Rotation, worn: Array, rate_hz: float) -> Array:
    """(n, 6) in g and deg/s of a sensor that only turns; `worn` has its axes, in body axes, as columns."""
    turning = orientation * Rotation.from_matrix(worn)
    acc = turning.inv().apply([0.0, 0.0, 1.0])
    step = (turning[:-1].inv() * turning[1:]).as_rotvec() * rate_hz
    return np.concatenate([acc, np.degrees(np.concatenate([step, step[-1:]]))], axis=1)


def write_packing(path: Path, *, minutes: float = 2.0, seed: int = 0, boxes: int = 4, deg: float = 1.0) -> None:
    """A session as OpenPack's; `deg` is what a degree is written as."""
    rng = np.random.default_rng(seed)
    rate_hz = 1000 / 30
    n = int(minutes * 60 * rate_hz)
    held: dict[str, NDArray[np.generic]] = {}
    for names, side in ((("atr01", "atr03"), Side.RIGHT), (("atr02", "atr04"), Side.LEFT)):
        upper, fore = arm(rng, n, rate_hz, side)
        for name, motion in (
            (names[0], sensed(fore, PACKING_WRIST[side], rate_hz)),
            (names[1], sensed(upper, PACKING_UPPER[side], rate_hz)),
        ):
            motion[:, 3:] *= deg
            held[f"{name}/ms"] = 1_600_000_000_000 + np.arange(n) * 30
            held[f"{name}/motion"] = np.concatenate([motion, np.zeros((n, 4))], axis=1)
    length_s = minutes * 60 / boxes
    rows = ["uuid,user,session,box,id,operation,action,start,end"]
    for box in range(boxes):
        for action in range(3 + box):
            second = 1_600_000_000 + box * length_s + 1 + action
            start, end = (np.datetime64(int((second + more) * 1000), "ms") for more in (0, 0.5))
            rows.append(f"u,P1,S1,{box + 1},1,op,Pick Up,{start}+00:00,{end}+00:00")
    held["openpack-actions/csv"] = np.array("\n".join(rows))
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, allow_pickle=False, **held)


def write_still(path: Path, *, seconds: float = 12.0, seed: int = 0, g: float = 1.0, backwards: bool = False) -> None:
    """A person as Kiel's: standing in the pose, standing up, walking. `g` is what 1 g is written as; `backwards`: the
    trunk's sensor faces the other way."""
    rng = np.random.default_rng(seed)
    rate_hz = 100.0
    n = int(seconds * rate_hz)
    time_s = np.arange(n) / rate_hz

    def recording(lean: Array, swing: Array, flexion: Array) -> NDArray[np.float32]:
        trunk = STANDING * about("z", -lean)
        facing = KIEL_TRUNK @ np.diag([1.0, -1.0, -1.0]) if backwards else KIEL_TRUNK
        sensors = [sensed(trunk, facing, rate_hz)]
        for side in Side:
            upper = STANDING * about("z", swing)
            fore = upper * about("z", flexion)
            sensors += [sensed(upper, KIEL_ARM[side], rate_hz), sensed(fore, KIEL_ARM[side], rate_hz)]
        motion = np.stack(sensors, axis=2)  # (n, 6, sensors)
        motion[:, :3] *= g
        return (motion + rng.normal(0, 1e-3, motion.shape)).astype(np.float32)

    still = np.zeros(n)
    rise = (1 - np.cos(2 * np.pi * time_s / 4)) / 2
    held = {
        "calibration_1": recording(still, still, still + 0.25),
        "chairrise_preferred": recording(0.8 * rise, 0.7 * rise, 0.25 + 0.5 * rise),
        "walk_slow": recording(still, 0.3 * np.sin(2 * np.pi * time_s), 0.35 + 0.1 * np.sin(2 * np.pi * time_s)),
    }
    places = ["sternum", "left_upper_arm", "left_fore_arm", "right_upper_arm", "right_fore_arm"]
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, allow_pickle=False, places=np.array(places), **held)


def in_si(motion: Array) -> Array:
    """(n, 6) of g and deg/s in m/s2 and rad/s."""
    return np.concatenate([motion[:, :3] * G_M_S2, np.radians(motion[:, 3:])], axis=1)
