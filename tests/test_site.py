"""The documentation site builds without a warning, and its reference has every public name."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import rehabcount as rc

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def test_the_reference_has_every_public_name() -> None:
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\.\. auto\w+:: rehabcount\.(\w+)$", page, re.MULTILINE)
    assert sorted(documented) == sorted(rc.__all__)


def test_the_site_builds_strictly(tmp_path: Path) -> None:
    """A broken link, a page that no table of contents has, a docstring that cannot be read: each is a warning."""
    pytest.importorskip("furo", reason="the site needs the extra `docs`")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", tmp_path / "trees", DOCS, tmp_path / "site"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    reference = (tmp_path / "site" / "api.html").read_text(encoding="utf-8")
    missing = [name for name in rc.__all__ if f'id="rehabcount.{name}"' not in reference]
    assert not missing
    members = (
        "Side.LEFT",
        "Place.STERNUM",
        "Verdict.REPEAT",
        "Dose.active_s",
        "BlandAltman.agreement",
        "Calibration.advice",
    )
    assert not [name for name in members if f'id="rehabcount.{name}"' not in reference]
    fields = reference.split('id="rehabcount.CountedEvent"')[1].split('id="rehabcount.Amount"')[0]
    assert "<strong>confidence</strong>" not in fields  # as an attribute, and not as a parameter once more
