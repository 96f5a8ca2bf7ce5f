"""The benches on real people: their summaries on made results, and a quick run where data and torch are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rehabcount.bench import real_gestures, real_jigsaws
from rehabcount.bench.frame import Value, execute, experiment
from rehabcount.errors import ConfigError


def trials(wrong: int) -> list[dict[str, object]]:
    """Eight surgeons, one trial each of ten gestures, `wrong` of them misread."""
    reference = ["G1", "G2"] * 5
    estimate = ["G3"] * wrong + reference[wrong:]
    surgeons = [f"S{number:02d}" for number in range(2, 10)]
    return [{"trial": f"{s}_T01", "surgeon": s, "reference": reference, "estimate": estimate} for s in surgeons]


@pytest.mark.parametrize(("wrong", "met"), [(1, True), (3, False)])
def test_claims_say_what_was_met(wrong: int, met: bool) -> None:
    found = real_jigsaws.summary({real_jigsaws.OURS: trials(wrong), "MS-TCN": trials(5)}, [{"cpu_s": 3.0}])
    ours = [claim for claim in found.claims if claim.match is not None]
    assert [claim.match for claim in ours] == [met] * 4
    assert found.figures["ours, offline: AER"] == pytest.approx(wrong / 10)
    assert found.figures["MS-TCN: edit score"] == pytest.approx(50)
    assert {claim.published for claim in found.claims} >= {0.17, 83.87, 0.82, 0.176, 84.71}


def test_averaging_is_of_log_probabilities_and_keeps_the_onsets() -> None:
    one = {"a/labels": np.zeros((2, 2)), "a/onset": np.ones(2), "cpu_s": 5.0}
    two = {"a/labels": np.ones((2, 2)), "cpu_s": 7.0}
    found = real_jigsaws.averaged([one, two])
    assert found["a/labels"].tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert found["a/onset"].tolist() == [1.0, 1.0]
    assert real_jigsaws.averaged([two]) is two


def test_seg2seq_comes_after_what_it_reads() -> None:
    settings = dict(real_jigsaws.EXPERIMENT.settings)
    jobs = real_jigsaws.trainings_of(settings)
    assert jobs.index(("gestures", "mstcn")) < jobs.index(("gestures", "seg2seq"))
    assert ("primitives without gripper", "offline") in jobs
    with pytest.raises(ConfigError, match="oracle"):
        real_jigsaws.trainings_of({**settings, "primitive_rows": "oracle"})


@pytest.mark.slow
def test_one_fold_of_every_kind(data_folder: Path, tmp_path: Path) -> None:
    """A few batches each: rows have their names, sequences belong to the surgeon, Seg2seq reads the kept MS-TCN."""
    pytest.importorskip("torch", reason="training needs the extra `train`")
    few = {name: {**each, "epoch_batches": 1} for name, each in real_jigsaws.TRAININGS.items()}
    settings: dict[str, Value] = {
        "task": "suturing",
        "epochs": 1,
        "primitive_epochs": 1,
        "frames_per_step": 12,
        "seed": 3,
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(real_jigsaws, "TRAININGS", few)
        found = real_jigsaws.fold(str(data_folder / "jigsaws"), "gestures", "seg2seq", "S02", settings, str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gestures-mstcn-S02.npz", "gestures-seg2seq-S02.npz"]
    ((row, trials),) = found["rows"].items()
    assert row == "Seg2seq"
    assert {trial["surgeon"] for trial in trials} == {"S02"}
    assert trials[0]["reference"][:2] == ["G1", "G5"]


def test_they_are_registered() -> None:
    assert experiment("real-jigsaws") is real_jigsaws.EXPERIMENT
    assert experiment("real-gestures") is real_gestures.EXPERIMENT


def test_an_unknown_row(data_folder: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra `train`")
    with pytest.raises(ConfigError, match="oracle"):
        execute(real_jigsaws.EXPERIMENT, data=data_folder / "jigsaws", changes=["rows=oracle"])


@pytest.mark.slow
def test_quick_runs(data_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra `train`")
    found = execute(
        real_jigsaws.EXPERIMENT, data=data_folder / "jigsaws", out=tmp_path, quick=True, changes=["rows=offline"]
    )
    assert found["figures"]["trials"] == 10
    assert found["figures"]["trials of one hand"] == 20
    found = execute(real_gestures.EXPERIMENT, data=data_folder / "gestures", quick=True)
    assert found["figures"]["drink: true"] == 12
