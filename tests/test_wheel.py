"""The wheel holds everything that the bedside needs: it installs and counts the demo patient without the repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DEMO = ("demo", "--no-gui", "--seconds", "40", "--speed", "max", "--sensors", "1", "--json")
CONSTRAINTS = ROOT / "scripts" / "constraints.txt"


def built(folder: Path) -> Path:
    """A wheel of the tracked files, made outside of the repository."""
    tree = folder / "tree"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, tracked.split("\0")):
        if not name.startswith(("tests/", "docs/")) and (ROOT / name).exists():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name, follow_symlinks=False)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder / "dist"), str(tree)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("wheel"))


def environment(home: Path) -> dict[str, str]:
    """A user who has nothing of ours: no repository on the path, empty folders."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "REHABCOUNT", "XDG"))}
    return {**kept, "HOME": str(home), "OMP_NUM_THREADS": "1"}


def check_demo(said: str, package: Path) -> None:
    document = json.loads(said)
    assert document["simulated"]
    assert document["replay"]["same"]
    assert document["events"] > 0
    assert document["dose"]["repetitions"] > 0
    assert (package / "inference" / "shipped").is_dir()


def test_the_wheel_counts_without_the_repository(wheel: Path, tmp_path: Path) -> None:
    """With the libraries that are installed here, which takes seconds."""
    package = tmp_path / "package"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(package)
    start = f"import sys; sys.path.insert(0, {str(package)!r}); import rehabcount; print(rehabcount.__file__)"
    code = f"{start}; from rehabcount.cli.main import main; sys.argv = ['rehabcount', *{DEMO!r}]; main()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    where, _, said = done.stdout.partition("\n")
    assert Path(where).is_relative_to(package)
    check_demo(said, package / "rehabcount")


@pytest.mark.slow
def test_the_wheel_installs_into_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    """With what pip brings: nothing is missing from the dependencies. Needs a package index."""
    place = tmp_path / "empty"
    venv.create(place, with_pip=True)
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [str(python), "-m", "pip", "install", "-q", "-c", str(CONSTRAINTS), str(wheel)]
    installed = subprocess.run(pip, cwd=tmp_path, env=dict(os.environ), capture_output=True, text=True, check=False)
    if "Could not find a version" in installed.stderr:
        pytest.skip("no package index is reachable")
    assert installed.returncode == 0, installed.stderr
    command = [str(python.with_name("rehabcount")), *DEMO]
    done = subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (package,) = place.glob("**/site-packages/rehabcount")
    check_demo(done.stdout, package)
