"""A session's report as tables: every figure of its Summary with its name and unit, and one row a session.

Times are seconds since Start, and say so (`domain/session_summary.py`). `Start` itself is
given in seconds of the record, the clock of exported events and labels. Lengths in a column's name are minutes.

`write_figures` gives one CSV file for one session, in which each line is one figure: section, item, value, unit. It
holds all figures of the printed page and some more. `write_sessions` gives a CSV file with one line for
each session, for a spreadsheet over weeks. (The printed page is drawn by rehabcount.gui.report_page, Qt's home.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rehabcount.domain.dose import Dose
from rehabcount.domain.labels import PRIMITIVES
from rehabcount.domain.rig import Side
from rehabcount.domain.session_agreement import in_english
from rehabcount.domain.session_summary import DISCLAIMER, NOT_SHIPPED, SIMULATED, Summary
from rehabcount.exchange.tables import open_table

Value = str | int | float | None


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of a report; a value that is not known is None and an empty cell."""

    section: str
    item: str
    value: Value
    unit: str = ""


def figures(summary: Summary) -> tuple[Figure, ...]:
    """All figures of the session, in the order of the printed page."""
    return (
        *_session(summary),
        *_dose(summary),
        *_time_course(summary),
        *_agreement(summary),
        *_data(summary),
        *_recogniser(summary),
        *(Figure("note", f"{summary.since_start(mark.at_s):.1f} s since Start", mark.note) for mark in summary.notes),
        Figure("notice", "use", DISCLAIMER),
    )


def write_figures(path: Path, summary: Summary) -> None:
    rows = figures(summary)
    with open_table(path, "csv") as table:
        table.write(
            {
                "section": [row.section for row in rows],
                "item": [plain_cell(row.item) for row in rows],
                "value": [_cell(row.value) for row in rows],
                "unit": [row.unit for row in rows],
            }
        )


def write_sessions(path: Path, summaries: Sequence[Summary]) -> None:
    rows = [session_row(summary) for summary in summaries]
    with open_table(path, "csv") as table:
        table.write({name: [_cell(row[name]) for row in rows] for name in (rows[0] if rows else {})})


def session_row(summary: Summary) -> dict[str, Value]:
    """One session as one line."""
    dose, model = summary.dose, summary.model
    row: dict[str, Value] = {
        "patient": summary.patient,
        "file": summary.file,
        "begun_utc": utc_text(summary.begun_utc_ns),
        "simulated": "yes" if summary.simulated else "no",
        "arm": summary.side.value,
        "recorded_min": _minutes(summary.length_s),
        "counted_min": _minutes(summary.counting_s),
        "assisted_min": _minutes(summary.assisted_s),
        "paused_min": _minutes(summary.paused_s),
        "active_min": _minutes(dose.active_s),
        "task_repetitions": dose.repetitions,
        "task_repetitions_automatic": summary.automatic.repetitions,
        "target": dose.plan.target,
        "of_plan": dose.of_plan,
        "task_repetitions_per_counted_min": _pace(summary),
        "by_hand": summary.agreement.by_hand,
        "assisted_repetitions": dose.assisted_repetitions,
    }
    row |= {label.name: count_of(dose, label.name, summary.side) for label in PRIMITIVES.labels if label.counted}
    return row | {
        "missing_data_s": round(sum(each.length_s for each in summary.missing), 3),
        "events_corrected": summary.agreement.corrected,
        "sensors": len(summary.rig),
        "recogniser": model.described if model else None,
        "recogniser_sha256": model.sha256 if model else None,
        "accuracy": model.accuracy if model else None,
    }


def count_of(dose: Dose, label: str, side: Side) -> int:
    """How often the arm made the movement, unassisted."""
    return sum(count.number for count in dose.counts if count.label == label and count.side is side)


def length_of(dose: Dose, label: str, side: Side) -> float:
    """Seconds that it took."""
    return sum(count.length_s for count in dose.counts if count.label == label and count.side is side)


def utc_text(utc_ns: int | None) -> str | None:
    """ISO 8601, to the second."""
    return None if utc_ns is None else datetime.fromtimestamp(utc_ns / 1e9, UTC).isoformat(timespec="seconds")


def plain_cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _session(summary: Summary) -> Iterator[Figure]:
    yield Figure("session", "patient", summary.patient)
    yield Figure("session", "file", summary.file)
    yield Figure("session", "id", summary.session)
    yield Figure("session", "begun", utc_text(summary.begun_utc_ns), "UTC")
    yield Figure("session", "recorded", _minutes(summary.length_s), "min")
    yield Figure("session", "Start", round(summary.start_s, 3), "s into the record")
    yield Figure("session", "trained arm", summary.side.value)
    if summary.simulated:
        yield Figure("session", "simulated", SIMULATED)


