"""Sensors that measure what a body part does not do are doubted, once, until they are well again."""

from __future__ import annotations

import numpy as np

from rehabcount.domain.calibration import Calibration, Mounting, Verdict
from rehabcount.domain.motion import CHANNELS, Frames
from rehabcount.domain.rig import Place, Rig, Sensor
from rehabcount.domain.update import Doubt, Update
from rehabcount.engine.plausible import FELT, TILTED, Plausibility

RIG = Rig("two", (Sensor("c7", Place.C7, "generic", 100.0), Sensor("hand", Place.RIGHT_HAND, "generic", 100.0)))
CALIBRATION = Calibration(
    tuple(
        Mounting(sensor.name, sensor.place, (1.0, 0.0, 0.0, 0.0), 0.0, 1.0, "movement")
        for sensor in RIG.sensors
        if sensor.place is not None
    ),
    1.0,
    Verdict.GOOD,
)
UPRIGHT = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)  # turns the part's y up


def frames(index: int, *, gravity: float = 9.81, rate: float = 0.0, trunk: tuple[float, ...] = UPRIGHT) -> Frames:
    values = np.zeros((10, 2, CHANNELS))
    values[:, :, 2] = 9.81
    values[:, 1, 2] = gravity
    values[:, :, 3] = rate
    values[:, :, 6:] = UPRIGHT
    values[:, 0, 6:] = trunk
    return Frames(index, np.arange(index, index + 10) / 100.0, values, np.ones((10, 2), bool))


def news(blocks: list[Frames]) -> list[Update]:
    said: list[Update] = []
    looking = Plausibility(RIG, said.append)
    for block in blocks:
        looking.look(block, CALIBRATION)
    return said


def test_a_sensor_that_feels_too_little_is_doubted_once_and_then_well_again() -> None:
    wrong = [frames(10 * i, gravity=8.0) for i in range(350)]
    right = [frames(10 * i) for i in range(350, 500)]
    said = news([*wrong, *right])
    assert [(type(each), getattr(each, "sensor", ""), getattr(each, "reason", "")) for each in said] == [
        (Doubt, "hand", FELT),
        (Doubt, "hand", None),
    ]


def test_a_moving_sensor_is_not_judged_by_what_it_feels() -> None:
    assert news([frames(10 * i, gravity=14.0, rate=1.0) for i in range(150)]) == []


def test_a_trunk_that_lies_down_is_doubted() -> None:
    said = news([frames(10 * i, trunk=(1.0, 0.0, 0.0, 0.0)) for i in range(150)])
    assert [(each.sensor, each.reason) for each in said if isinstance(each, Doubt)] == [("c7", TILTED)]
