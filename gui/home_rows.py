"""The rows of Home's lists: patients that a search finds, and the sessions of one. Both come from `Shelves`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rehabcount.domain.patient import DEMO, Patient
from rehabcount.gui.language import patient_name, plural, signed, speaks_source, tr
from rehabcount.gui.moments import repetitions, spoken_length, spoken_time
from rehabcount.gui.patient_card import describe
from rehabcount.gui.rows import Row
from rehabcount.store.library import Library, Listing, SessionEntry, Standing

UNKNOWN = ""  # the key of the row of sessions without a known patient
Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Shelves:
    """The known contents of the library at one moment."""

    stamp: Stamp
    patients: tuple[Patient, ...]
    listing: Listing


def readings(library: Library, unless: Stamp | None) -> Iterator[Shelves]:
    """The contents of the library, in steps if many files are new; nothing if its stamp is still `unless`."""
    stamp = library.stamp()
    if stamp == unless:
        return
    patients = library.patients()
    for listing in library.listings():
        yield Shelves(stamp, patients, listing)


def patient_rows(patients: Mapping[str, Patient], sessions: Sequence[SessionEntry], search: str) -> list[Row]:
    """The patients whose code or notes contain every word of the search."""
    words = search.casefold().split()
    last = {entry.patient: entry for entry in reversed(sessions)}
    rows = []
    for code, patient in patients.items():
        if not all(word in f"{code} {patient_name(code)} {patient.notes}".casefold() for word in words):
            continue
        newest = last.get(code)
        rows.append(
            Row(
                code,
                patient_name(code),
                describe(patient, short=True),
                spoken_time(newest.begun_utc).rsplit(" ", 1)[0] if newest else "",
                icon="body" if code == DEMO.code else "patient",
            )
        )
    if not words and any(without_patient(patients, sessions)):
        rows.append(
            Row(UNKNOWN, tr("Sessions without a patient"), tr("recordings without a known patient"), icon="help")
        )
    return rows


def without_patient(patients: Mapping[str, Patient], sessions: Iterable[SessionEntry]) -> list[SessionEntry]:
    return [entry for entry in sessions if entry.patient not in patients]


def session_row(entry: SessionEntry) -> Row:
    figures = entry.figures
    words = {
        Standing.RECORDING: tr("being recorded"),
        Standing.INTERRUPTED: tr("interrupted"),
        Standing.UNREADABLE: tr("cannot be read"),
        Standing.MISSING: tr("file is missing"),
    }
    if entry.standing is not Standing.CLOSED:
        return Row(
            entry.path,
            spoken_time(entry.begun_utc),
            (figures.trouble if speaks_source() else entry.path.name)
            if figures.trouble
            else spoken_length(figures.length_s),
            words[entry.standing],
            icon="warning",
            tint="warn",
        )
    details = [spoken_length(figures.length_s), plural(figures.sensors, "{n} sensor", "{n} sensors")]
    if figures.simulated:
        details.append(tr("simulated"))
    if figures.corrections:
        details.append(tr("reviewed"))
    if figures.by_hand:
        details.append(tr("{number} by hand").format(number=signed(figures.by_hand)))
    done = repetitions(figures.repetitions)
    if figures.of_plan is not None:
        details.append(tr("{number} of {target} planned").format(number=figures.of_plan, target=figures.target))
    elif figures.target:  # listed by an older version, which did not look at the activities
        details.append(tr("{target} planned").format(target=figures.target))
    active = tr("{length} active").format(length=spoken_length(figures.active_s)) if figures.active_s else ""
    return Row(entry.path, spoken_time(entry.begun_utc), " · ".join(details), done, active, icon="clock")
