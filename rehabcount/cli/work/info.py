"""The contents of files and folders."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.markup import escape

from rehabcount.bedside.listing import holds_sessions, sessions_in
from rehabcount.bedside.losses import in_words, losses_of
from rehabcount.cli.console import end_with, new_table, output, print_json, progress
from rehabcount.domain.document import to_document
from rehabcount.errors import RehabcountError
from rehabcount.exchange.report import utc_text
from rehabcount.sensors.importers import ImportedRecording, read_export
from rehabcount.store.connection import is_database
from rehabcount.store.contents import Contents
from rehabcount.store.documents import CALIBRATION, IMPORT, KINDS, SIMULATION
from rehabcount.store.library import SessionEntry
from rehabcount.store.session_file import SessionFile

NOTABLE_LOSS = 0.05  # of the samples of a sensor; less is no news


@dataclass(frozen=True, slots=True)
class InfoRequest:
    """Session files, a folder of them, or the files of a vendor's export."""

    files: tuple[Path, ...]
    rate_hz: float | None = None  # of an export that does not say it
    as_json: bool = False


def show_info(request: InfoRequest) -> None:
    files, as_json = request.files, request.as_json
    if len(files) == 1 and holds_sessions(files[0]):
        _list_sessions(files[0], as_json)
    elif len(files) == 1 and _claims_to_be_a_session(files[0]):
        _show(_read_session(files[0]), as_json)
    elif all(file.suffix == ".rehab" for file in files):
        _show_sessions(files, as_json)
    else:
        _show(_recording_document(read_export(files, rate_hz=request.rate_hz)), as_json)


def _show_sessions(files: tuple[Path, ...], as_json: bool) -> None:
    """Each session as soon as it is read; those that cannot be read follow after the others, with the reason."""
    documents: list[dict[str, Any]] = []
    failed: list[tuple[str, RehabcountError]] = []
    with progress() as bar:
        task = bar.add_task("Reading sessions", total=len(files))
        for file in files:
            try:
                documents.append(_read_session(file))
                if not as_json:
                    _show(documents[-1], as_json)
            except RehabcountError as problem:
                failed.append((str(file), problem))
            except Exception as problem:  # noqa: BLE001  # no error of one file stops the others
                failed.append((str(file), RehabcountError(f"it cannot be read ({type(problem).__name__}: {problem}).")))
            bar.advance(task)
    if as_json:
        listed = [{"file": file, "error": str(problem)} for file, problem in failed]
        print_json({"sessions": documents, "failed": listed})
    end_with(failed)


def _list_sessions(folder: Path, as_json: bool) -> None:
    """One line each: listed sessions at once, the others as they are read."""
    documents: list[dict[str, Any]] = []
    with progress() as bar:
        task = bar.add_task("Reading sessions")
        for entries, looked, new in sessions_in(folder):
            for entry in entries:
                documents.append(_entry_document(entry))
                if not as_json:
                    output.print(_line(documents[-1]), markup=False, highlight=False, soft_wrap=True)
            bar.update(task, completed=looked, total=new)
    if as_json:
        print_json({"sessions": documents})
    else:
        output.print(f"{len(documents)} session{'s' if len(documents) > 1 else ''}.", highlight=False)


def _entry_document(entry: SessionEntry) -> dict[str, Any]:
    figures = entry.figures
    return {
        "name": entry.path.name,
        "patient": entry.patient,
        "begun_utc": entry.begun_utc,
        "state": entry.standing.value,
        "length_s": figures.length_s,
        "task_repetitions": figures.repetitions,
        "sensors": figures.sensors,
        "simulated": figures.simulated,
        "trouble": figures.trouble,
    }


def _line(entry: dict[str, Any]) -> str:
    said = entry["trouble"] or (
        f"{entry['length_s'] / 60:6.1f} min {entry['task_repetitions']:5} repetitions"
        f"{', simulated' if entry['simulated'] else ''}"
    )
    line = f"{entry['begun_utc'][:16]}  {entry['patient'] or '–':<12} {entry['state']:<11} {said}  {entry['name']}"
    return "".join(letter if letter.isprintable() else "?" for letter in line)  # a file may hold control characters


def _read_session(file: Path) -> dict[str, Any]:
    with SessionFile.open(file) as session:
        lost, outages, contents = losses_of(session), session.outages(), session.contents()
        imported, stretches = session.legible(IMPORT), session.stretches()
        calibrated = session.has_document(CALIBRATION) or session.calibration() is not None
        document = _session_document(file, contents, calibrated)
        illegible = [each.name for each in KINDS if session.has_document(each) and session.legible(each) is None]
        return document | {
            "begun_utc": utc_text(stretches[0].utc_ns if stretches else None),
            "simulated": bool(session.document_versions(SIMULATION)),
            "losses": to_document(lost) if lost is not None else None,
            "outages": [{"start_s": start_s, "end_s": end_s} for start_s, end_s in outages],
            "notes": [
                *in_words(lost, outages),
                *_samples_lost(imported, contents),
                *(f"Its document {name!r} cannot be read." for name in illegible),
            ],
        }


