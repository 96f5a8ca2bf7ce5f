"""The code of the documentation: Python blocks run, and so do README's commands; every other command is parsed.

The pages of docs/metrics are examples with answers; tests/metrics/test_docs.py compares those.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import rehabcount as rc
from rehabcount.cli.main import app

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "metrics")]
PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
SHELL = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
UNMARKED = re.compile(r"^(?:    |\t|```\n)\$? ?rehabcount .*", re.MULTILINE)  # in a block that no test would read
SHORTER = {"--seconds 60": "--seconds 3", "--speed 10": "--speed max"}  # the slow test runs them as they are written


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: Path) -> list[tuple[int, str]]:
    """Each Python block with the number of its first line."""
    text = page.read_text(encoding="utf-8")
    return [(text[: found.start()].count("\n") + 2, found[1]) for found in PYTHON.finditer(text)]


def commands_of(page: Path) -> list[list[str]]:
    """The words of each `rehabcount` command, without its comment and without `rehabcount`."""
    text = page.read_text(encoding="utf-8")
    lines = "".join(found[1] for found in SHELL.finditer(text)).replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("rehabcount")]


WITH_BLOCKS = [page for page in PAGES if blocks_of(page)]
WITH_COMMANDS = [page for page in PAGES if commands_of(page)]


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=name_of)
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "matplotlib" in page.read_text(encoding="utf-8"):
        pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, object] = {"__name__": "__page__"}
    for line, block in blocks_of(page):
        exec(compile("\n" * (line - 1) + block, str(page), "exec"), names)  # so that an error names the page's line


def test_the_page_for_python_users_has_blocks_and_every_public_name() -> None:
    page = ROOT / "docs" / "python.md"
    assert page in WITH_BLOCKS
    table = page.read_text(encoding="utf-8").split("## All names")[1]
    assert set(re.findall(r"`(\w+)`", table)) >= set(rc.__all__)


def test_pages_use_what_is_public_only() -> None:
    inside = [
        f"{page.name}:{line}"
        for page in PAGES
        for line, block in blocks_of(page)
        if re.search(r"\brehabcount\.\w+|from rehabcount import", block)
    ]
    assert not inside, f"{inside} reach into the package; the door is `import rehabcount as rc`"


def parsed(words: list[str]) -> Result:
    """What the command line makes of `words` without doing it: `--help` is shown once all options are recognised."""
    return CliRunner().invoke(app, [*words, "--help"])


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
def test_every_command_of_a_page_is_one(page: Path) -> None:
    for words in commands_of(page):
        result = parsed(words)
        assert result.exit_code == 0, f"{name_of(page)}: rehabcount {shlex.join(words)}\n{result.output}"


def test_a_command_that_is_none_is_found() -> None:
    for wrong in (["count", "a.rehab", "--nothing"], ["cuont"], ["sensors", "check", "--nothing"]):
        assert parsed(wrong).exit_code == 2


def test_no_command_stands_where_no_test_reads_it() -> None:
    assert WITH_COMMANDS[0].name == "README.md"
    hidden = {name_of(page): UNMARKED.findall(page.read_text(encoding="utf-8")) for page in PAGES}
    assert not any(hidden.values()), "put commands into ```sh blocks"


def run_commands(page: Path, folder: Path, shorter: dict[str, str]) -> None:
    """All of a page's commands, one after another, in a folder and a home of their own."""
    home = {"HOME": str(folder / "home"), "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": ""}
    for words in commands_of(page):
        line = shlex.join(words)
        for written, run in shorter.items():
            line = line.replace(written, run)
        done = subprocess.run(
            [sys.executable, "-m", "rehabcount", *shlex.split(line)],
            cwd=folder,
            env={**os.environ, **home, "MPLBACKEND": "Agg"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"rehabcount {line}\n{done.stdout}\n{done.stderr}"


def test_the_commands_of_readme_run(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    run_commands(ROOT / "README.md", tmp_path, SHORTER)
    assert {"drinking.eaf", "ribbons.png", "reports", "simulated", "tables"} <= {
        path.name for path in tmp_path.iterdir()
    }


@pytest.mark.slow
def test_the_commands_of_readme_run_as_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    run_commands(ROOT / "README.md", tmp_path, {})
