from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rehabcount.datasets.strokerehab import (
    ACTIVITIES,
    FOLDS,
    LABELS,
    SEVERE_SUBJECTS,
    TEST_SUBJECTS,
    TrialFile,
    list_trials,
    of_subjects,
    read_trial,
    training_split,
)
from rehabcount.domain.labels import PRIMITIVES
from rehabcount.errors import DatasetChanged, DatasetMissing

WriteTrial = Callable[..., np.ndarray]
WORDS = ["rest"] * 3 + ["reach"] * 2 + ["transport", "stabilize", "retract", "idle", "reposition"]
MEANT = ["idle"] * 3 + ["reach"] * 2 + ["transport", "stabilize", "reposition", "idle", "reposition"]


def test_the_whole_folder_is_listed(strokerehab_folder: Path) -> None:
    trials = list_trials(strokerehab_folder)
    assert len(trials) == 4 * 13 * 2 + 4
    assert {trial.spelling for trial in trials} == set(ACTIVITIES)
    assert {trial.activity for trial in trials} == {
        "deodorant", "combing", "glasses", "drinking", "feeding", "brushing", "face wash", "RTT", "Shelf",
    }  # fmt: skip
    assert list(dict.fromkeys(trial.subject for trial in trials)) == [
        "s7", "s13", "s26", "s41", "s42", "s46", "s50",
    ]  # fmt: skip


def test_every_value_and_label_reads_back(strokerehab_folder: Path, write_trial: WriteTrial, tmp_path: Path) -> None:
    written = {}
    for seed, trial in enumerate(list_trials(strokerehab_folder)):
        written[trial.path.name] = write_trial(trial.path, WORDS, seed=seed, markers=seed % 2 == 0)
    for trial in list_trials(strokerehab_folder):
        data = read_trial(trial)
        np.testing.assert_array_equal(data.values, written[trial.path.name])
        assert [PRIMITIVES.names[i] for i in data.labels] == MEANT
        assert len(data.names) == 77
        assert data.names[0] == "invented 0"
        assert data.names[27] == "joint angle 0 (deg)"
        assert data.names[-1] == "side"
        assert data.missing == 0


def test_repetitions_are_read_as_the_authors_do(strokerehab_folder: Path) -> None:
    by_name = {trial.path.name: trial for trial in list_trials(strokerehab_folder)}
    assert by_name["s26_glasses_SB_mod_glasses l.csv"].repetition == "l"
    assert by_name["s46_combing_SB_mod_combing 2 .csv"].repetition == " "
    assert by_name["s42_RTT left side_RT_SB_mod_RTT left side 5.csv"].repetition == "5"
    training, validation = training_split(by_name.values(), fold=1)
    assert {trial.repetition for trial in training} == {"1"}  # neither the fifth nor the odd names are trained on
    assert {trial.subject for trial in training} == {"s46", "s13", "s41"}
    assert {trial.repetition for trial in validation} == {"1", "5"}
    assert {trial.subject for trial in validation} == {"s7"}


def test_splits_are_the_published_ones() -> None:
    subjects = [*TEST_SUBJECTS, *SEVERE_SUBJECTS, *(subject for fold in FOLDS for subject in fold)]
    assert len(subjects) == len(set(subjects)) == 8 + 7 + 33
    with pytest.raises(ValueError, match="fold must be 0 to 3"):
        training_split([], 4)


def test_subjects_are_matched_whole() -> None:
    trials = [TrialFile(Path("x"), subject, "RTT", "RTT", "1") for subject in ("s4", "s42", "s44")]
    assert [trial.subject for trial in of_subjects(trials, ["s4"])] == ["s4"]


@pytest.mark.parametrize("exists", [True, False])
def test_a_missing_corpus_says_where_to_get_it(tmp_path: Path, exists: bool) -> None:
    folder = tmp_path / "nothing"
    if exists:
        folder.mkdir()
    with pytest.raises(DatasetMissing, match="nothing") as missing:
        list_trials(folder)
    assert "SimTK" in missing.value.advice
    assert "primseq" in missing.value.advice


def test_an_unknown_activity_is_named(tmp_path: Path, write_trial: WriteTrial) -> None:
    write_trial(tmp_path / "s1_juggling_SB_mod_juggling 1.csv", ["rest"])
    with pytest.raises(DatasetChanged, match=r"s1_juggling_SB_mod_juggling 1\.csv.*'juggling'"):
        list_trials(tmp_path)


@pytest.fixture
def lines(tmp_path: Path, write_trial: WriteTrial) -> list[str]:
    path = tmp_path / "s1_RTT_x_RTT 1.csv"
    write_trial(path, ["rest", "reach", "reach"])
    return path.read_text(encoding="utf-8").splitlines()


