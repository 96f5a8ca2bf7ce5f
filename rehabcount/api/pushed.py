"""The walk with its input in chunks.

`engine.session.steps` pulls its items. Here it runs in its own thread, which waits for them. Each `push` returns when
the walk has used all items that it got. So for the caller the walk is synchronous, and its output depends on the items
alone."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from queue import SimpleQueue
from threading import Thread

from rehabcount.domain.update import Recorded, Update
from rehabcount.engine.session import SessionSettings, steps
from rehabcount.errors import InputRefused
from rehabcount.inference.runtime import Model

_ANSWER, _END = "answer", "end"
_Given = SimpleQueue[Recorded | str]
_Answers = SimpleQueue[tuple[Update, ...] | Exception]


class PushedWalk:
    """One walk. Errors of the walk (ModelMismatch, ...) are raised by the call that caused them."""

    def __init__(self, settings: SessionSettings, model: Model) -> None:
        self._given: _Given = SimpleQueue()
        self._answers: _Answers = SimpleQueue()
        self.ended = False
        arguments = (settings, model, self._given, self._answers)
        Thread(target=_walk, args=arguments, name="rehabcount counter", daemon=True).start()
        weakref.finalize(self, self._given.put, _END)  # a walk that is dropped unfinished leaves no thread behind
        self.begun = self.push(())

    def push(self, items: Iterable[Recorded]) -> tuple[Update, ...]:
        """The updates that these items cause."""
        return self._ask(items, _ANSWER)

    def finish(self) -> tuple[Update, ...]:
        """No more items: the remaining updates."""
        return self._ask((), _END)

    def _ask(self, items: Iterable[Recorded], end: str) -> tuple[Update, ...]:
        if self.ended:
            raise InputRefused("counting has ended, or failed before.", advice="Begin anew with another Counter.")
        self.ended = True  # if what follows is interrupted or fails, an answer may be left over
        for item in items:
            self._given.put(item)
        self._given.put(end)
        answer = self._answers.get()
        if isinstance(answer, Exception):
            raise answer
        self.ended = end == _END
        return answer


def _walk(settings: SessionSettings, model: Model, given: _Given, answers: _Answers) -> None:
    said: list[Update] = []

    def items() -> Iterator[Recorded]:
        while (item := given.get()) != _END:
            if isinstance(item, str):
                answers.put(tuple(said))
                said.clear()
            else:
                yield item

    try:
        for _ in steps(items(), settings, model, said.append):
            pass
    except Exception as problem:  # noqa: BLE001  # it belongs to the caller's thread
        answers.put(problem)
    else:
        answers.put(tuple(said))
