"""The commands that write reports and take labels back."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rehabcount.cli.main import app
from rehabcount.domain.corrected import corrected
from rehabcount.domain.correction import Action, Correction
from rehabcount.domain.rig import Side, make_rig
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event
from rehabcount.errors import ImportRefused, SessionUnsaid
from rehabcount.store.layers import REFERENCE, Layer
from rehabcount.store.session_file import SessionFile
from tests.cli.test_commands import run
from tests.counted import make_counted_session


def standing(path: Path) -> list[object]:
    with SessionFile.open(path) as session:
        events = [update for update in session.updates(1) if isinstance(update, Event)]
        return [each.segment for each in corrected(events, session.corrections(1))]


def test_report_writes_page_and_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    files = [make_counted_session(tmp_path / f"{name}.rehab", minutes=4, simulated=True) for name in "ab"]
    said = json.loads(run("report", *files, "--out", tmp_path / "out", "--sessions", tmp_path / "all.csv", "--json"))
    assert len(said["written"]) == 5
    assert (tmp_path / "out" / "a.pdf").read_bytes().startswith(b"%PDF")
    rows = {(row["section"], row["item"]): row["value"] for row in said["sessions"][0]["figures"]}
    with (tmp_path / "all.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert [int(row["task_repetitions"]) for row in table] == [rows["dose", "task repetitions"]] * 2
    shown = run("report", files[0], "--no-pdf", "--no-csv")
    assert "Simulated data" in shown
    assert "Research use only" in shown
    assert "Accuracy on patients unknown" in shown
    run("report", files[0], "--no-pdf", "--no-csv", "--counting", "7", code=2)
    run("report", files[0], files[0], "--out", tmp_path / "out", code=2)


def test_a_session_without_a_count_is_reported_as_such(tmp_path: Path) -> None:
    SessionFile.create(tmp_path / "a.rehab", make_rig("one", Side.LEFT, "generic", 100.0)).close()
    assert "has not been counted" in run("report", tmp_path / "a.rehab", "--no-pdf", "--no-csv")


def test_labels_go_to_elan_and_come_back_unchanged(tmp_path: Path) -> None:
    path = make_counted_session(tmp_path / "a.rehab", minutes=5)
    before = standing(path)
    rows = json.loads(run("export", path, "--to", "elan", "--json"))["rows"]
    assert rows["corrected"] == len(before)
    eaf = tmp_path / "a.eaf"
    assert json.loads(run("annotate", path, eaf, "--by", "XY", "--json"))["corrections"] == 0
    assert standing(path) == before
    eaf.write_text(_in_tier(eaf.read_text(), "corrected left"))
    assert "1 corrections by XY" in run("annotate", path, eaf, "--by", "XY")
    with SessionFile.open(path) as session:
        said = session.corrections(1)[-1]
    assert (said.who, said.note) == ("XY", "ELAN")
    assert said.segment is not None
    assert said.segment.label == "other"
    assert "2 reference" not in run("annotate", path, eaf, "--by", "XY", "--reference", "video")
    with SessionFile.open(path) as session:
        assert len(session.segments(Layer("video"))) == len(before)


def test_what_a_simulated_patient_did_not_come_to_do_is_not_exported(tmp_path: Path) -> None:
    path = make_counted_session(tmp_path / "a.rehab", minutes=3, simulated=True)
    with SessionFile.annotate(path) as session:
        end_s = session.length_s()
        done, not_done = (Segment("reach", Side.LEFT, at_s, at_s + 1.0) for at_s in (end_s - 5.0, end_s + 5.0))
        session.add_segments(REFERENCE, (done, not_done))
    assert json.loads(run("export", path, "--to", "elan", "--json"))["rows"]["reference"] == 1
    run("annotate", path, tmp_path / "a.eaf", "--by", "XY")
    run("export", path, "--to", "csv", "--out", tmp_path / "tables")
    with (tmp_path / "tables" / "labels.csv").open(newline="") as file:
        assert [row["label"] for row in csv.DictReader(file) if row["layer"] == REFERENCE] == ["reach"]


def _in_tier(text: str, tier: str, label: str = "other") -> str:
    """The first annotation of the tier gets another label."""
    begin = text.index(f'TIER_ID="{tier}"')
    return text[:begin] + re.sub(r">\w+</ANNOTATION_VALUE>", f">{label}</ANNOTATION_VALUE>", text[begin:], count=1)


def test_another_patients_labels_change_nothing(tmp_path: Path) -> None:
    mine, other = (make_counted_session(tmp_path / f"{name}.rehab", minutes=3, seed=i) for i, name in enumerate("ab"))
    run("export", other, "--to", "elan")
    before = standing(mine)
    with SessionFile.annotate(mine) as session:  # the fixture copies one file, id and all
        session._note(session="another")
    for words in ((), ("--yes",), ("--reference", "video")):
        with pytest.raises(ImportRefused, match="another session"):
            run("annotate", mine, tmp_path / "b.eaf", "--by", "XY", *words)
    assert standing(mine) == before
    with SessionFile.open(mine) as session:
        assert session.layers() == ()


def test_labels_that_name_no_session_are_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_counted_session(tmp_path / "a.rehab", minutes=3)
    run("export", path, "--to", "elan")
    eaf = tmp_path / "a.eaf"
    eaf.write_text(re.sub(r" *<PROPERTY NAME=.rehabcount-session.*\n", "", eaf.read_text()))
    with pytest.raises(SessionUnsaid) as caught:  # without a terminal the question cannot be asked
        run("annotate", path, eaf, "--by", "XY")
    assert "--yes" in caught.value.advice
    assert "0 corrections" in run("annotate", path, eaf, "--by", "XY", "--yes")
    monkeypatch.setattr("rehabcount.cli.work.annotate._can_ask", lambda: True)
    for answer, code in (("n", None), ("y", 0)):
        result = CliRunner().invoke(app, ["annotate", str(path), str(eaf), "--by", "XY", "--json"], input=f"{answer}\n")
        assert "Are they of a.rehab?" in result.stderr
        assert isinstance(result.exception, SessionUnsaid) if code is None else result.exit_code == code


def test_an_untouched_file_corrects_nothing_after_another_count(tmp_path: Path) -> None:
    path = make_counted_session(tmp_path / "a.rehab", minutes=3)
    eaf = tmp_path / "a.eaf"
    run("export", path, "--to", "elan")
    with SessionFile.annotate(path) as session:
        events = tuple(session.updates(1, Event))
        session.begin_counting("ab" * 32)
        session.accept(*events[::2])
    for words in ((), ("--yes",)):
        with pytest.raises(ImportRefused, match=r"made for counting 1 .*not for counting 2") as caught:
            run("annotate", path, eaf, "--by", "AB", *words)
        assert "--counting N" in caught.value.advice
    assert "0 corrections" in run("annotate", path, eaf, "--by", "AB", "--counting", "1")
    with SessionFile.open(path) as session:
        assert session.corrections(2) == ()
    eaf.write_text(re.sub(r" *<PROPERTY NAME=.rehabcount-counting.*\n", "", eaf.read_text()))
    with pytest.raises(SessionUnsaid, match="for which counting") as unsaid:  # as an older program wrote it
        run("annotate", path, eaf, "--by", "AB")
    assert "--counting 2" in unsaid.value.advice


def test_labels_from_before_a_correction_do_not_take_it_back(tmp_path: Path) -> None:
    path = make_counted_session(tmp_path / "a.rehab", minutes=3)
    eaf = tmp_path / "a.eaf"
    run("export", path, "--to", "elan")
    with SessionFile.annotate(path) as session:
        events = [update for update in session.updates(1) if isinstance(update, Event)]
        session.correct(1, Correction(Action.REMOVE, "CD", 1, event=events[0].number))
    kept = standing(path)
    assert "0 corrections" in run("annotate", path, eaf, "--by", "AB")
    eaf.write_text(_in_tier(eaf.read_text(), "corrected left"))
    with pytest.raises(ImportRefused, match="corrected after these labels were exported"):
        run("annotate", path, eaf, "--by", "AB")
    assert standing(path) == kept
    run("export", path, "--to", "elan")
    for label in ("other", "reach"):  # the same file may be worked on and taken again
        eaf.write_text(_in_tier(eaf.read_text(), "corrected left", label))
        assert "1 corrections by AB" in run("annotate", path, eaf, "--by", "AB")


def test_wrong_tiers_and_authors_are_refused(tmp_path: Path) -> None:
    path = make_counted_session(tmp_path / "a.rehab", minutes=3)
    run("export", path, "--to", "elan")
    with pytest.raises(ImportRefused, match="there are no tiers 'anna'"):
        run("annotate", path, tmp_path / "a.eaf", "--by", "XY", "--tiers", "anna")
    run("annotate", path, tmp_path / "a.eaf", "--by", " ", code=2)
    run("annotate", path, tmp_path / "a.eaf", "--by", "XY", "--counting", "5", code=2)
