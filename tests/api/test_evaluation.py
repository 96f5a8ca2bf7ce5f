"""Labels in every form give the scores of the metrics; what cannot be compared is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import rehabcount as rc
from rehabcount.metrics import agreement, edit, segment

REFERENCE = [("reach", 0.0, 0.8), ("transport", 0.8, 2.0), ("idle", 2.0, 5.0), ("reach", 5.0, 6.0)]
ESTIMATE = [("reach", 0.1, 0.9), ("transport", 0.9, 1.9), ("idle", 2.2, 5.0)]


def frames(trial: list[tuple[str, float, float]], rate_hz: float = 10.0) -> list[str]:
    """One label a frame; idle where nothing was said."""
    times = (np.arange(60) + 0.5) / rate_hz
    return [next((label for label, start, end in trial if start <= at < end), "idle") for at in times]


def as_segments(trial: list[tuple[str, float, float]]) -> list[rc.Segment]:
    return [rc.Segment(label, rc.Side.LEFT, start, end) for label, start, end in trial]


class Row(NamedTuple):
    """What pandas gives for a row."""

    label: str
    start_s: float
    end_s: float


class Table:
    """As much of a pandas.DataFrame as is asked for."""

    def __init__(self, rows: list[tuple[str, float, float]]) -> None:
        self._rows = rows

    def itertuples(self, index: bool = True) -> Iterator[Any]:
        assert not index
        return (Row(*each) for each in self._rows)


@pytest.mark.parametrize("form", [as_segments, Table, lambda trial: list(reversed(trial)), lambda trial: [trial]])
def test_every_form_of_segments_gives_the_same(form: Any) -> None:
    expected = rc.evaluate(REFERENCE, ESTIMATE)
    found = rc.evaluate(form(REFERENCE), form(ESTIMATE))
    assert found.scores == expected.scores
    assert expected["edit score"] == edit.edit_score(*([label for label, *_ in t] for t in (REFERENCE, ESTIMATE)))
    assert expected.reference_counts["reach"] == 2
    assert expected.estimate_counts["reach"] == 1


def test_counted_events_of_one_arm_are_segments() -> None:
    events = [rc.CountedEvent(i, label, rc.Side.LEFT, a, b, 0.9, True) for i, (label, a, b) in enumerate(ESTIMATE, 1)]
    assert rc.evaluate(REFERENCE, events).scores == rc.evaluate(REFERENCE, ESTIMATE).scores
    with pytest.raises(rc.InputRefused, match="both arms"):
        rc.evaluate(REFERENCE, [*events, rc.CountedEvent(4, "reach", rc.Side.RIGHT, 0.0, 1.0, 0.5, True)])


def test_frames_alone_with_a_rate_and_beside_segments() -> None:
    r, e = frames(REFERENCE), frames(ESTIMATE)
    plain = rc.evaluate(r, np.array(e))
    assert plain["frame accuracy"] == np.mean(np.array(r) == np.array(e))
    assert plain["F1@50"] == segment.evaluate([r], [e]).f1(0.5)
    assert rc.evaluate(r, e, rate_hz=10)["frame accuracy"] == pytest.approx(plain["frame accuracy"])
    mixed = rc.evaluate(REFERENCE, e, rate_hz=10)
    assert mixed["frame accuracy"] == pytest.approx(plain["frame accuracy"])
    with pytest.raises(rc.InputRefused, match="some labels are in frames"):
        rc.evaluate(REFERENCE, e)


def test_movements_keep_their_repeats_and_need_no_times() -> None:
    r, e = ["reach", "reach", "idle"], ["reach", "idle"]
    found = rc.evaluate(r, e, labels_are="movements")
    assert found["edit score"] == rc.edit_score(r, e) == pytest.approx(100 * 2 / 3)
    assert found["action error rate"] == rc.action_error_rate(r, e) == pytest.approx(1 / 3)
    assert rc.evaluate(as_segments(REFERENCE), ESTIMATE, labels_are="movements")["edit score"] == 75.0


TWICE = [("reach", 0.0, 0.8), ("reach", 1.5, 2.0), ("idle", 2.0, 5.0)]  # between the two, time without a label


def test_neighbours_of_one_label_are_one_movement_or_several() -> None:
    runs = rc.evaluate(TWICE, REFERENCE[:1])
    assert runs.reference_counts["reach"] == 1
    assert rc.evaluate(TWICE, REFERENCE[:1], scoring="runs").scores == runs.scores
    events = rc.evaluate(TWICE, REFERENCE[:1], scoring="events")
    assert events.reference_counts["reach"] == 2
    assert runs["sensitivity"] == pytest.approx(1 / 2)
    assert events["sensitivity"] == pytest.approx(1 / 3)
    assert events["F1@50"] == runs["F1@50"]
    with pytest.raises(rc.InputRefused, match="scoring is 'event'") as found:
        rc.evaluate(TWICE, TWICE, scoring="event")  # type: ignore[arg-type]
    assert found.value.advice == "Say 'runs' or 'events'."
    with pytest.raises(rc.InputRefused, match="labels_are"):
        rc.evaluate(TWICE, TWICE, labels_are="movement")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["monday.csv", Path("monday.csv"), Path("monday")])
@pytest.mark.parametrize("form", [lambda name: name, lambda name: [name], lambda name: {"one": name}])
def test_a_name_of_a_file_is_no_labels(name: Any, form: Any) -> None:
    with pytest.raises(rc.InputRefused, match="name of a file") as found:
        rc.evaluate(form(name), form(REFERENCE))
    assert "rc.read_labels('monday" in found.value.advice
    with pytest.raises(rc.InputRefused, match="name of a file"):
        rc.evaluate(form(REFERENCE), form(name))


def test_a_folder_in_a_text_is_no_labels() -> None:
    with pytest.raises(rc.InputRefused, match="one text") as found:
        rc.evaluate("annotated", REFERENCE)
    assert "rc.read_labels('annotated')" in found.value.advice
    for name in ("monday.csv", Path("monday")):
        with pytest.raises(rc.InputRefused, match="name of a file"):
            rc.edit_score(name, ["reach"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reference", "estimate", "options", "where"),
    [
        ([*REFERENCE, ("reech", 6.0, 7.0)], ESTIMATE, {}, "reference, 6 to 7 s"),
        (["reach", "idle", "idle"], ["reach", "idle", "reech"], {}, "estimate, frame 2"),
        (["reach", "idle"], ["idle", "reech"], {"labels_are": "movements"}, "estimate, movement 1"),
        ({"mo": REFERENCE, "tu": REFERENCE}, {"mo": REFERENCE, "tu": [("reech", 0, 1)]}, {}, "estimate, trial 'tu', 0"),
        (["reech", "reech"], ["reech", "reech"], {"labels": ["reach"]}, "reference, frame 0"),
    ],
)
def test_a_mistyped_label_is_found(reference: Any, estimate: Any, options: Any, where: str) -> None:
    with pytest.raises(rc.InputRefused, match=f"{where}.*: unknown label 'reech'") as found:
        rc.evaluate(reference, estimate, **options)
    assert found.value.advice.startswith("Did you mean reach? Known: ")
    assert found.value.advice.endswith('Say labels="any" to accept every label.')
    rc.evaluate(reference, estimate, **{**options, "labels": "any"})


def test_labels_of_another_vocabulary_are_accepted() -> None:
    assert rc.evaluate([1, 1, 2], [1, 2, 2])["frame accuracy"] == pytest.approx(2 / 3)
    assert rc.evaluate(["reach", "G4"], ["reach", "G3"])["frame accuracy"] == 0.5  # one label in common is chance
    with pytest.raises(rc.InputRefused, match="labels is 'reach,idle'"):
        rc.evaluate(REFERENCE, ESTIMATE, labels="reach,idle")


def test_a_mistyped_label_of_a_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("label,start_s,end_s\nreach,0,1\nidle,1,2\nreech,2,3\n")
    with pytest.raises(rc.RehabcountError, match=r"a\.csv, line 4: unknown label 'reech'") as found:
        rc.read_labels(tmp_path)
    assert found.value.advice.startswith("Did you mean reach?")
    assert 'labels="any"' in found.value.advice
    assert rc.read_labels(tmp_path, labels="any")["a"][2] == ("reech", 2.0, 3.0)
    assert len(rc.read_labels(tmp_path, labels=["reach", "reech", "idle"])["a"]) == 3


def test_the_action_error_rate_has_a_short_name() -> None:
    found = rc.evaluate(REFERENCE, ESTIMATE)
    assert found["AER"] == found["action error rate"]


def test_every_score_has_a_unit_and_the_tolerance_is_said() -> None:
    found = rc.evaluate(REFERENCE, ESTIMATE)
    units = {score.name: score.unit for score in found.scores}
    assert (units["edit score"], units["F1@50"], units["sensitivity"]) == ("of 100", "of 100", "of 1")
    assert units["action error rate"] == "errors a movement"
    assert str(found).startswith("boundaries within 0.25 seconds\n")
    assert str(rc.evaluate(["reach"], ["reach"])).startswith("boundaries within 5 frames\n")
    by_movement = rc.evaluate(["reach"], ["reach"], labels_are="movements")
    assert (by_movement.unit, by_movement.tolerance) == ("movement", None)
    assert str(by_movement).startswith("edit ")


def test_ten_trials_have_intervals_and_fewer_have_none() -> None:
    nine = rc.evaluate([REFERENCE] * 9, [ESTIMATE, REFERENCE, ESTIMATE] * 3)
    assert {(score.low, score.high) for score in nine.scores} == {(None, None)}
    ten = rc.evaluate([REFERENCE] * 10, [ESTIMATE, REFERENCE] * 5)
    score = ten.scores[0]
    assert score.low is not None
    assert score.high is not None
    assert score.low < score.value < score.high


def test_trials_can_be_named() -> None:
    several = rc.evaluate([REFERENCE, REFERENCE[:3], ESTIMATE], [ESTIMATE, REFERENCE[:3], ESTIMATE])
    named = rc.evaluate(
        {"a": REFERENCE, "b": REFERENCE[:3], "c": ESTIMATE}, {"c": ESTIMATE, "b": REFERENCE[:3], "a": ESTIMATE}
    )
    assert named["edit score"] == several["edit score"]
    assert "edit score" in str(named)
    with pytest.raises(KeyError, match="no score 'F1'"):
        named["F1"]


@pytest.mark.parametrize(
    ("reference", "estimate", "words"),
    [
        (["reach", "idle"], ["reach"], 'labels_are="movements"'),
        ([REFERENCE, REFERENCE], [REFERENCE], "same trials"),
        ({"a": REFERENCE}, {"b": REFERENCE}, "matched by name"),
        ([("reach", 0.0, 2.0), ("idle", 1.0, 3.0)], ESTIMATE, "segments"),
        (3, 4, "segments"),
        ([], [], ""),
    ],
)
def test_what_cannot_be_compared_is_refused(reference: Any, estimate: Any, words: str) -> None:
    if not words:  # two empty trials agree: there is nothing in them
        assert rc.evaluate(reference, estimate)["edit score"] == 100.0
        return
    with pytest.raises(rc.InputRefused) as found:
        rc.evaluate(reference, estimate)
    assert words in found.value.advice


def test_a_text_is_not_a_sequence_of_labels() -> None:
    with pytest.raises(rc.InputRefused, match="one text"):
        rc.edit_score("reach", "idle")
    with pytest.raises(rc.InputRefused, match=r"0\.5 is no label"):
        rc.action_error_rate([0.5], [1])


def test_labels_are_read_from_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("label,start_s,end_s\n" + "\n".join(f"{n},{s},{e}" for n, s, e in REFERENCE))
    (tmp_path / "b.txt").write_text("\n".join(frames(ESTIMATE)))
    (tmp_path / "c.csv").write_text("label,start_frame,end_frame\nreach,0,8\n")
    assert rc.read_labels(tmp_path / "a.csv") == {"a": REFERENCE}
    assert rc.read_labels(str(tmp_path / "b.txt")) == {"b": frames(ESTIMATE)}
    assert rc.read_labels(tmp_path, rate_hz=10)["c"] == [("reach", 0.0, 0.8)]
    with pytest.raises(rc.InputRefused, match="in frames"):
        rc.read_labels(tmp_path / "c.csv")
    with pytest.raises(rc.RehabcountError):
        rc.read_labels(tmp_path / "d.csv")


def test_bland_altman_gives_the_numbers_of_agreement() -> None:
    reference, estimate, whose = [100, 120, 60, 0], [104, 118, 57, 2], ["ann", "ann", "bo", "cy"]
    found = rc.bland_altman(reference, estimate, subjects=whose)
    assert found.agreement == agreement.evaluate(reference, estimate, subjects=whose)
    np.testing.assert_array_equal(found.difference, [4, -2, -3, 2])
    np.testing.assert_array_equal(found.mean, [102, 119, 58.5, 1])
    assert found.bias == found.difference.mean() == (found.lower + found.upper) / 2
    alone = rc.bland_altman(reference, estimate)
    assert alone.upper - alone.bias == pytest.approx(1.96 * np.std(alone.difference, ddof=1), rel=1e-3)
    assert "mean +0.2, limits of agreement" in str(found)
    assert "Sessions with a zero count, which have no ratio: 1." in str(found)
    assert "limits of agreement from fewer than 10 people are too narrow" in str(found)
    assert "Read with care" not in str(rc.bland_altman(range(1, 11), range(2, 12)))
    with pytest.raises(rc.InputRefused, match="4 sessions"):
        rc.bland_altman(reference, estimate[:2])
    with pytest.raises(rc.InputRefused):
        rc.false_per_hour(-1, 2)
