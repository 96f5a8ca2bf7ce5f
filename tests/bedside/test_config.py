"""Settings: defaults, the file, and errors that help."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from rehabcount.bedside.config import Settings, load_settings, save_settings, settings_path
from rehabcount.errors import ConfigError


def write(folder: Path, text: str) -> Path:
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_no_file_means_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "none.toml") == Settings()


def test_the_file_beats_the_default(tmp_path: Path) -> None:
    settings = load_settings(write(tmp_path, 'data_folder = "/srv/clinic"\n[align]\nlag_s = 0.3\n'))
    assert settings.align.lag_s == 0.3
    assert settings.align.bridge_periods == 2.5
    assert settings.sessions == Path("/srv/clinic/sessions")


def test_the_model_of_the_window_alone_is_taken_up(tmp_path: Path) -> None:
    path = write(tmp_path, '[window]\nmodel = "stream-1.4"\nsound = true\n')
    settings = load_settings(path)
    assert settings.model == "stream-1.4"
    save_settings(settings, path)
    assert load_settings(path) == settings
    assert path.read_text().startswith('model = "stream-1.4"')
    assert load_settings(write(tmp_path, 'model = "a"\n[window]\nmodel = "b"\n')).model == "a"


@pytest.mark.parametrize(
    ("text", "message", "advice"),
    [
        ("[align]\nlag_ms = 3\n", "no setting align.lag_ms", "align.lag_s"),
        ("data_foldr = 'x'\n", "no setting data_foldr", "data_folder"),
        ("[align]\nlag_s = 'long'\n", "settings.align.lag_s must be float", "Correct the value"),
        ("[align]\nlag_s = -1\n", "lag_s must not be negative", "Correct the value"),
        ("data_folder = \n", "not a TOML file", "Correct the line"),
        ("[radio]\nadapters = " + "[" * 5000 + "]" * 5000, "nested without end", "Correct the line"),
        ("[align]\nlag_s = " + "9" * 5000, "not a TOML file", "Correct the line"),
        ('"\\u001b[31m" = 1\n', "no setting '\\x1b[31m'", "Did you mean"),
        ('data_folder = "a\\u0000b"\n', "data_folder holds a character", "Correct the value"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, message: str, advice: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_settings(write(tmp_path, text))
    assert message in str(caught.value)
    assert advice in caught.value.advice


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names there")
def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", 1 << 33)
    for name in ("pipe", "large"):
        with pytest.raises(ConfigError, match="cannot be read"):
            load_settings(tmp_path / name)


def test_the_file_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REHABCOUNT_SETTINGS", str(tmp_path / "mine.toml"))
    assert settings_path() == tmp_path / "mine.toml"


def test_adapters_of_the_radio(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('[radio]\nadapters = ["hci0", "hci1"]\nlinks_per_adapter = 5\n', encoding="utf-8")
    radio = load_settings(path).radio
    assert radio.adapters == ("hci0", "hci1")
    assert radio.links_per_adapter == 5
    path.write_text('[radio]\nadapter = ["hci0"]\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"radio\.adapter"):
        load_settings(path)
