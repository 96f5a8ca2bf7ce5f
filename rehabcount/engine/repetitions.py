"""Where the task repetitions of a session lie: each run of handling with the reach before it and the way back after it.

In: the movements of the trained arm, as counted or as labelled. Out: half-open spans, in order and apart. The runs are
those of docs/counting.md: transport and stabilize, unbroken, with at least one transport. A span begins half a second
before the reaches that lead to the run and ends half a second after the repositions that follow it; where two runs have
less rest between them, it is divided.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from rehabcount.domain.labels import REACH, REPOSITION, TRANSPORT
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.engine.tally import BREAK_S, HANDLING

REST_S = 0.5  # of rest that belongs to a repetition at either end


def repetitions_in(segments: Iterable[Segment], side: Side, length_s: float) -> tuple[tuple[float, float], ...]:
    """The spans of the repetitions of one arm."""
    mine = sorted((each for each in segments if each.side is side), key=lambda each: each.start_s)
    spans: list[tuple[float, float]] = []
    for first, last in _runs(mine):
        before, after = first, last
        while before and mine[before - 1].label == REACH.name and _follows(mine[before - 1], mine[before]):
            before -= 1
        after = _over_rest(mine, after)
        while after + 1 < len(mine) and mine[after + 1].label == REPOSITION.name and _follows(*mine[after : after + 2]):
            after += 1
        spans.append((mine[before].start_s, mine[after].end_s))
    edges = [0.0, *((one[1] + other[0]) / 2 for one, other in pairwise(spans)), length_s]
    return tuple(
        (round(max(start_s - REST_S, low), 3), round(min(end_s + REST_S, high), 3))
        for (start_s, end_s), (low, high) in zip(spans, pairwise(edges), strict=False)
    )


def _runs(mine: list[Segment]) -> list[tuple[int, int]]:
    """First and last movement of each run of handling that has a transport."""
    found: list[tuple[int, int]] = []
    begun: int | None = None
    for at, each in enumerate([*mine, None]):
        goes_on = (
            each is not None
            and each.label in HANDLING
            and (begun is None or each.start_s - mine[at - 1].end_s <= BREAK_S)
        )
        if begun is not None and not goes_on:
            if any(part.label == TRANSPORT.name for part in mine[begun:at]):
                found.append((begun, at - 1))
            begun = None
        if each is not None and each.label in HANDLING and begun is None:
            begun = at
    return found


def _follows(one: Segment, other: Segment) -> bool:
    return other.start_s - one.end_s <= BREAK_S


def _over_rest(mine: list[Segment], at: int) -> int:
    """Past a short stop between handling and the way back: idle, then reposition."""
    if (
        at + 2 < len(mine)
        and mine[at + 1].label not in (*HANDLING, REACH.name, REPOSITION.name)
        and mine[at + 1].length_s <= BREAK_S
        and mine[at + 2].label == REPOSITION.name
    ):
        return at + 2
    return at
