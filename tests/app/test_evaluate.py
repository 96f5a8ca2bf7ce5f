"""`rehabcount evaluate` as a user meets it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from rehabcount.app.cli import app
from rehabcount.errors import ConfigError, DatasetMissing, ImportRefused, StoreUnwritable


def run(*arguments: object) -> str:
    done = CliRunner().invoke(app, ["evaluate", *map(str, arguments)])
    if done.exception is not None:
        raise done.exception
    return done.stdout


def scores(*arguments: object) -> dict[str, Any]:
    document = json.loads(run(*arguments, "--json"))
    return {score["name"]: score for score in document["scores"]}


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    reference, estimate = tmp_path / "reference.txt", tmp_path / "estimate.txt"
    reference.write_text("reach\nreach\nidle\nidle\nstabilize\nstabilize\n")
    estimate.write_text("reach\nreach\nidle\nidle\nidle\nidle\n")
    return reference, estimate


def test_one_pair_of_files(pair: tuple[Path, Path]) -> None:
    found = scores(*pair)
    assert found["action error rate"]["value"] == pytest.approx(1 / 3)
    assert found["edit score"]["value"] == pytest.approx(100 * 2 / 3)
    assert found["frame accuracy"]["value"] == pytest.approx(4 / 6)
    assert found["edit score"]["low"] is None
    assert "edit score" in run(*pair)


def test_published_predictions_from_one_file(data_folder: Path) -> None:
    found = scores(data_folder / "segmentations" / "jigsaws-edtcn.npz")
    assert round(found["edit score"]["value"], 2) == 84.71
    assert round(found["action error rate"]["value"], 3) == 0.176
    assert found["edit score"]["low"] < 84.71 < found["edit score"]["high"]


def test_folders_are_matched_by_name(tmp_path: Path) -> None:
    for side in ("reference", "estimate"):
        (tmp_path / side).mkdir()
        for name in ("s1_a", "s1_b", "s2_a"):
            (tmp_path / side / f"{name}.txt").write_text("reach\nidle\n" * 3)
    document = json.loads(run(tmp_path / "reference", tmp_path / "estimate", "--by-subject", "--json"))
    assert (document["trials"], document["subjects"]) == (3, 2)
    (tmp_path / "estimate" / "s2_a.txt").unlink()
    with pytest.raises(DatasetMissing, match="trial 's2_a' is not in the estimate"):
        run(tmp_path / "reference", tmp_path / "estimate")


def test_repeats_and_merged_vocabulary(tmp_path: Path) -> None:
    reference, estimate = tmp_path / "r.csv", tmp_path / "e.csv"
    reference.write_text("label,start_s,end_s\nreach,0,1\nreach,1,2\ntransport,2,3\n")
    estimate.write_text("label,start_s,end_s\nreach,0,2\ntransport,2,3\n")
    assert scores(reference, estimate)["action error rate"]["value"] == 0
    assert scores(reference, estimate, "--scoring", "events")["action error rate"]["value"] == pytest.approx(1 / 3)
    assert scores(reference, estimate, "--merged")["TSS"]["value"] == 1


def test_frames_against_seconds_need_a_rate(tmp_path: Path) -> None:
    frames, seconds = tmp_path / "r.txt", tmp_path / "e.csv"
    frames.write_text("reach\n" * 100 + "idle\n" * 100)
    seconds.write_text("label,start_s,end_s\nreach,0,1\nidle,1,2\n")
    with pytest.raises(ConfigError, match="some labels are per frame"):
        run(frames, seconds)
    assert scores(frames, seconds, "--rate-hz", 100)["frame accuracy"]["value"] == 1


def test_background_of_numbers(tmp_path: Path) -> None:
    path = tmp_path / "b.npz"
    arrays: dict[str, Any] = {"t/reference": np.array([0, 1, 0]), "t/estimate": np.array([0, 1, 1])}
    np.savez(path, **arrays)
    assert scores(path)["action error rate"]["value"] == pytest.approx(1 / 3)
    assert scores(path, "--background", "0")["action error rate"]["value"] == 0


def test_numbers_in_an_array_are_those_on_lines(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("3\n3\n4\n")
    np.savez(tmp_path / "e.npz", r=np.array([3, 3, 4]))
    found = scores(tmp_path / "r.txt", tmp_path / "e.npz", "--background", "3")
    assert found["frame accuracy"]["value"] == 1
    assert found["action error rate"]["value"] == 0


def test_lengths_that_differ_name_file_and_line(pair: tuple[Path, Path]) -> None:
    reference, estimate = pair
    estimate.write_text("reach\nreach\n")
    with pytest.raises(ImportRefused, match=r"reference\.txt, line 3: .* 6 frames, estimate\.txt has 2"):
        run(reference, estimate)


def test_unknown_labels(pair: tuple[Path, Path]) -> None:
    reference, estimate = pair
    estimate.write_text("reach\nreach\nidle\nidle\nstabilise\nidle\n")
    with pytest.raises(ImportRefused, match=r"estimate\.txt, line 5: unknown label 'stabilise'"):
        run(reference, estimate)
    assert run(reference, estimate, "--labels", "any")
    with pytest.raises(ImportRefused, match=r"reference\.txt, line 5: unknown label 'stabilize'"):
        run(reference, estimate, "--labels", "reach,idle,stabilise")


def test_one_file_of_labels_is_not_enough(pair: tuple[Path, Path]) -> None:
    with pytest.raises(ConfigError, match="compared with"):
        run(pair[0])


def test_the_picture(pair: tuple[Path, Path], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "new" / "ribbons.png"
    run(*pair, "--plot", picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ConfigError, match="no trial 'x'"):
        run(*pair, "--plot", picture, "--trial", "x")
    with pytest.raises(StoreUnwritable):
        run(*pair, "--plot", tmp_path / "picture.nonsense")


def test_errors_end_with_one_message_and_a_code(pair: tuple[Path, Path]) -> None:
    pair[1].write_text("reach\nNaN\n")
    command = [sys.executable, "-m", "rehabcount", "evaluate", *map(str, pair)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 6
    assert "estimate.txt, line 2: 'NaN' is no label" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
