"""What all experiments share: description, requirements, results, and how results are kept.

An experiment module defines `EXPERIMENT`. Its `run(settings, context)` computes `Results`: claims (a published number
beside ours) and figures (numbers of our own). `execute` runs it and makes the document that `--json` writes:

    {"experiment", "settings", "environment", "claims": [{"where", "name", "published", "ours", "match", "note"}],
     "figures": {name: value}}

A claim that is not met stays in the table. `match` is null if there is nothing to compare with. NaN becomes null.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import TypedDict, TypeVar, cast, overload

import numpy as np

from rehabcount import __version__
from rehabcount.domain.document import from_document, to_document
from rehabcount.errors import ConfigError, DatasetMissing, MissingExtra
from rehabcount.store.private import written_whole

# Each experiment's module; `rehabcount bench` lists them in this order.
EXPERIMENTS: dict[str, str] = {
    "metrics": "rehabcount.bench.metrics_speed",
    "temporal": "rehabcount.bench.temporal",
    "prism": "rehabcount.bench.prism",
    "runtime": "rehabcount.bench.runtime_speed",
    "engine": "rehabcount.bench.engine_speed",
    "faults": "rehabcount.bench.engine_faults",
    "sessions": "rehabcount.bench.sessions",
    "repetitions": "rehabcount.bench.taught_simulated",
    "strokerehab": "rehabcount.bench.strokerehab",
    "unseen": "rehabcount.bench.unseen",
    "gain": "rehabcount.bench.gain",
    "topics": "rehabcount.bench.topics",
    "real-drinking": "rehabcount.bench.real_drinking",
    "real-steps": "rehabcount.bench.real_steps",
    "real-moca": "rehabcount.bench.real_moca",
    "real-jigsaws": "rehabcount.bench.real_jigsaws",
    "real-gestures": "rehabcount.bench.real_gestures",
    "real-still": "rehabcount.bench.real_still",
    "real-packing": "rehabcount.bench.real_packing",
    "real-coverage": "rehabcount.bench.real_coverage",
    "real-repetitions": "rehabcount.bench.real_repetitions",
}
_REPORTED_LIBRARIES = ("numpy", "scipy", "rapidfuzz", "numba", "scikit-learn", "onnxruntime", "torch")

Value = float | int | str | bool
FigureValue = Value | None
T = TypeVar("T")
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A published number and ours."""

    where: str
    name: str
    published: float | None
    ours: float | None
    match: bool | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    claims: tuple[Claim, ...] = ()
    figures: Mapping[str, FigureValue] = field(default_factory=dict)


class ClaimEntry(TypedDict):
    """A claim in the file."""

    where: str
    name: str
    published: float | None
    ours: float | None
    match: bool | None
    note: str


class Environment(TypedDict):
    """What the numbers were made with."""

    rehabcount: str
    commit: str
    python: str
    system: str
    machine: str
    cpus: int | None
    threads: str
    when: str
    libraries: dict[str, str]


class Document(TypedDict):
    """What `--json` writes."""

    experiment: str
    settings: dict[str, Value]
    environment: Environment
    claims: list[ClaimEntry]
    figures: dict[str, FigureValue]


@dataclass(frozen=True, slots=True)
class Context:
    """Where an experiment reads and writes, and its callbacks for progress."""

    data: Path | None = None
    out: Path | None = None
    quick: bool = False
    on_progress: Callable[[str, int, int], None] = lambda what, done, total: None
    on_claim: Callable[[Claim], None] = lambda claim: None  # for a finished claim, if others take long
    steps: Path | None = None  # finished steps are kept here, so that an interrupted run goes on where it was

    def folder(self, name: str) -> Path:
        """The data folder: `--data` itself, or the folder called `name` in it."""
        if self.data is None:
            raise ConfigError("this experiment reads data.", advice=f"Add --data FOLDER (the folder {name}).")
        if not self.data.is_dir():
            raise DatasetMissing(f"there is no folder {self.data}.", advice="Check --data.")
        return self.data / name if (self.data / name).is_dir() else self.data

    def step(self, kind: type[T], key: str, compute: Callable[[], T]) -> T:
        """The step's value: from an earlier run with the same settings if it is kept, else computed and kept."""
        if self.steps is None:
            return compute()
        kept = self.steps / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"
        if kept.is_file():
            try:
                return from_document(kind, json.loads(kept.read_text(encoding="utf-8"))["value"])
            except (ValueError, KeyError):
                kept.unlink()  # cut short while it was written
        value = clean(to_document(compute()))
        with written_whole(kept) as partial:
            partial.write_text(json.dumps({"key": key, "value": value}), encoding="utf-8")
        return from_document(kind, value)


