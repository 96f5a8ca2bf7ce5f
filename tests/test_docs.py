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
from typing import cast

import pytest
import typer
from typer.core import TyperGroup
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


def test_the_page_of_commands_lists_every_command() -> None:
    group = cast(TyperGroup, typer.main.get_command(app))
    expected = set[str]()
    for name, command in group.commands.items():
        inside = command.commands if isinstance(command, TyperGroup) and name != "bench" else {}
        expected |= {f"{name} {each}" for each in inside}
        if not inside or cast(TyperGroup, command).invoke_without_command:
            expected.add(name)
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    table = page.split("| command |")[1].split("\n\n")[0]
    listed = re.findall(r"^\| `([a-z ]+)` \| \w", table, re.MULTILINE)
    assert sorted(listed) == sorted(expected)


def test_the_page_about_citing_says_what_the_citation_file_says() -> None:
    page = " ".join((ROOT / "docs" / "about.md").read_text(encoding="utf-8").replace("> ", "").split())
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    citation = {key: value.strip(' "') for key, _, value in (line.partition(":") for line in lines) if value}
    assert citation["title"] in page
    assert citation["license"] in page


def test_a_page_says_what_aer_is_before_it_says_aer() -> None:
    for page in [*PAGES, *(ROOT / "docs" / "metrics").glob("*.md")]:
        text = " ".join(page.read_text(encoding="utf-8").split())
        found = re.search(r"\bAER\b", text)
        near = text[: found.end() + len(" is the [action error rate]")] if found else "action error rate"
        assert "action error rate" in near.lower(), name_of(page)


def test_links_have_titles() -> None:
    for page in [*PAGES, *(ROOT / "docs" / "metrics").glob("*.md")]:
        if page.parent != ROOT:  # on GitHub's first page a file's name says where one goes
            named = re.findall(r"\[[\w./-]+\.(?:md|py)\]\(", page.read_text(encoding="utf-8"))
            assert not named, f"{name_of(page)}: {named}"


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
