"""`rehabcount recover` as a person and as a program use it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rehabcount.domain.motion import Packet
from rehabcount.domain.rig import Side, make_rig
from rehabcount.store.session_file import SessionFile


@pytest.fixture
def interrupted(tmp_path: Path) -> Path:
    path = tmp_path / "monday [bold].rehab"
    rig = make_rig("three", Side.LEFT, "layout", 100.0)
    with SessionFile.create(path, rig) as file:
        file.append([Packet(rig.names[i % 3], i.to_bytes(63, "big"), i * 10**7) for i in range(5000)])
    return path


def rehabcount(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rehabcount", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"COLUMNS": "200"},
    )


def state_of(path: Path) -> str:
    with SessionFile.open(path) as file:
        return file.state().value


def test_one_command_closes_an_interrupted_session(interrupted: Path) -> None:
    done = rehabcount("recover", interrupted)
    assert done.returncode == 0, done.stderr
    assert "monday [bold].rehab: 50.0 s, 5000 packets of 3 sensors" in done.stdout
    assert "interrupted; now it is closed" in done.stdout
    assert state_of(interrupted) == "closed"
    assert "nothing to do" in rehabcount("recover", interrupted).stdout


def test_one_command_readies_it_to_go_on(interrupted: Path) -> None:
    done = rehabcount("recover", "--continue", "--json", interrupted)
    answer = json.loads(done.stdout)
    assert (answer["found"], answer["contents"]["packets"]) == ("interrupted", 5000)
    assert state_of(interrupted) == "interrupted"
    assert "can go on" in rehabcount("recover", "--continue", interrupted).stdout


def test_a_damaged_file_is_refused_with_the_advice_that_then_works(interrupted: Path, tmp_path: Path) -> None:
    os.truncate(interrupted, interrupted.stat().st_size // 2)
    done = rehabcount("recover", interrupted)
    assert done.returncode == 5
    assert "monday [bold].rehab" in done.stderr
    assert "--out NEW.rehab" in done.stderr
    done = rehabcount("recover", interrupted, "--out", tmp_path / "new.rehab")
    assert done.returncode == 0, done.stderr
    assert "Saved from monday [bold].rehab" in done.stdout
    assert state_of(tmp_path / "new.rehab") == "closed"
    answer = json.loads(rehabcount("recover", interrupted, "--json", "--out", tmp_path / "b.rehab").stdout)
    assert 2000 < answer["contents"]["packets"] < 3000


def test_wrong_usage(interrupted: Path, tmp_path: Path) -> None:
    assert rehabcount("recover", interrupted, "--continue", "--out", tmp_path / "new.rehab").returncode == 2
    assert rehabcount("recover").returncode == 2
    missing = rehabcount("recover", tmp_path / "none.rehab")
    assert missing.returncode == 5
    assert "There is no file" in missing.stderr
