"""Runs cases of the fuzz programs of files in this process, with little memory and little time for each.

    python -m tests.fuzz.child SEED FOLDER KIND:FIRST:END ...

One line of JSON a case goes to standard output. The parent ends a case that takes too long.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import typer

from rehabcount.errors import RehabcountError

SECONDS = 5.0  # of computing
WAITED_S = 15.0  # of the clock: other programs may use the processor, but nothing here should wait for long
MEMORY_BYTES = 500 << 20
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # what a terminal might obey

Attempts = list[tuple[str, Callable[[], object]]]


class OutOfTimeError(BaseException):
    """The time for a case is over."""


def memory_bytes(name: str) -> int:
    """VmRSS, VmHWM or VmSize of this process."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    return 0


@contextlib.contextmanager
def _limits() -> Iterator[None]:
    def out_of_time(*_: object) -> None:
        raise OutOfTimeError

    signal.signal(signal.SIGALRM, out_of_time)
    signal.signal(signal.SIGPROF, out_of_time)
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes("VmSize") + MEMORY_BYTES, before[1]))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WAITED_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)


def attempt(call: Callable[[], object]) -> tuple[str, str]:
    """The outcome of a call: fine, refused, or the failure."""
    said = io.StringIO()
    try:
        with _limits(), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                call()
                result = "fine", ""
            except RehabcountError as refusal:
                from rehabcount.cli.console import say

                say(refusal)
                result = "refused", ""
    except OutOfTimeError:
        return "hang", _where()
    except typer.Exit:
        return "refused", ""
    except MemoryError:
        return "memory", _where()
    except (Exception, SystemExit) as problem:  # noqa: BLE001 what it is, the report says
        if "click" in type(problem).__module__:  # typer brings its own copy
            return "refused", ""
        return "traceback", f"{type(problem).__name__}: {str(problem)[:100]} {_where()}"
    if found := CONTROLS.search(said.getvalue()):
        return "controls", repr(said.getvalue()[max(0, found.start() - 30) : found.start() + 20])
    return result


def _where() -> str:
    frames = traceback.extract_tb(sys.exc_info()[2])
    mine = [frame for frame in frames if "rehabcount" in frame.filename and "/tests/" not in frame.filename]
    return " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(mine[-3:]))


def main() -> None:
    from tests.fuzz.kinds import KINDS

    warnings.simplefilter("ignore")
    results = os.fdopen(os.dup(1), "w", buffering=1)
    seed, folder = sys.argv[1], Path(sys.argv[2])
    for part in sys.argv[3:]:
        kind, first, end = part.split(":")
        place = folder / kind
        place.mkdir(parents=True, exist_ok=True)
        os.environ.update({f"XDG_{name}_HOME": str(place / name) for name in ("DATA", "CONFIG", "CACHE")})
        made = KINDS[kind](place)
        for number in range(int(first), int(end)):
            rng = random.Random(f"{seed} {kind} {number}")
            case = place / "case"
            shutil.rmtree(case, ignore_errors=True)
            case.mkdir()
            for name, call in made(rng, case):
                Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
                before, begun = memory_bytes("VmRSS"), time.process_time()
                outcome, detail = attempt(call)
                took_s, used = time.process_time() - begun, memory_bytes("VmHWM") - before
                row = [kind, number, name, outcome, detail, round(took_s, 3), used]
                results.write(json.dumps(row) + "\n")
        shutil.rmtree(place, ignore_errors=True)
    results.write("null\n")


if __name__ == "__main__":
    main()
