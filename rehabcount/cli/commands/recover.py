"""`rehabcount recover`: an interrupted session is closed; a damaged file is salvaged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rehabcount.cli.console import output, print_json, progress

if TYPE_CHECKING:
    from rehabcount.store.contents import Contents


def recover(
    file: Annotated[Path, typer.Argument(help="The session file.", metavar="FILE")],
    out: Annotated[Path | None, typer.Option(help="Save what a damaged FILE still holds into this new file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Close a session that was interrupted (a crash, a power cut), and say what it holds.

    Everything up to the last second before the interruption is there. FILE is changed only when nothing is wrong with
    it; a damaged one is left alone, and `--out` saves what can be read.

    Example: `rehabcount recover monday.rehab`
    """
    from rehabcount.domain.document import to_document
    from rehabcount.store.recovery import close_interrupted, salvage

    if out is not None:
        with progress() as bar:
            task = bar.add_task("Reading pages", total=None)
            saved = salvage(file, out, lambda done, of: bar.update(task, completed=done, total=of))
        if as_json:
            print_json({"file": str(file), "out": str(out), **to_document(saved), "notes": saved.losses.words()})
            return
        _say(out, saved.contents)
        lost = "; ".join(saved.losses.words()) or "nothing is missing"
        output.print(f"Saved from {file.name}: {lost}.", markup=False, highlight=False)
        return
    found, contents = close_interrupted(file)
    if as_json:
        print_json({"file": str(file), "found": found.value, "contents": to_document(contents)})
        return
    _say(file, contents)
    if found == "closed":
        output.print("It was closed properly; there was nothing to do.")
    else:
        output.print(f"It was {found}; now it is closed.")


def _say(file: Path, contents: Contents) -> None:
    spoke = sum(1 for sensor in contents.sensors if sensor.packets)
    pauses = len(contents.stretches) - 1
    output.print(
        f"{file.name}: {contents.length_s:.1f} s, {contents.packets} packets of {spoke} sensors"
        + (f", {contents.silences} silences" if contents.silences else "")
        + (f", continued {pauses} times" if pauses > 0 else "")
        + f"; {contents.events} events, {contents.corrections} entries of corrections, "
        f"{contents.segments} reference segments.",
        markup=False,
        highlight=False,
    )
