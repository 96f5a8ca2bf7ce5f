"""The desk: data that all screens share. Settings, who is working, the model, and the folders.

`SessionSpec` goes from the set-up to the live screen: everything that a session needs to begin.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from PyQt6.QtCore import QObject, pyqtSignal

from rehabcount.bedside.chosen_model import find_model
from rehabcount.bedside.config import Settings, WindowSettings, save_settings
from rehabcount.domain.calibration import Calibration
from rehabcount.domain.dose import Plan
from rehabcount.domain.patient import DEMO, Patient, Severity, severity_of
from rehabcount.domain.rig import Rig, Side
from rehabcount.errors import ArtifactError
from rehabcount.gui.backup_job import BackupJob
from rehabcount.inference.artifact import SHIPPED, Artifact, list_artifacts
from rehabcount.store.library import Library

if TYPE_CHECKING:
    from rehabcount.bedside.sources import PreparedSource

DEMO_CODE = DEMO.code  # the simulated patient's; no real patient may have it
DEMO_SEVERITY = Severity.MODERATE  # of the cohort's test group
DEMO_SEED = 73  # this patient follows the demo's plan in its order: reaching on the table, then glass to shelf


@dataclass(frozen=True, slots=True)
class DemoPatient:
    """A simulated patient; the same seed is the same patient."""

    seed: int = DEMO_SEED
    speed: float = 1.0
    simulated: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class FileSource:
    """A recorded session, played and counted again."""

    path: Path
    speed: float = 1.0
    simulated: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class SessionSpec:
    """All that a session needs to begin. `patient` is a code of the library; DEMO_CODE for the simulated one."""

    patient: str
    rig: Rig
    side: Side
    plan: Plan
    source: DemoPatient | FileSource | PreparedSource  # the last: what a set-up has connected and calibrated
    calibration: Calibration | None = None

    @property
    def simulated(self) -> bool:
        """Whether the patient is simulated."""
        return self.source.simulated


class Desk(QObject):
    """One per process. Screens read it, change it through its methods, and listen to its signals."""

    changed = pyqtSignal()  # settings, initials or model
    appearance_changed = pyqtSignal()  # theme, text size or language

    def __init__(self, settings: Settings, settings_file: Path | None = None) -> None:
        super().__init__()
        self.settings = settings
        self._settings_file = settings_file
        self.backup = BackupJob(self)

    # -- settings -----------------------------------------------------------------------------------------------------

    @property
    def window(self) -> WindowSettings:
        return self.settings.window

    @property
    def who(self) -> str:
        """Initials of the person who is working; empty until they are entered."""
        return self.settings.window.initials

    def set_who(self, initials: str) -> None:
        self.set_window(initials=initials.strip())

    def set_window(self, **changes: object) -> None:
        """Change the window's own settings (theme, text_percent, language, sound, initials, rig) and keep them."""
        window = dataclasses.replace(self.settings.window, **changes)  # type: ignore[arg-type]  # checked by its fields
        self.save(dataclasses.replace(self.settings, window=window))

    def save(self, settings: Settings) -> None:
        """Keep these settings. StoreError if the disk refuses; they are then used until the window closes."""
        before, self.settings = self.settings, settings
        if _appearance(before.window) != _appearance(settings.window):
            self.appearance_changed.emit()
        self.changed.emit()
        save_settings(settings, self._settings_file)

    # -- the model ----------------------------------------------------------------------------------------------------

    @property
    def model_folders(self) -> tuple[Path, ...]:
        return (self.settings.models, SHIPPED)

    def fix_model(self, name: str) -> None:
        """Fix the model that counts, in commands, too; empty: the newest version of the default model."""
        self.save(dataclasses.replace(self.settings, model=name))

    def artifacts(self) -> list[tuple[Path, Artifact | ArtifactError]]:
        """All installed models; for a damaged one its error."""
        return list_artifacts(self.model_folders)

    def artifact(self) -> Artifact | None:
        """The model that counts: the chosen one, else the default, else the first that opens; None without any."""
        try:
            return find_model(self.settings)
        except ArtifactError:
            if self.settings.model:
                return None
        return next((found for _, found in self.artifacts() if isinstance(found, Artifact)), None)

    # -- patients -----------------------------------------------------------------------------------------------------

    def severity(self, patient: Patient) -> Severity | None:
        """The severity of the paresis, for the accuracy of counts; None if no score is known."""
        return DEMO_SEVERITY if patient.code == DEMO_CODE else severity_of(patient.score)

    # -- files --------------------------------------------------------------------------------------------------------

    @property
    def library(self) -> Library:
        """Patients, plans and sessions under the data folder."""
        return Library(self.settings.data)

    def new_session_path(self, patient: str) -> Path:
        """The file for a session that begins now."""
        return self.library.new_session_path(patient)


def _appearance(window: WindowSettings) -> tuple[str, int, str]:
    return window.theme, window.text_percent, window.language
