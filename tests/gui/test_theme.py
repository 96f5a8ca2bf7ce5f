"""Colours that can be read, sizes that grow, icons and German words that exist."""

from __future__ import annotations

import itertools

import pytest
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QApplication

from rehabcount.domain.labels import PRODUCT
from rehabcount.gui import language, theme
from rehabcount.gui.icons import icon_names, pixmap
from rehabcount.gui.language import plural, tr
from rehabcount.gui.ribbon import PAUSE_STRENGTH
from rehabcount.gui.theme import THEMES, Theme, contrast, ink_on

# What may be written on what.
PAIRS = [
    *itertools.product(("text", "muted"), ("window", "surface", "sunken", "accent_soft", "warn_soft", "bad_soft")),
    *itertools.product(("accent", "good", "warn", "bad"), ("window", "surface")),
    ("on_accent", "accent"),
    ("on_accent", "accent_hover"),
    ("warn", "warn_soft"),
    ("bad", "bad_soft"),
    ("on_bad", "bad"),
    ("accent", "accent_soft"),
]


@pytest.mark.parametrize("made", THEMES.values(), ids=lambda made: made.name)
@pytest.mark.parametrize(("ink", "paper"), PAIRS, ids=lambda name: name)
def test_text_is_read_on_every_surface(made: Theme, ink: str, paper: str) -> None:
    assert contrast(getattr(made, ink), getattr(made, paper)) >= theme.MINIMUM_CONTRAST


@pytest.mark.parametrize("made", THEMES.values(), ids=lambda made: made.name)
def test_a_pause_is_read_on_the_ribbon(made: Theme) -> None:
    over, under = QColor(made.muted), QColor(made.sunken)
    mixed = [
        round(PAUSE_STRENGTH * one + (1 - PAUSE_STRENGTH) * other)
        for one, other in zip(over.getRgb()[:3], under.getRgb()[:3], strict=True)
    ]
    bed = QColor(*mixed).name()
    assert contrast(made.text, bed) >= theme.MINIMUM_CONTRAST
    assert bed != under.name()


@pytest.mark.parametrize("label", PRODUCT.labels, ids=lambda label: label.name)
def test_letters_are_read_on_their_primitive(label: object) -> None:
    colour = getattr(label, "colour")  # noqa: B009 (a Label; parametrize knows only objects)
    assert contrast(ink_on(colour), colour) >= theme.MINIMUM_CONTRAST


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # the usual example of just too little
    assert contrast("#123456", "#123456") == 1.0


def test_each_primitive_has_its_own_colour_letter_and_pattern() -> None:
    for property_of in ("colour", "letter", "pattern"):
        values = [getattr(label, property_of) for label in PRODUCT.labels]
        assert len(set(values)) == len(values), property_of


def test_sizes_grow_with_the_text(qapp: QApplication) -> None:
    theme.apply(qapp, theme.LIGHT, 200)
    assert theme.font().pixelSize() == 2 * theme.TYPE["body"]
    assert f"font-size: {2 * theme.TYPE['title']}px" in qapp.styleSheet()
    with pytest.raises(ValueError, match="percent"):
        theme.apply(qapp, theme.LIGHT, 250)


@pytest.mark.parametrize("made", THEMES.values(), ids=lambda made: made.name)
def test_nothing_in_the_stylesheet_is_left_open(made: Theme) -> None:
    assert "$" not in theme.stylesheet(made)


def test_every_icon_draws_something() -> None:
    assert len(icon_names()) > 30
    for name in icon_names():
        picture = pixmap(name, 24, "#000000").toImage()
        inked = sum(picture.pixelColor(x, y).alpha() > 0 for x in range(24) for y in range(24))
        assert inked > 10, name
    with pytest.raises(ValueError, match="no icon"):
        pixmap("unicorn", 24)


def test_language_changes_and_changes_back(qapp: QApplication) -> None:
    assert language.install(qapp, "de") == "de"
    assert tr("History") == "Verlauf"
    assert tr("without a translation") == "without a translation"
    assert language.install(qapp, "en") == "en"
    assert tr("History") == "History"
    assert language.resolve("xx") == "en"
    assert plural(1, "{n} session", "{n} sessions") == "1 session"
    assert plural(3, "{n} session", "{n} sessions") == "3 sessions"
