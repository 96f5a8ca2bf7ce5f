"""`rehabcount discover` as a person uses it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rehabcount.cli.main import app
from rehabcount.errors import InputRefused
from rehabcount.exchange.elan import Labelled, read_eaf
from rehabcount.exchange.labellings import read_labellings
from rehabcount.models.data import read_set
from rehabcount.store.layers import REFERENCE, STEPS_LAYER
from rehabcount.store.session_file import SessionFile
from tests.bedside.test_discovering import drinks, table

__all__ = ["drinks"]  # a fixture


def run(*words: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["discover", *map(str, words)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


def test_a_session_becomes_tables_labels_and_a_picture(drinks: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    said = run(drinks, "--repetitions", REFERENCE, "--steps", "4", "--length", "6", "--out", out, "--keep")
    assert "in 4 recordings" in said
    assert "Simulated data: no person was measured." in said
    assert "kept as layer 'exercise steps'" in said
    with (out / "steps.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["file"] for row in rows} == {"drinks.rehab"}
    with (out / "regularity.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 4
    with SessionFile.open(drinks) as session:
        kept = session.segments(next(each for each in session.layers() if each == STEPS_LAYER))
        identity = session.about()["session"]
        length_s = session.length_s()
    names = {segment.label for segment in kept}
    annotations = read_eaf(out / "drinks.eaf", Labelled(identity, length_s), names)
    assert len(annotations.layers[STEPS_LAYER]) == len(kept)
    labels = read_labellings(out / "labels", "reference")
    assert len(labels) == 4
    assert (out / "steps.png").stat().st_size > 10_000
    data = read_set(out / "training")
    assert set(data.labels) == names
    assert {trial.split for trial in data.trials} == {"train", "valid"}
    assert all((trial.labels >= 0).mean() > 0.9 for trial in data.trials)


def test_tables_as_json_with_names(tmp_path: Path) -> None:
    files = [table(tmp_path / f"{i}.csv", i) for i in range(3)]
    document = json.loads(run(*files, "--json", "--steps", "4"))
    assert [each["name"] for each in document["recordings"]] == ["0", "1", "2"]
    number = len(document["steps"])
    names = ",".join(f"part {i}" for i in range(number))
    named = json.loads(run(*files, "--json", "--steps", "4", "--names", names))
    assert [each["name"] for each in named["steps"]] == names.split(",")
    assert named["recordings"] == document["recordings"]
    wrong = run(*files, "--names", "just one", "--steps", "2", "--length", "3", code=2)
    assert "The procedure that was found is" in " ".join(wrong.split())


def test_stretches_of_a_file(tmp_path: Path) -> None:
    path = table(tmp_path / "a.csv", rows=240)
    said = run(f"{path}@0-4,4-8,8-12", "--steps", "2", "--length", "2")
    assert "3 recordings" in said
    with pytest.raises(InputRefused, match="one recording only"):
        run(path)
    with pytest.raises(InputRefused, match="is no session file"):
        run(f"{path}@0-4,4-8", "--keep", "--steps", "2", "--length", "2")


def test_wrong_words_are_refused(tmp_path: Path) -> None:
    run(tmp_path / "a.csv", "--side", "up", code=2)
    run(tmp_path / "a.csv", "--steps", "0", code=2)
    with pytest.raises(InputRefused, match="cannot be found"):
        run(table(tmp_path / "a.csv"), "--steps", "5", "--length", "3")


def test_a_recording_that_differs_is_named(tmp_path: Path) -> None:
    files = [table(tmp_path / f"{i}.csv", i) for i in range(2)]
    text = files[1].read_text(encoding="utf-8").replace("time_s,x,y", "time_s,x,z")
    files[1].write_text(text, encoding="utf-8")
    with pytest.raises(InputRefused, match=r"1 has 2 channels \(x, z\), 0 has 2 \(x, y\)"):
        run(*files)
