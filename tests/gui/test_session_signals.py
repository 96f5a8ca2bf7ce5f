"""How fast sensors turned, read a stretch at a time: against the walk itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rehabcount.domain.motion import GYR
from rehabcount.domain.rig import Rig, Side, make_rig
from rehabcount.domain.update import Mark, Said
from rehabcount.engine import walk
from rehabcount.gui.session_signals import RATE_HZ, STRETCH_S, ReviewSignals, SignalStretch, read_stretch
from rehabcount.signals.frames import joined
from rehabcount.store.session_file import SessionFile
from tests.recorded_arm import RIG, arm_session

__all__ = ["arm_session"]


def test_stretches_are_the_walks_turning_speed(arm_session: Path) -> None:
    with SessionFile.open(arm_session) as session:
        frames = joined(list(walk.frames(session.items(), RIG)), len(RIG))
    wanted = np.degrees(np.linalg.norm(frames.values[:, :, GYR], axis=2))
    second = read_stretch(arm_session, RIG, 1)
    assert second.start_s == STRETCH_S
    times = second.start_s + np.arange(len(second.values)) / RATE_HZ
    inside = (times > 21) & (times < 35)
    found = second.values[inside]
    at = np.searchsorted(frames.time_s, times[inside] - 0.004)
    assert np.isfinite(found).mean() > 0.98
    known = np.isfinite(found)
    # Bias is removed in the walk and not here, and clocks settle anew in each stretch.
    assert np.median(np.abs(found[known] - wanted[at][known])) < 3.0
    assert np.corrcoef(found[known], wanted[at][known])[0, 1] > 0.98


def test_what_was_said_before_the_first_packet_does_not_move_time(arm_session: Path, tmp_path: Path) -> None:
    with SessionFile.open(arm_session) as session:
        items = list(session.items())
    late = Said(Mark(0.0, "from before"), items[0].received_ns + 30 * 10**9)
    with SessionFile.create(tmp_path / "b.rehab", RIG) as session:
        session.append([late, *items])
    plain, moved = (read_stretch(path, RIG, 0).values for path in (arm_session, tmp_path / "b.rehab"))
    assert np.array_equal(plain, moved, equal_nan=True)


def test_peaks_break_where_nothing_is_known() -> None:
    signals = ReviewSignals(1, 100.0)
    assert signals.next_wanted(0.0, 10.0) == 0
    stretch = read_stretch_of(np.arange(STRETCH_S * RATE_HZ, dtype=np.float32))
    signals.take(0, stretch)
    peaks = signals.peaks(0, 0.0, 40.0, 4)
    assert peaks[:2].tolist() == [499.0, 999.0]
    assert np.isnan(peaks[2:]).all()
    assert signals.next_wanted(0.0, 10.0) is None  # the rest waits until it is looked at
    assert signals.next_wanted(0.0, 100.0) == 2


def read_stretch_of(values: np.ndarray[tuple[int], np.dtype[np.float32]]) -> SignalStretch:
    return SignalStretch(0.0, values[:, None])


def test_a_session_without_packets_has_no_signals(tmp_path: Path) -> None:
    rig = make_rig("three", Side.LEFT, "generic", 100.0)
    SessionFile.create(tmp_path / "a.rehab", rig).close()
    assert np.isnan(read_stretch(tmp_path / "a.rehab", rig, 3).values).all()
    assert ReviewSignals(len(Rig("none", ())), 0.0).number_of_stretches == 1
