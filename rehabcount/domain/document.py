"""Frozen types to plain JSON values and back, for session files and settings.

`to_document` turns a dataclass of this package into dicts, lists and numbers; `from_document` rebuilds it and complains
about whatever does not fit, naming where. Types are read from the dataclass's annotations: nested dataclasses, enums,
tuples, optional values and the JSON scalars.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from enum import Enum
from typing import Any, TypeVar

T = TypeVar("T")


def to_document(value: Any) -> Any:
    """`value` as JSON values."""
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
    origin = typing.get_origin(kind)
    if origin in (types.UnionType, typing.Union):
        return _read_union(typing.get_args(kind), value, where)
    if origin is tuple:
        return _read_tuple(typing.get_args(kind), value, where)
    if dataclasses.is_dataclass(kind):
        return _read_dataclass(kind, value, where)
    if isinstance(kind, type) and issubclass(kind, Enum):
        try:
            return kind(value)
        except ValueError:
            allowed = ", ".join(str(member.value) for member in kind)
            raise ValueError(f"{where} must be one of {allowed}, not {value!r}") from None
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is type(None) and value is None:
        return None
    if kind is typing.Any or (kind in (str, int, float, bool) and type(value) is kind):
        return value
    if origin is dict and isinstance(value, dict):
        key_kind, item_kind = typing.get_args(kind)
        return {_read(key_kind, key, where): _read(item_kind, item, f"{where}.{key}") for key, item in value.items()}
    raise ValueError(f"{where} must be {getattr(kind, '__name__', kind)}, not {value!r}")


def _read_union(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and type(None) in kinds:
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


def _read_tuple(kinds: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{where} must be a list, not {value!r}")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_read(kinds[0], item, f"{where}[{i}]") for i, item in enumerate(value))
    if len(kinds) != len(value):
        raise ValueError(f"{where} must have {len(kinds)} entries, not {len(value)}")
    return tuple(_read(kind, item, f"{where}[{i}]") for i, (kind, item) in enumerate(zip(kinds, value, strict=True)))


@functools.cache
def _shape_of(kind: Any) -> tuple[dict[str, Any], dict[str, dataclasses.Field[Any]]]:
    """Types and fields by name; worked out once a class, for sessions hold thousands of updates."""
    return typing.get_type_hints(kind), {field.name: field for field in dataclasses.fields(kind)}


def _read_dataclass(kind: Any, value: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"{where} must be a table of {kind.__name__}, not {value!r}")
    hints, fields = _shape_of(kind)
    unknown = sorted(set(value) - set(fields))
    if unknown:
        raise ValueError(f"{where} has no entry {unknown[0]!r}; it has {', '.join(fields)}")
    required = [
        name
        for name, field in fields.items()
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    missing = [name for name in required if name not in value]
    if missing:
        raise ValueError(f"{where} lacks {missing[0]!r}")
    return kind(**{name: _read(hints[name], item, f"{where}.{name}") for name, item in value.items()})
