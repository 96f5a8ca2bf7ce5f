"""Settings: appearance and language of the window, rig and model of a session, the data folder, backups.

A change takes effect at once; there is nothing to save.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from PyQt6.QtCore import QUrl
from PyQt6.QtGui import QDesktopServices
from PyQt6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from rehabcount.bedside.chosen_model import DEFAULT_MODEL, name_of
from rehabcount.errors import RehabcountError
from rehabcount.gui import wording
from rehabcount.gui.backup_job import OnFile
from rehabcount.gui.controls import Banner, Card, Heading, PlainButton, scrolling, text_label
from rehabcount.gui.desk import Desk
from rehabcount.gui.flow import Columns, Flow
from rehabcount.gui.language import language_name, languages, plural, tr
from rehabcount.gui.overlay import Overlay
from rehabcount.gui.rig_chooser import RigChooser
from rehabcount.gui.screen import Screen
from rehabcount.gui.theme import LARGEST_PERCENT, SMALLEST_PERCENT, space
from rehabcount.gui.troubles import words_of
from rehabcount.inference.artifact import Artifact
from rehabcount.store.archive import Manifest
from rehabcount.store.backup import back_up
from rehabcount.store.restore import Restored, restore

SIZES = range(SMALLEST_PERCENT, LARGEST_PERCENT + 1, 25)


class SettingsScreen(Screen):
    name = "settings"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        column = QVBoxLayout(self)
        column.setContentsMargins(space(3), space(2.5), space(3), space(2))
        column.setSpacing(space(1.5))
        column.addWidget(Heading(tr("Settings")))
        self.banner = Banner()
        left, right = QWidget(), QWidget()
        for holder, cards in (
            (left, (self._make_look(), self._make_who())),
            (right, (self._make_counting(), self._make_data())),
        ):
            inner = QVBoxLayout(holder)
            inner.setContentsMargins(0, 0, 0, 0)
            inner.setSpacing(space(2))
            for card in cards:
                inner.addWidget(card)
            inner.addStretch()
        area = scrolling(Columns(left, right, (1, 1), narrow=760))
        column.addWidget(area, 1)
        Overlay(self, self.banner)
        self._unseen = False  # how a backup ended while another screen was shown
        desk.backup.progressed.connect(self._show_progress)
        desk.backup.over.connect(self._show_outcome)
        self._show_running()

    def title(self) -> str:
        return tr("Settings")

    def entered(self, argument: object) -> None:
        if not self._unseen:
            self.banner.clear()
        self._unseen = False
        self._show_models()
        self._show_rig()
        self.folder.setText(str(self.desk.settings.data))
        self.initials.setText(self.desk.who)

    # -- how it looks -------------------------------------------------------------------------------------------------

    def _make_look(self) -> Card:
        card = Card(tr("Look"))
        names = {
            "system": tr("Like the system"),
            "light": tr("Light"),
            "dark": tr("Dark"),
            "contrast": tr("High contrast"),
        }
        card.body.addWidget(text_label(tr("Colours"), "muted"))
        self.themes = self._choices(card, names, self.desk.window.theme, lambda theme: self._set(theme=theme))
        card.body.addWidget(text_label(tr("Text size"), "muted"))
        sizes = {str(size): f"{size} %" for size in SIZES}
        self.sizes = self._choices(
            card, sizes, str(self.desk.window.text_percent), lambda size: self._set(text_percent=int(size))
        )
        card.body.addWidget(text_label(tr("Language"), "muted"))
        spoken = {"": tr("Like the system")} | {code: language_name(code) for code in languages()}
        self.languages = self._choices(card, spoken, self.desk.window.language, lambda code: self._set(language=code))
        return card

    def _choices(
        self, card: Card, names: dict[str, str], now: str, on_choice: Callable[[str], None]
    ) -> dict[str, PlainButton]:
        """Buttons of which exactly one is chosen."""
        group, buttons = QButtonGroup(card), {}
        for key, words in names.items():
            button = PlainButton(words)
            button.setCheckable(True)
            button.setChecked(key == now)
            button.clicked.connect(lambda _, key=key: on_choice(key))
            group.addButton(button)
            buttons[key] = button
        card.body.addLayout(Flow(*buttons.values(), gap=0.75))
        return buttons

    def _make_who(self) -> Card:
        card = Card(tr("Who is working"))
        self.initials = QLineEdit()
        self.initials.setMaxLength(6)
        self.initials.setPlaceholderText(tr("initials"))
        self.initials.setAccessibleName(tr("Initials of who is working"))
        self.initials.editingFinished.connect(lambda: self._set(initials=self.initials.text().strip()))
        card.body.addWidget(self.initials)
        card.body.addWidget(text_label(tr("Your initials are kept with every correction."), "caption", wrap=True))
        self.sound = QCheckBox(tr("A quiet sound for every repetition"))
        self.sound.setChecked(self.desk.window.sound)
        self.sound.toggled.connect(lambda on: self._set(sound=on))
        card.body.addWidget(self.sound)
        return card

    # -- how it counts ------------------------------------------------------------------------------------------------

    def _make_counting(self) -> Card:
        card = Card(tr("Sensors and model"))
        card.body.addWidget(text_label(tr("A set-up begins with"), "muted"))
        self.rig = RigChooser()
        self.rig.chosen.connect(self._choose_rig)
        card.body.addWidget(self.rig)
        card.body.addWidget(text_label(tr("Model that counts"), "muted"))
        self.model = QComboBox()
        self.model.setAccessibleName(tr("Model that counts"))
        self.model.activated.connect(lambda index: self._choose_model(str(self.model.itemData(index) or "")))
        card.body.addWidget(self.model)
        self.model_state = text_label("", "caption", wrap=True)
        card.body.addWidget(self.model_state)
        self.card_button = PlainButton(tr("Read its card"), "report", lambda: self.go.emit("about", None))
        card.body.addLayout(Flow(self.card_button))
        return card

    def _show_models(self) -> None:
        self.model.clear()
        self.model.addItem(tr("The newest {name}, else the first that opens").format(name=DEFAULT_MODEL), "")
        broken = []
        for folder, found in self.desk.artifacts():
            if isinstance(found, Artifact):
                words = wording.origin(f"{found.card.name} {found.card.version}", found.is_shipped)
                self.model.addItem(words, name_of(found, self.desk.settings))
            else:
                broken.append(f"{folder.name}: {words_of(found)}")
        now, fixed = self.desk.artifact(), self.desk.settings.model
        if fixed and now is not None:  # however the settings call it
            fixed = name_of(now, self.desk.settings)
        elif fixed:
            self.model.addItem(tr("{model} (not there)").format(model=fixed), fixed)
        self.model.setCurrentIndex(max(self.model.findData(fixed), 0))
        if now is None and fixed:
            words = tr("The model {model} is not there or is refused. Choose another one.").format(model=fixed)
        elif now is None:
            words = tr("No model is there that could count. Put one into this folder: {folder}").format(
                folder=self.desk.settings.models
            )
        else:
            words = tr("{name} {version}, verified. Evidence: {evidence}.").format(
                name=now.card.name, version=now.card.version, evidence=evidence_words(now)
            )
            if not now.is_shipped:
                words += " " + tr("It did not come with rehabcount.")
        self.model_state.setText("\n".join([words, *broken]))
        self.card_button.setEnabled(now is not None)

    def _show_rig(self) -> None:
        from rehabcount.domain.rig import Side

        artifact = self.desk.artifact()
        self.rig.show_rig(self.desk.window.rig, Side.RIGHT, artifact.card if artifact else None)

    def _choose_rig(self, kind: str) -> None:
        self._set(rig=kind)
        self._show_rig()

    def _choose_model(self, name: str) -> None:
        self._try(lambda: self.desk.fix_model(name))
        self._show_models()

    # -- where data lies ----------------------------------------------------------------------------------------------

    def _make_data(self) -> Card:
        card = Card(tr("Data"))
        card.body.addWidget(
            text_label(
                tr("Everything stays in this folder on this computer, readable by you alone."), "muted", wrap=True
            )
        )
        self.folder = text_label("", "strong", wrap=True)
        card.body.addWidget(self.folder)
        self.open_folder = PlainButton(tr("Open"), "folder", self._open_folder)
        self.change_folder = PlainButton(tr("Use another folder"), "edit", self._change_folder)
        card.body.addLayout(Flow(self.open_folder, self.change_folder))
        self.backup = PlainButton(tr("Make a backup"), "save", self._back_up)
        self.restore = PlainButton(tr("Restore a backup"), "recover", self._restore)
        card.body.addLayout(Flow(self.backup, self.restore))
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Progress of the backup"))
        self.bar.hide()
        card.body.addWidget(self.bar)
        card.body.addWidget(
            text_label(
                tr("A backup is one file with all patients and sessions. Restoring only adds what is missing."),
                "caption",
                wrap=True,
            )
        )
        return card

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.desk.settings.data)))

    def _change_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, tr("Use another folder"), str(self.desk.settings.data))
        if name:
            self.banner.say(tr("From now on this folder is used. What lies in the old one stays there."), "info")
            self._try(lambda: self.desk.save(dataclasses.replace(self.desk.settings, data_folder=name)))
            self.folder.setText(str(self.desk.settings.data))

    def _back_up(self) -> None:
        suggested = Path.home() / f"rehabcount-{datetime.now().astimezone():%Y-%m-%d}.zip"
        name, _ = QFileDialog.getSaveFileName(self, tr("Make a backup"), str(suggested), tr("Backups (*.zip)"))
        if name:
            self.back_up_to(Path(name))

    def back_up_to(self, target: Path) -> None:
        library = self.desk.library
        self._run(lambda on_file: back_up(library, target, on_file))

    def _restore(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, tr("Restore a backup"), str(Path.home()), tr("Backups (*.zip)"))
        if name:
            self.restore_from(Path(name))

    def restore_from(self, source: Path) -> None:
        library = self.desk.library
        self._run(lambda on_file: restore(library, source, on_file))

    def _run(self, work: Callable[[OnFile], object]) -> None:
        self.banner.clear()
        self.bar.setRange(0, 0)
        self.desk.backup.start(work)
        self._show_running()

    def _show_running(self) -> None:
        """Whether a backup runs, perhaps begun before this screen was made anew."""
        running = self.desk.backup.running
        for button in (self.backup, self.restore, self.change_folder):
            button.setEnabled(not running)
        self.bar.setVisible(running)

    def _show_progress(self, done: int, of: int) -> None:
        self.bar.setRange(0, of)
        self.bar.setValue(done)

    def _show_outcome(self, outcome: object) -> None:
        self._show_running()
        self._unseen = not self.isVisible()
        if isinstance(outcome, RehabcountError):
            self.banner.say(words_of(outcome), "bad")
        elif isinstance(outcome, Manifest):
            sessions = sum(each.name.startswith("sessions/") for each in outcome.files)
            words = plural(sessions, "The backup holds {n} session.", "The backup holds {n} sessions.")
            self._say_done(words, outcome.left_out)
        elif isinstance(outcome, Restored):
            words = plural(outcome.patients, "{n} patient", "{n} patients")
            words += ", " + plural(outcome.sessions, "{n} session", "{n} sessions")
            self._say_done(tr("Restored: {what}. The rest was here.").format(what=words), outcome.left_out)

    def _say_done(self, words: str, left_out: tuple[str, ...]) -> None:
        if left_out:
            words += " " + tr("Left out because they cannot be read: {names}.").format(names=", ".join(left_out))
        self.banner.say(words, "warn" if left_out else "info")

    def _set(self, **changes: object) -> None:
        if all(getattr(self.desk.window, name) == value for name, value in changes.items()):
            return
        self._try(lambda: self.desk.set_window(**changes))

    def _try(self, act: Callable[[], object]) -> None:
        try:
            act()
        except RehabcountError as error:
            self.banner.say(words_of(error), "bad")


def evidence_words(artifact: Artifact) -> str:
    """On whom the model was measured, and how many."""
    card = artifact.card
    names = {
        "simulated": tr("simulated patients only; accuracy on patients is unknown"),
        "real healthy people": tr("real healthy people ({n})"),
        "real patients": tr("real patients ({n})"),
    }
    return names[card.evidence.value].format(n=card.evidence_people)
