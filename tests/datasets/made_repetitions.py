"""Made recordings of repeated movements, in the layouts of the corpora."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import G_M_S2

CYCLE_S = 2.0


def motion(repetitions: int, rate_hz: float, size: float = 1.0) -> Floats:
    """(n, 6) in m/s2 and rad/s: a sensor that turns about its x, cycle after cycle, and feels gravity."""
    t = np.arange(round(repetitions * CYCLE_S * rate_hz)) / rate_hz
    turn = 2 * np.pi * t / CYCLE_S
    angle = size * (0.6 * (1 - np.cos(turn)) + 0.3 * np.sin(2 * turn))
    rate = np.gradient(angle, 1 / rate_hz)
    acc = G_M_S2 * np.stack([0 * t, np.sin(angle), np.cos(angle)], axis=1)
    return np.concatenate([acc, np.stack([rate, 0 * t, 0 * t], axis=1)], axis=1)


def write_cara(path: Path) -> None:
    """One person: an action like rehabilitation and another one, each shown with five and made with twelve."""
    arrays = dict[str, np.ndarray]()
    for action in ("Stirring", "Boxing"):
        for session, count in ((1, 5), (2, 12)):
            made = motion(count, 100.0)
            arrays[f"{action}/{session}/0/{count}/ms"] = np.arange(len(made)) * 10
            arrays[f"{action}/{session}/0/{count}/motion"] = np.rint(made * np.repeat([300, 900], 3)).astype(np.int16)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **arrays)  # type: ignore[arg-type]


def write_spar(path: Path) -> None:
    made = motion(20, 50.0)
    made[:, :3] /= G_M_S2
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, S1_E0_L=made.astype(np.float32), S1_E1_R=made.astype(np.float32))


def write_pte(path: Path) -> None:
    """One exercise: one example each of three types, and a test with their times."""
    still = np.tile([0.0, 0.0, G_M_S2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], (50, 1))
    one = np.concatenate([motion(1, 25.0), np.zeros((50, 3))], axis=1)
    arrays = dict[str, np.ndarray]()
    for unit in ("u1", "u2", "u3", "u4", "u5"):
        arrays[f"s1_e6/{unit}/template"] = np.concatenate([still, one] * 3 + [still])
        arrays[f"s1_e6/{unit}/test"] = np.concatenate([still, one] * 6 + [still])
    arrays["s1_e6/template_times"] = np.array([[kind + 1, 50 + 100 * kind, 100 + 100 * kind] for kind in range(3)])
    arrays["s1_e6/test_times"] = np.array([[k + 1, k // 2 + 1, 50 + 100 * k, 100 + 100 * k] for k in range(6)])
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **arrays)  # type: ignore[arg-type]
