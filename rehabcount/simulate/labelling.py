"""Reference labels: the labels that annotators would give both arms, from the script alone.

    in   Scene (moves, releases, stretches)
    out  Segments that cover each arm from the first frame to the last

`annotated` puts annotators' mistakes into a track of frames.

Labels are events with onsets: two transports in a row are two segments that touch. What lies between moves is stabilize
or idle; a pause too short for annotators to see belongs to the movement after it. A move that continues the one
before it belongs to that one, or, after a pause that can be seen, to the stillness.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rehabcount.domain.arrays import Floats
from rehabcount.domain.labels import IDLE, OTHER, PRIMITIVES, REACH, REPOSITION, STABILIZE, TRANSPORT
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.simulate.movement import MOTION_RATE_HZ
from rehabcount.simulate.moves import GOES_ON, NamedSpan
from rehabcount.simulate.scene import Scene

SEEN_PAUSE_S = 0.26  # a shorter stillness between two movements is not labelled (annotators step through video)
BORDER_SPREAD_S = 0.03  # annotators agree to about two video frames on a border
TAIL_S = 0.4  # of stillness after the last move
# StrokeRehab's annotators and their expert differ by .021 edits a primitive (Kaku et al. 2022, section 2); with this
# share of names mistaken, an annotated track of ours differs from its script by as much
# (tests/simulate/test_labelling.py).
MISTAKEN = 0.0185
LOOKS_LIKE = {  # what each may be taken for
    IDLE: (STABILIZE, REPOSITION),
    REACH: (TRANSPORT, REPOSITION),
    REPOSITION: (REACH, IDLE),
    STABILIZE: (IDLE, TRANSPORT),
    TRANSPORT: (REACH, STABILIZE),
}


def frames_of(scene: Scene) -> int:
    """How many frames the scene takes."""
    return int(np.ceil((scene.now + TAIL_S) * MOTION_RATE_HZ))


def label(scene: Scene, rng: np.random.Generator) -> tuple[Segment, ...]:
    """The reference: what annotators would say of both arms. Needs no motion, only the script."""
    length_s = frames_of(scene) / MOTION_RATE_HZ
    return tuple(segment for side in Side for segment in label_arm(scene, side, length_s, rng))


def label_arm(scene: Scene, side: Side, length_s: float, rng: np.random.Generator) -> list[Segment]:
    """What this arm does, from the first frame to the last, without gaps."""
    moves = [move for move in scene.moves if move.side is side]
    releases = np.array([at for where, at in scene.releases if where is side])
    jitter = rng.normal(0.0, BORDER_SPREAD_S, len(moves) + 1)
    seen = SEEN_PAUSE_S * np.exp(rng.normal(0.0, 0.15, len(moves) + 1))
    segments: list[Segment] = []
    at, holding = 0.0, False
    for i, move in enumerate(moves):
        if move.label == GOES_ON:
            if segments and move.start_s - at < seen[i]:
                at = max(at, move.end_s)
                segments[-1] = replace(segments[-1], end_s=at)
            continue
        # A movement is seen when it has covered about a hundredth of its way.
        onset = max(at + 0.02, move.start_s + 0.12 * float(move.parts.length_s[0]) + float(jitter[i]))
        at = _rest(segments, side, at, onset, holding, releases, float(seen[i]))
        end = max(onset + 0.05, move.end_s)
        segments.append(Segment(move.label, side, at, end))
        at, holding = end, move.holding
    at = _rest(segments, side, at, length_s, holding, releases, float(seen[-1]))
    if at < length_s and segments:
        segments[-1] = replace(segments[-1], end_s=length_s)
    return _with_other(segments, scene.stretches, side)


def annotated(track: NDArray[np.int16], rng: np.random.Generator) -> NDArray[np.int16]:
    """A frame track of PRIMITIVES' indices as an annotator would have named it: now and then, one for another.

    What touches its like afterwards is one movement, as it is for annotators of frames. Negative frames stay.
    """
    track = track.copy()
    starts = np.concatenate([[0], np.flatnonzero(track[1:] != track[:-1]) + 1])
    mistaken, which = rng.random(len(starts)) < MISTAKEN, rng.integers(2, size=len(starts))
    for start, end, second, wrong in zip(starts, [*starts[1:], len(track)], which, mistaken, strict=True):
        if wrong and track[start] >= 0:
            track[start:end] = PRIMITIVES.index(LOOKS_LIKE[PRIMITIVES.labels[track[start]]][second].name)
    return track


def _rest(
    segments: list[Segment], side: Side, start: float, end: float, holding: bool, releases: Floats, seen: float
) -> float:
    """Append the stillness between two moves: stabilize until the hand lets go, idle afterwards. Returns where it
    ends."""
    let_go = releases[(releases >= start - 0.2) & (releases < end)]
    border = float(let_go[0]) if holding and len(let_go) else (end if holding else start)
    border = max(border, start)
    if border - start >= seen:
        segments.append(Segment(STABILIZE.name, side, start, border))
        start = border
    if end - border >= seen or not segments:
        segments.append(Segment(IDLE.name, side, start, end))
        start = end
    return start


def _with_other(segments: list[Segment], stretches: list[NamedSpan], side: Side) -> list[Segment]:
    """Stretches that are not exercise get one label for all movements in them."""
    spans = sorted((s.start_s, s.end_s) for s in stretches if s.kind in ("other", "calibration"))
    merged: list[list[float]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1] + 1e-9:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    if not merged:
        return segments
    kept: list[Segment] = []
    for segment in segments:
        pieces = [(segment.start_s, segment.end_s)]
        for start, end in merged:
            pieces = [
                piece
                for a, b in pieces
                for piece in ((a, min(b, start)), (max(a, end), b))
                if piece[1] - piece[0] > 1e-9 and not (piece[0] >= start and piece[1] <= end)
            ]
        kept.extend(Segment(segment.label, side, a, b) for a, b in pieces if b - a > 0.04)
    kept.extend(Segment(OTHER.name, side, start, end) for start, end in merged)
    return sorted(kept, key=lambda segment: segment.start_s)
