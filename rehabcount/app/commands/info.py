"""`rehabcount info`: what a file or folder holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from rehabcount.app.console import end_with, new_table, output, print_json
from rehabcount.errors import RehabcountError

if TYPE_CHECKING:
    from rehabcount.sensors.importers import ImportedRecording
    from rehabcount.store.contents import Contents


def info(
    files: Annotated[
        list[Path],
        typer.Argument(help="Session files, or the files or the folder of one vendor's export.", metavar="FILE..."),
    ],
    rate: Annotated[
        float | None, typer.Option(help="Sampling rate, where an export does not say it.", metavar="HZ")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Say what a file holds: sensors, rates, duration, what was odd.

    Example: `rehabcount info monday.rehab`
    """
    if len(files) == 1 and _claims_to_be_a_session(files[0]):
        _show(_read_session(files[0]), as_json)
        return
    if all(file.suffix == ".rehab" for file in files):
        _show_sessions(files, as_json)
        return
    from rehabcount.sensors.importers import read_export

    _show(_recording_document(read_export(files, rate_hz=rate)), as_json)


def _show_sessions(files: list[Path], as_json: bool) -> None:
    """Each by itself: one that cannot be read is named with its reason after the others."""
    documents: list[dict[str, Any]] = []
    failed: list[tuple[str, RehabcountError]] = []
    for file in files:
        try:
            documents.append(_read_session(file))
        except RehabcountError as problem:
            failed.append((str(file), problem))
        except Exception as problem:  # noqa: BLE001  # whatever is wrong with one file, the others are shown
            failed.append((str(file), RehabcountError(f"it cannot be read ({type(problem).__name__}: {problem}).")))
    if as_json:
        listed = [{"file": file, "error": str(problem)} for file, problem in failed]
        print_json({"sessions": documents, "failed": listed})
    else:
        for document in documents:
            _show(document, as_json)
    end_with(failed)


def _read_session(file: Path) -> dict[str, Any]:
    from rehabcount.store.session_file import SessionFile

    with SessionFile.open(file) as session:
        return _session_document(file, session.contents(), session.calibration() is not None)


def _claims_to_be_a_session(file: Path) -> bool:
    """By its name or its first bytes; whether it really is one is for the store to say."""
    if file.suffix == ".rehab" or not file.exists():
        return True
    from rehabcount.store.connection import is_database

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
        "notes": [],
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
        output.print(f"recorded {document['created']} with rehabcount {document['software']}", markup=False)
        output.print(
            "calibrated" if document["calibrated"] else "not calibrated (`rehabcount calibrate`)", markup=False
        )
        if labels["segments"]:
            output.print(f"{labels['segments']} reference labels in {', '.join(labels['layers'])}", markup=False)
        if counted["countings"]:
            output.print(f"{counted['events']} events, {counted['corrections']} corrections", markup=False)
    for note in document["notes"]:
        output.print(f"- {note}", markup=False)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    return escape(" ".join(value) if isinstance(value, list) else str(value))
