"""Every example in docs/metrics runs and prints what the page says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "metrics"
PAGES = sorted(FOLDER.glob("*.md"))
FAMILIES = ("edit", "segment", "structure", "abstraction", "stability", "detection", "cloze", "agreement", "bootstrap")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_run(page: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    said: list[str] = []
    outcome = doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert outcome.failed == 0, "".join(said)
    assert outcome.attempted > 0 or page.stem == "README"


def test_every_family_has_its_page_and_every_link_its_target() -> None:
    assert {page.stem for page in PAGES} == {*FAMILIES, "README"}
    for page in [*PAGES, FOLDER.parent / "evaluate.md"]:
        for target in re.findall(r"\]\(([^)#]+\.md)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).is_file(), f"{page.name} links to {target}"
