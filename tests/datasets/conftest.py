"""A made-up folder in the layout of StrokeRehab: the real one may not be redistributed."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

SEGMENTS = (
    "upper spine", "upper arm L", "upper arm R", "forearm L", "forearm R", "hand L", "hand R", "lower spine", "pelvis",
)  # fmt: skip
TURNED = [f"{segment} {angle} (deg)" for segment in SEGMENTS for angle in ("course", "pitch", "roll")]
JOINTS = [f"joint angle {i} (deg)" for i in range(22)]
INVENTED = [f"invented {i}" for i in range(54)]  # the true names are not public
TRAILING = [f"more {i}" for i in range(15)]

WriteTrial = Callable[..., np.ndarray]


@pytest.fixture
def write_trial() -> WriteTrial:
    """Writes one trial and returns its 77 features; `labels` are the words of the class column."""

    def write(path: Path, labels: list[str], seed: int = 0, markers: bool = True) -> np.ndarray:
        rng = np.random.default_rng(seed)
        features = rng.normal(size=(len(labels), 77))
        features[:, 76] = 1.0  # side
        features[:, 5] = 0.1  # a column that never moves
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            # The columns that are dropped stand between the others, as a reader by position must survive that.
            head = ["time", *INVENTED[:27], *TURNED[:13], *JOINTS, *TURNED[13:], *INVENTED[27:], "side"]
            tail = [*TRAILING[:7], "class", *TRAILING[7:]]
            writer.writerow([*head, *(["markers"] if markers else []), *tail, *(["markernames"] if markers else [])])
            for i, label in enumerate(labels):
                row = features[i].tolist()
                values = [i / 100, *row[:27], *[0.5] * 13, *row[27:49], *[0.5] * 14, *row[49:76], row[76]]
                more = ["" if j % 3 else f"text {j}" for j in range(15)]
                writer.writerow(
                    [*values, *(["m"] if markers else []), *more[:7], label, *more[7:], *(["a;b"] if markers else [])]
                )
        return features

    return write


@pytest.fixture
def strokerehab_folder(tmp_path: Path, write_trial: WriteTrial) -> Path:
    """Several subjects, every spelling of an activity, and the quirky names."""
    folder = tmp_path / "HAR-data-processed-2"
    spellings = (
        "deodorant", "deodrant", "combing", "glasses", "drinking", "feeding", "brushing", "face wash", "RTT",
        "RTT left side", "RTT right side", "shelf left side", "shelf right side",
    )  # fmt: skip
    labels = ["rest"] * 3 + ["reach"] * 2 + ["transport", "stabilize", "retract", "idle", "reposition"]
    seed = 0
    for subject in ("s46", "s7", "s13", "s41"):  # one of each fold
        for spelling in spellings:
            for repetition in (1, 5):
                seed += 1
                name = f"{subject}_{spelling}_SB_mod_{spelling} {repetition}.csv"
                write_trial(folder / name, labels, seed)
    write_trial(folder / "s42_RTT left side_RT_SB_mod_RTT left side 5.csv", labels, 901)
    write_trial(folder / "s26_glasses_SB_mod_glasses l.csv", labels, 902)
    write_trial(folder / "s46_combing_SB_mod_combing 2 .csv", labels, 903)
    write_trial(folder / "s50_feeding_SB_mod_feeding 3.csv", labels, 904, markers=False)
    (folder / "._s50_feeding_SB_mod_feeding 3.csv").write_bytes(b"\0junk of a Mac")
    (folder / "README.txt").write_text("not a trial", encoding="utf-8")
    return folder
