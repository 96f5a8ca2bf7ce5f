"""Blocks of frames put together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rehabcount.domain.motion import CHANNELS, Frames


def joined(blocks: Sequence[Frames], sensors: int) -> Frames:
    """Consecutive blocks as one; no blocks give an empty one for that many sensors."""
    if not blocks:
        return Frames(0, np.empty(0), np.empty((0, sensors, CHANNELS)), np.empty((0, sensors), bool))
    return Frames(
        blocks[0].index,
        np.concatenate([block.time_s for block in blocks]),
        np.concatenate([block.values for block in blocks]),
        np.concatenate([block.valid for block in blocks]),
    )
