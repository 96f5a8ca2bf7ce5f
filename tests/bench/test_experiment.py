"""The frame of experiments: settings, documents, resuming, comparing; and the commands on top of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rehabcount.bench import experiment
from rehabcount.cli.main import app
from rehabcount.errors import ConfigError, DatasetMissing

calls: list[str] = []


def toy_run(settings: Mapping[str, experiment.Value], context: experiment.Context) -> experiment.Results:
    def work() -> dict[str, float | None]:
        calls.append("work")
        return {"value": float(settings["size"]) / 3, "unknown": float("nan")}

    value = context.step(dict[str, float | None], "the step", work)["value"]
    claims = (
        experiment.Claim("Table 1", "size", 2.0, value, value == 2.0, "a note"),
        experiment.Claim("Table 1", "other", None, float("nan"), None),
    )
    return experiment.Results(claims, {"mean": np.float64(1.5), "bad": float("inf")})


TOY = experiment.Experiment("toy", "Is it two?", "no paper", "nothing", "no time", toy_run, {"size": 6, "fine": False})


def test_the_document_has_the_promised_shape(tmp_path: Path) -> None:
    document = experiment.execute(TOY, out=tmp_path)
    assert list(document) == ["experiment", "settings", "environment", "claims", "figures"]
    assert document["settings"] == {"size": 6, "fine": False, "quick": False}
    assert document["claims"][0] == {
        "where": "Table 1",
        "name": "size",
        "published": 2.0,
        "ours": 2.0,
        "match": True,
        "note": "a note",
    }
    assert document["claims"][1]["ours"] is None
    assert document["figures"] == {"mean": 1.5, "bad": None}
    assert json.loads((tmp_path / "results.json").read_text()) == document
    assert {"settings.json", "environment.json", "table.md"} <= {path.name for path in tmp_path.iterdir()}


def test_a_finished_step_is_not_done_again_unless_settings_change(tmp_path: Path) -> None:
    calls.clear()
    first = experiment.execute(TOY, out=tmp_path)
    second = experiment.execute(TOY, out=tmp_path)
    assert calls == ["work"]
    assert experiment.differences(first, second) == []
    experiment.execute(TOY, out=tmp_path, changes=["size=9"])
    assert calls == ["work", "work"]


def test_a_step_that_was_cut_short_is_done_again(tmp_path: Path) -> None:
    experiment.execute(TOY, out=tmp_path)
    (kept,) = (tmp_path / "steps").rglob("*.json")
    kept.write_text('{"key": "the st')
    calls.clear()
    assert experiment.execute(TOY, out=tmp_path)["claims"][0]["ours"] == 2.0
    assert calls == ["work"]


@pytest.mark.parametrize(
    ("change", "said"),
    [("sise=3", "no setting 'sise'"), ("size", "not key=value"), ("size=big", "not a int"), ("fine=7", "not a bool")],
)
def test_a_wrong_setting_is_named(change: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        experiment.execute(TOY, changes=[change])
    assert caught.value.advice


def test_settings_take_the_type_of_their_default() -> None:
    assert experiment.chosen_settings({"a": 1, "b": 0.5, "c": "x", "d": False}, ["a=2", "b=1", "c=3", "d=yes"]) == {
        "a": 2,
        "b": 1.0,
        "c": "3",
        "d": True,
    }


def test_every_listed_experiment_can_be_loaded_and_says_what_it_needs() -> None:
    for name in experiment.EXPERIMENTS:
        found = experiment.experiment(name)
        assert found.name == name
        assert found.question.endswith("?")
        assert found.needs
        assert found.takes


def test_the_list_names_every_experiment() -> None:
    done = CliRunner().invoke(app, ["bench", "--json"])
    assert {entry["name"] for entry in json.loads(done.stdout)} == set(experiment.EXPERIMENTS)
    assert "temporal" in CliRunner().invoke(app, ["bench"]).stdout


def test_compare_shows_what_differs(tmp_path: Path) -> None:
    for name, change in (("a.json", "size=6"), ("b.json", "size=9")):
        experiment.write_json(tmp_path / name, experiment.execute(TOY, changes=[change]))
    paths = [str(tmp_path / "a.json"), str(tmp_path / "b.json")]
    done = CliRunner().invoke(app, ["bench", "compare", *paths, "--json"])
    assert json.loads(done.stdout) == [{"name": "Table 1: size", "first": 2.0, "second": 3.0}]
    same = CliRunner().invoke(app, ["bench", "compare", paths[0], paths[0]])
    assert "No difference in 2 claims" in same.stdout


def test_what_is_no_results_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[1, 2]")
    for path in (tmp_path / "x.json", tmp_path / "missing.json"):
        with pytest.raises(DatasetMissing, match="not a results file"):
            experiment.read_results(path)


def test_speed_experiment_runs_small() -> None:
    document = experiment.execute(experiment.experiment("metrics"), quick=True)
    assert [claim["note"].split(";")[0] for claim in document["claims"]] == [
        "at least",
        "at most",
        "at most",
        "at most",
    ]
    figures = document["figures"]
    assert figures["TSS difference"] == pytest.approx(0.0, abs=1e-12)
    assert figures["estimated segments"] == pytest.approx(2_500, abs=4)


def test_a_page_says_where_it_comes_from_but_not_whose_folder() -> None:
    which = experiment.Experiment(
        "real-x", "Does it?", "Smith 2020", "nothing", "a moment", lambda s, c: experiment.Results()
    )
    environment = experiment.environment()
    environment["commit"], environment["when"] = "abc", "2030-01-02T00:00:00"
    document: experiment.Document = {
        "experiment": "real-x",
        "settings": {"model": "/home/karen/runs/stream/checkpoint.pt", "page": "", "seed": 1},
        "environment": environment,
        "claims": [],
        "figures": {"AER": 0.25},
    }
    page = experiment.page_of(which, document)
    assert page.startswith("# Does it?\n")
    assert "rehabcount bench real x" in page
    assert "commit abc, 2030-01-02" in page
    assert "model stream/checkpoint.pt, seed 1" in page
    assert "karen" not in page
    assert "| AER | 0.25 |" in page
