from __future__ import annotations

from pathlib import Path

import pytest

from rehabcount.bench.simulated_patient import classify, compare, feature_names, real_drinks, simulated_drinks
from rehabcount.bench.single_moves import compare_moves
from rehabcount.simulate.realism import imu_windows


def test_names_fit_the_features() -> None:
    drinks = simulated_drinks(1)
    assert {group: len(found) for group, found in drinks.items()} == {"healthy": 3, "stroke": 3}
    assert imu_windows(drinks["stroke"][0][1]).shape[1] == len(feature_names())


def test_parts_do_not_share_people(data_folder: Path) -> None:
    fit, test = (
        {name for drinks in real_drinks(data_folder, part).values() for name, _ in drinks} for part in ("fit", "test")
    )
    assert not fit & test
    assert len(fit) == len(test) == 10
    with pytest.raises(ValueError, match="part"):
        real_drinks(data_folder, "train")


@pytest.mark.slow
def test_most_measures_agree_with_real_people(data_folder: Path) -> None:
    rows = compare(data_folder, "fit")
    assert sum(row.inside for row in rows) / len(rows) > 0.75


@pytest.mark.slow
def test_windows_are_hard_to_tell_apart(data_folder: Path) -> None:
    pytest.importorskip("sklearn")
    assert classify(data_folder).accuracy < 0.82


@pytest.mark.slow
def test_single_movements_are_of_the_same_kind(data_folder: Path) -> None:
    for label, name, real, ours in compare_moves(data_folder):
        if name in ("duration (s)", "time to peak (share)"):
            assert ours[1] == pytest.approx(real[1], rel=0.35), (label, name)
