"""Figures of a summary in the window's language: dates, minutes, shares, the accuracy of the counts."""

from __future__ import annotations

import math

from PyQt6.QtCore import QDateTime, QLocale, Qt

from rehabcount.domain.dose import Dose
from rehabcount.domain.patient import Severity
from rehabcount.domain.session_agreement import SessionAgreement
from rehabcount.domain.session_summary import Agreement, ModelFacts, Pause, Summary
from rehabcount.gui.language import decimal, patient_name, plural, side_name, signed, tr
from rehabcount.gui.moments import spoken_day
from rehabcount.gui.place_state import called

NOT_KNOWN = "–"
EXACT = 1e-6  # of a tick: 82.1 is a little less than 82.10 in the computer's eyes


def moment(utc_ns: int | None) -> str:
    """Day and time on the clock of this place."""
    if utc_ns is None:
        return tr("date not known")
    return _spoken(QDateTime.fromMSecsSinceEpoch(utc_ns // 10**6))


def now() -> str:
    return _spoken(QDateTime.currentDateTime())


def _spoken(at: QDateTime) -> str:
    return f"{spoken_day(at.date())}, {QLocale().toString(at.time(), QLocale.FormatType.ShortFormat)}"


def day(utc_ns: int | None) -> str:
    """The day alone, short."""
    if utc_ns is None:
        return NOT_KNOWN
    return spoken_day(QDateTime.fromMSecsSinceEpoch(utc_ns // 10**6).date())


def iso_day() -> str:
    """Today, for file names."""
    return QDateTime.currentDateTime().toString(Qt.DateFormat.ISODate)[:10]


def number(value: float | None, digits: int = 0) -> str:
    """With the decimal sign of the language."""
    return NOT_KNOWN if value is None else decimal(value, digits)


def length(seconds: float) -> str:
    """How long something took, as the clock shows it: 3:16 min, or 1:02:03 h."""
    words = tr("{clock} min") if abs(seconds) < 3600 else tr("{clock} h")
    return words.format(clock=clock(seconds))


def clock(seconds: float, digits: int = 0) -> str:
    """12:34, or 1:02:03 from an hour on; with so many digits of a second, 0:04.25; −0:12 before Start."""
    ticks = 10**digits
    whole, part = divmod(math.floor(abs(seconds) * ticks + EXACT), ticks)
    hours, rest = divmod(whole, 3600)
    shown = f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"
    fraction = f"{QLocale().decimalPoint()}{part:0{digits}d}" if digits else ""
    return ("−" if seconds < 0 and (whole or part) else "") + shown + fraction


def course_title(bin_s: float) -> str:
    if bin_s < 60:
        return tr("Task repetitions per {seconds} seconds").format(seconds=number(bin_s))
    if bin_s == 60:
        return tr("Task repetitions per minute")
    return tr("Task repetitions per {minutes} minutes").format(minutes=number(bin_s / 60))


def share(value: float | None) -> str:
    if value is None:
        return NOT_KNOWN
    digits = 1 if 0.99 < value < 1 else 0  # 99.9 % must not become 100 %
    return tr("{percent} %").format(percent=number(math.floor(1000 * value) / 10 if digits else 100 * value, digits))


def accuracy(model: ModelFacts | None) -> str:
    """The accuracy of the counts in one sentence; never better than measured."""
    if model is None:
        return tr("This session was not counted yet")
    if model.evidence == "real patients" and model.evidence_people > 0:
        return plural(model.evidence_people, "Measured on {n} real patient", "Measured on {n} real patients")
    if model.evidence == "simulated":
        return tr("Accuracy on patients unknown: measured on simulated people only")
    if model.evidence == "real healthy people":
        return tr("Accuracy on patients unknown: measured on healthy people only")
    return tr("Accuracy on patients unknown")


def single_session(agreement: SessionAgreement | None, severity: Severity | None = None) -> str:
    """What the count of a single session is worth, in a sentence or two; of an unknown severity for both."""
    groups = agreement.for_patient(severity) if agreement is not None else ()
    if agreement is None or not groups:
        return tr("How far the count of a single session is off was not measured for this model.")
    simulated = agreement.evidence == "simulated"
    first = (
        tr(
            "On simulated patients with {sensors} sensors, {within} of {sessions} sessions were counted within {off} "
            "repetitions of the true number ({mean} on average)."
        )
        if simulated
        else tr(
            "With {sensors} sensors {within} of {sessions} sessions were counted within {off} repetitions of the true "
            "number ({mean} on average)."
        )
    )
    weak = tr("With a severely affected arm {within} of {sessions} within {off} ({mean} on average).")
    said = []
    for words, group in zip((first, weak), groups, strict=False):
        figures = {"within": group.within, "sessions": group.sessions, "off": group.off}
        said.append(words.format(sensors=agreement.sensors, mean=number(group.repetitions), **figures))
    return " ".join(said)


def single_session_short(agreement: SessionAgreement | None, severity: Severity | None, sensors: int) -> str:
    """The same, short enough to be read from two metres beside the number; empty if it was not measured with so many
    sensors."""
    groups = agreement.for_patient(severity) if agreement is not None else ()
    if agreement is None or not groups or agreement.sensors != sensors:
        return ""
    simulated = agreement.evidence == "simulated"
    words = (
        tr("At most {off} off in {within} of {sessions} simulated sessions")
        if simulated
        else tr("At most {off} off in {within} of {sessions} sessions")
    )
    first = words.format(off=groups[0].off, within=groups[0].within, sessions=groups[0].sessions)
    return first + "".join(tr("; severely affected {off}").format(off=each.off) for each in groups[1:])


def evidence_name(evidence: str) -> str:
    names = {
        "simulated": tr("simulated people"),
        "real healthy people": tr("real healthy people"),
        "real patients": tr("real patients"),
    }
    return names.get(evidence, tr("not stated"))


def model_name(model: ModelFacts | None) -> str:
    if model is None:
        return NOT_KNOWN
    return origin(f"{model.name} {model.version}".strip() or tr("unnamed"), model.is_shipped)


def origin(model: str, is_shipped: bool) -> str:
    """The model's name beside its counts, with a remark if it did not come with the program."""
    return model if is_shipped else tr("{model} (not shipped with rehabcount)").format(model=model)


def short_hash(model: ModelFacts | None) -> str:
    return model.sha256[:12] if model is not None else NOT_KNOWN


def whose(summary: Summary) -> str:
    return patient_name(summary.patient) or tr("Patient not said")


def file_name(summary: Summary) -> str:
    """The name for a copy of the report: patient and day."""
    code = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in summary.patient)
    begun = summary.begun_utc_ns
    at = QDateTime.fromMSecsSinceEpoch(begun // 10**6).toString("yyyy-MM-dd-HHmm") if begun is not None else ""
    return "-".join(part for part in (code, at) if part) or "session"


def facts_line(summary: Summary) -> str:
    """Arm, sensors and lengths in one line."""
    return f"{arm_line(summary)}  ·  {length_line(summary)}"


def arm_line(summary: Summary) -> str:
    arm = tr("{side} arm trained").format(side=side_name(summary.side.value))
    sensors = plural(len(summary.rig), "{n} sensor", "{n} sensors")
    return f"{arm}  ·  {sensors}"


def length_line(summary: Summary) -> str:
    """Two lengths, each with its name: the record begins before Start and holds the pauses, too."""
    return tr("recorded {recorded}, counted {counted}").format(
        recorded=length(summary.length_s), counted=length(summary.counting_s)
    )


def activity_name(name: str) -> str:
    return name or tr("outside any activity")


def correction_lines(summary: Summary) -> list[str]:
    """The corrections of the automatic count."""
    found = summary.agreement
    if summary.counting is None:
        return [tr("This session was not counted yet") + "."]
    if not found.is_checked:
        return [tr("The automatic count was not checked.")]
    difference = found.repetitions.corrected - found.repetitions.automatic
    lines = [
        tr("Task repetitions: {automatic} automatic, {corrected} corrected{difference}.").format(
            automatic=number(found.repetitions.automatic),
            corrected=number(found.repetitions.corrected),
            difference=f" ({signed(difference)})" if difference else "",
        )
    ]
    if found.by_hand:
        lines.append(tr("By hand during the session: {number}.").format(number=signed(found.by_hand)))
    if found.opinions:
        lines.append(events_corrected(found))
        people = ", ".join(editor.who for editor in summary.editors)
        last = max(editor.last_utc_ns for editor in summary.editors)
        lines.append(tr("By {people}, last {when}.").format(people=people, when=moment(last)))
    return lines


def events_corrected(found: Agreement) -> str:
    """The number of events that differ from the recogniser's, as everywhere."""
    words = tr("Events corrected: {corrected} ({changed} changed, {removed} removed, {added} added); {kept} kept.")
    return words.format(
        corrected=found.corrected, changed=found.changed, removed=found.removed, added=found.added, kept=found.kept
    )


def paused_words(pause: Pause) -> str:
    return tr("paused from {start} to {end}").format(start=clock(pause.start_s), end=clock(pause.end_s))


def pace_name() -> str:
    """What the one pace is called."""
    return tr("repetitions per counted minute")


def pace_help() -> str:
    return tr("Pauses and assisted time are left out.")


def helped(summary: Summary) -> str:
    """What the therapist helped with: of how many repetitions, and for how long."""
    apart, alone = summary.dose.assisted_repetitions, summary.dose.repetitions
    words = tr("{number} of {total}, {length}")
    said = words.format(number=number(apart), total=number(apart + alone), length=length(summary.assisted_s))
    return tr("with assistance ({count})").format(count=said)


def of_plan(dose: Dose) -> str:
    """How much of the plan is done; empty where there is no target."""
    if dose.of_plan is None:
        return ""
    return tr("{number} of {target} planned").format(number=number(dose.of_plan), target=number(dose.plan.target))


def missing_lines(summary: Summary) -> list[str]:
    """Which sensors have gaps."""
    if not summary.missing:
        return [tr("No data are missing.")]
    return [
        tr("{sensor}: {seconds} s missing in {gaps}").format(
            sensor=called(each.sensor), seconds=number(each.length_s, 1), gaps=plural(each.gaps, "{n} gap", "{n} gaps")
        )
        for each in summary.missing
    ]


def counted_by(model: ModelFacts) -> str:
    return tr("Counted by {name} ({hash}), evidence: {evidence}.").format(
        name=model_name(model), hash=short_hash(model), evidence=evidence_name(model.evidence)
    )
