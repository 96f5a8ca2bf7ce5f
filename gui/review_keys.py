"""The keys of the review: which does what on the timeline, and how the help says it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from rehabcount.domain.labels import PRODUCT
from rehabcount.gui import review_state as acts
from rehabcount.gui.language import tr
from rehabcount.gui.review_state import ZOOM
from rehabcount.gui.screen import KeyHint

if TYPE_CHECKING:
    from rehabcount.gui.review import ReviewScreen


def key_acts(screen: ReviewScreen) -> dict[str, Callable[[], object]]:
    """By the name of the key as in QKeySequence, or by its sign."""
    change = screen.change
    plain: list[tuple[str, Callable[[], object]]] = [
        ("Space", screen.toggle_play),
        ("Right", lambda: change(acts.step, 1)),
        ("Left", lambda: change(acts.step, -1)),
        ("Shift+Right", lambda: change(lambda s: acts.step(s, 1, extend=True))),
        ("Shift+Left", lambda: change(lambda s: acts.step(s, -1, extend=True))),
        ("Up", lambda: change(acts.other_arm)),
        ("Down", lambda: change(acts.other_arm)),
        ("Ctrl+Right", lambda: change(lambda s: acts.pan(s, s.view_s / 4))),
        ("Ctrl+Left", lambda: change(lambda s: acts.pan(s, -s.view_s / 4))),
        (",", lambda: change(lambda s: acts.seek(s, s.cursor_s - 0.1))),
        (".", lambda: change(lambda s: acts.seek(s, s.cursor_s + 0.1))),
        ("PgUp", lambda: change(lambda s: acts.seek(s, s.cursor_s - 5))),
        ("PgDown", lambda: change(lambda s: acts.seek(s, s.cursor_s + 5))),
        ("Home", lambda: change(acts.seek, 0.0)),
        ("End", lambda: change(lambda s: acts.seek(s, s.length_s))),
        ("+", lambda: change(acts.zoom, ZOOM)),
        ("=", lambda: change(acts.zoom, ZOOM)),
        ("-", lambda: change(acts.zoom, 1 / ZOOM)),
        ("F", lambda: change(acts.fit)),
        ("D", screen.next_doubtful),
        ("A", screen.add),
        ("X", screen.split),
        ("M", screen.merge),
        ("Del", screen.delete),
        ("Backspace", screen.delete),
        ("C", screen.confirm),
        ("[", lambda: screen.edit(lambda s, a: acts.set_edge(s, "start", a))),
        ("]", lambda: screen.edit(lambda s, a: acts.set_edge(s, "end", a))),
        ("J", lambda: screen.speed.faster(-1)),
        ("L", lambda: screen.speed.faster(1)),
    ]
    plain += [(label.letter, partial(screen.relabel, label.name)) for label in PRODUCT.labels]
    return dict(plain)


def key_hints() -> list[KeyHint]:
    """For the help that `?` shows."""
    letters = " ".join(label.letter for label in PRODUCT.labels)
    return [
        KeyHint("Space", tr("play and stop")),
        KeyHint("J L", tr("slower, faster")),
        KeyHint("← →", tr("to the event before, to the next; with Shift more are chosen")),
        KeyHint("D", tr("to the next event that the recogniser was not sure of")),
        KeyHint("↑ ↓", tr("to the other arm")),
        KeyHint(", .", tr("the cursor a tenth of a second back, on")),
        KeyHint("PgUp PgDn", tr("the cursor five seconds back, on")),
        KeyHint("+ - F", tr("zoom in, out, to the whole session; Ctrl with an arrow pans")),
        KeyHint(letters, tr("the chosen event is an idle, a reach, …")),
        KeyHint("A", tr("add an event at the cursor")),
        KeyHint("X M Del", tr("split at the cursor, merge with the next, delete")),
        KeyHint("[ ]", tr("the chosen event starts, ends at the cursor")),
        KeyHint("C", tr("the event is right; on to the next")),
        KeyHint("Ctrl+Z Ctrl+Y", tr("undo, redo")),
    ]
