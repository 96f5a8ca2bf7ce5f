"""Virtual IMUs on real arms: their axes are the body's, and what is counted is told apart by people and half."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rehabcount.bench import real_arms, real_drinking, real_moca
from rehabcount.bench.experiment import execute, experiment
from rehabcount.bench.real_drinking import CountedDrink
from rehabcount.datasets import drinking_imus, moca_imus
from rehabcount.datasets.moca_imus import Kitchen, KitchenAction, arm_imus
from rehabcount.domain.motion import Rows
from rehabcount.domain.rig import Side
from rehabcount.errors import DatasetMissing, ModelMismatch
from rehabcount.signals.features import BEDSIDE

TINY = Path(__file__).parents[1] / "inference" / "artifacts" / "tiny-1.0"
ARTIFACT_NEEDS_HAND = "needs a sensor on the hand"


def hanging_arm(frames: int = 300) -> dict[str, np.ndarray]:
    """A right arm with the elbow bent to a right angle, thumb up, of a person who faces -y; nothing moves."""
    point = {
        "SHOULDER": [0.0, 0.0, 0.5],
        "ELBOW": [0.0, 0.0, 0.2],
        "WRIST": [0.0, -0.25, 0.2],
        "PALM": [0.0, -0.33, 0.2],
        "IND": [0.0, -0.36, 0.23],
        "LIT": [0.0, -0.36, 0.17],
    }
    return {name: np.tile(at, (frames, 1)) for name, at in point.items()}


def test_axes_of_an_arm_at_a_right_angle() -> None:
    parts = arm_imus(hanging_arm(), 100.0)
    forward, up, right, back = [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]
    turned = {name: imu.orientation[5].as_matrix().T for name, imu in parts.items()}  # rows: x, y, z of the part
    np.testing.assert_allclose(turned["upper-arm"], [forward, up, right], atol=1e-9)
    # Flexed by a right angle about z: the thumb (x) is up, y points back to the elbow.
    for part in ("forearm", "hand"):
        np.testing.assert_allclose(turned[part], [up, back, right], atol=1e-9)
    for imu in parts.values():
        np.testing.assert_allclose(np.linalg.norm(imu.acc, axis=1), 9.81, atol=1e-6)
        np.testing.assert_allclose(imu.gyr, 0, atol=1e-9)


def test_rows_know_the_elbow_and_what_is_not_worn() -> None:
    rows = real_arms.rows_of(arm_imus(hanging_arm(), 100.0), Side.RIGHT, 100.0, 0.0, seed=1)
    assert len(rows) == 300 + 2 * round(real_arms.HELD_S * 100)
    late = slice(400, None)
    assert np.degrees(rows.values[late, BEDSIDE.index("elbow flexion")]) == pytest.approx(90, abs=5)
    assert rows.values[late, BEDSIDE.index("forearm up x")] == pytest.approx(1, abs=0.05)
    assert not rows.valid[:, BEDSIDE.index("thorax up x")].any()
    assert rows.valid[late, BEDSIDE.index("hand rate x")].all()


def test_a_recording_cut_in_mid_movement_starts_from_rest_and_comes_to_rest() -> None:
    frames, rate_hz = 100, 100.0
    time_s = np.arange(frames) / rate_hz
    turning = np.outer(
        0.8 * time_s, [1.0, 0.0, 0.0]
    )  # about a level axis, so that gravity wanders in the sensor's axes
    way = np.outer(time_s, [0.1, 0.2, 0.0])
    imu = drinking_imus.virtual_imu(Rotation.from_rotvec(turning), way, Rotation.identity(), rate_hz)
    readings = real_arms.held(np.concatenate([imu.acc, imu.gyr], axis=1), imu, rate_hz)
    for still in (readings[0], readings[-1]):
        assert np.linalg.norm(still[:3]) == pytest.approx(9.81)
        assert still[3:] == pytest.approx(0)
    assert np.abs(np.diff(readings[:, 3:], axis=0)).max() < 0.1  # of 0.8: nothing stops or starts at once
    # Turning from the first frame to the last, what the gyroscope says leads from one end's gravity to the other's.
    turned = (np.cumsum(readings[:, 3]) - readings[:, 3] / 2) / rate_hz
    down = readings[-1, :3] / 9.81
    started = Rotation.from_rotvec([-turned[-1], 0.0, 0.0]).apply(readings[0, :3] / 9.81)
    np.testing.assert_allclose(started, down, atol=0.01)
    # And what the accelerometer felt on top of gravity takes the speed back to nothing.
    orientation = Rotation.from_rotvec(np.outer(turned - turned[300], [1.0, 0.0, 0.0]))
    felt = orientation.apply(readings[:, :3]) - [0.0, 0.0, 9.81]
    speed = np.cumsum(felt, axis=0) / rate_hz
    np.testing.assert_allclose(speed[300], [0.1, 0.2, 0.0], atol=0.02)
    np.testing.assert_allclose(speed[-1], 0.0, atol=0.05)


def test_at_rest_the_palms_of_real_people_face_down(data_folder: Path) -> None:
    """The forearm's z is up for a right arm and down for a left one, as a calibrated sensor has it: hands lie flat on
    the table. With the axes that the bones have while these people drink, some would be tilted by 50 degrees."""
    for name in drinking_imus.trials(data_folder)[::5]:
        drink = drinking_imus.load(data_folder, name)
        up = drink.parts["forearm"].orientation[20].inv().apply([0.0, 0.0, 1.0])
        assert up[2] * (1 if drink.side == "right" else -1) > 0.85, name


def test_totals_and_shares_by_people_and_half() -> None:
    good = ("idle", "reach", "transport", "stabilize", "transport", "reposition", "idle")
    found = [
        CountedDrink("S11_1", good),
        CountedDrink("S13_1", (*good, "reach", "reach")),
        CountedDrink("11_1", ()),
        CountedDrink("S1_1", ()),
    ]
    results = real_drinking.summary(found, "stream 1.3")
    claims = {(claim.where, claim.name): claim for claim in results.claims}
    stroke = "test half, stroke, 2 people"
    assert claims[stroke, "reach, counted / true less 1"].ours == 1.0
    assert claims[stroke, "reach, counted / true less 1"].match is False
    assert claims[stroke, "reach, trials right to within one"].ours == 0.5
    assert claims[stroke, "transport, counted / true less 1"].match is True
    assert claims["test half, healthy, 1 people", "transport, trials right to within one"].match is False
    assert claims["fit half, stroke, 1 people", "reach, counted / true less 1"].match is None
    assert results.figures["11_1"] == ""


def test_a_reach_out_and_back_is_split_where_it_is_farthest() -> None:
    way = np.zeros((100, 3))
    way[:, 0] = np.concatenate([np.linspace(0, 1, 40), np.ones(20), np.linspace(1, 0, 40)])
    kitchen = Kitchen("reaching_tr", 100.0, {}, way, (KitchenAction("reaching_tr", 0, 100),))
    (reach, out), (reposition, back) = real_moca.wanted_of(kitchen)
    assert (reach, reposition) == ("reach", "reposition")
    assert out == KitchenAction("reaching_tr", 0, 49)
    assert back.end == 100
    moves = [("idle", 0.0), ("reach", 0.05), ("reposition", 0.5), ("reach", 0.95)]
    found = real_moca.counted("reaching_tr", [("reach", out), ("reposition", back)], moves, 1.0, 100.0)
    assert [each.moves for each in found] == [("idle", "reach"), ("reposition", "reach")]
    claims = {claim.name: claim.ours for claim in real_moca.summary(found, "m").claims}
    assert claims == {
        "exactly one reach and one reposition in a repetition": 0.0,  # a second reach comes at its end
        "reach, counted / true": 1.0,
        "reach, exactly one in its stretch": 1.0,
        "reposition, counted / true": 1.0,
        "reposition, exactly one in its stretch": 1.0,
    }


def test_the_recordings_that_are_counted(data_folder: Path) -> None:
    wanted = {name: real_moca.wanted_of(moca_imus.load(data_folder, name)) for name in real_moca.FILES}
    assert len(wanted["reaching_tr"]) == 42
    assert len(wanted["transporting_tr"]) == 34
    scenes = [label for name in ("Scene1", "Scene2") for label, _ in wanted[name]]
    assert (scenes.count("reach"), scenes.count("transport")) == (3, 5)


def test_a_small_model_goes_through_both_benches(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert experiment("real-moca") is real_moca.EXPERIMENT
    monkeypatch.setattr(real_moca, "FILES", ("Scene2",))
    found = execute(real_moca.EXPERIMENT, data=data_folder, changes=[f"model={TINY}"])
    assert found["figures"]["model"] == "tiny 1.0"
    with pytest.raises(ModelMismatch, match=ARTIFACT_NEEDS_HAND):
        execute(real_drinking.EXPERIMENT, data=data_folder, changes=[f"model={TINY}"])
    heard: list[int] = []

    def recogniser(model: str, parts: tuple[str, ...]) -> object:
        def hear(rows: Rows) -> list[tuple[str, float]]:
            heard.append(len(rows))
            return [("reach", 0.0)]

        return hear, model

    monkeypatch.setattr(real_drinking, "recogniser_of", recogniser)
    found = execute(real_drinking.EXPERIMENT, data=data_folder, quick=True)
    assert len(heard) == 10
    assert min(heard) > 600


def test_without_data(tmp_path: Path) -> None:
    with pytest.raises(DatasetMissing):
        drinking_imus.trials(tmp_path)
    with pytest.raises(DatasetMissing):
        moca_imus.load(tmp_path, "Scene1")
