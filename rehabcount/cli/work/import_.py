"""A vendor's export made a session file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import typer

from rehabcount.cli.console import output, print_json, progress
from rehabcount.domain.document import to_document
from rehabcount.domain.rig import Place
from rehabcount.sensors.importers import ImportedRecording, read_export
from rehabcount.store.documents import IMPORT
from rehabcount.store.packets import Origin
from rehabcount.store.session_file import SessionFile

PACKETS_AT_ONCE = 1000  # in one transaction: a crash loses only seconds of work


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """The files of one recording, or its folder, and facts that they do not hold."""

    files: tuple[Path, ...]
    out: Path
    rate_hz: float | None = None
    layout: str | None = None  # of raw WitMotion packets
    places: tuple[str, ...] = ()  # NAME=PLACE
    as_json: bool = False

    def __post_init__(self) -> None:
        if self.layout not in (None, "wit-20", "wit-28"):
            raise typer.BadParameter("must be wit-20 or wit-28", param_hint="--layout")


def import_recording(request: ImportRequest) -> None:
    recording = read_export(request.files, rate_hz=request.rate_hz, layout=request.layout)
    try:
        recording = recording.placed(_places(request.places))
    except ValueError as problem:
        raise typer.BadParameter(str(problem), param_hint="--place") from problem
    _write(recording, request.out)
    if request.as_json:
        print_json({"session": str(request.out), **_document(recording)})
    else:
        _say(recording, request.out)


def _places(given: Sequence[str]) -> dict[str, Place]:
    places = {}
    for text in given:
        name, equals, place = text.rpartition("=")
        if not equals or place not in set(Place):
            raise typer.BadParameter(f"{text!r} is not NAME=PLACE; places are {', '.join(Place)}", param_hint="--place")
        places[name] = Place(place)
    return places


def _write(recording: ImportedRecording, out: Path) -> None:
    packets = list(recording.packets())
    with progress() as bar, SessionFile.create(out, recording.rig, origin=Origin(0, None)) as session:
        task = bar.add_task("Writing packets", total=len(packets))
        left = iter(packets)
        while block := list(islice(left, PACKETS_AT_ONCE)):
            session.append(block)
            bar.advance(task, len(block))
        session.put_document(IMPORT, _document(recording))
        session.close_session()


def _document(recording: ImportedRecording) -> dict[str, Any]:
    return {
        "name": recording.name,
        "length_s": recording.length_s,
        "sensors": [
            {
                "name": sensor.name,
                "place": sensor.place and sensor.place.value,
                "serial": sensor.serial,
                "rate_hz": sensor.rate_hz,
                "samples": len(samples),
                "measures": [name for name in ("acc", "gyr", "quat") if getattr(samples, name) is not None],
            }
            for sensor, samples in zip(recording.rig.sensors, recording.samples, strict=True)
        ],
        "notes": list(recording.notes),
        "sources": [to_document(source) for source in recording.sources],
    }


def _say(recording: ImportedRecording, out: Path) -> None:
    for note in recording.notes:
        output.print(f"  {note}", style="dim", markup=False, highlight=False)
    for sensor, samples in zip(recording.rig.sensors, recording.samples, strict=True):
        where = sensor.place.value if sensor.place else "place not said; use --place"
        text = f"{sensor.name}: {len(samples)} samples at {sensor.rate_hz:g} Hz ({where})"
        output.print(text, markup=False, highlight=False)
    text = f"{out.name}: {recording.length_s:.1f} s of {len(recording.rig)} sensors from {recording.name}."
    output.print(text, markup=False, highlight=False)
