"""Whole sessions: one tiny session through the commands, tables, bounds, and the facts for a card."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from rehabcount.bench import sessions
from rehabcount.bench.experiment import execute
from rehabcount.bench.sessions import SessionTask, groups, mixed
from rehabcount.bench.sessions_page import write_page
from rehabcount.bench.sessions_tables import ALL, EVERY_RUN, REPETITIONS, SessionCount, agreement_of, measures_of
from rehabcount.cli.main import app
from rehabcount.domain.session_agreement import SEVERE, STROKE, in_english
from rehabcount.inference.addendum import belief_of
from rehabcount.inference.artifact import SHIPPED, find
from rehabcount.models.believing import drawn
from rehabcount.simulate.cohort import make_cohort

PRIMITIVES = ("reach", "reposition", "stabilize", "transport")


def counted(number: int, group: str, true: int, ours: int, before: int) -> SessionCount:
    others = dict.fromkeys(PRIMITIVES, 10)
    return SessionCount(
        f"S{number}",
        group,
        40,
        20.0,
        {REPETITIONS: ours, EVERY_RUN: before, **others},
        {REPETITIONS: true, **others},
        1.0,
        2.0,
    )


@pytest.fixture
def some() -> list[SessionCount]:
    stroke = [counted(i, STROKE, 60 + i, 60 + i + (-1) ** i, 64 + i) for i in range(20)]
    return [*stroke, counted(30, SEVERE, 20, 9, 40)]


def in_this_process(*command: str) -> dict[str, Any]:
    """The same commands without the two seconds that each process needs to load."""
    said = CliRunner().invoke(app, [*command, "--json"])
    assert said.exit_code == 0, said.output
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def test_a_session_is_written_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_said", in_this_process)
    model = find("stream-1.5", [SHIPPED])
    patient = next(each for each in make_cohort(951) if each.group == "test")
    file = SessionTask(model, patient, 951, 1.0, tmp_path).done()
    assert [path.suffix for path in tmp_path.rglob("*.rehab")] == [".rehab"]  # kept, as was asked
    assert file.person == f"{patient.name}@951"
    assert file.group == STROKE
    assert not file.refused
    assert file.repetitions(belief_of(model.card)) == file.said[REPETITIONS]
    assert file.repetitions(None) >= file.repetitions(belief_of(model.card))
    assert file.true[REPETITIONS] > 0


def test_the_mix_is_stated_and_kept_from_the_beginning() -> None:
    assert groups(48) == (("test", 32), ("severe", 8), ("healthy-test", 8))
    people = mixed(drawn(301, groups(48)))
    assert len({(subject.name, seed) for subject, seed in people}) == 48
    first = [subject.group for subject, _ in people[:12]]
    assert (first.count("test"), first.count("severe"), first.count("healthy-test")) == (8, 2, 2)
    assert {seed for _, seed in people} == {301, 302, 303, 304}


def test_bounds_and_rows(some: list[SessionCount]) -> None:
    claims = {(claim.where, claim.name): claim for claim in sessions.claims_of(some)}
    assert len(claims) == 8
    assert all(claim.match for (where, _), claim in claims.items() if where == STROKE)
    assert not claims[ALL, "task repetitions, MAPE, %"].match  # the severe session is 55 % off
    before = measures_of(some, STROKE, EVERY_RUN)
    assert before is not None
    assert before.result.bias == 4.0
    assert measures_of(some, "healthy", REPETITIONS) is None


def test_a_card_says_what_a_single_session_is_worth(some: list[SessionCount]) -> None:
    found = agreement_of(some, "21 sessions")
    assert [(each.group, each.sessions, each.within, each.off) for each in found.groups] == [
        (STROKE, 20, 20, 1),
        (SEVERE, 1, 1, 11),
    ]
    assert in_english(found) == (
        "on simulated patients with 9 sensors 20 of 20 sessions were counted within 1 repetitions of the true number, "
        "70 on average; with a severely affected arm 1 of 1 sessions were counted within 11 of 20"
    )
    assert "not measured" in in_english(None)


def test_the_page_shows_every_session(some: list[SessionCount], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    write_page(tmp_path, "stream 1.5; some sessions", some, ["S9 (severe): never calibrated"])
    text = (tmp_path / "sessions.md").read_text()
    assert text.count("\n| S") == len(some)
    assert "Not counted: S9" in text
    assert "**no**" in text
    assert (tmp_path / "sessions.png").stat().st_size > 10_000


def test_a_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    done: list[str] = []

    def fake(task: SessionTask) -> sessions.CountedFile:
        done.append(task.subject.name)
        return sessions.CountedFile(
            task.subject.name, STROKE, 40, 1.0, task.subject.side, (), (), (), dict.fromkeys(PRIMITIVES, 0),
            {REPETITIONS: 0, **dict.fromkeys(PRIMITIVES, 0)}, 0.0, 0.0, "" if len(done) != 2 else "never calibrated",
        )  # fmt: skip

    monkeypatch.setattr(SessionTask, "done", fake)
    card = tmp_path / "card.json"
    for _ in range(2):
        document = execute(sessions.EXPERIMENT, out=tmp_path, quick=True, changes=[f"card={card}"])
    assert len(done) == 3
    assert "never calibrated" in str(document["figures"]["sessions refused"])
    assert json.loads(card.read_text())["groups"][0]["sessions"] == 2
