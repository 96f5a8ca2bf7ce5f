"""Is each sensor where the rig says? Doubts from the calibration movements.

While one arm is bent at the elbow and its forearm turned, its hand and forearm move, its upper arm turns little, and
trunk and other arm rest. Sensors that were swapped, or strapped to another part, break that order:

- hand or forearm rests while a sensor that should rest moves: these two are swapped;
- the upper arm's sensor turns with the forearm more than the forearm's own, or the hand's: swapped;
- the forearm's sensor is shaken more by the bending than the hand's, though it is nearer to the elbow: swapped;
- hand or forearm rests while the rest of its arm moves: it is not on that arm.

The thresholds are wide, because movements of patients are small and mixed, and a false alarm is worse than a missed
one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from rehabcount.domain.arrays import Bools, Floats
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import ACC, GYR, Frames
from rehabcount.domain.rig import BodyPart, Rig, Side

MOVED_RADS = 0.3  # rms angular rate: a slow bending of the elbow has about 0.5
RESTED_RADS = 0.1  # and a resting limb less than this, tremor included
RESTED_SHARE = 0.33  # of what the swapped partner moves
TURNED_SHARE = 1.5  # skin of the forearm lags a third behind its bones: a larger ratio shows a swap
SHAKEN_MS2 = 0.12  # below, noise and sway decide
SHAKEN_SHARE = 1.3
FEWEST_FRAMES = 100
ARM = (BodyPart.HAND, BodyPart.FOREARM, BodyPart.UPPER_ARM)


@dataclass(frozen=True, slots=True)
class Misplaced:
    """Sensors that are probably not where the rig says, and what to do."""

    sensors: tuple[str, ...]
    advice: Message


def doubts(frames: Frames, rig: Rig, side: Side, bending: slice, turning: slice) -> tuple[Misplaced, ...]:
    """Contradictions between the movements of one arm and the rig. The slices are frames of the two movements."""
    bent, turned = _rates(frames, bending), _rates(frames, turning)
    moved = np.fmax(bent, turned)
    kept: list[Misplaced] = []
    for doubt in (
        *_replaced(rig, side, moved),
        *_turning(rig, side, turned),
        *_resting(rig, side, moved),
        *_shaken(rig, side, _shaking(frames, bending)),
    ):
        # A sensor in the wrong place makes others look wrong, too: only the clearest contradiction is reported.
        if not {name for each in kept for name in each.sensors} & set(doubt.sensors):
            kept.append(doubt)
    return tuple(kept)


def _replaced(rig: Rig, side: Side, moved: Floats) -> Iterator[Misplaced]:
    """Hands and forearms that rest while something else moves."""
    others = [i for i, each in enumerate(rig.sensors) if each.place is not None and each.place.side is not side]
    for partner in sorted(others, key=lambda j: -_known(moved[j])):
        for i in _on(rig, side, BodyPart.HAND) + _on(rig, side, BodyPart.FOREARM):
            if moved[partner] > MOVED_RADS and moved[i] < RESTED_SHARE * moved[partner]:
                yield _swapped(rig, i, partner, Code.SWAPPED_MOVED)


def _resting(rig: Rig, side: Side, moved: Floats) -> Iterator[Misplaced]:
    """Hands and forearms that rest while their arm moves."""
    arm = [i for part in ARM for i in _on(rig, side, part)]
    for i in _on(rig, side, BodyPart.HAND) + _on(rig, side, BodyPart.FOREARM):
        if moved[i] < RESTED_RADS and max(_known(moved[j]) for j in arm) > MOVED_RADS:
            name = rig.sensors[i].name
            yield Misplaced((name,), Message.of(Code.MOVED_WITHOUT, sensor=name))


def _turning(rig: Rig, side: Side, turned: Floats) -> Iterator[Misplaced]:
    """Upper arms that turn with the forearm, more than forearm or hand do."""
    lower = _on(rig, side, BodyPart.FOREARM) + _on(rig, side, BodyPart.HAND)
    for upper, other in product(_on(rig, side, BodyPart.UPPER_ARM), lower):
        if turned[upper] > MOVED_RADS and turned[upper] > TURNED_SHARE * turned[other]:
            yield _swapped(rig, upper, other, Code.SWAPPED_TURNED)


def _shaken(rig: Rig, side: Side, shaken: Floats) -> Iterator[Misplaced]:
    """Forearms that swing like hands."""
    for fore, hand in product(_on(rig, side, BodyPart.FOREARM), _on(rig, side, BodyPart.HAND)):
        if shaken[fore] > SHAKEN_MS2 and shaken[fore] > SHAKEN_SHARE * shaken[hand]:
            yield _swapped(rig, fore, hand, Code.SWAPPED_SHAKEN)


def _swapped(rig: Rig, one: int, other: int, code: Code) -> Misplaced:
    names = rig.sensors[one].name, rig.sensors[other].name
    return Misplaced(names, Message.of(code, one=names[0], other=names[1]))


def _on(rig: Rig, side: Side, part: BodyPart) -> list[int]:
    return [
        i
        for i, each in enumerate(rig.sensors)
        if each.place is not None and each.place.side is side and each.place.part is part
    ]


def _known(value: Any) -> float:
    return float(value) if np.isfinite(value) else 0.0


def _rates(frames: Frames, span: slice) -> Floats:
    """RMS angular rate of each sensor (rad/s); NaN where too little is valid."""
    return _rms(frames.values[span, :, GYR], frames.valid[span])


def _shaking(frames: Frames, span: slice) -> Floats:
    """How much the length of the acceleration varies (m/s2): rotation alone does not change it, translation does."""
    length = np.linalg.norm(frames.values[span, :, ACC], axis=2)
    length = np.where(frames.valid[span], length, np.nan)
    known = np.isfinite(length).any(axis=0)  # a sensor without an accelerometer is valid, but has no acceleration
    usual = np.zeros(length.shape[1])
    usual[known] = np.nanmedian(length[:, known], axis=0)
    return _rms((length - usual)[:, :, None], frames.valid[span])


def _rms(values: Floats, valid: Bools) -> Floats:
    """Over the valid frames of each sensor; values (n, sensors, axes)."""
    squares = np.where(valid, np.sum(values**2, axis=2), 0.0)
    number = valid.sum(axis=0)
    return np.where(number >= FEWEST_FRAMES, np.sqrt(squares.sum(axis=0) / np.maximum(number, 1)), np.nan)
