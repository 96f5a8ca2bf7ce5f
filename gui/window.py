"""The main window: a narrow navigation, one screen at a time, and a line that this is not a medical device.

Screens are named in SCREENS and loaded when first needed, so that the window opens at once. Esc goes back, F11 fills
the screen, `?` shows the keys; Alt with a digit goes to an entry of the navigation.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from PyQt6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PyQt6.QtGui import QCloseEvent, QFontMetrics, QKeySequence, QResizeEvent, QShortcut
from PyQt6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QSizePolicy,
    QStackedWidget,
    QTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from rehabcount.gui import language, theme
from rehabcount.gui.controls import Banner
from rehabcount.gui.desk import Desk
from rehabcount.gui.icons import icon
from rehabcount.gui.key_help import KeyHelp
from rehabcount.gui.language import tr
from rehabcount.gui.overlay import Overlay
from rehabcount.gui.screen import KeyHint, Screen

SCREENS = {
    "home": ("rehabcount.gui.home", "HomeScreen"),
    "setup": ("rehabcount.gui.setup", "SetupScreen"),
    "live": ("rehabcount.gui.live", "LiveScreen"),
    "review": ("rehabcount.gui.review", "ReviewScreen"),
    "summary": ("rehabcount.gui.summary", "SummaryScreen"),
    "history": ("rehabcount.gui.history", "HistoryScreen"),
    "settings": ("rehabcount.gui.settings_screen", "SettingsScreen"),
    "about": ("rehabcount.gui.about", "AboutScreen"),
}
NAVIGATION = ("home", "history", "settings", "about")
NOTICE_MS = 15_000  # three sentences, read without haste
SMALLEST = QSize(960, 640)  # below, screens scroll


class Notice(Overlay):
    """The message of the screen that was just left, over the present one; it is hidden after a time, but not under the
    mouse."""

    def __init__(self, screens: QWidget) -> None:
        self.banner = Banner()
        super().__init__(screens, self.banner)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go)

    def tell(self, words: str) -> None:
        """Show this message; an empty one hides the message before."""
        self.banner.clear()
        if words:
            self.banner.say(words, "info")
            self._timer.start(NOTICE_MS)

    def _go(self) -> None:
        if not self.underMouse():
            self.banner.clear()
            self._timer.stop()


class MainWindow(QMainWindow):
    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self._screens: dict[str, Screen] = {}
        self._trail: list[tuple[str, object]] = []  # the screens to which Esc returns, the nearest last
        self._now: tuple[str, object] = ("", None)
        self._outdated: Screen | None = None  # looks as the window did before its appearance changed
        self._unsaid = ""  # what is to be read after the session
        self.setMinimumSize(SMALLEST)
        self._build()
        desk.appearance_changed.connect(self._appear_anew)
        hints = QApplication.styleHints()
        if hints is not None:
            hints.colorSchemeChanged.connect(lambda _: self._follow_system())
        for keys, act in (("F11", self._toggle_full_screen), ("Esc", self._escape), ("F1", self.show_keys)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setAutoRepeat(False)
            shortcut.activated.connect(act)
        for number, name in enumerate(NAVIGATION, start=1):
            QShortcut(QKeySequence(f"Alt+{number}"), self, lambda name=name: self.show_screen(name))
        app = QApplication.instance()
        if app is not None:
            app.installEventFilter(self)  # for `?`, which is on different keys of keyboards

    # -- building -----------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        body = QWidget()
        row = QHBoxLayout(body)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self.rail = self._make_rail()
        row.addWidget(self.rail)
        column = QVBoxLayout()
        column.setSpacing(0)
        self.stack = QStackedWidget()
        column.addWidget(self.stack, 1)
        self.footer = QLabel(tr("Research use only. Not a medical device. Counts are estimates."))
        self.footer.setObjectName("footer")
        self.footer.setWordWrap(True)
        self.footer.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(self.footer)
        row.addLayout(column, 1)
        self.setCentralWidget(body)
        self.notice = Notice(self.stack)
        self.key_help = KeyHelp(self)

    def _make_rail(self) -> QFrame:
        rail = QFrame()
        rail.setObjectName("rail")
        column = QVBoxLayout(rail)
        column.setContentsMargins(theme.space(1), theme.space(2), theme.space(1), theme.space(2))
        column.setSpacing(theme.space(1))
        self._places = QButtonGroup(rail)
        names = {"home": tr("Home"), "history": tr("History"), "settings": tr("Settings"), "about": tr("About")}
        self.nav: dict[str, QToolButton] = {}
        for number, name in enumerate(NAVIGATION, start=1):
            button = self._rail_button(name, names[name])
            button.setCheckable(True)
            button.setToolTip(f"{names[name]}  (Alt+{number})")
            button.clicked.connect(lambda _, name=name: self.show_screen(name))
            self._places.addButton(button)
            self.nav[name] = button
            if name == "settings":
                column.addStretch()
            column.addWidget(button)
        keys = self._rail_button("help", tr("Keys"))
        keys.setToolTip(f"{tr('Keys')}  (?)")
        keys.clicked.connect(lambda _: self.show_keys())
        column.addWidget(keys)
        return rail

    def _rail_button(self, icon_name: str, text: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setAccessibleName(text)
        button.setIcon(icon(icon_name))
        button.setIconSize(QSize(theme.px(26), theme.px(26)))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        bold = theme.font("caption")
        bold.setBold(True)  # as wide as when it is chosen
        button.setMinimumWidth(max(theme.px(84), QFontMetrics(bold).horizontalAdvance(text) + theme.space(2.5)))
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        return button

    # -- going from screen to screen ----------------------------------------------------------------------------------

    @property
    def screen_name(self) -> str:
        return self._now[0]

    def screen_called(self, name: str) -> Screen:
        """The screen of that name, made if it was not yet."""
        if name not in self._screens:
            module, kind = SCREENS[name]
            screen: Screen = getattr(importlib.import_module(module), kind)(self.desk)
            screen.go.connect(self.show_screen)
            screen.back.connect(self.go_back)
            screen.told.connect(self._tell)
            self._screens[name] = screen
            self.stack.addWidget(screen)
        return self._screens[name]

    def show_screen(self, name: str, argument: object = None) -> bool:
        """Show this screen, unless the present one must not be left."""
        if not self._may_leave():
            return False
        words = self._parting_words()
        if self._now[0] and self._screens[self._now[0]].returnable and self._now != (name, argument):
            self._trail.append(self._now)
        if name == "home":
            self._trail.clear()
        self._leave_for(name, argument)
        self._tell(words)
        return True

    def go_back(self) -> None:
        """Go to the screen before; to Home if there is none."""
        if self._now[0] == "home" or not self._may_leave():
            return
        words = self._parting_words()
        self._leave_for(*(self._trail.pop() if self._trail else ("home", None)))
        self._tell(words)

    def end_and(self, on_done: Callable[[], None]) -> None:
        """End what the present screen does, without a question; then call `on_done`."""
        present = self._screens.get(self._now[0])
        if present is None:
            on_done()
        else:
            present.end_and(on_done)

    def _tell(self, words: str) -> None:
        """During a session there is no room for it: it is said once that is left."""
        present = self._screens.get(self._now[0])
        words = " ".join(each for each in (self._unsaid, words) if each)
        self._unsaid = words if present is not None and present.immersive else ""
        self.notice.tell("" if self._unsaid else words)

    def _parting_words(self) -> str:
        present = self._screens.get(self._now[0])
        return present.parting_words() if present is not None else ""

    def _may_leave(self) -> bool:
        present = self._screens.get(self._now[0])
        if present is not None and not present.leaving():
            self._mark_place()
            return False
        return True

    def _leave_for(self, name: str, argument: object) -> None:
        self._drop_outdated()
        self._enter(name, argument)

    def _enter(self, name: str, argument: object) -> None:
        screen = self.screen_called(name)
        self._now = (name, argument)
        self.key_help.hide()  # it shows another screen's keys
        self.rail.setVisible(not screen.immersive)
        screen.keep_room(Notice.__name__, 0)  # what was said over it before is over
        screen.entered(argument)
        self.stack.setCurrentWidget(screen)
        self._mark_place()
        title = screen.title()
        self.setWindowTitle(f"{title} – rehabcount" if title else "rehabcount")

    def _mark_place(self) -> None:
        self._places.setExclusive(False)
        for name, button in self.nav.items():
            button.setChecked(name == self._now[0])
        self._places.setExclusive(self._now[0] in self.nav)

    # -- keys, appearance, closing ------------------------------------------------------------------------------------

    def show_keys(self) -> None:
        screen = self._screens.get(self._now[0])
        own = screen.keys() if screen is not None else []
        common = [
            KeyHint("Tab", tr("to the next control; Shift+Tab to the one before")),
            KeyHint("Esc", tr("back")),
            KeyHint("F11", tr("full screen and back")),
            KeyHint("?", tr("this help")),
        ]
        places = [] if screen is not None and screen.immersive else [KeyHint("Alt+1 … Alt+4", tr("the navigation"))]
        self.key_help.open([*own, *places, *common])

    def _escape(self) -> None:
        present = self._screens.get(self._now[0])
        if self.key_help.isVisible():
            self.key_help.close_help()
        elif self.notice.close_message() or (present is not None and present.close_message()):
            pass
        elif present is None or not present.step_back():
            self.go_back()

    def _toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802 (Qt's name)
        if event is not None and event.type() == QEvent.Type.KeyPress and event.text() == "?":  # type: ignore[attr-defined]
            typing = isinstance(self.focusWidget(), QLineEdit | QTextEdit | QPlainTextEdit | QAbstractSpinBox)
            if self.isActiveWindow() and not typing and self.key_help.isHidden():
                self.show_keys()
                return True
        return super().eventFilter(watched, event)

    def _follow_system(self) -> None:
        if self.desk.window.theme == theme.SYSTEM:
            self._appear_anew()

    def _appear_anew(self) -> None:
        """After a change of theme, text size or language all screens are made anew. A screen on which something runs or
        can be undone is kept while it is shown; only its colours change, and it is made anew the next time."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        dress(app, self.desk)
        name, argument = self._now
        present = self._screens.get(name)
        kept = present if present is not None and (present.immersive or present.endures) else None
        told = self.notice.banner.text
        focus = self.focusWidget()
        if kept is not None:
            self.stack.removeWidget(kept)
            kept.setParent(None)
        old = self.takeCentralWidget()
        self._screens = {}
        self.key_help.deleteLater()
        if old is not None:
            old.hide()
            old.deleteLater()
        self._build()
        if (new := self.centralWidget()) is not None:
            new.show()  # now: what is hidden can have no focus
        if kept is not None:
            self._screens[name], self._outdated = kept, kept
            self.stack.addWidget(kept)
            self.rail.setVisible(not kept.immersive)
            self._mark_place()
            if focus is not None and kept.isAncestorOf(focus):
                focus.setFocus()
        elif name:
            self._enter(name, argument)
        self.notice.tell(told)

    def _drop_outdated(self) -> None:
        """Delete a screen that was kept when the appearance changed."""
        old, self._outdated = self._outdated, None
        if old is not None:
            self._screens = {name: screen for name, screen in self._screens.items() if screen is not old}
            self.stack.removeWidget(old)
            old.deleteLater()

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().resizeEvent(event)
        self.key_help.setGeometry(self.rect())

    def closeEvent(self, event: QCloseEvent | None) -> None:  # noqa: N802 (Qt's name)
        if event is not None and not self._may_leave():
            event.ignore()
            return
        super().closeEvent(event)


def dress(app: QApplication, desk: Desk) -> None:
    """Theme, text size and language as the settings have them."""
    theme.apply(app, theme.resolve(desk.window.theme), desk.window.text_percent)
    language.install(app, desk.window.language)
