"""Drinking by real people: 59 drinks of ten stroke patients and ten healthy subjects, marker clusters at 200 Hz.

Part of U-Limb (Averta et al., GigaScience 2021), Hannover site, task 12. Measure only; never redistribute.

    in   drinking.npz: `<trial>/markers` (frames x 21 x 3, mm, NaN where hidden), `<trial>/side`, `marker_names`
    out  Drink: wrist, and place and orientation of thorax, upper arm and forearm, as a right arm in room axes
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.errors import DatasetChanged, DatasetMissing
from rehabcount.signals import rotation
from rehabcount.store.npz import Arrays, open_arrays

FIT_SUBJECTS = ("01", "03", "05", "07", "09", "S1", "S3", "S5", "S7", "S9")  # the others stay for testing
_CLUSTERS = {"thorax": "CS_", "upper arm": "H_", "forearm": "RU_"}
NEEDED = ("WRA", "WRB")
LEAST_FRAMES = 40  # a fifth of a second; no drink is as short
FARTHEST_MM = 1e5  # of a marker from the room's origin
_LONGEST_GAP = 60  # frames (0.3 s); a cluster hidden for longer makes the drink unusable


@dataclass(frozen=True, slots=True)
class Drink:
    """One drink. Orientations count from the pose of the first frame."""

    subject: str
    trial: str
    wrist: Floats  # (n, 3) m
    place: dict[str, Floats]  # cluster -> (n, 3)
    turn: dict[str, Floats]  # cluster -> (n, 4)

    @property
    def stroke(self) -> bool:
        return self.subject.startswith("S")


def read_drinks(folder: Path) -> Iterator[Drink]:
    """All drinks of `folder`/drinking/drinking.npz whose markers are seen well enough."""
    path = folder / "drinking" / "drinking.npz"
    if not path.exists():
        raise DatasetMissing(
            f"{path} does not exist", advice="Set REHABCOUNT_DATA to the folder that holds drinking/drinking.npz."
        )
    with opened(path) as archive:
        names = marker_names(archive)
        trials = sorted(key.removesuffix("/markers") for key in archive if key.endswith("/markers"))
        for trial in trials:
            drink = _read(trial, markers_of(archive, trial, names), str(archive.need(f"{trial}/side")), names)
            if drink is not None:
                yield drink


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Arrays]:
    """The recordings. What does not fit them, there or in the block, is DatasetChanged."""
    try:
        with open_arrays(path) as archive:
            yield archive
    except (ValueError, TypeError, OSError) as problem:
        raise DatasetChanged(f"{path.name} is not as expected: {problem}.", advice="Get the recordings again.") from (
            problem
        )


def marker_names(archive: Arrays) -> list[str]:
    names = [str(name) for name in archive.need("marker_names").ravel()]
    if lacking := set(NEEDED) - set(names):
        raise ValueError(f"no marker is called {', '.join(sorted(lacking))}")
    return names


def markers_of(archive: Arrays, trial: str, names: list[str]) -> Floats:
    """Places (frames, markers, 3) in mm, NaN where hidden."""
    markers = archive.need(f"{trial}/markers").astype(float)
    if markers.ndim != 3 or len(markers) < LEAST_FRAMES or markers.shape[1:] != (len(names), 3):
        raise ValueError(f"the markers of {trial!r} have the shape {markers.shape}")
    markers[~(np.abs(markers) < FARTHEST_MM)] = np.nan
    return markers


def _read(trial: str, markers: Floats, side: str, names: list[str]) -> Drink | None:
    # The recordings' axes: x to the left, y backwards, z up, in mm. The drinking arm becomes a right arm.
    outward = -markers[..., 0] if side == "right" else markers[..., 0]
    room = np.stack([-markers[..., 1], markers[..., 2], outward], axis=-1) / 1000.0
    wrist = _filled(room[:, [names.index("WRA"), names.index("WRB")]].mean(axis=1))
    if wrist is None:
        return None
    place, turn = {}, {}
    for cluster, prefix in _CLUSTERS.items():
        fitted = _fit_cluster(room[:, [i for i, name in enumerate(names) if name.startswith(prefix)]])
        if fitted is None:
            return None
        place[cluster], turn[cluster] = fitted
    return Drink(trial.split("_")[0], trial, wrist, place, turn)


def _filled(values: Floats) -> Floats | None:
    """Short gaps bridged straight; None where a gap is long."""
    frames = np.flatnonzero(np.isfinite(values).all(axis=1))
    if len(frames) < 2 or max(np.diff(frames).max(), frames[0], len(values) - 1 - frames[-1]) > _LONGEST_GAP:
        return None
    grid = np.arange(len(values))
    return np.stack([np.interp(grid, frames, values[frames, i]) for i in range(values.shape[1])], axis=1)


def _fit_cluster(markers: Floats) -> tuple[Floats, Floats] | None:
    """Place and orientation of a rigid cluster (n, m, 3) by least squares (Kabsch) on the markers seen in every
    frame."""
    filled = [part for i in range(markers.shape[1]) if (part := _filled(markers[:, i])) is not None]
    if len(filled) < 3:
        return None
    points = np.stack(filled, axis=1)  # (n, m, 3)
    middle = points.mean(axis=1)
    arms = points - middle[:, None]
    reference = np.median(arms[:20], axis=0)
    covariance = np.einsum("nmi,mj->nij", arms, reference)
    u, _, vt = np.linalg.svd(covariance)
    flip = np.linalg.det(u @ vt)
    u[:, :, 2] *= flip[:, None]
    matrix = u @ vt
    quat = rotation.from_axes(matrix[:, :, 0], matrix[:, :, 1], matrix[:, :, 2])
    return middle, quat
