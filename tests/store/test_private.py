"""Tables, reports and settings: private with any umask, complete or not there, and never through a link."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rehabcount.bedside.config import Settings, WindowSettings, load_settings, save_settings
from rehabcount.errors import StoreUnwritable
from rehabcount.exchange.tables import open_table
from rehabcount.sensors import assignment
from rehabcount.store.private import write_private_text, written_whole

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes mean nothing there")


@pytest.fixture
def careless() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def table(path: Path) -> None:
    with open_table(path, "csv") as opened:
        opened.write({"a": [1]})


WRITERS: list[Callable[[Path], None]] = [
    lambda path: write_private_text(path, "a"),
    table,
    lambda path: save_settings(Settings(window=WindowSettings(sound=True)), path),
    lambda path: assignment.save(path, ()),
]


@pytest.mark.parametrize("write", WRITERS, ids=["text", "table", "settings", "sensors"])
def test_private_with_any_umask(write: Callable[[Path], None], careless: None, tmp_path: Path) -> None:
    path = tmp_path / "new" / "deeper" / "file"
    write(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert {folder.stat().st_mode & 0o777 for folder in (path.parent, path.parent.parent)} == {0o700}
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("write", WRITERS, ids=["text", "table", "settings", "sensors"])
def test_an_older_file_gives_up_its_mode_and_its_links(write: Callable[[Path], None], tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.write_text("not ours")
    path = folder / "file"
    path.write_text("older")
    path.chmod(0o666)
    for name in ("file.part", "file.new", "file.partial"):  # files of an older version or another program
        (folder / name).symlink_to(elsewhere)
    write(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text() != "older"
    assert elsewhere.read_text() == "not ours"


def test_what_fails_leaves_the_older_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("older")

    def interrupted() -> None:
        with written_whole(path) as partial:
            partial.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "older"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(StoreUnwritable, match="file cannot be written"):
        write_private_text(tmp_path / "file", "a")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_settings_come_back(careless: None, tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    settings = Settings(window=WindowSettings(initials="ab"))
    save_settings(settings, path)
    assert load_settings(path) == settings


TERMINATED = """
import sys, time
from pathlib import Path
from rehabcount.cli import main as cli
from rehabcount.store.private import written_whole

def slow() -> None:
    with written_whole(Path(sys.argv[-1])) as partial:
        partial.write_text("half")
        print("writing", flush=True)
        time.sleep(60)

cli.app = slow
cli.main()
"""


def test_a_command_that_is_terminated_leaves_nothing(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", TERMINATED, str(tmp_path / "file")], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"writing\n"
    child.send_signal(signal.SIGTERM)
    child.communicate()
    assert child.returncode == 143
    assert list(tmp_path.iterdir()) == []
