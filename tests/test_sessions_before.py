"""Sessions that version 0.1.0 recorded are read today, and their replays say what that version's replays said.

tests/sessions_before/ holds three sessions and, as lines of JSON, the updates of their replays by 0.1.0 with the model
`stream` 1.5: a live one over a virtual radio with a sensor that dies and all words of a therapist, a demo with its
calibration in the record, and one with every kind of document. All are simulated.

Everything must be the same to the letter but confidences and angles: their last digits may differ between
processors.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from rehabcount.domain.document import to_document
from rehabcount.domain.dose import Plan
from rehabcount.domain.update import Believing
from rehabcount.engine.session import SessionSettings, updates
from rehabcount.inference.artifact import SHIPPED, find, open_model
from rehabcount.store.documents import CALIBRATION, PLAN
from rehabcount.store.session_file import SessionFile
from rehabcount.store.trained_arm import side_of

FOLDER = Path(__file__).parent / "sessions_before"
NAMES = sorted(path.name.removesuffix(".rehab.xz") for path in FOLDER.glob("*.rehab.xz"))
DIGITS = 1e-4  # of those
ROUGH = ("confidence", "quality", "quat", "heading_rad", "carrying_rad")


def unpacked(name: str, folder: Path) -> Path:
    path = folder / f"{name}.rehab"
    path.write_bytes(lzma.decompress((FOLDER / f"{name}.rehab.xz").read_bytes()))
    return path


def said_by_0_1(name: str) -> list[dict[str, Any]]:
    text = lzma.decompress((FOLDER / f"{name}.jsonl.xz").read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()]


def separated(value: Any) -> tuple[Any, list[float]]:
    """(all that is exact, the rough numbers)."""
    if isinstance(value, dict):
        rough: list[float] = []
        exact = {}
        for key, each in value.items():
            if key in ROUGH and not isinstance(each, dict | str):
                rough += each if isinstance(each, list) else [float(each)]
            else:
                exact[key], more = separated(each)
                rough += more
        return exact, rough
    if isinstance(value, list):
        parts = [separated(each) for each in value]
        return [part[0] for part in parts], [number for part in parts for number in part[1]]
    return value, []


def test_there_are_three() -> None:
    assert NAMES == ["demo-one", "everything-two", "live-three"]


@pytest.mark.parametrize("name", NAMES)
def test_a_replay_says_what_it_said_then(name: str, tmp_path: Path) -> None:
    model = open_model(find("stream-1.5", [SHIPPED]).folder)
    with SessionFile.open(unpacked(name, tmp_path)) as file:
        plan = file.document(PLAN) or Plan()
        settings = SessionSettings(file.rig, side_of(file), plan, file.document(CALIBRATION), believe=False)
        said = [
            {"kind": type(each).__name__, "content": to_document(each)}
            for each in updates(file.items(), settings, model)
        ]
    now = [separated(json.loads(json.dumps(each, sort_keys=True))) for each in said]
    then = [separated(each) for each in said_by_0_1(name)]
    assert [exact for exact, _ in now] == [exact for exact, _ in then]
    for (_, here), (_, there) in zip(now, then, strict=True):
        assert here == pytest.approx(there, abs=DIGITS)


@pytest.mark.parametrize("name", NAMES)
def test_task_repetitions_are_all_that_differs_today(name: str, tmp_path: Path) -> None:
    """Since then repetitions are believed (`engine/believed.py`): only their number in the doses may differ."""
    model = open_model(find("stream-1.5", [SHIPPED]).folder)
    with SessionFile.open(unpacked(name, tmp_path)) as file:
        plan = file.document(PLAN) or Plan()
        settings = SessionSettings(file.rig, side_of(file), plan, file.document(CALIBRATION))
        first, *said = updates(file.items(), settings, model)
    assert isinstance(first, Believing)
    now = [(type(each).__name__, separated(to_document(each))[0]) for each in said]
    then = [(each["kind"], separated(each["content"])[0]) for each in said_by_0_1(name)]
    if len(now) == len(then) + 1:  # what waited for the next movement was decided at the end
        assert now.pop()[0] == "Dose"
    assert [kind for kind, _ in now] == [kind for kind, _ in then]
    for (kind, here), (_, there) in zip(now, then, strict=True):
        if kind == "Dose":
            here, there = (
                {**dose, "repetitions": 0, "assisted_repetitions": 0, "activities": []} for dose in (here, there)
            )
        assert json.loads(json.dumps(here)) == there
