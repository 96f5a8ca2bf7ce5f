"""A file that was just saved: it can be opened, shown in its folder, or copied.

Reports are kept beside the session, so that deleting the patient deletes them. That folder is hidden on most systems,
so a banner opens it, and a copy can be saved elsewhere. A message is shown if no program can open the file.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PyQt6.QtCore import QObject, QStandardPaths, QTimer, QUrl
from PyQt6.QtGui import QDesktopServices
from PyQt6.QtWidgets import QFileDialog

from rehabcount.errors import RehabcountError
from rehabcount.gui.background import Background
from rehabcount.gui.controls import Banner
from rehabcount.gui.language import tr
from rehabcount.store.private import write_private_bytes

OPENER = "xdg-open"  # part of every Linux desktop
LOOK_MS = 100
# After this time the viewer has started. xdg-open fails within a second if there is none; on some systems it becomes
# the viewer itself and ends with it.
FOUND_AFTER_S = 10.0


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A file, the suggested name of a copy, and the widgets and functions that are needed."""

    path: Path
    name: str
    banner: Banner
    background: Background
    on_problem: Callable[[RehabcountError], None]

    def tell(self, copied_to: Path | None = None) -> None:
        """Show the path, with buttons to open, show or copy the file; or those of its copy."""
        path = copied_to or self.path
        words = tr("Saved as {path}").format(path=path)
        if copied_to is not None:
            words += ". " + tr("Deleting here does not delete this copy.")
        self.banner.say(
            words,
            "info",
            tr("Open"),
            lambda: show(path, self.banner, lambda: self._say_not_shown(path)),
            (tr("Show in folder"), lambda: show(path.parent, self.banner, lambda: self._say_not_shown(path))),
            (tr("Save as …"), self._ask_where),
        )

    def _ask_where(self) -> None:
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        kind = self.path.suffix
        chosen, _ = QFileDialog.getSaveFileName(
            self.banner.window(), tr("Save as …"), str(Path(documents) / self.name), f"{kind[1:].upper()} (*{kind})"
        )
        if chosen:
            self.copy_to(Path(chosen))

    def copy_to(self, target: Path) -> None:
        """A copy with mode 0600; a name without a suffix gets the right one."""
        if not target.suffix:
            target = target.with_suffix(self.path.suffix)
        self.background.run(
            lambda: write_private_bytes(target, self.path.read_bytes()), lambda _: self.tell(target), self.on_problem
        )

    def _say_not_shown(self, path: Path) -> None:
        words = tr("Nothing on this computer can show it. {name} is in {folder}.")
        said = words.format(name=path.name, folder=path.parent)
        self.banner.say(said, "warn", tr("Save as …"), self._ask_where)


def show(path: Path, owner: QObject, on_refused: Callable[[], None]) -> None:
    """Open a file or folder in the desktop's program for it; `on_refused` is called if there is none."""
    if sys.platform in ("win32", "darwin"):
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            on_refused()
        return
    opener = shutil.which(OPENER)  # Qt starts it, too, but does not report its failure
    if opener is None:
        on_refused()
        return
    silent = subprocess.DEVNULL
    started = subprocess.Popen(
        [opener, str(path)], stdin=silent, stdout=silent, stderr=silent, start_new_session=True
    )  # of its own: the viewer stays when our window is closed
    timer = QTimer(owner)
    waited_ms = [0]

    def look() -> None:
        code, waited_ms[0] = started.poll(), waited_ms[0] + LOOK_MS
        if code is None and waited_ms[0] < 1000 * FOUND_AFTER_S:
            return
        timer.stop()
        timer.deleteLater()
        if code is None:
            started.returncode = 0  # it goes on; its exit code is not needed
        elif code != 0:
            on_refused()

    timer.timeout.connect(look)
    timer.start(LOOK_MS)