def _dose(summary: Summary) -> Iterator[Figure]:
    dose = summary.dose
    yield Figure("dose", "task repetitions", dose.repetitions)
    yield Figure("dose", "target", dose.plan.target)
    yield Figure("dose", "done of the plan", dose.of_plan)
    yield Figure("dose", "task repetitions with assistance", dose.assisted_repetitions)
    share = summary.assisted_share
    yield Figure("dose", "assisted share", None if share is None else round(100 * share, 1), "%")
    yield Figure("dose", "active time", _minutes(dose.active_s), "min")
    yield Figure("dose", "counted time", _minutes(summary.counting_s), "min")
    yield Figure("dose", "assisted time", _minutes(summary.assisted_s), "min")
    yield Figure("dose", "paused time", _minutes(summary.paused_s), "min")
    yield Figure("dose", "pace", _pace(summary), "repetitions per counted min")
    yield Figure("dose", "active time of the trained arm over the other's", dose.use_ratio)
    for activity in dose.activities:
        yield Figure("activity", activity.name or "outside any activity", activity.repetitions, "repetitions")
        yield Figure("activity target", activity.name or "outside any activity", activity.target, "repetitions")
    for count in dose.counts:
        counted = PRIMITIVES[count.label].counted
        if counted:
            yield Figure("primitive", f"{count.label} {count.side}", count.number)
            yield Figure("primitive assisted", f"{count.label} {count.side}", count.assisted)
        yield Figure("time", f"{count.label} {count.side}", round(count.length_s, 3), "s")


def _time_course(summary: Summary) -> Iterator[Figure]:
    for each in summary.bins:
        span = f"{each.start_s:g} to {each.end_s:.1f} s since Start"
        yield Figure("time course", span, each.repetitions, "repetitions")
        yield Figure("time course assisted", span, each.assisted_repetitions, "repetitions")
        yield Figure("time course primitives", span, each.primitives)
        yield Figure("time course active", span, each.active_s, "s")
    for pause in summary.pauses:
        span = f"{pause.start_s:.1f} to {pause.end_s:.1f} s since Start"
        yield Figure("paused", span, round(pause.end_s - pause.start_s, 1), "s")


def _agreement(summary: Summary) -> Iterator[Figure]:
    found = summary.agreement
    for name in ("corrected", "changed", "removed", "added", "kept"):
        yield Figure("corrections", f"events {name}", getattr(found, name))
    yield Figure("corrections", "events looked at", found.opinions)
    yield Figure("corrections", "task repetitions by hand", found.by_hand)
    yield Figure("corrections", "entries in the log", summary.entries, "confirmed and taken back included")
    yield Figure("automatic", "task repetitions", found.repetitions.automatic)
    for each in found.primitives:
        if PRIMITIVES[each.label].counted:
            yield Figure("automatic", f"{each.label} {summary.side}", each.automatic)
    for editor in summary.editors:
        yield Figure(
            "corrected by", editor.who, editor.entries, f"entries in the log, last {utc_text(editor.last_utc_ns)}"
        )


def _data(summary: Summary) -> Iterator[Figure]:
    yield Figure("data", "rig", summary.rig.name)
    for sensor in summary.rig.sensors:
        yield Figure("sensor", sensor.name, sensor.place.value if sensor.place else None)
    for missing in summary.missing:
        yield Figure("missing", missing.sensor, missing.length_s, f"s in {missing.gaps} gaps")


def _recogniser(summary: Summary) -> Iterator[Figure]:
    model = summary.model
    if model is None:
        yield Figure("recogniser", "name", None)
        return
    yield Figure("recogniser", "name", f"{model.name} {model.version}".strip())
    yield Figure("recogniser", "shipped", "yes" if model.is_shipped else NOT_SHIPPED)
    yield Figure("recogniser", "sha256", model.sha256)
    yield Figure("recogniser", "evidence", model.evidence or None)
    yield Figure("recogniser", "accuracy", model.accuracy)
    yield Figure("recogniser", "single session", in_english(model.sessions))
    yield Figure("recogniser", "smallest detectable change", model.mdc95, "repetitions")
    yield Figure("recogniser", "software", summary.software)


def _pace(summary: Summary) -> float | None:
    pace = summary.pace_per_min
    return None if pace is None else round(pace, 2)


def _minutes(seconds: float) -> float:
    return round(seconds / 60, 2)


def _cell(value: Value) -> str | int | float:
    if value is None:
        return ""
    return plain_cell(value) if isinstance(value, str) else value
