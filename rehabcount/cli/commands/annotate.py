"""`rehabcount annotate`: labels made in ELAN go back into the session."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def annotate(
    file: Annotated[Path, typer.Argument(help="The session file.", metavar="SESSION")],
    labels: Annotated[Path, typer.Argument(help="What ELAN saved.", metavar="FILE.eaf")],
    by: Annotated[str, typer.Option(help="Initials or role of who labelled.", metavar="WHO")],
    tiers: Annotated[
        str, typer.Option(help="Which tiers: `corrected` for corrected left and corrected right.", metavar="NAME")
    ] = "corrected",
    reference: Annotated[
        str | None, typer.Option(help="Keep them as reference labels of this name, not as corrections.", metavar="NAME")
    ] = None,
    counting: Annotated[
        int | None, typer.Option(help="Which counting to correct, whatever FILE.eaf says. Default: the last.", min=1)
    ] = None,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes", help="The labels are of this session and its last counting, although FILE.eaf does not say so."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Take labels that were made in ELAN into a session, as corrections of its count or as reference labels.

    The recogniser's events stay as they are; what differs becomes a correction with your initials and the time. Events
    that were not touched in ELAN are not touched here. Labels that were exported from another session are refused. So
    are those of another counting than the last, unless --counting names one. A file that does not say where it came
    from is asked about.

    Example: `rehabcount annotate monday.rehab monday.eaf --by AB`
    """
    from rehabcount.cli.work.annotate import AnnotateRequest, take_labels

    take_labels(AnnotateRequest(file, labels, by.strip(), tiers, reference, counting, yes, as_json))
