"""Model input: feature rows with their validity mask -> the numbers that a network sees. Training and bedside share it.

In: values (n, columns), valid (n, columns), and an `InputSpec` from the model's card. Out: float32 (n /
frames_per_step, columns + sensors). Each step is the mean over the valid rows among `frames_per_step` consecutive
ones, shifted and scaled; if no row is valid it is 0. After the columns comes one number for each sensor: the share of
its readings that were valid, so that a network can distinguish a resting sensor from a missing one.

Steps are counted from the first row. Input in pieces gives the same steps if the length of every piece is a multiple of
`frames_per_step`; rows past the last whole step are dropped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rehabcount.domain.arrays import Bools, Floats

Inputs = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class InputSpec:
    """How rows become input. `sensors` lists, for each sensor, the columns that cannot be known without it."""

    columns: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    sensors: tuple[tuple[int, ...], ...] = ()
    frames_per_step: int = 1

    def __post_init__(self) -> None:
        for name in ("mean", "scale"):
            if len(getattr(self, name)) != len(self.columns):
                raise ValueError(f"{name} has {len(getattr(self, name))} entries for {len(self.columns)} columns")
        if not all(number > 0 for number in self.scale):
            raise ValueError("scale must be positive throughout")
        if self.frames_per_step < 1:
            raise ValueError(f"frames_per_step must be at least 1, not {self.frames_per_step}")
        if any(not 0 <= column < len(self.columns) for group in self.sensors for column in group):
            raise ValueError(f"a sensor names a column outside 0..{len(self.columns) - 1}")

    @property
    def width(self) -> int:
        """Numbers a step has."""
        return len(self.columns) + len(self.sensors)


def model_input(values: Floats | Inputs, valid: Bools, spec: InputSpec) -> Inputs:
    """The input for consecutive rows."""
    if values.shape != valid.shape or values.ndim != 2 or values.shape[1] != len(spec.columns):
        raise ValueError(f"values {values.shape} and valid {valid.shape} must both be (rows, {len(spec.columns)})")
    steps, k = len(values) // spec.frames_per_step, spec.frames_per_step
    known = valid[: steps * k].reshape(steps, k, -1)
    scaled = (values[: steps * k] - np.array(spec.mean)) / np.array(spec.scale)
    scaled = np.where(known, scaled.reshape(steps, k, -1), 0.0)  # (steps, k, columns)
    number = known.sum(axis=1)  # (steps, columns)
    out = np.empty((steps, spec.width), np.float32)
    out[:, : len(spec.columns)] = scaled.sum(axis=1) / np.maximum(number, 1)
    for i, group in enumerate(spec.sensors):
        out[:, len(spec.columns) + i] = number[:, list(group)].mean(axis=1) / k
    return out
