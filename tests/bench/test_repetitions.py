"""Benches of taught exercises, on made recordings."""

from __future__ import annotations

from pathlib import Path

import pytest

from rehabcount.bench import real_repetitions, taught_simulated
from rehabcount.bench.experiment import execute, experiment
from rehabcount.bench.real_repetitions import CountedSet, FalseCounts, errors_of, halves_of, near
from rehabcount.bench.repetition_matches import nearest
from rehabcount.bench.taught_simulated import RepeatedCount
from rehabcount.domain.rig import Side
from rehabcount.domain.update import Repeated
from rehabcount.engine.taught import teach
from tests.datasets.made_repetitions import write_cara, write_pte, write_spar
from tests.repeated_motion import CURL, angles, rows_of_angles


def test_from_files_to_a_table(tmp_path: Path) -> None:
    assert experiment("real-repetitions") is real_repetitions.EXPERIMENT
    write_cara(tmp_path / "cara" / "P1.npz")
    write_cara(tmp_path / "cara" / "P2.npz")
    write_spar(tmp_path / "spar" / "spar.npz")
    write_pte(tmp_path / "pte" / "pte.npz")
    found = execute(real_repetitions.EXPERIMENT, data=tmp_path, out=tmp_path / "out")
    claims = {(claim["where"], claim["name"]): claim["ours"] for claim in found["claims"]}
    assert claims["cara, rehabilitation, 1 people", "mean error"] == pytest.approx(0.0, abs=1.0)
    assert claims["spar, all", "within one of 20"] == 1.0
    assert ("pte, five units, 1 people", "idle stretches counted") in claims
    assert (tmp_path / "out" / "real-repetitions.png").is_file()
    again = execute(real_repetitions.EXPERIMENT, data=tmp_path, out=tmp_path / "out")
    assert again["claims"] == found["claims"]


def test_errors_are_those_of_the_page() -> None:
    def counted(true: int, ours: int) -> CountedSet:
        return CountedSet("a", "x", True, true, ours, true, "clear")

    said = errors_of([counted(10, 10), counted(10, 11), counted(40, 44), counted(20, 10)])
    assert said["mean error"] == 3.75
    assert said["within one"] == 0.5
    assert said["within one or 10 %"] == 0.75
    assert said["middle error, %"] == 10.0
    assert near(5, 6)
    assert not near(15, 17)


def test_the_first_half_of_the_people_is_for_choosing() -> None:
    assert halves_of(["e", "a", "b", "c", "d", "a"]) == (["a", "b", "c"], ["d", "e"])
    assert halves_of(["a"]) == ([], ["a"])


def test_false_counts_are_a_mean_over_exercises() -> None:
    (claim,) = real_repetitions.summary_kiel([FalseCounts("a", 4, 0.5), FalseCounts("b", 0, 0.5)]).claims
    assert (claim.ours, claim.match) == (4.0, True)


def test_of_two_counts_of_the_same_motion_the_nearest_is_kept() -> None:
    taught = [
        teach(rows_of_angles(angles(CURL, [length_s] * 3)), 3, name=name, side=Side.RIGHT)
        for name, length_s in (("slow", 2.0), ("fast", 1.0))
    ]
    counted = [
        Repeated("slow", Side.RIGHT, 1, 0.0, 1.1, 0.9, 1.0),
        Repeated("fast", Side.RIGHT, 1, 0.0, 1.1, 0.9, 1.0),
        Repeated("slow", Side.RIGHT, 2, 2.0, 4.0, 0.9, 1.0),
    ]
    assert [each.exercise for each in nearest(counted, taught)] == ["fast", "slow"]


def test_simulated_people_are_summed_up_by_group_and_session() -> None:
    def one(group: str, later: bool, counted: int) -> RepeatedCount:
        return RepeatedCount(group, 0, later, "clear", 12, counted, (0.4, 0.5), 0.001)

    groups = list(taught_simulated.GROUPS.values())
    results = taught_simulated.summary([one(groups[0], False, 13), one(groups[0], True, 9), one(groups[1], True, 9)])
    claims = {(claim.where, claim.name): claim for claim in results.claims}
    assert claims[f"simulated, {groups[0]}, same session", "within one or 5 %"].match is True
    assert claims[f"simulated, {groups[0]}, later session", "within one or 5 %"].match is False
    assert claims[f"simulated, {groups[1]}, later session", "within one or 5 %"].match is None
    assert claims["simulated", "delay, 95 %, s"].ours == 0.5


def test_a_simulated_person_is_taught_and_counted() -> None:
    subject = taught_simulated._some("test", 2)[0]
    found = taught_simulated.count_subject(subject, 1).each
    assert [each.later for each in found] == [False, True]
    assert [each.true for each in found] == [12, 15]
    assert all(each.counted > 0.6 * each.true for each in found)
