"""The benches on real people: their summaries on made results, and a quick run where data and torch are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rehabcount.bench import real_gestures, real_jigsaws
from rehabcount.bench.experiment import Value, execute, experiment
from rehabcount.errors import ConfigError
from rehabcount.models.data import TrainingSet, Trial, onsets_of


def trials(wrong: int) -> list[real_jigsaws.Sequences]:
    """Eight surgeons, one trial each of ten gestures, `wrong` of them misread."""
    reference = ("G1", "G2") * 5
    estimate = ("G3",) * wrong + reference[wrong:]
    surgeons = [f"S{number:02d}" for number in range(2, 10)]
    return [real_jigsaws.Sequences(f"{s}_T01", s, reference, estimate) for s in surgeons]


@pytest.mark.parametrize(("wrong", "met"), [(1, True), (3, False)])
def test_claims_say_what_was_met(wrong: int, met: bool) -> None:
    found = real_jigsaws.summary(
        {real_jigsaws.OURS: trials(wrong), "MS-TCN": trials(5)},
        [real_jigsaws.Fold("S02", "mstcn", spent, {}) for spent in ({"a": 3.0}, {"a": 3.0, "b": 4.0})],
    )
    ours = [claim for claim in found.claims if claim.match is not None]
    assert [claim.match for claim in ours] == [met] * 4
    assert found.figures["ours, offline: AER"] == pytest.approx(wrong / 10)
    assert found.figures["MS-TCN: edit score"] == pytest.approx(50)
    assert found.figures["CPU s of all trainings"] == 7  # a network that two rows hear was trained once
    assert {claim.published for claim in found.claims} >= {0.17, 83.87, 0.82, 0.176, 84.71}


def test_averaging_is_of_log_probabilities_and_keeps_the_onsets() -> None:
    one = {"a/labels": np.zeros((2, 2)), "a/onset": np.ones(2), "cpu_s": np.array(5.0)}
    two = {"a/labels": np.ones((2, 2)), "cpu_s": np.array(7.0)}
    found = real_jigsaws.averaged([one, two])
    assert found["a/labels"].tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert found["a/onset"].tolist() == [1.0, 1.0]
    assert real_jigsaws.averaged([one, {**one, "a/onset": np.zeros(2)}], ("/labels", "/onset"))["a/onset"][0] == 0.5


SURGEONS = ("S02", "S03", "S04", "S05")


def scripted() -> TrainingSet:
    """A trial a surgeon: `none`, then G1 and G2 in turn, two seconds each."""
    track = np.repeat(np.array([0, 1, 2, 1, 2], np.int16), 20)
    rows = np.zeros((len(track), 1), np.float32)
    trials = tuple(
        Trial(f"{surgeon}_T01", surgeon, "train", rows, np.ones(rows.shape, bool), track, onsets_of(track))
        for surgeon in SURGEONS
    )
    return TrainingSet("scripted", ("none", "G1", "G2"), ("none",), 10.0, ("x",), trials)


def test_surgeons_validate_in_turn_and_are_never_the_one_tested() -> None:
    for turn, validating in enumerate(("S03", "S04", "S05")):
        split = real_jigsaws.split_for(scripted(), "S02", turn)
        assert {trial.subject for trial in split.of("test")} == {"S02"}
        assert {trial.subject for trial in split.of("valid")} == {validating}
        assert len(split.of("train")) == 2
    assert real_jigsaws.split_for(scripted(), "S05", 0).of("valid")[0].subject == "S02"


def test_two_turns_are_heard_together_and_tuned_on_both_who_validate(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the first turn the network is deaf; what it and the second turn's say together is right."""
    pytest.importorskip("torch", reason="decoding is fitted with the extra `train`")
    from rehabcount.models import decoding

    score_of, tuned_on = decoding.score_of, []

    def listening(scored: Sequence[decoding.Scored], *rest: Any) -> Any:
        tuned_on.append([each.estimate.log_probabilities for each in scored])
        return score_of(scored, *rest)

    monkeypatch.setattr(decoding, "score_of", listening)
    data = scripted()
    sure = np.log(np.eye(3)[data.trials[0].labels] * 0.94 + 0.02)
    deaf = np.full_like(sure, np.log(1 / 3))
    turns = [
        (
            real_jigsaws.split_for(data, "S02", turn),
            {f"{trial.name}/labels": heard for trial in data.trials} | {"cpu_s": np.array(1.0)},
        )
        for turn, heard in enumerate((deaf, sure))
    ]
    ((row, found),) = real_jigsaws.decoded("six", turns, 1, 10.0).items()
    assert row == real_jigsaws.OURS
    assert [trial.estimate for trial in found] == [("G1", "G2", "G1", "G2")]
    for scores in tuned_on:  # each validating surgeon as the networks of that turn heard them
        np.testing.assert_array_equal(scores, [deaf, sure])
    ((_, alone),) = real_jigsaws.decoded("three", turns[:1], 1, 10.0).items()
    assert alone[0].estimate != found[0].estimate


def test_seg2seq_comes_after_what_it_reads() -> None:
    settings = dict(real_jigsaws.EXPERIMENT.settings)
    jobs = real_jigsaws.trainings_of(settings)
    assert [name for target, name in jobs if target == "gestures" and real_jigsaws.waits(name)] == [
        "seg2seq",
        "three",
        "six",
    ]
    assert ("primitives without gripper", "offline") in jobs
    with pytest.raises(ConfigError, match="oracle"):
        real_jigsaws.trainings_of({**settings, "primitive_rows": "oracle"})


@pytest.mark.slow
def test_one_fold_of_every_kind(data_folder: Path, tmp_path: Path) -> None:
    """A few batches each: rows have their names, sequences belong to the surgeon, Seg2seq reads the kept MS-TCN."""
    pytest.importorskip("torch", reason="training needs the extra `train`")
    from rehabcount.models import train

    whole = train.TrainSettings
    settings: dict[str, Value] = {
        "task": "suturing",
        "epochs": 1,
        "primitive_epochs": 1,
        "frames_per_step": 12,
        "seed": 3,
    }
    folder = str(data_folder / "jigsaws")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(train, "TrainSettings", partial(whole, epoch_batches=1))
        found = real_jigsaws.fold(folder, "gestures", "seg2seq", "S02", settings, str(tmp_path))
        kept = sorted(path.name for path in tmp_path.iterdir())
        six = real_jigsaws.fold(folder, "gestures", "six", "S02", settings, str(tmp_path))
    assert kept == ["gestures-mstcn-S02-0.npz", "gestures-seg2seq-S02-0.npz"]
    ((row, trials),) = found.rows.items()
    assert row == "Seg2seq"
    assert {trial.surgeon for trial in trials} == {"S02"}
    assert trials[0].reference[:2] == ("G1", "G5")
    assert list(six.rows) == [real_jigsaws.OURS]
    assert len(six.cpu_s) == 6
    assert len(list(tmp_path.glob("gestures-*-S02-[01].npz"))) == 7


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