def read_lines(tmp_path: Path, lines: list[str]) -> object:
    path = tmp_path / "s1_RTT_x_RTT 1.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return read_trial(list_trials(tmp_path)[0])


@pytest.mark.parametrize(
    ("line", "old", "new", "complaint"),
    [
        (2, ",reach,", ",jump,", r"line 3: column 'class' says 'jump'; labels are rest, idle, "),
        (0, ",class,", ",klass,", r"line 1: the label column 'class' is not among the last 16"),
        (0, "pelvis roll (deg)", "pelvis bank (deg)", r"line 1: 26 course, pitch and roll columns; 27 expected"),
        (0, ",side,", ",side,extra,", r"line 1: 95 columns besides .*; 94 expected"),
        (3, ",reach,", ",reach,,", r"line 4: 124 values; 123 expected"),
        (1, "0.1,", "zero,", r"line 2: column 'invented 5' is not a number: 'zero'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named_by_line_and_column(
    tmp_path: Path, lines: list[str], line: int, old: str, new: str, complaint: str
) -> None:
    assert old in lines[line]
    lines[line] = lines[line].replace(old, new, 1)
    with pytest.raises(DatasetChanged, match=complaint):
        read_lines(tmp_path, lines)


def test_an_empty_file_has_no_frames(tmp_path: Path, lines: list[str]) -> None:
    with pytest.raises(DatasetChanged, match="line 1: no frames"):
        read_lines(tmp_path, lines[:1])
    with pytest.raises(DatasetChanged, match="line 1"):
        read_lines(tmp_path, [])


def test_a_cell_without_a_number_is_counted(tmp_path: Path, lines: list[str]) -> None:
    cells = lines[2].split(",")
    cells[6] = ""  # the constant column
    lines[2] = ",".join(cells)
    data = read_lines(tmp_path, lines)
    assert getattr(data, "missing", None) == 1


def test_a_trial_deleted_after_listing_is_missing(strokerehab_folder: Path) -> None:
    trial = list_trials(strokerehab_folder)[0]
    trial.path.unlink()
    with pytest.raises(DatasetMissing, match="no longer there"):
        read_trial(trial)


def test_every_synonym_is_a_primitive() -> None:
    assert {PRIMITIVES[name].name for name in LABELS.values()} == set(PRIMITIVES.names)


def test_as_a_training_set(strokerehab_folder: Path, write_trial: WriteTrial) -> None:
    """Groups are part of the names; people in no list of the authors are healthy."""
    from rehabcount.models.sources import stroke_rehab

    for number in range(1, 21):
        write_trial(strokerehab_folder / f"c{number}_drinking_SB_mod_drinking 1.csv", WORDS, number)
    data = stroke_rehab(strokerehab_folder)
    people: dict[tuple[str, str], set[str]] = {}
    for trial in data.trials:
        people.setdefault((trial.name.split("/")[0], trial.split), set()).add(trial.subject)
    assert people["train", "valid"] == {"s46"}
    assert people["train", "train"] == {"s7", "s13", "s41"}
    assert people["test", "test"] == {"s42", "s26"}
    assert people["severe", "test"] == {"s50"}
    assert len(people["healthy-test", "test"]) == 4
    assert len(people["healthy-train", "train"]) == 14
    assert len(people["healthy-train", "valid"]) == 2
    assert len(data.columns) == 77


def test_the_bench_reads_the_real_layout(
    strokerehab_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch", reason="training needs the extra `train`")
    pytest.importorskip("matplotlib", reason="pictures need the extra `bench`")
    from rehabcount.bench import strokerehab_rows
    from rehabcount.bench.experiment import execute
    from rehabcount.bench.strokerehab import EXPERIMENT

    tiny = strokerehab_rows.OwnSettings(2, 1e-3, preset="tiny")
    monkeypatch.setitem(strokerehab_rows.TRAINING, "raw2seq", tiny)
    found = execute(
        EXPERIMENT,
        data=strokerehab_folder,
        out=tmp_path / "out",
        changes=["rows=raw2seq", "minutes=0.0001", "seeds=1", "processes=1"],
    )
    names = [f"{claim['where']}: {claim['name']}" for claim in found["claims"]]
    assert "Table 2: Raw2seq, AER" in names
    assert "Table 3: Raw2seq trained on stroke, tested on severe, AER" in names
    assert not any("simulated" in name for name in names)
    assert "simulated" not in (tmp_path / "out" / "strokerehab.md").read_text(encoding="utf-8")
