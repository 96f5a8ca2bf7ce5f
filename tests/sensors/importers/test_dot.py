from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rehabcount.domain.arrays import Floats
from rehabcount.domain.rig import Place
from rehabcount.errors import ImportRefused
from rehabcount.sensors.importers import ImportedRecording, read_export

G = 9.80665
Swing = Callable[..., Any]
WriteCsv = Callable[..., Path]


def header(tag: str = "1", sync: str = "Synced", rate: str = "60Hz", start: str = "2023-01-02_03:04:05_006") -> str:
    return (
        f"sep=,\nDeviceTag:,{tag}\nFirmwareVersion:,2.0.0\nSyncStatus:,{sync}\nOutputRate:,{rate}\n"
        f"Measurement Mode:,whatever\nStartTime: ,{start} GMT+8\n© Somebody\n\n"
    )


def one(recording: ImportedRecording) -> Any:
    assert len(recording.samples) == 1
    return recording.samples[0]


def apart_deg(a: Floats, b: Floats) -> float:
    turned = Rotation.from_quat(a, scalar_first=True) * Rotation.from_quat(b, scalar_first=True).inv()
    return float(np.degrees(np.max(turned.magnitude())))


def ticks(n: int, step: float = 1e6 / 60, start: int = 5) -> list[int]:
    return [int(start + step * i) for i in range(n)]


