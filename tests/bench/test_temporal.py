"""Tables 3-9 of the PRISM paper, cell by cell, and the experiment's manners with files it has not seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from rehabcount.bench import experiment, temporal
from rehabcount.bench.temporal_tables import SIGN_NOTE, TABLES
from rehabcount.cli.main import app
from rehabcount.cli.work import bench as worker
from rehabcount.errors import ConfigError, DatasetChanged, DatasetMissing


def test_the_tables_are_whole() -> None:
    assert [table.number for table in TABLES] == [3, 4, 5, 6, 7, 8, 9]
    assert sum(len(table.methods) * len(table.rows) for table in TABLES) == 990
    for table in TABLES:
        assert set(table.rows) == set(temporal.SCORES)
        assert all(len(row) == len(table.methods) for row in table.rows.values())


def test_published_cells(data_folder: Path) -> None:
    document = experiment.execute(temporal.EXPERIMENT, data=data_folder / "temporal-clusterings")
    present = {claim["where"] for claim in document["claims"]}
    if present >= {"Table 3, bees1", "Table 4, bees2", "Table 5, bees3", "Table 9, mocap6"} and len(present) == 4:
        assert len(document["claims"]) == 561
    missed = [claim for claim in document["claims"] if not claim["match"]]
    assert all(claim["name"] == "LRSC ARI" and claim["note"] == SIGN_NOTE for claim in missed)
    assert len(missed) == sum("bees1" not in where and "bees3" not in where for where in present)


def a_bee_file(path: Path, frames: int = 80) -> None:
    rng = np.random.default_rng(0)
    truth = np.repeat(rng.integers(0, 3, frames // 4), 4).astype(np.int16)
    runs: dict[str, Any] = {
        f"{method}/{i}": rng.integers(0, 4, frames) for method in TABLES[3].methods for i in range(2)
    }
    runs["HMM/constant"] = np.zeros(frames, np.int16)
    runs["DPGMM/not-in-the-tables"] = truth
    np.savez(path, truth=truth, sequence_lengths=np.array([frames]), **runs)


def test_a_bee_that_is_not_here_works_the_same(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    a_bee_file(tmp_path / "bees4.npz")
    out, results = tmp_path / "out", tmp_path / "results.json"
    done = CliRunner().invoke(
        app, ["bench", "temporal", "--data", str(tmp_path), "--out", str(out), "--json", str(results)]
    )
    assert done.exit_code == 0, done.output
    document = json.loads(results.read_text())
    assert {claim["where"] for claim in document["claims"]} == {"Table 6, bees4"}
    assert len(document["claims"]) == 143
    assert {"bees4.png", "beta-sensitivity.png", "results.json"} <= {path.name for path in out.iterdir()}
    assert "of 143 claims match" in done.output


def test_the_best_run_is_the_one_with_the_highest_tss(tmp_path: Path) -> None:
    truth = np.repeat([0, 1, 0, 2], 5)
    runs: dict[str, Any] = {"HMM/bad": np.arange(20) % 2, "HMM/good": truth + 7}
    np.savez(tmp_path / "bees1.npz", truth=truth, **runs)
    best = temporal.best_runs(tmp_path / "bees1.npz")
    assert best["HMM"].run == "good"
    assert best["HMM"].scores["TSS"] == 1


def test_wrong_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetMissing, match=r"holds none of bees1\.npz"):
        experiment.execute(temporal.EXPERIMENT, data=tmp_path)
    (tmp_path / "bees1.npz").write_text("no npz")
    with pytest.raises(DatasetChanged, match=r"bees1\.npz is not an npz"):
        experiment.execute(temporal.EXPERIMENT, data=tmp_path)
    runs: dict[str, Any] = {"HMM/a": np.zeros(3, int)}
    np.savez(tmp_path / "bees1.npz", truth=np.zeros(4, int), **runs)
    with pytest.raises(DatasetChanged, match="HMM/a has 3 frames, truth has 4"):
        experiment.execute(temporal.EXPERIMENT, data=tmp_path)


def test_a_setting_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="common='subtree'"):
        experiment.execute(temporal.EXPERIMENT, data=tmp_path, changes=["common=subtree"])


def test_bench_all_names_what_it_leaves_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    three = {name: experiment.EXPERIMENTS[name] for name in ("metrics", "temporal", "strokerehab")}
    monkeypatch.setattr(worker, "EXPERIMENTS", three)
    done = CliRunner().invoke(app, ["bench", "all", "--quick", "--json", str(tmp_path / "all.json")])
    assert done.exit_code == 0, done.output
    document = json.loads((tmp_path / "all.json").read_text())
    assert [entry["experiment"] for entry in document["left_out"]] == ["temporal", "strokerehab"]
    assert [entry["experiment"] for entry in document["experiments"]] == ["metrics"]
