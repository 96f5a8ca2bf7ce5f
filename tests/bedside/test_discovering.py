"""Recorded sessions and tables as recordings of an exercise, and the steps kept in a session."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest

from rehabcount.bedside import discovering
from rehabcount.bedside.discovering import COUNTED, DiscoverySettings, ExerciseStretch, Wanted
from rehabcount.bedside.simulated_file import save
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.errors import CalibrationError, ImportRefused, InputRefused
from rehabcount.exchange.labellings import read_labellings
from rehabcount.models.steps_input import Channels
from rehabcount.signals.align import AlignSettings
from rehabcount.signals.posture import Posture
from rehabcount.simulate.accuracy import body_frames
from rehabcount.simulate.repeated_drinks import REPETITION, patient, simulate_drinks
from rehabcount.store.documents import CALIBRATION
from rehabcount.store.layers import REFERENCE
from rehabcount.store.session_file import SessionFile

DRINKS = 4


@pytest.fixture(scope="module")
def drinks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated patient's calibrated session of four drinks."""
    recording = simulate_drinks(patient(50, 2), DRINKS, rig="three")
    assert sum(each.kind == REPETITION for each in recording.stretches) == DRINKS
    path = tmp_path_factory.mktemp("drinks") / "drinks.rehab"
    save(recording, path)
    with SessionFile.annotate(path) as session:
        session.put_document(CALIBRATION, body_frames(recording)[1])
    return path


def stretches(*wanted: Wanted) -> list[ExerciseStretch]:
    heard: list[int] = []
    found = discovering.read_stretches(wanted, AlignSettings(), lambda: heard.append(1))
    assert len(heard) == len(wanted)
    return found


