"""Frozen types to plain JSON values and back, for session files and settings.

`to_document` turns a dataclass of this package into dicts, lists and numbers; `from_document` rebuilds it. A value that
does not fit is a ValueError that names its place. Types are read from the dataclass's annotations: nested dataclasses,
enums, tuples, optional values and the JSON scalars.

Documents may come from files of unknown origin. `read_json` parses all of them. Values that neither a session nor a
setting can hold (numbers that are not finite or far too large, times beyond a month, megabytes of text) are a
ValueError, too, and error messages quote only the beginning of a value.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import reprlib
import types
import typing
from enum import Enum
from typing import Any, TypeVar

from rehabcount.domain.message import Code, Message
from rehabcount.domain.sentences_before import message_of

T = TypeVar("T")

# Characters of JSON. The longest one that we write, a model's card, has fifty thousand. Parsing takes twenty times the
# size in memory.
MOST_JSON = 4_000_000
_PERHAPS_A_MESSAGE = typing.get_args(Message | None)
LARGEST_INTEGER = 2**63 - 1
LARGEST_NUMBER = 1e15  # of any measure; squares and sums of such numbers are still finite
LONGEST_S = 31 * 86_400.0  # of any time: no session lasts a month


def read_json(text: str | bytes) -> Any:
    """The parsed JSON. ValueError if it is invalid, nested too deeply, too long, or has numbers that are not finite."""
    if len(text) > MOST_JSON:
        raise ValueError(f"a document of {len(text)} characters, where none has more than {MOST_JSON}")
    try:
        text = text.decode() if isinstance(text, bytes) else text
        document = json.loads(text, parse_constant=_refuse_constant)
        if "\\u" in text:  # lone surrogates: they cannot be encoded
            json.dumps(document, ensure_ascii=False).encode()
        return document
    except RecursionError:
        raise ValueError("a document that is nested without end") from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number that JSON knows")


def shown(value: Any) -> str:
    """A value as error messages quote it: only its beginning."""
    return reprlib.repr(value)


def to_document(value: Any) -> Any:
    """`value` as JSON values."""
    if isinstance(value, Message):
        return {"code": value.code.value, "blanks": dict(value.blanks)}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_document(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [to_document(item) for item in value]
    if isinstance(value, dict):
        return {str(key): to_document(item) for key, item in value.items()}
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(f"{type(value).__name__} has no JSON form: {value!r}")


def from_document(kind: type[T], document: Any, where: str = "") -> T:
    """The `kind` that `document` describes. An unknown, missing or ill-typed entry is a ValueError that names it."""
    return typing.cast(T, _read(kind, document, where or kind.__name__))


def _read(kind: Any, value: Any, where: str) -> Any:
    # The most frequent kinds first: lists of sessions and updates are read in thousands.
    if kind in (float, int) and type(value) in (float, int):
        return _read_number(kind, value, where)
    if kind in (str, bool) and type(value) is kind:
        return value
    origin = typing.get_origin(kind)
    if origin in (types.UnionType, typing.Union):
        return _read_union(typing.get_args(kind), value, where)
    if origin is tuple:
        return _read_tuple(typing.get_args(kind), value, where)
    if kind is Message:
        return _read_message(value, where)
    if dataclasses.is_dataclass(kind):
        return _read_dataclass(kind, value, where)
    if isinstance(kind, type) and issubclass(kind, Enum):
        try:
            return kind(value)
        except ValueError:
            allowed = ", ".join(str(member.value) for member in kind)
            raise ValueError(f"{where} must be one of {allowed}, not {shown(value)}") from None
    if kind is type(None) and value is None:
        return None
    if kind is typing.Any:
        return value
    if origin is dict and isinstance(value, dict):
        key_kind, item_kind = typing.get_args(kind)
        return {_read(key_kind, key, where): _read(item_kind, item, f"{where}.{key}") for key, item in value.items()}
    raise ValueError(f"{where} must be {getattr(kind, '__name__', kind)}, not {shown(value)}")


def _read_number(kind: Any, value: int | float, where: str) -> int | float:
    if kind is int and type(value) is float:
        raise ValueError(f"{where} must be int, not {shown(value)}")
    if not abs(value) <= (LARGEST_INTEGER if kind is int else LARGEST_NUMBER):
        raise ValueError(f"{where} must be a number that can be measured, not {shown(value)}")
    if where.endswith("_s") and not -LONGEST_S <= value <= LONGEST_S:
        raise ValueError(f"{where} must be seconds of a session, not {shown(value)}")
    return float(value) if kind is float else value


def _read_union(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and type(None) in kinds:
        return None
    if kinds == _PERHAPS_A_MESSAGE and value == "":  # of a file from before the codes
        return None
    problems = []
    for kind in kinds:
        if kind is type(None):
            continue
        try:
            return _read(kind, value, where)
        except ValueError as problem:
            problems.append(str(problem))
    raise ValueError("; or ".join(problems))


def _read_message(value: Any, where: str) -> Message:
    """A code and its blanks; the sentence of an old file becomes its code here."""
    if isinstance(value, str):
        return message_of(value)
    if not isinstance(value, dict) or set(value) != {"code", "blanks"}:
        raise ValueError(f"{where} must be a code and its blanks, not {shown(value)}")
    code = _read(Code, value["code"], f"{where}.code")
    blanks = _read(dict[str, str | int], value["blanks"], f"{where}.blanks")
    try:
        return Message(code, tuple(sorted(blanks.items())))  # their names are the file's: any string
    except ValueError as problem:
        raise ValueError(f"{where}: {problem}") from None


def _read_tuple(kinds: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{where} must be a list, not {shown(value)}")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_read(kinds[0], item, f"{where}[{i}]") for i, item in enumerate(value))
    if len(kinds) != len(value):
        raise ValueError(f"{where} must have {len(kinds)} entries, not {len(value)}")
    return tuple(_read(kind, item, f"{where}[{i}]") for i, (kind, item) in enumerate(zip(kinds, value, strict=True)))


@functools.cache
def _shape_of(kind: Any) -> tuple[dict[str, Any], dict[str, dataclasses.Field[Any]]]:
    """Types and fields by name; computed once a class, because sessions hold thousands of updates."""
    return typing.get_type_hints(kind), {field.name: field for field in dataclasses.fields(kind)}


def _read_dataclass(kind: Any, value: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"{where} must be a table of {kind.__name__}, not {shown(value)}")
    hints, fields = _shape_of(kind)
    unknown = sorted(set(value) - set(fields))
    if unknown:
        raise ValueError(f"{where} has no entry {shown(unknown[0])}; it has {', '.join(fields)}")
    required = [
        name
        for name, field in fields.items()
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    missing = [name for name in required if name not in value]
    if missing:
        raise ValueError(f"{where} lacks {missing[0]!r}")
    return kind(**{name: _read(hints[name], item, f"{where}.{name}") for name, item in value.items()})
