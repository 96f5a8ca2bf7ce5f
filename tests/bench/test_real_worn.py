"""Benches on real people with worn sensors: what they add up, on made people and made counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rehabcount.bench import real_coverage, real_drinking, real_moca, real_packing, real_still, worn_walk
from rehabcount.bench.coverage import Covered, Simulated, WindowSet, by_kind, in_words, quantities, windows
from rehabcount.bench.experiment import Context, execute, experiment
from rehabcount.bench.real_drinking import CountedDrink
from rehabcount.bench.real_moca import CountedAction
from rehabcount.bench.real_packing import PackedBox
from rehabcount.bench.real_still import StillCount
from rehabcount.bench.worn_walk import WalkCount, counting_of, packets_of, rig_of, wearing
from rehabcount.datasets import kiel
from rehabcount.datasets.openpack import Box
from rehabcount.datasets.worn import WornRecording
from rehabcount.domain.calibration import Calibration, Verdict
from rehabcount.domain.rig import Place, Side
from rehabcount.domain.sequence import Segment
from rehabcount.errors import ConfigError, DatasetMissing
from rehabcount.models.data import TrainingSet, Trial, onsets_of, write_trials
from rehabcount.signals.features import BEDSIDE
from tests.datasets.made_wearers import write_packing, write_still


def moves(side: Side, *labelled: tuple[str, float, float]) -> WalkCount:
    return WalkCount(tuple(Segment(label, side, start, end) for label, start, end in labelled), 1)


def scripted(model: str) -> tuple[worn_walk.Counting, str]:
    """Counts a reach and an idle a recording, with more than one sensor a transport, too."""

    def count(recording: WornRecording, side: Side) -> WalkCount:
        more = [("transport", 2.0, 3.0)] if len(recording.places) > 1 else []
        return moves(side, ("idle", 0.0, 1.0), ("reach", 1.0, 2.0), *more)

    return count, "scripted"


def test_false_counts_by_sensors_half_and_kind() -> None:
    def still(person: str, worn: str, kind: str, counts: dict[str, int]) -> StillCount:
        return StillCount(person, kind, worn, Side.LEFT, 360.0, counts, counts.get("transport", 0))

    found = [
        still("a", "trunk and arms", "walk slow", {"reach": 2, "transport": 1, "other": 9}),
        still("b", "trunk and arms", "walk slow", {"other": 4, "idle": 3}),
        still("a", "one forearm", "tug", {"stabilize": 8}),
    ]
    results = real_still.summary(found, "stream")
    claims = {(claim.where, claim.name): claim for claim in results.claims}
    one = claims["2 healthy people, trunk and arms", "false counts an hour"]
    assert (one.ours, one.match) == (15.0, True)  # three in 0.2 h
    two = claims["1 healthy people, one forearm", "false counts an hour"]
    assert (two.ours, two.match) == (80.0, False)
    assert claims["2 healthy people, trunk and arms", "task repetitions an hour"].ours == 5.0
    assert results.figures["trunk and arms: first half of the people, an hour"] == 30.0
    assert results.figures["trunk and arms: second half of the people, an hour"] == 0.0
    assert results.figures["trunk and arms: walk slow"] == (
        "3 in 12.0 min, 15 an hour (reach 2, transport 1; 1 task repetitions)"
    )
    assert results.figures["trunk and arms: other, not counted"] == 13


@pytest.mark.parametrize(
    ("name", "kind"), [("walk_slow", "walk slow"), ("calibration_3", "calibration"), ("walk_turn_12", "walk turn")]
)
def test_the_kind_of_movement_is_in_the_name(name: str, kind: str) -> None:
    assert real_still.kind_of(name) == kind


def test_still_people_from_files_to_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert experiment("real-still") is real_still.EXPERIMENT
    write_still(tmp_path / "kiel" / "p1.npz")
    monkeypatch.setattr(real_still, "counting_of", scripted)
    found = execute(real_still.EXPERIMENT, data=tmp_path, out=tmp_path / "out")
    hours = 2 * 3 * 12 / 3600
    ours = {claim["where"]: claim["ours"] for claim in found["claims"] if "false" in claim["name"]}
    assert ours["1 healthy people, trunk and arms"] == pytest.approx(12 / hours, rel=1e-3)
    assert ours["1 healthy people, one forearm"] == pytest.approx(6 / hours, rel=1e-3)
    assert (tmp_path / "out" / "real-still.png").stat().st_size > 5000


def test_a_made_person_goes_through_the_walk(tmp_path: Path) -> None:
    write_still(tmp_path / "p1.npz", seconds=8.0)
    recording = next(each for each in kiel.read_person(tmp_path / "p1.npz") if each.name == "walk_slow")
    alone = wearing(recording, (Place.LEFT_FOREARM,))
    assert alone.motion.shape == (800, 1, 6)
    assert [mounting.place for mounting in alone.calibration.mountings] == [Place.LEFT_FOREARM]
    count, name = counting_of("stream")
    found = count(recording, Side.RIGHT)
    assert name.startswith("stream ")
    assert found.moves
    assert found.moves[-1].end_s == pytest.approx(8.0, abs=0.3)
    rows = worn_walk.rows_of(recording, Side.LEFT)
    flexion = rows.values[200:, BEDSIDE.index("elbow flexion")]
    assert np.degrees(flexion.mean()) == pytest.approx(20, abs=3)  # .35 rad, made so
    assert np.degrees(np.ptp(flexion)) == pytest.approx(11.5, abs=2)


def test_lost_samples_are_not_sent() -> None:
    motion = np.ones((40, 1, 6))
    motion[10:20] = np.nan
    recording = WornRecording("p", "r", 100.0, (Place.LEFT_FOREARM,), motion, Calibration((), 0.0, Verdict.GOOD))
    packets = packets_of(recording, rig_of(recording))
    received = [packet.received_ns / 1e9 for packet in packets]
    assert received == sorted(received)
    assert max(np.diff(received)) > 0.1


def test_movements_belong_to_the_box_of_their_middle() -> None:
    walked = {
        Side.RIGHT: moves(Side.RIGHT, ("reach", 0.0, 2.0), ("transport", 9.0, 13.0), ("idle", 13.0, 19.0)),
        Side.LEFT: moves(Side.LEFT, ("other", 0.0, 9.0), ("reach", 8.0, 11.0)),
    }
    one, two = (real_packing.packed("p", Box(n, 10.0 * n - 10, 10.0 * n, ("a", "b")), walked) for n in (1, 2))
    assert (one.of(), two.of()) == (2, 1)
    assert (one.of(Side.LEFT, "reach"), two.of(Side.RIGHT, "transport")) == (1, 1)
    assert one.active_s == {Side.RIGHT: 3.0, Side.LEFT: 2.0}
    assert two.active_s == {Side.RIGHT: 3.0, Side.LEFT: 1.0}


def test_counts_and_actions_are_correlated_within_each_person() -> None:
    def boxes(person: str, slope: int) -> list[PackedBox]:
        active = {Side.RIGHT: 5.0, Side.LEFT: 0.0}
        return [PackedBox(person, n, 50.0, n, {(Side.RIGHT, "reach"): 20 + slope * n}, active) for n in range(1, 6)]

    results = real_packing.summary([*boxes("a", 2), *boxes("b", -2)], "stream")
    judged = {claim.where: claim for claim in results.claims if claim.match is not None}
    assert judged["person a, 5 boxes"].ours == 1.0
    assert judged["person a, 5 boxes"].match is True
    assert judged["person b, 5 boxes"].match is False
    assert results.figures["a, right arm: active share of the time"] == 0.1
    assert results.figures["a, left arm: correlation with actions"] is None
    none = real_packing.summary([PackedBox("c", n, 1.0, n, {}, dict.fromkeys(Side, 0.0)) for n in range(4)], "m")
    assert (none.claims[0].ours, none.claims[0].match) == (None, False)


def test_packing_from_files_to_the_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert experiment("real-packing") is real_packing.EXPERIMENT
    write_packing(tmp_path / "openpack" / "P1.npz", minutes=1.2)
    monkeypatch.setattr(real_packing, "counting_of", scripted)
    found = execute(real_packing.EXPERIMENT, data=tmp_path, out=tmp_path / "out")
    assert found["figures"]["P1, box 1"] == "3 actions, 2 + 2 movements (right + left) in 18 s"
    assert found["figures"]["P1, box 2"] == "4 actions, 0 + 0 movements (right + left) in 18 s"
    assert (tmp_path / "out" / "real-packing.png").stat().st_size > 5000


def test_the_bounds_of_drinks_taken_together() -> None:
    good = ("reach", "transport", "transport", "reposition")
    found = [CountedDrink("S11_1", good), CountedDrink("S1_1", (*good, "transport")), CountedDrink("1_1", ())]
    claims = {(claim.where, claim.name): claim for claim in real_drinking.summary(found, "m").claims}
    exact = "transport, trials exactly right"
    both = claims["both halves, stroke", exact]
    assert (both.ours, both.match) == (0.5, False)
    assert (claims["test half, stroke", exact].ours, claims["fit half, stroke", exact].ours) == (1.0, 0.0)
    assert claims["fit half", "bounds met"].ours == 5  # of six: the total of transports is half as much again
    assert claims["test half", "bounds met"].match is False  # the healthy drink has nothing


def test_repetitions_of_a_cook_are_judged_as_a_whole() -> None:
    found = [
        CountedAction("reaching_tr", "reach", ("reach",)),
        CountedAction("reaching_tr", "reposition", ("reposition",)),
        CountedAction("reaching_tr", "reach", ("reposition",)),  # the wrong way round, and yet one of each
        CountedAction("reaching_tr", "reposition", ("reach", "idle")),
        CountedAction("reaching_tr", "reach", ("reach", "reach")),
        CountedAction("reaching_tr", "reposition", ("reposition",)),
        *[CountedAction("transporting_tr", "transport", each) for each in (("transport",), ())],
    ]
    claims = {claim.name: claim for claim in real_moca.summary(found, "m").claims}
    assert claims["exactly one reach and one reposition in a repetition"].ours == pytest.approx(0.667)
    assert claims["exactly one reach and one reposition in a repetition"].match is True
    assert claims["exactly one transport in a repetition"].match is False


def still_rows(n: int = 250) -> np.ndarray:
    rows = np.zeros((n, len(BEDSIDE)))
    for part in ("forearm", "upper-arm"):
        rows[:, BEDSIDE.index(f"{part} up y")] = rows[:, BEDSIDE.index(f"{part} force y")] = 1.0
    rows[:, BEDSIDE.index("elbow flexion")] = 1.5
    return rows


def test_what_a_window_is_described_by() -> None:
    parts = ("forearm", "upper-arm")
    rows = still_rows()
    rows[:, BEDSIDE.index("forearm rate z")] = 3.0
    rows[:, BEDSIDE.index("upper-arm force x")] = 0.5  # of g
    valid = np.ones(rows.shape, bool)
    valid[200:, BEDSIDE.index("forearm up x")] = False
    found = windows(rows, valid, parts)
    assert found.shape == (2, len(quantities(parts))) == (2, 18)
    said = dict(zip(quantities(parts), found[0], strict=True))
    assert said["forearm: up y"] == pytest.approx(1.0)
    assert said["forearm: log rotation about z (rad/s)"] == pytest.approx(np.log10(3.03))
    assert said["upper-arm: log free force (m/s2)"] == pytest.approx(np.log10(0.5 * 9.81 + 0.1), abs=1e-3)
    assert said["elbow: flexion (rad)"] == pytest.approx(1.5)
    assert said["forearm: log wandering of up"] == pytest.approx(-2)
    assert len(windows(rows, np.zeros(rows.shape, bool), parts)) == 0
    assert len(windows(rows[:50], valid[:50], parts)) == 0
    assert len(windows(rows, np.ones(rows.shape, bool), parts, every=2)) == 1


def test_further_simulated_people_have_one_in_a_hundred_outside() -> None:
    rng = np.random.default_rng(1)
    parts = ("forearm",)
    drawn = rng.normal(0, 0.3, (4000, 8))
    simulated = Simulated(WindowSet(drawn, tuple(f"p{i % 8}" for i in range(4000))), parts)
    assert simulated.compare(rng.normal(0, 0.3, (4000, 8))).outside == pytest.approx(0.01, abs=0.006)
    far = rng.normal(0, 0.1, (50, 8))
    far[:25, 2] -= 3.0
    found = simulated.compare(far)
    assert found.outside == pytest.approx(0.5, abs=0.02)
    assert found.gaps[0].quantity == "forearm: up z"
    assert found.gaps[0].high == 0.0
    assert found.gaps[0].share > 0.8
    assert in_words(found.gaps, 1).startswith("forearm: up z low (")
    assert by_kind(found.each, ["a"] * 25 + ["b"] * 25) == {"a": 1.0, "b": pytest.approx(0.0, abs=0.04)}
    strict = Simulated(WindowSet(drawn, tuple(f"p{i % 8}" for i in range(4000))), parts, (1e-6, 1e-6))
    assert strict.compare(drawn[:50]).outside == 1.0
    assert np.isnan(simulated.compare(np.empty((0, 8))).outside)
    with pytest.raises(ValueError, match="too few"):
        Simulated(WindowSet(drawn, ("p",) * 4000), parts)


def test_coverage_says_what_it_needs(tmp_path: Path) -> None:
    assert experiment("real-coverage") is real_coverage.EXPERIMENT
    settings = dict(real_coverage.EXPERIMENT.settings)
    with pytest.raises(ConfigError, match="no simulation"):
        real_coverage.run(settings, Context(tmp_path))
    with pytest.raises(DatasetMissing, match="no training set"):
        real_coverage.run({**settings, "simulated": str(tmp_path)}, Context(tmp_path))


@pytest.mark.slow
def test_nothing_is_counted_twice_on_real_people(data_folder: Path) -> None:
    found = execute(real_still.EXPERIMENT, data=data_folder, quick=True)
    assert found["figures"]["trunk and arms: other, not counted"]
    assert found["claims"][0]["ours"] is not None


def made_set(folder: Path, spread: float, seed: int) -> None:
    """Six people, a minute and a half each, whose sensors all point about as far apart."""
    rng = np.random.default_rng(seed)
    trials = []
    for person in range(6):
        seconds = np.repeat(rng.normal(0, spread, (90, len(BEDSIDE))), 100, axis=0)
        rows = (seconds + rng.normal(0, 0.01, seconds.shape)).astype(np.float32)
        labels = np.zeros(len(rows), np.int16)
        trials.append(
            Trial(f"{person}", f"S{person}", "train", rows, np.ones(rows.shape, bool), labels, onsets_of(labels))
        )
    head = TrainingSet("made", ("idle",), (), 100.0, BEDSIDE.names, (), recipe=BEDSIDE.name)
    write_trials(folder, head, trials)


def test_two_simulations_beside_real_people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_set(tmp_path / "one", 0.1, 1)
    made_set(tmp_path / "many" / "two", 0.4, 2)
    parts = ("forearm", "upper-arm")
    rng = np.random.default_rng(3)
    seconds = np.repeat(rng.normal(0, 0.4, (80, len(BEDSIDE))), 100, axis=0)
    real = windows(seconds, np.ones(seconds.shape, bool), parts)

    def corpus(folder: Path, every: int) -> Iterator[real_coverage.RealWindows]:
        for half, values in (("fit", real[:40]), ("test", real[40:])):
            yield real_coverage.RealWindows("kiel", parts, "walk", half, values)

    monkeypatch.setattr(real_coverage, "CORPORA", {"kiel": corpus})
    (tmp_path / "kiel").mkdir()
    found = execute(
        real_coverage.EXPERIMENT,
        data=tmp_path,
        out=tmp_path / "out",
        changes=[f"before={tmp_path / 'one'}", f"simulated={tmp_path / 'one'},{tmp_path / 'many'}"],
    )
    shares = {(claim["where"], claim["name"]): claim["ours"] for claim in found["claims"]}
    before = shares["kiel, fit half", "outside of before, its own limit"]
    after = shares["kiel, fit half", "outside of simulated, its own limit"]
    strict = shares["kiel, fit half", "outside of simulated, the limit of the first"]
    assert before is not None
    assert after is not None
    assert strict is not None
    assert before > 0.9
    assert after < 0.2
    assert after <= strict <= before
    assert found["figures"]["simulated: simulated hours"] == 0.3
    assert "kiel: largest gaps of before" in found["figures"]
    assert (tmp_path / "out" / "real-coverage.png").stat().st_size > 5000


def test_sensors_worn_in_an_unknown_way_count_as_worn_best() -> None:
    kinds = {"turned by 000 degrees": 0.6, "turned by 030 degrees": 0.2}
    row = real_coverage.CoverageRow(
        "pte", ("forearm",), "fit", "simulated", real_coverage.OWN, 80, Covered(0.4, np.empty(0), ()), kinds
    )
    (claim,) = real_coverage.summary([row], {"simulated": {}}).claims
    assert claim.ours == 0.2
    assert claim.note == "40 windows, forearm; in the best of 2 ways of wearing it, in the worst 0.60"
