"""The bench of PRISM: its input is what it says it is, rows are kept, and the page shows them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rehabcount.bench import prism, prism_data, prism_rows, prism_speed
from rehabcount.bench.prism_tables import BEST, BY_SLOTS, BY_STATES, METHODS, OURS, PUBLISHED
from rehabcount.cli.main import app
from rehabcount.datasets import jigsaws
from rehabcount.errors import DatasetChanged


def test_normal_numbers_are_those_of_torch() -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    torch.manual_seed(0)
    words = np.random.RandomState(0)
    for number in (72, 16, 33):
        wanted = torch.normal(torch.zeros(number), torch.ones(number)).numpy()
        assert prism_data.torch_normal(words, number) == pytest.approx(wanted, abs=1e-6)


def test_the_simulated_set_is_that_of_the_paper() -> None:
    given = prism_data.simulated()
    assert "".join("ABCDEFGH"[step] for step in given.labels[0]) == "AABBAACCAADDAAEEAAFFAAGGAAHHAAAAAAAA"
    assert [each.shape for each in given.recordings] == [(36, 2)] * 10
    nearest = np.concatenate([np.clip(np.rint(each.mean(axis=1)), 0, 7).astype(int) for each in given.recordings])
    # Measured on the authors' own numbers: the label of the nearest true mean.
    assert prism_rows.scored(given, nearest) == pytest.approx((0.9243, 0.9721), abs=1e-4)


def a_bee(frames: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Where it flies and where it heads: x, y and scaled differences of the heading; cosine and sine."""
    rng = np.random.default_rng(seed)
    turns = np.repeat(rng.choice([-0.3, 0.1, 0.4], size=frames // 10 + 1), 10)[:frames] + 0.1 * rng.normal(size=frames)
    heading = np.cumsum(turns)
    steps = 0.01 * np.column_stack([np.cos(heading), np.sin(heading)])
    place = np.cumsum(steps + 0.002 * rng.normal(size=(frames, 2)), axis=0)
    scaled = (turns - turns.min()) / np.ptp(turns)
    return np.column_stack([place, scaled]), heading


def test_a_heading_is_put_together_from_its_scaled_differences() -> None:
    scaled, heading = a_bee(200, 1)
    found = prism_data.heading_of(scaled)
    off = np.angle(np.exp(1j * (found - heading)) / np.exp(1j * (found - heading)).mean())
    assert np.sqrt((off**2).mean()) < 0.2  # rad; a wrong offset turns it around many times
    assert prism_data.dance_values(scaled).std(axis=0) == pytest.approx([1, 1, 1, 1])


def test_robot_columns_are_of_the_38_kinds() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 22))
    angle = 0.02 * np.arange(40)  # about z, .6 rad/s at 30 Hz
    for first in (6, 17):
        zero = np.zeros(40)
        values[:, first : first + 4] = np.column_stack([zero, zero, np.sin(angle / 2), np.cos(angle / 2)])
    columns = prism_data.robot_columns(values)
    assert columns.shape == (40, 38)
    assert columns[:, 3:12].reshape(-1, 3, 3)[10] == pytest.approx(
        np.array([[np.cos(0.2), -np.sin(0.2), 0], [np.sin(0.2), np.cos(0.2), 0], [0, 0, 1]])
    )
    assert columns[:, 15:18] == pytest.approx(np.tile([0, 0, 0.02 * jigsaws.RATE_HZ], (40, 1)))


def test_a_file_that_is_no_dance_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "bees.npz", labels_1=np.array(["a", "b"]), x_y_sin_cos_zscored_1=np.zeros((3, 4)))
    with pytest.raises(DatasetChanged, match="sequence 1"):
        list(prism_data.every_set(tmp_path))


def test_of_several_chains_the_one_with_the_highest_joint_density_counts() -> None:
    row = prism_rows.ProcedureRow((0.1, 0.9, 0.3, 0.5, 0.7), (0.2, 0.8, 0.4, 0.6, 1.0), (5.0, 1.0, 2.0, 3.0, 9.0), 0.0)
    assert row.best_of(2) == pytest.approx((0.3, 0.4))  # the first and the fourth; the fifth has no partner
    assert row.best_of(5) == pytest.approx((0.7, 1.0))


def test_the_published_tables_are_whole() -> None:
    assert len(PUBLISHED) == 9
    for rows in PUBLISHED.values():
        assert set(rows) == set(METHODS) - {BEST, "PRISM as published"}
        assert all(0 < value < 1 for pair in rows.values() for value in pair)
    assert BY_SLOTS[25] == BY_STATES[10] == PUBLISHED["suturing, one expert"][OURS]


def test_rows_are_kept_and_the_page_shows_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(prism_rows, "SWEEPS", 61)
    small = replace(prism_data.simulated(), hmm_sweeps=10)
    monkeypatch.setattr(prism, "every_set", lambda data: iter([small]))
    speed = prism_speed.ProcedureSpeed(0.5, 5.0, (100, 200, 400, 800), (1.0, 2.0, 4.0, 8.0), 300.0)
    monkeypatch.setattr(prism, "measure_speed", lambda *, quick: speed)
    command = ["bench", "prism", "--out", str(tmp_path), "--quick", "--json", str(tmp_path / "one.json")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    document = json.loads((tmp_path / "one.json").read_text())
    assert {claim["where"] for claim in document["claims"]} == {"Table 12, simulated", "Speed, one thread"}
    page = (tmp_path / "prism.md").read_text()
    assert "| simulated | " in page
    assert "exponent of the four longest | 1.00" in page
    assert (tmp_path / "prism" / "simulated.png").stat().st_size > 10_000
    monkeypatch.setattr(prism, "measure", None)  # every row is read again
    command[-1] = str(tmp_path / "two.json")
    assert CliRunner().invoke(app, command).exit_code == 0
    again = json.loads((tmp_path / "two.json").read_text())
    assert (again["claims"], again["figures"]) == (document["claims"], document["figures"])
