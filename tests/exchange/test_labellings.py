"""Files of labels: every format read, every complaint with its file and line."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rehabcount.domain.rig import Side, make_rig
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event, Mark
from rehabcount.errors import DatasetMissing, ImportRefused
from rehabcount.exchange.labellings import check_vocabulary, holds_both, read_labellings
from rehabcount.store.layers import Layer
from rehabcount.store.session_file import SessionFile


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_one_label_a_line(tmp_path: Path) -> None:
    (found,) = read_labellings(written(tmp_path, "a.txt", "idle\nidle\nreach\n"), "reference").values()
    assert found.trial == "a"
    assert found.spans.labels.tolist() == ["idle", "reach"]
    assert (found.unit, found.length, found.lines) == ("frame", 3, (1, 3))


@pytest.mark.parametrize(
    "text",
    [
        "label,start_s,end_s\nreach,0,1.5\nidle,1.5,2\n",
        "\ufeffLabel;Start_s;End_s;note\nidle;1,5;2;x\nreach;0;1,5;y\n",
        "start_s\tlabel\tend_s\n0\treach\t1.5\n1.5\tidle\t2\n",
    ],
)
def test_segments_in_a_table(tmp_path: Path, text: str) -> None:
    (found,) = read_labellings(written(tmp_path, "a.csv", text), "estimate").values()
    assert found.spans.labels.tolist() == ["reach", "idle"]
    assert found.spans.ends.tolist() == [1.5, 2.0]
    assert found.unit == "second"


def test_two_arms_are_two_trials(tmp_path: Path) -> None:
    text = "label,start_s,end_s,side\nreach,0,2,left\nidle,1,3,right\n"
    assert set(read_labellings(written(tmp_path, "a.csv", text), "reference")) == {"a left", "a right"}


def test_a_table_of_frames(tmp_path: Path) -> None:
    (found,) = read_labellings(written(tmp_path, "a.csv", "label\nreach\nreach\nidle\n"), "reference").values()
    assert (found.unit, found.length, found.lines) == ("frame", 3, (2, 4))
    text = "label,start_frame,end_frame\nreach,0,10\n"
    (found,) = read_labellings(written(tmp_path, "b.csv", text), "reference").values()
    assert (found.unit, found.every_frame) == ("frame", False)


def test_one_npz_may_hold_both(tmp_path: Path) -> None:
    path = tmp_path / "both.npz"
    names = np.array(["idle", "reach"])
    arrays: dict[str, Any] = {"t1/reference": np.array([0, 1]), "t1/estimate": np.array([0, 0]), "label_names": names}
    np.savez(path, **arrays)
    assert holds_both(path)
    assert read_labellings(path, "reference")["t1"].spans.labels.tolist() == ["idle", "reach"]
    assert read_labellings(path, "estimate")["t1"].spans.labels.tolist() == ["idle"]


def test_an_npz_of_trials(tmp_path: Path) -> None:
    np.savez(tmp_path / "one.npz", a=np.array([1.0, 2.0]), b=np.array(["x", "y"]))
    found = read_labellings(tmp_path / "one.npz", "estimate")
    assert found["a"].spans.labels.tolist() == [1, 2]
    assert found["b"].spans.labels.tolist() == ["x", "y"]
    assert not holds_both(tmp_path / "one.npz")


@pytest.mark.parametrize(
    ("numbers", "names_from", "expected"),
    [
        ([0, 2], None, ["a", "c"]),  # 0 occurs: names begin at 0
        ([1, 3], None, ["a", "c"]),  # 3 is the number of names: names begin at 1
        ([1, 2], None, [1, 2]),  # in doubt: numbers stay
        ([1, 2], 1, ["a", "b"]),
        ([1, 2], 0, ["b", "c"]),
    ],
)
def test_names_are_used_where_numbers_leave_no_doubt(
    tmp_path: Path, numbers: list[int], names_from: int | None, expected: list[object]
) -> None:
    np.savez(tmp_path / "n.npz", t=np.array(numbers), label_names=np.array(["a", "b", "c"]))
    found = read_labellings(tmp_path / "n.npz", "reference", names_from=names_from)["t"]
    assert found.spans.labels.tolist() == expected


def test_a_folder_is_its_files(tmp_path: Path) -> None:
    written(tmp_path, "a.txt", "idle\n")
    written(tmp_path, "b.csv", "label,start_s,end_s\nreach,0,1\n")
    written(tmp_path, "notes.md", "not labels")
    assert set(read_labellings(tmp_path, "reference")) == {"a", "b"}
    written(tmp_path, "a.csv", "label\nidle\n")
    with pytest.raises(ImportRefused, match=r"a\.txt: trial 'a' is also in a\.csv"):
        read_labellings(tmp_path, "reference")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.txt", "", r"a\.txt, line 1: the file is empty"),
        ("a.txt", "reach\n\nidle\n", r"a\.txt, line 2: the line is empty"),
        ("a.txt", "reach\nidle\nNaN\n", r"a\.txt, line 3: 'NaN' is no label"),
        ("a.csv", "", r"a\.csv, line 1: the file is empty"),
        ("a.csv", "start_s,end_s\n0,1\n", r"a\.csv, line 1: there is no column `label`"),
        ("a.csv", "label,start_s\nx,1\n", r"a\.csv, line 1: the columns start_s and end_s"),
        ("a.csv", "label,start_s,end_s\n", r"a\.csv, line 2: there is no segment"),
        ("a.csv", "label,start_s,end_s\nx,0,1\ny,1,nan\n", r"a\.csv, line 3: end_s is 'nan'"),
        ("a.csv", "label,start_s,end_s\nx,zero,1\n", r"a\.csv, line 2: start_s is 'zero'"),
        ("a.csv", "label,start_s,end_s\nx,0\n", r"a\.csv, line 2: end_s is None"),
        ("a.csv", "label,start_s,end_s\nx,2,1\n", r"a\.csv, line 2: 'x' ends at 1, it starts at 2"),
        ("a.csv", "label,start_s,end_s\nx,0,2\ny,1,3\n", r"a\.csv, line 3: 'y' starts at 1, before 'x' ends"),
        ("a.csv", "label,start_s,end_s\nnan,0,2\n", r"a\.csv, line 2: 'nan' is no label"),
        ("a.csv", "label\nx\n\nx\n", r"a\.csv, line 3: the line is empty"),
        ("a.csv", "label\nx\nx\nnan\n", r"a\.csv, line 4: 'nan' is no label"),
    ],
)
def test_complaints_name_file_and_line(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(ImportRefused, match=said):
        read_labellings(written(tmp_path, name, text), "reference")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"idle\n\xff\xfe\n")
    with pytest.raises(ImportRefused, match=r"a\.txt, line 2: not a text file"):
        read_labellings(tmp_path / "a.txt", "reference")


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DatasetMissing, match="no file or folder"):
        read_labellings(tmp_path / "gone.txt", "reference")
    with pytest.raises(DatasetMissing, match="holds no file of labels"):
        read_labellings(tmp_path, "reference")


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"a": np.array([0.0, np.nan])}, r"a\[1\] is nan"),
        ({"a": np.zeros((2, 2))}, r"shape \(2, 2\)"),
        ({"a": np.array([None])}, "Python objects"),
        ({"a": np.array([], int)}, "the file is empty"),
        ({"t/reference": np.array([0])}, "no array `estimate`"),
        ({"label_names": np.array(["x"])}, "no array of labels"),
        ({"a": np.array([0, 5]), "label_names": np.array(["x"])}, "label 5 has no name"),
    ],
)
def test_wrong_arrays_are_named(tmp_path: Path, arrays: dict[str, Any], said: str) -> None:
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(ImportRefused, match=said):
        read_labellings(tmp_path / "a.npz", "estimate")
    (tmp_path / "b.npz").write_text("no npz")
    with pytest.raises(ImportRefused, match=r"b\.npz: not an npz"):
        read_labellings(tmp_path / "b.npz", "estimate")


def test_unknown_labels_are_named_where_they_stand(tmp_path: Path) -> None:
    found = read_labellings(written(tmp_path, "a.txt", "idle\nidle\nreech\n"), "reference")
    with pytest.raises(ImportRefused, match=r"a\.txt, line 3: unknown label 'reech'") as caught:
        check_vocabulary(found.values(), ["idle", "reach"])
    assert "reach" in caught.value.advice


RIG = make_rig("three", Side.RIGHT, "generic", 100.0)


def session(path: Path, layers: dict[str, tuple[Segment, ...]], events: tuple[Segment, ...] | None) -> Path:
    """A session file with these layers of labels and, unless None, one counting with these events."""
    with SessionFile.create(path, RIG) as file:
        for layer, segments in layers.items():
            file.add_segments(Layer(layer), segments)
        if events is not None:
            file.begin_counting("a model")
            file.accept(Mark(0.0), *(Event(i, segment, 0.9) for i, segment in enumerate(events, 1)))
        file.close_session()
    return path


def test_session_files(tmp_path: Path) -> None:
    left = Segment("reach", Side.LEFT, 0.0, 1.0)
    right = Segment("idle", Side.RIGHT, 0.5, 2.0)
    path = session(tmp_path / "s.rehab", {"anna": (left, right)}, (left,))
    assert set(read_labellings(path, "reference")) == {"s left", "s right"}
    assert set(read_labellings(path, "estimate")) == {"s left"}
    assert set(read_labellings(path, "estimate", layer="anna")) == {"s left", "s right"}
    assert holds_both(path)
    path = session(tmp_path / "t.rehab", {"anna": (left,), "bo": (left,)}, None)
    with pytest.raises(ImportRefused, match="which layer is meant"):
        read_labellings(path, "reference")
    with pytest.raises(ImportRefused, match="nothing was counted"):
        read_labellings(path, "estimate")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("label,start_s,end_s\n" + "y" * 200_000 + ",0,1\n", "not a table"),  # longer than a field may be
        ("label,start_s,end_s\n" + "y" * 500 + ",0,1\n", "is no label"),
        ("label,start_s,end_s\nreach\x1b[31m,0,1\n", "is no label"),
        ("label,start_s,end_s\nreach,0,1e15\n", "beyond any recording"),
        ("label,start_s,end_s\nreach,0," + "9" * 5000 + "\n", "not a number"),
        ("label\n" + "reach\nidle\n" * 10_001, "a trial of 20002 stretches"),
        ("label\n" + "".join(f"{i}\n" for i in range(600)), "600 different labels"),
    ],
)
def test_what_nobody_labelled_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ImportRefused, match=said) as refused:
        list(read_labellings(written(tmp_path, "a.csv", text), "reference"))
    assert len(str(refused.value)) < 200


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names there")
def test_a_pipe_among_the_files_does_not_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.csv")
    with pytest.raises(ImportRefused, match="not a file"):
        read_labellings(tmp_path, "reference")


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, allow_pickle=False, **{"t/reference": np.zeros(100, int)})
    whole = path.read_bytes()
    for at in (len(whole) // 2, len(whole) - 6):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 255] * 3) + whole[at + 3 :])
        with pytest.raises(ImportRefused):
            read_labellings(path, "reference")
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ImportRefused, match="not an npz of labels"):
        holds_both(path)
