"""The kinds of files that are damaged, by name. Each gives a function from a generator and an empty folder to calls."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from tests.fuzz import arrays, backups, cards, channels, elan, exports, labels, libraries, preferences, sessions
from tests.fuzz.child import Attempts

KINDS: dict[str, Callable[[Path], Callable[[random.Random, Path], Attempts]]] = {
    "sessions": sessions.prepare,
    "cards": cards.prepare,
    "libraries": libraries.prepare,
    "settings": preferences.prepare,
    "arrays": arrays.prepare,
    "labels": labels.prepare,
    "channels": channels.prepare,
    "exports": exports.prepare,
    "annotations": elan.prepare,
    "backups": backups.prepare,
}
