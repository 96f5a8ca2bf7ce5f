"""Theme: the colours, type sizes and spacing that every screen uses, and the one stylesheet made of them.

In: a name (light, dark, contrast, or system) and a text size of 100 to 200 percent. Out: `apply` sets palette, font and
stylesheet of the application. Widgets that paint themselves ask `current()` for colours and `px()` for sizes; nothing
else in the package names a colour. Text on every surface it may stand on has a contrast of at least 4.5:1, which a test
holds.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PyQt6.QtWidgets import QApplication

SPACE = 8  # pixels at 100 %: every distance is a multiple of it
MINIMUM_CONTRAST = 4.5  # WCAG 2.2 AA for text of any size
SMALLEST_PERCENT, LARGEST_PERCENT = 100, 200
ICON_FOLDER = Path(__file__).parent / "icons"
SHEET_FILE = Path(__file__).parent / "window.qss"
# Type scale in pixels at 100 %. Body text is read at arm's length, so it is larger than a desk program's.
TYPE = {"caption": 13, "body": 15, "strong": 15, "lead": 18, "heading": 20, "title": 30, "number": 40}
# What reads well, best first; the system's own font where none is there.
FAMILIES = ("Inter", "SF Pro Text", "Segoe UI Variable Text", "Segoe UI", "Noto Sans", "Open Sans", "DejaVu Sans")


@dataclass(frozen=True, slots=True)
class Theme:
    """Named colours. `on_x` is what is written on x; `x_soft` is a wide surface in the spirit of x."""

    name: str
    dark: bool
    window: str  # behind everything
    surface: str  # cards
    sunken: str  # fields, tracks, the ribbon's bed
    line: str
    text: str
    muted: str  # second-rank text
    accent: str  # the one thing to do next, progress, focus
    accent_hover: str
    on_accent: str
    accent_soft: str
    good: str
    warn: str
    warn_soft: str
    bad: str
    bad_soft: str
    on_bad: str


LIGHT = Theme(
    name="light",
    dark=False,
    window="#f4f5f2",
    surface="#ffffff",
    sunken="#e9ece8",
    line="#cfd5d0",
    text="#14201d",
    muted="#4d5b57",
    accent="#00695c",
    accent_hover="#00564b",
    on_accent="#ffffff",
    accent_soft="#dcefeb",
    good="#1b6b3a",
    warn="#7d4500",
    warn_soft="#fff0d9",
    bad="#a61b16",
    bad_soft="#fde8e6",
    on_bad="#ffffff",
)
DARK = Theme(
    name="dark",
    dark=True,
    window="#0e1514",
    surface="#18211f",
    sunken="#0a100f",
    line="#34443f",
    text="#eef4f1",
    muted="#a9b9b3",
    accent="#55d3b8",
    accent_hover="#7be0ca",
    on_accent="#04231d",
    accent_soft="#143a33",
    good="#7fdb9f",
    warn="#ffc873",
    warn_soft="#3a2a10",
    bad="#ffa39b",
    bad_soft="#44191a",
    on_bad="#2c0504",
)
CONTRAST = Theme(
    name="contrast",
    dark=True,
    window="#000000",
    surface="#000000",
    sunken="#000000",
    line="#ffffff",
    text="#ffffff",
    muted="#ffffff",
    accent="#ffe14d",
    accent_hover="#fff3a8",
    on_accent="#000000",
    accent_soft="#2b2600",
    good="#8dffb0",
    warn="#ffe14d",
    warn_soft="#2b2600",
    bad="#ffb3ad",
    bad_soft="#3a0000",
    on_bad="#000000",
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK, CONTRAST)}
SYSTEM = "system"


@dataclass
class _Applied:
    """What is on the screen now. One per process, as the application is."""

    theme: Theme = LIGHT
    percent: int = 100


_applied = _Applied()


def current() -> Theme:
    """The theme that was applied last."""
    return _applied.theme


def px(size: float) -> int:
    """A length at the present text size. Distances around text grow with it, so that nothing is clipped."""
    return round(size * _applied.percent / 100)


def space(units: float = 1.0) -> int:
    """So many spacing units at the present text size; they grow half as fast as the text, which needs the room more."""
    return round(SPACE * units * (1 + (_applied.percent / 100 - 1) / 2))


def colour(value: str, alpha: float = 1.0) -> QColor:
    made = QColor(value)
    made.setAlphaF(alpha)
    return made


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours as WCAG 2 defines it: 1 (the same) to 21 (black on white)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def ink_on(background: str) -> str:
    """Black or white, with the higher contrast to it."""
    return max(("#000000", "#ffffff"), key=lambda ink: contrast(ink, background))


def _luminance(value: str) -> float:
    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    made = QColor(value)
    return 0.2126 * linear(made.redF()) + 0.7152 * linear(made.greenF()) + 0.0722 * linear(made.blueF())


def resolve(name: str) -> Theme:
    """The theme called so; `system` is what the desktop prefers at present."""
    if name in THEMES:
        return THEMES[name]
    if name != SYSTEM:
        raise ValueError(f"theme must be {SYSTEM}, {', '.join(THEMES)}, not {name!r}")
    hints = QApplication.styleHints()
    return DARK if hints is not None and hints.colorScheme() is Qt.ColorScheme.Dark else LIGHT


def font(role: str = "body") -> QFont:
    """The font of a rank of the type scale, for widgets that paint themselves."""
    made = QFont(_family())
    made.setPixelSize(px(TYPE[role]))
    made.setWeight(QFont.Weight.DemiBold if role in ("strong", "heading", "title", "number") else QFont.Weight.Normal)
    return made


def apply(app: QApplication, theme: Theme, percent: int = 100) -> None:
    """Put the whole application into this theme and text size."""
    if not SMALLEST_PERCENT <= percent <= LARGEST_PERCENT:
        raise ValueError(f"percent must be {SMALLEST_PERCENT} to {LARGEST_PERCENT}, not {percent}")
    _applied.theme, _applied.percent = theme, percent
    app.setStyle("Fusion")  # the same everywhere, and it obeys the palette
    app.setPalette(_palette(theme))
    app.setFont(font())
    app.setStyleSheet(stylesheet(theme))


def _family() -> str:
    there = set(QFontDatabase.families())
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    return next((family for family in FAMILIES if family in there), system)


def _palette(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for which, value in {
        role.Window: theme.window,
        role.WindowText: theme.text,
        role.Base: theme.surface,
        role.AlternateBase: theme.sunken,
        role.Text: theme.text,
        role.PlaceholderText: theme.muted,
        role.Button: theme.surface,
        role.ButtonText: theme.text,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.on_accent,
        role.ToolTipBase: theme.surface,
        role.ToolTipText: theme.text,
        role.Link: theme.accent,
        role.Mid: theme.line,
        role.Dark: theme.line,
    }.items():
        palette.setColor(which, QColor(value))
    return palette


def stylesheet(theme: Theme) -> str:
    """The stylesheet with the theme's colours and the present sizes in it."""
    values = {field.name: str(getattr(theme, field.name)) for field in fields(theme) if field.name != "dark"}
    values |= {f"type_{name}": f"{px(size)}px" for name, size in TYPE.items()}
    values |= {f"s{units}": f"{space(units)}px" for units in (1, 2, 3, 4, 5, 6)}
    values |= {"half": f"{space(0.5)}px", "edge": "2px" if theme.name == "contrast" else "1px"}
    values |= {"icons": ICON_FOLDER.as_posix(), "tone": "on-dark" if theme.dark else "on-light"}
    sheet = SHEET_FILE.read_text(encoding="utf-8")
    for name in sorted(values, key=len, reverse=True):
        sheet = sheet.replace(f"${name}", values[name])
    return sheet
