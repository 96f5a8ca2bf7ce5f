"""Who may import whom, which library lives where, and that the packaging matches the tree.

The rules are those of ARCHITECTURE.md; this file is where they are enforced.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

from rehabcount.domain.update import PhaseName
from rehabcount.store import documents, layers

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
    "api": {"bedside", "engine", "exchange", "sensors", "simulate", "inference", "signals", "store", "metrics"},
    "bedside": {"engine", "exchange", "sensors", "simulate", "inference", "signals", "store"},
    "cli": {
        "bedside",
        "engine",
        "exchange",
        "sensors",
        "simulate",
        "inference",
        "datasets",
        "signals",
        "store",
        "metrics",
    },
    "gui": {"bedside", "engine", "exchange", "sensors", "inference", "signals", "store", "metrics"},
}
FREE_FOR_ALL = {"errors", "domain"}
# Single modules with wider rights than their package.
EXCEPTIONS: dict[str, set[str]] = {
    "rehabcount/sensors/simulated.py": {"simulate"},
    "rehabcount/bedside/discovering.py": {
        "models"
    },  # the steps of an exercise are fitted at the bedside, without torch
    "rehabcount/bench/engine_faults.py": {"bedside"},  # a stalled engine stalls in the threads of bedside/session.py
}
# Third-party libraries with one home.
HOMES: dict[str, tuple[str, ...]] = {
    "bleak": ("rehabcount/sensors/radio/",),
    "bleak_retry_connector": ("rehabcount/sensors/radio/",),
    "asyncio": ("rehabcount/sensors/radio/",),
    "onnxruntime": ("rehabcount/inference/runtime.py",),
    "torch": ("models/", "export/"),
    "onnx": ("export/",),
    "numba": ("models/", "rehabcount/metrics/"),
    "PyQt6": ("gui/",),
    "pyqtgraph": ("gui/",),
    "vqf": ("rehabcount/signals/orientation.py",),
    "sqlite3": ("rehabcount/store/",),
    "rapidfuzz": ("rehabcount/metrics/",),
    "pyarrow": ("rehabcount/exchange/",),
    "fsspec": ("rehabcount/bedside/",),
    "typer": ("rehabcount/cli/",),
    "rich": ("rehabcount/cli/",),
    "platformdirs": ("rehabcount/bedside/",),
}
# Packages whose files may import only the standard library and these.
ONLY_LIBRARIES: dict[str, set[str]] = {
    "domain": {"numpy"},
    "signals": {"numpy", "scipy", "vqf"},
    "store": {"numpy"},
}
# Bounds of every function. The functions in the lists exceed them today; remove each from its list when it is shorter.
MOST_LINES, MOST_PARAMETERS = 80, 8
LONG_FUNCTIONS: set[str] = set()
MANY_PARAMETERS: set[str] = set()
# Modules that import each other, inside functions.
CYCLES: set[frozenset[str]] = set()
# Class names that mean two things today.
SHARED_NAMES: set[str] = set()
# What typer reads, which must be light; and what it calls, which may reach any package and is loaded when it is called.
COMMANDS, WORK, WORKERS = "rehabcount/cli/commands/", "rehabcount/cli/work/", "rehabcount.cli.work"
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
    if top_level and here == "cli" and module.startswith(WORKERS) and not relative(path).startswith(WORK):
        return f"{where} imports {module} at the top; what a command needs is loaded when the command runs"
    if target in FREE_FOR_ALL | {here, "", "__version__"} or here in {"__init__", "__main__"}:
        return None
    if target in MAY_IMPORT.get(here, set()):
        return None
    if target in EXCEPTIONS.get(relative(path), set()):
        return None
    if relative(path).startswith(COMMANDS):
        if not top_level:
            return None
        return f"{where} imports {module} at the top; a command loads it inside the function that needs it"
    if relative(path).startswith(WORK):
        return None
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
        ("rehabcount/engine/walk.py", "rehabcount.cli.main", True),
        ("rehabcount/engine/walk.py", "bleak", True),
        ("rehabcount/sensors/radio/link.py", "bleak", False),
        ("rehabcount/sensors/virtual.py", "bleak", True),
        ("rehabcount/engine/walk.py", "asyncio", True),
        ("rehabcount/sensors/replay.py", "rehabcount.simulate.body", True),
        ("rehabcount/sensors/virtual.py", "rehabcount.simulate.body", True),
        ("rehabcount/sensors/simulated.py", "rehabcount.simulate.body", False),
        ("rehabcount/domain/rig.py", "scipy", True),
        ("rehabcount/signals/align.py", "numba", True),
        ("gui/live.py", "PyQt6.QtWidgets", False),
        ("rehabcount/bedside/session.py", "PyQt6.QtWidgets", True),
        ("rehabcount/cli/commands/train.py", "rehabcount.models.train", True),
        ("rehabcount/cli/commands/train.py", "rehabcount.cli.work.train", True),
        ("rehabcount/cli/work/train.py", "rehabcount.models.train", False),
        ("rehabcount/cli/main.py", "rehabcount.models.train", True),
    ],
)
def test_the_rules_bite(file: str, module: str, wrong: bool) -> None:
    assert (complaint_about(ROOT / file, module, 1, True) is not None) == wrong


def module_of(path: Path) -> str:
    """`gui/live.py` -> rehabcount.gui.live; a package's __init__ is the package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts if parts[0] == "rehabcount" else ("rehabcount", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_when(tree: ast.AST, known: Collection[str]) -> tuple[set[str], set[str]]:
    """Modules of ours that are imported when this one is, and those that wait inside functions. Imports for type
    checkers alone count as neither: they never run."""
    at_once, later = set[str](), set[str]()

    def visit(node: ast.AST, found: set[str]) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, ast.Import):
                found.update(alias.name for alias in child.names if alias.name in known)
            elif isinstance(child, ast.ImportFrom):
                names = [f"{child.module}.{alias.name}" for alias in child.names]
                found.update(name if name in known else str(child.module) for name in names)
            visit(child, later if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else found)

    visit(tree, at_once)
    return at_once & set(known), later & set(known)


