"""Readers of corpora in npz: what is not as it was published is DatasetChanged, never anything else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

from rehabcount.bench.temporal import best_runs
from rehabcount.datasets import drinking, drinking_imus, gestures, jigsaws
from rehabcount.errors import DatasetChanged


def broken(path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    np.savez(path, something=np.zeros(3))
    path.write_bytes(path.read_bytes()[:-30])
    return path


def test_an_archive_that_was_cut_off(tmp_path: Path) -> None:
    broken(tmp_path / "subject1.npz")
    broken(tmp_path / "suturing.npz")
    broken(tmp_path / "drinking" / "drinking.npz")
    for read in (
        lambda: gestures.read_subject(tmp_path),
        lambda: jigsaws.read_task(tmp_path, "suturing"),
        lambda: list(drinking.read_drinks(tmp_path)),
        lambda: drinking_imus.trials(tmp_path),
        lambda: drinking_imus.load(tmp_path, "a"),
        lambda: best_runs(broken(tmp_path / "a.npz")),
    ):
        with pytest.raises(DatasetChanged):
            read()


def test_drinks_whose_markers_are_missing(tmp_path: Path) -> None:
    (tmp_path / "drinking").mkdir()
    path = tmp_path / "drinking" / "drinking.npz"
    held: dict[str, ArrayLike] = {"a/markers": np.zeros((50, 1, 3)), "a/side": "left", "marker_names": ["WRA"]}
    np.savez(path, allow_pickle=False, **held)
    with pytest.raises(DatasetChanged, match="WRB"):
        list(drinking.read_drinks(tmp_path))
    with pytest.raises(DatasetChanged, match="WRB"):
        drinking_imus.load(tmp_path, "a")
