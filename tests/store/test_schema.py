"""The schema: its document, its migrations, and the rules that salvage needs."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import pytest

from rehabcount.domain.update import PhaseName
from rehabcount.store import documents, schema
from rehabcount.store.recovery import shapes_of
from rehabcount.store.session_file import SessionFile

MakeSession = Callable[..., Path]
DOCUMENT = (Path(__file__).parents[2] / "docs" / "session-file.md").read_text(encoding="utf-8")


@pytest.fixture
def database(make_session: MakeSession) -> Iterator[sqlite3.Connection]:
    """A session file in a tool other than rehabcount."""
    opened = sqlite3.connect(make_session())
    yield opened
    opened.close()


def test_no_row_can_be_mistaken_for_another_tables(database: sqlite3.Connection) -> None:
    for a, b in combinations(shapes_of(database), 2):
        assert len(a.classes) != len(b.classes) or any(not x & y for x, y in zip(a.classes, b.classes, strict=True)), (
            f"a row of {a.table} can look like one of {b.table}"
        )


def test_every_table_has_a_rowid(database: sqlite3.Connection) -> None:
    for (sql,) in database.execute("SELECT sql FROM sqlite_schema WHERE type = 'table'"):
        assert "WITHOUT ROWID" not in sql


def test_the_document_lists_the_kinds_of_documents_and_the_phases() -> None:
    kinds = {kind.name for kind in vars(documents).values() if isinstance(kind, documents.DocumentKind)}
    assert set(re.findall(r"^- `([\w ]+)`:", DOCUMENT, flags=re.MULTILINE)) == kinds
    assert all(f"`{phase}`" in DOCUMENT for phase in PhaseName)


def test_the_document_lists_the_tables_and_columns_that_exist(database: sqlite3.Connection) -> None:
    documented = {}
    for section in re.split(r"^### ", DOCUMENT, flags=re.MULTILINE)[1:]:
        name = re.match(r"`(\w+)`", section)
        assert name is not None
        documented[name[1]] = re.findall(r"^\| `(\w+)` \|", section, flags=re.MULTILINE)
    found = {
        name: [column[1] for column in database.execute(f"PRAGMA table_info({name})")]
        for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')").fetchall()
    }
    assert documented == found
    assert f"0x{schema.APPLICATION_ID:08x}" in DOCUMENT
    assert f"version {schema.newest_version()}" in DOCUMENT


@pytest.mark.parametrize("query", re.findall(r"```sql\n(.*?)```", DOCUMENT, flags=re.DOTALL))
def test_the_documents_queries_run_and_find_something(database: sqlite3.Connection, query: str) -> None:
    assert database.execute(query).fetchall()


def test_a_file_says_what_it_is(database: sqlite3.Connection) -> None:
    assert database.execute("PRAGMA application_id").fetchone()[0] == schema.APPLICATION_ID
    assert database.execute("PRAGMA user_version").fetchone()[0] == schema.newest_version()
    assert database.execute("PRAGMA page_size").fetchone()[0] == schema.PAGE_SIZE
    assert database.execute("PRAGMA journal_mode").fetchone()[0] == "delete"


@pytest.mark.parametrize("opener", [SessionFile.open, SessionFile.annotate, SessionFile.record])
def test_an_older_file_is_brought_up_to_date(
    make_session: MakeSession, monkeypatch: pytest.MonkeyPatch, opener: Callable[[Path], SessionFile]
) -> None:
    path = make_session(closed=False)
    later = ("CREATE TABLE novelty (a INTEGER PRIMARY KEY)", "INSERT INTO novelty VALUES (7)")
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, later, ("CREATE TABLE more (a TEXT)",)))
    with opener(path) as file:
        assert file.contents().schema == 3
        assert len(list(file.items())) == 1000
    raw = sqlite3.connect(path)
    assert raw.execute("SELECT a FROM novelty").fetchall() == [(7,)]
    raw.close()


def test_a_migration_that_fails_changes_nothing(make_session: MakeSession, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_session()
    broken = ("DROP TABLE packet", "CREATE TABLE half (a)", "INSERT INTO nowhere VALUES (1)")
    with monkeypatch.context() as patched:
        patched.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, broken))
        with pytest.raises(sqlite3.OperationalError, match="nowhere"):
            SessionFile.open(path)
    with SessionFile.open(path) as file:
        assert file.contents().schema == 1
        assert len(list(file.items())) == 1000
        assert file.damage() == ()
