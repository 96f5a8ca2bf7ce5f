"""A motion whose every quantity is known, for writing exports and reading them back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

G = 9.80665


class Swing:
    """A sensor at a fixed point that swings about an axis of its own, its accelerometer feeling gravity alone."""

    def __init__(self, rate_hz: float, length_s: float, speed: float = 2.0) -> None:
        self.rate_hz = rate_hz
        self.t = np.arange(round(rate_hz * length_s)) / rate_hz
        axis = np.array([0.6, -0.64, 0.48])
        angle, turning = 0.8 * np.sin(speed * self.t), 0.8 * speed * np.cos(speed * self.t)
        start = Rotation.from_euler("ZYX", [40, 20, -30], degrees=True)
        self.rotation = start * Rotation.from_rotvec(angle[:, None] * axis)
        self.quat = self.rotation.as_quat(scalar_first=True)  # (n, 4)
        self.gyr = turning[:, None] * axis  # rad/s
        self.acc = self.rotation.inv().apply([0, 0, G])  # m/s2
        self.euler_deg = self.rotation.as_euler("ZYX", degrees=True)[:, ::-1]  # roll, pitch, yaw


@pytest.fixture
def swing() -> Callable[..., Swing]:
    return Swing


@pytest.fixture
def write_csv(tmp_path: Path) -> Callable[..., Path]:
    """Writes columns, given by name, as a table; `before` are the lines above the names."""

    def write(name: str, columns: dict[str, Any], before: str = "", delimiter: str = ",", end: str = "\n") -> Path:
        names = [key for key, block in columns.items() for key in _split(key, block)]
        blocks = [
            np.asarray(block, dtype=object).reshape(len(next(iter(columns.values()))), -1) for block in columns.values()
        ]
        rows = np.concatenate(blocks, axis=1)
        lines = [delimiter.join(names), *(delimiter.join(_text(cell, delimiter) for cell in row) for row in rows)]
        path = tmp_path / name
        path.write_bytes((before + end.join(lines) + end).encode())
        return path

    return write


def _split(key: str, block: object) -> list[str]:
    """`Acc_{XYZ}` names three columns."""
    if "{" not in key:
        return [key]
    head, _, rest = key.partition("{")
    letters, _, tail = rest.partition("}")
    return [f"{head}{letter}{tail}" for letter in letters]


def _text(cell: object, delimiter: str) -> str:
    text = f"{cell:.7f}" if isinstance(cell, float) else str(cell)
    return text.replace(".", ",") if delimiter == ";" and isinstance(cell, float) else text
