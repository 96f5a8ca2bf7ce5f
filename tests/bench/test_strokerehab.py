"""The StrokeRehab bench on made rows, and two rows trained for a moment on made people."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from rehabcount.bench import strokerehab, strokerehab_kept, strokerehab_rows, strokerehab_tables
from rehabcount.bench.experiment import commit, execute
from rehabcount.bench.strokerehab_kept import FinishedRow, KeptEpoch, People, Spent, TrialSequences, Way
from rehabcount.bench.strokerehab_page import page
from rehabcount.bench.strokerehab_rows import RowName, activity_of, row_of, spans_between
from rehabcount.errors import ConfigError, DatasetChanged, DatasetMissing, ModelMismatch
from rehabcount.inference.duration_hmm import Onset
from rehabcount.inference.spans import Span, merged
from rehabcount.models.data import TrainingSet
from rehabcount.models.sources import open_data
from tests.models.conftest import make_trial, write_set

LABELS = ("idle", "reach", "reposition", "stabilize", "transport")
GROUPS = {"test": 4, "further": 3, "severe": 2, "healthy-test": 2}


def made_row(network: str, wrong: int, trained_on: str = "stroke", seed: int = 7) -> FinishedRow:
    """A row that misreads the first `wrong` of ten movements of every trial."""
    reference = tuple((i % 5, float(i), i + 1.0) for i in range(10))
    estimate = tuple(((3 if i == 4 else 4) if i < wrong else i % 5, float(i), i + 1.0) for i in range(10))
    trials = tuple(
        TrialSequences(f"{group}{person}", group, "drinking", reference, estimate)
        for group, people in GROUPS.items()
        for person in range(people)
    )
    shown = strokerehab_rows.SHOWN[network]
    ways = {shown: Way({"delay_s": 1.0} if network == "stream" else {}, trials)}
    if network == "mstcn":
        ways[strokerehab_rows.SMOOTHED] = Way({"length_s": 0.2}, trials)
    epoch = KeptEpoch(0, 1.0, 0.3, 70.0, (0.0,) * 5, 50.0, 7)
    return FinishedRow(
        name=RowName(network, trained_on, seed).name,
        network=network,
        trained_on=trained_on,
        seed=seed,
        budget_min=2.0,
        commit="abc",
        data="made",
        people=People(("1",), (), ()),
        evidence="simulated",
        labels=LABELS,
        people_trained_on=30,
        people_chosen_on=5,
        parameters=1000,
        cpu_s=Spent(90.0, 30.0),
        history=(epoch, replace(epoch, number=1, cpu_s=90.0, aer=0.25)),
        chosen=epoch,
        unbiased=True,
        ways=ways,
    )


ROWS = [
    made_row("mstcn", 4),
    made_row("asrf", 4),
    made_row("raw2seq", 3),
    made_row("stream", 2),
    made_row("raw2seq", 5, "healthy"),
]


def test_claims_follow_from_the_sequences() -> None:
    claims = {f"{c.where}: {c.name}": c for c in strokerehab_tables.claims_of(ROWS)}
    assert claims["Table 2: Raw2seq, AER"].ours == pytest.approx(0.3)
    assert claims["Table 2: Raw2seq, AER"].published == 0.305
    assert claims["Table 2: Raw2seq, AER"].match is None  # simulated people are not the paper's
    assert claims["Table 3: Raw2seq trained on healthy, tested on severe, AER"].ours == pytest.approx(0.5)
    assert claims["as hard as life: Raw2seq on simulated stroke, AER within 0.25 to 0.40"].match is True
    assert claims["as hard as life: Raw2seq on simulated severe, AER within 0.50 to 0.70"].match is False
    assert claims["stream: AER less that of Raw2seq, below 0"].match is True
    assert claims["stream: AER less that of Raw2seq, below 0"].ours == pytest.approx(-0.1)
    assert claims["stream: delay, s, at most 1"].match is True
    worse = [made_row("raw2seq", 3), made_row("stream", 4)]
    claims = {c.name: c for c in strokerehab_tables.claims_of(worse)}
    assert claims["AER less that of Raw2seq, below 0"].match is False


def test_count_bias_of_each_primitive() -> None:
    """Of ten movements, two of each primitive, the first two (idle, reach) are taken for transports."""
    rows = [made_row("stream", 2), made_row("stream", 0, seed=8)]
    found = strokerehab_tables.biases_of(rows, strokerehab_tables.OURS, ("test",))
    assert found["idle"].seeds == pytest.approx((-0.5, 0.0))
    assert found["idle"].mean == pytest.approx(-0.25)
    assert found["transport"].mean == pytest.approx(0.5)
    assert found["stabilize"].interval.low == found["stabilize"].interval.high == pytest.approx(0.0)
    claims = {c.name: c for c in strokerehab_tables.claims_of(rows)}
    worst = claims["largest count bias of a primitive, mean of the seeds, within 0.03"]
    assert worst.ours == pytest.approx(0.5)
    assert worst.match is False
    assert "7 people" in worst.note
    assert claims["largest count bias of a primitive, any seed, within 0.03"].ours == pytest.approx(1.0)
    own = claims["largest count bias of a primitive, any seed, the cohort's own patients, within 0.03"]
    assert own.ours == pytest.approx(1.0)
    assert own.match is False
    assert "4 people" in own.note
    right = {c.name: c for c in strokerehab_tables.claims_of([made_row("stream", 0)])}
    assert right["largest count bias of a primitive, mean of the seeds, within 0.03"].match is True
    text = page(rows, {})
    assert "| idle | -25.0% (-25.0% to -25.0%): -50.0%, +0.0% |" in text
    assert "further, 3 people" in text
    assert "stroke test set, 7 simulated people" in text


def test_rows_tested_on_other_trials_are_not_compared() -> None:
    other = made_row("raw2seq", 3)
    way = other.ways["Raw2seq"]
    other = replace(other, ways={"Raw2seq": replace(way, trials=way.trials[1:])})
    with pytest.raises(DatasetChanged, match="different trials"):
        strokerehab_tables.claims_of([made_row("stream", 2), other])


def test_a_training_that_had_less_than_its_budget_is_named() -> None:
    claims = {c.where: c for c in strokerehab_tables.claims_of([made_row("raw2seq", 3), made_row("stream", 2)])}
    assert claims["equal budgets"].match is False  # 1.5 of 2 minutes
    assert claims["equal budgets"].ours == pytest.approx(0.75)


def test_seeds_are_averaged() -> None:
    rows = [made_row("stream", 2), made_row("stream", 4, seed=8)]
    table = strokerehab_tables.table_2(rows)
    assert strokerehab_tables.mean_of(table[strokerehab_tables.OURS], "aer") == pytest.approx(0.3)
    assert strokerehab_tables.versus(table, "Raw2seq", strokerehab_tables.OURS) is None


def test_page_and_pictures_say_simulated(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need the extra `bench`")
    from rehabcount.bench.strokerehab_pictures import draw

    pictures = draw(ROWS, tmp_path)
    assert len(pictures) == 4
    assert all("simulated" in caption for caption in pictures.values())
    assert all((tmp_path / file).stat().st_size > 1000 for file in pictures)
    text = page(ROWS, pictures)
    assert "measured on simulated people" in text
    assert "0.305 (0.284-0.324)" in text
    assert "| healthy | 0.500" in text
    assert all(f"({file})" in text for file in pictures)


def test_rows_have_names() -> None:
    assert row_of("raw2seq-healthy@9") == RowName("raw2seq", "healthy", 9)
    assert row_of("stream").name == "stream@7"
    for wrong in ("resnet", "stream-dogs", "stream@x"):
        with pytest.raises(ConfigError, match=wrong):
            row_of(wrong)
    names = [row.name for row in strokerehab.chosen_rows("mstcn,asrf,raw2seq-healthy", 2)]
    assert names == ["mstcn@7", "asrf@7", "raw2seq-healthy@7", "mstcn@8"]
    with pytest.raises(ConfigError):
        strokerehab.chosen_rows("", 1)


def test_spans_of_rows() -> None:
    assert merged([Span(1, 0, 2), Span(1, 2, 4), Span(2, 4, 5)]) == [Span(1, 0, 4), Span(2, 4, 5)]
    assert spans_between([Onset(1, 0), Onset(2, 3)], 7) == [Span(1, 0, 3), Span(2, 3, 7)]
    assert spans_between([], 7) == []
    assert activity_of("test/S36_face-wash_left_1") == "face wash"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Made people of every group, with movements that a small network can tell apart."""
    rng = np.random.default_rng(2)
    trials = []
    for group, split, number in (("train", "train", 3), ("train", "valid", 1), ("test", "test", 2)):
        for i in range(number):
            trial = make_trial(i, split, rng)
            name = f"{group}/{split}{i}_drinking_{i}"
            trials.append(type(trial)(name, f"{split}{i}", split, trial.rows, trial.valid, trial.labels, trial.onsets))
    write_set(tmp_path / "set", TrainingSet("made", ("a", "b", "c"), (), 20.0, tuple("uvwxyz"), tuple(trials)))
    return tmp_path / "set"


