"""The review: a recorded session as ribbon and signals, to view, play, and correct by mouse or keyboard.

Entered with the path of a session file. Every correction is kept in the file at once, with author and time; the
recogniser's events are not changed, and Ctrl+Z undoes one correction after the other.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import QElapsedTimer, Qt, QTimer
from PyQt6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PyQt6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from rehabcount.domain.editing import Author, news
from rehabcount.domain.labels import PRODUCT
from rehabcount.errors import RehabcountError, SessionUnsaid
from rehabcount.gui import review_file, wording
from rehabcount.gui import review_state as acts
from rehabcount.gui.background import Background
from rehabcount.gui.controls import Banner, ElidedLabel, Heading, IconButton, PlainButton, scrolling, text_label
from rehabcount.gui.desk import Desk
from rehabcount.gui.flow import Flow
from rehabcount.gui.language import tr
from rehabcount.gui.overlay import Overlay
from rehabcount.gui.review_file import Counts, Reviewed
from rehabcount.gui.review_keys import key_acts, key_hints
from rehabcount.gui.review_panel import ReviewPanel
from rehabcount.gui.review_state import ZOOM, OtherCounting, ReviewState
from rehabcount.gui.review_steps import ReviewSteps
from rehabcount.gui.review_tools import act_buttons, more_button
from rehabcount.gui.saved_file import SavedFile
from rehabcount.gui.screen import KeyHint, Screen
from rehabcount.gui.session_signals import ReviewSignals, SignalStretch, read_stretch
from rehabcount.gui.speed_box import SpeedBox
from rehabcount.gui.summary import settle
from rehabcount.gui.theme import px, space
from rehabcount.gui.timeline import Timeline
from rehabcount.gui.timeline_canvas import Surroundings
from rehabcount.gui.troubles import words_of

WIDE = 1020  # pixels at 100 %: below, the panel stands under the timeline
PANEL = 352
UNBOUND = 16_777_215  # Qt's largest size
FRAME_MS = 33
KEPT_ON = 0.75  # of the view: how far the cursor runs before the view follows
VISITOR = "demo"  # the author of corrections of a simulated session if no initials were entered


def _read_again(read: Reviewed, before: ReviewState) -> ReviewState:
    """The state read from the file; steps can still be undone if the file holds the same corrections."""
    same = read.editing.corrections == before.editing.corrections and Counter(read.by_hand) == Counter(before.by_hand)
    if same:  # repetitions added by hand may have another order in the file
        editing = replace(read.editing, done=before.editing.done, undone=before.editing.undone)
        return replace(before, editing=editing, chosen=())
    return replace(before, editing=read.editing, by_hand=read.by_hand, taken=(), untaken=(), chosen=())


class ReviewScreen(Screen):
    name = "review"
    endures = True  # corrections can be undone, so a change of theme must not make the screen anew

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(desk, parent)
        self.path = Path()
        self.reviewed: Reviewed | None = None
        self.state: ReviewState | None = None
        self.counts: Counts | None = None
        self._files = Background(self)  # reads and writes, in order
        self._figures = Background(self)  # counts
        self._looks = Background(self)  # signals
        self._recounts = Background(self)  # takes minutes: no correction waits behind it
        self._signals: ReviewSignals | None = None
        self._label = "transport"  # the label of a new event: that used last
        self._recounting = False
        self._lost = False  # whether a correction could not be kept
        self._clock = QElapsedTimer()
        self._player = QTimer(self)
        self._player.setInterval(FRAME_MS)
        self._player.timeout.connect(self._tick)
        self._build()
        self.steps = ReviewSteps(self)
        self._bind_keys()

    def title(self) -> str:
        return tr("Review")

    # -- building -----------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        page = QWidget()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        area = scrolling(page)
        whole.addWidget(area)
        outer = QVBoxLayout(page)
        outer.setContentsMargins(space(3), space(2), space(3), space(2))
        outer.setSpacing(space(1))
        head = Flow()
        self.heading = Heading(tr("Review"))
        self.heading.setWordWrap(False)
        self.facts = ElidedLabel("muted")
        self.saved = text_label("", "muted")
        self.saved.setMinimumWidth(self.saved.fontMetrics().horizontalAdvance(tr("✓ Saved")) + px(4))  # nothing moves
        back = PlainButton(tr("Back"), "back", self.back.emit)
        back.setToolTip(tr("Back (Esc); every correction is saved already"))
        for widget in (back, self.heading, self.facts, self.saved):
            head.addWidget(widget)
        outer.addLayout(head)
        self.banner = Banner()
        Overlay(self, self.banner)
        self.timeline = Timeline()
        outer.addLayout(self._make_tools())
        labels, self.label_buttons = act_buttons(self)
        outer.addLayout(labels)
        self.panel = ReviewPanel()
        self.panel.take_back_asked.connect(self.take_back)
        self._split = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._split.setSpacing(space(2))
        self._split.addWidget(self.timeline, 1)
        self._beside = scrolling(self.panel)
        self._split.addWidget(self._beside)
        outer.addLayout(self._split, 1)
        self.timeline.look_asked.connect(lambda start_s, length_s: self.change(acts.look, start_s, length_s))
        self.timeline.seek_asked.connect(lambda at_s: self.change(acts.seek, at_s))
        self.timeline.choose_asked.connect(self._choose)
        self.timeline.edge_asked.connect(
            lambda number, edge, at_s: self.edit(lambda s, a: acts.move_edge(s, number, edge, at_s, a))
        )
        self.timeline.add_asked.connect(
            lambda start_s, end_s: self.edit(lambda s, a: acts.add(s, self._label, a, (start_s, end_s)))
        )

    def _make_tools(self) -> Flow:
        tools = Flow()
        self.play_button = PlainButton(tr("Play"), "play", self.toggle_play)
        self.play_button.setMinimumWidth(px(120))
        self.speed = SpeedBox()
        zoom_in = IconButton("zoom-in", tr("Zoom in (+)"), lambda: self.change(acts.zoom, ZOOM))
        zoom_out = IconButton("zoom-out", tr("Zoom out (-)"), lambda: self.change(acts.zoom, 1 / ZOOM))
        fit = IconButton("fit", tr("Whole session (F)"), lambda: self.change(acts.fit))
        self.undo_button = IconButton("undo", tr("Undo (Ctrl+Z)"), self.undo)
        self.redo_button = IconButton("redo", tr("Redo (Ctrl+Y)"), self.redo)
        self.initials = QLineEdit()
        self.initials.setAccessibleName(tr("Your initials"))
        self.initials.setToolTip(tr("Corrections are kept under these initials."))
        self.initials.setPlaceholderText(tr("Initials"))
        self.initials.setMaxLength(12)
        self.initials.setFixedWidth(px(110))
        self.initials.editingFinished.connect(self._sign)
        self.compare = QComboBox()
        self.compare.setAccessibleName(tr("Compare with"))
        self.compare.setToolTip(tr("Compare with another count of this session"))
        self.compare.setMinimumWidth(px(190))
        self.compare.activated.connect(self._compare)
        self.doubtful_button = PlainButton(tr("Next doubtful event"), "search", self.next_doubtful)
        self.doubtful_button.setToolTip(tr("To the next event that the recogniser was not sure of (D)"))
        looking: list[QWidget] = [self.play_button, self.speed, zoom_in, zoom_out, fit, self.doubtful_button]
        for widget in (*looking, self.undo_button, self.redo_button, self.initials, self.compare, more_button(self)):
            tools.addWidget(widget)
        return tools

    def _bind_keys(self) -> None:
        for keys, act in (("Ctrl+Z", self.undo), ("Ctrl+Y", self.redo), ("Ctrl+Shift+Z", self.redo)):
            QShortcut(QKeySequence(keys), self, act, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.timeline.keys = key_acts(self)

    def keys(self) -> list[KeyHint]:
        return key_hints()

    def step_back(self) -> bool:
        """Esc cancels a search for steps."""
        if self.steps.busy:
            self.steps.stop()
            return True
        return super().step_back()

    # -- entering and leaving -----------------------------------------------------------------------------------------

    def entered(self, argument: object) -> None:
        if argument is not None:
            self.path = Path(str(argument))
        self.banner.clear()
        self.saved.clear()
        self.initials.setText(self.desk.who)
        self.facts.say(tr("Reading the session …"))
        self.state = self.reviewed = None
        for each in (self._files, self._figures, self._looks, self._recounts):
            each.forget()
        self._recounting = False
        self.steps.forget()
        self._read()

    def leaving(self) -> bool:
        self.stop()
        self._lost = False
        self.steps.leave()
        self._files.finish()
        if self._lost:  # the last correction could not be kept; the user must see that before leaving
            return False
        for each in (self._figures, self._looks, self._recounts):
            each.forget()
        reviewed, state = self.reviewed, self.state
        if reviewed and state and (state.editing, state.by_hand) != (reviewed.editing, reviewed.by_hand):
            path, desk = self.path, self.desk
            self._files.run(lambda: settle(path, desk.library, desk.model_folders), lambda _: None, lambda _: None)
        return True

    def _read(self, counting: int | None = None) -> None:
        path = self.path
        self._files.run(lambda: review_file.read_review(path, counting), self._show, self.complain)

    def _show(self, reviewed: Reviewed) -> None:
        same = self.reviewed is not None and self.reviewed.path == reviewed.path and self.state is not None
        self.reviewed = reviewed
        summary = reviewed.summary
        self.heading.setText(wording.whose(summary))
        facts = (wording.moment(summary.begun_utc_ns), wording.facts_line(summary))
        self.facts.say("  ·  ".join((*([tr("simulated")] if summary.simulated else []), *facts)))
        if same and self.state is not None:
            state = _read_again(reviewed, self.state)
        else:
            state = ReviewState(
                reviewed.editing,
                reviewed.side,
                summary.length_s,
                by_hand=reviewed.by_hand,
                uncounted=reviewed.uncounted,
            )
            first = reviewed.begun_s
            if first is None:
                counted = [each for each in state.lane if PRODUCT[each.segment.label].counted] or state.lane
                first = counted[0].segment.start_s if counted else 0.0
            state = acts.look(acts.seek(state, first), first - 2.0, acts.FIRST_VIEW_S)
            self._signals = ReviewSignals(len(reviewed.rig), summary.length_s)
        if reviewed.counting is None:
            self.banner.say(tr("This session was not counted yet; there is nothing to correct."), "warn")
        around = Surroundings(reviewed.rig, reviewed.phases, reviewed.gaps, reviewed.marks, summary.start_s)
        self.panel.start_s = summary.start_s
        self.timeline.show_surroundings(around, self._signals)
        self._offer_comparisons()
        self._set(state)
        self.steps.begin(reviewed.steps_layer, reviewed.steps)
        self._count()
        self._load_signals()
        self.timeline.setFocus()

    def _set(self, state: ReviewState) -> None:
        self.state = state
        self.timeline.show_state(state)
        self.panel.show_chosen(state)
        self.undo_button.setEnabled(state.can_undo or self.steps.can_undo(state))
        self.redo_button.setEnabled(state.can_redo or self.steps.can_redo(state))
        self._hint(state.hint)

    def _hint(self, hint: str) -> None:
        words = {
            acts.NOTHING_CHOSEN: tr("Choose an event first: click it, or press an arrow key."),
            acts.NOTHING_HERE: tr("There is no event here."),
            acts.OCCUPIED: tr("There is an event here already: split it, or change what it is."),
            acts.TOO_SHORT: tr("There is no room for an event here."),
            acts.NEEDS_TWO: tr("There is no event after it to merge with."),
            acts.TAKEN_BACK: tr("What was counted by hand counts no more. Undo brings it back."),
            acts.UNCOUNTED: tr("Kept. But nothing is counted at this time: the counts stay as they are."),
            acts.NO_DOUBT: tr("There is no doubtful event left on this arm."),
        }
        if hint:
            self.banner.say(words[hint], "info")
        elif self.banner.text in words.values():
            self.banner.clear()

    # -- what a person does -------------------------------------------------------------------------------------------

    def change(self, act: Callable[..., ReviewState], *arguments: object) -> None:
        """Change the view or the chosen events; nothing is written."""
        if self.state is not None:
            looked = (self.state.view_start_s, self.state.view_s)
            self._set(act(self.state, *arguments))
            if looked != (self.state.view_start_s, self.state.view_s):
                self._load_signals()

    def _choose(self, number: object, beside: bool) -> None:
        self.timeline.setFocus()
        self.change(lambda state: acts.choose(state, number if isinstance(number, int) else None, add=beside))

    def edit(self, act: Callable[[ReviewState, Author], ReviewState]) -> None:
        """Make a correction, and keep it in the file."""
        state, reviewed = self.state, self.reviewed
        if state is None or reviewed is None:
            return
        who = self._author(reviewed)
        if not who:
            return
        after = acts.said_if_uncounted(state, act(state, Author(who, time.time_ns())))
        corrects = bool(news(state.editing, after.editing))
        if corrects and reviewed.counting is None:
            return  # there are no events to correct
        self._set(after)
        if not corrects and after.by_hand == state.by_hand:
            return
        path, counting = self.path, reviewed.counting
        self.saved.clear()
        told = tr("✓ Saved")
        self._files.run(
            lambda: review_file.keep(path, counting, state, after), lambda _: self.saved.setText(told), self._not_kept
        )
        self._count()

    def _author(self, reviewed: Reviewed) -> str:
        """The author of corrections; empty, with a request for the initials, if they are missing."""
        who = self.desk.who or (VISITOR if reviewed.summary.simulated else "")
        if not who:
            self.banner.say(tr("Say who you are first: corrections are kept with your initials."), "warn")
            self.initials.setFocus()
        return who

    def _not_kept(self, problem: RehabcountError) -> None:
        """Read the file again, so that the screen shows what is kept, and show the error."""
        self._lost = True
        self._files.forget()
        self._read(self.reviewed.counting if self.reviewed is not None else None)
        self.complain(problem)

    def relabel(self, label: str) -> None:
        self._label = label
        self.edit(lambda state, author: acts.relabel(state, label, author))

    def add(self) -> None:
        self.edit(lambda state, author: acts.add(state, self._label, author))

    def split(self) -> None:
        self.edit(acts.split)

    def merge(self) -> None:
        self.edit(acts.merge)

    def delete(self) -> None:
        self.edit(acts.delete)

    def confirm(self) -> None:
        self.edit(acts.confirm)

    def undo(self) -> None:
        if self.state is not None and self.steps.can_undo(self.state):
            self.steps.undo()
        else:
            self.edit(acts.undo)

    def redo(self) -> None:
        if self.state is not None and self.steps.can_redo(self.state):
            self.steps.redo()
        else:
            self.edit(acts.redo)

    def write_steps(self, write: Callable[[], None]) -> None:
        """Write steps of the exercise into the file, after what is written already."""
        self.saved.clear()
        told = tr("✓ Saved")
        self._files.run(write, lambda _: self.saved.setText(told), self._not_kept)

    def next_doubtful(self) -> None:
        self.timeline.setFocus()
        self.change(acts.next_doubtful)

    def take_back(self) -> None:
        """Undo the repetitions that were added by hand during the session."""
        self.edit(acts.take_back)

    def _sign(self) -> None:
        if self.initials.text().strip() != self.desk.who:
            try:
                self.desk.set_who(self.initials.text())
            except RehabcountError as problem:
                self.complain(problem)
        if self.desk.who:
            self.banner.clear()

    # -- playing ------------------------------------------------------------------------------------------------------

    @property
    def playing(self) -> bool:
        return self._player.isActive()

    def toggle_play(self) -> None:
        if self.playing:
            self.stop()
        elif self.state is not None:
            if self.state.cursor_s >= self.state.length_s:
                self.change(acts.seek, 0.0)
            self._clock.start()
            self._player.start()
            self.play_button.setText(tr("Stop"))
            self.play_button.set_icon("pause")

    def stop(self) -> None:
        self._player.stop()
        self.play_button.setText(tr("Play"))
        self.play_button.set_icon("play")

    def _tick(self) -> None:
        state = self.state
        if state is None:
            self.stop()
            return
        at_s = state.cursor_s + self._clock.restart() / 1000 * self.speed.value()
        moved = acts.seek(state, at_s)
        if moved.cursor_s > moved.view_start_s + KEPT_ON * moved.view_s:
            moved = acts.look(moved, moved.cursor_s - KEPT_ON * moved.view_s, moved.view_s)
        self.change(lambda _: moved)
        if at_s >= state.length_s:
            self.stop()

    # -- counts, signals, comparison, exchange ------------------------------------------------------------------------

    def _count(self) -> None:
        reviewed, state = self.reviewed, self.state
        if reviewed is not None and state is not None:
            self._figures.forget()
            self._figures.run(lambda: review_file.count(reviewed, state), self._show_counts, self.complain)

    def _show_counts(self, counts: Counts) -> None:
        self.counts = counts
        if self.reviewed is not None:
            self.panel.show_counts(counts, self.reviewed.side)
            self._make_room()

    def _load_signals(self) -> None:
        signals, state, reviewed = self._signals, self.state, self.reviewed
        if signals is None or state is None or reviewed is None or self._looks.busy:
            return
        number = signals.next_wanted(state.view_start_s, state.view_end_s)
        if number is None:
            return

        def take(stretch: SignalStretch) -> None:
            if signals is self._signals:
                signals.take(number, stretch)
                self.timeline.update()
                self._load_signals()

        path, rig = reviewed.path, reviewed.rig
        self._looks.run(lambda: read_stretch(path, rig, number), take, self.complain)

    def _offer_comparisons(self) -> None:
        assert self.reviewed is not None
        self.compare.clear()
        self.compare.addItem(tr("Compare with …"), None)
        for counting in self.reviewed.countings:
            if counting.number != self.reviewed.counting:
                words = tr("count {number} ({hash})").format(number=counting.number, hash=counting.model[:8])
                self.compare.addItem(words, counting.number)
        for _, found in self.desk.artifacts():
            if not isinstance(found, Exception):
                words = tr("count again: {name}").format(name=f"{found.card.name} {found.card.version}")
                self.compare.addItem(words, found)

    def _compare(self) -> None:
        chosen, path = self.compare.currentData(), self.path
        if isinstance(chosen, int):
            self._files.run(lambda: review_file.read_events(path, chosen), self._show_compared, self.complain)
        elif chosen is None:
            self._show_compared(OtherCounting())
        elif not self._recounting:
            self._recounting = True
            self.banner.say(tr("Counting again …"), "info")
            settings = self.desk.settings
            self._recounts.run(
                lambda: review_file.recount(path, chosen, settings), self._recounted, self._not_recounted
            )

    def _recounted(self, other: OtherCounting) -> None:
        self._recounting = False
        self.banner.clear()
        self._show_compared(other)

    def _not_recounted(self, problem: RehabcountError) -> None:
        self._recounting = False
        self.complain(problem)

    def _show_compared(self, other: OtherCounting) -> None:
        if self.state is not None:
            self._set(replace(self.state, compared=other.events, compared_by=other.believing))
            self.timeline.updateGeometry()
            self._count()

    def export_elan(self) -> None:
        reviewed, state, target = self.reviewed, self.state, self.path.with_suffix(".eaf")
        if reviewed is None or state is None:
            return
        self._files.run(
            lambda: review_file.export_elan(reviewed, state.editing, target),
            lambda _: SavedFile(target, target.name, self.banner, self._files, self.complain).tell(),
            self.complain,
        )

    def ask_for_elan(self) -> None:
        words = tr("ELAN files (*.eaf)")
        name, _ = QFileDialog.getOpenFileName(self, tr("Import from ELAN"), str(self.path.with_suffix(".eaf")), words)
        if name:
            self.import_elan(Path(name))

    def import_elan(self, path: Path, *, sure: bool = False) -> None:
        """Differences of ELAN's file become corrections, in one step that can be undone.

        `sure`: the user confirmed that the labels are of this session and counting, which the file does not say.
        """
        if self.reviewed is None:
            return
        reviewed = self.reviewed

        def take(state: ReviewState, author: Author) -> ReviewState:
            editing = review_file.import_elan(reviewed, state.editing, path, author, sure=sure)
            return replace(state, editing=editing, chosen=(), hint="")

        before = len(self.state.editing.corrections) if self.state is not None else 0
        try:
            self.edit(take)
        except SessionUnsaid:
            question = tr(
                "{file} does not say for which session and counting its labels were made. Are they of this one?"
            )
            self.banner.say(
                question.format(file=path.name), "warn", tr("Take them"), lambda: self.import_elan(path, sure=True)
            )
            return
        except RehabcountError as problem:
            self.complain(problem)
            return
        if self.state is not None and self.desk.who:
            number = len(self.state.editing.corrections) - before
            self.banner.say(tr("{n} changes taken from ELAN.").format(n=number), "info")

    def complain(self, problem: RehabcountError) -> None:
        """Say what went wrong."""
        if self.reviewed is None:
            self.facts.say("")
        self.banner.say(words_of(problem), "bad")

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().resizeEvent(event)
        wide = self.width() >= px(WIDE)
        self._split.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)
        self._make_room()

    def _make_room(self) -> None:
        """For the panel: as wide as its numbers need beside the timeline; as high as it is below it."""
        wide = self._split.direction() is QBoxLayout.Direction.LeftToRight
        needed = max(px(PANEL), self.panel.minimumSizeHint().width() + px(14))  # its scroll bar
        self._beside.setMinimumWidth(needed if wide else 0)
        self._beside.setMaximumWidth(needed if wide else UNBOUND)
        self._beside.setMinimumHeight(0 if wide else self.panel.sizeHint().height())
