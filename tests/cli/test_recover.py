"""`rehabcount recover` as a person and as a program use it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from rehabcount.cli.main import app
from rehabcount.domain.motion import Packet
from rehabcount.domain.rig import Side, make_rig
from rehabcount.errors import SessionBusy, SessionCorrupt, SessionMissing
from rehabcount.store.session_file import SessionFile


@pytest.fixture
def interrupted(tmp_path: Path) -> Path:
    path = tmp_path / "mon [bold].rehab"
    rig = make_rig("three", Side.LEFT, "layout", 100.0)
    with SessionFile.create(path, rig) as file:
        file.append([Packet(rig.names[i % 3], i.to_bytes(63, "big"), i * 10**7) for i in range(5000)])
    return path


def recover(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["recover", *map(str, arguments)])


def state_of(path: Path) -> str:
    with SessionFile.open(path) as file:
        return file.state().value


def test_one_command_closes_an_interrupted_session(interrupted: Path) -> None:
    done = recover(interrupted)
    assert done.exit_code == 0
    assert "mon [bold].rehab: 50.0 s, 5000 packets of 3 sensors" in done.stdout
    assert "interrupted; now it is closed" in done.stdout
    assert state_of(interrupted) == "closed"
    assert "nothing to do" in recover(interrupted).stdout


def test_a_program_hears_how_it_was_found(interrupted: Path) -> None:
    answer = json.loads(recover("--json", interrupted).stdout)
    assert (answer["found"], answer["contents"]["packets"]) == ("interrupted", 5000)
    assert json.loads(recover("--json", interrupted).stdout)["found"] == "closed"


def test_a_damaged_file_is_refused_with_the_advice_that_then_works(interrupted: Path, tmp_path: Path) -> None:
    os.truncate(interrupted, interrupted.stat().st_size // 2)
    refused = recover(interrupted).exception
    assert isinstance(refused, SessionCorrupt)
    assert "recover FILE --out NEW.rehab" in refused.advice
    done = recover(interrupted, "--out", tmp_path / "new.rehab")
    assert done.exit_code == 0
    assert "Saved from mon [bold].rehab" in done.stdout
    assert state_of(tmp_path / "new.rehab") == "closed"
    answer = json.loads(recover(interrupted, "--json", "--out", tmp_path / "b.rehab").stdout)
    assert 2000 < answer["contents"]["packets"] < 3000


def test_what_cannot_be_recovered(interrupted: Path, tmp_path: Path) -> None:
    assert recover().exit_code == 2
    assert isinstance(recover(tmp_path / "none.rehab").exception, SessionMissing)
    with SessionFile.record(interrupted):
        assert isinstance(recover(interrupted).exception, SessionBusy)


def test_the_whole_command_line_says_what_is_wrong_and_exits_so(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rehabcount", "recover", "[none].rehab"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"COLUMNS": "300", "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert done.returncode == 5
    assert "There is no file" in done.stderr
    assert "[none].rehab" in done.stderr
    assert "Check the name" in done.stderr
    assert done.stdout == ""
