"""Session files for tests: each packet holds its index, so that lost, repeated and displaced packets are found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rehabcount.domain.correction import Action, Correction
from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Rig, Side, make_rig
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event, Mark
from rehabcount.store.documents import IMPORT, PLAN
from rehabcount.store.layers import REFERENCE
from rehabcount.store.packets import Origin
from rehabcount.store.session_file import SessionFile

MakeSession = Callable[..., Path]


@pytest.fixture
def rig() -> Rig:
    return make_rig("nine", Side.LEFT, "layout of the test", 100.0)


def indexed_items(rig: Rig, number: int, first: int = 0) -> list[Packet | Silence]:
    """Packet i of the session: sensor, time and payload follow from i. Every 97th item is a silence."""
    items: list[Packet | Silence] = []
    for i in range(first, first + number):
        sensor, at_ns = rig.names[i % len(rig)], 10**15 + i * 1_111_111
        silent = i % 97 == 96
        items.append(Silence(sensor, at_ns - 10**9, at_ns) if silent else Packet(sensor, i.to_bytes(63, "big"), at_ns))
    return items


@pytest.fixture
def items_from(rig: Rig) -> Callable[..., list[Packet | Silence]]:
    return lambda number, first=0: indexed_items(rig, number, first)


@pytest.fixture
def make_session(tmp_path: Path, rig: Rig) -> MakeSession:
    """Makes a session file with rows in every table, closed by default."""

    def make(name: str = "a.rehab", number: int = 1000, closed: bool = True) -> Path:
        path = tmp_path / name
        with SessionFile.create(path, rig, origin=Origin(10**15, 1_790_000_000 * 10**9)) as file:
            for first in range(0, number, 5000):
                file.append(indexed_items(rig, min(5000, number - first), first))
            file.put_document(PLAN, Plan((PlannedActivity("glass to shelf", 20),)))
            file.put_document(IMPORT, {"text longer than a page": "0123456789" * 1000})
            file.accept(Mark(1.0, "before counting"))
            counting = file.begin_counting("0" * 64).number
            segments = [Segment("reach", Side.LEFT, i * 1.0, i + 0.5) for i in range(3)]
            file.accept(*(Event(i + 1, segment, 0.875) for i, segment in enumerate(segments)))
            file.correct(counting, Correction(Action.REMOVE, "th", 1_790_000_100 * 10**9, event=2, note="walked"))
            file.add_segments(REFERENCE, segments)
            if closed:
                file.close_session()
        return path

    return make
