"""Times and lengths as people say them."""

from __future__ import annotations

from datetime import UTC, date, datetime

from PyQt6.QtCore import QDate, QDateTime, QLocale

from rehabcount.gui.language import plural, tr


def spoken_time(utc_text: str, now: datetime | None = None) -> str:
    """`today 10:03`, `yesterday 16:20`, then the day; from an ISO 8601 text."""
    at = datetime.fromisoformat(utc_text)
    at = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone()
    today = (now or datetime.now(UTC)).astimezone().date()
    clock = QLocale().toString(QDateTime.fromSecsSinceEpoch(int(at.timestamp())).time(), QLocale.FormatType.ShortFormat)
    days = (today - at.date()).days
    if days == 0:
        return tr("today {time}").format(time=clock)
    if days == 1:
        return tr("yesterday {time}").format(time=clock)
    return f"{spoken_day(at.date())} {clock}"


def spoken_day(day: date | QDate) -> str:
    """`2 Oct 2026`: in figures alone the month would be the day for half of those who read English."""
    known = day if isinstance(day, QDate) else QDate(day.year, day.month, day.day)
    return QLocale().toString(known, tr("d MMM yyyy"))


def spoken_length(seconds: float) -> str:
    """`45 s`, `12 min`, `1 h 05 min`."""
    if seconds < 60:
        return tr("{n} s").format(n=round(seconds))
    minutes = round(seconds / 60)
    if minutes < 60:
        return tr("{n} min").format(n=minutes)
    return tr("{hours} h {minutes:02d} min").format(hours=minutes // 60, minutes=minutes % 60)


def repetitions(number: int) -> str:
    return plural(number, "{n} repetition", "{n} repetitions")
