"""A disk that takes no packet while a test says so."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from rehabcount.cli import live_view
from rehabcount.errors import StoreFull
from rehabcount.store import recorder
from rehabcount.store.packets import PacketRow
from rehabcount.store.session_file import SessionFile


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """While it is set, the disk takes no packet."""
    write, full = SessionFile.append_rows, threading.Event()

    def written(file: SessionFile, rows: Sequence[PacketRow]) -> int:
        if full.is_set():
            raise StoreFull("No room.", advice="Make room.")
        return write(file, rows)

    monkeypatch.setattr(SessionFile, "append_rows", written)
    monkeypatch.setattr(recorder, "RETRY_EVERY_S", 0.02)
    monkeypatch.setattr(live_view, "SETTLED_S", 0.0)
    return full
