"""Real disks that are full, and folders that really may not be written: in processes of their own (disk_child.py)."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rehabcount.domain.patient import Patient
from rehabcount.domain.rig import Side
from rehabcount.store.documents import SIMULATION
from rehabcount.store.library import Library
from rehabcount.store.session_file import SessionFile

MakeSession = Callable[..., Path]
CHILD = Path(__file__).with_name("disk_child.py")
UNPRIVILEGED = "65534"  # the id of a user who owns no files
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="mounts a file system as only Linux can")


def run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 77:
        pytest.skip(f"no right to mount a file system: {done.stderr.strip()}")
    assert done.stdout.strip() == "passed", done.stderr


def run_mounted(mount: str, what: str, folder: Path) -> None:
    """Runs the child in a mount namespace of its own, so that its mounts end with it."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("only root may mount a file system")
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine gives out no mount namespaces (as in a chroot)")
    script = f'{mount} || exit 77; exec "$2" "$3" {what} "$1"'
    run(["unshare", "-m", "sh", "-c", script, "sh", str(folder), sys.executable, str(CHILD)])


@pytest.fixture
def read_only_sessions(make_session: MakeSession) -> Iterator[Path]:
    """A folder that other users can reach, with sessions in every state that a read-only medium may hold."""
    folder = Path(tempfile.mkdtemp())
    shutil.copyfile(make_session(), folder / "closed.rehab")
    # Closed, but its last reader could not sweep: still in the mode that needs a log beside it.
    shutil.copyfile(make_session("log.rehab"), folder / "log.rehab")
    opened = sqlite3.connect(folder / "log.rehab")
    opened.execute("PRAGMA journal_mode = WAL")
    opened.close()
    path = make_session("interrupted.rehab", closed=False)
    with SessionFile.record(path) as file:
        file.append([])
        file.put_document(SIMULATION, {"in": "the log"})
        for suffix in ("", "-wal"):
            shutil.copyfile(f"{path}{suffix}", f"{folder / path.name}{suffix}")
    library = Library(folder / "data")
    library.add_patient(Patient("P-01", Side.LEFT))
    library.sessions_folder.mkdir()
    shutil.copyfile(make_session("listed.rehab"), library.sessions_folder / "listed.rehab")
    library.assign(library.sessions_folder / "listed.rehab", "P-01")
    shutil.copyfile(make_session("copied.rehab"), library.sessions_folder / "copied.rehab")
    for name in folder.rglob("*"):
        name.chmod(0o555 if name.is_dir() else 0o644)
    folder.chmod(0o555)
    yield folder
    for name in (folder, library.folder, library.sessions_folder):
        name.chmod(0o700)
    shutil.rmtree(folder)


@linux_only
def test_a_read_only_medium(read_only_sessions: Path) -> None:
    run_mounted('mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"', "read-only", read_only_sessions)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows folders have no such mode")
def test_a_folder_of_another_user(read_only_sessions: Path) -> None:
    as_whom = [UNPRIVILEGED] if os.geteuid() == 0 else []
    run([sys.executable, str(CHILD), "read-only", str(read_only_sessions), *as_whom])


@linux_only
@pytest.mark.slow
def test_a_real_disk_without_room(tmp_path: Path) -> None:
    run_mounted('mount -t tmpfs -o size=2m tmpfs "$1"', "full", tmp_path)
