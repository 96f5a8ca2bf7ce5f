"""Whether sensors measure what a body part can do; if not, they slipped, were swapped or are faulty.

Two checks are made over every ten seconds of calibrated frames: a sensor at rest measures gravity, and the trunk of a
person who exercises at a table is upright. A failed check is reported once as a `Doubt`, and as a `Doubt` without a
reason when the check passes again. No data are masked: the therapist decides whether to calibrate again.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.calibration import Calibration
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import GRAVITY_M_S2, Frames
from rehabcount.domain.rig import BodyPart, Rig
from rehabcount.domain.update import Doubt, Update
from rehabcount.signals.rotation import conjugate, multiply, rotate

EVERY_S = 10.0  # longer than any single movement
RESTING_RAD_S = 0.15  # slower than any movement that is counted
LOOK_EVERY_FRAMES = 50  # slipping is slow, and each check takes time
RESTING_FRAMES = 20  # of the 200 looked at in ten seconds: a second of rest is enough to judge gravity by
GRAVITY_OFF_M_S2 = 1.0  # 10 %: no accelerometer in use is that far off
UPRIGHT_DOWN_TO = 0.34  # cosine of 70 degrees from the vertical: people do not exercise with the trunk on the table

FELT, TILTED = Message.of(Code.GRAVITY_NOT_FELT), Message.of(Code.TRUNK_TILTED)
TRUNK = (BodyPart.THORAX, BodyPart.LUMBAR, BodyPart.PELVIS)


class Plausibility:
    """Looks at all sensors of a session."""

    def __init__(self, rig: Rig, on_update: Callable[[Update], None]) -> None:
        self._rig, self._on_update = rig, on_update
        self._since_s: float | None = None
        self._doubted: dict[str, Message | None] = {}
        self._rest: list[Floats] = []  # per block (sensors, 2): resting frames, sum of |acc|
        self._up: list[Floats] = []  # per block (sensors, 2): frames, sum of the vertical part of the part's y

    def look(self, frames: Frames, calibration: Calibration) -> None:
        """A block of frames, in sensor axes; one in five is looked at."""
        if frames.index % LOOK_EVERY_FRAMES:
            return
        with np.errstate(invalid="ignore"):
            size = np.linalg.norm(frames.acc, axis=2)
            still = frames.valid & (np.linalg.norm(frames.gyr, axis=2) < RESTING_RAD_S) & np.isfinite(size)
        self._rest.append(np.stack([still.sum(axis=0), np.where(still, size, 0.0).sum(axis=0)], axis=1))
        self._up.append(self._upright(frames, calibration))
        now_s = float(frames.time_s[-1])
        self._since_s = now_s if self._since_s is None else self._since_s
        if now_s - self._since_s >= EVERY_S:
            self._judge(now_s)
            self._since_s = now_s

    def _upright(self, frames: Frames, calibration: Calibration) -> Floats:
        out = np.zeros((len(self._rig), 2))
        for i, sensor in enumerate(self._rig.sensors):
            mounting = calibration.of(sensor.name)
            if sensor.place is None or sensor.place.part not in TRUNK or mounting is None:
                continue
            last = frames.quat[-1, i]  # one look a block: the trunk is slow
            if np.isfinite(last).all():
                out[i] = 1, rotate(multiply(last, conjugate(np.array(mounting.quat))), [0.0, 1.0, 0.0])[2]
        return out

    def _judge(self, now_s: float) -> None:
        rest, up = np.sum(self._rest, axis=0), np.sum(self._up, axis=0)
        self._rest, self._up = [], []
        for i, name in enumerate(self._rig.names):
            reason: Message | None = None
            if rest[i, 0] >= RESTING_FRAMES and abs(rest[i, 1] / rest[i, 0] - GRAVITY_M_S2) > GRAVITY_OFF_M_S2:
                reason = FELT
            elif up[i, 0] and up[i, 1] / up[i, 0] < UPRIGHT_DOWN_TO:
                reason = TILTED
            if reason != self._doubted.get(name):
                self._doubted[name] = reason
                self._on_update(Doubt(name, reason, round(now_s, 3)))
