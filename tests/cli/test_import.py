from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rehabcount.cli.main import app
from rehabcount.domain.rig import Place
from rehabcount.errors import ImportRefused
from rehabcount.sensors.importers import read_export
from rehabcount.sensors.packets import decode_all
from rehabcount.store.documents import IMPORT

NAMES = "SampleTimeFine,Quat_W,Quat_X,Quat_Y,Quat_Z,Acc_X,Acc_Y,Acc_Z"
ROWS = [f"{i * 16667},1,0,0,0,0,0,9.8{i % 10}" for i in range(50)]


@pytest.fixture
def export(tmp_path: Path) -> Path:
    path = tmp_path / "hand_20230102_030405_006.csv"
    path.write_text("\n".join([NAMES, *ROWS]), encoding="utf-8")
    return path


def test_an_export_becomes_a_session_that_holds_the_same_samples(export: Path, tmp_path: Path) -> None:
    session_file = pytest.importorskip("rehabcount.store.session_file")
    out = tmp_path / "out.rehab"
    arguments = ["import", str(export), "--out", str(out), "--place", "hand=left-hand", "--json"]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["sensors"][0]["place"] == "left-hand"
    assert document["sources"][0]["name"] == export.name
    with session_file.SessionFile.open(out) as session:
        assert session.is_closed()
        assert session.rig.places == (Place.LEFT_HAND,)
        assert session.document(IMPORT)["notes"] == document["notes"]
        again = decode_all(session.items(), session.rig)["hand"]
    expected = read_export(export).of("hand")
    for name in ("received_ns", "tick", "acc", "gyr", "quat"):
        np.testing.assert_array_equal(getattr(again, name), getattr(expected, name))


def test_info_says_which_share_of_an_imports_samples_is_lost(export: Path, tmp_path: Path) -> None:
    shown = []
    for number, kept in enumerate((ROWS, [row for i, row in enumerate(ROWS) if i % 5 in (0, 3)])):
        path, out = tmp_path / f"hand{number}.csv", tmp_path / f"{number}.rehab"
        path.write_text("\n".join([NAMES, *kept]), encoding="utf-8")
        assert CliRunner().invoke(app, ["import", str(path), "--rate", "60", "--out", str(out)]).exit_code == 0
        shown.append(CliRunner().invoke(app, ["info", str(out)]).stdout)
    assert "lost" not in shown[0]
    assert "hand1: 59% of the samples are lost" in shown[1]


@pytest.mark.parametrize(
    ("place", "complaint"), [("hand", "NAME=PLACE"), ("hand=knee", "left-forearm"), ("foot=c7", "no sensor 'foot'")]
)
def test_wrong_places_are_wrong_usage(export: Path, tmp_path: Path, place: str, complaint: str) -> None:
    result = CliRunner().invoke(app, ["import", str(export), "--out", str(tmp_path / "x.rehab"), "--place", place])
    assert result.exit_code == 2
    assert complaint in " ".join(result.output.replace("│", " ").split())
    assert not (tmp_path / "x.rehab").exists()


def test_a_refusal_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "letters.csv"
    path.write_text("Dear all,", encoding="utf-8")
    result = CliRunner().invoke(app, ["import", str(path), "--out", str(tmp_path / "x.rehab")])
    assert isinstance(result.exception, ImportRefused)
    assert not (tmp_path / "x.rehab").exists()


def test_help_shows_an_example() -> None:
    result = CliRunner().invoke(app, ["import", "--help"])
    assert result.exit_code == 0
    assert "rehabcount import recordings/monday" in " ".join(result.stdout.replace("│", " ").split())
