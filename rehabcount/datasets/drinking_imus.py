"""Virtual IMUs on the marker clusters of real people drinking (Averta et al. 2021, Hannover site).

    in   drinking.npz as `rehabcount.datasets.drinking` describes it
    out  Drink: what an ideal IMU on thorax, upper arm and forearm would measure, in the axes of the body part

A cluster of markers moves as a rigid body; its pose through time, smoothed, is differentiated. Its axes are those that
our calibration would have found. Joint markers, averaged over the trial in the cluster's own axes, give the axes of the
bones in the cluster while this person drinks. But skin follows only a share of a bone's turn about its length, and a
calibrated sensor has the bone's axes in the pose of the calibration: arm hanging, palm down. So the axes are turned
about the length of upper arm and forearm by the lag of the skin since that pose.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.signal import butter, sosfiltfilt
from scipy.spatial.transform import Rotation

from rehabcount.datasets.drinking import NEEDED, marker_names, markers_of, opened
from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import GRAVITY_M_S2
from rehabcount.errors import DatasetMissing

POINTS = (*NEEDED, "ELB_L", "ELB_M", "SA_1", "SA_2", "SA_3")
RATES_HZ = (20.0, 10_000.0)  # of cameras; twice what is smoothed away at least
UP_M_S2 = np.array([0.0, 0.0, GRAVITY_M_S2])  # what a sensor at rest feels, earth axes
CLUSTERS = {"thorax": "CS_", "upper-arm": "H_", "forearm": "RU_"}
RIGHT = np.array([-1.0, 0.0, 0.0])  # these people face -y
ELBOW_HALF_WIDTH_M = 0.035
SMOOTH_HZ = 8.0  # drinking holds next to nothing above; markers jitter by tenths of a millimetre
# Of a turn about the length, what the skin follows: the simulator's middle values. On the forearms of the fit half the
# wrist's markers turn 1.42 times as far as the cluster does, which is the same.
FOLLOWS = {"upper-arm": 0.60, "forearm": 0.70}
PALM_DOWN_RAD = np.pi / 2  # the forearm's turn in the pose of the calibration


@dataclass(frozen=True, slots=True)
class VirtualImu:
    acc: Floats  # (n, 3) in the axes of the body part
    gyr: Floats
    orientation: Any  # scipy Rotation: body-part axes to earth
    velocity: Floats  # (n, 3) in earth axes


@dataclass(frozen=True, slots=True)
class DrinkImus:
    name: str
    side: str
    rate_hz: float
    parts: dict[str, VirtualImu]
    elbow_flexion: Floats  # from the joint markers
    carrying_rad: float  # of the elbow, as of a right arm


def trials(folder: Path) -> list[str]:
    """Names of all drinks in `folder`/drinking/drinking.npz."""
    path = folder / "drinking" / "drinking.npz"
    if not path.is_file():
        raise DatasetMissing(f"{path} does not exist.", advice="Give the folder that holds drinking/drinking.npz.")
    with opened(path) as data:
        return sorted({name.split("/")[0] for name in data if "/" in name})


def load(folder: Path, name: str) -> DrinkImus:
    """One drink. DatasetChanged where it is not as it was published, or its markers do not determine an arm."""
    with opened(folder / "drinking" / "drinking.npz") as data:
        names = marker_names(data)
        if lacking := set(POINTS) - set(names):
            raise ValueError(f"no marker is called {', '.join(sorted(lacking))}")
        rate = float(data.need("rate_hz"))
        if not RATES_HZ[0] <= rate <= RATES_HZ[1]:
            raise ValueError(f"a rate of {rate:g} Hz")
        return _imus(name, str(data.need(f"{name}/side")), markers_of(data, name, names) / 1000, names, rate)


def _imus(name: str, side: str, markers: Floats, names: list[str], rate: float) -> DrinkImus:
    point = {n: markers[:, i] for i, n in enumerate(names)}
    pose = {
        part: _rigid(np.stack([filled(point[n]) for n in names if n.startswith(prefix)], 1), rate)
        for part, prefix in CLUSTERS.items()
    }

    def inside(part: str, where: Floats) -> Floats:
        """A marker's mean place in the axes of a cluster."""
        rotation, centre = pose[part]
        return np.nanmedian(rotation.inv().apply(where - centre), axis=0)

    wrist = (point["WRA"] + point["WRB"]) / 2
    shoulder = np.mean([point[n] for n in ("SA_1", "SA_2", "SA_3")], axis=0) - [0, 0, 0.04]  # below the acromion
    sign = 1.0 if side == "right" else -1.0
    lateral = inside("upper-arm", point["ELB_L"])
    if np.isfinite(point["ELB_M"]).any():
        bending = sign * (lateral - inside("upper-arm", point["ELB_M"]))
        upper_elbow = (lateral + inside("upper-arm", point["ELB_M"])) / 2
    else:  # hidden throughout in a few trials
        bending = _bending_axis(pose["upper-arm"][0], pose["forearm"][0], rate)
        upper_elbow = lateral - sign * ELBOW_HALF_WIDTH_M * bending
    elbow = pose["upper-arm"][0].apply(upper_elbow) + pose["upper-arm"][1]
    axes: dict[str, Any] = {}  # body-part axes to cluster axes
    axes["upper-arm"] = axes_of(y=inside("upper-arm", shoulder) - upper_elbow, z=bending)
    fore_y = inside("forearm", elbow) - inside("forearm", wrist)
    # WRA is on the thumb's side, which is the forearm's x: with the palm on the table its z is up.
    thumbward = inside("forearm", point["WRA"]) - inside("forearm", point["WRB"])
    axes["forearm"] = axes_of(y=fore_y, z=np.cross(thumbward, fore_y))
    start = pose["thorax"][0][0]
    axes["thorax"] = start.inv() * axes_of(y=np.array([0.0, 0.0, 1.0]), z=RIGHT)

    bones = {part: pose[part][0] * axes[part] for part in CLUSTERS}
    lag = (1 - FOLLOWS["upper-arm"]) * _twist(bones["thorax"].inv() * bones["upper-arm"])
    axes["upper-arm"] *= _about_length(-lag)
    turned = _twist_after_bending(bones["upper-arm"].inv() * bones["forearm"])
    axes["forearm"] *= _about_length((1 - FOLLOWS["forearm"]) * (sign * PALM_DOWN_RAD - turned))
    parts = {part: virtual_imu(*pose[part], axes[part], rate) for part in CLUSTERS}
    upper = pose["upper-arm"][0].apply(upper_elbow - inside("upper-arm", shoulder))
    fore = pose["forearm"][0].apply(inside("forearm", wrist) - inside("forearm", elbow))
    cosine = np.sum(upper * fore, axis=1) / np.linalg.norm(upper, axis=1) / np.linalg.norm(fore, axis=1)
    axis = bones["upper-arm"].apply([0.0, 0.0, 1.0])
    long = bones["forearm"].apply([0.0, 1.0, 0.0])
    carrying = sign * float(np.arcsin(np.mean(np.sum(axis * long, axis=1))))
    return DrinkImus(name, side, rate, parts, np.arccos(np.clip(cosine, -1, 1)), carrying)