@dataclass(frozen=True, slots=True)
class Experiment:
    """What `rehabcount bench` lists and runs."""

    name: str
    question: str
    citation: str
    needs: str  # data and extras
    takes: str
    run: Callable[[Mapping[str, Value], Context], Results]
    settings: Mapping[str, Value] = field(default_factory=dict)  # names and defaults of what --set may change
    folder: str | None = None  # its data folder's usual name; None: it needs no data
    alone: bool = False  # trains for hours, or needs what is made for it: `bench all` leaves it out


def experiment(name: str) -> Experiment:
    """The experiment called `name`, loaded now."""
    found: Experiment = import_module(EXPERIMENTS[name]).EXPERIMENT
    return found


def chosen_settings(defaults: Mapping[str, Value], changes: list[str]) -> dict[str, Value]:
    """Defaults with `key=value` changes; each value is read as its default's type."""
    settings = dict(defaults)
    for change in changes:
        key, equals, text = change.partition("=")
        if not equals:
            raise ConfigError(f"--set {change!r} is not key=value.", advice="Write for example --set replicates=100.")
        if key not in defaults:
            near = get_close_matches(key, defaults, 1)
            known = f"Did you mean {near[0]}?" if near else f"Known: {', '.join(defaults) or 'none'}."
            raise ConfigError(f"this experiment has no setting {key!r}.", advice=known)
        settings[key] = _read_as(defaults[key], key, text)
    return settings


def _read_as(default: Value, key: str, text: str) -> Value:
    try:
        if isinstance(default, bool):
            return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[text.lower()]
        return type(default)(text)
    except (KeyError, ValueError):
        kind = type(default).__name__
        raise ConfigError(f"--set {key}={text}: not a {kind}.", advice=f"The default is {default}.") from None


def execute(
    which: Experiment,
    *,
    data: Path | None = None,
    out: Path | None = None,
    quick: bool = False,
    changes: list[str] | None = None,
    on_progress: Callable[[str, int, int], None] = lambda what, done, total: None,
    on_claim: Callable[[Claim], None] = lambda claim: None,
) -> Document:
    """Run an experiment; with `out`, keep its steps, settings, environment, results and table there."""
    settings = chosen_settings(which.settings, changes or [])
    steps = None
    if out is not None:
        digest = hashlib.sha256(json.dumps([__version__, settings, quick], sort_keys=True).encode()).hexdigest()[:12]
        steps = out / "steps" / f"{which.name}-{digest}"
    results = which.run(settings, Context(data, out, quick, on_progress, on_claim, steps))
    document: Document = {
        "experiment": which.name,
        "settings": {**settings, "quick": quick},
        "environment": environment(),
        "claims": [
            {
                "where": claim.where,
                "name": claim.name,
                "published": claim.published,
                "ours": claim.ours,
                "match": claim.match,
                "note": claim.note,
            }
            for claim in results.claims
        ],
        "figures": dict(results.figures),
    }
    document = cast(Document, clean(document))
    if out is not None:
        for name, part in (
            ("settings.json", document["settings"]),
            ("environment.json", document["environment"]),
            ("results.json", document),
        ):
            write_json(out / name, part)
        with written_whole(out / "table.md") as partial:
            partial.write_text(table_of(document), encoding="utf-8")
    return document


def environment() -> Environment:
    """What the numbers were made with; nothing that names a person or a machine."""
    libraries = {}
    for name in _REPORTED_LIBRARIES:
        try:
            libraries[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "rehabcount": __version__,
        "commit": commit(),
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "threads": os.environ.get("OMP_NUM_THREADS", ""),
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "libraries": libraries,
    }


