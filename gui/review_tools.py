"""The review's buttons: what the chosen event is, what to do with it, and what is seldom wanted."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QMenu, QToolButton

from rehabcount.domain.labels import PRODUCT
from rehabcount.gui.controls import IconButton, PlainButton, set_look
from rehabcount.gui.flow import Flow
from rehabcount.gui.language import definition_words, key_name, primitive_name, tr
from rehabcount.gui.primitives import badge_icon
from rehabcount.gui.theme import px

if TYPE_CHECKING:
    from rehabcount.gui.review import ReviewScreen


def more_button(screen: ReviewScreen) -> QToolButton:
    """Opens a menu of the rest."""
    more = IconButton("list", tr("More"))
    more.setText(tr("More"))
    more.setObjectName("menu")
    more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    menu = QMenu(more)
    for words, act in (
        (tr("Export to ELAN"), screen.export_elan),
        (tr("Import from ELAN …"), screen.ask_for_elan),
        (tr("Back to the summary"), lambda: screen.go.emit("summary", screen.path)),
    ):
        action = QAction(words, menu)
        action.triggered.connect(lambda _, act=act: act())
        menu.addAction(action)
    more.setMenu(menu)
    return more


def act_buttons(screen: ReviewScreen) -> tuple[Flow, dict[str, PlainButton]]:
    """One for each label, then one for each act; the former also by label."""
    row = Flow(gap=0.5)
    by_label: dict[str, PlainButton] = {}
    for label in PRODUCT.labels:
        button = PlainButton(f" {primitive_name(label.name)}", "", partial(screen.relabel, label.name))
        button.setIcon(badge_icon(label.name, px(24)))
        button.setIconSize(QSize(px(24), px(24)))
        button.setAccessibleName(primitive_name(label.name))
        button.setToolTip(f"{definition_words(label.name)} ({label.letter})")
        set_look(button, "tight", "true")
        row.addWidget(button)
        by_label[label.name] = button
    for words, picture, act, key in (
        (tr("Add"), "plus", screen.add, "A"),
        (tr("Split"), "split", screen.split, "X"),
        (tr("Merge"), "merge", screen.merge, "M"),
        (tr("Delete"), "delete", screen.delete, "Del"),
        (tr("Confirm"), "check", screen.confirm, "C"),
    ):
        button = PlainButton(words, picture, act)
        button.setToolTip(f"{words} ({key_name(key)})")
        set_look(button, "tight", "true")
        row.addWidget(button)
    return row, by_label
