"""Backups, altered in their list of files, sessions, sizes, names and bytes, through `restore`."""

from __future__ import annotations

import hashlib
import io
import json
import random
import shutil
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.domain.patient import Patient
from rehabcount.domain.rig import Side
from rehabcount.store.archive import LIST, MANIFEST
from rehabcount.store.backup import back_up
from rehabcount.store.library import Library
from rehabcount.store.restore import restore
from tests.fuzz import libraries, sessions
from tests.fuzz.child import Attempts
from tests.fuzz.mutate import mutated_bytes, mutated_json, mutated_zip, put_in_place_of, with_odd_sizes


def prepare(place: Path) -> Callable[[random.Random, Path], Attempts]:
    library = Library(place / "seed")
    library.add_patient(Patient("P-01", Side.RIGHT, 42))
    library.keep_plan("P-01", Plan((PlannedActivity("drinking", 20),)))
    library.sessions_folder.mkdir(parents=True)
    sessions.make(library.sessions_folder / "one.rehab")
    back_up(library, place / "seed.zip")
    sound = (place / "seed.zip").read_bytes()

    def case(rng: random.Random, folder: Path) -> Attempts:
        path = folder / "a.zip"
        path.write_bytes(_altered(rng, sound, folder))
        if rng.random() < 0.03:
            put_in_place_of(rng, path)
        target = folder / "in" / "data"
        if rng.random() < 0.3:
            shutil.copytree(library.folder, target)
        return [("restore", partial(_restore, target, path))]

    return case


def _restore(target: Path, path: Path) -> None:
    """No file may be written outside of the library, only sessions in it, and existing files stay."""
    library = Library(target)
    held = {each: each.read_bytes() for each in library.sessions_folder.glob("*")}
    outside = {*path.parent.rglob("*")} | {target, target.parent}
    try:
        restore(library, path)
    finally:
        came = {each for each in path.parent.rglob("*") if each not in outside}
        assert all(target in (each, *each.parents) for each in came), came
        assert not [*target.glob(".backup-*")]
        assert all(each.read_bytes() == content for each, content in held.items())
    library.sessions()


def _altered(rng: random.Random, sound: bytes, folder: Path) -> bytes:
    if rng.random() < 0.4:
        return mutated_zip(rng, sound, mutated_bytes)
    with zipfile.ZipFile(io.BytesIO(sound)) as archive:
        held = {info.filename: archive.read(info) for info in archive.infolist()}
    chosen = rng.choice(list(held))
    if chosen == MANIFEST:
        held[MANIFEST] = mutated_json(rng, held[MANIFEST].decode()).encode("utf-8", "surrogatepass")
    else:  # with its sum made anew, so that nothing stops at it
        odd = folder / "odd"
        odd.write_bytes(held[chosen])
        alter = libraries.alter if chosen == LIST else sessions.alter
        for _ in range(rng.choice((1, 2))):
            alter(rng, odd) if rng.random() < 0.8 else odd.write_bytes(mutated_bytes(rng, odd.read_bytes()))
        before = hashlib.sha256(held[chosen]).hexdigest()
        held[chosen] = odd.read_bytes()
        for each in folder.glob("odd*"):
            each.unlink()
        after = hashlib.sha256(held[chosen]).hexdigest()
        held[MANIFEST] = held[MANIFEST].replace(before.encode(), after.encode())
        if rng.random() < 0.1:
            manifest = json.loads(held[MANIFEST])
            name = rng.choice(("sessions/one.rehab-wal", "sessions/../x.rehab", "sessions/\x1b.rehab", "x" * 5000))
            manifest["files"][0]["name"] = name
            held[name] = held.pop(chosen)
            held[MANIFEST] = json.dumps(manifest).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, inside in held.items():
            archive.writestr(member, inside)
    return with_odd_sizes(rng, packed.getvalue()) if rng.random() < 0.1 else packed.getvalue()
