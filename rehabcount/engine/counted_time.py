"""Counted time: when a session was in a counting phase, calibrated, and had the required sensors.

In: the phases and sensor sets of a counting. Out: spans of session time of one arm, and the reason if nothing was
counted. The rule is that of `engine/tally.py`, applied to time instead of to one movement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from rehabcount.domain.dose import Dose
from rehabcount.domain.labels import PRIMITIVES, TRANSPORT
from rehabcount.domain.rig import Side
from rehabcount.domain.update import UNCALIBRATED, Believing, Phase, PhaseName, SensorSet, Update

Span = tuple[float, float]


def counted_spans(updates: Iterable[Update], side: Side, until_s: float) -> tuple[Span, ...]:
    """The spans `[start, end)` before `until_s` in which movements of this arm counted, apart or not."""
    said = [update for update in updates if isinstance(update, Phase | SensorSet)]
    phases = sorted(((each.at_s, each.name) for each in said if isinstance(each, Phase)), key=lambda pair: pair[0])
    sets = [(each.at_s, each.missing) for each in said if isinstance(each, SensorSet) and each.side is side]
    # The first sensor set of a session without a calibration comes one block late; it is valid from the beginning.
    missing = sets[0][1] if sets and UNCALIBRATED in sets[0][1] else ()
    phase = PhaseName.COUNTING  # a recording without phases counts throughout
    changes = sorted({0.0, until_s, *(at_s for at_s, _ in phases), *(at_s for at_s, _ in sets)})
    found: list[Span] = []
    for start_s, end_s in pairwise(changes):
        phase = next((name for at_s, name in reversed(phases) if at_s <= start_s), phase)
        missing = next((names for at_s, names in reversed(sets) if at_s <= start_s), missing)
        if start_s >= until_s or missing or phase not in (PhaseName.COUNTING, PhaseName.ASSISTED):
            continue
        if found and found[-1][1] == start_s:
            found[-1] = (found[-1][0], end_s)
        else:
            found.append((start_s, end_s))
    return tuple(found)


def why_nothing(updates: Sequence[Update], side: Side, until_s: float) -> str:
    """Why there is no task repetition, in one sentence; empty if there is one, or if it is too early to expect one."""
    doses = [update for update in updates if isinstance(update, Dose)]
    dose = doses[-1] if doses else None
    if dose is not None and (dose.repetitions or dose.assisted_repetitions):
        return ""
    sets = [update for update in updates if isinstance(update, SensorSet) and update.side is side]
    spans = counted_spans(updates, side, until_s)
    if not spans and sets and UNCALIBRATED in sets[-1].missing:
        return "Nothing was counted: the calibration was not completed, and nothing is counted before it."
    if not spans and sets and sets[-1].missing:
        return f"Nothing was counted: {', '.join(sets[-1].missing)} gave nothing."
    if not spans:
        return "Nothing was counted: the session was calibrating or paused all the time."
    counted_s = sum(end_s - start_s for start_s, end_s in spans)
    mine = {count.label: count.number + count.assisted for count in (dose.counts if dose else ()) if count.side is side}
    moved = sum(number for label, number in mine.items() if PRIMITIVES[label].counted)
    if not moved:
        return (
            f"Nothing was counted: no movement of the {side} arm was recognised in the {counted_s:.0f} s of counting."
        )
    if not mine.get(TRANSPORT.name):
        movements = f"{moved} movement{'s' if moved > 1 else ''}"
        return f"No task repetition: none of the {movements} was a transport, and a repetition has at least one."
    if any(isinstance(update, Believing) for update in updates):
        return (
            "No task repetition: the transports are too doubtful, or belong to a repetition that began before counting "
            "did."
        )
    return "No task repetition: the only transports belong to a repetition that began before counting did."
