"""The window's benchmark: what it promises, and a short run of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from rehabcount.gui.benchmark import FrameTimes, Measured
from tests.gui.reflex import TINY

ROOT = Path(__file__).parents[2]
GOOD = Measured(600.0, 30.2, 33.0, 60.0, 90.0, 40.0, 50.0, 0.3, 0.8, 40.0, True)


@pytest.mark.parametrize(
    ("name", "value", "promise"),
    [
        ("fps", 24.0, "frames a second"),
        ("p999_ms", 120.0, "p99.9 of frame times"),
        ("core_share", 0.7, "share of a core"),
        ("startup_s", 2.5, "window usable"),
        ("stall_freeze_ms", 900.0, "engine stalled"),
        ("stall_shown", False, "engine stalled"),
    ],
)
def test_each_promise_can_be_missed(name: str, value: object, promise: str) -> None:
    assert all(GOOD.verdicts.values())
    missed = replace(GOOD, **{name: value})  # type: ignore[arg-type]
    assert [each for each, held in missed.verdicts.items() if not held] == [promise]


def test_frame_times_are_the_gaps_between_paints() -> None:
    times = FrameTimes()
    times.at = [0.0, 0.033, 0.066, 0.2, 5.0]
    assert times.gaps_ms(0.0, 1.0).round(3).tolist() == [33.0, 33.0, 134.0]


@pytest.mark.slow
def test_a_short_run(tmp_path: Path) -> None:
    shutil.copytree(TINY, tmp_path / "data" / "models" / "tiny-1.0")
    (tmp_path / "settings.toml").write_text(f'data_folder = "{tmp_path / "data"}"\n', encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "rehabcount", "bench", "gui", "--minutes", "0.2", "--json"],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "REHABCOUNT_SETTINGS": str(tmp_path / "settings.toml")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found["promises"]) == set(GOOD.verdicts)
    assert found["fps"] > 15  # a busy machine is no defect; `rehabcount bench gui` judges
    assert found["stall_shown"]
