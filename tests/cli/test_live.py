"""What is only recorded is shown and ended as what is counted."""

from __future__ import annotations

import io
import json
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from rehabcount.bedside.ending import Asked
from rehabcount.bedside.rigging import Choice, choose
from rehabcount.bedside.sources import PacedSource
from rehabcount.cli.live_view import show
from rehabcount.cli.sensor_watch import RecordedSensors, Watch
from rehabcount.cli.work.live import LiveRequest, run_live
from rehabcount.cli.work.replay import ReplayRequest, play
from rehabcount.domain.motion import Packet
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.update import Recorded, Said
from rehabcount.errors import CalibrationError, SensorError, StoreFull
from rehabcount.sensors.simulated import items_of
from rehabcount.signals.align import AlignSettings
from rehabcount.simulate.cohort import make_cohort
from rehabcount.simulate.recording import simulate_trial
from rehabcount.store.documents import SIDE, SIMULATION, TrainedSide
from rehabcount.store.recorder import LAST_TRIES_S
from rehabcount.store.session_file import SessionFile
from tests.bedside.test_session import WhenSaid, wait_until

WORN = ("right-hand", "c7")
VIRTUAL = Choice("one", Side.RIGHT, "dot")


@pytest.fixture(scope="module")
def motion() -> tuple[Rig, list[Recorded]]:
    recording = simulate_trial(make_cohort(0)[0], "drinking", 1)
    rig = Rig("two", tuple(sensor for sensor in recording.rig.sensors if sensor.name in WORN))
    items = [item for item in items_of(recording) if isinstance(item, Said) or item.sensor in WORN]
    return rig, items[:4000]


@pytest.fixture
def sensors(motion: tuple[Rig, list[Recorded]], tmp_path: Path) -> tuple[RecordedSensors, Watch]:
    rig, items = motion
    path = tmp_path / "live.rehab"
    SessionFile.create(path, rig).close()
    seen = Watch(rig, path.name)
    return RecordedSensors(path, PacedSource(items, None), seen, AlignSettings()), seen


def terminal(file: io.StringIO) -> Console:
    return Console(file=file, width=200)


def test_everything_recorded_is_seen_although_the_disk_was_full(
    sensors: tuple[RecordedSensors, Watch],
    motion: tuple[Rig, list[Recorded]],
    tmp_path: Path,
    full: threading.Event,
) -> None:
    running, seen = sensors
    sent = sum(isinstance(item, Packet) for item in motion[1])
    full.set()
    running.start()
    wait_until(lambda: running.unwritten_s > 1.0 and running.trouble)
    asked = Asked()
    asked.note(signal.SIGINT)
    words = WhenSaid("in memory", full.clear)
    show(running, seen, terminal(words), asked)
    assert "No room." in words.getvalue()
    assert " s are not on the disk" in words.getvalue()
    assert sum(seen.packets.values()) == sent
    with SessionFile.open(tmp_path / "live.rehab") as file:
        assert file.is_closed()
        assert sum(isinstance(item, Packet) for item in file.items()) == sent


def test_giving_up_says_what_is_lost(sensors: tuple[RecordedSensors, Watch], full: threading.Event) -> None:
    running, seen = sensors
    full.set()
    running.start()
    wait_until(lambda: running.unwritten_s > 1.0 and running.trouble)
    asked = Asked()
    asked.note(signal.SIGINT)
    again = WhenSaid("in memory", lambda: asked.note(signal.SIGINT))
    with pytest.raises(StoreFull, match="s of the recording are not on the disk"):
        show(running, seen, terminal(again), asked)
    assert running.wait(LAST_TRIES_S)


def test_the_trouble_of_a_disk_is_in_the_picture(motion: tuple[Rig, list[Recorded]]) -> None:
    seen = Watch(motion[0], "live.rehab")
    seen.trouble, seen.unwritten_s = "No room.", 12.0
    drawn = io.StringIO()
    terminal(drawn).print(seen.picture())
    assert "No room. 12 s are not on the disk" in drawn.getvalue()


def test_a_source_that_does_not_start_leaves_nothing_open(
    sensors: tuple[RecordedSensors, Watch], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise SensorError("no radio")

    monkeypatch.setattr(PacedSource, "start", refuse)
    with pytest.raises(SensorError):
        sensors[0].start()
    with SessionFile.open(tmp_path / "live.rehab") as file:
        assert file.is_closed()
    assert not any(thread.name in ("recorder", "watch") for thread in threading.enumerate())


def failing(_: object) -> None:
    raise RuntimeError("a defect")


def test_a_defect_of_the_watch_is_raised_and_the_record_is_whole(
    sensors: tuple[RecordedSensors, Watch], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running, seen = sensors
    monkeypatch.setattr(seen, "look", failing)
    running.start()
    with pytest.raises(RuntimeError, match="a defect"):
        show(running, seen, terminal(io.StringIO()))
    with SessionFile.open(tmp_path / "live.rehab") as file:
        assert file.is_closed()


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(f'data_folder = "{tmp_path.as_posix()}"\n', encoding="utf-8")
    monkeypatch.setenv("REHABCOUNT_SETTINGS", str(path))


def said(work: Callable[[], None], capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    work()
    return dict(json.loads(capsys.readouterr().out))


def test_a_session_that_was_recorded_is_watched_again(
    settings: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "live.rehab"
    request = LiveRequest(VIRTUAL, path, seconds=1.0, scan_s=0.2, record_only=True, as_json=True)
    live = said(lambda: run_live(request), capsys)
    again = said(lambda: play(ReplayRequest(path, None, sensors_only=True, as_json=True)), capsys)
    assert live["sensors"] == again["sensors"]
    assert live["frames"] == again["frames"]


def test_a_counted_session_keeps_its_arm_and_its_calibration(
    settings: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "live.rehab"
    counted = said(
        lambda: run_live(LiveRequest(choose("1", "left", "dot"), path, seconds=1.0, scan_s=0.2, as_json=True)), capsys
    )
    assert counted["side"] == "left"
    with SessionFile.open(path) as file:
        assert file.is_closed()
        assert file.document(SIDE) == TrainedSide(Side.LEFT)
        assert file.document(SIMULATION)


def test_a_calibration_that_is_not_there_is_said_before_any_sensor_is_looked_for(
    settings: None, motion: tuple[Rig, list[Recorded]], tmp_path: Path
) -> None:
    path = tmp_path / "earlier.rehab"
    SessionFile.create(path, motion[0]).close()
    with pytest.raises(CalibrationError, match="holds no calibration"):
        run_live(LiveRequest(Choice("one", Side.RIGHT), calibration=path))