def _twist(joint: Any) -> float:
    """How far a part is turned about its y against the one before it, in the middle of the trial (rad)."""
    _, y, _, w = joint.as_quat(canonical=True).T
    return float(np.median(2 * np.arctan2(y, w)))


def _twist_after_bending(elbow: Any) -> float:
    """The forearm's turn about its y, in the middle of the trial: the elbow first bends about z (rad)."""
    matrix = elbow.as_matrix()
    return float(np.median(np.arctan2(-matrix[:, 2, 0], matrix[:, 2, 2])))


def _about_length(angle: float) -> Any:
    return Rotation.from_euler("y", angle)


def filled(track: Floats) -> Floats:
    """Short holes closed by straight lines."""
    out = track.copy()
    t = np.arange(len(track))
    for axis in range(3):
        known = np.isfinite(track[:, axis])
        if not known.any():
            raise ValueError("a marker is hidden throughout")
        out[:, axis] = np.interp(t, t[known], track[known, axis])
    return out


def _rigid(points: Floats, rate: float) -> tuple[Any, Floats]:
    """Orientation and centre of a cluster (n, markers, 3), smoothed."""
    sos = butter(2, SMOOTH_HZ, fs=rate, output="sos")
    points = sosfiltfilt(sos, points, axis=0)
    centre = points.mean(axis=1)
    shape = points[0] - centre[0]
    # Kabsch for all instants at once.
    u, _, vt = np.linalg.svd(np.einsum("nmi,mj->nij", points - centre[:, None], shape))
    proper = np.sign(np.linalg.det(u @ vt))
    u[:, :, 2] *= proper[:, None]
    return Rotation.from_matrix(u @ vt), centre


def _bending_axis(upper: Any, fore: Any, rate: float) -> Floats:
    """The main axis of the elbow's movement in the upper arm's cluster, pointing to the person's right."""
    relative = upper.inv() * fore
    turn = (relative[2:] * relative[:-2].inv()).as_rotvec() * rate / 2  # in the upper arm's axes
    _, vectors = np.linalg.eigh(turn.T @ turn)
    axis = vectors[:, -1]
    return axis * np.sign(axis @ upper.inv().apply(RIGHT).mean(axis=0))


def axes_of(y: Floats, z: Floats) -> Any:
    y = y / np.linalg.norm(y)
    z = z - (z @ y) * y
    z = z / np.linalg.norm(z)
    return Rotation.from_matrix(np.stack([np.cross(y, z), y, z], axis=1))


def virtual_imu(rotation: Any, centre: Floats, axes: Any, rate: float) -> VirtualImu:
    orientation = rotation * axes
    step = (orientation[:-2].inv() * orientation[2:]).as_rotvec() * rate / 2  # centred differences
    gyr = np.concatenate([step[:1], step, step[-1:]])
    velocity = np.gradient(centre, 1 / rate, axis=0)
    acceleration = np.gradient(velocity, 1 / rate, axis=0)
    return VirtualImu(orientation.inv().apply(acceleration + UP_M_S2), gyr, orientation, velocity)
