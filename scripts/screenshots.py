"""Pictures of every screen of the window, taken from the running program: `make screenshots`.

    python scripts/screenshots.py                      docs/screens/*.png, light, 1440 x 900
    python scripts/screenshots.py --check FOLDER       every screen in every theme at three sizes, to look at

A folder of invented patients is made first, their sessions counted from the simulated patient. Needs a display
(`xvfb-run -s "-screen 0 3840x2160x24" python scripts/screenshots.py`).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from unittest import mock

from PyQt6 import sip
from PyQt6.QtCore import QSize
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QWidget

from rehabcount.bedside.config import Settings, WindowSettings
from rehabcount.bedside.rigging import Choice
from rehabcount.bedside.session import LiveSession, SessionRequest
from rehabcount.bedside.simulated_file import describe_recording
from rehabcount.bedside.sources import SimulatedSource
from rehabcount.bedside.virtual_patient import session_of
from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.domain.patient import Patient
from rehabcount.domain.rig import Side, make_rig
from rehabcount.domain.update import Phase, PhaseName, Said
from rehabcount.gui import opening
from rehabcount.gui.desk import DEMO_CODE, DemoPatient, Desk, SessionSpec
from rehabcount.gui.live import LiveScreen
from rehabcount.gui.start import application
from rehabcount.gui.window import MainWindow, dress
from rehabcount.inference.artifact import Opened
from rehabcount.simulate.recording import Recording
from rehabcount.store.documents import PATIENT, SIMULATION, Owner
from rehabcount.store.packets import Origin

FOLDER = Path(__file__).parents[1] / "docs" / "screens"
DAY_NS = 24 * 3600 * 10**9
PLAN = Plan((PlannedActivity("Glass to shelf", 12), PlannedActivity("Drinking", 8)))
LIVE_S = 62.0  # of counting before the live screen is taken
LIVE_SEED = 1  # one who begins to train at once
PEOPLE = (
    Patient("P-014", Side.RIGHT, 43, "2026-10-02", "Prefers mornings."),
    Patient("P-021", Side.LEFT, 31, "2026-09-18"),
    Patient("K-007", Side.RIGHT, 55, "2026-10-20"),
)
# Days before today, seed and seconds of the sessions of the first of them.
SESSIONS = ((23, 1, 70.0), (18, 2, 80.0), (14, 6, 90.0), (9, 9, 100.0), (4, 10, 110.0), (1, 13, 120.0))


@dataclass(frozen=True)
class Look:
    theme: str = "light"
    size: tuple[int, int] = (1440, 900)
    percent: int = 100

    @property
    def suffix(self) -> str:
        return f"{self.theme}-{self.size[0]}x{self.size[1]}-{self.percent}"


CHECKED = [
    Look(theme, size, percent)
    for theme in ("light", "dark", "contrast")
    for size, percent in (((1280, 720), 100), ((1280, 720), 200), ((1920, 1080), 100), ((3840, 2160), 200))
]


class Studio:
    """A desk with invented people on it, and a window to photograph."""

    def __init__(self, data: Path, look: Look, language: str) -> None:
        self.app = application()
        window = WindowSettings(look.theme, look.percent, language, initials="AB")
        self.desk = Desk(Settings(str(data), window=window), data / "settings.toml")
        dress(self.app, self.desk)
        self.window = MainWindow(self.desk)
        self.window.resize(QSize(*look.size))
        self.window.show()

    def wait(self, done: Callable[[], object], longest_s: float = 90.0) -> None:
        until = time.monotonic() + longest_s
        while not done():
            if time.monotonic() > until:
                raise TimeoutError(f"{self.window.screen_name} did not come to it")
            QTest.qWait(30)

    def go(self, name: str, argument: object = None, settle_ms: int = 900) -> None:
        self.window.show_screen(name, argument)
        QTest.qWait(settle_ms)

    def newest(self) -> Path:
        return max(self.desk.library.sessions("P-014"), key=lambda entry: entry.begun_utc).path

    def close(self) -> None:
        live = self.window._screens.get("live")
        if isinstance(live, LiveScreen) and live.thread_ is not None and live.thread_.alive:
            live._timer.stop()
            live.thread_.blockSignals(True)
            live.thread_.end()
            live.thread_.join(20.0)
        self.window.hide()
        sip.delete(self.window)


class PlannedSource(SimulatedSource):
    """A simulated patient who goes through the plan: half of the time for each activity."""

    def __init__(self, recording: Recording, seconds: float) -> None:
        super().__init__(recording, seconds, speed=None)
        counting = next(i for i, item in enumerate(self._items) if _is_counting(item))
        half = (counting + len(self._items)) // 2
        at_ns = [self._items[i].received_ns for i in (counting, half)]
        said = [
            Said(Phase(PhaseName.COUNTING, 0.0, each.name), at) for each, at in zip(PLAN.activities, at_ns, strict=True)
        ]
        self._items = [
            *self._items[:counting],
            said[0],
            *self._items[counting + 1 : half],
            said[1],
            *self._items[half:],
        ]


def _is_counting(item: object) -> bool:
    return isinstance(item, Said) and isinstance(item.what, Phase) and item.what.name == PhaseName.COUNTING


Picture = Callable[[Studio], Iterator[tuple[str, QWidget]]]


def home(studio: Studio) -> Iterator[tuple[str, QWidget]]:
    studio.go("home", "P-014")
    yield "home", studio.window


def setup(studio: Studio) -> Iterator[tuple[str, QWidget]]:
    studio.go("setup", None)
    screen = studio.window.screen_called("setup")
    studio.wait(lambda: screen._air is not None and not screen._air.missing)  # type: ignore[attr-defined]
    studio.wait(lambda: all(seen.health.rate_hz for seen in screen._air.sensors))  # type: ignore[attr-defined]
    QTest.qWait(300)
    yield "setup", studio.window
    screen.steps[-1].click()  # type: ignore[attr-defined]
    QTest.qWait(300)
    yield "calibration", studio.window
    studio.go("home")


def live(studio: Studio) -> Iterator[tuple[str, QWidget]]:
    rig = make_rig("nine", Side.RIGHT, "generic", 100.0)
    studio.window.show_screen("live", SessionSpec(DEMO_CODE, rig, Side.RIGHT, PLAN, DemoPatient(LIVE_SEED, speed=2.0)))
    screen = studio.window.screen_called("live")
    assert isinstance(screen, LiveScreen)
    studio.wait(lambda: screen._ready and screen.state is not None and screen.state.calibrated)
    screen.toggle_pause()
    studio.wait(lambda: screen.state is not None and screen.state.elapsed_s > LIVE_S and not screen.state.late_s)
    yield "live", studio.window
    screen.toggle_signals()
    QTest.qWait(2500)
    studio.wait(lambda: screen.state is not None and not screen.state.late_s)
    yield "live-signals", studio.window
    screen.toggle_signals()
    screen.toggle_patient_view()
    QTest.qWait(400)
    assert screen.patient_view is not None
    yield "patient-view", screen.patient_view
    screen.toggle_patient_view()
    studio.window.show_keys()
    QTest.qWait(200)
    yield "keys", studio.window


def results(studio: Studio) -> Iterator[tuple[str, QWidget]]:
    for name in ("summary", "review"):
        studio.go(name, studio.newest(), 2500)
        yield name, studio.window
    studio.go("history", "P-014", 2500)
    yield "history", studio.window


def the_rest(studio: Studio) -> Iterator[tuple[str, QWidget]]:
    for name in ("settings", "about"):
        studio.go(name)
        if name == "settings":  # not where the pictures are made
            studio.window.screen_called(name).folder.setText("~/rehabcount")  # type: ignore[attr-defined]
        yield name, studio.window


NOT_KEPT = ("about",)  # a page of words: large as a picture, and the README says the same
PICTURES: tuple[Picture, ...] = (home, setup, results, the_rest, live)


def invent(data: Path) -> None:
    """People, and sessions of the first of them over some weeks."""
    desk = Desk(Settings(str(data)), data / "settings.toml")
    artifact = desk.artifact()
    if artifact is None:
        raise SystemExit("There is no model to count with.")
    model = Opened(opening.open_model(artifact.folder), artifact.sha256)
    for person in PEOPLE:
        desk.library.add_patient(person)
    for days_ago, seed, seconds in SESSIONS:
        recording = session_of(Choice("five", Side.RIGHT), 3.0, seed)
        path = data / "sessions" / f"session-{days_ago:02d}.rehab"
        now = Origin.now()
        then = replace(now, utc_ns=(now.utc_ns or 0) - days_ago * DAY_NS)
        written = datetime.fromtimestamp((then.utc_ns or 0) / 1e9, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        with (
            mock.patch.object(Origin, "now", return_value=then),
            mock.patch("rehabcount.store.creation.utc_text", return_value=written),
        ):
            source = PlannedSource(recording, 25.0 + seconds)
            documents = {
                PATIENT: Owner(PEOPLE[0].code, Side.RIGHT),
                SIMULATION: describe_recording(recording),
            }
            request = SessionRequest(path, recording.rig, recording.side, PLAN, model, documents=documents)
            session = LiveSession(request, source, on_update=lambda update: None)
            session.start()
            session.wait()
        desk.library.refresh(path)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--check", type=Path, help="every theme and size, into this folder")
    words.add_argument("--only", default="", help="pictures whose name contains this")
    words.add_argument("--language", default="en")
    words.add_argument("--model", type=Path, help="folder of an artifact to count with, in place of the shipped one")
    chosen = words.parse_args()
    folder = chosen.check or FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        data = Path(name)
        if chosen.model is not None:
            (data / "models").mkdir()
            (data / "models" / chosen.model.name).symlink_to(chosen.model.resolve())
        application()
        invent(data)
        for look in CHECKED if chosen.check else [Look()]:
            for picture in PICTURES:
                if chosen.only and chosen.only not in picture.__name__:
                    continue
                studio = Studio(data, look, chosen.language)
                try:
                    for title, widget in picture(studio):
                        if not chosen.check and title in NOT_KEPT:
                            continue
                        suffix = f"-{look.suffix}" if chosen.check else ""
                        widget.grab().save(
                            str(folder / f"{title}{suffix}.png"), quality=0
                        )  # packed as tightly as it goes
                        print(title, look.suffix, flush=True)
                finally:
                    studio.close()


if __name__ == "__main__":
    main()
