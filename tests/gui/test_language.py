"""Every string of the window goes through translation, and every one of them has a German one."""

from __future__ import annotations

import ast
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QApplication

from rehabcount.domain.labels import PRODUCT
from rehabcount.domain.message import Code
from rehabcount.domain.patient import DEMO
from rehabcount.domain.rig import Place
from rehabcount.gui.language import (
    FOLDER,
    decimal,
    definition_words,
    install,
    key_name,
    patient_name,
    read_words,
    signed,
)
from rehabcount.gui.moments import spoken_day
from rehabcount.gui.place_state import called

GUI = Path(__file__).parents[2] / "gui"
ARGUMENTS = {"tr": slice(0, 1), "plural": slice(1, 3)}  # which of a call's arguments are strings to translate
# Widgets whose first words a person reads.
SPEAKING = {
    "QLabel",
    "QPushButton",
    "Heading",
    "PrimaryButton",
    "PlainButton",
    "QuietButton",
    "DangerButton",
    "text_label",
}


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id, node


def strings() -> dict[str, str]:
    """Each string to translate, and where it stands."""
    found: dict[str, str] = {}
    for path in sorted(GUI.glob("*.py")):
        for name, call in calls(path):
            for argument in call.args[ARGUMENTS[name]] if name in ARGUMENTS else ():
                for literal in literals(argument):
                    found.setdefault(literal, f"{path.name}:{call.lineno}")
    return found


def literals(argument: ast.expr) -> list[str]:
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        return [argument.value]
    if isinstance(argument, ast.IfExp):
        return [*literals(argument.body), *literals(argument.orelse)]
    return []  # a name: its literals are arguments of `plural`, which was looked at


def test_every_string_has_german() -> None:
    """Codes of messages stand for strings, too: tests/gui/test_messages.py."""
    words = read_words("de")
    missing = [f"{where}: {text}" for text, where in strings().items() if text not in words]
    assert not missing, "\n".join(["without German:", *missing])


def test_no_german_is_left_over() -> None:
    left = set(read_words("de")) - set(strings()) - set(Code)
    assert not left, f"not used: {sorted(left)}"


def test_translations_keep_their_blanks() -> None:
    for source, translation in read_words("de").items():
        if source in set(Code):
            continue
        assert sorted(re.findall(r"\{\w*\}", source)) == sorted(re.findall(r"\{\w*\}", translation)), source


def test_no_string_is_translated_twice_differently() -> None:
    said: dict[str, str] = {}
    for path in sorted((FOLDER / "de").glob("*.ts")):
        for message in ElementTree.parse(path).getroot().iter("message"):
            source, translation = message.findtext("source") or "", message.findtext("translation") or ""
            assert said.setdefault(source, translation) == translation, f"{path.name}: {source}"


@pytest.mark.parametrize("path", sorted(GUI.glob("*.py")), ids=lambda path: path.name)
def test_no_widget_speaks_english_only(path: Path) -> None:
    """A label or button whose words are a bare literal would stay English in every language."""
    for name, call in calls(path):
        if name in SPEAKING and call.args and isinstance(call.args[0], ast.Constant):
            text = str(call.args[0].value)
            assert not re.search(r"[A-Za-z]{2,}", text), f"{path.name}:{call.lineno} says {text!r}"


def test_what_other_packages_name_in_english_is_said_in_german(qapp: QApplication) -> None:
    install(qapp, "de")
    assert all(definition_words(label.name) != label.definition for label in PRODUCT.labels)
    assert all(called(place.value) not in (place.value, place.value.replace("-", " ")) for place in Place)
    assert called("watch-3") == "watch-3"


@pytest.mark.parametrize("name", ["review_tools.py", "summary.py", "timeline.py", "timeline_canvas.py"])
def test_no_screen_shows_what_a_label_or_sensor_is_called_in_the_code(name: str) -> None:
    text = (GUI / name).read_text(encoding="utf-8")
    assert ".definition" not in text
    assert "elidedText(names[row]" not in text


def test_keys_and_numbers_are_those_of_the_language(qapp: QApplication) -> None:
    assert (key_name("Ctrl+Z"), key_name("+"), decimal(8.1), signed(-2)) == ("Ctrl+Z", "+", "8.1", "−2")
    install(qapp, "de")
    assert [key_name(keys) for keys in ("Ctrl+Enter", "Del", "PgUp", "F11")] == ["Strg+Eingabe", "Entf", "Bild↑", "F11"]
    assert decimal(8.1) == "8,1"


@pytest.mark.parametrize("path", sorted(GUI.glob("*.py")), ids=lambda path: path.name)
def test_no_screen_writes_a_decimal_point_of_its_own(path: Path) -> None:
    if path.name != "benchmark.py":  # speaks to a terminal
        assert not re.search(r":[+]?\.[1-9]f\}", path.read_text(encoding="utf-8"))


def test_the_simulated_patient_has_one_name_everywhere(qapp: QApplication) -> None:
    assert (patient_name(DEMO.code), patient_name("P-01"), patient_name("")) == ("Demo patient", "P-01", "")
    for path in GUI.glob("*.py"):
        named = re.findall(r"tr\(\"Demo patient\"\)", path.read_text(encoding="utf-8"))
        assert len(named) == (path.name == "language.py"), path.name


def test_a_day_cannot_be_taken_for_another(qapp: QApplication) -> None:
    assert spoken_day(date(2026, 10, 2)) == "2 Oct 2026"
    install(qapp, "de")
    assert spoken_day(date(2026, 10, 2)) == "02.10.2026"
