"""Read-only arrays: data that pass from one stage or thread to another cannot be changed afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def frozen(values: ArrayLike, dtype: Any = np.float64) -> NDArray[Any]:
    """The values as a read-only view. The caller must not write to the array afterwards."""
    view = np.asarray(values, dtype=dtype).view()
    view.setflags(write=False)
    return view
