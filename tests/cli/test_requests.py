"""Commands are thin: what they ask for is checked where the request is made."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from rehabcount.bedside.rigging import Choice
from rehabcount.cli.work.annotate import AnnotateRequest
from rehabcount.cli.work.bench_simulated import SimulatedRequest
from rehabcount.cli.work.calibrate import CalibrateRequest
from rehabcount.cli.work.demo import DemoRequest
from rehabcount.cli.work.import_ import ImportRequest
from rehabcount.cli.work.replay import ReplayRequest
from rehabcount.cli.work.report import ReportRequest
from rehabcount.cli.work.simulate import SimulateRequest
from rehabcount.domain.rig import Side
from rehabcount.signals.calibration import TimeSpan

HERE = Path("a.rehab")
LONGEST_COMMAND = 30  # lines behind its description


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: ReplayRequest(HERE, start_s=3.0), "begins at the beginning"),
        (lambda: DemoRequest(Choice("one", Side.RIGHT, "dot"), speed=2.0), "real time"),
        (lambda: SimulateRequest(), "say --out"),
        (lambda: SimulateRequest(describe=True, rig="seven"), "nine, five, three or one"),
        (lambda: SimulateRequest(draw=Path("a.bmp")), "gif or .png"),
        (lambda: SimulateRequest(training=Path("a"), recipe="none"), "not 'none'"),
        (lambda: SimulateRequest(training=Path("a"), subjects="S01").plan(), "whole groups"),
        (lambda: SimulateRequest(out=Path("a"), activities="none"), "--sessions or --made-up"),
        (lambda: SimulateRequest(training=Path("a"), repetitions=0), "--sessions or --made-up"),
        (lambda: SimulateRequest(training=Path("a"), activities="juggling").plan(), "no activity 'juggling'"),
        (lambda: SimulatedRequest(Path("a"), Path("b"), ("all",)), "no such part"),
        (lambda: ImportRequest((HERE,), HERE, layout="wit-1"), "wit-20 or wit-28"),
        (lambda: AnnotateRequest(HERE, HERE, ""), "who labelled"),
        (lambda: ReportRequest((HERE, Path("b") / HERE), Path("out")), "two files of one name"),
        (lambda: CalibrateRequest.read(HERE, "1:x", (), (), False, False), "START:END"),
        (lambda: CalibrateRequest.read(HERE, "3:1", (), (), False, False), "ends before it starts"),
        (lambda: CalibrateRequest.read(HERE, "1:3", ("up=1:2",), (), False, False), "left or right"),
        (lambda: CalibrateRequest.read(HERE, "1:3", ("left=4:5",), (), False, False), "the same arms"),
    ],
)
def test_what_cannot_be_done_is_no_request(make: Callable[[], object], reason: str) -> None:
    with pytest.raises(typer.BadParameter, match=reason):
        make()


def test_a_training_set_has_the_activities_that_were_asked_for() -> None:
    assert SimulateRequest(training=HERE, activities="drinking,shelf").plan().activities == ("drinking", "shelf")
    assert SimulateRequest(training=HERE).plan().activities == ()
    alone = SimulateRequest(training=HERE, activities="none", made_up=3).plan()
    assert (alone.repetitions, alone.made_up, alone.activities) == (0, 3, ())


def test_a_calibration_is_read_up_to_its_last_movement() -> None:
    request = CalibrateRequest.read(HERE, "1:3", ("left=4:5", "right=6:7"), ("left=8:9.5", "right=6:7"), False, False)
    assert request.pose == TimeSpan(1.0, 3.0)
    assert request.movements[Side.LEFT].turning == TimeSpan(8.0, 9.5)
    assert request.last_s == 9.5


def test_every_command_is_thin() -> None:
    """It reads the command line and calls a worker; everything else has its place in cli/work."""
    folder = Path(__file__).parents[2] / "rehabcount" / "cli" / "commands"
    found = 0
    for path in sorted(folder.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                described = int(ast.get_docstring(node) is not None)
                lines = (node.end_lineno or 0) - (node.body[described].lineno if described else node.lineno) + 1
                assert lines <= LONGEST_COMMAND, f"{path.name}: {node.name} has {lines} lines"
                found += 1
    assert found > 30
