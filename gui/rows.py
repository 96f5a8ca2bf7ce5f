"""A list whose rows have a picture, two lines on the left and two on the right; painted, so that hundreds are quick.

Enter, Space or a double click activates a row. What a screen reader says is all the row's words.
"""

from __future__ import annotations

from dataclasses import dataclass

from PyQt6.QtCore import QModelIndex, QRect, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPalette
from PyQt6.QtWidgets import QListWidget, QListWidgetItem, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from rehabcount.gui.icons import pixmap
from rehabcount.gui.theme import current, font, px, space

ROW_ROLE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class Row:
    """`key` is what the row stands for; `tint` names a colour of the theme for the right-hand words."""

    key: object
    title: str
    subtitle: str = ""
    right: str = ""
    right_subtitle: str = ""
    icon: str = ""
    tint: str = ""

    @property
    def spoken(self) -> str:
        return ", ".join(words for words in (self.title, self.subtitle, self.right, self.right_subtitle) if words)


class RowList(QListWidget):
    """Rows to choose from."""

    chosen = pyqtSignal(object)  # the key of the current row, None if there is none
    opened = pyqtSignal(object)  # the key of the row that was activated
    delete_asked = pyqtSignal()  # of the current row, by key

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setItemDelegate(_Painter(self))
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)
        self.currentItemChanged.connect(lambda *_: self.chosen.emit(self.current_key()))
        self.itemDoubleClicked.connect(lambda _: self.opened.emit(self.current_key()))

    def show_rows(self, rows: list[Row], keep: object = None) -> None:
        """These rows; the one whose key is `keep`, or was current before, is current again, else the first."""
        wanted = keep if keep is not None else self.current_key()
        self.blockSignals(True)
        self.clear()
        for row in rows:
            item = QListWidgetItem(row.title)
            item.setData(ROW_ROLE, row)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, row.spoken)
            self.addItem(item)
        found = next((i for i, row in enumerate(rows) if row.key == wanted), 0 if rows else -1)
        self.setCurrentRow(found)
        self.blockSignals(False)
        self.chosen.emit(self.current_key())

    def current_key(self) -> object:
        item = self.currentItem()
        return item.data(ROW_ROLE).key if item is not None else None

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802 (Qt's name)
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            if self.current_key() is not None:
                self.opened.emit(self.current_key())
            return
        if event is not None and event.key() == Qt.Key.Key_Delete:
            if self.current_key() is not None:
                self.delete_asked.emit()
            return
        super().keyPressEvent(event)


class _Painter(QStyledItemDelegate):
    def __init__(self, parent: QListWidget) -> None:
        super().__init__(parent)
        self._list = parent

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:  # noqa: N802 (Qt's name)
        lines = QFontMetrics(font("strong")).height() + QFontMetrics(font("caption")).height()
        return QSize(px(160), lines + space(2.25))

    def paint(self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        if painter is None:
            return
        theme, row = current(), index.data(ROW_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = option.rect.adjusted(space(0.5), px(2), -space(0.5), -px(2))
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if selected or hovered:
            painter.setPen(QColor(theme.accent) if selected else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.accent_soft if selected else theme.sunken))
            painter.drawRoundedRect(box, 8, 8)
        inner = box.adjusted(space(1.25), space(0.5), -space(1.25), -space(0.5))
        if row.icon:
            side = px(22)
            ratio = self._list.devicePixelRatioF()
            picture = pixmap(row.icon, side, theme.accent if selected else theme.muted, ratio=ratio)
            painter.drawPixmap(inner.left(), inner.center().y() - side // 2, picture)
            inner.setLeft(inner.left() + side + space(1.25))
        upper, lower = _halves(inner)
        right = (
            self._words(
                painter, upper, row.right, "strong", getattr(theme, row.tint) if row.tint else theme.text, right=True
            ),
            self._words(painter, lower, row.right_subtitle, "caption", theme.muted, right=True),
        )
        rooms = [used + space(1.5) if used else 0 for used in right]
        self._words(painter, upper.adjusted(0, 0, -rooms[0], 0), row.title, "strong", theme.text)
        self._words(painter, lower.adjusted(0, 0, -rooms[1], 0), row.subtitle, "caption", theme.muted)
        painter.restore()

    def _words(self, painter: QPainter, box: QRect, words: str, rank: str, ink: str, *, right: bool = False) -> int:
        """Writes the words, shortened if need be; returns how wide they are."""
        if not words:
            return 0
        painter.setFont(font(rank))
        painter.setPen(QColor(ink))
        metrics = painter.fontMetrics()
        fitting = metrics.elidedText(words, Qt.TextElideMode.ElideRight, box.width())
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, fitting)
        return metrics.horizontalAdvance(fitting)

    def initStyleOption(self, option: QStyleOptionViewItem | None, index: QModelIndex) -> None:  # noqa: N802 (Qt's name)
        super().initStyleOption(option, index)
        if option is not None:
            option.palette.setColor(QPalette.ColorRole.Highlight, QColor(current().accent_soft))


def _halves(box: QRect) -> tuple[QRect, QRect]:
    upper_share = QFontMetrics(font("strong")).height() / (
        QFontMetrics(font("strong")).height() + QFontMetrics(font("caption")).height()
    )
    height = round(box.height() * upper_share)
    return QRect(box.left(), box.top(), box.width(), height), QRect(
        box.left(), box.top() + height, box.width(), box.height() - height
    )


def hold_width(widget: QWidget, characters: int) -> None:
    """A minimum width in characters of body text, so that it grows with the text size."""
    widget.setMinimumWidth(QFontMetrics(font()).averageCharWidth() * characters)
