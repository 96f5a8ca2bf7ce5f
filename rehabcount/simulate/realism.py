"""Measures of one drink, by one function for real and simulated people alike.

    in   ArmMotion: wrist, thorax, upper arm and forearm every 5 ms, from marker clusters or from the simulated body
    out  measure_drink(): durations, peak speeds, submovements, smoothness, trunk lean, spectra;  imu_windows():
    features
         of virtual sensors on the three clusters

Orientations count from the pose at rest, so that it does not matter how a cluster was glued on. Smoothness is the
spectral arc length of the speed profile (Balasubramanian et al., 2015).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import signal

from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import GRAVITY_M_S2
from rehabcount.domain.rig import BodyPart, Side
from rehabcount.signals import rotation
from rehabcount.simulate.body import Body, Pose, mirrored, mirrored_turn
from rehabcount.simulate.imu import axial_turn
from rehabcount.simulate.movement import MOTION_RATE_HZ

CLUSTERS = ("thorax", "upper arm", "forearm")
# All recordings but subject 01's were smoothed by their authors, steeply from about 4 Hz; simulated markers get the
# same.
RECORDED_HZ, RECORDED_ORDER = 4.0, 3
SMOOTHING_HZ = 8.0  # of everything, before differentiation
SKIN_SHARE = {"upper arm": 0.9, "forearm": 0.65}  # of axial rotation; from how little the real clusters turn
CHEST_SKIN = 0.09  # share of the upper arm's turn that skin passes on to a cluster on the chest
SENSOR_NOISE = (0.03, 0.004)  # of virtual sensors: m/s2, rad/s
BANDS_HZ = ((0.5, 1.0), (1.0, 2.0), (2.0, 4.0))
MARKER_NOISE_M = 0.0001  # of simulated markers, before smoothing: the floor of subject 01's


@dataclass(frozen=True, slots=True)
class ArmMotion:
    """One arm seen by markers, as a right arm in room axes (left ones mirrored); metres, MOTION_RATE_HZ."""

    wrist: Floats  # (n, 3)
    place: dict[str, Floats]  # cluster -> (n, 3)
    turn: dict[str, Floats]  # cluster -> (n, 4), against the pose at rest


def markers_of(body: Body, pose: Pose, side: Side, rng: np.random.Generator) -> ArmMotion:
    """What cameras would see of the simulated arm: clusters where the recordings have them, with marker noise."""
    spots = {
        "thorax": (BodyPart.THORAX, None, np.array([0.09, 0.8 * body.thorax, 0.0])),
        "upper arm": (BodyPart.UPPER_ARM, side, np.array([0.0, -0.55 * body.upper_arm, 0.05])),
        "forearm": (BodyPart.FOREARM, side, np.array([0.0, -0.42 * body.forearm, 0.04])),
    }
    place, turn = {}, {}
    for name, (part, which, offset) in spots.items():
        spot = offset if side is Side.RIGHT else mirrored(offset)
        quat = pose.orientation[part, which]
        if which is not None:  # clusters sit on skin, which follows a turn of the bone only in part
            quat = rotation.multiply(quat, _lag(axial_turn(pose, part, which), SKIN_SHARE[name]))
        else:  # and the skin of the chest is drawn along by the arm
            lift = pose.shoulder[side]
            pulled = CHEST_SKIN * rotation.logarithm(rotation.multiply(lift, rotation.conjugate(lift[0])))
            quat = rotation.multiply(quat, rotation.exponential(pulled))
        point = pose.origin[part, which] + rotation.rotate(quat, spot)
        if side is Side.LEFT:
            quat, point = mirrored_turn(quat), mirrored(point)
        n = len(point)
        place[name] = point + rng.normal(0, MARKER_NOISE_M, (n, 3))
        wobble = rng.normal(0, MARKER_NOISE_M / 0.08, (n, 3))  # four markers, about 4 cm from their middle
        turn[name] = rotation.multiply(
            rotation.multiply(quat, rotation.exponential(wobble)), rotation.conjugate(quat[0])
        )
    wrist = pose.origin[BodyPart.HAND, side]
    wrist = wrist if side is Side.RIGHT else mirrored(wrist)
    return ArmMotion(wrist + rng.normal(0, MARKER_NOISE_M, wrist.shape), place, turn)


def _lag(turn: Floats, share: float) -> Floats:
    """What skin that follows only a share of a limb's turn about its length takes back, counted from the first
    frame."""
    half = (share - 1.0) * (turn - turn[0]) / 2
    zero = np.zeros_like(half)
    return np.stack([np.cos(half), zero, np.sin(half), zero], axis=-1)


def smoothed(values: Floats, cutoff_hz: float, order: int = 2) -> Floats:
    """Low-pass filtered at `cutoff_hz`, without delay."""
    sos = signal.butter(order, cutoff_hz, fs=MOTION_RATE_HZ, output="sos")
    return signal.sosfiltfilt(sos, values, axis=0)


def as_recorded(motion: ArmMotion) -> ArmMotion:
    """The motion with the smoothing that the recordings came with; smoothing what is smooth already changes little."""
    place = {name: smoothed(values, RECORDED_HZ, RECORDED_ORDER) for name, values in motion.place.items()}
    turn = {
        name: rotation.normalize(smoothed(_unflipped(values), RECORDED_HZ, RECORDED_ORDER))
        for name, values in motion.turn.items()
    }
    return ArmMotion(smoothed(motion.wrist, RECORDED_HZ, RECORDED_ORDER), place, turn)


def _unflipped(quat: Floats) -> Floats:
    """The same orientations with signs chosen so that neighbours are close."""
    sign = np.where(np.sum(quat[1:] * quat[:-1], axis=1) < 0, -1.0, 1.0)
    return quat * np.concatenate([[1.0], np.cumprod(sign)])[:, None]


def speed_of(position: Floats, cutoff_hz: float = 8.0) -> Floats:
    velocity = np.gradient(smoothed(position, cutoff_hz), axis=0) * MOTION_RATE_HZ
    return np.sqrt(np.sum(velocity * velocity, axis=1))


def find_phases(wrist: Floats) -> dict[str, tuple[int, int]] | None:
    """Where the four movements of a drink lie, by height and speed of the wrist; None if it is not one drink."""
    speed = speed_of(wrist)
    height = smoothed(wrist, 3.0)[:, 1]
    base = float(np.percentile(height, 5))
    rise = float(height.max()) - base
    raised = np.flatnonzero(height > base + 0.5 * rise)
    if rise < 0.08 or len(raised) == 0:
        return None
    up, down = int(raised[0]), int(raised[-1])  # half way up, half way down
    around = 50  # frames: the fastest moment lies within a quarter of a second of half way
    peak_up = max(0, up - around) + _argpeak(speed[max(0, up - around) : up + around])
    peak_down = max(0, down - around) + _argpeak(speed[max(0, down - around) : down + around])
    # The reach and the reposition are the clearest speed peaks on the table before and after.
    peaks, facts = signal.find_peaks(np.concatenate([[0.0], speed, [0.0]]), prominence=0.03)
    peaks, clear = peaks - 1, facts["prominences"]
    low = height[np.clip(peaks, 0, len(height) - 1)] < base + 0.35 * rise
    before, after = low & (peaks < peak_up), low & (peaks > peak_down)
    if not before.any() or not after.any():
        return None
    peak_reach = int(peaks[before][np.argmax(clear[before])])
    peak_leave = int(peaks[after][np.argmax(clear[after])])
    valley_cup = peak_reach + int(np.argmin(speed[peak_reach : peak_up + 1]))
    valley_table = peak_down + int(np.argmin(speed[peak_down : peak_leave + 1]))
    valley_mouth = peak_up + int(np.argmin(speed[peak_up : peak_down + 1]))
    phases = {
        "reach": _movement_about(speed, 0, peak_reach, valley_cup),
        "to mouth": _movement_about(speed, valley_cup, peak_up, valley_mouth),
        "back": _movement_about(speed, valley_mouth, peak_down, valley_table),
        "reposition": _movement_about(speed, valley_table, peak_leave, len(speed)),
    }
    if any(stop - start < 20 for start, stop in phases.values()):
        return None
    return phases


def _argpeak(values: Floats) -> int:
    return int(np.argmax(values)) if len(values) else 0


def _movement_about(speed: Floats, earliest: int, peak: int, latest: int) -> tuple[int, int]:
    """The stretch about a speed peak until the speed stays below an eighth of it for 60 ms."""
    floor = max(0.03, speed[peak] / 8.0)
    start, stop = peak, peak
    while start > earliest and speed[max(earliest, start - 12) : start].max(initial=0.0) > floor:
        start -= 1
    while stop < latest and speed[stop : min(stop + 12, latest)].max(initial=0.0) > floor:
        stop += 1
    return start, stop


def count_peaks(speed: Floats) -> int:
    """Submovements as an eye would count them: speed peaks that stand out by 8 % of the highest."""
    padded = np.concatenate([[0.0], speed, [0.0]])
    return max(1, len(signal.find_peaks(padded, prominence=0.08 * float(speed.max()))[0]))


def arc_length(speed: Floats, limit_hz: float = 10.0, floor: float = 0.05) -> float:
    """Spectral arc length of a speed profile: near -1.4 for one smooth step, lower for jerky movement."""
    size = int(2 ** np.ceil(np.log2(len(speed)) + 4))
    spectrum = np.abs(np.fft.rfft(speed, size))
    spectrum /= spectrum[0]
    frequency = np.arange(len(spectrum)) * MOTION_RATE_HZ / size
    keep = frequency <= limit_hz
    spectrum, frequency = spectrum[keep], frequency[keep]
    last = int(np.flatnonzero(spectrum >= floor)[-1]) + 1
    spectrum, frequency = spectrum[:last], frequency[:last]
    if last < 3:
        return float("nan")
    span = frequency[-1] - frequency[0]
    return -float(np.sum(np.sqrt((np.diff(frequency) / span) ** 2 + np.diff(spectrum) ** 2)))


def measure_drink(motion: ArmMotion) -> dict[str, float] | None:
    """All measures of one drink; None if its phases cannot be told apart."""
    phases = find_phases(motion.wrist)
    if phases is None:
        return None
    speed = speed_of(motion.wrist)
    measures: dict[str, float] = {}
    for name, (start, stop) in phases.items():
        part = speed[start:stop]
        measures[f"{name}: duration (s)"] = len(part) / MOTION_RATE_HZ
        measures[f"{name}: peak speed (m/s)"] = float(part.max())
        measures[f"{name}: time to peak (share)"] = float(np.argmax(part)) / len(part)
        measures[f"{name}: speed peaks"] = float(count_peaks(part))
        measures[f"{name}: spectral arc length"] = arc_length(part)
    measures["pause at the cup (s)"] = max(0, phases["to mouth"][0] - phases["reach"][1]) / MOTION_RATE_HZ
    measures["at the mouth (s)"] = max(0, phases["back"][0] - phases["to mouth"][1]) / MOTION_RATE_HZ
    measures["pause before leaving (s)"] = max(0, phases["reposition"][0] - phases["back"][1]) / MOTION_RATE_HZ
    measures["whole drink (s)"] = (phases["reposition"][1] - phases["reach"][0]) / MOTION_RATE_HZ
    first, last = phases["reach"][0], phases["reposition"][1]
    chest = smoothed(motion.place["thorax"], 5.0)[first:last]
    measures["trunk: way of the chest (m)"] = float(np.sqrt(np.sum((chest - chest[0]) ** 2, axis=1)).max())
    turns = motion.turn["thorax"][first:last]
    angles = rotation.angle_between(turns, turns[:1])
    measures["trunk: largest turn (deg)"] = float(np.degrees(np.percentile(angles, 98)))
    moving = np.zeros(len(speed), bool)
    for start, stop in phases.values():
        moving[start:stop] = True
    still = ~moving
    still[first:last] &= speed[first:last] < 0.05
    for cluster in CLUSTERS:
        acc, gyr = virtual_imu(motion, cluster)
        for quantity, values, unit in (("rotation", gyr, "rad/s"), ("acceleration", acc - acc.mean(axis=0), "m/s2")):
            for low, high in BANDS_HZ:
                loud = _band(values, low, high)
                for state, mask in (("moving", moving), ("still", still)):
                    if mask.sum() > 40:
                        key = f"{cluster} {quantity} {low:g}-{high:g} Hz, {state} ({unit})"
                        measures[key] = float(np.sqrt(np.mean(loud[mask])))
    return measures


def virtual_imu(motion: ArmMotion, cluster: str) -> tuple[Floats, Floats]:
    """Specific force (m/s2) and angular rate (rad/s) of a sensor on the cluster, in its axes at rest = room axes."""
    place = smoothed(motion.place[cluster], SMOOTHING_HZ)
    turn = rotation.normalize(smoothed(_unflipped(motion.turn[cluster]), SMOOTHING_HZ))
    force = np.gradient(np.gradient(place, axis=0), axis=0) * MOTION_RATE_HZ**2 + np.array([0.0, GRAVITY_M_S2, 0.0])
    return rotation.unrotate(turn, force), rotation.angular_rate(turn, MOTION_RATE_HZ)


def _band(values: Floats, low_hz: float, high_hz: float) -> Floats:
    """Power of a band over time, summed over axes."""
    sos = signal.butter(2, (low_hz, high_hz), "bandpass", fs=MOTION_RATE_HZ, output="sos")
    return np.sum(signal.sosfiltfilt(sos, values, axis=0) ** 2, axis=1)


def imu_windows(motion: ArmMotion, length_s: float = 1.0, hop_s: float = 0.5) -> Floats:
    """Features of the three virtual sensors in overlapping windows: (windows, features)."""
    # The noise of a middling sensor: what lies below it no recogniser will ever see, in real or simulated people.
    rng = np.random.default_rng(0)
    parts = []
    for cluster in CLUSTERS:
        acc, gyr = virtual_imu(motion, cluster)
        parts += [acc + rng.normal(0, SENSOR_NOISE[0], acc.shape), gyr + rng.normal(0, SENSOR_NOISE[1], gyr.shape)]
    signals = np.concatenate(parts, axis=1)
    length, hop = int(length_s * MOTION_RATE_HZ), int(hop_s * MOTION_RATE_HZ)
    rows = []
    for start in range(0, len(signals) - length + 1, hop):
        part = signals[start : start + length]
        steps = np.diff(part[::4], axis=0)  # at 50 Hz
        rows.append(
            np.concatenate(
                [
                    part.mean(axis=0),
                    np.log(part.std(axis=0) + 1e-3),
                    np.log(steps.std(axis=0) + 1e-3),
                    np.ptp(part, axis=0),
                ]
            )
        )
    return np.array(rows)
