"""Layouts that give way when text is large or the window small: buttons that wrap, columns that become rows."""

from __future__ import annotations

from PyQt6.QtCore import QPoint, QRect, QSize, Qt
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QBoxLayout, QComboBox, QLayout, QLayoutItem, QLineEdit, QWidget

from rehabcount.gui.theme import px, space


class Flow(QLayout):
    """Things side by side, on as many lines as they need."""

    def __init__(self, *widgets: QWidget, gap: float = 1.0) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._gap = space(gap)
        self.setContentsMargins(0, 0, 0, 0)
        for widget in widgets:
            self.addWidget(widget)

    def addItem(self, item: QLayoutItem | None) -> None:  # noqa: N802 (Qt's name)
        if item is not None:
            self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # noqa: N802 (Qt's name)
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # noqa: N802 (Qt's name)
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802 (Qt's name)
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:  # noqa: N802 (Qt's name)
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802 (Qt's name)
        return self._place(QRect(0, 0, width, 0), move=False)

    def sizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        hints = [item.sizeHint() for item in self._shown()]
        width = sum(hint.width() for hint in hints) + self._gap * max(0, len(hints) - 1)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSize(self) -> QSize:  # noqa: N802 (Qt's name)
        size = QSize()
        for item in self._shown():
            size = size.expandedTo(item.minimumSize())
        return size

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802 (Qt's name)
        super().setGeometry(rect)
        self._place(rect, move=True)

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _place(self, rect: QRect, *, move: bool) -> int:
        """Lays them out in `rect`, each in the middle of its line; returns the height that it takes."""
        lines: list[list[tuple[QLayoutItem, QSize]]] = [[]]
        left = rect.width()
        for item in self._shown():
            size = item.sizeHint().expandedTo(item.minimumSize())
            size = QSize(min(size.width(), max(rect.width(), item.minimumSize().width())), size.height())
            if lines[-1] and size.width() > left:
                lines.append([])
                left = rect.width()
            lines[-1].append((item, size))
            left -= size.width() + self._gap
        y = rect.y()
        for line in lines:
            x, height = rect.x(), max((size.height() for _, size in line), default=0)
            for item, size in line:
                field = item.widget()
                if move and isinstance(field, QComboBox | QLineEdit):  # as high as the buttons beside it
                    field.setGeometry(QRect(QPoint(x, y), QSize(size.width(), height)))
                elif move:
                    item.setGeometry(QRect(QPoint(x, y + (height - size.height()) // 2), size))
                x += size.width() + self._gap
            y += height + self._gap
        return y - self._gap - rect.y()


class Columns(QWidget):
    """Two things side by side where there is room for both, else one below the other."""

    def __init__(
        self, left: QWidget, right: QWidget, shares: tuple[int, int], narrow: float, *, right_first: bool = False
    ) -> None:
        """`narrow`: pixels at 100 % text below which they are stacked, the left one on top unless `right_first`."""
        super().__init__()
        self._stacked = QBoxLayout.Direction.BottomToTop if right_first else QBoxLayout.Direction.TopToBottom
        self._narrow = px(narrow)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(space(2.5))
        self._box.addWidget(left, shares[0])
        self._box.addWidget(right, shares[1])

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 (Qt's name)
        wide = self.width() >= self._narrow
        self._box.setDirection(QBoxLayout.Direction.LeftToRight if wide else self._stacked)
        super().resizeEvent(event)
