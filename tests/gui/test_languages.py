"""Every string of the window has a German one with the same fields to fill in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from rehabcount.gui.language import languages, read_words

GUI = Path(__file__).parents[2] / "gui"
TRANSLATED = {"tr": 0, "plural": 1}  # the function, and its first argument that is text
FIELD = re.compile(r"{[^}]*}")


def calls() -> Iterator[tuple[str, ast.Call, int]]:
    """Where text is translated: file, call, and the first argument that is text."""
    for path in sorted(GUI.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TRANSLATED:
                yield path.name, node, TRANSLATED[node.func.id]


def texts() -> set[str]:
    return {
        argument.value
        for _, call, first in calls()
        for argument in call.args[first:]
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }


def test_only_literals_are_translated() -> None:
    others = [
        f"{file}:{call.lineno}"
        for file, call, first in calls()
        if file != "language.py" and not all(isinstance(each, ast.Constant) for each in call.args[first:])
    ]
    assert not others


@pytest.mark.parametrize("language", languages()[1:])
def test_nothing_is_left_untranslated(language: str) -> None:
    assert not sorted(texts() - set(read_words(language)))


@pytest.mark.parametrize("language", languages()[1:])
def test_no_translation_is_left_over(language: str) -> None:
    assert not sorted(set(read_words(language)) - texts())


@pytest.mark.parametrize("language", languages()[1:])
def test_fields_are_the_same(language: str) -> None:
    for source, translation in read_words(language).items():
        assert sorted(FIELD.findall(source)) == sorted(FIELD.findall(translation)), source