def test_custom_mode_5_with_everything(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(60, 4)
    columns = {
        "PacketCounter": list(range(240)),
        "SampleTimeFine": ticks(240),
        "Quat_{WXYZ}": s.quat,
        "Acc_{XYZ}": s.acc,
        "Gyr_{XYZ}": np.degrees(s.gyr),
    }
    recording = read_export(write_csv("RWrist_20230102_030405_006.csv", columns, header("7")))
    samples = one(recording)
    assert recording.rig.names == ("RWrist",)
    assert recording.rig.places == (Place.RIGHT_WRIST,)
    assert recording.rig.sensors[0].serial == "7"
    np.testing.assert_allclose(samples.acc, s.acc, atol=1e-6)
    np.testing.assert_allclose(samples.gyr, s.gyr, atol=1e-6)
    assert apart_deg(samples.quat, s.quat) < 1e-4
    assert any("taken as deg/s: so it agrees with the orientation" in note for note in recording.notes)


def test_gyroscope_in_rad_is_recognised_by_the_orientation(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(60, 4)
    columns = {"SampleTimeFine": ticks(240), "Quat_{WXYZ}": s.quat, "Acc_{XYZ}": s.acc, "Gyr_{XYZ}": s.gyr}
    samples = one(read_export(write_csv("x.csv", columns)))
    np.testing.assert_allclose(samples.gyr, s.gyr, atol=1e-6)


def test_acceleration_in_g_is_recognised_by_gravity(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(60, 4)
    columns = {"SampleTimeFine": ticks(240), "Acc_{XYZ}": s.acc / G, "Gyr_{XYZ}": np.degrees(s.gyr)}
    recording = read_export(write_csv("x.csv", columns))
    np.testing.assert_allclose(one(recording).acc, s.acc, atol=1e-5)
    assert any("acceleration taken as g" in note for note in recording.notes)


@pytest.mark.parametrize("orientation", ["quat", "euler"])
def test_free_acceleration_becomes_specific_force(swing: Swing, write_csv: WriteCsv, orientation: str) -> None:
    s = swing(60, 4)
    free = np.random.default_rng(0).normal(size=(240, 3))
    turned = {"Quat_{WXYZ}": s.quat} if orientation == "quat" else {"Euler_{XYZ}": s.euler_deg}
    recording = read_export(write_csv("x.csv", {"SampleTimeFine": ticks(240), **turned, "FreeAcc_{XYZ}": free}))
    samples = one(recording)
    np.testing.assert_allclose(samples.acc, s.rotation.inv().apply(np.add(free, (0, 0, G))), atol=1e-5)
    # Each step's rotation is the mean turning over it.
    np.testing.assert_allclose(samples.gyr[1:], (s.gyr[1:] + s.gyr[:-1]) / 2, atol=2e-3)


def test_delta_quantities(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(60, 4)
    dq = Rotation.from_rotvec(s.gyr / 60).as_quat(scalar_first=True)
    columns = {
        "PacketCounter": list(range(240)),
        "SampleTimeFine": ticks(240),
        "dq_{WXYZ}": dq,
        "dv[{123}]": s.acc / 60,
    }
    samples = one(read_export(write_csv("x.csv", columns, header())))
    np.testing.assert_allclose(samples.acc, s.acc, atol=1e-4)
    np.testing.assert_allclose(samples.gyr, s.gyr, atol=1e-4)


@pytest.mark.parametrize("rate", [1, 4, 10, 12, 15, 20, 30, 60, 120])
@pytest.mark.parametrize(("unit_us", "name"), [(1, "1 us"), (100, "0.1 ms")])
def test_the_unit_of_the_clock_is_told_from_its_steps(
    swing: Swing, write_csv: WriteCsv, rate: int, unit_us: int, name: str
) -> None:
    s = swing(rate, 40 / rate)
    columns = {"SampleTimeFine": ticks(40, 1e6 / rate / unit_us), "Euler_{XYZ}": s.euler_deg}
    recording = read_export(write_csv("x.csv", columns))
    assert recording.rig.sensors[0].rate_hz == rate
    assert recording.length_s == pytest.approx(39 / rate, rel=0.01)
    assert any(name in note for note in recording.notes)


def test_milliseconds_are_told_too(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(60, 2)
    recording = read_export(write_csv("x.csv", {"SampleTimeFine": ticks(120, 1000 / 60), "Euler_{XYZ}": s.euler_deg}))
    assert recording.rig.sensors[0].rate_hz == 60


def test_the_clock_wraps(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(60, 2)
    wrapped = [tick % 2**32 for tick in ticks(120, start=2**32 - 1_000_000)]
    samples = one(read_export(write_csv("x.csv", {"SampleTimeFine": wrapped, "Euler_{XYZ}": s.euler_deg})))
    assert len(samples) == 120
    assert set(np.diff(samples.tick)) <= {16666, 16667}


def test_an_empty_clock_leaves_the_counter(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(60, 2)
    columns = {
        "PacketCounter": [(65500 + i) % 65536 for i in range(120)],
        "SampleTimeFine": [""] * 120,
        "Quat_q{0123}": s.quat,
    }
    path = write_csv("x.csv", columns)
    with pytest.raises(ImportRefused, match="counter"):
        read_export(path)
    assert len(one(read_export(path, rate_hz=60))) == 120


def test_gaps_and_doubles_are_named(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(60, 4)
    order = [*range(50), *range(60, 100), 99, 98, *range(100, 240)]
    clock = ticks(240)
    columns = {"SampleTimeFine": [clock[i] for i in order], "Euler_{XYZ}": s.euler_deg[order]}
    recording = read_export(write_csv("x.csv", columns))
    assert len(one(recording)) == 230
    assert any("before line 52" in note and "10 samples missing" in note for note in recording.notes)
    assert any("does not rise; 2 samples lost" in note for note in recording.notes)
    np.testing.assert_allclose(one(recording).gyr[1:49], ((s.gyr[1:] + s.gyr[:-1]) / 2)[:48], atol=2e-3)
    assert np.abs(one(recording).gyr[50] - s.gyr[60]).max() < 0.05  # not ten steps' turning in one


def test_one_damaged_time_costs_one_sample(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(60, 4)
    clock = ticks(240)
    clock[7] = 999_999_999
    recording = read_export(write_csv("x.csv", {"SampleTimeFine": clock, "Euler_{XYZ}": s.euler_deg}))
    assert len(one(recording)) == 239
    assert any("line 9: the clock does not rise; 1 sample lost" in note for note in recording.notes)


def test_two_recordings_in_one_file_are_refused(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(60, 4)
    columns = {"SampleTimeFine": ticks(120) + ticks(120), "Euler_{XYZ}": s.euler_deg}
    with pytest.raises(ImportRefused, match="falls back") as refusal:
        read_export(write_csv("x.csv", columns))
    assert refusal.value.line is not None
    assert "divide" in refusal.value.advice


def test_unsynchronised_sensors_are_placed_by_their_start_times(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(60, 2)
    paths = []
    for name, start_tick, start in (("a", 10**6, "03:04:05_000"), ("b", 3 * 10**9, "03:04:05_500")):
        columns = {"SampleTimeFine": ticks(120, start=start_tick), "Euler_{XYZ}": s.euler_deg}
        paths.append(
            write_csv(
                f"{name}_20230102_030405_000.csv", columns, header(name, "Un-synced", start=f"2023-01-02_{start}")
            )
        )
    recording = read_export(paths)
    assert [int(samples.received_ns[0]) for samples in recording.samples] == [0, 500_000_000]
    assert any("not synchronised: placed by the start times" in note for note in recording.notes)


def test_two_files_of_one_sensor_are_refused(swing: Swing, write_csv: WriteCsv) -> None:
    columns = {"SampleTimeFine": ticks(120), "Euler_{XYZ}": swing(60, 2).euler_deg}
    paths = [write_csv(f"hand_2023010{day}_030405_006.csv", columns, header()) for day in (1, 2)]
    with pytest.raises(ImportRefused, match="two files hold a sensor called 'hand'"):
        read_export(paths)


def test_a_rate_that_fits_no_unit_is_refused(swing: Swing, write_csv: WriteCsv) -> None:
    path = write_csv("x.csv", {"SampleTimeFine": ticks(120), "Euler_{XYZ}": swing(60, 2).euler_deg})
    with pytest.raises(ImportRefused, match="fits 100 Hz in no unit"):
        read_export(path, rate_hz=100)


def test_the_servers_log_holds_several_sensors(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(60, 2)
    owners = ["d4-22-cd-00-03-74", "d4-22-cd-00-03-56"] * 120
    columns = {
        "Timestamp": [tick for tick in ticks(120) for _ in range(2)],
        "Address": owners,
        "Euler_{xyz}": np.repeat(s.euler_deg, 2, axis=0),
        "FreeAcc_{xyz}": np.zeros((240, 3)),
    }
    recording = read_export(write_csv("log.csv", columns, "sep=,\nMeasurement Mode:,Complete (Euler)\n\n"))
    assert recording.rig.names == ("d4-22-cd-00-03-74", "d4-22-cd-00-03-56")
    for samples in recording.samples:
        assert samples.acc is not None
        np.testing.assert_allclose(samples.acc, s.acc, atol=1e-5)


def test_clipping_is_noted(swing: Swing, write_csv: WriteCsv) -> None:
    status = [0] * 120
    status[4:6] = [3, 1]
    columns = {"SampleTimeFine": ticks(120), "Euler_{XYZ}": swing(60, 2).euler_deg, "Status": status}
    assert any("lines 6-7" in note and "clipping" in note for note in read_export(write_csv("x.csv", columns)).notes)


def test_angles_that_are_placeholders_are_not_an_orientation(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(60, 2)
    columns = {
        "SampleTimeFine": ticks(120),
        "Euler_{XYZ}": np.zeros((120, 3)),
        "Acc_{XYZ}": s.acc,
        "Gyr_{XYZ}": np.degrees(s.gyr),
    }
    recording = read_export(write_csv("x.csv", columns))
    assert one(recording).quat is None
    np.testing.assert_allclose(one(recording).gyr, s.gyr, atol=1e-6)


def test_a_first_row_of_zeros_is_no_measurement(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(120, 2)
    acc, gyr = s.acc.copy(), np.degrees(s.gyr)
    acc[0] = gyr[0] = 0.0
    columns = {"SampleTimeFine": ticks(240, 1e6 / 120), "Euler_{XYZ}": s.euler_deg, "Acc_{XYZ}": acc, "Gyr_{XYZ}": gyr}
    recording = read_export(write_csv("bei_D4CA6EF17860_20210830_170505.csv", columns, "sep=,\nDeviceTag:,bei\n\n"))
    assert len(one(recording)) == 239
    assert recording.rig.sensors[0].rate_hz == 120
    assert any("line 5: nothing but zeros; 1 sample lost" in note for note in recording.notes)


@pytest.mark.parametrize(
    ("file", "name", "serial"),
    [
        ("bei_D4CA6EF17860_20210830_170505.csv", "bei", "D4CA6EF17860"),
        ("logfile_D4-22-CD-00-4D-68.csv", "D4-22-CD-00-4D-68", "D4-22-CD-00-4D-68"),
        ("Xsens DOT_D422CD004D68_20210830_170505.csv", "D422CD004D68", "D422CD004D68"),
        ("LHand_20210830_170505_123.csv", "LHand", ""),
        ("trial 3.csv", "trial 3", ""),
    ],
)
def test_sensors_are_named_after_their_files(
    swing: Swing, write_csv: WriteCsv, file: str, name: str, serial: str
) -> None:
    recording = read_export(write_csv(file, {"SampleTimeFine": ticks(120), "Euler_{XYZ}": swing(60, 2).euler_deg}))
    assert (recording.rig.sensors[0].name, recording.rig.sensors[0].serial) == (name, serial)


def test_many_losses_do_not_hide_the_rate(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(60, 10)
    kept = np.flatnonzero(np.random.default_rng(1).random(600) > 0.3)
    clock = np.array(ticks(600, 1e4 / 60))
    recording = read_export(
        write_csv("x.csv", {"SampleTimeFine": clock[kept].tolist(), "Euler_{XYZ}": s.euler_deg[kept]})
    )
    assert recording.rig.sensors[0].rate_hz == 60
    assert any(f"{kept[-1] - kept[0] + 1 - len(kept)} samples missing" in note for note in recording.notes)


@pytest.mark.parametrize("counter", [True, False])
@pytest.mark.parametrize("stated", [True, False])
@pytest.mark.parametrize("unit_us", [1, 100])
def test_a_recording_of_which_most_is_lost_is_read_and_its_loss_said(
    swing: Swing, write_csv: WriteCsv, counter: bool, stated: bool, unit_us: int
) -> None:
    s = swing(60, 20)
    kept = np.flatnonzero(np.random.default_rng(2).random(1200) > 0.65)
    clock = np.array(ticks(1200, 1e6 / 60 / unit_us))
    columns = {"SampleTimeFine": clock[kept].tolist(), "Quat_{WXYZ}": s.quat[kept], "Acc_{XYZ}": s.acc[kept]}
    columns |= {"Gyr_{XYZ}": np.degrees(s.gyr[kept])}
    columns = ({"PacketCounter": (65000 + kept) % 65536} if counter else {}) | columns
    recording = read_export(write_csv("x.csv", columns, header() if stated else ""))
    samples = one(recording)
    assert recording.rig.sensors[0].rate_hz == 60
    np.testing.assert_allclose(
        (samples.received_ns - samples.received_ns[0]) / 1e9, s.t[kept] - s.t[kept[0]], atol=3e-4
    )
    np.testing.assert_allclose(samples.gyr, s.gyr[kept], atol=1e-6)
    span = kept[-1] - kept[0] + 1
    said = f"{span - len(kept)} samples missing, {1 - len(kept) / span:.0%} of the recording"
    assert any(said in note for note in recording.notes), recording.notes


def test_the_packet_counter_tells_the_rate_where_every_second_sample_is_lost(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(60, 4)
    columns = {
        "PacketCounter": list(range(0, 240, 2)),
        "SampleTimeFine": ticks(240)[::2],
        "Euler_{XYZ}": s.euler_deg[::2],
    }
    recording = read_export(write_csv("x.csv", columns, header()))
    assert recording.rig.sensors[0].rate_hz == 60
    assert any("119 samples missing, 50% of the recording" in note for note in recording.notes)
    del columns["PacketCounter"]  # nothing says now that more was sent
    with pytest.raises(ImportRefused, match="fits 60 Hz in no unit"):
        read_export(write_csv("x.csv", columns, header()))


def test_a_counter_that_does_not_count_samples_is_not_believed(swing: Swing, write_csv: WriteCsv) -> None:
    s = swing(60, 4)
    junk = np.random.default_rng(3).integers(0, 65536, 240)
    for numbers in (junk.tolist(), [7] * 240, [""] * 240):
        columns = {"PacketCounter": numbers, "SampleTimeFine": ticks(240), "Euler_{XYZ}": s.euler_deg}
        assert read_export(write_csv("x.csv", columns, header())).rig.sensors[0].rate_hz == 60


def test_angles_that_no_sensor_gives_are_noted(swing: Swing, write_csv: WriteCsv) -> None:
    angles = np.add(swing(60, 2).euler_deg, (0.0, 90.0, 0.0))
    recording = read_export(write_csv("x.csv", {"SampleTimeFine": ticks(120), "Euler_{XYZ}": angles}))
    assert any("beyond 90 degrees" in note for note in recording.notes)
