"""Archives of arrays (npz), altered in members, headers and bytes, through `evaluate` and the datasets' readers."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from rehabcount.bench.temporal import best_runs
from rehabcount.datasets import drinking, drinking_imus, gestures, jigsaws, kiel, openpack, pte
from tests.fuzz.child import Attempts
from tests.fuzz.mutate import command, mutated_npy, mutated_zip, put_in_place_of

FRAMES = 400
MARKERS = tuple(f"{prefix}{i}" for prefix in ("CS_", "H_", "RU_") for i in range(1, 5))
POINTS = (*MARKERS, "WRA", "WRB", "ELB_L", "ELB_M", "SA_1", "SA_2", "SA_3")


def packed(**arrays: object) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **{name: np.asarray(array) for name, array in arrays.items()})
    return file.getvalue()


def prepare(place: Path) -> Callable[[random.Random, Path], Attempts]:
    rng = np.random.default_rng(0)
    labels = np.repeat(rng.integers(0, 5, FRAMES // 20), 20)
    words = np.array(["reach", "transport", "reposition", "stabilize", "idle"])[labels]
    other = np.roll(labels, 5)
    names = np.array(["reach", "transport", "reposition", "stabilize", "idle"])
    columns = np.array([f"c{i}" for i in range(3)])
    markers = rng.normal(0, 100, (1, len(POINTS), 3)) + np.cumsum(rng.normal(0, 1, (FRAMES, 1, 3)), axis=0)
    task_columns = np.array([f"t{i}" for i in range(jigsaws.COLUMNS - 1)] + ["x_orientation_w"])
    motion = rng.normal(0, 1, (FRAMES, jigsaws.COLUMNS))
    tracks = {f"A_1/{key}": words for key in ("gesture", "primitive_L", "primitive_R")}
    still = rng.normal(0, 0.01, (FRAMES, 6, len(kiel.PLACES))) + np.array([1.0, 0, 0, 0, 0, 0])[:, None]
    packing = np.concatenate([rng.normal(0, 0.01, (FRAMES, 10)) + np.eye(10)[1]])
    actions = "user,box,action,start,end\nP,1,Scan,2022-03-29 14:00:01+00:00,2022-03-29 14:00:02+00:00"
    seeds = {
        "kiel": packed(places=list(kiel.PLACES), calibration_1=still, chairrise=still),
        "openpack": packed(
            **{f"{name}/ms": 1_648_562_400_000 + 40 * np.arange(FRAMES) for name in openpack.PLACES},
            **{f"{name}/motion": packing for name in openpack.PLACES},
            **{"openpack-actions/csv": actions},
        ),
        "pte": packed(**{"s1_e7/u2/test": 9.81 * np.eye(9)[0] + rng.normal(0, 0.01, (FRAMES, 9))}),
        "both": packed(**{"t/reference": labels, "t/estimate": other, "label_names": names}),
        "words": packed(**{"t/reference": words, "t/estimate": np.roll(words, 5)}),
        "alone": packed(t=labels.astype(float), u=other),
        "gestures": packed(
            motion=rng.normal(0, 1, (FRAMES, 3)), label=labels + 1, label_names=["", *names], columns=columns
        ),
        "jigsaws": packed(columns=task_columns, **{"A_1/motion": motion, **tracks}),
        "drinking": packed(**{"S1_1/markers": markers, "S1_1/side": "right", "marker_names": POINTS, "rate_hz": 200.0}),
        "temporal": packed(**{"truth": labels, "hmm/1": other, "hmm/2": labels, "sequence_lengths": [FRAMES]}),
    }

    def case(rng: random.Random, folder: Path) -> Attempts:
        kind = rng.choice(("both", "both", "words", "words", "alone", "gestures", "jigsaws", "drinking", "temporal"))
        kind = rng.choice((kind, kind, "kiel", "openpack", "pte"))
        names = {
            "pte": "pte.npz",
            "gestures": "subject1.npz",
            "jigsaws": f"{jigsaws.TASKS[0]}.npz",
            "drinking": "drinking/drinking.npz",
        }
        path = folder / names.get(kind, "a.npz")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(seeds[kind])
        if rng.random() < 0.03:
            put_in_place_of(rng, path)
        else:
            path.write_bytes(mutated_zip(rng, seeds[kind], mutated_npy))
        sound = folder / "sound.npz"
        sound.write_bytes(seeds["alone"])
        readers: dict[str, Attempts] = {
            "alone": [("evaluate", command("evaluate", path, sound)), ("turned", command("evaluate", sound, path))],
            "gestures": [("gestures", partial(gestures.read_subject, folder))],
            "jigsaws": [("jigsaws", partial(jigsaws.read_task, folder, jigsaws.TASKS[0]))],
            "drinking": [
                ("drinks", lambda: list(drinking.read_drinks(folder))),
                ("trials", partial(drinking_imus.trials, folder)),
                ("imus", partial(drinking_imus.load, folder, "S1_1")),
            ],
            "kiel": [("kiel", partial(kiel.read_person, path))],
            "openpack": [("openpack", partial(openpack.read_session, path))],
            "pte": [("pte", partial(pte.read_recordings, folder))],
            "temporal": [("temporal", partial(best_runs, path))],
        }
        both = [
            ("evaluate", command("evaluate", path)),
            ("json", command("evaluate", path, "--json", "--labels", "any")),
        ]
        return readers.get(kind, both)

    return case
