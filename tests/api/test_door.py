"""The public names: light, lazy, typed, documented, and independent of other imports."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import rehabcount as rc

ROOT = Path(__file__).parents[2]
OURS = [name for name in rc.__all__ if getattr(rc, name).__module__.startswith("rehabcount.api.")]


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_public_name_is_there_and_listed() -> None:
    assert rc.__all__ == sorted(rc.__all__)
    for name in rc.__all__:
        assert getattr(rc, name).__name__ == name
    assert set(rc.__all__) <= set(dir(rc))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'cuont'"):
        _ = rc.cuont  # type: ignore[attr-defined]


def test_what_type_checkers_see_is_what_is_public() -> None:
    tree = ast.parse((ROOT / "rehabcount" / "__init__.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        (f"rehabcount.{home}", name)
        for home, names in rc._HOMES.items()  # the table that the names are loaded by
        for name in names
    }
    typed = {
        (node.module, alias.name) for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert typed == seen
    assert {name for _, name in typed} == set(rc.__all__)


def test_looking_at_the_door_loads_nothing() -> None:
    code = "import sys, rehabcount as rc; dir(rc); rc.__all__; print('numpy' in sys.modules, len(sys.modules) < 200)"
    assert run(code) == "False True"


@pytest.mark.parametrize(
    "first",
    [
        "import rehabcount.simulate.cohort",
        "import rehabcount.api.simulation",
        "rc.simulate",
        "from rehabcount.simulate import cohort",
    ],
)
def test_simulate_is_the_function_whatever_was_imported_before(first: str) -> None:
    code = (
        f"import rehabcount as rc; {first}; import rehabcount.simulate.body; from rehabcount.simulate import cohort; "
    )
    assert run(code + "print(type(rc.simulate).__name__, cohort.__name__)") == "function rehabcount.simulate.cohort"


def test_one_module_of_the_door_knows_the_app() -> None:
    knowing = [
        path.name
        for path in (ROOT / "rehabcount" / "api").glob("*.py")
        if "from rehabcount.bedside" in path.read_text(encoding="utf-8")
    ]
    assert knowing == ["bedside.py"]


@pytest.mark.parametrize("name", OURS)
def test_every_public_name_says_what_goes_in_and_what_comes_out(name: str) -> None:
    thing = getattr(rc, name)
    text = inspect.getdoc(thing) or ""
    assert "Examples\n--------" in text
    if inspect.isclass(thing):
        public = [
            member
            for member, value in vars(thing).items()
            if not member.startswith("_") and (callable(value) or isinstance(value, property))
        ]
        assert all(inspect.getdoc(getattr(thing, member)) for member in public)
        return
    assert "Returns\n-------" in text
    described = text.split("Parameters\n----------")[1].split("Returns\n-------")[0]
    for parameter in inspect.signature(thing).parameters:
        assert parameter in described, f"{name} does not describe {parameter}"


def test_errors_carry_advice_and_are_value_errors() -> None:
    with pytest.raises(rc.RehabcountError) as found:
        rc.simulate("drinkin")
    assert "drinking" in found.value.advice
    assert isinstance(found.value, rc.InputRefused)
    assert isinstance(found.value, ValueError)


def test_a_traceback_shows_the_advice_and_a_command_says_it_once() -> None:
    code = "import rehabcount as rc; rc.simulate('drinkin')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr.strip().splitlines()[-1].startswith("Choose face wash,")
    words = [sys.executable, "-m", "rehabcount", "count", "missing.rehab"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr.count("Check the name and the folder.") == 1


def test_an_error_without_advice_has_no_note() -> None:
    assert not hasattr(rc.RehabcountError("it failed."), "__notes__")