def commit() -> str:
    """The commit that the program runs from, with a + where files differ from it; empty where there is none."""
    git = ["git", "-C", str(Path(__file__).resolve().parent)]
    try:
        head = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True)
        changed = subprocess.run(
            [*git, "status", "--porcelain", "-uno"], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
    return head.stdout.strip() + ("+" if changed.strip() else "")


def table_of(document: Document) -> str:
    """Claims and figures as a Markdown page."""
    lines = [f"# {document['experiment']}", ""]
    if document["claims"]:
        lines += ["| where | name | published | ours | match | note |", "|---|---|---|---|---|---|"]
        lines += [
            f"| {c['where']} | {c['name']} | {number(c['published'])} | {number(c['ours'])} | {verdict(c['match'])} "
            f"| {c['note']} |"
            for c in document["claims"]
        ]
        lines.append("")
    if document["figures"]:
        lines += ["| figure | value |", "|---|---|"]
        lines += [f"| {name} | {number(value)} |" for name, value in document["figures"].items()]
    return "\n".join(lines) + "\n"


def page_of(which: Experiment, document: Document) -> str:
    """The table with what a reader needs to know about it."""
    said = document["environment"]
    lines = table_of(document).splitlines()
    about = [
        f"# {which.question}",
        "",
        f"Written by `rehabcount bench {which.name.replace('-', ' ')}`, commit {said['commit'] or 'unknown'}, "
        f"{said['when'][:10]}. From: {which.citation}. Settings: "
        + ", ".join(f"{key} {_short(value)}" for key, value in document["settings"].items() if value != "")
        + "."
        + (" AER is the action error rate." if any("AER" in line for line in lines) else ""),
    ]
    return "\n".join([*about, *lines[1:]]) + "\n"


def _short(value: Value) -> str:
    """The last two parts of a path, because full paths may name people; other values as they are."""
    texts = str(value).split(",")
    return ", ".join("/".join(Path(text).parts[-2:]) if text.startswith(("/", "~")) else text for text in texts)


def number(value: FigureValue) -> str:
    """For reading: two decimals where that is all there is (as in most papers), else four digits."""
    if isinstance(value, float):
        return f"{value:.2f}" if abs(value) < 10 and abs(value - round(value, 2)) < 1e-9 else f"{value:.4g}"
    return "-" if value is None else str(value)


def verdict(match: bool | None) -> str:
    return {True: "yes", False: "NO", None: "-"}[match]


def differences(one: Document, two: Document) -> list[tuple[str, FigureValue, FigureValue]]:
    """(name, value in one, value in two) of every claim and figure that differs or is in one only."""

    def values(document: Document) -> dict[str, FigureValue]:
        claims: dict[str, FigureValue] = {
            f"{claim['where']}: {claim['name']}": claim["ours"] for claim in document["claims"]
        }
        return {**claims, **document["figures"]}

    a, b = values(one), values(two)
    return [(name, a.get(name), b.get(name)) for name in [*a, *(set(b) - set(a))] if a.get(name) != b.get(name)]


def read_results(path: Path) -> Document:
    """A document that `--json` wrote."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DatasetMissing(f"{path} is not a results file: {error}.", advice="Make one with --json FILE.") from error
    if not isinstance(document, dict) or not {"experiment", "claims", "figures"} <= set(document):
        raise DatasetMissing(f"{path} is not a results file.", advice="Make one with rehabcount bench ... --json FILE.")
    return cast(Document, document)


def write_json(path: Path, document: object) -> None:
    with written_whole(path) as partial:
        partial.write_text(json.dumps(clean(document), indent=2, allow_nan=False) + "\n", encoding="utf-8")


@overload
def clean(value: Mapping[str, object]) -> dict[str, Json]: ...
@overload
def clean(value: object) -> Json: ...
def clean(value: object) -> Json:
    """JSON values only: numpy scalars become Python's, NaN and infinities null."""
    if isinstance(value, Mapping):
        return {str(key): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return clean(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"{type(value).__name__} has no JSON form")


def pyplot() -> ModuleType:
    """matplotlib without a window; MissingExtra where it is not installed."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtra("matplotlib", "bench") from error
    matplotlib.use("Agg")
    from matplotlib import pyplot as plots

    return plots
