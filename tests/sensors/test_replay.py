"""Replay: the same packets in the same order at any pace, and steering from another thread."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Side, make_rig
from rehabcount.domain.update import Recorded
from rehabcount.sensors.replay import Replay
from rehabcount.store.session_file import SessionFile

RIG = make_rig("three", Side.RIGHT, "generic", 100.0)
START_NS = 5_000_000_000


@pytest.fixture
def session(tmp_path: Path) -> tuple[Path, list[Recorded]]:
    """Two seconds, a packet every 10 ms whose payload is its number, and one silence."""
    items: list[Recorded] = [
        Packet(RIG.names[i % 3], i.to_bytes(2, "little"), START_NS + i * 10_000_000) for i in range(200)
    ]
    items.insert(100, Silence(RIG.names[0], START_NS, START_NS + 995_000_000))
    path = tmp_path / "session.rehab"
    with SessionFile.create(path, RIG) as file:
        file.append(items)
        file.close_session()
    return path, items


def test_full_speed_gives_everything_as_it_came(session: tuple[Path, list[Recorded]]) -> None:
    path, items = session
    assert list(Replay(path)) == items
    assert list(Replay(path, start_s=1.5)) == items[151:]
    assert list(Replay(path, start_s=99.0)) == []


def test_pace(session: tuple[Path, list[Recorded]]) -> None:
    """At ten times the speed two seconds last 0.2 s: not less, and on a busy machine perhaps more."""
    path, items = session
    begun = time.monotonic()
    assert list(Replay(path, speed=10.0)) == items
    assert time.monotonic() - begun >= 0.199


def test_a_slow_reader_catches_up(session: tuple[Path, list[Recorded]]) -> None:
    """Due times are reckoned from the start: a clock that leapt ahead makes the rest due at once."""
    now = [0.0]
    replay = Replay(session[0], speed=1.0, clock=lambda: now[0])
    received = []
    for item in replay:
        received.append(item)
        now[0] = 100.0
    assert received == session[1]


def test_pause_resume_seek_and_close_from_another_thread(session: tuple[Path, list[Recorded]]) -> None:
    path, items = session
    replay = Replay(path, speed=20.0)
    received: list[Recorded] = []
    reader = threading.Thread(target=lambda: received.extend(replay))
    replay.pause()
    reader.start()
    time.sleep(0.05)
    assert replay.paused
    assert replay.position_s == 0.0
    replay.seek(1.0)
    replay.speed = None
    replay.resume()
    reader.join(5)
    assert not reader.is_alive()
    assert received == items[101:]

    waiting = Replay(path, speed=1e-6)
    late = threading.Thread(target=lambda: list(waiting))
    late.start()
    time.sleep(0.02)
    waiting.close()
    late.join(5)
    assert not late.is_alive()


def test_seek_backwards_plays_again(session: tuple[Path, list[Recorded]]) -> None:
    path, items = session
    replay = Replay(path)
    received = []
    for item in replay:
        received.append(item)
        if len(received) == 150:
            replay.seek(0.5)
    assert received == items[:150] + items[50:]


def test_an_empty_session_ends_at_once(tmp_path: Path) -> None:
    with SessionFile.create(tmp_path / "empty.rehab", RIG) as file:
        file.close_session()
    assert list(Replay(tmp_path / "empty.rehab")) == []


def test_speed_must_be_positive(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="speed"):
        Replay(tmp_path / "x.rehab", speed=0.0)
