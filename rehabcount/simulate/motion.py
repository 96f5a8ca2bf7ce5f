"""From a scene to motion: channels every 5 ms, with planned movement, sway, tremor and recoil.

in   Scene (moves, wiggles, traces)
out  Motion: channels for `body.move_body`, with the labels of `labelling`
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from scipy import signal

from rehabcount.domain.arrays import Floats, frozen
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.simulate.body import ARM, CHANNELS, TRUNK, WRIST, shoulder_at
from rehabcount.simulate.labelling import frames_of, label
from rehabcount.simulate.movement import MOTION_RATE_HZ, minimum_jerk, progress, ringing, rumble
from rehabcount.simulate.moves import Move, NamedSpan, Wiggle
from rehabcount.simulate.scene import Scene

# Involuntary movement of a healthy arm; metres and radians, standard deviations. Fitted to the real drinks (healthy
# 01-09).
SWAY_M, SWAY_RAD = 0.0021, 0.017  # below 1.2 Hz, while the arm holds itself up
ROUGH_M, ROUGH_RAD, ROUGH_SWIVEL = 0.0007, 0.017, 0.004  # 1.5-5 Hz, at 0.5 m/s
FINE_M, FINE_RAD = 0.00003, 0.0004  # 7-13 Hz: physiological tremor; the recordings say nothing about it
TRUNK_SWAY, TRUNK_ROUGH, BREATH = 0.0055, 0.00005, 0.006
RECOIL = (0.003, 0.014, 0.003)  # of the trunk, per m/s2 of a wrist: sideways, about the vertical, forward


@dataclass(frozen=True, slots=True)
class Motion:
    """Channels at MOTION_RATE_HZ, what they mean, and when."""

    channels: Floats  # (n, CHANNELS)
    segments: tuple[Segment, ...]
    stretches: tuple[NamedSpan, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "channels", frozen(self.channels))

    @property
    def length_s(self) -> float:
        return len(self.channels) / MOTION_RATE_HZ


def perform(scene: Scene) -> Motion:
    """The motion of the scene."""
    noise, annotators = scene.rng.spawn(2)
    n = frames_of(scene)
    channels = _planned(scene, n)
    effort = {side: _effort(scene, side, n) for side in Side}
    recoil = _recoil(channels)  # of planned movement: the rest is too small to move the trunk
    for side in Side:
        arm = channels[:, ARM[side]]
        _disturb(scene, side, arm, effort[side], noise)
    _sway_trunk(scene, channels, recoil, noise)
    for wiggle in scene.wiggles:
        _add_wiggle(channels, wiggle, noise)
    for trace in scene.traces:
        start = int(trace.start_s * MOTION_RATE_HZ)
        part = trace.values[: len(channels) - start]
        channels[start : start + len(part), slice(0, 13) if trace.side is None else ARM[trace.side]] += part
    scene.follow(channels)
    return Motion(channels, label(scene, annotators), tuple(scene.stretches))


def _planned(scene: Scene, n: int) -> Floats:
    steps = np.zeros((n, CHANNELS))  # increments; a sum at the end makes positions that stay where they were put
    bumps = np.zeros((n, CHANNELS))
    first = _first_postures(scene)
    for side in Side:
        steps[0, ARM[side]] = first[side]
    for move in scene.moves:
        _add_move(steps, bumps, move)
    return np.cumsum(steps, axis=0) + bumps


def _first_postures(scene: Scene) -> dict[Side, Floats]:
    first = {side: scene.hands[side].posture for side in Side}
    for move in reversed(scene.moves):
        first[move.side] = move.origin
    return first


def _add_move(steps: Floats, bumps: Floats, move: Move) -> None:
    n = len(steps)
    lead = max(0.0, move.trunk_lead_s)
    start = max(0, int((move.start_s - lead) * MOTION_RATE_HZ))
    length = move.parts.end_s
    stop = min(n, int((move.start_s + 1.25 * length + 0.1) * MOTION_RATE_HZ) + 2)
    if stop - start < 2:
        return
    time_s = np.arange(start, stop) / MOTION_RATE_HZ - move.start_s
    each = progress(time_s, move.parts)  # (t, submovements)
    way = each @ move.parts.weight
    arm = ARM[move.side]
    change = move.goal - move.origin
    path = way[:, None] * change
    turn = minimum_jerk((time_s - 0.08 * length) / (0.92 * length))
    path[:, 3] = minimum_jerk(time_s / (0.95 * length)) * change[3]
    path[:, 4:7] = turn[:, None] * change[4:7]
    steps[start + 1 : stop, arm] += np.diff(path, axis=0)
    hump = 4.0 * way * (1.0 - way)
    bumps[start:stop, arm][:, WRIST] += hump[:, None] * move.hump
    if len(move.parts.weight) > 1:
        bumps[start:stop, arm][:, WRIST] += each @ move.wander  # the errors of all submovements add up to none
    trunk_change = move.trunk_goal - move.trunk_origin
    if np.any(trunk_change):
        lean = minimum_jerk((time_s + move.trunk_lead_s) / (1.05 * length))
        steps[start + 1 : stop, TRUNK] += np.diff(lean)[:, None] * trunk_change


def _effort(scene: Scene, side: Side, n: int) -> Floats:
    """How hard the arm works: 0 resting on something, about a half while it holds itself up, 1 while it moves."""
    level = np.full(n, 0.0)
    moves = [move for move in scene.moves if move.side is side]
    for move, after in zip_longest(moves, moves[1:]):
        start, stop = int(move.start_s * MOTION_RATE_HZ), int((move.start_s + move.parts.end_s) * MOTION_RATE_HZ)
        until = int(after.start_s * MOTION_RATE_HZ) if after else n
        level[start:stop] = 1.0
        level[stop:until] = 0.05 if move.supported else 0.45 + 0.15 * min(move.load_kg, 1.5)
    return _eased(level, 0.12)


def _sag(scene: Scene, side: Side, n: int) -> Floats:
    """How far (m) a weak arm lets a held object sink while it should keep it still: a few centimetres a kilogram."""
    depth = np.zeros(n)
    moves = [move for move in scene.moves if move.side is side]
    for move, after in zip_longest(moves, moves[1:]):
        if move.holding and not move.supported:
            start = int((move.start_s + move.parts.end_s) * MOTION_RATE_HZ)
            until = int(after.start_s * MOTION_RATE_HZ) if after else n
            depth[start:until] = 0.04 * scene.arms[side].weakness * min(move.load_kg, 1.0)
    return _eased(_eased(depth, 0.6), 0.1)


def _eased(values: Floats, time_s: float) -> Floats:
    """Values that follow with a lag."""
    keep = np.exp(-1.0 / (time_s * MOTION_RATE_HZ))
    return signal.lfilter([1 - keep], [1, -keep], values)


def _disturb(scene: Scene, side: Side, arm: Floats, effort: Floats, rng: np.random.Generator) -> None:
    """Sway, unsteadiness, tremor, clonus, catch and the ringing of contacts; changes `arm` in place."""
    n, traits = len(arm), scene.arms[side]
    speed = np.gradient(arm[:, WRIST], axis=0) * MOTION_RATE_HZ
    pace = np.sqrt(np.sum(speed * speed, axis=1))
    pace = _eased(pace, 0.05)
    _catch(scene, side, arm)
    arm[:, 1] -= _sag(scene, side, n)
    sway = rumble(n, 6, (0.12, 1.2), rng) * (traits.sway * (0.06 + 0.94 * effort))[:, None]
    rough = rumble(n, 6, (1.5, 5.0), rng) * (traits.unsteadiness * (pace / 0.5 + 0.03 * effort))[:, None]
    fine = rumble(n, 6, (7.0, 13.0), rng) * (0.05 + 0.5 * effort + pace / 0.5)[:, None]
    shake = rumble(n, 2, (traits.tremor_hz - 0.5, traits.tremor_hz + 0.5), rng)
    shake *= (traits.tremor_rad * (0.05 + effort))[:, None]
    arm[:, WRIST] += SWAY_M * sway[:, :3] + ROUGH_M * rough[:, :3] + FINE_M * fine[:, :3]
    arm[:, 4:7] += SWAY_RAD * sway[:, 3:] + ROUGH_RAD * rough[:, 3:] + FINE_RAD * fine[:, 3:]
    arm[:, 3] += 0.8 * SWAY_RAD * sway[:, 0] + ROUGH_SWIVEL * rough[:, 1]
    arm[:, 5] += shake[:, 0]
    arm[:, 4] += 0.7 * shake[:, 1]
    arm[:, 1] += 0.22 * shake[:, 0]
    moves = [move for move in scene.moves if move.side is side]
    for move in moves:
        touch = int((move.start_s + move.parts.end_s) * MOTION_RATE_HZ)
        if move.contact > 0 and touch < n:
            _ring(arm, touch, move.contact, rng)
        if traits.clonus and rng.random() < traits.clonus * move.parts.weight[0]:
            _burst(arm, touch, rng)


def _catch(scene: Scene, side: Side, arm: Floats) -> None:
    """Velocity-dependent resistance: stretching the elbow quickly pulls the hand back for a moment."""
    traits = scene.arms[side]
    if traits.spasticity <= 0:
        return
    socket = shoulder_at(scene.body, np.zeros(9), Side.RIGHT)
    line = arm[:, WRIST] - socket
    distance = np.sqrt(np.sum(line * line, axis=1))
    stretch = np.maximum(np.gradient(distance) * MOTION_RATE_HZ - 0.12, 0.0)
    smooth = np.exp(-1.0 / (0.10 * MOTION_RATE_HZ))
    pull = signal.lfilter([(1 - smooth) ** 2], [1, -2 * smooth, smooth**2], stretch) * traits.spasticity * 0.4
    arm[:, WRIST] -= (np.minimum(pull, 0.05) / distance)[:, None] * line


def _ring(arm: Floats, at: int, strength: float, rng: np.random.Generator) -> None:
    shape = ringing(float(rng.uniform(11.0, 24.0)), float(rng.uniform(0.02, 0.05)))
    shape = shape[: len(arm) - at] * min(strength, 3.0)
    arm[at : at + len(shape), 1] += 0.00025 * shape
    arm[at : at + len(shape), 0] += 0.00015 * rng.normal() * shape
    arm[at : at + len(shape), 5] += 0.0018 * rng.normal() * shape


def _burst(arm: Floats, at: int, rng: np.random.Generator) -> None:
    """Clonus: a second or so of beats at 5-7 Hz."""
    length = int(rng.uniform(0.4, 1.4) * MOTION_RATE_HZ)
    time_s = np.arange(max(0, min(length, len(arm) - at))) / MOTION_RATE_HZ
    if len(time_s) < 3:
        return
    beats = np.sin(2 * np.pi * rng.uniform(5.0, 7.0) * time_s) * np.hanning(len(time_s)) * rng.uniform(0.01, 0.04)
    arm[at : at + len(time_s), 5] += beats
    arm[at : at + len(time_s), 1] += 0.15 * beats


def _sway_trunk(scene: Scene, channels: Floats, recoil: Floats, rng: np.random.Generator) -> None:
    n = len(channels)
    time_s = np.arange(n) / MOTION_RATE_HZ
    worst, shaky = (max(getattr(arm, name) for arm in scene.arms.values()) for name in ("sway", "unsteadiness"))
    sway = rumble(n, 9, (0.06, 0.5), rng) * (0.6 + 0.4 * worst)
    rough = rumble(n, 9, (1.0, 4.0), rng)
    channels[:, TRUNK] += TRUNK_SWAY * sway + TRUNK_ROUGH * rough + shaky * recoil
    breath = np.sin(2 * np.pi * rng.uniform(0.2, 0.32) * time_s + rng.uniform(0, 6.28) + 0.4 * sway[:, 0])
    channels[:, TRUNK][:, 8] += BREATH * breath


def _recoil(channels: Floats) -> Floats:
    """The trunk recoils when the arms accelerate."""
    push = np.zeros((len(channels), 3))
    for side in Side:
        wrist = channels[:, ARM[side]][:, WRIST]
        force = np.gradient(np.gradient(wrist, axis=0), axis=0) * MOTION_RATE_HZ**2
        outwards = 1.0 if side is Side.RIGHT else -1.0
        push += np.stack([-outwards * force[:, 2], -outwards * force[:, 0], force[:, 0] - 0.5 * force[:, 1]], axis=1)
    smooth = np.exp(-1.0 / (0.15 * MOTION_RATE_HZ))
    push = signal.lfilter([(1 - smooth) ** 2], [1, -2 * smooth, smooth**2], push, axis=0)
    return (np.array([0.0, 0.15, 0.85])[:, None] * push[:, None] * np.array(RECOIL)).reshape(len(channels), 9)


def _add_wiggle(channels: Floats, wiggle: Wiggle, rng: np.random.Generator) -> None:
    start = int(wiggle.start_s * MOTION_RATE_HZ)
    stop = min(len(channels), int(wiggle.end_s * MOTION_RATE_HZ))
    count = stop - start
    if count < 4:
        return
    time_s = np.arange(count) / MOTION_RATE_HZ
    unrest = rumble(count, 2, (0.0, 0.8), rng)
    phase = 2 * np.pi * wiggle.frequency_hz * time_s + wiggle.phase + 2.5 * wiggle.irregularity * unrest[:, 0]
    ease = minimum_jerk(time_s / 0.35) * minimum_jerk((time_s[-1] - time_s) / 0.35)
    wave = ease * np.sin(phase) * np.exp(wiggle.irregularity * unrest[:, 1])
    where = slice(0, 13) if wiggle.side is None else ARM[wiggle.side]
    channels[start:stop, where] += wave[:, None] * wiggle.amplitude
