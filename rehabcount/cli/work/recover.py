"""An interrupted session closed; a damaged file salvaged."""

from __future__ import annotations

from pathlib import Path

from rehabcount.cli.console import output, print_json, progress
from rehabcount.domain.document import to_document
from rehabcount.store.contents import Contents
from rehabcount.store.recovery import close_interrupted, salvage


def recover_session(file: Path, out: Path | None, as_json: bool) -> None:
    """`out`: where to save the readable rows of a damaged file; None: close the session."""
    if out is None:
        _close(file, as_json)
    else:
        _salvage(file, out, as_json)


def _salvage(file: Path, out: Path, as_json: bool) -> None:
    with progress() as bar:
        task = bar.add_task("Reading pages", total=None)
        saved = salvage(file, out, lambda done, of: bar.update(task, completed=done, total=of))
    if as_json:
        print_json({"file": str(file), "out": str(out), **to_document(saved), "notes": saved.losses.words()})
        return
    _say(out, saved.contents)
    lost = "; ".join(saved.losses.words()) or "nothing is missing"
    output.print(f"Saved from {file.name}: {lost}.", markup=False, highlight=False)


def _close(file: Path, as_json: bool) -> None:
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
