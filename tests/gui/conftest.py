"""Widgets are tested without a display. A test that needs a real window is marked slow and brings its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PyQt6.QtWidgets import QApplication

from rehabcount.bedside.config import Settings
from rehabcount.gui import language, theme
from rehabcount.gui.desk import Desk
from rehabcount.gui.start import application


@pytest.fixture(scope="session")
def qapp() -> QApplication:
    """pytest-qt's application is ours."""
    return application()


@pytest.fixture(autouse=True)
def dressed(qapp: QApplication) -> Iterator[None]:
    """Every test begins in the light theme, at 100 %, in English."""
    if (theme.current(), theme.px(100)) != (theme.LIGHT, 100) or not qapp.styleSheet():
        theme.apply(qapp, theme.LIGHT)  # a new sheet goes through every widget there is: only where it is wanted
    language.install(qapp, "en")
    yield
    language.install(qapp, "en")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A desk whose data and settings lie in a folder of the test's own."""
    return Desk(Settings(data_folder=str(tmp_path / "data")), tmp_path / "settings.toml")
