"""Who may import whom, which library lives where, and that the packaging matches the tree.

The rules are those of ARCHITECTURE.md; this file is where they are enforced.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# What each package may import of rehabcount. `errors` and `domain` may be imported by all.
MAY_IMPORT: dict[str, set[str]] = {
    "domain": set(),
    "signals": set(),
    "metrics": set(),
    "store": set(),
    "sensors": {"signals", "store"},
    "simulate": {"signals", "store"},
    "inference": {"signals", "store"},
    "datasets": {"signals", "store", "metrics"},
    "engine": {"signals", "store", "sensors", "inference"},
    "exchange": {"signals", "store", "sensors", "metrics", "datasets"},
    "models": {"signals", "store", "sensors", "simulate", "inference", "datasets", "metrics", "engine"},
    "export": {"models", "inference", "signals", "metrics", "store"},
    "bench": {
        "models",
        "export",
        "engine",
        "inference",
        "signals",
        "metrics",
        "store",
        "sensors",
        "simulate",
        "datasets",
    },
    "api": {"app", "engine", "exchange", "sensors", "simulate", "inference", "signals", "store", "metrics"},
    "app": {"engine", "exchange", "sensors", "simulate", "inference", "datasets", "signals", "store", "metrics"},
    "gui": {"app", "engine", "exchange", "sensors", "inference", "signals", "store", "metrics"},
}
FREE_FOR_ALL = {"errors", "domain"}
# Single modules with wider rights than their package.
EXCEPTIONS: dict[str, set[str]] = {
    "rehabcount/sensors/virtual.py": {"simulate"},
    "rehabcount/sensors/simulated.py": {"simulate"},
    "rehabcount/bench/engine_faults.py": {"app"},  # a stalled engine stalls in the threads that app/live.py owns
}
# Third-party libraries with one home.
HOMES: dict[str, tuple[str, ...]] = {
    "bleak": ("rehabcount/sensors/radio/",),
    "bleak_retry_connector": ("rehabcount/sensors/radio/",),
    "asyncio": ("rehabcount/sensors/radio/",),
    "onnxruntime": ("rehabcount/inference/runtime.py",),
    "torch": ("models/", "export/"),
    "onnx": ("export/",),
    "PyQt6": ("gui/",),
    "pyqtgraph": ("gui/",),
    "vqf": ("rehabcount/signals/orientation.py",),
    "sqlite3": ("rehabcount/store/",),
    "rapidfuzz": ("rehabcount/metrics/",),
    "pyarrow": ("rehabcount/exchange/",),
    "fsspec": ("rehabcount/app/",),
    "typer": ("rehabcount/app/",),
    "rich": ("rehabcount/app/",),
    "platformdirs": ("rehabcount/app/",),
}
# Packages whose files may import only the standard library and these.
ONLY_LIBRARIES: dict[str, set[str]] = {
    "domain": {"numpy"},
    "signals": {"numpy", "scipy", "vqf"},
    "store": {"numpy"},
}
DRAWERS = {"utils", "helpers", "manager", "common", "misc"}


def source_files() -> list[Path]:
    """Every module of the product, by its real path (not through the three links)."""
    tops = [ROOT / "rehabcount", ROOT / "models", ROOT / "export", ROOT / "gui"]
    files = [path for top in tops for path in sorted(top.rglob("*.py"))]
    return [path for path in files if path.resolve() == path]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def package_of(path: Path) -> str:
    """`rehabcount/signals/align.py` -> signals; `gui/live.py` -> gui; `rehabcount/errors.py` -> errors."""
    parts = path.relative_to(ROOT).parts
    if parts[0] != "rehabcount":
        return parts[0]
    return parts[1].removesuffix(".py")


def imports_of(path: Path) -> Iterator[tuple[str, int, bool]]:
    """Each imported module with its line and whether the import stands at module level."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno, id(node) not in inside
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{relative(path)}:{node.lineno} imports relatively; write the full name"
            assert node.module is not None
            if node.module == "rehabcount":
                for alias in node.names:
                    yield f"rehabcount.{alias.name}", node.lineno, id(node) not in inside
            else:
                yield node.module, node.lineno, id(node) not in inside


