"""Tables of unknown content, as people's files have them."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rehabcount.errors import ImportRefused
from rehabcount.sensors.importers import ImportedRecording, read_export

NAMES = "SampleTimeFine,Euler_X,Euler_Y,Euler_Z"
ROWS = [f"{i * 16667},{i * 0.1:.3f},0.5,-0.25" for i in range(20)]
GOOD = "\n".join([NAMES, *ROWS]) + "\n"


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., ImportedRecording]:
    def read(content: str | bytes, **options: Any) -> ImportedRecording:
        path = tmp_path / "export.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_export(path, **options)

    return read


Read = Callable[..., ImportedRecording]


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        codecs.BOM_UTF8 + GOOD.encode(),
        GOOD.encode("utf-16"),
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        "sep=,\n" + GOOD,
        "\n\n" + GOOD.replace("\n", "\n\n") + "\n\n",
        GOOD.replace("\n", ",\n"),
        GOOD.rstrip("\n"),
        GOOD.replace(",", ";").replace(".", ","),
        GOOD.replace(",", "\t"),
        '"' + GOOD.replace(",", '","').replace("\n", '"\n"')[:-1],
        GOOD.replace("Euler_X", " Euler_X "),
        "DeviceTag: 3\n© caf\u00e9\n".encode("latin-1") + GOOD.encode(),
        GOOD + NAMES + "\n",
    ],
    ids=[
        "plain", "bom", "utf-16", "crlf", "cr", "sep", "blank lines", "trailing separators", "no last newline",
        "decimal commas", "tabs", "quotes", "blanks", "latin-1", "names again",
    ],
)  # fmt: skip
def test_it_reads_the_same_however_it_was_written(read: Read, content: str | bytes) -> None:
    (samples,) = read(content).samples
    reference = read(GOOD).samples[0]
    assert len(samples) == 20
    assert samples.quat is not None
    assert reference.quat is not None
    np.testing.assert_array_equal(samples.quat, reference.quat)
    np.testing.assert_array_equal(samples.received_ns, reference.received_ns)


@pytest.mark.parametrize(
    ("line", "damaged", "note"),
    [
        (21, "316673,1.9", "line 21: 4 names but 2 values; 1 sample lost"),
        (7, "83335,nan,0.5,-0.25", "line 7: no value for Euler_X; 1 sample lost"),
        (7, "83335,,0.5,-0.25", "line 7: no value for Euler_X; 1 sample lost"),
        (7, "83335,inf,0.5,-0.25", "line 7: no value for Euler_X; 1 sample lost"),
        (7, "83335,abc,0.5,-0.25", "line 7: Euler_X is not a number; 1 sample lost"),
        (7, "83335,0.5,0.5,-0.25,7", "line 7: 4 names but 5 values; 1 sample lost"),
        (7, "83335,1e30,0.5,-0.25", "line 7: Euler_X is beyond all measure; 1 sample lost"),
        (7, "83335,0.\udcff5,0.5,-0.25", "line 7: Euler_X is not a number; 1 sample lost"),
    ],
)
def test_a_damaged_line_is_a_lost_sample_with_its_number(read: Read, line: int, damaged: str, note: str) -> None:
    lines = GOOD.splitlines()
    lines[line - 1] = damaged
    recording = read("\n".join(lines).encode("utf-8", "surrogateescape"))
    assert note in recording.notes
    assert len(recording.samples[0]) == 19


@pytest.mark.parametrize(
    ("content", "reason", "line"),
    [
        (b"", "the file is empty", None),
        (b"\n\r\n  \n", "the file is empty", None),
        (codecs.BOM_UTF8, "the file is empty", None),
        ("date,open,high,low\n2020-01-01,1,2,3\n", "no column names of a motion sensor", 1),
        ("Lorem ipsum dolor sit amet", "begins 'Lorem ipsum", 1),
        (NAMES + "\n", "column names and no samples", 1),
        (NAMES + "\n1,2,3,4\n", "one sample only", None),
        (
            NAMES.replace(",Euler_Z", "") + "\n1,2,3\n2,3,4\n",
            "only 2 of 3 components are there: 'Euler_X', 'Euler_Y'",
            1,
        ),
        (NAMES + ",Euler_X\n1,2,3,4,5\n", "columns 'Euler_X' and 'Euler_X' hold the same", 1),
        (GOOD.replace("0.5,", ""), "line 2: 4 names but 3 values \\(20 of 20", 2),
        (GOOD.replace(".", ","), "4 names but 7 values", 2),
        (GOOD.replace(",0.5,", ",half,"), "Euler_Y is not a number \\(20 of 20", 2),
        ("elapsed (s),time,x-axis (g),y-axis (g),z-axis (g)\n0,0,0,0,1\n1,1,0,0,1\n", "columns elapsed", 1),
        ("SampleTimeFine,Euler_X,Euler_Y,Euler_Z\n" + "5,1,2,3\n" * 20, "the time stands still", None),
    ],
)
def test_what_is_no_export_is_refused(read: Read, content: str | bytes, reason: str, line: int | None) -> None:
    with pytest.raises(ImportRefused, match=reason) as refusal:
        read(content)
    assert refusal.value.line == line
    assert refusal.value.advice
    assert str(refusal.value).startswith("export.csv")


def test_files_that_are_not_there_and_folders_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match=r"nowhere\.csv: there is no such file"):
        read_export(tmp_path / "nowhere.csv")
    with pytest.raises(ImportRefused, match="the folder holds no exports"):
        read_export(tmp_path)
    with pytest.raises(ValueError, match="at least one file"):
        read_export([])
    with pytest.raises(ValueError, match="no sensor's rate"):
        read_export(tmp_path, rate_hz=0)


def test_other_files_in_a_folder_are_left_alone_and_named(tmp_path: Path) -> None:
    (tmp_path / "hand.csv").write_text(GOOD, encoding="utf-8")
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    (tmp_path / ".hidden.csv").write_bytes(b"")
    recording = read_export(tmp_path)
    assert recording.rig.names == ("hand",)
    assert "photo.jpg: not an export; left alone" in recording.notes


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.integers(0, 10**6),
            st.sampled_from(
                [b"", b",", b";", b"\n", b"nan", b"1e400", b"-", b'"', b"\xff", b"\0", b"99999999999", b"x"]
            ),
            st.integers(0, 40),
        ),
        max_size=6,
    )
)
def test_damage_is_read_or_refused_never_worse(read: Read, damages: list[tuple[int, bytes, int]]) -> None:
    content = bytearray(GOOD.encode())
    for place, insert, removed in damages:
        at = place % (len(content) + 1)
        content[at : at + removed] = insert
    try:
        recording = read(bytes(content))
    except ImportRefused as refusal:
        assert refusal.advice  # noqa: PT017 - either outcome is right
    else:
        for samples in recording.samples:
            assert samples.quat is not None
            assert np.isfinite(samples.quat).all()
            assert (np.diff(samples.received_ns) >= 0).all()


def wit(times: list[float]) -> str:
    rows = [f"{at:.3f},0.0,0.0,1.0,{i % 7},0,0" for i, at in enumerate(times)]
    return "time,AccX(g),AccY(g),AccZ(g),AsX(deg/s),AsY(deg/s),AsZ(deg/s)\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize("at", [0, -1])
def test_a_time_that_lies_hours_from_all_others_costs_its_sample(tmp_path: Path, at: int) -> None:
    times = [100_000 + i / 100 for i in range(400)]
    times[at] += 400_000.0 if at else -90_000.0
    (tmp_path / "a.csv").write_text(wit(times))
    recording = read_export(tmp_path / "a.csv")
    assert recording.length_s < 5
    assert any("hours from all others" in note for note in recording.notes)


def test_times_that_cover_months_are_refused(tmp_path: Path) -> None:
    times = [i / 100 + (0 if i < 200 else 4_000_000) for i in range(400)]
    (tmp_path / "a.csv").write_text(wit(times))
    with pytest.raises(ImportRefused, match="no sensor's rate"):
        read_export(tmp_path / "a.csv")
    with pytest.raises(ImportRefused, match="its times cover"):
        read_export(tmp_path / "a.csv", rate_hz=100)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names there")
def test_what_is_no_file_or_too_large_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "large.csv").touch()
    os.truncate(tmp_path / "large.csv", 1 << 33)
    for name, said in (("pipe.csv", "not a file"), ("large.csv", "none has more")):
        with pytest.raises(ImportRefused, match=said):
            read_export(tmp_path / name)
