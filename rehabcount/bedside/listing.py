"""The sessions of a folder, each as soon as it is known: `rehabcount info FOLDER`.

In the library's own folder those that are listed already come first, and what is found about the others is kept there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rehabcount.store.library import SUFFIX, Library, Listing, SessionEntry, Standing, look_at

SETTLED = (Standing.CLOSED, Standing.MISSING)  # what is listed about these holds; other files are looked at anew


def holds_sessions(folder: Path) -> bool:
    return folder.is_dir() and any(folder.glob(f"*{SUFFIX}"))


def sessions_in(folder: Path) -> Iterator[tuple[tuple[SessionEntry, ...], int, int]]:
    """Entries that were not given yet, how many files have been looked at, and how many have to be."""
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
