"""A session written as tables: signals, features and labels; or its labels as one file for ELAN."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rehabcount import __version__
from rehabcount.bedside.config import load_settings
from rehabcount.cli.console import output, print_json, progress
from rehabcount.cli.options import ExportFormat
from rehabcount.domain.calibration import Calibration
from rehabcount.domain.corrected import corrected
from rehabcount.domain.document import to_document
from rehabcount.domain.motion import Frames, Rows
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event
from rehabcount.engine import walk
from rehabcount.engine.summarise import known_models, model_of
from rehabcount.exchange.elan import LAST_MARGIN_S, OfCounting, labelled, write_eaf
from rehabcount.exchange.report import utc_text
from rehabcount.exchange.tables import Columns, open_table
from rehabcount.inference.artifact import SHIPPED
from rehabcount.signals.align import AlignSettings
from rehabcount.signals.features import BEDSIDE
from rehabcount.store.documents import SIMULATION
from rehabcount.store.layers import CORRECTED, COUNTED
from rehabcount.store.notes import Counting
from rehabcount.store.private import write_private_text
from rehabcount.store.session_file import SessionFile


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """Which session, as what."""

    file: Path
    to: ExportFormat = "csv"
    out: Path | None = None  # a folder, or ELAN's file; None: named as the session
    as_json: bool = False


def write_export(request: ExportRequest) -> None:
    if request.to == "elan":
        _write_labels(request)
    else:
        _write_tables(request)


def _write_tables(request: ExportRequest) -> None:
    folder, settings = request.out or request.file.with_suffix(""), load_settings()
    with SessionFile.open(request.file) as session:
        calibration = session.calibration()
        sides = _arms(session.rig) if calibration is not None else []
        rows = _write_motion(session, folder, request.to, settings.align, sides)
        counted = _counted(session, (settings.models, SHIPPED))
        labels = _label_columns(session, counted)
        with open_table(folder / f"labels.{request.to}", request.to) as table:
            table.write(labels)
        rows["labels"] = len(labels["label"])
        about = _about(session, rows, calibration, counted, sides)
    write_private_text(folder / "about.json", json.dumps(about, indent=2) + "\n")
    if request.as_json:
        print_json({"folder": str(folder), "rows": rows})
        return
    output.print(
        f"Wrote {', '.join(f'{name} ({number} rows)' for name, number in rows.items())} to {folder}", markup=False
    )
    if calibration is None:
        output.print("No features: the session holds no calibration (`rehabcount calibrate`).", markup=False)


def _write_motion(
    session: SessionFile, folder: Path, kind: str, align: AlignSettings, sides: list[Side]
) -> dict[str, int]:
    """Signals, and the features of these arms; returns the rows of each table.

    One pass: each batch of frames goes to the signals and, through the features of each arm, to their tables.
    """
    rig, calibration = session.rig, session.calibration()
    batches, *copies = itertools.tee(walk.frames_in_parts(session.items(), rig, align), 1 + len(sides))
    described = [
        walk.rows(copy, rig, calibration, BEDSIDE, side)
        for copy, side in zip(copies, sides, strict=True)
        if calibration is not None
    ]
    names = ["signals", *(f"features-{side}" for side in sides)]
    written = dict.fromkeys(names, 0)
    with progress() as bar, contextlib.ExitStack() as stack:
        task = bar.add_task("Exporting seconds", total=round(session.contents().length_s))
        tables = [stack.enter_context(open_table(folder / f"{name}.{kind}", kind)) for name in names]
        for batch, *rows in zip(batches, *described, strict=True):
            blocks = [_signal_columns(batch, rig), *(_feature_columns(each) for each in rows)]
            for name, table, columns in zip(names, tables, blocks, strict=True):
                table.write(columns)
                written[name] += len(batch)
            bar.update(task, completed=round(float(batch.time_s[-1])))
    return written


def _about(
    session: SessionFile,
    rows: Mapping[str, int],
    calibration: Calibration | None,
    counted: Mapping[str, Counting],
    sides: list[Side],
) -> dict[str, Any]:
    """The contents of the tables, and their origin."""
    return {
        "session": session.contents().session,
        "software": f"rehabcount {__version__}",
        "notice": "Research use only; not a medical device. Counts are estimates.",
        "rows": rows,
        "rig": to_document(session.rig),
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


def _write_labels(request: ExportRequest) -> None:
    out = request.out or request.file.with_suffix(".eaf")
    with SessionFile.open(request.file) as session:
        identity = labelled(session).session
        layers = _reference_labels(session)
        countings, of = session.countings(), None
        if countings:
            number = countings[-1].number
            events = [update for update in session.updates(number) if isinstance(update, Event)]
            corrections = session.corrections(number)
            standing = corrected(events, corrections)
            of = OfCounting.of(countings[-1], len(corrections))
            layers |= {COUNTED: tuple(event.segment for event in events)}
            layers |= {CORRECTED: tuple(each.segment for each in standing)}
    write_eaf(out, layers or {CORRECTED: ()}, identity, counting=of)
    rows = {layer: len(segments) for layer, segments in layers.items()}
    if request.as_json:
        print_json({"file": str(out), "rows": rows})
        return
    what = ", ".join(f"{layer} ({number} segments)" for layer, number in rows.items()) or "empty tiers"
    output.print(f"Wrote {what} to {out}", markup=False)


def _arms(rig: Rig) -> list[Side]:
    """The arms that wear a sensor."""
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
    physical = np.where(rows.valid, rows.values * [column.scale for column in BEDSIDE.columns], np.nan)
    return {"time_s": rows.time_s} | {column.name: physical[:, i] for i, column in enumerate(BEDSIDE.columns)}


def _counted(session: SessionFile, folders: tuple[Path, ...]) -> dict[str, Counting]:
    """The countings by a readable name: the model's name and the counting's number."""
    models = known_models(folders)
    return {
        f"{model_of(each.model, session, models).called}, counting {each.number}": each for each in session.countings()
    }


def _reference_labels(session: SessionFile) -> dict[str, tuple[Segment, ...]]:
    """The labels that the file holds, by layer. What a simulated patient will do is in the file from its beginning;
    what comes after the end was not done."""
    end_s = session.length_s() + LAST_MARGIN_S if session.has_document(SIMULATION) else math.inf
    return {layer: tuple(each for each in session.segments(layer) if each.end_s <= end_s) for layer in session.layers()}


def _label_columns(session: SessionFile, counted: dict[str, Counting]) -> dict[str, list[Any]]:
    """Reference labels, layer by layer, and the events of every counting."""
    found: list[tuple[str, Segment, float]] = [
        (layer, segment, math.nan) for layer, segments in _reference_labels(session).items() for segment in segments
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
