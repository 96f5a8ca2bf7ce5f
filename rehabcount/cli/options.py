"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
ModelOption = Annotated[str, typer.Option("--model", help="Name, hash or folder of another model.", metavar="MODEL")]
ScanSeconds = Annotated[float, typer.Option("--scan", min=0.2, help="Listen so long for sensors.", metavar="SECONDS")]
Sensors = Annotated[str, typer.Option("--sensors", help="How many sensors the patient wears: 1, 3, 5 or 9.")]
Arm = Annotated[str, typer.Option("--side", help="The affected arm: left or right.")]
Virtual = Annotated[str, typer.Option(help="Practise with virtual sensors: dot, wit or generic.", metavar="FAMILY")]
ExportFormat = Literal["csv", "parquet", "elan"]
SessionArgument = Annotated[Path, typer.Argument(help="The session file.", metavar="FILE")]

# Of `bench simulated`: the parts, and the title of each on the page (the pictures have none), in their order there.
PARTS = {
    "cohort": "The cohort beside StrokeRehab",
    "drinks": "A drink: real and simulated people (quartiles)",
    "moves": "Single movements: one real person (MoCA) and simulated healthy people (quartiles)",
    "classifier": "Telling real from simulated windows",
    "shortcuts": "Shortcuts",
    "pictures": "",
    "learner": "A first learner",
    "angles": "Angles recovered over 45 minutes (RMS, degrees)",
}


def parse_speed(text: str) -> float | None:
    """A positive number, or None for `max`."""
    if text == "max":
        return None
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed < float("inf"):
        raise typer.BadParameter(f"--speed takes a positive number or max, not {text!r}")
    return speed