def cycles_of(imports: Mapping[str, Collection[str]]) -> set[frozenset[str]]:
    """Groups of modules of which each reaches each."""
    reached: dict[str, set[str]] = {}
    for module in imports:
        found, waiting = set[str](), list(imports[module])
        while waiting:
            each = waiting.pop()
            if each not in found:
                found.add(each)
                waiting += imports.get(each, ())
        reached[module] = found
    circular = [module for module in imports if module in reached[module]]
    return {frozenset(other for other in reached[each] if each in reached.get(other, ())) for each in circular}


def read_by_typer(tree: ast.AST) -> set[str]:
    """Functions that become commands here: `@app.command()` above one, or `app.command()(demo.demo)`."""
    found = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            found |= {node.name for each in node.decorator_list if _makes_a_command(each)}
        elif isinstance(node, ast.Call) and _makes_a_command(node.func):
            found |= {ast.unparse(each) for each in node.args}
    return found


def _makes_a_command(node: ast.expr) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr in ("command", "callback")


def functions_of(tree: ast.Module) -> Iterator[tuple[str, int, int]]:
    """Each function with its lines and its parameters."""

    def visit(node: ast.AST, inside: str) -> Iterator[tuple[str, int, int]]:
        for child in ast.iter_child_nodes(node):
            name = inside
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{inside}.{child.name}".lstrip(".")
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                given = child.args
                every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
                parameters = sum(each is not None and each.arg not in ("self", "cls") for each in every)
                yield name, (child.end_lineno or 0) - child.lineno + 1, parameters
            yield from visit(child, name)

    yield from visit(tree, "")


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8"), str(path)) for path in source_files()}


def test_no_module_imports_itself_through_others(trees: dict[Path, ast.Module]) -> None:
    known = {module_of(path) for path in trees}
    found = {module_of(path): imported_when(tree, known) for path, tree in trees.items()}
    assert not cycles_of({module: at_once - {module} for module, (at_once, _) in found.items()})
    assert cycles_of({module: (at_once | later) - {module} for module, (at_once, later) in found.items()}) == CYCLES


def test_functions_are_short_and_take_few_parameters(trees: dict[Path, ast.Module]) -> None:
    """The options of a command are parameters of the function that typer reads: those may be many."""
    commands = {name for tree in trees.values() for name in read_by_typer(tree)}
    long, many = set[str](), set[str]()
    for path, tree in trees.items():
        for name, lines, parameters in functions_of(tree):
            where = f"{relative(path)}: {name}"
            long |= {where} if lines > MOST_LINES else set()
            reads = package_of(path) == "cli" and not relative(path).startswith(WORK)
            a_command = reads and not commands.isdisjoint({name, f"{path.stem}.{name}"})
            many |= {where} if parameters > MOST_PARAMETERS and not a_command else set()
    assert long == LONG_FUNCTIONS
    assert many == MANY_PARAMETERS


def test_a_class_name_means_one_thing(trees: dict[Path, ast.Module]) -> None:
    names = Counter(
        node.name
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, times in names.items() if times > 1} == SHARED_NAMES


