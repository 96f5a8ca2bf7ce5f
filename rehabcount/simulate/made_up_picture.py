"""A picture of exercises that are made up: for several, the body, the way of the hand, its speed, and the labels.

    draw_made_up(path, seed)     .png

Needs matplotlib (extra `bench`), by `simulate/drawing.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.labels import PRODUCT
from rehabcount.domain.rig import BodyPart, Side
from rehabcount.domain.sequence import Segment
from rehabcount.signals import rotation
from rehabcount.simulate.body import Body, Pose, move_body
from rehabcount.simulate.cohort import make_cohort
from rehabcount.simulate.drawing import COLOURS, INK, PALE, pyplot
from rehabcount.simulate.made_up import stage_made_up
from rehabcount.simulate.motion import perform
from rehabcount.simulate.movement import MOTION_RATE_HZ

SHOWN = ("out and back", "carry", "to the body", "wipe", "touch", "turn", "lift", "hand over")  # one row each
SHOWN_S = 22.0
TITLE = "Simulated: exercises that are made up, with their labels"


@dataclass(frozen=True, slots=True)
class _Shown:
    """One task of one recording, from `start` to `stop` (frames)."""

    title: str
    body: Body
    pose: Pose
    side: Side
    segments: tuple[Segment, ...]
    start: int
    stop: int


def draw_made_up(path: Path, seed: int = 0) -> None:
    """One task of each kind in SHOWN, each of another person."""
    plt = pyplot()
    tasks = list(_found(seed))
    figure, axes = plt.subplots(
        len(tasks), 2, figsize=(10.5, 1.75 * len(tasks) + 0.6), width_ratios=(1, 4), dpi=100, facecolor="white"
    )
    for (left, right), task in zip(axes, tasks, strict=True):
        _body(left, task)
        _speed(right, task)
    axes[-1][1].set_xlabel("s", color=INK)
    handles = [plt.Rectangle((0, 0), 1, 1, color=COLOURS[name], alpha=0.75) for name in PRODUCT.names]
    figure.legend(handles, PRODUCT.names, loc="upper right", ncol=len(handles), frameon=False, fontsize=8)
    figure.suptitle(TITLE, x=0.01, ha="left", fontsize=11, color=INK)
    figure.tight_layout(rect=(0, 0, 1, 0.985))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)


def _found(seed: int) -> Iterator[_Shown]:
    """The first task of each kind, going through people."""
    cohort = make_cohort(seed)
    wanted = list(SHOWN)
    for number, subject in enumerate(cohort[1::3] + cohort[2::3], 1):
        stage = stage_made_up(subject, number, seed)
        spans = [span for span in stage.stretches if span.kind == "activity"]
        kind = next((name for name in wanted for span in spans if span.name.startswith(name)), None)
        if kind is None:
            continue
        wanted.remove(kind)
        name = next(span.name for span in spans if span.name.startswith(kind))
        mine = [span for span in spans if span.name == name]
        motion = perform(stage)
        still = motion.channels.copy()
        still[:, :4] = 0.0  # seen from the hips
        pose = move_body(subject.body, still)
        begin, end = mine[0].start_s, min(mine[-1].end_s, mine[0].start_s + SHOWN_S)
        start, stop = (int(at * MOTION_RATE_HZ) for at in (begin, end))
        side = max(Side, key=lambda each: float(np.ptp(pose.origin[BodyPart.HAND, each][start:stop], axis=0).sum()))
        segments = tuple(segment for segment in motion.segments if segment.side is side)
        title = f"{kind}\n{subject.name}, score {subject.score}" if not subject.healthy else f"{kind}\n{subject.name}"
        yield _Shown(title, subject.body, pose, side, segments, start, stop)
        if not wanted:
            return


def _body(axes: Any, task: _Shown) -> None:
    """From the side: trunk and arm now and then, the way of the wrist in the colours of its labels."""
    pose, side = task.pose, task.side
    for i in range(task.start, task.stop, max(1, (task.stop - task.start) // 9)):
        joints = [np.zeros(3), pose.origin[BodyPart.LUMBAR, None][i], pose.origin[BodyPart.THORAX, None][i]]
        joints += [pose.origin[part, side][i] for part in (BodyPart.UPPER_ARM, BodyPart.FOREARM, BodyPart.HAND)]
        hand = pose.orientation[BodyPart.HAND, side][i]
        joints.append(joints[-1] + rotation.rotate(hand, [0.0, -1.6 * task.body.hand, 0.0]))
        axes.plot(*np.array(joints)[:, :2].T, color=PALE, lw=1.2, zorder=1)
    for segment, way in _pieces(task, pose.origin[BodyPart.HAND, side]):
        axes.plot(way[:, 0], way[:, 1], color=COLOURS[segment.label], lw=1.6, zorder=3)
    axes.set_aspect("equal", adjustable="datalim")
    axes.axis("off")
    axes.set_title(task.title, fontsize=8, color=INK, loc="left")


def _speed(axes: Any, task: _Shown) -> None:
    wrist = task.pose.origin[BodyPart.HAND, task.side]
    speed = np.linalg.norm(np.gradient(wrist, axis=0), axis=1) * MOTION_RATE_HZ
    time_s = (np.arange(task.start, task.stop) - task.start) / MOTION_RATE_HZ
    for segment in task.segments:
        begin, end = (at - task.start / MOTION_RATE_HZ for at in (segment.start_s, segment.end_s))
        if end > 0 and begin < time_s[-1]:
            axes.axvspan(max(begin, 0.0), min(end, time_s[-1]), color=COLOURS[segment.label], alpha=0.45, lw=0)
            axes.axvline(max(begin, 0.0), color="white", lw=0.8)
    axes.plot(time_s, speed[task.start : task.stop], color=INK, lw=0.9)
    axes.set_xlim(0.0, SHOWN_S)
    axes.set_ylim(0.0, max(1.0, 1.05 * float(speed[task.start : task.stop].max())))
    axes.set_ylabel("m/s", fontsize=8, color=INK)
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)


def _pieces(task: _Shown, wrist: Floats) -> Iterator[tuple[Segment, Floats]]:
    for segment in task.segments:
        begin, end = (int(at * MOTION_RATE_HZ) for at in (segment.start_s, segment.end_s))
        begin, end = max(begin, task.start), min(end + 1, task.stop)
        if end - begin > 2:
            yield segment, wrist[begin:end:4]
