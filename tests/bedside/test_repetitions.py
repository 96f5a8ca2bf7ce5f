"""Exercises taught from session files: counted in files and live, the same byte for byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest
from typer.testing import CliRunner

import rehabcount as rc
from rehabcount.bedside.repetitions import calibration_of, count_taught, load, save, teach_from, unmounted
from rehabcount.cli.main import app
from rehabcount.domain.document import to_document
from rehabcount.domain.rig import Side
from rehabcount.domain.taught import TaughtExercise, TaughtExercises
from rehabcount.domain.update import Phase, PhaseName, Recorded, Repeated, Said
from rehabcount.engine.session import SessionSettings, updates
from rehabcount.errors import InputRefused
from rehabcount.inference.runtime import Model
from rehabcount.store.documents import CALIBRATION, TAUGHT
from rehabcount.store.session_file import SessionFile
from tests.engine.oracle import ReflexModel

BENDING = (5.4, 15.2)  # of the calibration: the elbow bends and stretches again and again
BENDS = 3


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated person; what is repeated is the elbow's bending in the calibration."""
    file = tmp_path_factory.mktemp("taught") / "drinks.rehab"
    simulated = Path(rc.simulate("drinks", subject="H18", rig="three").save(file.with_name("whole.rehab")))
    with SessionFile.open(simulated) as whole:
        rig, calibration = whole.rig, calibration_of(whole)
        items = [item for item in whole.items() if not isinstance(item, Said)]
    assert calibration is not None
    with SessionFile.create(file, rig) as made:  # without the phases: a calibration is not counted
        made.append(items)
        made.put_document(CALIBRATION, calibration)
        made.close_session()
    return file


@pytest.fixture(scope="module")
def bend(path: Path) -> TaughtExercise:
    return teach_from(path, *BENDING, BENDS, "elbow bend")


def live(path: Path, exercise: TaughtExercise, *said: Said) -> list[Repeated]:
    with SessionFile.open(path) as file:
        items: list[Recorded] = [*said, *file.items()]
        settings = SessionSettings(
            file.rig, Side.RIGHT, calibration=calibration_of(file), taught=TaughtExercises((exercise,))
        )
        found = updates(items, settings, cast(Model, ReflexModel()))
        return [each for each in found if isinstance(each, Repeated)]


def test_the_file_and_the_session_count_the_same(path: Path, bend: TaughtExercise) -> None:
    found = count_taught(path, [bend])
    assert BENDS - 1 <= len(found) <= BENDS + 2
    assert all(BENDING[0] - 1 < each.start_s and each.end_s < BENDING[1] + 2 for each in found[:BENDS])
    assert found[0].lean_rad is not None  # a sensor on the trunk
    assert live(path, bend) == found


def test_nothing_is_counted_in_a_pause(path: Path, bend: TaughtExercise) -> None:
    paused = Said(Phase(PhaseName.PAUSED, 0.0), 0)
    assert live(path, bend, paused) == []


def test_a_record_keeps_what_was_taught_and_counted(path: Path, bend: TaughtExercise, tmp_path: Path) -> None:
    copy = tmp_path / "copy.rehab"
    copy.write_bytes(path.read_bytes())
    found = count_taught(path, [bend])
    with SessionFile.annotate(copy) as file:
        file.put_document(TAUGHT, TaughtExercises((bend,)))
        counting = file.begin_counting("taught")
        file.accept(*found)
        assert list(file.updates(counting.number, Repeated)) == found
    with SessionFile.open(copy) as file:
        kept = file.document(TAUGHT)
    assert kept is not None
    assert kept.exercises[0].hash == bend.hash


def test_an_exercise_is_a_file(bend: TaughtExercise, tmp_path: Path) -> None:
    file = tmp_path / "bend.taught.json"
    save(bend, file)
    assert load(file) == bend
    document = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**document, "cycle_s": 9.0}), encoding="utf-8")
    with pytest.raises(InputRefused, match="changed"):
        load(file)
    for wrong in ("[]", "{}", "no", json.dumps({**to_document(bend), "pattern": []})):
        file.write_text(wrong, encoding="utf-8")
        with pytest.raises(InputRefused):
            load(file)


def test_a_stretch_that_is_not_there_is_refused(path: Path) -> None:
    with pytest.raises(InputRefused, match="no motion"):
        teach_from(path, 900.0, 910.0, 3, "nothing")


def test_a_rig_without_calibration_uses_the_axes_of_its_sensors(path: Path) -> None:
    with SessionFile.open(path) as file:
        assert [each.quat for each in unmounted(file.rig).mountings] == [(1.0, 0.0, 0.0, 0.0)] * 3


def test_the_commands(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = CliRunner()
    words = ["teach", str(path), "--from", "5.4", "--to", "15.2", "--repetitions", str(BENDS), "--name", "elbow bend"]
    taught = run.invoke(app, words)
    assert taught.exit_code == 0, taught.output
    assert (tmp_path / "elbow-bend.taught.json").is_file()
    counted = run.invoke(app, ["count", str(path), "--taught", "elbow-bend.taught.json", "--json"])
    assert counted.exit_code == 0, counted.output
    assert len(json.loads(counted.output)[str(path)]) >= BENDS - 1
    assert run.invoke(app, ["count", str(path), "--taught", "elbow-bend.taught.json"]).exit_code == 0
    unshown = run.invoke(app, ["count", str(path), "--repetitions", "--from", "5.4", "--to", "15.2", "--json"])
    assert unshown.exit_code == 0, unshown.output
    assert json.loads(unshown.output)[str(path)]["number"] <= BENDS + 1
    assert run.invoke(app, [*words[:4], "--to", "1", *words[6:]]).exit_code == 2
