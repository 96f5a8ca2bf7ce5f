"""Every Python block of README.md and of the pages in docs/ runs, page by page and in order, in a folder of its own.

The pages of docs/metrics are examples with answers; tests/metrics/test_docs.py compares those.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rehabcount as rc

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks_of(page: Path) -> list[tuple[int, str]]:
    """Each block with the number of its first line."""
    text = page.read_text(encoding="utf-8")
    return [(text[: found.start()].count("\n") + 2, found[1]) for found in BLOCK.finditer(text)]


WITH_BLOCKS = [page for page in PAGES if blocks_of(page)]


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=lambda page: page.name)
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
