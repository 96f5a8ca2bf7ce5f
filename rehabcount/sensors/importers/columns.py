"""Column names of vendors' tables -> their meaning. All families share one vocabulary, because people rename columns.

A name is read without case, blanks and punctuation; a unit in brackets at its end is kept. `read_columns` finds the
whole vectors (x, y, z or w, x, y, z) and the columns of time and identity.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rehabcount.errors import ImportRefused

WIDTHS = {"acc": 3, "gyr": 3, "euler": 3, "nautical": 3, "quat": 4, "free": 3, "dq": 4, "dv": 3, "axis": 3}
_AXES = {letter: i for i, letter in enumerate("xyz")} | {digit: i for i, digit in enumerate("123")}
_QUAT_AXES = {letter: i for i, letter in enumerate("wxyz")} | {digit: i for i, digit in enumerate("01234")}
_ROLL_PITCH_YAW = {"roll": 0, "pitch": 1, "yaw": 2}

_VECTORS = (
    ("acc", re.compile(r"(?:a|acc|accel|acceleration|accelerometer)([xyz])")),
    ("gyr", re.compile(r"(?:w|as|gyr|gyro|gyroscope|angvel|angularvelocity)([xyz])")),
    ("euler", re.compile(r"(?:euler|ang|angle)([xyz])")),
    ("nautical", re.compile(r"(?:euler|angle)?(roll|pitch|yaw)")),
    ("quat", re.compile(r"(?:quatq|q|quat|quaternion|quaternions|orientation)([wxyz0-4])")),
    ("free", re.compile(r"freeacc(?:eleration)?([xyz])")),
    ("dq", re.compile(r"(?:dq|oriincq?)([wxyz0-3])")),
    ("dv", re.compile(r"(?:dv|velinc)([xyz123])")),
    ("axis", re.compile(r"([xyz])axis")),  # MetaMotion: the unit shows the quantity
)
_SINGLES = {
    "counter": ("packetcounter", "counter"),
    "fine": ("sampletimefine",),
    "epoch": ("epoch", "epoc"),
    "elapsed": ("elapsed",),
    "chip": ("chiptime",),
    "time": ("time", "timestamp", "datetime"),
    "identity": ("address", "devicename", "device", "mac", "macaddress", "deviceid"),
    "status": ("status",),
}
_SINGLE_OF = {name: kind for kind, names in _SINGLES.items() for name in names}
_UNITS = {
    "g": "g",
    "mg": "mg",
    "m/s2": "m/s2",
    "m/s^2": "m/s2",
    "m/s²": "m/s2",
    "mps2": "m/s2",
    "deg/s": "deg/s",
    "dps": "deg/s",
    "/s": "deg/s",  # what remains of a degree sign in a foreign encoding
    "rad/s": "rad/s",
    "deg": "deg",
    "rad": "rad",
    "s": "s",
    "ms": "ms",
}


# The vendor's own software in its first language; the longer words first, as they hold the shorter ones.
_CHINESE = {
    "片上时间": "chiptime",
    "设备名称": "devicename",
    "加速度": "acc",
    "角速度": "gyr",
    "四元数": "quat",
    "角度": "angle",
    "时间": "time",
}


@dataclass(frozen=True, slots=True)
class TableColumns:
    """Where a table keeps what: vectors as tuples of positions, single columns as a position."""

    vectors: dict[str, tuple[int, ...]]
    singles: dict[str, int]
    units: dict[str, str]  # of vectors and singles, where the names say them


def meaning(name: str) -> tuple[str, int, str | None] | None:
    """The meaning of a column: quantity, axis (0 for single columns), unit; None for unknown names."""
    text, unit = _split_unit(name)
    for word, english in _CHINESE.items():
        text = text.replace(word, english)
    key = re.sub(r"[^a-z0-9]", "", text.lower())
    if key in _SINGLE_OF:
        return _SINGLE_OF[key], 0, unit
    for quantity, pattern in _VECTORS:
        if match := pattern.fullmatch(key):
            axis = match[1]
            if axis in _ROLL_PITCH_YAW:
                return quantity, _ROLL_PITCH_YAW[axis], unit
            return quantity, (_QUAT_AXES if WIDTHS[quantity] == 4 else _AXES)[axis], unit
    if name.strip().lower().endswith("(number)") and key in _QUAT_AXES:  # MetaMotion's sensor fusion
        return "quat", _QUAT_AXES[key], None
    return None


def _split_unit(name: str) -> tuple[str, str | None]:
    """`AsX(°/s)` -> AsX, deg/s. A digit in brackets is an axis, not a unit: `dv[1]`."""
    match = re.fullmatch(r"(.*?)\s*[(\[]\s*(?:in\s+)?([^()\[\]]*?)\s*[)\]]\s*", name)
    if match is None or match[2].isdigit():
        return name, None
    unit = match[2].lower().replace("°", "deg")
    ascii_only = "".join(letter for letter in unit if letter.isascii())
    return match[1], _UNITS.get(unit) or _UNITS.get(ascii_only)


def is_header(names: list[str]) -> bool:
    """Whether these look like the names of a motion table: at least three that we know, a vector's among them."""
    known = [found for name in names if (found := meaning(name)) is not None]
    return len(known) >= 3 and any(quantity in WIDTHS for quantity, _, _ in known)


def read_columns(path: Path, names: tuple[str, ...], line: int) -> TableColumns:
    """The columns of a table whose names stand in `line`."""
    found: dict[str, dict[int, int]] = {}
    singles: dict[str, int] = {}
    units: dict[str, str] = {}
    for position, name in enumerate(names):
        what = meaning(name)
        if what is None:
            continue
        quantity, axis, unit = what
        if quantity not in WIDTHS:
            singles.setdefault(quantity, position)
        elif axis in found.setdefault(quantity, {}):
            raise ImportRefused(
                path,
                f"columns {names[found[quantity][axis]]!r} and {name!r} hold the same",
                line=line,
                advice="Export one sensor a file, or with a column that names the sensor.",
            )
        else:
            found[quantity][axis] = position
        if unit is not None:
            units.setdefault(quantity, unit)
    if sorted(found.get("quat", {})) == [1, 2, 3, 4]:  # counted from 1
        found["quat"] = {axis - 1: position for axis, position in found["quat"].items()}
    nautical = found.pop("nautical", {})  # roll, pitch, yaw: the angles, unless those stand there by another name
    if len(nautical) == WIDTHS["nautical"] and "euler" not in found:
        found["euler"] = nautical
        units.setdefault("euler", units.get("nautical", "deg"))
    vectors = {}
    for quantity, axes in found.items():
        if sorted(axes) != list(range(WIDTHS[quantity])):
            present = ", ".join(repr(names[position]) for position in axes.values())
            raise ImportRefused(
                path,
                f"only {len(axes)} of {WIDTHS[quantity]} components are there: {present}",
                line=line,
                advice="Export all axes.",
            )
        vectors[quantity] = tuple(axes[axis] for axis in range(WIDTHS[quantity]))
    return TableColumns(vectors, singles, units)
