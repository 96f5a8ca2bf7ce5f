"""The walk in its thread: what fails there is raised where it was handed in, and leaves nothing running."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

import pytest

import rehabcount as rc
from rehabcount.api import pushed
from rehabcount.api.pushed import PushedWalk
from rehabcount.domain.motion import Packet
from rehabcount.domain.update import Mark, Update

PACKETS = [Packet("hand", b"", at_ns) for at_ns in range(6)]


def echo(items: Iterable[Packet], settings: Any, model: Any, emit: Callable[[Update], None]) -> Iterator[float]:
    """Marks each packet; says one thing more at the end. A packet of time 4 cannot be borne."""
    for item in items:
        if item.received_ns == 4:
            raise rc.CalibrationError("no", advice="yes")
        emit(Mark(float(item.received_ns)))
        yield 0.0
    emit(Mark(-1.0))


@pytest.fixture
def walk(monkeypatch: pytest.MonkeyPatch) -> PushedWalk:
    monkeypatch.setattr(pushed, "steps", echo)
    return PushedWalk(cast(Any, None), cast(Any, None))


def test_each_push_answers_with_what_it_caused(walk: PushedWalk) -> None:
    assert walk.begun == ()
    assert walk.push(PACKETS[:2]) == (Mark(0.0), Mark(1.0))
    assert walk.push([]) == ()
    assert walk.push(PACKETS[2:3]) == (Mark(2.0),)
    assert walk.finish() == (Mark(-1.0),)
    with pytest.raises(rc.InputRefused, match="has ended"):
        walk.push([])


def test_a_failure_is_raised_here_and_ends_the_walk(walk: PushedWalk) -> None:
    walk.push(PACKETS[:2])
    with pytest.raises(rc.CalibrationError):
        walk.push(PACKETS[2:])
    with pytest.raises(rc.InputRefused, match="failed before"):
        walk.finish()
    for thread in threading.enumerate():
        if thread.name == "rehabcount counter":
            thread.join(10)
    assert not [thread for thread in threading.enumerate() if thread.name == "rehabcount counter"]