PHASES = {phase.value for phase in PhaseName}
KINDS = {kind.name for kind in vars(documents).values() if isinstance(kind, documents.DocumentKind)}
LAYERS = {value for name, value in vars(layers).items() if name.isupper()}
# What takes one of them, and which names are meant there.
TAKES_A_NAME = {
    **dict.fromkeys(("Phase", "PhaseName", "enter"), PHASES),
    **dict.fromkeys(
        ("document", "put_document", "document_versions", "legible", "has_document", "DocumentKind"), KINDS
    ),
    **dict.fromkeys(("Layer", "add_segments", "segments"), LAYERS),
}
UNMISTAKABLE = {name for name in KINDS | PHASES if " " in name} | {"salvage", "calibrating"}
HOMES_OF_NAMES = {"rehabcount/domain/update.py", "rehabcount/store/documents.py", "rehabcount/store/layers.py"}
# Constants that mean something else: what a sensor set lacks, tables of a file, blanks of a sentence.
OTHER_THINGS = {"UNCALIBRATED", "NUMBERED", "SAID_IN_BLANKS"}


def names_written_out(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Where the name of a phase, a document or a layer stands as a string: given to what takes one, compared with
    the name of a phase, as a constant of a module or a key of one, or anywhere if it can mean nothing else."""

    def strings(node: ast.AST | None, among: Collection[str]) -> Iterator[tuple[int, str]]:
        for each in ast.walk(node) if node is not None else ():
            if isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value in among:
                yield each.lineno, each.value

    yield from strings(tree, UNMISTAKABLE)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            for given in (*node.args[:1], *(each.value for each in node.keywords if each.arg in ("name", "layer"))):
                yield from strings(given, TAKES_A_NAME.get(called, ()))
        elif isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            if any(isinstance(each, ast.Attribute) and each.attr in ("name", "phase") for each in sides):
                for each in sides:
                    yield from strings(each, PHASES)
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        if ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target) not in OTHER_THINGS:
            values = node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else [node.value]
            for each in [*values, *(node.value.keys if isinstance(node.value, ast.Dict) else [])]:
                if isinstance(each, ast.Constant):
                    yield from strings(each, KINDS | LAYERS | PHASES)


def test_names_of_phases_documents_and_layers_are_written_once(trees: dict[Path, ast.Module]) -> None:
    found = [
        f"{relative(path)}:{line} says {name!r}"
        for path, tree in trees.items()
        if relative(path) not in HOMES_OF_NAMES
        for line, name in sorted(set(names_written_out(tree)))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "line",
    [
        'file.put_document("plan", plan)',
        'file.document("calibration")',
        'session.enter("counting", "drinking")',
        'said = Phase("paused" if waiting else COUNTING, 0.0)',
        'begun = [each for each in said if each.name == "counting"]',
        'running = state.phase in ("counting", "assisted")',
        'file.add_segments("reference", segments)',
        'file.segments(layer="reference")',
        'PATIENT, SIDE = "patient", "side"',
        'STYLES = {"paused": "yellow"}',
        'print("counting side")',
    ],
)
def test_a_name_that_is_written_out_is_found(line: str) -> None:
    assert list(names_written_out(ast.parse(line)))


def test_gravity_has_one_home(trees: dict[Path, ast.Module]) -> None:
    """What a sensor at rest measures, and the unit g: two constants, which everything else takes from there."""
    numbers = Counter(
        relative(path)
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and 9.79 < abs(node.value) < 9.82
    )
    assert numbers == {"rehabcount/domain/motion.py": 2}


def test_the_bounds_bite() -> None:
    lines = "\n".join(f"        x = {i}" for i in range(80))
    tree = ast.parse(
        f"class A:\n    def long(self, a, *, b, c=0, **d):\n{lines}\n"
        "@app.command()\ndef read(a, b): ...\napp.command()(demo.demo)\n"
        "def late():\n    from rehabcount import b\n"
        "from rehabcount.c import D\nif TYPE_CHECKING:\n    import rehabcount.d\n"
    )
    assert list(functions_of(tree)) == [("A.long", 81, 4), ("read", 1, 2), ("late", 2, 0)]
    assert read_by_typer(tree) == {"read", "demo.demo"}
    known = {f"rehabcount.{name}" for name in "abcd"}
    assert imported_when(tree, known) == ({"rehabcount.c"}, {"rehabcount.b"})
    assert cycles_of({"a": ["b"], "b": ["c"], "c": ["a", "d"], "d": []}) == {frozenset("abc")}
    assert not cycles_of({"a": ["b", "c"], "b": ["c"], "c": []})


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
