"""`kill -9` at a random moment of a recording: all items but those of the last second are in the file, in order."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Rig
from rehabcount.store.connection import CHECKPOINT_PAGES
from rehabcount.store.contents import State
from rehabcount.store.recorder import Recorder
from rehabcount.store.recovery import close_interrupted
from rehabcount.store.session_file import SessionFile

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")

CHILD = Path(__file__).with_name("recording_child.py")
ALLOWED_LOSS = 900  # packets: one second of nine sensors at 100 Hz


def record_and_kill(path: Path, rig: Rig, after_s: float, checkpoint_pages: int) -> int:
    """Records into `path` and is killed; returns how many packets the recorder had accepted by then."""
    SessionFile.create(path, rig).close()
    child = subprocess.Popen(
        [sys.executable, str(CHILD), str(path), str(checkpoint_pages)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None
    first = child.stdout.readline()
    time.sleep(after_s)
    child.send_signal(signal.SIGKILL)
    rest, complaints = child.communicate()
    assert child.returncode == -signal.SIGKILL, complaints.decode()
    whole_lines = (first + rest).split(b"\n")[:-1]
    return int(whole_lines[-1]) + 1


def check_survival(path: Path, rig: Rig, accepted: int, go_on: bool) -> int:
    """Checks the file; returns how many accepted packets are missing."""
    with SessionFile.open(path) as file:
        assert file.state() is State.INTERRUPTED
        assert file.damage() == ()
        items = list(file.items())
    times = [item.received_ns for item in items]
    assert times == sorted(times)
    expected = [Packet(rig.names[i % 9], i.to_bytes(63, "big"), times[i]) for i in range(len(items))]
    assert items == expected
    if go_on:
        with Recorder(path) as recorder:
            recorder.accept(Packet(rig.names[0], b"after the interruption", time.monotonic_ns()))
        with SessionFile.open(path) as file:
            again = list(file.items())
            assert file.state() is State.CLOSED
        assert again[: len(items)] == items
        assert all(isinstance(item, Silence) for item in again[len(items) : -1])
        assert again[-1].received_ns > times[-1] if times else again
        assert isinstance(again[-1], Packet)
        assert again[-1].payload == b"after the interruption"
    else:
        assert close_interrupted(path)[1].packets == len(items)
        assert list(path.parent.iterdir()) == [path]
    return accepted - len(items)


def survive(folder: Path, rig: Rig, number: int, longest_s: float) -> int:
    moment = random.Random(number)
    path = folder / str(number) / "a.rehab"
    # Every other one folds its log into the file with every commit, so that this moment is tested, too.
    checkpoint_pages = 1 if number % 4 < 2 else CHECKPOINT_PAGES
    accepted = record_and_kill(path, rig, moment.uniform(0.0, longest_s), checkpoint_pages)
    return check_survival(path, rig, accepted, go_on=bool(number % 2))


@pytest.mark.parametrize("number", range(3))
def test_three_moments(tmp_path: Path, rig: Rig, number: int) -> None:
    assert survive(tmp_path, rig, number, 1.0) <= ALLOWED_LOSS


@pytest.mark.slow
def test_fifty_moments(tmp_path: Path, rig: Rig) -> None:
    with ThreadPoolExecutor(4) as side_by_side:
        losses = list(side_by_side.map(lambda number: survive(tmp_path, rig, number, 2.0), range(100, 150)))
    print(f"packets lost: worst {max(losses)}, mean {sum(losses) / 50:.0f} of {ALLOWED_LOSS} allowed")
    assert max(losses) <= ALLOWED_LOSS
