"""`rehabcount export`: a session as tables for other programs."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rehabcount.cli.console import output, print_json, progress

if TYPE_CHECKING:
    from rehabcount.domain.motion import Frames, Rows
    from rehabcount.domain.rig import Rig, Side
    from rehabcount.domain.sequence import Segment
    from rehabcount.exchange.tables import Columns
    from rehabcount.store.notes import Counting
    from rehabcount.store.session_file import SessionFile


class Format(StrEnum):
    CSV = "csv"
    PARQUET = "parquet"
    ELAN = "elan"


def export(
    file: Annotated[Path, typer.Argument(help="The session file.", metavar="FILE")],
    to: Annotated[Format, typer.Option(help="The kind of table; or elan, labels for ELAN.")] = Format.CSV,
    out: Annotated[
        Path | None,
        typer.Option(help="The folder for the tables, or ELAN's file. Default: FILE without its ending, or as .eaf."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written as one JSON document.")] = False,
) -> None:
    """Write a session as tables: signals, features and labels, at 100 frames a second.

    `signals` holds every sensor on the common clock (m/s2, rad/s, orientation), `features-SIDE` the inputs of the
    recogniser for each arm that wears a sensor (these need a calibration), `labels` the reference labels and the
    counted events. `about.json` says what the columns mean. With `--to elan` it is one file of labels: the counted
    events, the corrected ones, and reference labels, a tier for each arm; `rehabcount annotate` takes it back.

    Example: `rehabcount export monday.rehab --to parquet --out monday`
    """
    if to is Format.ELAN:
        _export_elan(file, out or file.with_suffix(".eaf"), as_json)
        return
    import contextlib
    import itertools
    import json

    from rehabcount import __version__
    from rehabcount.bedside.config import load_settings
    from rehabcount.domain.document import to_document
    from rehabcount.engine import walk
    from rehabcount.exchange.report import utc_text
    from rehabcount.exchange.tables import open_table
    from rehabcount.inference.artifact import SHIPPED
    from rehabcount.signals.features import BEDSIDE
    from rehabcount.store.private import write_private_text
    from rehabcount.store.session_file import SessionFile

    folder = out or file.with_suffix("")
    with SessionFile.open(file) as session:
        rig, calibration = session.rig, session.calibration()
        contents = session.contents()
        settings = load_settings()
        sides = _arms(rig) if calibration is not None else []

        # One pass: each batch of frames goes to the signals and, through the features of each arm, to their tables.
        batches, *copies = itertools.tee(walk.frames_in_parts(session.items(), rig, settings.align), 1 + len(sides))
        described = [
            walk.rows(copy, rig, calibration, BEDSIDE, side)
            for copy, side in zip(copies, sides, strict=True)
            if calibration is not None
        ]
        with progress() as bar, contextlib.ExitStack() as stack:
            task = bar.add_task("Exporting seconds", total=round(contents.length_s))
            names = ["signals", *(f"features-{side}" for side in sides)]
            tables = [stack.enter_context(open_table(folder / f"{name}.{to}", to)) for name in names]
            written = dict.fromkeys(names, 0)
            for batch, *rows in zip(batches, *described, strict=True):
                blocks = [_signal_columns(batch, rig), *(_feature_columns(each) for each in rows)]
                for name, table, columns in zip(names, tables, blocks, strict=True):
                    table.write(columns)
                    written[name] += len(batch)
                bar.update(task, completed=round(float(batch.time_s[-1])))
        counted = _counted(session, (settings.models, SHIPPED))
        labels = _label_columns(session, counted)
        with open_table(folder / f"labels.{to}", to) as table:
            table.write(labels)
        written["labels"] = len(labels["label"])

    about = {
        "session": contents.session,
        "software": f"rehabcount {__version__}",
        "notice": "Research use only; not a medical device. Counts are estimates.",
        "rows": written,
        "rig": to_document(rig),
        "calibration": to_document(calibration) if calibration is not None else None,
        "countings": [
            {
                "layer": layer,
                "number": each.number,
                "begun_utc": utc_text(each.begun_utc_ns),
                "model_sha256": each.model,
                "software": each.software,
            }
            for layer, each in counted.items()
        ],
        "features": {"recipe": BEDSIDE.name, "columns": to_document(BEDSIDE.columns)} if sides else None,
    }
    write_private_text(folder / "about.json", json.dumps(about, indent=2) + "\n")
    if as_json:
        print_json({"folder": str(folder), "rows": written})
        return
    output.print(
        f"Wrote {', '.join(f'{name} ({rows} rows)' for name, rows in written.items())} to {folder}", markup=False
    )
    if calibration is None:
        output.print("No features: the session holds no calibration (`rehabcount calibrate`).", markup=False)


def _export_elan(file: Path, out: Path, as_json: bool) -> None:
    from rehabcount.domain.corrected import corrected
    from rehabcount.domain.update import Event
    from rehabcount.exchange.elan import labelled, write_eaf
    from rehabcount.store.layers import CORRECTED, COUNTED
    from rehabcount.store.session_file import SessionFile

    with SessionFile.open(file) as session:
        identity = labelled(session).session
        layers: dict[str, tuple[Segment, ...]] = {name: session.segments(name) for name in session.layers()}
        countings = session.countings()
        if countings:
            number = countings[-1].number
            events = [update for update in session.updates(number) if isinstance(update, Event)]
            standing = corrected(events, session.corrections(number))
            layers |= {COUNTED: tuple(event.segment for event in events)}
            layers |= {CORRECTED: tuple(each.segment for each in standing)}
    write_eaf(out, layers or {CORRECTED: ()}, identity)
    rows = {layer: len(segments) for layer, segments in layers.items()}
    if as_json:
        print_json({"file": str(out), "rows": rows})
        return
    what = ", ".join(f"{layer} ({number} segments)" for layer, number in rows.items()) or "empty tiers"
    output.print(f"Wrote {what} to {out}", markup=False)


def _arms(rig: Rig) -> list[Side]:
    """The arms that wear a sensor."""
    from rehabcount.domain.rig import Side

    return [side for side in Side if any(place is not None and place.side is side for place in rig.places)]


def _signal_columns(frames: Frames, rig: Rig) -> Columns:
    columns: dict[str, Any] = {"time_s": frames.time_s}
    for index, name in enumerate(rig.names):
        channels = [f"{quantity}_{axis}" for quantity in ("acc", "gyr") for axis in "xyz"]
        channels += [f"quat_{axis}" for axis in "wxyz"]
        columns |= {f"{name} {channel}": frames.values[:, index, i] for i, channel in enumerate(channels)}
        columns[f"{name} valid"] = frames.valid[:, index]
    return columns


def _feature_columns(rows: Rows) -> Columns:
    import numpy as np

    from rehabcount.signals.features import BEDSIDE

    physical = np.where(rows.valid, rows.values * [column.scale for column in BEDSIDE.columns], np.nan)
    return {"time_s": rows.time_s} | {column.name: physical[:, i] for i, column in enumerate(BEDSIDE.columns)}


def _counted(session: SessionFile, folders: tuple[Path, ...]) -> dict[str, Counting]:
    """The countings by a name that people can read: the model's, and the counting's number."""
    from rehabcount.engine.summarise import known_models, model_of

    models = known_models(folders)
    return {
        f"{model_of(each.model, session, models).called}, counting {each.number}": each for each in session.countings()
    }


def _label_columns(session: SessionFile, counted: dict[str, Counting]) -> dict[str, list[Any]]:
    """Reference labels, layer by layer, and the events of every counting."""
    from rehabcount.domain.update import Event

    found: list[tuple[str, Segment, float]] = [
        (layer, segment, math.nan) for layer in session.layers() for segment in session.segments(layer)
    ]
    found += [
        (layer, update.segment, update.confidence)
        for layer, each in counted.items()
        for update in session.updates(each.number, Event)
        if isinstance(update, Event)
    ]
    return {
        "layer": [layer for layer, _, _ in found],
        "side": [segment.side.value for _, segment, _ in found],
        "label": [segment.label for _, segment, _ in found],
        "start_s": [segment.start_s for _, segment, _ in found],
        "end_s": [segment.end_s for _, segment, _ in found],
        "confidence": [confidence for _, _, confidence in found],
    }
