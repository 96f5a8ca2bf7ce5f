"""Virtual IMUs on real arms through the product's chain: orientation filter, features of recipe `bedside`, recogniser.

In: ideal IMUs in body-part axes (from markers), and a recogniser. Out: settled movements with their start times.

The sensors get the noise and bias of ordinary ones. Missing sensors are masked, as in a session with a small rig. Rest
is added before and after the recording, because the orientation filter needs rest to start and the recogniser needs
time to settle its last movement; the sessions from which trials were cut had rest, too. Some trials are cut while the
arm still moves. Then the arm is slowed down, because an instant stop is impossible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from rehabcount.datasets.drinking_imus import UP_M_S2, VirtualImu
from rehabcount.domain.arrays import Floats
from rehabcount.domain.calibration import Calibration, Mounting, Verdict
from rehabcount.domain.motion import CHANNELS, FRAME_RATE_HZ, Frames, Rows
from rehabcount.domain.rig import Place, Rig, Sensor, Side
from rehabcount.inference.artifact import SHIPPED, find, open_model
from rehabcount.inference.card import check_fit
from rehabcount.signals.features import BEDSIDE, featurize_all
from rehabcount.signals.orientation import orient_all

HELD_S = 3.0
# Of it, for what still moves. Recordings are cut at a third of the peak speed and below, which is less than 0.2 s from
# rest on the way to a cup.
STOPPING_S = 0.2
ACC_NOISE, GYR_NOISE, GYR_BIAS = 0.03, 0.003, 0.003  # m/s2, rad/s, rad/s: ordinary sensors
PLACES = {"thorax": Place.STERNUM}
Moves = list[tuple[str, float]]  # (label, start in s), in order


def rows_of(parts: Mapping[str, VirtualImu], side: Side, rate_hz: float, carrying_rad: float, seed: int) -> Rows:
    """Feature rows of an arm, HELD_S of rest included at both ends."""
    rng = np.random.default_rng(seed)
    rig = rig_of(parts, side)
    readings = np.stack([held(np.concatenate([imu.acc, imu.gyr], axis=1), imu, rate_hz) for imu in parts.values()], 1)
    shape = readings[:, :, :3].shape
    readings[:, :, :3] += rng.normal(0, ACC_NOISE, shape)
    readings[:, :, 3:] += rng.normal(0, GYR_NOISE, shape) + rng.normal(0, GYR_BIAS, (1, *shape[1:]))
    values = np.full((len(readings), len(parts), CHANNELS), np.nan)
    values[:, :, :6] = readings
    time_s = np.arange(len(readings)) / FRAME_RATE_HZ
    oriented = orient_all(Frames(0, time_s, values, np.ones(readings.shape[:2], bool)))
    forearm = Place.on(side, "forearm")
    mounting = Mounting(forearm.value, forearm, (1.0, 0.0, 0.0, 0.0), 0.0, 1.0, "markers", (), carrying_rad)
    return featurize_all(oriented, rig, BEDSIDE, side, Calibration((mounting,), 1.0, Verdict.GOOD))


def rig_of(parts: Iterable[str], side: Side) -> Rig:
    places = [PLACES.get(part) or Place.on(side, part) for part in parts]
    return Rig("markers", tuple(Sensor(place.value, place, "none", FRAME_RATE_HZ) for place in places))


def held(readings: Floats, imu: VirtualImu, rate_hz: float) -> Floats:
    """At FRAME_RATE_HZ, with HELD_S before and after in which the arm starts from rest and comes to rest."""
    every = round(rate_hz / FRAME_RATE_HZ)
    return np.concatenate([_to_rest(imu, 0)[::-1], readings[::every], _to_rest(imu, -1)])


def _to_rest(imu: VirtualImu, end: int) -> Floats:
    """What the sensor measures beyond that end (0 or -1) of the recording, going away from it: speed and rate fall to
    nothing within STOPPING_S."""
    away = 1.0 if end else -1.0  # before the recording, time runs the other way
    time_s = np.arange(1, round(HELD_S * FRAME_RATE_HZ) + 1)[:, None] / FRAME_RATE_HZ
    phase = np.pi * np.minimum(time_s / STOPPING_S, 1.0)
    left = (1 + np.cos(phase)) / 2
    lasted_s = (phase + np.sin(phase)) * STOPPING_S / (2 * np.pi)  # the same way at full speed would take so long
    slowing = -np.sin(phase) * np.pi / (2 * STOPPING_S)
    turned = imu.orientation[end] * Rotation.from_rotvec(away * lasted_s * imu.gyr[end])
    acc = turned.inv().apply(away * slowing * imu.velocity[end] + UP_M_S2)
    return np.concatenate([acc, left * imu.gyr[end]], axis=1)


def recogniser_of(model: str, parts: Sequence[str]) -> tuple[Callable[[Rows], Moves], str]:
    """A shipped model by name, an artifact's folder, or a checkpoint.pt; and what it is called."""
    from rehabcount.models import card_scores

    path = Path(model)
    if path.suffix == ".pt":
        from rehabcount.models.torch_extra import require_torch

        require_torch()
        from rehabcount.models.trained import load_trained

        recognise, labels = card_scores.checkpoint_recogniser(path), load_trained(path).about["data"]["labels"]
        name = path.parent.name
    else:
        opened = open_model(find(model, [SHIPPED]).folder)
        check_fit(opened.card, BEDSIDE, rig_of(parts, Side.RIGHT), Side.RIGHT)
        recognise, labels = card_scores.artifact_recogniser(opened), opened.card.labels
        name = f"{opened.card.name} {opened.card.version}"

    def moves_of(rows: Rows) -> Moves:
        found = recognise(rows.values.astype(np.float32), rows.valid)
        return [(labels[label], start_s - HELD_S) for label, start_s in found]

    return moves_of, name
