"""A closed session taken for one that was interrupted: tests add to it as only a recorder can."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from rehabcount.store.session_file import SessionFile


def reopened(path: Path) -> SessionFile:
    """The session, ready for packets again."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE about SET value = 'open' WHERE key = 'state'")
    return SessionFile.record(path)
