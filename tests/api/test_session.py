"""A session is read as tables: aligned signals with units, events, reference labels."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import rehabcount as rc
from rehabcount.cli.main import app
from rehabcount.domain.motion import Packet
from rehabcount.domain.rig import Side, make_rig
from rehabcount.store.packets import Origin
from rehabcount.store.session_file import SessionFile
from tests.counted import make_counted_session


def test_signals_are_the_table_that_export_writes(saved: Path, tmp_path: Path) -> None:
    signals = rc.open_session(saved).signals()
    done = CliRunner().invoke(app, ["export", str(saved), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    with (tmp_path / "out" / "signals.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(signals["time_s"])
    assert [name for name in rows[0] if not name.endswith(" valid")] == list(signals)
    for name, column in signals.items():
        written = np.array([float(row[name] or "nan") for row in rows])
        np.testing.assert_allclose(column, written, rtol=1e-7, atol=1e-9)


def test_columns_are_equally_long_have_units_and_cannot_be_changed(saved: Path) -> None:
    signals = rc.open_session(saved).signals()
    assert isinstance(signals, dict)  # what pandas.DataFrame takes as columns
    assert set(signals.units) == set(signals)
    assert {signals.units[name] for name in signals if "gyr" in name} == {"rad/s"}
    assert len({column.shape for column in signals.values()}) == 1
    with pytest.raises(ValueError, match="read-only"):
        signals["right-hand acc_x"][0] = 0.0


def test_where_a_sensor_was_silent_its_columns_are_nan(person: rc.SimulatedRecording, tmp_path: Path) -> None:
    path = tmp_path / "gap.rehab"
    with SessionFile.open(person.save(tmp_path / "whole.rehab")) as whole:
        items, rig = list(whole.items()), whole.rig
    begun_ns = items[0].received_ns
    lost = [
        item
        for item in items
        if isinstance(item, Packet) and item.sensor == "sternum" and 5e9 < item.received_ns - begun_ns < 6e9
    ]
    with SessionFile.create(path, rig, origin=Origin(0, None)) as session:
        session.append([item for item in items if item not in lost])
        session.close_session()
    signals = rc.open_session(path).signals()
    within = (signals["time_s"] > 5.2) & (signals["time_s"] < 5.8)
    assert np.isnan(signals["sternum acc_x"][within]).all()
    assert np.isfinite(signals["right-hand acc_x"][within]).all()


def test_what_a_session_says_of_itself(saved: Path, person: rc.SimulatedRecording) -> None:
    session = rc.open_session(str(saved))
    assert session.rig.names == person.places
    assert session.side == person.side == "right"
    assert session.length_s == pytest.approx(person.time_s[-1], abs=0.2)
    assert session.layers == ("reference",)
    assert session.reference("right") == person.labels
    assert {segment.side for segment in session.reference()} == set(Side)
    assert "3 sensors, right arm" in repr(session)
    assert session.calibration() is None
    assert session.corrections == ()


def test_events_as_counted_and_as_corrected(tmp_path: Path) -> None:
    session = rc.open_session(make_counted_session(tmp_path / "counted.rehab"))
    counted, standing = session.events(), session.events(corrected=True)
    assert counted != standing
    assert len(session.corrections) > 3
    assert {event.side for event in session.events("left")} == {Side.LEFT}
    assert list(standing) == sorted(standing, key=lambda event: event.start_s)
    assert any(event.number < 0 for event in standing)  # added by a person
    assert {event.label for event in standing if event.counts} == {"reach", "reposition", "stabilize", "transport"}
    assert {event.counts for event in standing} == {True, False}


def test_what_is_not_there_is_refused_with_advice(saved: Path, tmp_path: Path) -> None:
    with pytest.raises(rc.RehabcountError) as found:
        rc.open_session(tmp_path / "none.rehab")
    assert found.value.advice
    with pytest.raises(rc.InputRefused, match="it has reference"):
        rc.open_session(saved).reference(layer="ann")
    with pytest.raises(rc.InputRefused):
        rc.open_session(saved).events("both")


def test_an_empty_session_has_empty_columns(tmp_path: Path) -> None:
    path = tmp_path / "empty.rehab"
    with SessionFile.create(path, make_rig("one", Side.LEFT, "generic", 100.0), origin=Origin(0, None)):
        pass
    signals = rc.open_session(path).signals()
    assert len(signals["time_s"]) == 0
    assert len(signals) == 11
