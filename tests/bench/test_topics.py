"""The topics bench: a small run, artificial data, words of sessions, chance, and the arithmetic of the printed rows."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rehabcount.bench import topics, topics_runs
from rehabcount.bench.experiment import execute
from rehabcount.bench.topics_data import (
    MACHINE_ACTIVITIES,
    MACHINE_SHARES,
    NO_ACTIVITY,
    WORD_KINDS,
    EventData,
    MovementEvent,
    PersonEvents,
    edges_of,
    event_data,
    machine,
    session_events,
)
from rehabcount.bench.topics_pictures import channels, extracts
from rehabcount.bench.topics_scores import flicker, found_activities, mean_of, scores_of
from rehabcount.bench.topics_tables import TABLE_1, TABLE_2, implied
from rehabcount.metrics import abstraction
from rehabcount.simulate.cohort import make_cohort


def test_a_small_run_writes_page_and_pictures_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("numba", "sklearn", "matplotlib"):
        pytest.importorskip(library)
    monkeypatch.setattr(topics, "QUICK_MINUTES", 1.0)
    monkeypatch.setattr(topics, "QUICK_MACHINE", 300)
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics" / "notes.txt").write_text("Found by hand.", encoding="utf-8")
    first = execute(topics.EXPERIMENT, out=tmp_path, quick=True)
    page = (tmp_path / "topics.md").read_text(encoding="utf-8")
    assert "Found by hand." in page
    assert "Table 2 cannot be made again" in page
    assert {path.name for path in (tmp_path / "topics").glob("*.png")} >= {"channels.png", "session.png"}
    published = [claim for claim in first["claims"] if claim["where"].startswith("Table 1")]
    assert len(published) == 4 * len(TABLE_1)
    assert all(claim["match"] is None for claim in published)  # of other data

    def again(*_: Any) -> None:
        raise AssertionError("a finished step was made again")

    for name in ("machine_run", "session_run", "choose", "labelled_run", "stability_run", "machine_stability"):
        monkeypatch.setattr(topics, name, again)
    monkeypatch.setattr(topics_runs, "session_events", again)
    assert execute(topics.EXPERIMENT, out=tmp_path, quick=True)["figures"] == first["figures"]


def test_artificial_data_keep_the_order_of_the_scores() -> None:
    """One seed of ten, shorter: every activity gains by extending, and reading A lies between."""
    pytest.importorskip("numba")
    run = topics_runs.machine_run(3, 2000, "gibbs", 0)
    assert all(score.extended > score.raw for score in run.scores)
    means = [mean_of(run.scores, name) for name in ("raw", "staircase", "extended")]
    assert means[0] < means[1] <= means[2]


def test_the_machine_goes_from_activity_to_activity() -> None:
    data = machine(5, 8000)
    assert data == machine(5, 8000)
    assert data.activities == MACHINE_ACTIVITIES
    assert data.alphabet <= 25
    shares = data.truth.mean(axis=0)
    assert data.truth.any(axis=1).all()
    assert np.corrcoef(shares, MACHINE_SHARES)[0, 1] > 0.8
    changes = np.mean(np.diff(np.array(data.labels[0])) != 0)
    assert changes == pytest.approx(0.05, abs=0.01)


def event(label: str, activity: str = "", **more: Any) -> MovementEvent:
    values: dict[str, Any] = {"start_s": 0.0, "length_s": 1.0, "other_arm": "idle", "height": 0.2, "load_kg": 0.0}
    return MovementEvent(label, **{**values, **more}, activity=activity, repetition=0 if activity else -1)


def test_words_say_what_is_asked_and_sequences_end_at_breaks() -> None:
    heights = [0.1, 0.2, 0.3, 0.4]
    moves = [event("transport", "shelf", height=h, load_kg=k) for h, k in zip(heights, (0, 0.1, 0.3, 1), strict=True)]
    person = PersonEvents("P", "test", (event("idle"), *moves, event("other"), event("reach", "drinking")))
    edges = edges_of([person])
    plain = event_data([person], "primitive", edges)
    assert plain.words == (("idle", *["transport"] * 4), ("reach",))
    drinking, shelf = plain.activities.index("drinking"), plain.activities.index("shelf")
    assert plain.labels == ((NO_ACTIVITY, *[shelf] * 4), (drinking,))
    assert plain.truth.shape == (6, 9)
    assert plain.truth.sum() == 5
    rich = event_data([person], "+ height, other arm, load", edges)
    assert len({word for word in rich.words[0] if word.startswith("transport")}) == 4
    assert rich.words[1] == (f"reach.h{np.searchsorted(edges.height, 0.2)}.idle.l",)
    assert all(
        " " not in word for kind in WORD_KINDS for row in event_data([person], kind, edges).words for word in row
    )


def test_events_of_a_session_are_those_of_its_script() -> None:
    from rehabcount.simulate.recording import reference_of, script_session

    subject = make_cohort(3)[4]
    found = session_events(subject, 3, 3.0)
    mine = [each for each in reference_of(script_session(subject, 3.0, 3)) if each.side is subject.side]
    assert [each.label for each in found.events] == [each.label for each in mine]
    exercised = [each for each in found.events if each.activity]
    assert exercised
    assert all(each.label != "other" for each in exercised)
    carried = [each for each in exercised if each.label == "transport"]
    assert any(each.load_kg > 0 for each in carried)


def test_what_is_printed_follows_from_raw_and_extended() -> None:
    """The arithmetic of the table against channels that are scored: exact for A, B, C; a bound for the literal one."""
    rng, checked = np.random.default_rng(0), 0
    for _ in range(40):
        truth, output = (np.repeat(rng.random(40) < p, rng.integers(1, 6, 40)) for p in rng.uniform(0.1, 0.6, 2))
        count = min(len(truth), len(output))
        read = {name: abstraction.compare(truth[:count], output[:count], name) for name in ("A", "B", "C", "literal")}
        if not read["A"].raw:
            continue
        checked += 1
        left = implied(read["A"].raw, read["A"].extended)
        for name in ("A", "B", "C"):
            assert left.by_reading[name] == pytest.approx(read[name].staircase)
            assert name in left.explains(read[name].staircase)
        assert read["literal"].staircase <= left.literal_most + 1e-12
        assert left.literal_most <= left.literal_extended_most + 1e-12
    assert checked > 30


def test_no_reading_gives_the_printed_table_1() -> None:
    assert all(not implied(row.raw, row.extended).explains(row.staircase) for row in TABLE_1)
    above = [row for row in (*TABLE_1, *TABLE_2) if row.staircase > row.extended]
    assert len(above) == 9


def test_flickering_has_a_high_extended_f1() -> None:
    rng = np.random.default_rng(1)
    truth = np.repeat(np.arange(600) % 10 == 0, 60)
    found = abstraction.compare(truth, rng.random(len(truth)) < 0.1)
    assert (found.raw, found.staircase, found.extended) == pytest.approx(flicker(0.1), abs=0.02)
    assert found.extended > 0.65


def data_of(truth: np.ndarray, *lengths: int) -> EventData:
    """Sequences of these lengths (one, if none are given) with this truth."""
    labels = [int(row.argmax()) if row.any() else NO_ACTIVITY for row in truth]
    borders = np.cumsum([0, *(lengths or (len(labels),))]).tolist()
    cut = tuple(tuple(labels[start:end]) for start, end in itertools.pairwise(borders))
    words = tuple(tuple("x" for _ in part) for part in cut)
    return EventData(tuple("abc"[: truth.shape[1]]), words, cut)


def test_what_continues_after_a_break_is_a_run_of_its_own() -> None:
    truth = np.array([[True]] * 8 + [[False]] * 8)
    probabilities = np.array([1.0] * 4 + [0.0] * 8 + [1.0] * 4)[:, None]  # of the first four only
    (together,) = scores_of(data_of(truth), probabilities, 0)
    (apart,) = scores_of(data_of(truth, 4, 12), probabilities, 0)
    assert together.raw == apart.raw
    assert together.extended == pytest.approx(2 * 8 / (2 * 8 + 4))
    assert apart.extended == pytest.approx(2 * 4 / (2 * 4 + 4 + 4))


def test_chance_is_below_what_is_found() -> None:
    order = np.random.default_rng(4).integers(12, size=60)  # three of twelve, so that most shifts miss
    truth = np.repeat(order, 10)[:, None] == np.arange(3)
    (first, *others) = scores_of(data_of(truth), truth + 0.0, 20)
    assert first.raw == first.extended == 1.0
    assert first.chance_extended is not None
    assert first.chance_extended < 1.0
    assert found_activities([(first, *others)]) == ["a", "b", "c"]
    assert scores_of(data_of(truth), truth + 0.0, 0)[0].chance_raw is None


def test_own_thresholds_help_where_activities_differ_in_share() -> None:
    rng = np.random.default_rng(6)
    truth = np.repeat(rng.choice(3, size=60, p=(0.7, 0.2, 0.1)), 10)[:, None] == np.arange(3)
    probabilities = truth + rng.random(truth.shape) * 0.99  # right, and no two alike
    paper, own = (scores_of(data_of(truth), probabilities, 0, rule) for rule in ("paper", "own"))
    assert all(score.raw == 1.0 for score in own)
    assert paper[0].raw == 1.0
    assert max(paper[1].raw, paper[2].raw) < 0.6  # active as often as the first


def test_pictures_show_the_cases_of_the_paper() -> None:
    def channel(text: str) -> np.ndarray:
        return np.array([[letter == "x"] for letter in text])

    truth = channel("....xxxxxxxx....." * 1 + ".....xxxxxx......" + "..xxxx..xxxx......" + "..xxxxxxxxxx....")
    found = channel("......xxxx......." * 1 + ".......xxxxxx...." + "...xxxxxxxx......." + "...xxx..xxx.....")
    kinds = [each.kind for each in extracts(truth, found)]
    assert kinds == ["shorter", "later", "bridged", "broken"]
    drawn = dict(channels())
    assert drawn["C  extended"].sum() == drawn["A  truth"].sum() == 800
    assert set(np.unique(drawn["D  staircase"])) == {0.0, abstraction.STAIR, 1.0}
    assert drawn["E  gradient"][100] == pytest.approx(1 - 350 * abstraction.SLOPE)
