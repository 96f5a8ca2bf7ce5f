"""Control characters of files are shown, never obeyed by the terminal."""

from __future__ import annotations

import json

import pytest

from rehabcount.cli.console import errors, new_table, output, print_json, say
from rehabcount.errors import RehabcountError

HOSTILE = "a\x1b[31m\x1b]0;owned\x07\x9b2J\u202eb"


def test_control_characters_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    table = new_table(HOSTILE, "name")
    table.add_row(HOSTILE)
    output.print(table)
    output.print(HOSTILE, markup=False)
    errors.print(HOSTILE, markup=False)
    say(RehabcountError(HOSTILE, advice=HOSTILE))
    said = "".join(capsys.readouterr())
    assert said.count("\ufffd[31m") >= 4
    assert not set("\x1b\x07\x9b\u202e") & set(said)


def test_json_says_them_and_is_still_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"name": HOSTILE})
    said = capsys.readouterr().out
    assert not set("\x1b\x07\x9b\u202e") & set(said)
    assert json.loads(said) == {"name": HOSTILE}
