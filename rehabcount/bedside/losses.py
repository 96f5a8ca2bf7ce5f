"""Data that a session file lacks: rows that a salvage lost, and times in which no sensor sent anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rehabcount.store.losses import Losses
    from rehabcount.store.outages import Outage
    from rehabcount.store.session_file import SessionFile


def losses_of(session: SessionFile) -> Losses | None:
    """What a salvaged file lacks; None if the file was not salvaged."""
    from rehabcount.store.documents import SALVAGE

    return session.legible(SALVAGE)


def in_words(lost: Losses | None, outages: Sequence[Outage]) -> list[str]:
    """One sentence for each kind of loss."""
    said = []
    if lost is not None and (words := lost.words()):
        said.append(f"Salvaged from {lost.source}: {'; '.join(words)}.")
    if outages:
        start_s, end_s = max(outages, key=lambda span: span[1] - span[0])
        together_s = sum(end_s - start_s for start_s, end_s in outages)
        longest = f"from {start_s:.1f} to {end_s:.1f} s"
        if len(outages) == 1:
            said.append(f"No sensor sent anything for {together_s:.1f} s ({longest}).")
        else:
            said.append(
                f"No sensor sent anything for {together_s:.1f} s, {len(outages)} times (the longest {longest})."
            )
    return said
