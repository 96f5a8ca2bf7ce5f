"""Every file of the folder of real exports: names, rates, units, counts, notes; or a refusal with the line."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import Samples
from rehabcount.domain.rig import Place
from rehabcount.errors import ImportRefused
from rehabcount.sensors.importers import ImportedRecording, read_export
from rehabcount.sensors.packets import decode_all
from rehabcount.signals.rotation import angular_rate

BOARD = "A-bench-heavy2-rpe8_MetaWear_2019-01-11T16.10.08.270_C42732BE255C_"


@pytest.fixture(scope="session")
def exports(data_folder: Path) -> Path:
    folder = data_folder / "device-exports"
    if not folder.is_dir():
        pytest.skip("the data folder has no device-exports")
    return folder


def measured_hz(samples: Samples) -> float:
    return (len(samples) - 1) / (int(samples.received_ns[-1] - samples.received_ns[0]) / 1e9)


def median_norm(values: Floats | None) -> float:
    assert values is not None
    return float(np.median(np.linalg.norm(values, axis=1)))


def noted(recording: ImportedRecording, *words: str) -> bool:
    return any(all(word in note for word in words) for note in recording.notes)


def test_movella_dot_app_folder(exports: Path) -> None:
    recording = read_export(exports / "movella-dot-app")
    assert recording.rig.names == ("LTibia", "Pelvis", "RFemur")
    assert recording.rig.places == (None, Place.PELVIS, None)  # tibia and femur are no places of ours
    assert [sensor.serial for sensor in recording.rig.sensors] == ["zxt", "Yao", "ydt"]
    assert [len(samples) for samples in recording.samples] == [381, 382, 381]
    for sensor, samples in zip(recording.rig.sensors, recording.samples, strict=True):
        assert sensor.rate_hz == 60
        assert measured_hz(samples) == pytest.approx(60, rel=1e-3)
        assert samples.acc is not None
        assert median_norm(samples.acc[:30]) == pytest.approx(9.81, abs=0.15)  # they stand still at first
        assert median_norm(samples.quat) == pytest.approx(1)
        assert median_norm(samples.gyr) < 3
    # One clock: equal ticks are the same moment, though RFemur began one sample later.
    tick = recording.of("RFemur").tick
    assert tick is not None
    assert tick[0] == 3343444552
    assert recording.of("RFemur").received_ns[0] == recording.of("LTibia").received_ns[1]
    assert noted(recording, "synchronised: one clock")
    assert noted(recording, "RFemur", "angular rate derived from orientation")
    assert len(recording.sources) == 3
    assert all(len(source.sha256) == 64 for source in recording.sources)


def test_movella_dot_sdk_log(exports: Path) -> None:
    recording = read_export(exports / "movella-dot-sdk-log.csv")
    (samples,) = recording.samples
    assert recording.rig.names == ("movella-dot-sdk-log",)
    assert recording.rig.sensors[0].rate_hz == 60
    assert len(samples) == 432 - 13
    assert measured_hz(samples) == pytest.approx(60, rel=1e-3)
    assert samples.acc is not None
    assert median_norm(samples.acc[:60]) == pytest.approx(9.9, abs=0.1)
    assert noted(recording, "lines 421-433", "13 samples lost")
    assert noted(recording, "0.1 ms")


def test_movella_dot_with_decimal_commas_needs_a_rate(exports: Path) -> None:
    path = exports / "movella-dot-semicolon.csv"
    with pytest.raises(ImportRefused, match=r"line 2: .* counter") as refusal:
        read_export(path)
    assert "--rate" in refusal.value.advice
    recording = read_export(path, rate_hz=60)
    (samples,) = recording.samples
    assert len(samples) == 277
    assert measured_hz(samples) == pytest.approx(60, rel=1e-4)
    assert samples.acc is None
    assert samples.gyr is not None
    assert np.linalg.norm(samples.gyr, axis=1).max() < 35  # rad/s: what a gyroscope can read
    assert noted(recording, "no accelerometer")
    assert noted(recording, "leaps")  # samples are missing in the file, and nothing in it says so


def test_metamotion_pair(exports: Path) -> None:
    pair = [exports / f"{BOARD}Accelerometer_12.500Hz_1.4.4.csv", exports / f"{BOARD}Gyroscope_25.000Hz_1.4.4.csv"]
    recording = read_export(pair)
    (samples,) = recording.samples
    assert recording.name == "A-bench-heavy2-rpe8"
    assert recording.rig.names == ("C42732BE255C",)
    assert recording.rig.sensors[0].rate_hz == 25
    assert measured_hz(samples) == pytest.approx(25, rel=1e-3)
    assert len(samples) == 411
    assert samples.acc is not None
    assert samples.gyr is not None
    np.testing.assert_allclose(samples.acc[0] / 9.80665, [0.010, 0.964, -0.087])  # the first line, in g
    np.testing.assert_allclose(samples.acc[1] / 9.80665, [0.005, 0.9625, -0.078])  # half-way to the second
    np.testing.assert_allclose(np.degrees(samples.gyr[0]), [2.622, -8.110, -4.024])
    assert median_norm(samples.acc) == pytest.approx(9.6, abs=0.3)
    assert noted(recording, "acc at 12.5 Hz interpolated", "gyr at 25 Hz")
    assert noted(recording, "3 samples dropped")


@pytest.mark.parametrize(
    ("kind", "number", "rate"), [("Accelerometer_12.500Hz", 206, 12.5), ("Gyroscope_25.000Hz", 414, 25)]
)
def test_half_a_metamotion_pair(exports: Path, kind: str, number: int, rate: float) -> None:
    recording = read_export(exports / f"{BOARD}{kind}_1.4.4.csv")
    (samples,) = recording.samples
    assert len(samples) == number
    assert recording.rig.sensors[0].rate_hz == rate
    assert (samples.acc is None) == (kind[0] == "G")
    assert (samples.gyr is None) == (kind[0] == "A")


def test_witmotion_logger_with_two_devices(exports: Path) -> None:
    recording = read_export(exports / "witmotion-logger-multi-device.csv")
    assert recording.rig.names == ("F3:89:79:49:6C:B3", "C3:16:82:EF:1B:48")
    for samples in recording.samples:
        assert len(samples) == 256
        assert measured_hz(samples) == pytest.approx(100, rel=0.02)
        assert samples.tick is None
        assert median_norm(samples.acc) == pytest.approx(9.81, abs=0.6)
    assert [sensor.rate_hz for sensor in recording.rig.sensors] == [100, 100]
    first = recording.samples[0]
    assert first.quat is not None
    assert first.acc is not None
    # Fresh angles: the orientation of a row is its own, and gravity agrees with it where nothing else acts.
    assert (np.diff(first.quat, axis=0) != 0).any(axis=1).all()
    assert noted(recording, "F3:89:79:49:6C:B3", "quaternion columns repeat", "95%")
    assert noted(recording, "agrees with gravity")
    assert noted(recording, "receipt times")
    assert noted(recording, "angular rate derived from orientation")


def test_witmotion_logger_malformed(exports: Path) -> None:
    with pytest.raises(
        ImportRefused, match=r"witmotion-logger-malformed\.csv, line 2: 14 names but 11 values"
    ) as refusal:
        read_export(exports / "witmotion-logger-malformed.csv")
    assert refusal.value.line == 2


def test_witmotion_packets(exports: Path) -> None:
    recording = read_export(exports / "witmotion-raw-packets.bin")
    (samples,) = recording.samples
    assert recording.rig.names == ("witmotion-raw-packets",)
    assert recording.rig.sensors[0].rate_hz == 20
    assert measured_hz(samples) == pytest.approx(20, rel=1e-6)
    assert len(samples) == 2197
    assert median_norm(samples.acc) == pytest.approx(9.80, abs=0.02)
    assert noted(recording, "2197 frames of 28 bytes", "0 bytes between frames")
    # The Euler convention: the turning that the orientation shows is that of the gyroscope.
    assert samples.quat is not None
    assert samples.gyr is not None
    shown = angular_rate(samples.quat, 20.0)[1:]
    felt = (samples.gyr[1:] + samples.gyr[:-1]) / 2
    assert np.corrcoef(shown.ravel(), felt.ravel())[0, 1] > 0.85


def test_a_folder_of_everything_is_refused(exports: Path) -> None:
    with pytest.raises(ImportRefused, match="different kinds"):
        read_export(exports)


def test_every_recording_walks_as_packets(exports: Path) -> None:
    for path in (
        "movella-dot-app",
        "movella-dot-sdk-log.csv",
        "witmotion-logger-multi-device.csv",
        "witmotion-raw-packets.bin",
    ):
        recording = read_export(exports / path)
        packets = list(recording.packets())
        assert all(a.received_ns <= b.received_ns for a, b in pairwise(packets))
        again = decode_all(packets, recording.rig)
        for samples in recording.samples:
            for name in ("received_ns", "tick", "acc", "gyr", "quat"):
                np.testing.assert_array_equal(getattr(again[samples.sensor], name), getattr(samples, name))