def test_rows_are_trained_once_and_read_again(people: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra `train`")
    out = tmp_path / "out"
    changes = ["rows=stream", "minutes=0.005", "only_train=true", "seeds=1", "processes=1"]
    first = execute(strokerehab.EXPERIMENT, data=people, out=out, changes=changes)
    assert "stream@7: validation AER" in first["figures"]
    kept = out / "rows" / "stream@7" / "row.json"
    written = kept.stat().st_mtime_ns
    again = execute(strokerehab.EXPERIMENT, data=people, out=out, changes=changes)
    assert again["figures"] == first["figures"]
    assert kept.stat().st_mtime_ns == written
    kept.unlink()  # as if it had been interrupted: its settings and its checkpoint are there
    execute(strokerehab.EXPERIMENT, data=people, out=out, changes=changes)
    assert kept.is_file()
    with pytest.raises(ModelMismatch, match="CPU minutes"):
        execute(strokerehab.EXPERIMENT, data=people, out=out, changes=[*changes, "minutes=1"])
    document = strokerehab_rows.finished(out / "rows", RowName("stream"))
    assert document is not None
    trials = document.ways["stream (ours)"].trials
    assert len(trials) == 2
    labels = [label for label, _, _ in trials[0].reference]
    assert all(a != b for a, b in pairwise(labels))  # repeats are one movement, as in the paper


def test_further_patients_are_tested_too(people: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra `train`")
    out = tmp_path / "out"
    changes = ["rows=mstcn", "minutes=0.005", "only_train=true", "seeds=1", "processes=1", f"further={people},{people}"]
    execute(strokerehab.EXPERIMENT, data=people, out=out, changes=changes)
    document = strokerehab_rows.finished(out / "rows", RowName("mstcn"))
    assert document is not None
    other_people = tmp_path / "other people"
    kept = open_data(people)
    write_set(other_people, replace(kept, trials=kept.trials[:-1]))
    tested = document.ways["MS-TCN"].trials
    assert [trial.group for trial in tested] == ["test"] * 2 + ["further"] * 4
    assert len({trial.subject for trial in tested}) == 6  # people of another set are other people
    assert tested[2].reference == tested[0].reference
    with pytest.raises(ModelMismatch, match="trained on other people"):
        strokerehab_rows.train_row(out / "rows", other_people, RowName("mstcn"), 0.005, further=[people, people])
    with pytest.raises(ModelMismatch, match="tested on other people"):
        execute(strokerehab.EXPERIMENT, data=people, out=out, changes=[*changes, f"further={people}"])
    without_patients = tmp_path / "healthy"
    write_set(without_patients, TrainingSet("healthy", ("a", "b", "c"), (), 20.0, tuple("uvwxyz"), ()))
    with pytest.raises(DatasetMissing, match="no stroke patients"):
        strokerehab_rows.train_row(tmp_path / "rows", people, RowName("mstcn"), 0.005, further=[without_patients])
    other = tmp_path / "other"
    write_set(other, TrainingSet("other", ("a", "b"), (), 20.0, tuple("uvwxyz"), ()))
    with pytest.raises(DatasetChanged, match="differ"):
        strokerehab_rows.train_row(tmp_path / "rows", people, RowName("mstcn"), 0.005, further=[other])


def test_seg2seq_reads_mstcn(people: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra `train`")
    with pytest.raises(ConfigError, match="mstcn@7"):
        strokerehab_rows.train_row(tmp_path / "rows", people, RowName("seg2seq"), 0.005)
    with pytest.raises(ConfigError, match="keeps"):
        execute(strokerehab.EXPERIMENT, data=people)


def test_a_kept_row_says_what_was_written_in_the_words_of_the_file(tmp_path: Path) -> None:
    row = made_row("mstcn", 4)
    path = tmp_path / "row.json"
    assert strokerehab_kept.write(path, row, {"epochs": 3}) == row
    document = json.loads(path.read_text())
    assert (document["row"], document["trained on people"], document["count bias within bound"]) == (
        "mstcn@7",
        30,
        True,
    )
    assert document["cpu_s"] == {"training and validation": 90.0, "choices on validation and test": 30.0}
    assert document["settings"] == {"epochs": 3}
    assert strokerehab_kept.read(path) == row
    path.write_text(json.dumps({**document, "labels": 5}))
    with pytest.raises(DatasetChanged, match="labels"):
        strokerehab_kept.read(path)


def test_the_commit_is_known_or_empty() -> None:
    assert len(commit()) in (0, 12, 13)
