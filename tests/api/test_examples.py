"""Every example in a public docstring runs and gives what it says."""

from __future__ import annotations

import doctest
import functools
from pathlib import Path

import pytest

import rehabcount as rc
from rehabcount.api import counting

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
EXAMPLES = {
    test.name: test
    for name in rc.__all__
    if getattr(rc, name).__module__.startswith("rehabcount.api.")
    for test in doctest.DocTestFinder(exclude_empty=True).find(getattr(rc, name), name)
    if test.examples
}


@pytest.fixture(autouse=True)
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many examples begin with the same recording; it is simulated once."""
    monkeypatch.setattr(rc, "simulate", _simulate)


_simulate = functools.cache(rc.simulate)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) > 20
    assert "count_arrays" in EXAMPLES
    assert counting.count_arrays.__doc__


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    example, said = EXAMPLES[name], list[str]()
    example.globs = {}
    outcome = doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(example, out=said.append)
    assert outcome.failed == 0, "".join(said)
