"""Virtual IMUs on the arm of a real person cooking (MoCA; see `rehabcount.datasets.moca`): upper arm, forearm, hand.

    in   `<action>_tr.mat` or `Scene1,2.mat`: single markers on shoulder, elbow, wrist, palm, index and little finger
    out  Kitchen: what ideal IMUs would measure, in body-part axes, and the labelled stretches

Single markers give a limb's direction and, with the elbow's bend and the knuckles' line, its turn about that direction.
The person faces -y, z is up, and the arm is the right one (the elbow swings out towards -x).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.signal import butter, sosfiltfilt
from scipy.spatial.transform import Rotation

from rehabcount.datasets.drinking_imus import SMOOTH_HZ, VirtualImu, filled, virtual_imu
from rehabcount.datasets.moca import RATE_HZ
from rehabcount.domain.arrays import Floats
from rehabcount.errors import DatasetMissing

POINTS = ("SHOULDER", "ELBOW", "WRIST", "PALM", "IND", "LIT")


@dataclass(frozen=True, slots=True)
class KitchenAction:
    """Frames `[start, end)` of one repetition or one action of a scene."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Kitchen:
    name: str
    rate_hz: float
    parts: dict[str, VirtualImu]
    wrist: Floats  # (n, 3) m, smoothed
    stretches: tuple[KitchenAction, ...]


def load(folder: Path, name: str) -> Kitchen:
    """`name` is a file in `folder`/moca without its ending: `reaching_tr`, `Scene1`."""
    from scipy.io import loadmat

    path = folder / "moca" / f"{name}.mat"
    if not path.is_file():
        raise DatasetMissing(f"{path} does not exist.", advice="Give the folder that holds the folder moca.")
    content = loadmat(path, squeeze_me=True)
    sos = butter(2, SMOOTH_HZ, fs=RATE_HZ, output="sos")
    point = {key: sosfiltfilt(sos, filled(np.asarray(content[key], float) / 1000), axis=0) for key in POINTS}
    borders = [int(at) for at in content["index"]]
    labels = [str(label) for label in content["labels"]] if "labels" in content else [name] * (len(borders) - 1)
    stretches = tuple(KitchenAction(label, a, b) for label, (a, b) in zip(labels, pairwise(borders), strict=True))
    return Kitchen(name, RATE_HZ, arm_imus(point, RATE_HZ), point["WRIST"], stretches)


def arm_imus(point: dict[str, Floats], rate_hz: float) -> dict[str, VirtualImu]:
    """IMUs on the right arm whose markers are `point`."""
    upper = point["SHOULDER"] - point["ELBOW"]
    fore = point["ELBOW"] - point["WRIST"]
    hand = point["WRIST"] - point["PALM"]
    thumbward = point["IND"] - point["LIT"]
    turns = {
        "upper-arm": _frames(upper, z=np.cross(upper, fore)),  # the elbow bends about its z
        "forearm": _frames(fore, z=np.cross(thumbward, fore)),
        "hand": _frames(hand, z=np.cross(thumbward, hand)),
    }
    centres = {
        "upper-arm": (point["SHOULDER"] + point["ELBOW"]) / 2,
        "forearm": 0.2 * point["ELBOW"] + 0.8 * point["WRIST"],
        "hand": point["PALM"],
    }
    still = Rotation.identity()
    return {part: virtual_imu(turns[part], centres[part], still, rate_hz) for part in turns}


def _frames(y: Floats, z: Floats) -> Rotation:
    y = y / np.linalg.norm(y, axis=1, keepdims=True)
    z = z - np.sum(z * y, axis=1, keepdims=True) * y
    z = z / np.linalg.norm(z, axis=1, keepdims=True)
    return Rotation.from_matrix(np.stack([np.cross(y, z), y, z], axis=2))