def _samples_lost(imported: Any, contents: Contents) -> list[str]:
    """By how many samples the import read of each sensor; a packet may hold several."""
    listed = imported.get("sensors") if isinstance(imported, dict) else None
    numbers = {
        each["name"]: each["samples"]
        for each in (listed if isinstance(listed, list) else ())
        if isinstance(each, dict) and isinstance(each.get("name"), str) and isinstance(each.get("samples"), int)
    }
    said = []
    for sensor in contents.sensors:
        if sensor.name not in numbers or not sensor.rate_hz or sensor.first_ns is None or sensor.last_ns is None:
            continue
        length_s = (sensor.last_ns - sensor.first_ns) / 1e9
        share = 1 - numbers[sensor.name] / (length_s * sensor.rate_hz + 1)
        if share > NOTABLE_LOSS:
            said.append(f"{sensor.name}: {share:.0%} of the samples are lost; it was set to {sensor.rate_hz:g} Hz.")
    return said


def _claims_to_be_a_session(file: Path) -> bool:
    """By its name or its first bytes; the store then checks whether it really is one."""
    if file.suffix == ".rehab" or not file.exists():
        return True
    return is_database(file)


def _session_document(file: Path, contents: Contents, calibrated: bool) -> dict[str, Any]:
    return {
        "kind": "session",
        "name": file.name,
        "state": contents.state.value,
        "created": contents.created_utc,
        "software": contents.software,
        "schema": contents.schema,
        "length_s": round(contents.length_s, 3),
        "calibrated": calibrated,
        "counted": {"countings": contents.countings, "events": contents.events, "corrections": contents.corrections},
        "labels": {"layers": list(contents.layers), "segments": contents.segments},
        "sensors": [
            {
                "name": sensor.name,
                "place": sensor.place,
                "layout": sensor.layout,
                "rate_hz": sensor.rate_hz,
                "packets": sensor.packets,
                "packets_hz": sensor.packets_hz,
                "silences": sensor.silences,
            }
            for sensor in contents.sensors
        ],
    }


def _recording_document(recording: ImportedRecording) -> dict[str, Any]:
    sensors = []
    for sensor, samples in zip(recording.rig.sensors, recording.samples, strict=True):
        length_s = float(samples.received_ns[-1] - samples.received_ns[0]) / 1e9 if len(samples) else 0.0
        sensors.append(
            {
                "name": sensor.name,
                "place": sensor.place.value if sensor.place else None,
                "rate_hz": sensor.rate_hz,
                "samples": len(samples),
                "samples_hz": round((len(samples) - 1) / length_s, 2) if length_s > 0 else None,
                "measures": [name for name in ("acc", "gyr", "quat") if getattr(samples, name) is not None],
                "clock": "sensor" if samples.tick is not None else "receipt",
            }
        )
    return {
        "kind": "export",
        "name": recording.name,
        "length_s": round(recording.length_s, 3),
        "sensors": sensors,
        "notes": list(recording.notes),
        "files": [
            {"name": source.name, "bytes": source.bytes, "sha256": source.sha256} for source in recording.sources
        ],
    }


def _show(document: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(document)
        return
    minutes, seconds = divmod(document["length_s"], 60)
    title = f"{document['name']}: {document['kind']}, {int(minutes)} min {seconds:04.1f} s"
    if document["kind"] == "session":
        title += f", {document['state']}"
    sensors = document["sensors"]
    columns = list(sensors[0]) if sensors else ["name"]
    table = new_table(title, *(column.replace("_", " ") for column in columns))
    for sensor in sensors:
        table.add_row(*(_cell(sensor[column]) for column in columns))
    output.print(table)
    if document["kind"] == "session":
        counted, labels = document["counted"], document["labels"]
        output.print(_when(document), markup=False)
        output.print(
            "calibrated" if document["calibrated"] else "not calibrated (`rehabcount calibrate`)", markup=False
        )
        if labels["segments"]:
            output.print(f"{labels['segments']} reference labels in {', '.join(labels['layers'])}", markup=False)
        if counted["countings"]:
            output.print(f"{counted['events']} events, {counted['corrections']} corrections", markup=False)
    for note in document["notes"]:
        output.print(f"- {note}", markup=False)


def _when(document: dict[str, Any]) -> str:
    """A file that was simulated or imported was not recorded when it was written."""
    program = f"with rehabcount {document['software']}"
    simulated = "simulated, " if document["simulated"] else ""
    if document["begun_utc"] is None:
        return f"{simulated}date not known; written {document['created']} {program}"
    return f"{simulated}recorded {document['begun_utc']} {program}"


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    return escape(" ".join(value) if isinstance(value, list) else str(value))
