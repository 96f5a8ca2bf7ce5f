"""`rehabcount count`: how much was done in recorded sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rehabcount.cli.options import ModelOption


def count(
    files: Annotated[
        list[str], typer.Argument(help="Session files or folders; also s3:// and the like.", metavar="FILE...")
    ],
    model: ModelOption = "",
    side: Annotated[
        str, typer.Option(help="The trained arm, where a file does not say it or is wrong: left or right.")
    ] = "",
    jobs: Annotated[int, typer.Option(help="Files at the same time; 0: as many as there are cores.", min=0)] = 0,
    keep: Annotated[bool, typer.Option(help="Keep the counts in the session file, beside earlier ones.")] = True,
    again: Annotated[
        bool, typer.Option("--again", help="Count even what was counted before with all the same.")
    ] = False,
    to_csv: Annotated[Path | None, typer.Option("--csv", help="Also write a table here.", metavar="FILE.csv")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document, events included.")] = False,
    taught: Annotated[
        list[Path] | None,
        typer.Option(help="Count this taught exercise instead; once an exercise.", metavar="FILE.taught.json"),
    ] = None,
    repetitions: Annotated[
        bool, typer.Option("--repetitions", help="Count whatever was repeated instead; nothing was shown.")
    ] = False,
    from_s: Annotated[float, typer.Option("--from", help="With --repetitions: where to begin.", metavar="S")] = 0.0,
    to_s: Annotated[float | None, typer.Option("--to", help="With --repetitions: where to end.", metavar="S")] = None,
) -> None:
    """Count what was done in recorded sessions.

    Task repetitions are cycles of handling an object; the primitives beneath are what research counts
    (docs/counting.md). A recount with another model stands beside the original and never replaces it. What was counted
    before from the same data, with the same model and settings, is shown at once and not counted again.

    `--taught` counts exercises that `rehabcount teach` made, `--repetitions` whatever was repeated in a stretch; both
    need no model, and nothing is kept in the file.

    Example: `rehabcount count sessions/ --csv counts.csv`
    """
    from rehabcount.cli.work.count import CountRequest, count_sessions
    from rehabcount.domain.rig import Side

    if side not in ("", *Side):
        raise typer.BadParameter("must be left or right", param_hint="--side")
    if taught or repetitions:
        from rehabcount.cli.work.teach import RepetitionsRequest, count_repetitions

        paths = tuple(Path(file) for file in files)
        arm = Side(side) if side else None
        count_repetitions(RepetitionsRequest(paths, tuple(taught or ()), from_s, to_s, arm, as_json))
        return
    count_sessions(
        CountRequest(
            tuple(files),
            model,
            Side(side) if side else None,
            jobs=jobs,
            keep=keep,
            again=again,
            csv=to_csv,
            as_json=as_json,
        )
    )
