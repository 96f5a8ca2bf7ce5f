"""A private bus with a fake BlueZ on it, for bleak's real backend."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rehabcount.domain.rig import Rig, Sensor, Side, places_of
from rehabcount.sensors.families import FAMILIES, Family
from rehabcount.sensors.virtual import VirtualSensor

ROOT = Path(__file__).parents[3]
CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow receive_sender="*"/><allow own="*"/>
<allow user="*"/></policy></busconfig>
"""


class Bus:
    """A dbus-daemon of our own, at an address that survives its death."""

    def __init__(self, folder: Path) -> None:
        self._socket = folder / "bus"
        self._configuration = folder / "bus.conf"
        self._configuration.write_text(CONFIGURATION.format(socket=self._socket), encoding="utf-8")
        self.address = f"unix:path={self._socket}"
        self._daemon: subprocess.Popen[bytes] | None = None
        self._fakes: list[Fake] = []

    def start(self) -> None:
        self._socket.unlink(missing_ok=True)
        self._daemon = subprocess.Popen(["dbus-daemon", f"--config-file={self._configuration}", "--nofork"])
        until(self._socket.exists, 5.0)

    def fake(self, **plan: Any) -> Fake:
        fake = Fake(self.address, plan)
        self._fakes.append(fake)
        return fake

    def kill(self) -> None:
        """The bus dies, and with it everything on it."""
        for fake in self._fakes:
            fake.close()
        self._fakes.clear()
        if self._daemon is not None:
            self._daemon.kill()
            self._daemon.wait()
            self._daemon = None
        self._socket.unlink(missing_ok=True)


class Fake:
    """The process of tests/sensors/radio/fake_bluez.py."""

    def __init__(self, address: str, plan: dict[str, Any]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.sensors.radio.fake_bluez", json.dumps(plan)],
            cwd=ROOT,
            env=os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": address, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._answer() == {"ready": True}

    def __call__(self, do: str, **more: Any) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, **more}) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the fake BlueZ ended"
        return json.loads(line)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bus]:
    """A running bus; bleak will look for BlueZ there."""
    if sys.platform != "linux" or shutil.which("dbus-daemon") is None:
        pytest.skip("no dbus-daemon: bleak's BlueZ backend cannot be tried here")
    private = Bus(tmp_path)
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", private.address)
    private.start()
    yield private
    private.kill()


def until(holds: Callable[[], bool], within_s: float) -> float:
    """Waits until something holds; how long it took. Fails if it takes too long."""
    begun = time.monotonic()
    while not holds():
        if time.monotonic() - begun > within_s:
            pytest.fail(f"did not happen within {within_s} s")
        time.sleep(0.02)
    return time.monotonic() - begun


def nine(family: Family) -> Rig:
    """Nine sensors of a family, with addresses."""
    return Rig(
        "nine",
        tuple(
            Sensor(place.value, place, family.layout, family.rate_hz, f"D4:22:CD:00:00:{i:02X}")
            for i, place in enumerate(places_of("nine", Side.RIGHT))
        ),
    )


def plan_of(rig: Rig) -> list[dict[str, Any]]:
    """The sensors of a rig as the fake wants them."""
    names = {family.layout: name for name, family in FAMILIES.items()}
    return [
        {"address": each.serial, "family": names[each.layout], "place": each.place.value}
        for each in rig.sensors
        if each.place
    ]


def asked_directly(sensor: VirtualSensor, length_s: float) -> list[bytes]:
    """What a virtual sensor notifies of its measurements in so many seconds, without any radio."""
    family = sensor.family
    sensor.connect(0)
    sensor.notify(family.stream, True, 0)
    for write in family.start:
        sensor.write(write.characteristic, write.data, 0)
    return [data for uuid, data in sensor.due(round(length_s * 1e9)) if uuid == family.stream]
