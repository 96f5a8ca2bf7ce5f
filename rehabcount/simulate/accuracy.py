"""How well the product's own chain recovers the simulated body: align, orient, calibrate, mount, against the truth.

in   Recording with its calibration prelude
out  root-mean-square errors in degrees: inclination of every sensor's body part, elbow flexion, forearm rotation
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.calibration import Calibration
from rehabcount.domain.motion import Frames, Samples
from rehabcount.signals.align import AlignSettings, align_all
from rehabcount.signals.calibration import ArmMovements, TimeSpan, calibrate, mount_all
from rehabcount.signals.clock import ClockSpec
from rehabcount.signals.features import BEDSIDE, featurize_all
from rehabcount.signals.orientation import orient_all
from rehabcount.signals.rotation import rotate
from rehabcount.simulate.body import PARTS
from rehabcount.simulate.imu import TICK_HZ
from rehabcount.simulate.recording import Recording

BLOCK = 20  # samples that arrive together; frames do not depend on it, and larger blocks are quicker


def body_frames(recording: Recording) -> tuple[Frames, Calibration]:
    """The recording as the product sees it: frames in body-part axes, and the calibration that made them so."""
    rig = recording.rig
    clocks = {sensor.name: ClockSpec(TICK_HZ, None, sensor.rate_hz) for sensor in rig.sensors}
    items = sorted(
        (block for samples in recording.samples.values() for block in _blocks(samples)),
        key=lambda block: int(block.received_ns[-1]),
    )
    frames = orient_all(align_all(items, rig, clocks, AlignSettings(lag_s=1.0)))
    pose, bending, turning = (TimeSpan(*recording.span("calibration", name)) for name in ("still", "elbow", "forearm"))
    # The body settles into the pose; the last two and a half seconds are the stillest.
    pose = TimeSpan(pose.end_s - 2.6, pose.end_s - 0.1)
    calibration = calibrate(frames, rig, pose, {recording.side: ArmMovements(bending, turning)})
    return mount_all(frames, rig, calibration), calibration


def _blocks(samples: Samples) -> Iterator[Samples]:
    assert samples.tick is not None
    assert samples.acc is not None
    assert samples.gyr is not None
    for start in range(0, len(samples), BLOCK):
        part = slice(start, start + BLOCK)
        yield Samples(
            samples.sensor, samples.received_ns[part], samples.tick[part], samples.acc[part], samples.gyr[part]
        )


def angle_errors(recording: Recording) -> dict[str, float]:
    """RMS errors (degrees) after the calibration: `inclination <sensor>`, `elbow flexion`,
    `forearm pronation`."""
    frames, calibration = body_frames(recording)
    count = min(len(frames), len(recording.truth.orientation))
    after = np.arange(count) / 100.0 > recording.span("calibration", "done")[1]
    parts = {key: i for i, key in enumerate(PARTS)}
    errors = {}
    for i, sensor in enumerate(recording.rig.sensors):
        assert sensor.place is not None
        true = recording.truth.orientation[:count, parts[sensor.place.part, sensor.place.side]]
        good = after & frames.valid[:count, i]
        gap = _inclination(frames.quat[:count, i]) - _inclination(true)
        errors[f"inclination {sensor.name}"] = _rms(np.degrees(gap[good]))
    side = recording.side
    rows = featurize_all(frames, recording.rig, BEDSIDE, side, calibration)
    truths = {"elbow flexion": recording.truth.elbow[side], "forearm pronation": recording.truth.pronation[side]}
    for name, true in truths.items():
        column = BEDSIDE.index(name)
        good = after & rows.valid[:count, column]
        errors[name] = _rms(np.degrees(rows.values[:count, column][good] - true[:count][good]))
    return errors


def _inclination(quat: Floats) -> Floats:
    """Angle between a part's y and the vertical (rad)."""
    return np.arccos(np.clip(rotate(quat, [0.0, 1.0, 0.0])[:, 2], -1.0, 1.0))


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2)))
