"""MoCA: one healthy person at a kitchen table, marker trajectories of shoulder, elbow, wrist and hand at 100 Hz.

Nicora et al. (2020), "The MoCA dataset". No licence stated: measure only.

    in   <action>_tr.mat: one action repeated; `index` = borders of the repetitions, WRIST (frames x 3, mm, NaN gaps)
    out  each repetition's way of the wrist in metres

A repetition of `reaching` goes out and back; one of `transporting` goes one way, but numbers 1, 2, 11 and 38 are not
single transports and are left out.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.errors import DatasetMissing

RATE_HZ = 100.0
NOT_SINGLE = {"transporting": (1, 2, 11, 38)}


def read_repetitions(folder: Path, action: str) -> list[Floats]:
    """The wrist's way (n, 3), one array a repetition; those with markers hidden for long are left out."""
    from scipy.io import loadmat

    path = folder / "moca" / f"{action}_tr.mat"
    if not path.exists():
        raise DatasetMissing(
            f"{path} does not exist", advice="Set REHABCOUNT_DATA to the folder that holds the folder moca."
        )
    content = loadmat(path, squeeze_me=True)
    wrist = np.asarray(content["WRIST"], float) / 1000.0
    borders = np.asarray(content["index"], int)
    ways = []
    for number, (start, stop) in enumerate(pairwise(borders), 1):
        way = wrist[start:stop]
        seen = np.isfinite(way).all(axis=1)
        if number in NOT_SINGLE.get(action, ()) or seen.mean() < 0.95:
            continue
        grid = np.arange(len(way))
        ways.append(np.stack([np.interp(grid, grid[seen], way[seen, i]) for i in range(3)], axis=1))
    return ways
