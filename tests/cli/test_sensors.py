"""The commands that need a radio, with virtual sensors and without any Bluetooth."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from rehabcount.bedside.config import Settings
from rehabcount.bedside.rigging import Choice, assemble, assign_by_moving, choose, open_radio, remembered
from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import Packet
from rehabcount.domain.rig import Place, Side
from rehabcount.errors import ConfigError, SensorNotFound
from rehabcount.sensors.assignment import Remembered, load, save
from rehabcount.sensors.swinging import Swing
from rehabcount.sensors.virtual import IdealReading, PlaceMotion
from rehabcount.store.documents import SIDE, TrainedSide
from rehabcount.store.library import look_at
from rehabcount.store.session_file import SessionFile

ROOT = Path(__file__).parents[2]


def _hear_ctrl_c() -> None:
    """Tests that run in a shell's background ignore Ctrl+C, and their child processes would inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(*words: str, folder: Path) -> subprocess.Popen[str]:
    settings = folder / "settings.toml"
    settings.write_text(f'data_folder = "{folder.as_posix()}"\n', encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, "-m", "rehabcount", *words],
        cwd=ROOT,
        preexec_fn=_hear_ctrl_c,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ
        | {"REHABCOUNT_SETTINGS": str(settings), "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={folder / 'nowhere'}"},
    )


def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    process = start(*words, folder=folder)
    out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def test_scan(tmp_path: Path) -> None:
    done = run("sensors", "scan", "--scan", "0.3", "--sensors", "3", "--virtual", "dot", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["sensors"]
    assert {each["place"] for each in found} == {"right-hand", "right-upper-arm", "sternum"}
    assert all(each["battery_percent"] == 80 and each["model"] == "dot" for each in found)


def test_check(tmp_path: Path) -> None:
    words = ["sensors", "check", "--scan", "0.3", "--seconds", "2", "--sensors", "3", "--virtual", "wit"]
    done = run(*words, "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["usable"]
    assert len(document["sensors"]) == 3
    assert all(each["verdict"] in ("good", "usable") for each in document["sensors"])


def test_live_records_what_it_shows(tmp_path: Path) -> None:
    path = tmp_path / "live.rehab"
    words = ["live", "--seconds", "3", "--scan", "0.3", "--virtual", "dot", "--json", "--record-only"]
    words += ["--file", str(path), "--side", "left"]
    done = run(*words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    with SessionFile.open(path) as file:
        recorded = [item for item in file.items() if isinstance(item, Packet)]
        assert len(file.rig) == 5
        assert file.is_closed()
        assert look_at(path).figures.simulated
        assert file.document(SIDE) == TrainedSide(Side.LEFT)
    assert sum(each["packets"] for each in summary["sensors"]) == len(recorded) > 5 * 60
    assert all(each["valid_share"] > 0.9 for each in summary["sensors"])


def test_ctrl_c_ends_a_session_properly(tmp_path: Path) -> None:
    path = tmp_path / "live.rehab"
    words = ["live", "--scan", "0.3", "--sensors", "3", "--virtual", "wit", "--json", "--record-only"]
    words += ["--file", str(path)]
    process = start(*words, folder=tmp_path)
    while not path.exists():
        assert process.poll() is None
        time.sleep(0.1)
    time.sleep(2.0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert len(json.loads(out)["sensors"]) == 3
    with SessionFile.open(path) as file:
        assert file.is_closed()
        assert sum(1 for _ in file.items()) > 100


@pytest.mark.skipif(sys.platform != "linux", reason="the bus is Linux's")
@pytest.mark.parametrize("command", [["sensors", "scan"], ["sensors", "check"], ["sensors", "identify"], ["live"]])
def test_without_bluetooth_every_command_says_so(tmp_path: Path, command: list[str]) -> None:
    begun = time.monotonic()
    done = run(*command, folder=tmp_path)
    assert done.returncode == 3
    assert "Bluetooth" in done.stderr
    assert "systemctl start bluetooth" in " ".join(done.stderr.split())
    assert time.monotonic() - begun < 3.0 + 2.0  # the interpreter's own start on a busy machine


def test_what_a_person_may_write() -> None:
    assert choose("5", "left", "dot") == Choice("five", Side.LEFT, "dot")
    for wrong in (("4", "left", ""), ("5", "upper", ""), ("5", "left", "acme")):
        with pytest.raises(ConfigError):
            choose(*wrong)


def test_the_rig_of_last_time(tmp_path: Path) -> None:
    settings = Settings(data_folder=str(tmp_path))
    choice = Choice("three", Side.RIGHT, "dot")
    with open_radio(settings, choice) as radio:
        rig = assemble(radio, settings, choice, 0.3)
        assert set(rig.places) == set(choice.places)
        real = Choice("three", Side.RIGHT)  # as if these were real sensors, of which one is remembered
        save(settings.sensor_book, (Remembered(rig.sensors[0].serial, "dot", Place.RIGHT_HAND),))
        with pytest.raises(SensorNotFound, match="right-upper-arm, sternum"):
            assemble(radio, settings, real, 0.3)
    assert len(load(settings.sensor_book)) == 1


class Limb:
    """Moves while it is asked to."""

    def __init__(self, moving: threading.Event) -> None:
        self._moving = moving

    def __call__(self, time_s: Floats) -> IdealReading:
        return Swing(0.8 if self._moving.is_set() else 0.0, 1.0, 0.4)(time_s)


def test_assigning_by_moving(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rehabcount.sensors.virtual.AHEAD_S", 0.1)  # so that a limb that is asked moves at once
    choice = Choice("three", Side.RIGHT, "dot")
    asked: dict[Place, threading.Event] = {place: threading.Event() for place in choice.places}

    def motion_of(place: Place) -> PlaceMotion:
        return Limb(asked[place])

    times: list[Place] = []

    def ask(place: Place) -> bool:
        times.append(place)
        for each, event in asked.items():
            if each is place and len(times) > 1:  # no limb moves the first time
                event.set()
            else:
                event.clear()
        return True

    with open_radio(Settings(), choice, motion_of) as radio:
        found = radio.scan(0.3).found
        chosen = assign_by_moving(radio, found, choice.places, ask, 0.8)
        places = {each.address: each.place for each in chosen}
    truth = {each.address: each.place for each in remembered(Settings(), choice)}
    assert places == truth
    assert times[:2] == [Place.RIGHT_HAND, Place.RIGHT_HAND]
