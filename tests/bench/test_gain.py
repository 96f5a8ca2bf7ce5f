"""The GAIN bench on made sets and made rows: principles, rows that are kept, tables, page. Training needs `train`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rehabcount.bench import gain, gain_data, gain_kept, gain_rows, gain_tables
from rehabcount.bench.experiment import Context
from rehabcount.bench.gain_data import IN, OOD, STEPS, TRAINED, Consistency, SetSize, consistent, people_of
from rehabcount.bench.gain_kept import GainRow
from rehabcount.bench.gain_page import page
from rehabcount.bench.gain_rows import NETWORKS, GainName, main_rows, parameter_rows, row_named
from rehabcount.bench.gain_splits import check, effective_number
from rehabcount.bench.gain_tables import cell, claims_of, score_of, verdict_of
from rehabcount.errors import ConfigError, DatasetChanged, DatasetMissing, ModelMismatch
from rehabcount.models.data import TrainingSet, Trial

LABELS = ("none", "a", "b", "c")


def trial(where: str, task: str, labels: str, person: str = "", number: int = 0) -> Trial:
    """Ten frames a letter; a dot is background."""
    track = np.repeat([".abc".index(letter) for letter in labels], 10).astype(np.int16)
    rows = np.random.default_rng(number).normal(size=(len(track), 4)).astype(np.float32)
    rows[:, 0] += track
    onsets = np.append(True, track[1:] != track[:-1])
    split = "train" if where == "train" else "test"
    name = f"{where}/{task}/{person or split}{number}"
    return Trial(name, person or split, split, rows, np.ones(rows.shape, bool), track, onsets)


def made_set(*trials: Trial) -> TrainingSet:
    return TrainingSet("made", LABELS, ("none",), 10.0, tuple("wxyz"), trials, normalisation="none")


def good_set() -> TrainingSet:
    return made_set(
        trial("train", "one", "abab"),
        trial("train", "two", "bcbc"),
        trial(IN, "one", "abab"),
        trial(OOD, "three", "acac"),
        trial(OOD, "four", "abcb"),
        trial(OOD, "five", "ccaa"),
    )


def test_a_set_by_the_principles_has_no_violation() -> None:
    report = check(good_set())
    assert report.violations == ()
    assert report.tasks["train"] == {"one": 1, "two": 1}
    assert report.effective_tasks == 3.0
    assert report.steps["train"] == {"none": 0.0, "a": 0.25, "b": 0.5, "c": 0.25}
    assert report.distance("train", "train") == 0.0
    assert report.distance("train", IN) == pytest.approx(0.25)
    assert report.distance("train", OOD) > 0.0


@pytest.mark.parametrize(
    ("more", "principle", "what"),
    [
        ([trial(OOD, "one", "ab")], "tasks do not overlap", "one is trained and unseen"),
        ([trial(OOD, "six", "a.b")], "steps are consistent", "none is tested (ood) and not trained"),
        ([trial(IN, "two", "b.")], "steps are consistent", "none is tested (in) and not trained"),
        ([trial(OOD, "three", "ab", number=i) for i in range(5)], "categories are diverse", "three is 75%"),
    ],
)
def test_each_principle_is_checked(more: list[Trial], principle: str, what: str) -> None:
    data = good_set()
    found = check(replace(data, trials=(*data.trials, *more))).violations
    assert [each.principle for each in found if what in each.what] == [principle]


def test_one_unseen_task_is_not_diverse() -> None:
    data = good_set()
    found = check(replace(data, trials=data.trials[:4])).violations
    assert {each.principle for each in found} == {"categories are diverse"}
    assert effective_number([4, 4]) == pytest.approx(2.0)
    assert effective_number([]) == 0.0


def test_untrained_steps_become_background_or_the_trial_goes() -> None:
    short = trial(OOD, "four", "ab" * 12)
    track = short.labels.copy()
    track[100:105] = 3
    short = replace(short, labels=track, onsets=np.append(True, track[1:] != track[:-1]))
    data = made_set(trial("train", "one", "ab."), short, trial(OOD, "five", "abc"))
    found = consistent(data)
    assert found.blanked == {"c": 5}
    assert found.left_out == ("ood/five/test0",)
    kept = found.data.of("test")[0]
    assert (kept.labels[100:105] == 0).all()
    assert kept.onsets[100]
    assert kept.onsets[105]
    assert (kept.labels == 3).sum() == 0
    assert not [each for each in check(found.data).violations if each.principle == "steps are consistent"]


def test_rows_have_names() -> None:
    every = [*main_rows(gain_rows.SOURCES, 3), *parameter_rows()]
    assert len(every) == len(set(every)) == 3 * 3 * 8 + 8
    assert all(row_named(row.name) == row for row in every)
    assert row_named("suturing/c-lstm") == GainName("suturing", "lstm", True, 7)
    assert row_named("simulated/c-edtcn+videos=1.5@8").value("videos", 1.0) == 1.5
    for wrong in ("lstm", "cooking/lstm", "simulated/gru", "simulated/lstm@x", "simulated/lstm+size=2",
                  "simulated/lstm+rate", "simulated/lstm+rate=much"):  # fmt: skip
        with pytest.raises(ConfigError, match="there is no row"):
            row_named(wrong)


def test_rows_that_the_data_allow() -> None:
    without = gain.chosen_gain_rows("", 3, Context())
    assert {row.source for row in without} == {"simulated"}
    assert len(without) == 24 + 8
    assert len(gain.chosen_gain_rows("", 3, Context(data=Path()))) == 80
    assert len(gain.chosen_gain_rows("", 3, Context(quick=True))) == 8
    with pytest.raises(DatasetMissing, match="need the data"):
        gain_rows.data_of(row_named("suturing/lstm"), Path(), None, quick=True, on_progress=lambda *_: None)


def test_plain_and_causal_rows_take_the_same_steps() -> None:
    pytest.importorskip("torch", reason="training needs the extra `train`")
    for row in main_rows(gain_rows.SOURCES, 1):
        one, two = (
            gain_rows.settings_of(replace(row, causal=causal), good_set(), quick=False) for causal in (False, True)
        )
        assert one.intervene == 0.0
        assert replace(two, intervene=0.0) == one
        assert two.intervene == 1.0
    assert (
        gain_rows.settings_of(row_named("simulated/mstcnpp+rate=0.001"), good_set(), quick=False).learning_rate == 1e-3
    )
    varied = gain_rows.settings_of(row_named("simulated/c-edtcn+steps=0.5"), good_set(), quick=False)
    assert (varied.intervene, varied.intervene_steps) == (1.0, 0.5)


@pytest.fixture
def on_made_people(monkeypatch: pytest.MonkeyPatch) -> TrainingSet:
    data = good_set()
    names = [each.name.split("/") for each in data.trials]
    trials = [trial(where, task, "abcb" * 8, number=i) for i, (where, task, _) in enumerate(names)]
    longer = replace(data, trials=tuple(trials))
    monkeypatch.setattr(gain_rows, "data_of", lambda *_, **__: Consistency(longer, {}, ()))
    return longer


def test_a_trained_row_is_kept_and_read_again(on_made_people: TrainingSet, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra `train`")
    row, said = row_named("simulated/c-lstm@8"), list[str]()

    def train() -> GainRow:
        return gain_rows.train_gain_row(
            tmp_path, None, row, quick=True, on_progress=lambda what, done, total: said.append(what)
        )

    first = train()
    assert said
    assert first.gradient_steps == gain_rows.EPOCHS * gain_rows.QUICK_BATCHES
    assert first.training_s > 0
    assert {each.where for each in first.trials} == {IN, OOD}
    assert not list(tmp_path.rglob("reassembled"))
    for tested, true in zip(first.trials, on_made_people.of("test"), strict=True):
        assert tested.reference[-1][2] == tested.estimate[-1][2] == len(true)
        assert all(0 < each[3] <= 1 for each in tested.estimate)
    said.clear()
    assert train() == first
    assert not said
    kept = tmp_path / "quick" / row.name / "row.json"
    kept.write_text(json.dumps({**json.loads(kept.read_text()), "sha256": "other"}))
    with pytest.raises(ModelMismatch, match="was trained on other data"):
        train()
    kept.write_text("{")
    with pytest.raises(DatasetChanged, match="is not a finished row"):
        gain_kept.read(kept)


def made_row(name: str, right_in: int, right_out: int) -> GainRow:
    """Of ten steps of ten frames the first so many are right, in each of two known and three unseen trials."""
    row = row_named(name)
    trials = []
    for where, task, right in ((IN, "one", right_in), (IN, "two", right_in), (OOD, "three", right_out),
                               (OOD, "four", right_out), (OOD, "five", right_out)):  # fmt: skip
        reference = tuple((1 + i % 3, 10 * i, 10 * i + 10) for i in range(10))
        estimate = tuple((b if i < right else 1 + (b + i) % 3, s, e, 0.9) for i, (b, s, e) in enumerate(reference))
        estimate = tuple((lab if lab != r[0] or i < right else 1 + lab % 3, s, e, p)
                         for i, ((lab, s, e, p), r) in enumerate(zip(estimate, reference, strict=True)))  # fmt: skip
        trials.append(gain_kept.TestedTrial(where, task, f"{where}/{task}/x", reference, estimate))
    return GainRow(row.name, row.source, row.network, row.causal, row.variant, row.seed, False, "made", "0", "abc",
                   LABELS, ("none",), 10.0, 100, 40, 2e-3, 60.0, 6.0, (), tuple(trials))  # fmt: skip


def test_scores_of_a_row() -> None:
    row = made_row("simulated/lstm", 9, 6)
    assert score_of(row, IN, "accuracy") == pytest.approx(90.0)
    assert score_of(row, OOD, "accuracy") == pytest.approx(60.0)
    assert score_of(row, OOD, "accuracy", "four") == pytest.approx(60.0)
    assert np.isnan(score_of(row, IN, "accuracy", "four"))
    assert score_of(row, OOD, "F1@10") == pytest.approx(60.0)
    assert score_of(row, OOD, "edit") == pytest.approx(60.0, abs=20)
    assert score_of(row, OOD, "balanced") == pytest.approx(100 * (2 / 4 + 2 / 3 + 2 / 3) / 3)
    perfect = made_row("simulated/lstm", 10, 10)
    assert all(score_of(perfect, OOD, metric) == pytest.approx(100.0) for metric in gain_tables.METRICS)


def test_background_counts_in_frame_accuracy_only() -> None:
    row = made_row("simulated/lstm", 10, 10)
    named = (
        gain_kept.TestedTrial(
            OOD, "t", "x", ((0, 0, 50), (1, 50, 100)), ((1, 0, 40, 0.9), (0, 40, 50, 0.9), (1, 50, 100, 0.5))
        ),
    )
    row = replace(row, trials=named)
    assert score_of(row, OOD, "accuracy") == pytest.approx(60.0)
    assert score_of(row, OOD, "F1@10") == pytest.approx(100 * 2 / 3)
    assert score_of(row, OOD, "mAP@mid") == pytest.approx(50.0)  # the surer detection is the wrong one


def full_rows(gain_points: int = 1, cost: int = 0) -> list[GainRow]:
    return [
        made_row(f"simulated/{c}{network}@{seed}", 9 - (cost if c else 0), 6 + (gain_points if c else 0))
        for network in NETWORKS
        for seed in gain_rows.SEEDS
        for c in ("", "c-")
    ]


def test_claims_are_judged() -> None:
    assert cell(full_rows(), "simulated", "c-lstm", "", OOD, "accuracy").seeds == pytest.approx((70.0,) * 3)
    found = verdict_of(full_rows(), "simulated")
    assert found.dropped == pytest.approx(dict.fromkeys(NETWORKS, 30.0))
    assert found.gained == pytest.approx(dict.fromkeys(NETWORKS, 10.0))
    judged = {c.where: c.match for c in claims_of(full_rows()) if c.match is not None}
    assert judged == {"claim 1": True, "claim 2": True, "claim 3": True, "target": True}
    judged = {c.where: c.match for c in claims_of(full_rows(cost=1)) if c.match is not None}
    assert judged == {"claim 1": True, "claim 2": True, "claim 3": False, "target": False}
    judged = {c.where: c.match for c in claims_of(full_rows(gain_points=-1)) if c.match is not None}
    assert judged == {"claim 1": True, "claim 2": False, "claim 3": True, "target": False}
    unpaired = [*full_rows(), made_row("simulated/lstm@10", 1, 1)]
    assert verdict_of(unpaired, "simulated") == verdict_of(full_rows(), "simulated")
    two_seeds = [row for row in full_rows() if row.seed < 9]
    assert [c.match for c in claims_of(two_seeds) if c.where == "target"] == [False]


def test_the_page_names_what_is_missing() -> None:
    rows = [*full_rows(), made_row("simulated/c-edtcn+videos=1.5", 8, 7)]
    wanted = [row.name for row in [*main_rows(("simulated",), 3), *parameter_rows()]]
    text = page(rows, {"simulated": check(good_set())}, {"gain/simulated-steps.png": "Fig. 3"}, wanted)
    assert "**Not finished: 7 of 32 rows** (simulated/mstcnpp+rate=0.0005@7" in text
    assert "measured on simulated people only" in text
    assert "| ours | 90.0 / 60.0 | 90.0 / 70.0 | - / - | - / - | - / - | 80.0 / 70.0 |" in text  # Table 6
    assert "| 0.002 | MS-TCN++ | 90.0 / 60.0 | 65.5 / 51.8 |" in text  # Table 5
    assert "![Fig. 3](gain/simulated-steps.png)" in text
    assert "What else was tried" not in text
    more = page([*rows, made_row("simulated/c-lstm+run=8", 8, 7)], {}, {}, wanted)
    row = "| simulated | C-LSTM | 7 | 8 steps that followed each other are drawn together | 80.0 / 70.0 |"
    assert row in more
    assert "All rows together: 28 CPU minutes" in text
    whole = page(rows, {}, {}, [row.name for row in rows])
    assert "Not finished" not in whole


def test_page_and_pictures_from_kept_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="the bench needs the extra `train`")
    pytest.importorskip("matplotlib", reason="pictures need the extra `bench`")
    monkeypatch.setattr(gain, "data_of", lambda *_, **__: Consistency(good_set(), {}, ()))
    for row in full_rows():
        gain_kept.write(tmp_path / "out" / "rows" / row.name / "row.json", row)
    (tmp_path / "docs" / "gain").mkdir(parents=True)
    (tmp_path / "docs" / "gain" / "notes.txt").write_text("Also tried: a longer fade.")
    context = Context(out=tmp_path / "out")
    settings = {**gain.EXPERIMENT.settings, "only_tables": True, "page": str(tmp_path / "docs")}
    results = gain.run(settings, context)
    assert results.figures["rows"] == 24
    assert results.figures["simulated, C-LSTM, ood, accuracy"] == pytest.approx(70.0)
    text = (tmp_path / "docs" / "gain.md").read_text()
    assert "Also tried: a longer fade." in text
    for name in ("steps", "success", "failure", "networks"):
        assert (tmp_path / "docs" / "gain" / f"simulated-{name}.png").stat().st_size > 5000
        assert f"gain/simulated-{name}.png" in text


SMALL = SetSize(people=1, tested=1, activities=("shelf",), held_out=(), tasks=("tidying",))


def test_simulated_people_are_kept_at_25_hz(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="steps are made by models/batches")
    told = list[int]()
    data = gain_data.simulated_set(tmp_path, SMALL, lambda done, total: told.append(total))
    assert told == [3, 3, 3]
    assert [t.name.split("/")[0] for t in data.trials] == ["train", IN, OOD]
    assert len({t.subject for t in data.trials}) == 2
    assert data.rate_hz == 25.0
    for each in data.trials:
        lengths = np.diff(np.flatnonzero(each.onsets)) / data.rate_hz
        assert 0.25 < np.median(lengths) < 3.0
        assert (each.labels >= 0).mean() > 0.95
    before = data.sha256
    again = gain_data.simulated_set(tmp_path, SMALL, lambda done, total: told.append(total))
    assert again.sha256 == before
    assert len(told) == 3


def test_slower_rows_are_means_of_valid_ones() -> None:
    pytest.importorskip("torch", reason="steps are made by models/batches")
    rows = np.arange(10, dtype=np.float32)[:, None].repeat(2, axis=1)
    valid = np.ones((10, 2), bool)
    valid[:3, 1], valid[4:8, 1] = False, False
    labels = np.array([0] * 6 + [1] * 4, np.int16)
    onsets = np.zeros(10, bool)
    onsets[[0, 6]] = True
    mean, known, track, begins = gain_data.slower(rows, valid, labels, onsets, 4)
    assert mean.tolist() == [[1.5, 3.0], [5.5, 0.0]]
    assert known.tolist() == [[True, True], [True, False]]
    assert track.tolist() == [0, 1]
    assert begins.tolist() == [True, True]


def test_people_who_test_do_not_train() -> None:
    train, test = people_of(SetSize())
    assert (len(train), len(test)) == (14, 8)
    assert not {each.name for each in train} & {each.name for each in test}
    assert min(each.score for each in train) < 30 < 60 < max(each.score for each in train)
    assert len(STEPS) == 16
    assert set(TRAINED).isdisjoint(gain_data.HELD_OUT)


def test_jigsaws_leaves_a_surgeon_out(data_folder: Path) -> None:
    folder = data_folder / "jigsaws"
    if not folder.is_dir():
        pytest.skip("no JIGSAWS among the recordings")
    people = gain_data.surgeons_of_both(folder, "suturing", "needle_passing")
    assert people == ["S02", "S03", "S04", "S05"]
    data = gain_data.jigsaws_set(folder, "suturing", "needle_passing", "S03")
    assert {t.subject for t in data.of("test")} == {"S03"}
    assert "S03" not in {t.subject for t in data.of("train")}
    assert {gain_data.task_of(t) for t in data.trials if gain_data.where_of(t) == OOD} == {"needle passing"}
    back = consistent(gain_data.jigsaws_set(folder, "needle_passing", "suturing", "S03"))
    assert back.left_out == ("in/needle passing/S03_T05",)  # the only G9 of that task is in it
    with pytest.raises(DatasetMissing, match="did no"):
        gain_data.jigsaws_set(folder, "suturing", "needle_passing", "S99")
