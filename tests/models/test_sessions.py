"""Corrected sessions as training data, through the same walk as at the bedside."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from rehabcount.domain.correction import Action, Correction
from rehabcount.domain.labels import PRODUCT
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event
from rehabcount.errors import DatasetMissing
from rehabcount.models.data import tokens_of
from rehabcount.models.sessions import read_sessions, tracks
from rehabcount.store.session_file import SessionFile
from tests.cli.test_commands import CALIBRATE, run
from tests.recorded_arm import arm_session

__all__ = ["arm_session"]


def segment(label: str, start_s: float, end_s: float) -> Segment:
    return Segment(label, Side.RIGHT, start_s, end_s)


def test_tracks_know_repeats_and_leave_the_rest_unknown() -> None:
    labels, onsets = tracks(
        [segment("reach", 0.1, 0.3), segment("reach", 0.3, 0.5), segment("juggle", 0.7, 0.8)], 5, 80
    )
    reach = PRODUCT.index("reach")
    assert (labels[5:45] == reach).all()
    assert set(np.unique(labels)) == {-1, reach}
    assert np.flatnonzero(onsets).tolist() == [5, 25, 45]


def test_a_folder_of_sessions(arm_session: Path, tmp_path: Path) -> None:
    with pytest.raises(DatasetMissing):
        read_sessions(tmp_path)
    for patient in ("anna", "bert"):
        (tmp_path / patient).mkdir()
        run("calibrate", shutil.copy(arm_session, tmp_path / patient / "monday.rehab"), *CALIBRATE, "--json")
    shutil.copy(arm_session, tmp_path / "uncalibrated.rehab")
    (tmp_path / "broken.rehab").write_bytes(b"no session")
    data, left_out = read_sessions(tmp_path)
    assert [(trial.subject, trial.split) for trial in data.trials] == [("anna", "train"), ("bert", "valid")]
    assert len(left_out) == 2
    trial = data.trials[0]
    assert [data.labels[token] for token in tokens_of(trial, data.counted)] == ["reach", "idle"]
    assert trial.labels[2450] == PRODUCT.index("reach")
    assert trial.labels[100] == -1
    assert trial.valid[2450, :9].all()  # the hand
    assert not trial.valid[:, -15:-6].any()  # the other hand wears none


def test_only_what_a_person_touched_is_used(arm_session: Path, tmp_path: Path) -> None:
    file = Path(shutil.copy(arm_session, tmp_path / "one.rehab"))
    run("calibrate", file, *CALIBRATE, "--json")
    with SessionFile.annotate(file) as session:
        counting = session.begin_counting("tiny-1.0")
        session.accept(Event(1, segment("reach", 25.0, 26.0), 0.8))
        session.correct(counting.number, Correction(Action.CONFIRM, "A", 1, 1))
    data, _ = read_sessions(tmp_path)
    # The reference layer of this file outranks its counting.
    assert data.trials[0].labels[2410] == PRODUCT.index("reach")
