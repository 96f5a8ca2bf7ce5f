"""A recorded session with known truth, for the commands."""

from __future__ import annotations

import heapq
from pathlib import Path

import numpy as np
import pytest

from rehabcount.domain.motion import Packet, Samples
from rehabcount.domain.rig import Place, Rig, Sensor, Side
from rehabcount.domain.sequence import Segment
from rehabcount.sensors.encode import encode
from rehabcount.store.layers import REFERENCE
from rehabcount.store.session_file import SessionFile
from tests.signals.motions import arm_motion, read

PLACES = (Place.STERNUM, Place.RIGHT_UPPER_ARM, Place.RIGHT_FOREARM, Place.RIGHT_HAND)
RIG = Rig("four", tuple(Sensor(place.value, place, "generic", 100.0) for place in PLACES))


@pytest.fixture(scope="session")
def arm_session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """36 s of calibration and exercise of a right arm, in generic packets, with two reference labels."""
    readings, _ = read(arm_motion(36.0), np.random.default_rng(0), tilt_rad=0.2, noise=1.0)
    tick = np.arange(len(readings)) * 10_000
    streams = [
        encode(Samples(name, tick * 1000 + 10**12, tick, readings[:, i, :3], readings[:, i, 3:]), "generic")
        for i, name in enumerate(RIG.names)
    ]
    packets: list[Packet] = list(heapq.merge(*streams, key=lambda packet: packet.received_ns))
    path = tmp_path_factory.mktemp("session") / "arm.rehab"
    with SessionFile.create(path, RIG) as file:
        file.append(packets)
        file.add_segments(
            REFERENCE, [Segment("reach", Side.RIGHT, 24.0, 25.5), Segment("idle", Side.RIGHT, 25.5, 26.0)]
        )
        file.close_session()
    return path
