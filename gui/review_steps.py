"""Finding the steps of an exercise in the review: the search in its thread, what was found on the timeline and in the
file, names, and undoing.

What is found is kept in the session at once, as a layer of labels. A new search or a new name is another layer; undoing
lets the one before hold again, so nothing is ever removed from the file.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, pyqtSignal

from rehabcount.bedside import discovering
from rehabcount.bedside.discovering import DiscoverySettings, Wanted
from rehabcount.domain.editing import EditStep
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.steps import FoundSteps, default_name
from rehabcount.errors import RehabcountError
from rehabcount.gui import wording
from rehabcount.gui.background import Background
from rehabcount.gui.language import plural, tr
from rehabcount.gui.moments import repetitions
from rehabcount.gui.review_state import ReviewState, marked_repetitions
from rehabcount.signals.align import AlignSettings

if TYPE_CHECKING:
    from rehabcount.gui.review import ReviewScreen

FEWEST = 2  # repetitions
MOST_TOLD = 6  # irregular repetitions
SLOW, FAST = 1.5, 1 / 1.5  # times the median of a step, as `rehabcount discover` marks them


class Stopped(Exception):
    """The user ended the search."""


@dataclass(slots=True)
class StepsShown:
    """Steps on the timeline; `layer` is the one in the file, as soon as it is written. `found` is what a search of this
    visit said of them, with their names; the file does not hold it."""

    segments: tuple[Segment, ...] = ()
    layer: str = ""
    found: FoundSteps | None = None


@dataclass(slots=True)
class StepsEdit:
    """One change of the steps, and which edits of events came before it."""

    before: StepsShown
    after: StepsShown
    done: tuple[EditStep, ...]


@dataclass(slots=True)
class _History:
    shown: StepsShown = field(default_factory=StepsShown)
    done: list[StepsEdit] = field(default_factory=list)
    undone: list[StepsEdit] = field(default_factory=list)


class ReviewSteps(QObject):
    progressed = pyqtSignal(int, str, int, int)  # of which search; from its thread

    def __init__(self, screen: ReviewScreen) -> None:
        super().__init__(screen)
        self._screen, self.card = screen, screen.panel.steps
        self._search = Background(self)
        self._stop = threading.Event()
        self._number = 0
        self._history = _History()
        self.progressed.connect(self._on_progress)
        self.card.find_asked.connect(self.find)
        self.card.stop_asked.connect(self.stop)
        self.card.rename_asked.connect(self.rename)
        self.card.take_back_asked.connect(lambda: self._change(StepsShown()))

    @property
    def busy(self) -> bool:
        return self._search.busy

    def begin(self, layer: str, segments: tuple[Segment, ...]) -> None:
        """Another session, or the same read again: what its file holds."""
        self.leave()
        if self._history.shown.segments != segments:
            self._history = _History()
        self._history.shown = StepsShown(segments, layer, self._history.shown.found)
        self._show()

    def forget(self) -> None:
        self._history = _History()

    def leave(self) -> None:
        """End a search that is under way."""
        self._stop.set()
        self._search.forget()
        self._number += 1

    # -- searching ----------------------------------------------------------------------------------------------------

    def find(self) -> None:
        state = self._screen.state
        if state is None or self.busy:
            return
        spans = marked_repetitions(state)
        if len(spans) < FEWEST:
            self._show(tr("Choose events of at least two repetitions, or none to take all."))
            return
        self._number += 1
        number, self._stop = self._number, threading.Event()
        self.card.show_busy(tr("Reading {n} repetitions …").format(n=len(spans)), 0, 0)
        path, side, align, stop = self._screen.path, state.side, self._screen.desk.settings.align, self._stop

        def on_progress(_: str, done: int, total: int) -> None:
            if stop.is_set():
                raise Stopped
            try:
                self.progressed.emit(number, "", done, total)
            except RuntimeError as gone:  # the screen was deleted, as at the end of the program
                raise Stopped from gone

        self._search.run(
            lambda: _searched(path, side, spans, align, on_progress),
            lambda found: self._found(found, side),
            self._not_found,
        )

    def stop(self) -> None:
        self.leave()
        self._show(tr("Cancelled."))

    def _on_progress(self, number: int, _: str, done: int, total: int) -> None:
        if number == self._number and self.busy:
            self.card.show_busy(tr("Finding the steps"), done, total)

    def _found(self, found: FoundSteps | None, side: Side) -> None:
        if found is None:
            self._show(tr("Cancelled."))
            return
        given, words = self._given(), ""
        if given and len(given) == len(found.steps) and self._is_of(side):
            found, words = found.named(given), tr("The names are kept by their number. Check that they fit.")
        elif given:
            words = tr("These steps are others, with new names. Undo brings the old ones back.")
        self._change(StepsShown(_segments_of(found, side), found=found), words)

    def _not_found(self, problem: RehabcountError) -> None:
        self._show()
        self._screen.complain(problem)

    # -- names, undoing -----------------------------------------------------------------------------------------------

    def rename(self, number: int, name: str) -> None:
        shown, names = self._history.shown, self._names()
        name = " ".join(name.split())
        if self.busy or not name or not name.isprintable() or not number < len(names) or names[number] == name:
            self.card.show_steps(names, self._story())  # the field says again what holds
            return
        segments = tuple(replace(each, label=name) if each.label == names[number] else each for each in shown.segments)
        found = shown.found
        if found is not None:
            found = found.named([name if step.name == names[number] else step.name for step in found.steps])
        self._change(StepsShown(segments, found=found))

    def can_undo(self, state: ReviewState) -> bool:
        """Whether undoing concerns the steps next: no event was edited since."""
        return bool(self._history.done) and self._history.done[-1].done == state.editing.done

    def can_redo(self, state: ReviewState) -> bool:
        return bool(self._history.undone) and self._history.undone[-1].done == state.editing.done

    def undo(self) -> None:
        edit = self._history.done.pop()
        self._history.undone.append(edit)
        self._hold(edit.before)

    def redo(self) -> None:
        edit = self._history.undone.pop()
        self._history.done.append(edit)
        self._hold(edit.after)

    def _change(self, after: StepsShown, words: str = "") -> None:
        """Show other steps, and keep them in the file as a layer of their own."""
        state = self._screen.state
        if state is None or after.segments == self._history.shown.segments:
            self._history.shown.found = after.found
            self._show(words)
            return
        self._history.done.append(StepsEdit(self._history.shown, after, state.editing.done))
        self._history.undone.clear()
        path = self._screen.path

        def keep() -> None:
            after.layer = discovering.keep_steps(path, after.segments) or ""

        self._set(after, keep, words)

    def _hold(self, shown: StepsShown) -> None:
        path = self._screen.path
        self._set(shown, lambda: discovering.hold_layer(path, shown.layer))  # its layer is known when this runs

    def _set(self, shown: StepsShown, write: Callable[[], None], words: str = "") -> None:
        self._history.shown = shown
        self._screen.write_steps(write)
        self._show(words)

    def _names(self) -> list[str]:
        return list(dict.fromkeys(each.label for each in self._history.shown.segments))

    def _given(self) -> list[str]:
        """The name of each step; none if a person named no step."""
        found = self._history.shown.found
        names = [step.name for step in found.steps] if found is not None else self._names()
        ours = [{default_name(number), _name_of(number)} for number in range(1, len(names) + 1)]
        return [] if all(name in each for name, each in zip(names, ours, strict=True)) else names

    def _is_of(self, side: Side) -> bool:
        return all(each.side is side for each in self._history.shown.segments)

    def _story(self) -> str:
        found = self._history.shown.found
        return _story(found, self._screen.panel.start_s) if found is not None else ""

    def _show(self, words: str = "") -> None:
        shown = self._history.shown
        names = self._names()
        if names and not words:
            words = tr("Kept in the session. Give the steps names:")
        if self.busy:  # undone during a search, which goes on
            self.card.show_steps(names, self._story())
        else:
            self.card.show_idle(names, words, self._story())
        self._screen.change(lambda state: replace(state, steps=shown.segments))
        self._screen.timeline.updateGeometry()


def _searched(
    path: Path,
    side: Side,
    spans: tuple[tuple[float, float], ...],
    align: AlignSettings,
    on_progress: Callable[[str, int, int], None],
) -> FoundSteps | None:
    """In the thread: what the repetitions share; None if the user ended the search."""
    try:
        on_progress("", 0, 0)
        stretches = discovering.read_stretches([Wanted(path, spans, None, side)], align, lambda: None)
        on_progress("", 0, 0)
        found = discovering.find(stretches, DiscoverySettings(), on_progress)
    except Stopped:
        return None
    return found.named([_name_of(step.number) for step in found.steps])


def _name_of(number: int) -> str:
    """What a step is called before a person names it, in the language of the window."""
    return tr("step {number}").format(number=number)


def _segments_of(found: FoundSteps, side: Side) -> tuple[Segment, ...]:
    every = range(len(found.recordings))
    return discovering.in_order(found, (each for at in every for each in discovering.segments_of(found, at, side)))


def _story(found: FoundSteps, start_s: float) -> str:
    """The repetitions that differ from the others, with what differs."""
    lines = []
    for recording in found.recordings:
        said = [tr("{step} is missing").format(step=found.steps[number - 1].name) for number in recording.missing]
        if recording.out_of_order:
            said.append(tr("another order"))
        if recording.additional:
            said.append(plural(recording.additional, "{n} additional step", "{n} additional steps"))
        for step in found.steps:
            length_s = recording.length_of(step.number)
            length = wording.number(length_s, 1)
            if step.median_s and length_s > SLOW * step.median_s:
                said.append(tr("{step} takes {length} s").format(step=step.name, length=length))
            elif 0 < length_s < FAST * step.median_s:
                said.append(tr("{step} takes only {length} s").format(step=step.name, length=length))
        if said:
            lines.append(f"{wording.clock(recording.start_s - start_s)}  {', '.join(said)}")
    differ = plural(len(lines), "{n} of them differs.", "{n} of them differ.")
    head = f"{repetitions(len(found.recordings))}, {differ}"
    return "\n".join([head, *lines[:MOST_TOLD], *(["…"] if len(lines) > MOST_TOLD else [])])
