"""A live session with a sensor that stops sending and returns: its replay gives the live frames and updates."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np

from rehabcount.bedside.config import Settings
from rehabcount.bedside.rigging import Choice, assemble, remembered, swinging
from rehabcount.domain.motion import Frames
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.update import Gap, Lost, Returned, Update
from rehabcount.engine import walk
from rehabcount.sensors.families import DOT
from rehabcount.sensors.radio.inprocess import backend_of
from rehabcount.sensors.radio.supervisor import Radio
from rehabcount.sensors.replay import Replay
from rehabcount.sensors.swinging import swing_of
from rehabcount.sensors.virtual import VirtualSensor
from rehabcount.sensors.virtual_faults import Fault, FaultKind
from rehabcount.signals.frames import joined
from rehabcount.store.recorder import Recorder, follow
from rehabcount.store.session_file import SessionFile

CHOICE = Choice("three", Side.RIGHT, "dot")
SETTINGS = Settings()
DEATH_S = (3.0, 2.0)


def record(path: Path, length_s: float) -> tuple[Rig, Frames, list[Update], int]:
    """A session of three virtual DOTs; the hand's is off for a while. Rig, live frames, live updates, start time."""
    begun_ns = time.monotonic_ns()
    air = [
        VirtualSensor(
            each.address,
            DOT,
            swinging(each.place),
            begun_ns,
            faults=[Fault(FaultKind.DEATH, *DEATH_S)] if each.place.value == "right-hand" else [],
        )
        for each in remembered(SETTINGS, CHOICE)
    ]
    blocks: list[Frames] = []
    news: list[Update] = []
    with Radio(backend=backend_of(air)) as radio:
        rig = assemble(radio, SETTINGS, CHOICE, 0.3)
        SessionFile.create(path, rig).close()
        recorder = Recorder(path)
        stream = radio.stream(rig, recorder.accept, lambda update: None)

        def walk_along() -> None:
            items = follow(path, threading.Event())
            blocks.extend(walk.frames(items, rig, on_update=news.append))

        engine = threading.Thread(target=walk_along)
        engine.start()
        time.sleep(length_s)
        stream.close()
        recorder.close()
        engine.join()
    return rig, joined(blocks, len(rig)), news, begun_ns


def test_live_is_replay_and_the_gap_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "live.rehab"
    rig, live, news, begun_ns = record(path, 9.0)
    again: list[Update] = []
    replayed = joined(list(walk.frames(Replay(path), rig, on_update=again.append)), len(rig))
    np.testing.assert_array_equal(live.values, replayed.values)
    np.testing.assert_array_equal(live.valid, replayed.valid)
    assert again == news

    lost = [update for update in news if isinstance(update, Lost)]
    returned = [update for update in news if isinstance(update, Returned)]
    assert [update.sensor for update in lost] == ["right-hand"]
    assert [update.sensor for update in returned] == ["right-hand"]
    assert 2.0 < returned[0].at_s - lost[0].since_s < 2.0 + 5.0
    gaps = [update for update in news if isinstance(update, Gap) and update.sensor == "right-hand"]
    assert max(gap.end_s - gap.start_s for gap in gaps) > 1.9

    # Before and after the gap the frames are the motion, but for the few milliseconds that a packet takes.
    with SessionFile.open(path) as file:
        first_ns = next(iter(file.items())).received_ns
    for i, sensor in enumerate(rig.sensors):
        assert sensor.place is not None
        valid = live.valid[:, i]
        asked_s = live.time_s[valid] + (first_ns - begun_ns) / 1e9
        truth = swing_of(sensor.place)(asked_s)
        off = live.acc[valid, i] - truth.acc
        assert np.sqrt(np.mean(np.sum(off**2, axis=1))) < 0.4
    assert live.valid[-50:].all()
