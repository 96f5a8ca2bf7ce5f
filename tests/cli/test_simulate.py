"""`rehabcount simulate` writes session files that hold what was simulated."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rehabcount.bedside.simulated_file import save
from rehabcount.cli.main import app
from rehabcount.cli.work import bench_simulated
from rehabcount.domain.motion import Packet
from rehabcount.sensors.packets import decode_all
from rehabcount.sensors.simulated import packets_of
from rehabcount.simulate import drawing
from rehabcount.simulate.cohort import make_cohort
from rehabcount.simulate.drawing import MOVING_COLOURS
from rehabcount.simulate.recording import Recording, simulate_trial
from rehabcount.store.documents import SIMULATION
from rehabcount.store.layers import REFERENCE
from rehabcount.store.session_file import SessionFile

runner = CliRunner()


@pytest.fixture(scope="module")
def recording() -> Recording:
    return simulate_trial(make_cohort(0)[2], "glasses", 1, 0)


def test_a_session_file_holds_packets_labels_and_truth_of_origin(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "one.rehab"
    save(recording, path)
    with SessionFile.open(path) as session:
        assert session.rig == recording.rig
        assert sorted(session.segments(REFERENCE), key=lambda s: (s.side, s.start_s)) == sorted(
            recording.segments, key=lambda s: (s.side, s.start_s)
        )
        document = session.document(SIMULATION)
        decoded = decode_all(session.items(), session.rig)
    assert document is not None
    assert document["subject"] == recording.subject.name
    assert {stretch["kind"] for stretch in document["stretches"]} == {"calibration", "activity"}
    for name, samples in recording.samples.items():
        found = decoded[name]
        assert len(found) == len(samples)
        assert found.gyr is not None
        assert samples.gyr is not None
        # Sixteen bits over 2000 degrees a second: half a count is 0.0005 rad/s.
        assert found.gyr == pytest.approx(np.asarray(samples.gyr), abs=6e-4)


def test_packets_come_in_the_order_of_their_arrival(recording: Recording) -> None:
    packets = packets_of(recording)
    assert all(isinstance(packet, Packet) for packet in packets)
    times = [packet.received_ns for packet in packets]
    assert times == sorted(times)
    assert packets == packets_of(simulate_trial(make_cohort(0)[2], "glasses", 1, 0))


def test_the_command_writes_what_was_asked_for(tmp_path: Path) -> None:
    arguments = [
        "simulate",
        "--out",
        str(tmp_path),
        "--subjects",
        "H20",
        "--activities",
        "glasses",
        "--repetitions",
        "1",
    ]
    result = runner.invoke(app, [*arguments, "--rig", "three", "--json"])
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert [item["file"] for item in document["recordings"]] == ["H20_glasses_right_1.rehab"]
    with SessionFile.open(tmp_path / "H20_glasses_right_1.rehab") as session:
        assert len(session.rig) == 3


def test_the_command_writes_whole_sessions(tmp_path: Path) -> None:
    arguments = ["simulate", "--out", str(tmp_path), "--subjects", "severe", "--sessions", "2", "--minutes", "1"]
    result = runner.invoke(app, [*arguments, "--rig", "one", "--hours", "0.01"])
    assert result.exit_code == 0, result.output
    assert len(list(tmp_path.glob("*.rehab"))) == 1  # a hundredth of an hour was enough


def test_the_command_writes_made_up_exercises(tmp_path: Path) -> None:
    result = runner.invoke(
        app, ["simulate", "--out", str(tmp_path), "--subjects", "H20", "--made-up", "1", "--rig", "one"]
    )
    assert result.exit_code == 0, result.output
    with SessionFile.open(tmp_path / "H20_made-up_right_1.rehab") as session:
        document = session.document(SIMULATION)
        assert session.segments(REFERENCE)
    assert document is not None
    assert document["activity"] == "made up"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--out", "x", "--activities", "none"],
        ["--out", "x", "--subjects", "S99"],
        ["--out", "x", "--activities", "juggling"],
        ["--draw", "drink.bmp"],
        ["--out", "x", "--rig", "seven"],
    ],
)
def test_wrong_requests_are_explained(arguments: list[str]) -> None:
    result = runner.invoke(app, ["simulate", *arguments])
    assert result.exit_code == 2
    assert "Error" in result.output


def test_the_picture_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "drink.png"
    result = runner.invoke(app, ["simulate", "--draw", str(path)])
    assert result.exit_code == 0, result.output
    assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_the_moving_picture_is_small_enough_for_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    image = pytest.importorskip("PIL.Image")
    monkeypatch.setattr(drawing, "MOVING_HZ", 0.25)
    path = tmp_path / "drink.gif"
    result = runner.invoke(app, ["simulate", "--draw", str(path)])
    assert result.exit_code == 0, result.output
    with image.open(path) as picture:
        assert picture.n_frames > 5
        assert len(picture.getcolors()) <= MOVING_COLOURS
    assert (Path(__file__).parents[2] / "docs" / "simulated" / "drink.gif").stat().st_size < 800_000


def test_a_part_of_the_tables_is_made_anew_and_the_others_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def part(*words: str) -> str:
        result = runner.invoke(app, ["bench", "simulated", "--data", str(tmp_path), "--out", str(tmp_path), *words])
        assert result.exit_code == 0, result.output
        return (tmp_path / "tables.md").read_text(encoding="utf-8")

    monkeypatch.setattr(bench_simulated, "_shortcuts", lambda seed: ["| a |", "", "Said below."])
    monkeypatch.setattr(bench_simulated, "_cohort", lambda seed, every: ["| first |"])
    part("--only", "shortcuts")
    both = part("--only", "cohort")
    assert both.index("## The cohort beside StrokeRehab\n\n| first |\n") < both.index("## Shortcuts\n\n| a |\n\nSaid")
    monkeypatch.setattr(bench_simulated, "_cohort", lambda seed, every: ["| second |"])
    changed = part("--only", "cohort")
    assert changed == both.replace("first", "second")
    monkeypatch.setattr(bench_simulated, "_pictures", lambda out, seed: [])
    assert part("--only", "pictures") == changed
    assert runner.invoke(app, ["bench", "simulated", "--data", ".", "--out", ".", "--only", "all"]).exit_code == 2
