"""scripts/bedside.lock pins the bedside install: all of pyproject.toml's dependencies and theirs, with hashes."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "scripts" / "bedside.lock").read_text(encoding="utf-8")
ADVICE = "run scripts/lock.sh"


def pins() -> dict[str, tuple[Requirement, list[str]]]:
    """What is pinned, by name: the requirement, and the hashes of its files."""
    found: dict[str, tuple[Requirement, list[str]]] = {}
    for entry in re.sub(r"^#.*\n", "", LOCK, flags=re.MULTILINE).replace("\\\n", " ").splitlines():
        words, *hashes = entry.split("--hash=")
        requirement = Requirement(words.strip())
        found[canonicalize_name(requirement.name)] = (requirement, [each.strip() for each in hashes])
    return found


PINS = pins()


def version_of(name: str) -> str:
    (pin,) = PINS[canonicalize_name(name)][0].specifier
    assert pin.operator == "=="
    return pin.version


def dependencies() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [Requirement(line) for line in project["dependencies"]]


@pytest.mark.parametrize("wanted", dependencies(), ids=lambda each: each.name)
def test_every_dependency_is_pinned_within_its_range(wanted: Requirement) -> None:
    assert canonicalize_name(wanted.name) in PINS, ADVICE
    assert wanted.specifier.contains(version_of(wanted.name)), ADVICE


def test_the_versions_are_those_that_were_tested_together() -> None:
    lines = (ROOT / "scripts" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    tested = [Requirement(line) for line in lines if not line.startswith("#")]
    differing = [
        str(each)
        for each in tested
        if canonicalize_name(each.name) in PINS and not each.specifier.contains(version_of(each.name))
    ]
    assert not differing, ADVICE


def test_what_the_dependencies_need_is_pinned_too() -> None:
    """By what the installed libraries say of themselves, for this system."""
    missing, seen, waiting = set(), set(), dependencies()
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        if name in seen or (wanted.marker is not None and not wanted.marker.evaluate({"extra": ""})):
            continue
        seen.add(name)
        if name not in PINS or not wanted.specifier.contains(version_of(name)):
            missing.add(str(wanted))
        try:
            waiting += [Requirement(line) for line in requires(name) or []]
        except PackageNotFoundError:  # another system's, or of another version than is installed here
            continue
    assert not missing, ADVICE
    assert len(seen) > len(dependencies())


def test_everything_has_hashes_and_nothing_says_where_it_came_from() -> None:
    for name, (_, hashes) in PINS.items():
        assert hashes, name
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each) for each in hashes), name
    assert "://" not in LOCK
    assert not re.search(r"^\s*-", re.sub(r"^\s+--hash=", "", LOCK, flags=re.MULTILINE), flags=re.MULTILINE)


def test_it_serves_every_system_and_needs_no_torch() -> None:
    systems = {str(requirement.marker) for requirement, _ in PINS.values() if requirement.marker is not None}
    assert {f'sys_platform == "{system}"' for system in ("linux", "darwin", "win32")} <= systems
    assert not {"torch", "onnx", "scikit-learn"} & PINS.keys()