def table(path: Path, seed: int = 0, rows: int = 80, step_s: float = 0.05) -> Path:
    values = np.random.default_rng(seed).normal(0, 0.2, (rows, 2)) + np.repeat(np.eye(4)[:, :2], rows // 4, axis=0)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["time_s", "x", "y"])
        writer.writerows([f"{i * step_s:.3f}", *map(str, row)] for i, row in enumerate(values))
    return path


def test_labelled_repetitions_of_a_session(drinks: Path) -> None:
    found = stretches(Wanted(drinks, layer=REFERENCE))
    assert len(found) == DRINKS
    assert all(each.simulated for each in found)
    for each in found:
        measured = each.demonstration.measured
        assert isinstance(measured, Posture)
        assert measured.worn == ("hand", "upper-arm", "thorax")
        assert each.rows is not None
        assert each.rows.time_s[0] == pytest.approx(measured.start_s)
        assert 4.0 < len(measured) / 10 < 15.0


def test_a_whole_session_begins_after_its_calibration(drinks: Path) -> None:
    (whole,) = stretches(Wanted(drinks))
    (first, *_) = stretches(Wanted(drinks, layer=REFERENCE))
    assert whole.name == "drinks"
    assert isinstance(whole.demonstration.measured, Posture)
    assert isinstance(first.demonstration.measured, Posture)
    assert 15.0 < whole.demonstration.measured.start_s <= first.demonstration.measured.start_s


def test_stretches_by_their_times(drinks: Path) -> None:
    found = stretches(Wanted(drinks, ((25.0, 30.0), (31.0, 35.5))))
    assert [(each.name, len(each.rows or ())) for each in found] == [("drinks 25.0 s", 500), ("drinks 31.0 s", 450)]
    for wrong in ((5.0, 4.0), (900.0, 910.0)):
        with pytest.raises(InputRefused, match="has no stretch"):
            stretches(Wanted(drinks, (wrong,)))


def test_sessions_that_cannot_be_used_say_why(drinks: Path, tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match="nothing was counted"):
        stretches(Wanted(drinks, layer=COUNTED))
    with pytest.raises(InputRefused, match="has no layer 'video'; it has reference"):
        stretches(Wanted(drinks, layer="video"))
    recording = simulate_drinks(patient(50, 2), 1, rig="one")
    save(recording, tmp_path / "new.rehab")
    with pytest.raises(CalibrationError, match=r"new\.rehab has no calibration"):
        stretches(Wanted(tmp_path / "new.rehab"))


def test_steps_of_drinks_are_found_and_kept_and_taken_back(drinks: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(drinks, tmp_path / "mine.rehab"))
    read = stretches(Wanted(path, layer=REFERENCE))
    found = discovering.find(read, DiscoverySettings(5, 6))
    assert 4 <= len(found.steps) <= 6
    segments = [each for i in range(DRINKS) for each in discovering.segments_of(found, i, read[i].side)]
    assert discovering.keep_steps(path, segments) == "exercise steps"
    assert discovering.keep_steps(path, segments[:3]) == "exercise steps 2"
    with SessionFile.open(path) as session:
        assert discovering.kept_steps(session) == ("exercise steps 2", tuple(segments[:3]))
    discovering.hold_layer(path, "exercise steps")
    with SessionFile.open(path) as session:
        layer, kept = discovering.kept_steps(session)
        assert (layer, len(kept)) == ("exercise steps", len(segments))
    discovering.keep_steps(path, ())
    with SessionFile.open(path) as session:
        assert discovering.kept_steps(session) == ("", ())
    # The labels of people are still found without a name.
    assert all(each.spans.labels[0] in ("other", "idle") for each in read_labellings(path, "reference").values())


def test_tables_of_channels(tmp_path: Path) -> None:
    (one,) = stretches(Wanted(table(tmp_path / "a.csv")))
    assert isinstance(one.demonstration.measured, Channels)
    assert one.demonstration.measured.names == ("x", "y")
    assert one.demonstration.measured.rate_hz == pytest.approx(20.0)
    parts = stretches(Wanted(tmp_path / "a.csv", ((0.0, 1.0), (1.0, 4.0))))
    assert [len(each.demonstration.measured.values) for each in parts] == [20, 60]  # type: ignore[union-attr]
    twice = discovering.renamed([one, one])
    assert [each.demonstration.name for each in twice] == ["a", "a (2)"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("x,y\n1,2\n", "must name a column time_s"),
        ("", "must name a column time_s"),
        ("time_s,x\n", "there is no row"),
        ("time_s,x\n0,1\n0,2\n", "does not rise"),
        ("time_s,x\n0,1\n0.1,hello\n", "'hello' is not a number"),
        ("time_s,x\n0,1\n0.1,2,3\n", "it has 3 cells, 2 are named"),
        ("time_s,x\n0,1\n0.1,2\n0.2,2\n0.9,2\n", "there is a gap at 0.20 s"),
    ],
)
def test_tables_that_cannot_be_read(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ImportRefused, match=what):
        stretches(Wanted(tmp_path / "a.csv"))
    with pytest.raises(ImportRefused, match="cannot be read"):
        stretches(Wanted(tmp_path / "none.csv"))


def test_segments_are_the_steps_of_the_procedure_only() -> None:
    rng = np.random.default_rng(0)
    arrays = [np.repeat([[0.0], [2.0], [0.0]], 15, axis=0) + rng.normal(0, 0.1, (45, 1)) for _ in range(3)]
    found = discovering.find_in_arrays(arrays, 10.0, ["a", "b", "c"], DiscoverySettings(2, 3)).named(["rest", "up"])
    late = [
        Segment("up", Side.LEFT, 1.0, 2.0),
        Segment("rest", Side.LEFT, 2.0, 3.0),
        Segment("rest", Side.LEFT, 0.0, 1.0),
    ]
    assert [each.start_s for each in discovering.in_order(found, late)] == [0.0, 2.0, 1.0]
    assert discovering.segments_of(found, 0, Side.LEFT) == (
        Segment("rest", Side.LEFT, 0.0, 1.5),
        Segment("up", Side.LEFT, 1.5, 3.0),
        Segment("rest", Side.LEFT, 3.0, 4.5),
    )
