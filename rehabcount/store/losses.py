"""What of a damaged file is lost: found when it is salvaged, and kept in the new file.

Rows are numbered 1, 2, ... and none is ever removed, so that holes between the rows found are known exactly. The rows
after the last one found are estimated from two other sources: the inner pages of a table's tree, which lie earlier in
the file than their rows and name the row numbers below them; and the number of pages in the file's header. If the
number stays uncertain, both limits are given: `missing` is never too large and `missing_most` never too small.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from rehabcount.domain.document import LONGEST_S
from rehabcount.store.pages import INNER, LEAF, Pages, inner_cells
from rehabcount.store.schema import PAGE_SIZE

# Tables whose rows are numbered without a hole, and a reader's words for their rows. (`about` has no numbers.)
NUMBERED = {
    "sensor": ("id", "sensors"),
    "stretch": ("number", "stretches of recording"),
    "document": ("number", "documents"),
    "counting": ("number", "countings"),
    "session_update": ("number", "entries of what was counted and said"),
    "correction": ("number", "corrections"),
    "segment": ("number", "reference labels"),
}
DEEPEST = 20  # levels of a tree: SQLite's own limit, which no file of ours comes near


@dataclass(frozen=True, slots=True)
class LostRows:
    """At least this many rows of a table."""

    table: str
    number: int


@dataclass(frozen=True, slots=True)
class Losses:
    """`had` and `had_most` are the limits of the original number of packet rows; None: no upper limit, because the
    header is lost, too. `missing_s` is an estimate of the missing time: lost pages are assumed to have as many rows as
    the other pages, at the same rate."""

    source: str  # the damaged file's name
    packets: int
    had: int
    had_most: int | None
    missing_s: float
    unreadable: int  # rows that were found, but cut off or damaged
    others: tuple[LostRows, ...]
    pages: int
    pages_had: int | None

    @property
    def missing(self) -> int:
        return self.had - self.packets

    @property
    def missing_most(self) -> int | None:
        return None if self.had_most is None else self.had_most - self.packets

    def words(self) -> list[str]:
        """The losses, one part of a sentence each; empty if nothing is lost."""
        said = []
        if self.missing or self.missing_most:
            many = _range(self.missing, self.missing_most)
            of = str(self.had) if self.had == self.had_most else f"at least {self.had}"
            said.append(f"{many} of {of} packets are missing, about {self.missing_s:.1f} s")
        elif self.missing_most is None:
            said.append("whether packets came behind the last one cannot be known")
        said += [f"at least {lost.number} {NUMBERED[lost.table][1]} are missing" for lost in self.others]
        if self.pages_had is not None and self.pages < self.pages_had:
            said.append(f"{self.pages_had - self.pages} of the file's {self.pages_had} pages are missing")
        if self.unreadable:
            said.append(f"{self.unreadable} rows were found cut off")
        return said


def _range(least: int, most: int | None) -> str:
    if most is None:
        return f"at least {least}"
    if not least:
        return f"up to {most}"
    return str(least) if most == least else f"{least} to {most}"


def losses(
    pages: Pages,
    roots: Mapping[str, int],
    saved: sqlite3.Connection,
    source: str,
    unreadable: int,
    before: Losses | None,
) -> Losses:
    """What `saved` lacks of the file that `pages` reads. `roots`: the first page of each table's tree. `before`: the
    losses that are noted in that file."""
    packets, newest = _rows(saved, "packet", "seq")
    last, open_at = last_number(pages, roots["packet"])
    least = most = max(newest, last)
    if open_at is not None:
        most = max(least, min(least + _room_behind(pages, open_at), packets + _room(pages)))
    had, had_most = least, None if open_at is not None and pages.declared is None else most
    if before is not None:
        had = max(had, before.had)
        had_most = None if had_most is None or before.had_most is None else max(had_most, before.had_most)
    likely = had - packets
    if had_most is not None:
        gone = max(pages.declared or 0, pages.number) - pages.there
        likely = min(max(round(gone * packets / max(1, pages.there)), likely), had_most - packets)
    others = []
    for table, (key, _) in NUMBERED.items():
        number, newest = _rows(saved, table, key)
        lacking = max(newest, last_number(pages, roots[table])[0]) - number
        lacking = max(lacking, *(lost.number for lost in (before.others if before else ()) if lost.table == table), 0)
        others += [LostRows(table, lacking)] * (lacking > 0)
    missing_s = round(min(likely * _seconds_a_row(saved), LONGEST_S), 3)
    return Losses(source, packets, had, had_most, missing_s, unreadable, tuple(others), pages.there, pages.declared)


def _rows(connection: sqlite3.Connection, table: str, key: str) -> tuple[int, int]:
    """How many rows there are, and the last number."""
    number, newest = connection.execute(f"SELECT count(*), coalesce(max({key}), 0) FROM {table}").fetchone()
    return int(number), int(newest)


def _seconds_a_row(connection: sqlite3.Connection) -> float:
    """The mean over all rows; 0 if there are fewer than two."""
    query = "SELECT max(seq) - min(seq), max(received_ns) - min(received_ns) FROM packet"
    rows, span_ns = connection.execute(query).fetchone()
    return span_ns / rows / 1e9 if rows else 0.0


def last_number(pages: Pages, root: int) -> tuple[int, int | None]:
    """The lowest possible number of a table's last row, from the inner pages of its tree; and the last readable page on
    the way down to it, or None if the page of the row itself can be read."""
    number, known, passed = root, 0, 0
    for _ in range(DEEPEST):
        page = pages[number]
        if len(page) == PAGE_SIZE and page[0] == LEAF:
            return known, None
        if len(page) < PAGE_SIZE or page[0] != INNER:
            break
        known = max([known, *(key for _, key in inner_cells(page))])
        passed, number = number, int.from_bytes(page[8:12], "big")  # the page of all numbers above
    return known + 1 if known else 0, passed  # a page that is pointed to has a row at least


def _room_behind(pages: Pages, open_at: int) -> int:
    """The largest possible number of packet rows after the last known one. `open_at`: the page of the tree that points
    to the unreadable page; 0 if the first page of the tree itself is lost."""
    rows = _rows_a_page(pages)
    cells = inner_cells(pages[open_at])
    if any(page[:1] == bytes([LEAF]) for page in (pages[child] for child, _ in cells)):
        return rows  # what it points to are pages of rows, and only the last of them is open
    pointed = {child for number in range(2, pages.number + 1) for child in _children(pages[number])}
    last = max(pages.declared or 0, pages.number)
    return rows * max(1, sum(pages.is_blank(number) for number in range(2, last + 1) if number not in pointed))


def _room(pages: Pages) -> int:
    """The largest possible number of packet rows on all pages that cannot be read."""
    last = max(pages.declared or 0, pages.number)
    return _rows_a_page(pages) * sum(pages.is_blank(number) for number in range(2, last + 1))


def _rows_a_page(pages: Pages) -> int:
    """The largest number of rows on any page."""
    found = (pages[number] for number in range(2, pages.number + 1))
    return max((int.from_bytes(page[3:5], "big") for page in found if page[:1] == bytes([LEAF])), default=1)


def _children(page: bytes) -> list[int]:
    return [child for child, _ in inner_cells(page)] if page[:1] == bytes([INNER]) and len(page) == PAGE_SIZE else []
