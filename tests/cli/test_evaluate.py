"""`rehabcount evaluate` as a user meets it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from rehabcount.bedside.counted_before import remember
from rehabcount.cli.main import app
from rehabcount.domain.calibration import Calibration, Verdict
from rehabcount.domain.motion import Packet
from rehabcount.domain.rig import Side, make_rig
from rehabcount.domain.sequence import Segment
from rehabcount.domain.session_summary import ModelFacts
from rehabcount.domain.update import Event, Phase, PhaseName, SensorSet, Update
from rehabcount.errors import ConfigError, DatasetMissing, ImportRefused, StoreUnwritable
from rehabcount.store import documents
from rehabcount.store.layers import REFERENCE
from rehabcount.store.packets import Origin
from rehabcount.store.session_file import SessionFile


def run(*arguments: object) -> str:
    done = CliRunner().invoke(app, ["evaluate", *map(str, arguments)])
    if done.exception is not None:
        raise done.exception
    return done.stdout


def scores(*arguments: object) -> dict[str, Any]:
    document = json.loads(run(*arguments, "--json"))
    return {score["name"]: score for score in document["scores"]}


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    reference, estimate = tmp_path / "reference.txt", tmp_path / "estimate.txt"
    reference.write_text("reach\nreach\nidle\nidle\nstabilize\nstabilize\n")
    estimate.write_text("reach\nreach\nidle\nidle\nidle\nidle\n")
    return reference, estimate


def test_one_pair_of_files(pair: tuple[Path, Path]) -> None:
    found = scores(*pair)
    assert found["action error rate"]["value"] == pytest.approx(1 / 3)
    assert found["edit score"]["value"] == pytest.approx(100 * 2 / 3)
    assert found["frame accuracy"]["value"] == pytest.approx(4 / 6)
    assert found["edit score"]["low"] is None
    assert "edit score" in run(*pair)


def test_published_predictions_from_one_file(data_folder: Path) -> None:
    found = scores(data_folder / "segmentations" / "jigsaws-edtcn.npz")
    assert round(found["edit score"]["value"], 2) == 84.71
    assert round(found["action error rate"]["value"], 3) == 0.176
    assert found["edit score"]["low"] < 84.71 < found["edit score"]["high"]


def test_folders_are_matched_by_name(tmp_path: Path) -> None:
    for side in ("reference", "estimate"):
        (tmp_path / side).mkdir()
        for name in ("s1_a", "s1_b", "s2_a"):
            (tmp_path / side / f"{name}.txt").write_text("reach\nidle\n" * 3)
    document = json.loads(run(tmp_path / "reference", tmp_path / "estimate", "--by-subject", "--json"))
    assert (document["trials"], document["subjects"]) == (3, 2)
    (tmp_path / "estimate" / "s2_a.txt").unlink()
    with pytest.raises(DatasetMissing, match="trial 's2_a' is not in the estimate"):
        run(tmp_path / "reference", tmp_path / "estimate")


def test_repeats_and_merged_vocabulary(tmp_path: Path) -> None:
    reference, estimate = tmp_path / "r.csv", tmp_path / "e.csv"
    reference.write_text("label,start_s,end_s\nreach,0,1\nreach,1,2\ntransport,2,3\n")
    estimate.write_text("label,start_s,end_s\nreach,0,2\ntransport,2,3\n")
    assert scores(reference, estimate)["action error rate"]["value"] == 0
    assert scores(reference, estimate, "--scoring", "events")["action error rate"]["value"] == pytest.approx(1 / 3)
    assert scores(reference, estimate, "--merged")["TSS"]["value"] == 1


def test_the_table_says_units_and_tolerance(tmp_path: Path) -> None:
    frames, seconds = tmp_path / "r.txt", tmp_path / "e.csv"
    frames.write_text("reach\nidle\n")
    seconds.write_text("label,start_s,end_s\nreach,0,1\nidle,1,2\n")
    assert "boundaries within 5 frames" in run(frames, frames)
    said = run(seconds, seconds)
    assert "boundaries within 0.25 seconds" in said
    assert "errors a movement" in said


def test_frames_against_seconds_need_a_rate(tmp_path: Path) -> None:
    frames, seconds = tmp_path / "r.txt", tmp_path / "e.csv"
    frames.write_text("reach\n" * 100 + "idle\n" * 100)
    seconds.write_text("label,start_s,end_s\nreach,0,1\nidle,1,2\n")
    with pytest.raises(ConfigError, match="some labels are per frame"):
        run(frames, seconds)
    assert scores(frames, seconds, "--rate-hz", 100)["frame accuracy"]["value"] == 1


def test_background_of_numbers(tmp_path: Path) -> None:
    path = tmp_path / "b.npz"
    arrays: dict[str, Any] = {"t/reference": np.array([0, 1, 0]), "t/estimate": np.array([0, 1, 1])}
    np.savez(path, **arrays)
    assert scores(path)["action error rate"]["value"] == pytest.approx(1 / 3)
    assert scores(path, "--background", "0")["action error rate"]["value"] == 0


def test_numbers_in_an_array_are_those_on_lines(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("3\n3\n4\n")
    np.savez(tmp_path / "e.npz", r=np.array([3, 3, 4]))
    found = scores(tmp_path / "r.txt", tmp_path / "e.npz", "--background", "3")
    assert found["frame accuracy"]["value"] == 1
    assert found["action error rate"]["value"] == 0


def test_lengths_that_differ_name_file_and_line(pair: tuple[Path, Path]) -> None:
    reference, estimate = pair
    estimate.write_text("reach\nreach\n")
    with pytest.raises(ImportRefused, match=r"reference\.txt, line 3: .* 6 frames, estimate\.txt has 2"):
        run(reference, estimate)


def test_unknown_labels(pair: tuple[Path, Path]) -> None:
    reference, estimate = pair
    estimate.write_text("reach\nreach\nidle\nidle\nstabilise\nidle\n")
    with pytest.raises(ImportRefused, match=r"estimate\.txt, line 5: unknown label 'stabilise'"):
        run(reference, estimate)
    assert run(reference, estimate, "--labels", "any")
    with pytest.raises(ImportRefused, match=r"reference\.txt, line 5: unknown label 'stabilize'"):
        run(reference, estimate, "--labels", "reach,idle,stabilise")


def test_one_file_of_labels_is_not_enough(pair: tuple[Path, Path]) -> None:
    with pytest.raises(ConfigError, match="compared with"):
        run(pair[0])


def test_the_picture(pair: tuple[Path, Path], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "new" / "ribbons.png"
    run(*pair, "--plot", picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ConfigError, match="no trial 'x'"):
        run(*pair, "--plot", picture, "--trial", "x")
    with pytest.raises(StoreUnwritable):
        run(*pair, "--plot", tmp_path / "picture.nonsense")


def test_errors_end_with_one_message_and_a_code(pair: tuple[Path, Path]) -> None:
    pair[1].write_text("reach\nNaN\n")
    command = [sys.executable, "-m", "rehabcount", "evaluate", *map(str, pair)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 6
    assert "estimate.txt, line 2: 'NaN' is no label" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


# -- countings of session files ---------------------------------------------------------------------------------------

MODEL = "5c" * 32
LEFT_CYCLE = (("reach", 1.0), ("transport", 2.0), ("reposition", 1.0), ("idle", 1.0))
COUNTED_S = 20.0  # of the sessions below: from 10 to 20 and from 25 to 35, of 40


def segments(since_s: float, until_s: float, side: Side = Side.LEFT) -> list[Segment]:
    """Cycles of five seconds."""
    found, at_s = [], since_s
    while at_s < until_s:
        for label, length_s in LEFT_CYCLE:
            found.append(Segment(label, side, at_s, at_s + length_s))
            at_s += length_s
    return found


def counted_session(
    path: Path,
    *,
    reference: list[Segment] | None = None,
    events: list[Segment] | None = None,
    states: tuple[Update, ...] = (),
) -> Path:
    """40 s of the left arm: calibration to 10 s, Start, a pause from 20 to 25 s, the end at 35 s. Labels go on all the
    time; the recogniser begins at 10 s and sees nothing in the pause, unless it is said otherwise."""
    rig = make_rig("three", Side.LEFT, "generic", 100.0)
    phases = (
        Phase(PhaseName.CALIBRATING, 0.0),
        Phase(PhaseName.COUNTING, 10.0),
        Phase(PhaseName.PAUSED, 20.0),
        Phase(PhaseName.COUNTING, 25.0),
        Phase(PhaseName.ENDED, 35.0),
    )
    if events is None:
        events = [*segments(10.0, 20.0), *segments(25.0, 35.0)]
    with SessionFile.create(path, rig, origin=Origin(0, 1_790_000_000 * 10**9)) as file:
        file.append([Packet(name, b"", round(at_s * 1e9)) for at_s in (0.0, 40.0) for name in rig.names])
        file.put_document(documents.MODEL, ModelFacts(MODEL, "bedside", "1.0"))
        file.accept(*phases)
        file.add_segments(REFERENCE, segments(0.0, 40.0) if reference is None else reference)
        file.begin_counting(MODEL)
        file.accept(*states, *(Event(i, each, 0.9) for i, each in enumerate(events, 1)))
        file.close_session()
    return path


def judged(*arguments: object) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(run(*arguments, "--json"))
    return document


def value_of(document: dict[str, Any], name: str) -> float:
    return float(next(score["value"] for score in document["scores"] if score["name"] == name))


def test_only_counted_time_is_judged(tmp_path: Path) -> None:
    path = counted_session(tmp_path / "s.rehab")
    document = judged(path, path)
    for name, right in (("frame accuracy", 1), ("edit score", 100), ("F1@50", 100), ("boundary F1", 100), ("TSS", 1)):
        assert value_of(document, name) == pytest.approx(right), name
    assert [(each["label"], each["reference"], each["estimate"]) for each in document["counts"]] == [
        ("reach", 4, 4),
        ("reposition", 4, 4),
        ("transport", 4, 4),
        ("idle", 4, 4),
    ]
    # What is missed within counted time is missed: two seconds of the twenty.
    without = [each for each in segments(10.0, 35.0) if (each.label, each.start_s) != ("transport", 11.0)]
    path = counted_session(tmp_path / "t.rehab", events=without)
    assert value_of(judged(path, path), "frame accuracy") == pytest.approx(1 - 2 / COUNTED_S)


def test_events_outside_of_counted_time_are_no_false_alarms(tmp_path: Path) -> None:
    everywhere = segments(0.0, 40.0)
    path = counted_session(tmp_path / "s.rehab", reference=segments(10.0, 35.0), events=everywhere)
    document = judged(path, path)
    assert value_of(document, "false discovery rate") == 0
    assert value_of(document, "Munkres") == 1


def test_the_counting_that_was_judged_is_said(tmp_path: Path) -> None:
    path = counted_session(tmp_path / "s.rehab")
    (said,) = judged(path, path)["judged"]
    assert (said["trial"], said["side"], said["counting"], said["model"]) == ("s left", "left", 1, "bedside 1.0")
    assert said["counted"] == [[10, 20], [25, 35]]
    assert (said["counted_s"], said["session_s"], said["newer_calibration_utc"]) == (COUNTED_S, 40, None)
    with SessionFile.annotate(path) as file:  # a recount that found nothing: the last one is judged
        file.begin_counting("ab" * 32)
        file.accept(Event(1, Segment("reach", Side.LEFT, 10.0, 11.0), 0.9))
    document = judged(path, path)
    assert (document["judged"][0]["counting"], document["judged"][0]["model"]) == (2, "model abababab")
    shown = run(path, path)
    assert "model abababab" in shown
    assert "20.0 of 40.0" in shown
    assert judged(path, path, "--estimate-layer", "reference")["judged"] == []  # labels are judged all the time
    assert value_of(judged(path, path, "--estimate-layer", "reference"), "frame accuracy") == 1


def test_a_calibration_that_the_counting_does_not_know_is_a_warning(tmp_path: Path) -> None:
    path = counted_session(tmp_path / "s.rehab")

    def warnings() -> str:
        return CliRunner().invoke(app, ["evaluate", str(path), str(path)]).stderr

    assert warnings() == ""
    with SessionFile.annotate(path) as file:
        file.put_document(documents.CALIBRATION, Calibration((), 1.0, Verdict.GOOD))
    assert "is newer than counting 1" in " ".join(warnings().split())
    assert judged(path, path)["judged"][0]["newer_calibration_utc"] is not None
    with SessionFile.annotate(path) as file:  # `count` has found the same with it since
        remember(file, 1, "a key", 40.0)
    assert warnings() == ""


def test_an_arm_that_counted_and_found_nothing_has_missed_all(tmp_path: Path) -> None:
    path = counted_session(tmp_path / "s.rehab", events=[])
    document = judged(path, path)
    assert value_of(document, "sensitivity") == 0
    assert value_of(document, "absolute errors, % of the reference") == 100
    both = [*segments(0.0, 40.0), *segments(0.0, 40.0, Side.RIGHT)]
    heard = (SensorSet(Side.RIGHT, (), 0.0),)
    path = counted_session(tmp_path / "t.rehab", reference=both, states=heard)
    document = judged(path, path)
    assert {each["trial"]: each["estimate"] for each in document["per_trial"]} == {"t left": 16, "t right": 0}


def test_an_arm_that_was_not_counted_is_not_judged(tmp_path: Path) -> None:
    both = [*segments(0.0, 40.0), *segments(0.0, 40.0, Side.RIGHT)]
    path = counted_session(tmp_path / "s.rehab", reference=both)
    document = judged(path, path)
    assert (document["trials"], document["not_counted"]) == (1, ["s right"])
    assert value_of(document, "frame accuracy") == pytest.approx(1)
    missing = (SensorSet(Side.LEFT, ("left-hand",), 0.0),)
    path = counted_session(tmp_path / "t.rehab", states=missing)
    with pytest.raises(ImportRefused, match="counted nothing of what the reference speaks of"):
        run(path, path)


# -- counts -----------------------------------------------------------------------------------------------------------


def test_errors_of_labels_do_not_cancel(tmp_path: Path) -> None:
    """Two trials: -1, +1 of each two labels; the sums agree, and nothing else does."""
    for side, trials in (
        ("reference", ("reach idle reach idle transport", "reach idle transport idle transport")),
        ("estimate", ("reach idle transport idle transport", "reach idle reach idle transport")),
    ):
        (tmp_path / side).mkdir()
        for name, text in zip("ab", trials, strict=True):
            (tmp_path / side / f"{name}.txt").write_text(text.replace(" ", "\n") + "\n")
    document = judged(tmp_path / "reference", tmp_path / "estimate")
    counts = {each["label"]: each for each in document["counts"]}
    for label in ("reach", "transport"):
        assert (counts[label]["bias_per_trial"], counts[label]["mae_per_trial"]) == (0, 1)
        assert counts[label]["mape_percent"] == pytest.approx(75)  # 1 of 2, and 1 of 1
        assert (counts[label]["ratio"], counts[label]["icc"]) == (None, None)  # of two trials
    assert not counts["idle"]["in_total"]
    assert value_of(document, "absolute errors per trial, labels added") == 2
    assert value_of(document, "absolute errors, % of the reference") == pytest.approx(100 * 4 / 6)
    assert "66.7 %" in run(tmp_path / "reference", tmp_path / "estimate")


@pytest.mark.parametrize(("recordings", "enough"), [(2, False), (9, False), (10, True)])
def test_intervals_need_recordings(tmp_path: Path, recordings: int, enough: bool) -> None:
    """Two arms each: they are trials, and no recordings of their own."""
    for side in ("reference", "estimate"):
        (tmp_path / side).mkdir()
        for i in range(recordings):
            wrong = "stabilize" if side == "estimate" and i % 2 else "reach"
            rows = [
                f"{label},{start},{start + 1},{arm}"
                for arm in ("left", "right")
                for start, label in enumerate(["reach", "idle"] * (2 + i % 3) + [wrong])
            ]
            (tmp_path / side / f"p{i}.csv").write_text("\n".join(["label,start_s,end_s,side", *rows]) + "\n")
    document = judged(tmp_path / "reference", tmp_path / "estimate")
    assert document["trials"] == 2 * recordings
    assert (document["intervals"]["over"], document["intervals"]["number"]) == ("recordings", recordings)
    score = document["scores"][0]
    shown = run(tmp_path / "reference", tmp_path / "estimate")
    reach = next(each for each in document["counts"] if each["label"] == "reach")
    if enough:
        assert score["low"] < score["value"] < score["high"]
        assert reach["ratio"]["low"] < reach["ratio"]["value"] < reach["ratio"]["high"]
        assert document["intervals"]["why_none"] == ""
        assert shown.count("95 % interval") == 2
        return
    assert all(each["low"] is None is each["high"] for each in document["scores"])
    assert (reach["ratio"], reach["icc"]) == (None, None)
    said = f"No 95 % intervals: of fewer than 10 recordings (here {recordings}) they are too narrow."
    assert document["intervals"]["why_none"] == said
    assert said in " ".join(shown.split())
    assert shown.count("95 %") == 1


def test_one_damaged_time_does_not_make_a_recording_of_weeks(tmp_path: Path) -> None:
    for name, end in (("a", "2"), ("b", "1e8")):
        (tmp_path / f"{name}.csv").write_text(f"label,start_s,end_s\nreach,0,1\nidle,1,{end}\n")
    with pytest.raises(ImportRefused, match="longer than any recording"):
        run(tmp_path / "a.csv", tmp_path / "b.csv")


def test_a_rate_that_nothing_has_is_refused(pair: tuple[Path, Path]) -> None:
    for rate in ("1e-300", "nan", "0"):
        with pytest.raises(ConfigError, match="--rate-hz"):
            run(*pair, "--rate-hz", rate)
