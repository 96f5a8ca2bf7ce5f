"""Readers of counted recordings: units, numbers and times are as the files say; what is not as expected is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rehabcount.datasets import cara, pte, spar
from rehabcount.domain.motion import G_M_S2
from rehabcount.errors import DatasetChanged, DatasetMissing
from tests.datasets.made_repetitions import motion, write_cara, write_pte, write_spar


def test_cara_has_numbers_and_units(tmp_path: Path) -> None:
    write_cara(tmp_path / "P1.npz")
    found = list(cara.read_person(cara.read_people(tmp_path)[0]))
    assert [(each.exercise, each.session, each.repetitions) for each in found] == [
        ("Boxing", 1, 5),
        ("Boxing", 2, 12),
        ("Stirring", 1, 5),
        ("Stirring", 2, 12),
    ]
    read = found[0].worn.motion[:, 0]
    true = motion(5, 100.0)[::2]
    assert np.abs(read - true[: len(read)]).max() < 0.02
    assert found[0].person == "P1"


def test_cara_holes_are_masked_not_filled(tmp_path: Path) -> None:
    made = motion(5, 100.0)
    ms = np.arange(len(made)) * 10
    kept = (ms < 4000) | (ms > 5000)
    name = "Stirring/1/0/5"
    whole = np.rint(made * np.repeat([300, 900], 3)).astype(np.int16)
    np.savez(tmp_path / "P1.npz", **{f"{name}/ms": ms[kept], f"{name}/motion": whole[kept]})
    read = next(iter(cara.read_person(tmp_path / "P1.npz"))).worn.motion[:, 0, 0]
    assert np.isnan(read[205:245]).all()
    assert np.isfinite(read[:200]).all()


def test_spar_is_twenty_each(tmp_path: Path) -> None:
    write_spar(tmp_path / "spar.npz")
    found = list(spar.read_recordings(tmp_path))
    assert [(each.exercise, each.repetitions) for each in found] == [("pendulum", 20), ("abduction", 20)]
    assert np.linalg.norm(found[0].worn.motion[0, 0, :3]) == pytest.approx(G_M_S2, abs=0.01)


def test_pte_has_examples_and_times(tmp_path: Path) -> None:
    write_pte(tmp_path / "pte.npz")
    (found,) = pte.read_exercises(tmp_path)
    assert found.examples == ((1, 2.0, 4.0), (2, 6.0, 8.0), (3, 10.0, 12.0))
    assert len(found.repetitions) == 6
    assert found.test.motion.shape[1:] == (5, 6)


def test_what_is_missing_or_wrong_is_said(tmp_path: Path) -> None:
    for read in (cara.read_people, lambda folder: list(spar.read_recordings(folder)), pte.read_exercises):
        with pytest.raises(DatasetMissing):
            read(tmp_path)
    np.savez(tmp_path / "P1.npz", **{"Stirring/1/0/5/ms": np.arange(9), "Stirring/1/0/5/motion": np.zeros((3, 6))})  # type: ignore[arg-type]
    with pytest.raises(DatasetChanged):
        list(cara.read_person(tmp_path / "P1.npz"))
    np.savez(tmp_path / "spar.npz", S1_E0_L=np.zeros((4, 4)))
    with pytest.raises(DatasetChanged):
        list(spar.read_recordings(tmp_path))
    np.savez(tmp_path / "pte.npz", **{"s1_e6/template_times": np.zeros((3, 3))})  # type: ignore[arg-type]
    with pytest.raises(DatasetChanged):
        pte.read_exercises(tmp_path)
