"""Text of the product is plain English: some words that make riddles are not used (CONTRIBUTING.md names the rules)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
UNUSED = re.compile("|".join(rf"\b{word}\b" for word in ("nobody", "whoever", "anybody")), re.IGNORECASE)
QUOTED = re.compile("`[^`]*`")  # names of code, and the words of the rule itself
FOLDERS = ("rehabcount", "models", "export", "gui", "docs", "scripts", "tests")
SUFFIXES = {".py", ".md", ".sh", ".ts", ".toml"}


def texts() -> Iterator[tuple[str, str]]:
    """Path and text of every file; of the changelog only what is not released yet."""
    found = [path for path in ROOT.iterdir() if path.suffix in SUFFIXES or path.name == "Makefile"]
    found += [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    for path in sorted(found):
        if path.resolve() != path or path == Path(__file__):  # the three links show folders a second time
            continue
        text = path.read_text(encoding="utf-8")
        yield path.relative_to(ROOT).as_posix(), text.split("\n## [0.1.0]")[0] if path.name == "CHANGELOG.md" else text


def test_text_does_without_these_words() -> None:
    found = [
        f"{name}:{number}: {line.strip()}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if UNUSED.search(QUOTED.sub("", line))
    ]
    assert not found, "\n".join(found)


def test_all_text_is_read() -> None:
    names = {name for name, _ in texts()}
    assert {"README.md", "docs/counting.md", "rehabcount/engine/session.py", "models/train.py", "Makefile"} <= names
    assert not any(name.startswith(("rehabcount/models/", "rehabcount/gui/")) for name in names)
