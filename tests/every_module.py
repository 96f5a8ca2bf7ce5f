"""Imports every module of rehabcount in this process, and what they load only when it is wanted; trains and exports
a small network where the extra `train` is installed.

`python -m tests.every_module`, in an empty folder. What it writes on request is in `out`.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from pathlib import Path

import rehabcount
from rehabcount.bedside.tidy import keep_to_our_folders

NEED_TORCH = (
    "rehabcount.models.",
    "rehabcount.export.",
    "rehabcount.cli.work.train",
    "rehabcount.cli.work.checkpoints",
)
# What modules import inside functions, and what comes to the same at their first use.
LATER = ("fsspec", "matplotlib.pyplot", "numba", "pyarrow.parquet", "sklearn.ensemble", "sklearn.metrics")


def main() -> None:
    keep_to_our_folders()
    trains = importlib.util.find_spec("torch") is not None
    for each in pkgutil.walk_packages(rehabcount.__path__, "rehabcount."):
        if each.name.endswith("__main__") or (each.name.startswith(NEED_TORCH) and not trains):
            continue
        importlib.import_module(each.name)
    for name in LATER:
        if importlib.util.find_spec(name.partition(".")[0]) is not None:
            importlib.import_module(name)
    from rehabcount.metrics.structure import _compiled_loops

    _compiled_loops()
    if trains:
        train_and_export(Path("out"))


def train_and_export(folder: Path) -> None:
    from rehabcount.export.pack import pack
    from rehabcount.models.train import TrainSettings, train
    from rehabcount.models.trained import load_trained
    from tests.export.conftest import DESCRIPTION, LAG, bedside_set

    data = bedside_set()
    settings = TrainSettings("stream", "tiny", length_s=2.0, epochs=1, batch=4, frames_per_step=1)
    outcome = train(data, settings, folder / "run")
    trained = load_trained(folder / "run" / "checkpoint.pt")
    pack(folder / "tiny-1.0", trained, data, DESCRIPTION, decoder=outcome.durations, lag=LAG, windows=5)


if __name__ == "__main__":
    main()
