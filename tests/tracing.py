"""What a process does to the world outside: which sockets it opens, which files it makes, changes or removes.

strace watches it and all processes that it starts. The process gets a home, a folder for temporary files and a folder
to work in of its own, and almost no environment: a library that is silent in continuous integration (onnxruntime is,
where `CI` is set) must not be taken for a silent library.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
CALLS = (
    "open,openat,creat,mkdir,mkdirat,mknod,mknodat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,truncate,"
    "unlink,unlinkat,rmdir,connect,bind,sendto,sendmsg,sendmmsg"
)
OPENED = ("open", "openat", "creat")
TWO_NAMES = ("rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat")
LINE = re.compile(r"^(?P<call>\w+)\((?P<words>.*)\)\s+= (?P<result>-?\d+|\?)")
NAME = re.compile(r'(?:(?:AT_FDCWD|\d+)<(?P<folder>(?:[^>\\]|\\.)*)>, )?"(?P<name>(?:[^"\\]|\\.)*)"')
# Devices and what the kernel shows of itself keep nothing; multiprocessing's semaphores live in /dev/shm.
NO_FILES = ("/dev/", "/proc/", "/sys/")


@cache
def why_not() -> str:
    """Why processes cannot be traced here; empty where they can."""
    if shutil.which("strace") is None:
        return "strace is not installed (as root, `make` installs it on Debian)"
    done = subprocess.run(["strace", "-f", "-o", os.devnull, "true"], capture_output=True, text=True, check=False)
    return f"strace may not trace here: {done.stderr.strip()}" if done.returncode else ""


@dataclass(frozen=True)
class Traced:
    """What was seen. `home`, `work` and `temporary` are the folders that the process was given."""

    home: Path
    work: Path
    temporary: Path
    exit_code: int
    said: str
    network: list[str]  # calls that spoke to an internet address, whether they came through or not
    changed: set[Path]  # files and folders made, written, renamed or removed

    def outside(self, *own: Path) -> list[str]:
        """What was changed in none of these folders, nor in that for temporary files.

        The folders that lead to one of them may be made."""
        allowed = [each.resolve() for each in (*own, self.temporary)]
        return sorted(
            str(path)
            for path in self.changed
            if not any(path == each or each in path.parents or path in each.parents for each in allowed)
        )


def traced(folder: Path, words: Sequence[str], *, timeout_s: float = 300.0) -> Traced:
    """Run Python with these words in `folder`, and look at what it does."""
    home, work, temporary, traces = (folder / name for name in ("home", "work", "tmp", "traces"))
    for each in (home, work, temporary, traces):
        each.mkdir(parents=True, exist_ok=True)
    for old in traces.iterdir():
        old.unlink()
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(ROOT),
        "QT_QPA_PLATFORM": "offscreen",
    }
    watch = ["strace", "-ff", "-y", "-s", "4096", "-e", f"trace={CALLS}", "-e", "signal=none", "--seccomp-bpf"]
    done = subprocess.run(
        [*watch, "-o", str(traces / "trace"), sys.executable, *words],
        cwd=work,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    network: list[str] = []
    changed: set[Path] = set()
    for trace in sorted(traces.iterdir()):
        for line in trace.read_text(encoding="utf-8", errors="replace").splitlines():
            found = LINE.match(line)
            if found is None:
                continue
            if "sa_family=AF_INET" in line:
                network.append(line)
            elif found["call"] not in ("connect", "bind", "sendto", "sendmsg", "sendmmsg"):
                changed.update(_changed(found["call"], found["words"], found["result"], work))
    return Traced(home.resolve(), work.resolve(), temporary.resolve(), done.returncode, done.stdout, network, changed)


def _changed(call: str, words: str, result: str, work: Path) -> Iterator[Path]:
    """The paths that a call changed; none where it failed or only read."""
    if result.startswith("-") or result == "?":
        return
    if call in OPENED and call != "creat" and not re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", words):
        return
    names = list(NAME.finditer(words))[: 2 if call in TWO_NAMES else 1]
    for found in names[1:] if call.startswith("symlink") else names:  # what a symbolic link names need not be there
        folder = Path(found["folder"]) if found["folder"] else work
        path = Path(os.path.normpath(folder / found["name"].encode().decode("unicode_escape")))
        if not str(path).startswith(NO_FILES):
            yield path.parent.resolve() / path.name
