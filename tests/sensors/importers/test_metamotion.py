from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rehabcount.errors import ImportRefused
from rehabcount.sensors.importers import ImportedRecording, read_export

G = 9.80665
Swing = Callable[..., Any]
WriteCsv = Callable[..., Path]
EPOCH_MS = 1_547_219_408_000


def only(recording: ImportedRecording) -> Any:
    (samples,) = recording.samples
    return samples


def columns_of(s: Any, values: Any, axes: str, delay_ms: int = 0, keep: Any = slice(None)) -> dict[str, Any]:
    epoch = [EPOCH_MS + delay_ms + round(1000 * t) for t in s.t[keep]]
    return {
        "epoch (ms)": epoch,
        "time (01:00)": ["2019-01-11T16:10:08.431"] * len(epoch),
        "elapsed (s)": [f"{(each - epoch[0]) / 1000:.3f}" for each in epoch],
        axes: values[keep],
    }


def name_of(kind: str, mac: str = "C42732BE255C") -> str:
    return f"push up_MetaWear_2019-01-11T16.10.08.270_{mac}_{kind}_1.4.4.csv"


def test_a_slow_accelerometer_is_interpolated_to_the_gyroscope(swing: Swing, write_csv: WriteCsv) -> None:
    slow, fast = swing(50, 4), swing(100, 4)
    acc = write_csv(name_of("Accelerometer_50.000Hz"), columns_of(slow, slow.acc / G, "{xyz}-axis (g)"))
    gyr = write_csv(name_of("Gyroscope_100.000Hz"), columns_of(fast, np.degrees(fast.gyr), "{xyz}-axis (deg/s)"))
    recording = read_export([acc, gyr])
    samples = only(recording)
    assert recording.name == "push up"
    assert recording.rig.sensors[0].rate_hz == 100
    assert len(samples) == 399  # the accelerometer ends one step of the gyroscope earlier
    np.testing.assert_allclose(samples.acc, fast.acc[:399], atol=5e-3)
    np.testing.assert_allclose(samples.gyr, fast.gyr[:399], atol=1e-6)


def test_nothing_is_interpolated_across_a_gap(swing: Swing, write_csv: WriteCsv) -> None:
    slow, fast = swing(50, 4), swing(100, 4)
    keep = np.r_[0:80, 120:200]
    acc = write_csv(name_of("Accelerometer_50.000Hz"), columns_of(slow, slow.acc / G, "{xyz}-axis (g)", keep=keep))
    gyr = write_csv(name_of("Gyroscope_100.000Hz"), columns_of(fast, np.degrees(fast.gyr), "{xyz}-axis (deg/s)"))
    samples = only(read_export([acc, gyr]))
    seconds = samples.received_ns / 1e9
    assert not ((seconds > 1.581) & (seconds < 2.399)).any()
    assert len(samples) == 399 - 81


def test_fused_orientation_and_foreign_quantities(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(100, 2)
    paths = [
        write_csv(name_of("Quaternion_100.000Hz"), columns_of(s, s.quat, "{wxyz} (number)")),
        write_csv(name_of("Gyroscope_100.000Hz"), columns_of(s, np.degrees(s.gyr), "{xyz}-axis (deg/s)")),
        write_csv(name_of("Linear_Acceleration_100.000Hz"), columns_of(s, s.acc * 0, "{xyz}-axis (g)")),
        write_csv(name_of("Magnetometer_25.000Hz"), columns_of(s, s.acc, "{xyz}-axis (T)")),
    ]
    recording = read_export(paths)
    samples = only(recording)
    assert samples.acc is None
    np.testing.assert_allclose(samples.quat, s.quat, atol=1e-6)
    assert sum("not used" in note for note in recording.notes) == 2


def test_two_boards_are_two_sensors(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(100, 2)
    paths = [
        write_csv(name_of("Accelerometer_100.000Hz", mac), columns_of(s, s.acc / G, "{xyz}-axis (g)", delay))
        for mac, delay in (("C42732BE255C", 0), ("D14E2CA1D3A9", 250))
    ]
    recording = read_export(paths)
    assert recording.rig.names == ("C42732BE255C", "D14E2CA1D3A9")
    assert [int(samples.received_ns[0]) for samples in recording.samples] == [0, 250_000_000]


def test_older_spelling_and_renamed_files(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(100, 2)
    acc, gyr = columns_of(s, s.acc / G, "{xyz}-axis (g)"), columns_of(s, np.degrees(s.gyr), "{xyz}-axis (deg/s)")
    for columns in (acc, gyr):
        columns["epoc (ms)"] = columns.pop("epoch (ms)")
        columns["timestamp (-0700)"] = columns.pop("time (01:00)")
    recording = read_export([write_csv("patient1_accelerometer.csv", acc), write_csv("patient1_gyroscope.csv", gyr)])
    assert recording.rig.names == ("patient1",)
    assert only(recording).gyr is not None


def test_files_of_different_moments_are_refused(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(100, 2)
    acc = write_csv(name_of("Accelerometer_100.000Hz"), columns_of(s, s.acc / G, "{xyz}-axis (g)", delay_ms=60_000))
    gyr = write_csv(name_of("Gyroscope_100.000Hz"), columns_of(s, np.degrees(s.gyr), "{xyz}-axis (deg/s)"))
    with pytest.raises(ImportRefused, match="no time in common"):
        read_export([acc, gyr])


def test_two_files_of_one_quantity_are_refused(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(100, 2)
    columns = columns_of(s, s.acc / G, "{xyz}-axis (g)")
    paths = [write_csv(name_of("Accelerometer_100.000Hz") + end, columns) for end in ("", "_2.csv")]
    with pytest.raises(ImportRefused, match="second acc file of board C42732BE255C"):
        read_export(paths)


def test_a_rate_in_the_name_that_is_not_true_is_noted(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(100, 2)
    recording = read_export(write_csv(name_of("Accelerometer_50.000Hz"), columns_of(s, s.acc / G, "{xyz}-axis (g)")))
    assert recording.rig.sensors[0].rate_hz == pytest.approx(100)
    assert any("says 50 Hz" in note for note in recording.notes)
