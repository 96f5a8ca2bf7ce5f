"""`rehabcount import`: a vendor's export becomes a session file, which replays like a live one."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rehabcount.cli.console import output, print_json, progress

if TYPE_CHECKING:
    from rehabcount.domain.rig import Place
    from rehabcount.sensors.importers import ImportedRecording

PACKETS_AT_ONCE = 1000  # a transaction each: seconds of work are lost to a crash, not all of it


def import_(
    files: Annotated[list[Path], typer.Argument(help="The files of one recording, or its folder.", metavar="FILE")],
    out: Annotated[Path, typer.Option(help="The session file to write.", metavar="SESSION.rehab")],
    rate: Annotated[float | None, typer.Option(help="Samples a second, where the files do not say.", min=0.1)] = None,
    layout: Annotated[str | None, typer.Option(help="Of raw WitMotion packets: wit-20 or wit-28.")] = None,
    place: Annotated[
        list[str] | None, typer.Option(help="Where a sensor sat, e.g. RWrist=right-wrist.", metavar="NAME=PLACE")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Read a recording of Movella DOT, MetaMotion or WitMotion sensors into a session file.

    Whatever was odd about the files is printed and kept in the session file.

    Example: `rehabcount import recordings/monday --out monday.rehab --place RWrist=right-wrist`
    """
    from rehabcount.sensors.importers import read_export

    if layout not in (None, "wit-20", "wit-28"):
        raise typer.BadParameter("must be wit-20 or wit-28", param_hint="--layout")
    recording = read_export(files, rate_hz=rate, layout=layout)
    try:
        recording = recording.placed(_places(place or []))
    except ValueError as problem:
        raise typer.BadParameter(str(problem), param_hint="--place") from problem
    _write(recording, out)
    if as_json:
        print_json({"session": str(out), **_document(recording)})
    else:
        _say(recording, out)


def _places(given: list[str]) -> dict[str, Place]:
    from rehabcount.domain.rig import Place

    places = {}
    for text in given:
        name, equals, place = text.rpartition("=")
        if not equals or place not in set(Place):
            raise typer.BadParameter(f"{text!r} is not NAME=PLACE; places are {', '.join(Place)}", param_hint="--place")
        places[name] = Place(place)
    return places


def _write(recording: ImportedRecording, out: Path) -> None:
    from rehabcount.store.documents import IMPORT
    from rehabcount.store.packets import Origin
    from rehabcount.store.session_file import SessionFile

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
    from rehabcount.domain.document import to_document

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