def complaint_about(path: Path, module: str, line: int, top_level: bool) -> str | None:
    """Why this import is forbidden; None if it is fine."""
    here, where = package_of(path), f"{relative(path)}:{line}"
    library = module.split(".")[0]
    if library != "rehabcount":
        home = HOMES.get(library)
        if home and not relative(path).startswith(home):
            return f"{where} imports {library}, whose home is {', '.join(home)}"
        allowed = ONLY_LIBRARIES.get(here)
        if allowed is not None and library not in allowed | {"sqlite3"} and library not in sys.stdlib_module_names:
            return f"{where} imports {library}; {here} knows only {', '.join(sorted(allowed))}"
        return None
    target = module.split(".")[1] if "." in module else ""
    if target in FREE_FOR_ALL | {here, "", "__version__"} or here in {"__init__", "__main__"}:
        return None
    if target in MAY_IMPORT.get(here, set()):
        return None
    if target in EXCEPTIONS.get(relative(path), set()):
        return None
    if relative(path).startswith("rehabcount/app/commands/"):
        if not top_level:
            return None
        return f"{where} imports {module} at the top; a command loads it inside the function that needs it"
    return f"{where}: {here} must not import {module}"


def test_imports_point_one_way() -> None:
    complaints = [
        complaint
        for path in source_files()
        for module, line, top_level in imports_of(path)
        if (complaint := complaint_about(path, module, line, top_level))
    ]
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize(
    ("file", "module", "wrong"),
    [
        ("rehabcount/signals/align.py", "rehabcount.store.session_file", True),
        ("rehabcount/signals/align.py", "rehabcount.domain.motion", False),
        ("rehabcount/engine/walk.py", "rehabcount.app.cli", True),
        ("rehabcount/engine/walk.py", "bleak", True),
        ("rehabcount/sensors/radio/link.py", "bleak", False),
        ("rehabcount/sensors/virtual.py", "bleak", True),
        ("rehabcount/engine/walk.py", "asyncio", True),
        ("rehabcount/sensors/replay.py", "rehabcount.simulate.body", True),
        ("rehabcount/sensors/virtual.py", "rehabcount.simulate.body", False),
        ("rehabcount/domain/rig.py", "scipy", True),
        ("gui/live.py", "PyQt6.QtWidgets", False),
        ("rehabcount/app/live.py", "PyQt6.QtWidgets", True),
        ("rehabcount/app/commands/train.py", "rehabcount.models.train", True),
        ("rehabcount/app/cli.py", "rehabcount.models.train", True),
    ],
)
def test_the_rules_bite(file: str, module: str, wrong: bool) -> None:
    assert (complaint_about(ROOT / file, module, 1, True) is not None) == wrong


def test_packages_are_those_of_the_tree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = set(project["tool"]["setuptools"]["packages"])
    found = {
        ".".join(path.parent.relative_to(ROOT).parts)
        if path.relative_to(ROOT).parts[0] == "rehabcount"
        else "rehabcount." + ".".join(path.parent.relative_to(ROOT).parts)
        for path in source_files()
        if path.name == "__init__.py"
    }
    assert listed == found
    assert {package.split(".")[1] for package in listed if "." in package} <= set(MAY_IMPORT)


@pytest.mark.parametrize("name", ["models", "export", "gui"])
def test_three_links_show_the_same_package(name: str) -> None:
    link = ROOT / "rehabcount" / name
    assert link.is_symlink()
    assert link.readlink() == Path("..") / name
    other_name = subprocess.run(
        [sys.executable, "-c", f"import {name}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert other_name.returncode != 0
    assert f"import this package as rehabcount.{name}" in other_name.stderr


def test_top_level_is_the_fixed_one() -> None:
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    folders = {name.split("/")[0] for name in tracked if "/" in name and not name.startswith(".")}
    assert folders <= {"rehabcount", "models", "export", "gui", "tests", "docs", "scripts"}


def test_no_drawers() -> None:
    assert not [relative(path) for path in source_files() if path.stem in DRAWERS or path.parent.name in DRAWERS]


def test_importing_the_package_is_cheap() -> None:
    code = "import sys, rehabcount; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"numpy", "scipy", "typer", "rich", "PyQt6", "torch", "bleak", "onnxruntime"} & set(loaded)


def test_a_skipped_test_names_no_folder_outside_of_the_clone(tmp_path: Path) -> None:
    environment = {**os.environ, "REHABCOUNT_DATA": str(tmp_path / "not there")}
    words = [sys.executable, "-m", "pytest", "-rs", "-q", "-p", "no:cacheprovider", "tests/sensors/importers"]
    done = subprocess.run(
        [*words, "-k", "metamotion_pair"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert "set REHABCOUNT_DATA" in done.stdout, done.stdout + done.stderr
    assert str(tmp_path) not in done.stdout
