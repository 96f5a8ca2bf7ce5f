"""Found steps as files for other programs: a table of their extents, one of how regular each recording was, labels of
each recording, and a file for ELAN of each session.

In: FoundSteps (domain/steps.py) and where each recording came from. Out: files in one folder:

    steps.csv        recording, file, step, kind, name, start_s, end_s
    regularity.csv   recording, file, length_s, missing, additional, out_of_order, agreement, and seconds of each step
    labels/          one CSV a recording, which `rehabcount evaluate` reads: label, side, start_s, end_s
    SESSION.eaf      for ELAN, of each session file
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.steps import FoundSteps, default_name
from rehabcount.exchange.elan import write_eaf
from rehabcount.exchange.report import plain_cell
from rehabcount.exchange.tables import open_table
from rehabcount.store.layers import STEPS_LAYER


@dataclass(frozen=True, slots=True)
class StepsSource:
    """Where a recording came from. `session`: the id of the session file; None: it is of none."""

    path: Path | None
    side: Side
    session: str | None = None


def write_steps(folder: Path, found: FoundSteps, sources: Sequence[StepsSource]) -> tuple[Path, ...]:
    """All files but the picture; which were written."""
    written = [folder / "steps.csv", folder / "regularity.csv"]
    with open_table(written[0], "csv") as table:
        table.write(extents_of(found, sources))
    with open_table(written[1], "csv") as table:
        table.write(regularity_of(found, sources))
    by_session: dict[tuple[Path, str], list[Segment]] = {}
    for number, (recording, source) in enumerate(zip(found.recordings, sources, strict=True), 1):
        segments = _segments(found, number - 1, source.side)
        written.append(folder / "labels" / f"{number:02d} {_file_name(recording.name)}.csv")
        with open_table(written[-1], "csv") as table:
            table.write(
                {
                    "label": [plain_cell(each.label) for each in segments],
                    "side": [each.side.value for each in segments],
                    "start_s": [each.start_s for each in segments],
                    "end_s": [each.end_s for each in segments],
                }
            )
        if source.path is not None and source.session is not None:
            by_session.setdefault((source.path, source.session), []).extend(segments)
    for number, ((path, session), segments) in enumerate(by_session.items()):
        taken = any(other.stem == path.stem for other, _ in list(by_session)[:number])
        written.append(folder / f"{path.stem}{f' ({number + 1})' if taken else ''}.eaf")
        write_eaf(written[-1], {STEPS_LAYER: segments}, session)
    return tuple(written)


def extents_of(found: FoundSteps, sources: Sequence[StepsSource]) -> Mapping[str, list[Any]]:
    """One row for each stretch of each recording; step 0 is outside of the common procedure."""
    rows = [
        (recording.name, _file_of(source), span.number, span.kind, found.name_of(span), span.start_s, span.end_s)
        for recording, source in zip(found.recordings, sources, strict=True)
        for span in recording.spans
    ]
    names = ("recording", "file", "step", "kind", "name", "start_s", "end_s")
    return {
        name: [plain_cell(cell) if isinstance(cell, str) else cell for cell in column]
        for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }


def regularity_of(found: FoundSteps, sources: Sequence[StepsSource]) -> Mapping[str, list[Any]]:
    """One row for each recording."""
    recordings = found.recordings
    columns: dict[str, list[Any]] = {
        "recording": [plain_cell(each.name) for each in recordings],
        "file": [plain_cell(_file_of(source)) for source in sources],
        "length_s": [each.length_s for each in recordings],
        "missing": [" ".join(map(str, each.missing)) for each in recordings],
        "additional": [each.additional for each in recordings],
        "out_of_order": [each.out_of_order for each in recordings],
        "agreement": [each.agreement for each in recordings],
    }
    for step in found.steps:
        name = f"step {step.number}" + ("" if step.name == default_name(step.number) else f" {plain_cell(step.name)}")
        columns[f"{name} (s)"] = [each.length_of(step.number) for each in recordings]
    return columns


def _segments(found: FoundSteps, number: int, side: Side) -> list[Segment]:
    spans = found.recordings[number].spans
    return [Segment(found.name_of(span), side, span.start_s, span.end_s) for span in spans if span.number]


def _file_of(source: StepsSource) -> str:
    return source.path.name if source.path is not None else ""


def _file_name(name: str) -> str:
    return re.sub(r"[^\w .()-]", "_", name)[:80] or "recording"
