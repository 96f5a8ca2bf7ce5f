"""No telemetry, no network, no files but our own: what README promises, seen from outside the process.

The tests find every call to an internet address that a library makes at its import or use, a look-up of a name
included, and every file that is made, changed or removed in another place than our folders for data, settings and
caches, the outputs that were named, and temporary files.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tracing import ROOT, Traced, traced, why_not

needs_strace = pytest.mark.skipif(bool(why_not()), reason=why_not())


def check(seen: Traced) -> None:
    own = [seen.home / where / "rehabcount" for where in (".local/share", ".config", ".cache")]
    assert seen.exit_code == 0, seen.said
    assert seen.network == []
    assert seen.outside(*own, seen.work / "out") == []


@needs_strace
@pytest.mark.parametrize("program", ["tests.every_command", "tests.gui.every_screen", "tests.every_module"])
def test_nothing_leaves_our_folders(program: str, tmp_path: Path) -> None:
    seen = traced(tmp_path, ["-m", program])
    check(seen)
    assert seen.changed, "the trace is empty"


@needs_strace
def test_the_command_as_users_start_it(tmp_path: Path) -> None:
    check(traced(tmp_path, ["-m", "rehabcount", "models", "verify", "stream"]))


@needs_strace
@pytest.mark.parametrize(
    "deed",
    [
        "import socket; socket.getaddrinfo('collector.invalid', 443)",
        "import socket; socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).connect(('::1', 9))",
        "import socket; socket.socket().bind(('127.0.0.1', 0))",
        "import pathlib; pathlib.Path.home().joinpath('deviceid').touch()",
        "import os; os.chdir('..'); open('outside', 'w')",
        "import os; open('out', 'w').close(); os.rename('out', os.path.expanduser('~/out'))",
        "import os; os.symlink('/nowhere', os.path.expanduser('~/link'))",
        "import subprocess; subprocess.run(['touch', 'beside'])",
    ],
)
def test_the_trace_sees(deed: str, tmp_path: Path) -> None:
    seen = traced(tmp_path, ["-c", f"try:\n    {deed}\nexcept OSError:\n    pass"])
    assert seen.network or seen.outside(seen.work / "out", seen.home / ".cache")


@pytest.mark.parametrize("said", ["", "0", "no"])
def test_nobody_switches_it_on_again(said: str) -> None:
    code = "import rehabcount, os; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "ORT_DISABLE_TELEMETRY": said},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "1"
