"""The sessions of a folder, each as soon as it is known: `rehabcount info FOLDER`.

In the library's folder the listed sessions come first, and the others are added to the list.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rehabcount.store.library import SUFFIX, Library, Listing, SessionEntry, Standing, look_at

SETTLED = (Standing.CLOSED, Standing.MISSING)  # the list is right about these; other files are read again


def holds_sessions(folder: Path) -> bool:
    return folder.is_dir() and any(folder.glob(f"*{SUFFIX}"))


def sessions_in(folder: Path) -> Iterator[tuple[tuple[SessionEntry, ...], int, int]]:
    """New entries, how many files have been read, and how many must be read."""
    library = Library(folder.absolute().parent)
    if library.sessions_folder == folder.absolute() and library.path.exists():
        given: set[Path] = set()
        for listing in library.listings():
            fresh = tuple(entry for entry in _final(listing) if entry.path not in given)
            given.update(entry.path for entry in fresh)
            yield fresh, listing.looked, listing.new
        return
    files = sorted(folder.glob(f"*{SUFFIX}"), reverse=True)
    for number, path in enumerate(files, start=1):
        yield (look_at(path),), number, len(files)


def _final(listing: Listing) -> Iterator[SessionEntry]:
    return (entry for entry in listing.sessions if listing.complete or entry.standing in SETTLED)
