"""Virtual IMUs on real arms through the product's chain: orientation filter, features of recipe `bedside`, recogniser.

In: ideal IMUs in body-part axes (from markers), and a recogniser. Out: settled movements with their start times.

The sensors get the noise and bias of ordinary ones. Sensors that are not there are masked, as in a session with a small
rig. Before the recording and after it the person is held still in the first and the last pose, for as long as a filter
needs to find up and a recogniser to settle its last movement: a trial is cut from a session, and in the session there
was rest on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rehabcount.datasets.drinking_imus import VirtualImu
from rehabcount.domain.arrays import Floats
from rehabcount.domain.calibration import Calibration, Mounting, Verdict
from rehabcount.domain.motion import CHANNELS, FRAME_RATE_HZ, Frames, Rows
from rehabcount.domain.rig import Place, Rig, Sensor, Side
from rehabcount.inference.artifact import SHIPPED, find, open_model
from rehabcount.inference.card import check_fit
from rehabcount.signals.features import BEDSIDE, featurize_all
from rehabcount.signals.orientation import orient_all

HELD_S = 3.0
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


def rig_of(parts: Sequence[str] | Mapping[str, Any], side: Side) -> Rig:
    places = [PLACES.get(part) or Place.on(side, part) for part in parts]
    return Rig("markers", tuple(Sensor(place.value, place, "none", FRAME_RATE_HZ) for place in places))


def held(readings: Floats, imu: VirtualImu, rate_hz: float) -> Floats:
    """At FRAME_RATE_HZ, with rest before and after: gravity as the first and the last pose feel it, no turning."""
    every = round(rate_hz / FRAME_RATE_HZ)
    number = round(HELD_S * FRAME_RATE_HZ)
    rest = np.zeros((2, 6))
    rest[:, :3] = imu.orientation[[0, -1]].inv().apply([0.0, 0.0, 9.81])
    return np.concatenate([np.repeat(rest[:1], number, 0), readings[::every], np.repeat(rest[1:], number, 0)])


def recogniser_of(model: str, parts: Sequence[str]) -> tuple[Callable[[Rows], Moves], str]:
    """A shipped model by name, an artifact's folder, or a checkpoint.pt; and what it is called."""
    from rehabcount.models import card_scores

    path = Path(model)
    if path.suffix == ".pt":
        from rehabcount.models.extra import require_torch

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
