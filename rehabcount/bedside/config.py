"""Settings: frozen dataclasses read from one TOML file. Command line beats file beats default.

The file is `settings.toml` in the user's configuration folder, or the one named by REHABCOUNT_SETTINGS. An unknown
key is an error that names its nearest neighbour, because a setting that is ignored without a message misleads.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import os
import tomllib
import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs

from rehabcount.bedside import APP
from rehabcount.domain.document import from_document, shown, to_document
from rehabcount.domain.message import Code, Message
from rehabcount.errors import ConfigError, StoreError, StoreUnwritable
from rehabcount.sensors.radio.settings import RadioSettings
from rehabcount.signals.align import AlignSettings
from rehabcount.store.foreign import bytes_of
from rehabcount.store.private import write_private_text

MOST_BYTES = 1_000_000  # of a file of some twenty settings


@dataclass(frozen=True, slots=True)
class WindowSettings:
    """The therapist's window. Empty language: the system's."""

    theme: str = "system"  # or light, dark, contrast
    text_percent: int = 100  # to 200
    language: str = ""
    sound: bool = False
    initials: str = ""
    rig: str = "five"  # that a set-up begins with: nine, five, three or one

    def __post_init__(self) -> None:
        if self.theme not in ("system", "light", "dark", "contrast"):
            raise ValueError(f"theme must be system, light, dark or contrast, not {self.theme!r}")
        if self.rig not in ("nine", "five", "three", "one"):
            raise ValueError(f"rig must be nine, five, three or one, not {self.rig!r}")
        if not 100 <= self.text_percent <= 200:
            raise ValueError(f"text_percent must be 100 to 200, not {self.text_percent}")


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. `data_folder` empty: the system's folder for user data. `model` is the default of commands and
    window: a name, name-version or hash; empty: the newest version of the default model."""

    data_folder: str = ""
    align: AlignSettings = field(default_factory=AlignSettings)
    radio: RadioSettings = field(default_factory=RadioSettings)
    window: WindowSettings = field(default_factory=WindowSettings)
    model: str = ""

    @property
    def data(self) -> Path:
        """The folder of all data."""
        return Path(self.data_folder).expanduser() if self.data_folder else Path(platformdirs.user_data_dir(APP, False))

    @property
    def sessions(self) -> Path:
        """The default folder of session files."""
        return self.data / "sessions"

    @property
    def sensor_book(self) -> Path:
        """The file that remembers which sensor sits where."""
        return self.data / "sensors.json"

    @property
    def models(self) -> Path:
        """The folder of models that do not come with rehabcount."""
        return self.data / "models"


def settings_path() -> Path:
    """Where the settings file is, whether it exists or not."""
    named = os.environ.get("REHABCOUNT_SETTINGS")
    return Path(named) if named else Path(platformdirs.user_config_dir(APP, False)) / "settings.toml"


def load_settings(path: Path | None = None) -> Settings:
    """The settings of the file at `path` (default: the user's); the defaults if there is none."""
    path = path or settings_path()
    try:
        document = tomllib.loads(bytes_of(path, MOST_BYTES).decode("utf-8-sig"))
    except FileNotFoundError:
        return Settings()
    except OSError as problem:
        raise ConfigError(
            Message.of(Code.FILE_UNREADABLE, file=str(path), why=str(problem.strerror)),
            advice=Message.of(Code.DO_REMOVE_SETTINGS),
        ) from problem
    except (ValueError, RecursionError) as problem:  # numbers without end and nesting are not the parser's own errors
        why = "it is nested without end" if isinstance(problem, RecursionError) else str(problem)
        raise ConfigError(
            Message.of(Code.SETTINGS_NO_TOML, file=str(path), why=why), advice=Message.of(Code.DO_CORRECT_LINE)
        ) from problem
    _take_up(document)
    _refuse_unknown(Settings, document, path, "")
    try:
        return from_document(Settings, document, "settings")
    except ValueError as problem:
        raise ConfigError(
            Message.of(Code.SETTINGS_WRONG, file=str(path), what=str(problem)), advice=Message.of(Code.DO_CORRECT_VALUE)
        ) from problem


def _take_up(document: dict[str, Any]) -> None:
    """In older files the model is a setting of the window."""
    window = document.get("window")
    if isinstance(window, dict) and "model" in window:
        model = window.pop("model")
        document.setdefault("model", model)


def save_settings(settings: Settings, path: Path | None = None) -> None:
    """Write only what differs from the defaults, so that better defaults of a later version take effect."""
    path = path or settings_path()
    lines = _toml(to_document(settings), to_document(Settings()), "")
    try:
        write_private_text(path, "\n".join(lines) + "\n")
    except StoreError as problem:
        raise StoreUnwritable(
            Message.of(Code.SETTINGS_NOT_KEPT), *problem.what, advice=Message.of(Code.DO_HOLD_UNTIL_CLOSED)
        ) from problem


def _toml(document: dict[str, Any], default: dict[str, Any], table: str) -> list[str]:
    """The entries that differ, plain values before tables. JSON's scalars and lists are TOML's."""
    entries = {name: value for name, value in document.items() if value != default.get(name)}
    plain = {name: value for name, value in entries.items() if not isinstance(value, dict) and value is not None}
    lines = [f"[{table}]"] if table and plain else []
    lines += [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in plain.items()]
    for name, value in entries.items():
        if isinstance(value, dict):
            lines += ["", *_toml(value, default.get(name, {}), f"{table}.{name}" if table else name)]
    return lines


def _refuse_unknown(kind: Any, document: dict[str, Any], path: Path, prefix: str) -> None:
    hints = typing.get_type_hints(kind)
    names = [each.name for each in dataclasses.fields(kind)]
    for key, value in document.items():
        if key not in names:
            near = difflib.get_close_matches(key, names, n=1, cutoff=0.0)
            named = key if key.isidentifier() else shown(key)
            raise ConfigError(
                Message.of(Code.SETTINGS_UNKNOWN, file=str(path), name=prefix + named),
                advice=Message.of(Code.DO_MEAN, name=prefix + near[0]),
            )
        if isinstance(value, str) and "\0" in value:  # in a path it is no error that the system's calls report
            what = f"{prefix}{key} holds a character that no text has"
            raise ConfigError(
                Message.of(Code.SETTINGS_WRONG, file=str(path), what=what), advice=Message.of(Code.DO_CORRECT_VALUE)
            )
        if isinstance(value, dict) and dataclasses.is_dataclass(hints[key]):
            _refuse_unknown(hints[key], value, path, f"{prefix}{key}.")
