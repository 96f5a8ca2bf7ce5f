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
UNIX_S = 1_746_364_581.0


def only(recording: ImportedRecording) -> Any:
    (samples,) = recording.samples
    return samples


def bursts(s: Any, size: int = 4) -> list[str]:
    """Receipt times: rows arrive `size` at a time and share the moment at which they did."""
    return [f"{UNIX_S + s.t[min(i - i % size + size, len(s.t)) - 1]:.6f}" for i in range(len(s.t))]


def test_a_logger_with_a_gyroscope(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(100, 5)
    columns = {
        "timestamp": bursts(s),
        "Acc{XYZ}": s.acc,
        "As{XYZ}": np.degrees(s.gyr),
        "Ang{XYZ}": s.euler_deg,
        "H{XYZ}": s.acc,
        "Q{0123}": s.quat,
    }
    recording = read_export(write_csv("left_wrist.csv", columns))
    samples = only(recording)
    assert recording.rig.names == ("left_wrist",)
    assert recording.rig.sensors[0].rate_hz == 100
    assert samples.tick is None
    np.testing.assert_allclose(samples.acc, s.acc, atol=1e-6)
    np.testing.assert_allclose(samples.gyr, s.gyr, atol=1e-6)
    np.testing.assert_allclose(samples.quat, s.quat, atol=1e-6)
    assert any("375 of 500 rows share" in note for note in recording.notes)


def test_stale_quaternions_yield_to_fresh_angles(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(100, 5)
    stale = s.quat[np.arange(500) - np.arange(500) % 20]
    columns = {"timestamp": bursts(s), "Acc{XYZ}": s.acc, "Ang{XYZ}": s.euler_deg, "Q{0123}": stale}
    recording = read_export(write_csv("x.csv", columns))
    np.testing.assert_allclose(np.abs((only(recording).quat * s.quat).sum(axis=1)), 1, atol=1e-9)
    assert any("old readings" in note for note in recording.notes)
    assert any("agrees with gravity: 0.0 degrees" in note for note in recording.notes)


def test_a_wrong_orientation_is_called_out(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(100, 5)
    columns = {"timestamp": bursts(s), "Acc{XYZ}": s.acc[:, ::-1], "Ang{XYZ}": s.euler_deg}
    assert any("DISAGREES" in note for note in read_export(write_csv("x.csv", columns)).notes)


@pytest.mark.parametrize(
    ("acc", "gyr", "angle", "quat"),
    [
        ("Acc{XYZ}(g)", "As{XYZ}(°/s)", "Angle{XYZ}(°)", "Q{0123}()"),
        ("Acceleration {XYZ}(g)", "Angular velocity {XYZ}(°/s)", "Angle {XYZ}(°)", "Quaternions {0123}()"),
        ("a{xyz}(g)", "w{xyz}(deg/s)", "Angle{XYZ}(deg)", "q{1234}"),
        ("Acc{XYZ}(g)", "Gyro{XYZ}(°/s)", "Angle{XYZ}(°)", "Q{0123}"),
    ],
)
def test_spellings_of_the_vendors_software(
    swing: Swing, write_csv: WriteCsv, acc: str, gyr: str, angle: str, quat: str
) -> None:
    s = swing(50, 4)
    time = [f"2024-03-01 12:00:{t:06.3f}" for t in s.t]
    columns = {
        "Time": time,
        "DeviceName": ["WT901BLE67"] * 200,
        acc: s.acc / G,
        gyr: np.degrees(s.gyr),
        angle: s.euler_deg,
    }
    columns |= {quat: s.quat, "Yaw": np.zeros(200), "Temperature(°C)": np.full(200, 30.0)}
    recording = read_export(write_csv("x.txt", columns, delimiter="\t", end="\t\r\n"))
    samples = only(recording)
    assert recording.rig.names == ("WT901BLE67",)
    assert recording.rig.sensors[0].rate_hz == 50
    np.testing.assert_allclose(samples.acc, s.acc, atol=1e-5)
    np.testing.assert_allclose(samples.gyr, s.gyr, atol=1e-6)
    np.testing.assert_allclose(np.abs((samples.quat * s.quat).sum(axis=1)), 1, atol=1e-9)


def test_the_sensors_own_clock_is_preferred(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(50, 4)
    chip = [f"2024-3-1 23:59:{58 + t:06.3f}" if t < 2 else f"2024-3-2 00:00:{t - 2:06.3f}" for t in s.t]
    columns = {"time": bursts(s), "ChipTime": chip, "a{xyz}(g)": s.acc / G, "Angle{XYZ}(deg)": s.euler_deg}
    samples = only(read_export(write_csv("x.txt", columns, delimiter="\t")))
    assert set(np.diff(samples.tick)) == {20_000}


def test_a_clock_without_a_date_runs_over_midnight(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(50, 4)
    time = [f"23:59:{58 + t:06.3f}" if t < 2 else f"00:00:{t - 2:06.3f}" for t in s.t]
    recording = read_export(write_csv("x.csv", {"Time": time, "Acc{XYZ}": s.acc, "Ang{XYZ}": s.euler_deg}))
    assert recording.length_s == pytest.approx(3.98)


@pytest.mark.parametrize(("scale", "start"), [(1.0, 0.0), (1e3, 0), (1e3, 1.7e12), (1e6, 1.7e15), (1.0, 1.7e9)])
def test_units_of_numeric_times(swing: Swing, write_csv: WriteCsv, scale: float, start: float) -> None:
    s = swing(50, 4)
    time = [start + t * scale for t in s.t] if scale == 1 else [int(start + round(t * scale)) for t in s.t]
    columns = {"timestamp": [f"{each:.4f}" if scale == 1 else each for each in time], "Acc{XYZ}": s.acc}
    recording = read_export(write_csv("x.csv", columns))
    assert recording.length_s == pytest.approx(3.98, abs=1e-3)
    assert recording.rig.sensors[0].rate_hz == 50


def test_no_time_needs_a_rate(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(50, 4)
    path = write_csv("x.txt", {"Acc{XYZ}(g)": s.acc / G, "As{XYZ}(°/s)": np.degrees(s.gyr)}, delimiter="\t")
    with pytest.raises(ImportRefused, match="line 1: there is no column of time") as refusal:
        read_export(path)
    assert "--rate" in refusal.value.advice
    assert read_export(path, rate_hz=50).length_s == pytest.approx(3.98)


def test_acceleration_without_gravity_is_refused(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(50, 4)
    path = write_csv("x.csv", {"timestamp": bursts(s), "Acc{XYZ}": s.acc * 0.01, "Ang{XYZ}": s.euler_deg})
    with pytest.raises(ImportRefused, match=r"neither 9\.81 m/s2 nor 1 g"):
        read_export(path)


def test_a_header_that_lies_about_g_is_put_right(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(50, 4)
    recording = read_export(write_csv("x.csv", {"timestamp": bursts(s), "Acc{XYZ}(g)": s.acc, "Ang{XYZ}": s.euler_deg}))
    np.testing.assert_allclose(only(recording).acc, s.acc, atol=1e-6)
    assert any("though the file says g" in note for note in recording.notes)


def test_a_damaged_receipt_time_costs_one_row(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(50, 4)
    time = bursts(s)
    time[10] = "9" + time[10]
    recording = read_export(write_csv("x.csv", {"timestamp": time, "Acc{XYZ}": s.acc, "Ang{XYZ}": s.euler_deg}))
    assert len(only(recording)) == 199
    assert any("line 12: the time falls back; 1 sample lost" in note for note in recording.notes)


def test_the_vendors_software_in_chinese_with_empty_columns(swing: Swing, tmp_path: Path) -> None:
    s = swing(50, 4)
    names = [
        "时间", "设备名称", "片上时间()", *(f"加速度{axis}(g)" for axis in "XYZ"),
        *(f"角速度{axis}(°/s)" for axis in "XYZ"), *(f"角度{axis}(°)" for axis in "XYZ"),
        *(f"四元数{i}()" for i in range(4)),
    ]  # fmt: skip
    lines = ["\t".join(names)]
    for i, t in enumerate(s.t):
        numbers = [*(s.acc[i] / G), *np.degrees(s.gyr[i]), *s.euler_deg[i]]
        chip = f"2026-6-22 14:41:{t:06.3f}".replace(".", ":")
        lines.append("\t".join(["10:49:57.376", "WT901", chip, *(f"{x:.6f}" for x in numbers), "", "", "", ""]))
    path = tmp_path / "data_.txt"
    path.write_bytes("\r\n".join(lines).encode("gb18030"))
    recording = read_export(path)
    samples = only(recording)
    assert set(np.diff(samples.tick)) == {20_000}
    np.testing.assert_allclose(samples.acc, s.acc, atol=1e-4)
    np.testing.assert_allclose(samples.gyr, s.gyr, atol=1e-6)
    assert samples.quat is not None  # from the angles
    assert any("are empty" in note for note in recording.notes)


def test_a_clock_that_a_reconnection_reset_costs_a_row(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(50, 4)
    chip = [f"2026-6-22 13:47:{t:06.3f}" for t in s.t]
    chip[60] = "2026-6-22 13:00:00.000"
    columns = {"time": bursts(s), "ChipTime": chip, "a{xyz}(g)": s.acc / G}
    assert len(only(read_export(write_csv("x.txt", columns, delimiter="\t")))) == 199
