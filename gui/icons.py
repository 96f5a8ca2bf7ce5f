"""Icons: our own SVG drawings in `icons/`, tinted in a colour of the theme.

`icon("pause")` is in the theme's text colour; a screen that changes theme asks again.
"""

from __future__ import annotations

from functools import lru_cache

from PyQt6.QtCore import QByteArray, QRectF, QSize, Qt
from PyQt6.QtGui import QGuiApplication, QIcon, QPainter, QPixmap
from PyQt6.QtSvg import QSvgRenderer

from rehabcount.gui.theme import ICON_FOLDER, current

SIZES = (16, 20, 24, 32, 40, 48, 80)  # drawn anew at each, so that lines stay crisp
PADDED = 1.3  # width of a padded icon over its height


def icon_names() -> list[str]:
    """Every drawing there is; those for the stylesheet alone have a tone in their name and are left out."""
    return sorted(path.stem for path in ICON_FOLDER.glob("*.svg") if "-on-" not in path.stem)


def icon(name: str, colour: str | None = None, *, padded: bool = False) -> QIcon:
    """The drawing called `name`, tinted; `padded` leaves room at its right for the words that follow."""
    return _icon(name, colour or current().text, padded)


@lru_cache(maxsize=512)
def _icon(name: str, colour: str, padded: bool) -> QIcon:
    made = QIcon()
    for size in SIZES:
        drawing = pixmap(name, size, colour, ratio=1.0)
        if padded:
            wide = QPixmap(round(size * PADDED), size)
            wide.fill(Qt.GlobalColor.transparent)
            painter = QPainter(wide)
            painter.drawPixmap(0, 0, drawing)
            painter.end()
            drawing = wide
        made.addPixmap(drawing)
    return made


def pixmap(name: str, size: int, colour: str | None = None, *, ratio: float | None = None) -> QPixmap:
    """The drawing as a square picture of `size` logical pixels, as fine as the display (`ratio` pixels to each)."""
    path = ICON_FOLDER / f"{name}.svg"
    if not path.is_file():
        raise ValueError(f"no icon {name!r}; there are {', '.join(icon_names())}")
    if ratio is None:
        app = QGuiApplication.instance()
        ratio = app.devicePixelRatio() if isinstance(app, QGuiApplication) else 1.0
    drawing = path.read_text(encoding="utf-8").replace("currentColor", colour or current().text)
    picture = QPixmap(QSize(size, size) * ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    QSvgRenderer(QByteArray(drawing.encode())).render(painter, QRectF(0, 0, size * ratio, size * ratio))
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture
