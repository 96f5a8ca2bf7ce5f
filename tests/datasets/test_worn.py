"""Sensors that people wore: units are measured, axes are found from rest and movement, and wrong files are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rehabcount.datasets import kiel, openpack, pte
from rehabcount.datasets.mounted import hinged, orientations, windows_of
from rehabcount.datasets.worn import check_units, units_of
from rehabcount.domain.rig import Place, Side
from rehabcount.errors import DatasetChanged, DatasetMissing
from rehabcount.signals.rotation import rotate
from tests.datasets.made_wearers import (
    KIEL_ARM,
    KIEL_TRUNK,
    PACKING_UPPER,
    PACKING_WRIST,
    arm,
    in_si,
    sensed,
    write_packing,
    write_still,
)


def apart_deg(quat: tuple[float, ...], worn: np.ndarray) -> float:
    """The largest angle between axes that were found and axes as the sensor is worn (columns, in body axes)."""
    found = np.stack([rotate(np.array(quat), axis) for axis in np.eye(3)], axis=1)
    return float(np.degrees(np.arccos(np.clip(np.sum(found * worn, axis=0), -1, 1))).max())


def moving(seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    upper, fore = arm(rng, 3000, 50.0, Side.RIGHT)
    return np.stack([in_si(sensed(each, np.eye(3), 50.0)) for each in (upper, fore)], axis=1)


def test_units_that_are_right_wrong_and_in_other_axes() -> None:
    motion = moving()
    found = units_of([motion], 50.0)
    assert found.rest_g == pytest.approx((1.0, 1.0), abs=0.01)
    assert found.error is not None
    assert found.error < 0.1
    assert found.turned is not None
    assert found.turned > 0.9
    check_units("made", [motion], 50.0)
    in_g = motion * np.array([1 / 9.80665] * 3 + [1.0] * 3)
    with pytest.raises(DatasetChanged, match=r"sensor 1 measures 0\.10 g at rest"):
        check_units("made", [in_g], 50.0)
    for wrong in ([180 / np.pi] * 3, [np.pi / 180] * 3, [1.0, -1.0, -1.0]):
        with pytest.raises(DatasetChanged, match="do not fit how gravity turns"):
            check_units("made", [motion * np.array([1.0] * 3 + list(wrong))], 50.0)
    with pytest.raises(ValueError, match="too short"):
        units_of([motion[:10]], 50.0)


def test_something_that_never_turns_says_nothing_about_its_gyroscope() -> None:
    still = np.zeros((500, 1, 6))
    still[:, :, 2] = 9.81
    found = check_units("made", [still], 100.0)
    assert found.error is None
    assert found.turned is None


@pytest.mark.parametrize("side", list(Side))
def test_an_elbow_shows_how_sensors_are_worn(side: Side) -> None:
    rng = np.random.default_rng(3)
    upper, fore = arm(rng, 9000, 100.0, side)
    worn = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # x to the elbow, y out of its back
    turns = [orientations(in_si(sensed(each, how, 100.0)), 100.0) for each, how in ((upper, np.eye(3)), (fore, worn))]
    axes = hinged(*windows_of([turns[0]], [turns[1]]), np.array([0.0, 1.0, 0.0]), side)
    assert axes.cost < 0.1
    assert axes.next_cost > 1.5 * axes.cost
    assert np.degrees(np.arccos(axes.upper_z @ [0.0, 0.0, 1.0])) < 15
    assert np.degrees(np.arccos(axes.fore_y @ [1.0, 0.0, 0.0])) < 10
    assert np.degrees(axes.square_rad) < 8
    assert np.degrees(axes.flexion_rad[1]) == pytest.approx(70, abs=15)
    with pytest.raises(ValueError, match="no recording lasts"):
        windows_of([turns[0][:50]], [turns[1][:50]])


def test_a_packing_session(tmp_path: Path) -> None:
    write_packing(tmp_path / "P1.npz")
    (session,) = openpack.read_sessions(tmp_path)
    recording = session.recording
    assert recording.person == "P1"
    assert recording.rate_hz == pytest.approx(100 / 3)
    assert [box.number for box in session.boxes] == [1, 2, 3, 4]
    assert [len(box.actions) for box in session.boxes] == [3, 4, 5, 6]
    assert session.boxes[0].end_s == session.boxes[1].start_s == pytest.approx(31.0)
    worn = {
        **{Place.on(side, "wrist"): PACKING_WRIST[side] for side in Side},
        **{Place.on(side, "upper-arm"): PACKING_UPPER[side] for side in Side},
    }
    for mounting in recording.calibration.mountings:
        assert apart_deg(mounting.quat, worn[mounting.place]) < 15, mounting.place


def test_packing_sessions_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(DatasetMissing, match="no recording"):
        list(openpack.read_sessions(tmp_path))
    write_packing(tmp_path / "P1.npz", minutes=1.2, deg=np.pi / 180)
    with pytest.raises(DatasetChanged, match="gravity turns"):
        openpack.read_session(tmp_path / "P1.npz")
    with np.load(tmp_path / "P1.npz") as file:
        held = dict(file)
    np.savez(tmp_path / "P1.npz", allow_pickle=False, **{**held, "openpack-actions/csv": np.array("user,start\na,b")})
    with pytest.raises(DatasetChanged, match="no column box, action, end"):
        openpack.read_session(tmp_path / "P1.npz")
    np.savez(tmp_path / "P1.npz", allow_pickle=False, **{**held, "atr02/ms": held["atr02/ms"][::-1]})
    with pytest.raises(DatasetChanged, match="times of atr02 do not rise"):
        openpack.read_session(tmp_path / "P1.npz")


def test_a_hole_in_one_sensor_is_a_gap(tmp_path: Path) -> None:
    write_packing(tmp_path / "P1.npz", minutes=1.5)
    with np.load(tmp_path / "P1.npz") as file:
        held = dict(file)
    kept = np.r_[0:1000, 1100 : len(held["atr03/ms"])]
    held |= {f"atr03/{name}": held[f"atr03/{name}"][kept] for name in ("ms", "motion")}
    np.savez(tmp_path / "P1.npz", allow_pickle=False, **held)
    motion = openpack.read_session(tmp_path / "P1.npz").recording.motion
    lost = np.isnan(motion[:, :, 0])
    assert 98 <= lost[:, 2].sum() <= 101
    assert not lost[:, [0, 1, 3]].any()


def test_a_still_person(tmp_path: Path) -> None:
    write_still(tmp_path / "p1.npz")
    recordings = list(kiel.read_recordings(tmp_path))
    assert [each.name for each in recordings] == ["calibration_1", "chairrise_preferred", "walk_slow"]
    worn = {Place.STERNUM: KIEL_TRUNK}
    worn |= {Place.on(side, part): KIEL_ARM[side] for side in Side for part in ("upper-arm", "forearm")}
    for mounting in recordings[0].calibration.mountings:
        assert apart_deg(mounting.quat, worn[mounting.place]) < 2, mounting.place
    assert np.linalg.norm(recordings[0].motion[0, 0, :3]) == pytest.approx(9.81, abs=0.05)


def test_still_people_who_cannot_be_used(tmp_path: Path) -> None:
    path = tmp_path / "p1.npz"
    with pytest.raises(DatasetMissing, match="no recording"):
        list(kiel.read_recordings(tmp_path))
    write_still(path, g=9.81)
    with pytest.raises(DatasetChanged, match=r"9\.\d\d g at rest"):
        kiel.read_person(path)
    write_still(path, backwards=True)
    with pytest.raises(DatasetChanged, match="does not lean the trunk forward"):
        kiel.read_person(path)
    write_still(path)
    with np.load(path) as file:
        held = dict(file)
    np.savez(path, allow_pickle=False, **{**held, "places": np.array(["sternum"] * 5)})
    with pytest.raises(DatasetChanged, match="no sensor is called left_fore_arm"):
        kiel.read_person(path)
    np.savez(path, allow_pickle=False, **{name: held[name] for name in held if not name.startswith("chair")})
    with pytest.raises(DatasetChanged, match="no recording called chairrise"):
        kiel.read_person(path)
    bent = np.array(held["calibration_1"])
    bent[:, :6] = bent[:, [1, 0, 2, 4, 3, 5]] * np.array([1, -1, 1, 1, -1, 1])[None, :, None]  # not hanging
    bent[:, :, 0] = held["calibration_1"][:, :, 0]
    np.savez(path, allow_pickle=False, **{**held, "calibration_1": bent + 0.5 * np.array([0, 0, 1, 0, 0, 0])[:, None]})
    with pytest.raises(DatasetChanged):
        kiel.read_person(path)


def wrist(seed: int = 0) -> np.ndarray:
    _, fore = arm(np.random.default_rng(seed), 2000, 25.0, Side.RIGHT)
    worn = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # x away from the elbow
    return np.concatenate([in_si(sensed(fore, worn, 25.0)), np.zeros((2000, 3))], axis=1)


def test_a_wrist_at_exercise(tmp_path: Path) -> None:
    with pytest.raises(DatasetMissing):
        pte.read_recordings(tmp_path)
    np.savez(
        tmp_path / "pte.npz",
        allow_pickle=False,
        **{"s1_e7/u2/test": wrist(), "s1_e7/u1/test": wrist(), "s1_e7/test_times": np.ones(3)},
    )
    (recording,) = pte.read_recordings(tmp_path)
    assert (recording.person, recording.name, recording.places) == ("s1", "e7 test", (Place.RIGHT_WRIST,))
    (mounting,) = recording.calibration.mountings
    assert rotate(np.array(mounting.quat), [-1.0, 0.0, 0.0]) == pytest.approx([0.0, 1.0, 0.0])
    curl = wrist()
    curl[:, 3:6] = 0.0
    curl[:, 3] = np.sin(np.arange(2000) / 5)  # about the length, which no elbow bends about
    np.savez(tmp_path / "pte.npz", allow_pickle=False, **{"s1_e6/u2/test": curl})
    with pytest.raises(DatasetChanged):
        pte.read_recordings(tmp_path)


def test_a_real_person_who_stands_and_walks(data_folder: Path) -> None:
    recordings = kiel.read_person(sorted((data_folder / "kiel").glob("*.npz"))[0])
    by_name = {each.name.split("_")[0]: each for each in recordings}
    for sensor, mounting in enumerate(recordings[0].calibration.mountings):
        up = rotate(np.array(mounting.quat), np.median(by_name["walk"].motion[:, sensor, :3], axis=0) / 9.81)
        assert up[1] > 0.9, mounting.place


@pytest.mark.slow
def test_the_real_packer_hangs_both_arms_first(data_folder: Path) -> None:
    (session,) = openpack.read_sessions(data_folder / "openpack")
    recording = session.recording
    assert len(session.boxes) == 20
    assert sum(len(box.actions) for box in session.boxes) == 517
    for axes in session.axes.values():
        assert np.degrees(axes.square_rad) < 6
    for sensor, mounting in enumerate(recording.calibration.mountings):
        up = rotate(np.array(mounting.quat), recording.motion[:25, sensor, :3].mean(axis=0) / 9.81)
        assert up[1] > 0.9, mounting.place
