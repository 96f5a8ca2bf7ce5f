"""Recordings of worn sensors through the product's own walk, as a session would go: packets, frames, rows, movements.

In: a WornRecording with its calibration, which of its sensors are used, the counted arm, a model. Out: the movements
with start and end, and the task repetitions.

A recording is a session of its own from its first sample to its last. A shipped model or an artifact goes through
`engine.session`; of a checkpoint, which the engine cannot run, the rows of the same chain go through its network and
decoder. Its movements are tallied without a belief: every run of handling is a task repetition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from rehabcount.datasets.worn import WornRecording
from rehabcount.domain.calibration import Calibration
from rehabcount.domain.dose import Dose, Plan
from rehabcount.domain.labels import PRIMITIVES
from rehabcount.domain.motion import Frames, Packet, Rows, Samples
from rehabcount.domain.rig import Place, Rig, Sensor, Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event
from rehabcount.engine import walk
from rehabcount.engine.session import SessionSettings, updates
from rehabcount.engine.tally import Tally
from rehabcount.inference.artifact import SHIPPED, find, open_model
from rehabcount.sensors.encode import encode
from rehabcount.signals.calibration import mount_all
from rehabcount.signals.features import BEDSIDE, featurize_all

LAYOUT = "sample"
COUNTED = frozenset(label.name for label in PRIMITIVES.labels if label.counted)


@dataclass(frozen=True, slots=True)
class WalkCount:
    """What the walk found in one recording, for one arm."""

    moves: tuple[Segment, ...]
    tasks: int

    @property
    def counted(self) -> tuple[Segment, ...]:
        """Without idle and other."""
        return tuple(move for move in self.moves if move.label in COUNTED)

    @property
    def active_s(self) -> float:
        return float(sum(move.length_s for move in self.counted))


Counting = Callable[[WornRecording, Side], WalkCount]


def wearing(recording: WornRecording, places: Sequence[Place]) -> WornRecording:
    """The recording with these sensors only."""
    at = [recording.places.index(place) for place in places]
    mountings = tuple(m for m in recording.calibration.mountings if m.place in places)
    return replace(
        recording,
        places=tuple(places),
        motion=recording.motion[:, at],
        calibration=Calibration(mountings, recording.calibration.quality, recording.calibration.verdict),
    )


def counting_of(model: str) -> tuple[Counting, str]:
    """A shipped model by name, an artifact's folder, or a checkpoint.pt; and what it is called."""
    if Path(model).suffix == ".pt":
        return _of_checkpoint(Path(model))
    opened = open_model(find(model, [SHIPPED]).folder)

    def count(recording: WornRecording, side: Side) -> WalkCount:
        rig = rig_of(recording)
        settings = SessionSettings(rig, side, calibration=recording.calibration, both_arms=False)
        found = list(updates(packets_of(recording, rig), settings, opened))
        moves = tuple(each.segment for each in found if isinstance(each, Event))
        return WalkCount(moves, [each for each in found if isinstance(each, Dose)][-1].repetitions)

    return count, f"{opened.card.name} {opened.card.version}"


def rig_of(recording: WornRecording) -> Rig:
    sensors = tuple(Sensor(place.value, place, LAYOUT, recording.rate_hz) for place in recording.places)
    return Rig("worn", sensors)


def packets_of(recording: WornRecording, rig: Rig) -> list[Packet]:
    """Lost samples are left out; each packet is received when its last sample is measured."""
    packets = list[Packet]()
    at_us = np.rint(np.arange(len(recording.motion)) * (1e6 / recording.rate_hz)).astype(np.int64)
    for sensor, name in enumerate(rig.names):
        there = np.isfinite(recording.motion[:, sensor]).all(axis=1)
        mine, tick = recording.motion[there, sensor], at_us[there]
        packets += encode(Samples(name, tick * 1000, tick, mine[:, :3], mine[:, 3:]), LAYOUT)
    return sorted(packets, key=lambda packet: packet.received_ns)


def frames_of(recording: WornRecording) -> Frames:
    """The whole recording in body-part axes."""
    rig = rig_of(recording)
    return mount_all(walk.frames_all(packets_of(recording, rig), rig), rig, recording.calibration)


def rows_of(recording: WornRecording, side: Side) -> Rows:
    """Its feature rows of one arm."""
    return arms_rows(recording)[side]


def arms_rows(recording: WornRecording) -> dict[Side, Rows]:
    """Feature rows of either arm, from the same frames."""
    frames, rig = frames_of(recording), rig_of(recording)
    return {side: featurize_all(frames, rig, BEDSIDE, side, recording.calibration) for side in Side}


def _of_checkpoint(path: Path) -> tuple[Counting, str]:
    from rehabcount.models import card_scores
    from rehabcount.models.torch_extra import require_torch

    require_torch()
    from rehabcount.models.trained import load_trained

    recognise, labels = card_scores.checkpoint_recogniser(path), load_trained(path).about["data"]["labels"]

    def count(recording: WornRecording, side: Side) -> WalkCount:
        rows = rows_of(recording, side)
        found = recognise(rows.values.astype(np.float32), rows.valid)
        starts = [*(start_s for _, start_s in found), len(rows) / 100.0]
        moves = tuple(
            Segment(labels[label], side, start_s, end_s)
            for (label, _), (start_s, end_s) in zip(found, pairwise(starts), strict=True)
            if end_s > start_s
        )
        tally = Tally(Plan(), side)
        for number, move in enumerate(moves, 1):
            tally.count(Event(number, move, 1.0))
        return WalkCount(moves, tally.dose().repetitions)

    return count, path.parent.name
