"""One arm on its way from frames to movements: its features, its recogniser, and whether its sensors are all there.

Counting requires the sensors on the parts that the model's card names; if it names none, at least one sensor on the
arm. A sensor that sent nothing for a second is missing until it sends again. Meanwhile the model runs on with masked
input, but nothing is counted."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterator

import numpy as np

from rehabcount.domain.calibration import Calibration
from rehabcount.domain.limits import SENSOR_SILENT_S
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import FRAME_RATE_HZ, Frames, Rows
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.sequence import StitchRule, Token
from rehabcount.domain.taught import NOTHING_TAUGHT, TaughtExercises
from rehabcount.domain.update import UNCALIBRATED, Repeated, Repeating, SensorSet
from rehabcount.engine import walk
from rehabcount.engine.ports import Recogniser
from rehabcount.engine.recognise import recogniser_of
from rehabcount.engine.taught import RepetitionStage
from rehabcount.errors import ModelMismatch
from rehabcount.inference.card import check_fit
from rehabcount.inference.runtime import Model
from rehabcount.signals.features import BEDSIDE, RECIPES


def arms_of(
    model: Model, rig: Rig, side: Side, rule: StitchRule, *, both: bool, taught: TaughtExercises = NOTHING_TAUGHT
) -> list[Arm]:
    """The trained arm, which the model must fit, and the other arm if it fits, too."""
    arms = [Arm(model, rig, side, rule, taught)]
    if both:
        with contextlib.suppress(ModelMismatch):
            arms.append(Arm(model, rig, side.other, rule, taught))
    return arms


class Arm:
    """One arm of one session."""

    def __init__(
        self, model: Model, rig: Rig, side: Side, rule: StitchRule, taught: TaughtExercises = NOTHING_TAUGHT
    ) -> None:
        recipe = RECIPES.get(model.card.recipe)
        if recipe is not BEDSIDE:
            raise ModelMismatch(
                Message.of(
                    Code.MODEL_WHOLE_TRIALS, model=model.card.name, recipe=repr(model.card.recipe or "of its corpus")
                ),
                advice=Message.of(Code.DO_BEDSIDE_MODEL),
            )
        check_fit(model.card, recipe, rig, side)
        self.side = side
        self._model, self._rig, self._rule, self._recipe = model, rig, rule, recipe
        self._needed, self._any_will_do = _needed(model, rig, side)
        self._seen_s = np.zeros(len(rig))  # when each sensor was last valid
        self._missing: tuple[str, ...] = ()
        self._blocks: deque[Frames] = deque()
        self._rows: Iterator[Rows] | None = None  # None: not calibrated yet
        self._recogniser: Recogniser | None = None
        self._next_index = 0  # of the frame that follows the newest one
        self._stage = RepetitionStage(taught.of(side))
        self._repeated: list[Repeated] = []  # not yet taken

    def calibrate(self, calibration: Calibration) -> None:
        """Use this calibration for features from now on; the recogniser keeps its state."""
        self._rows = walk.rows(_given(self._blocks), self._rig, calibration, self._recipe, self.side)

    def attend(self, frames: Frames) -> SensorSet | None:
        """The new sensor set, if these frames changed it."""
        now_s = float(frames.time_s[-1])
        for sensor in self._needed:
            valid = np.flatnonzero(frames.valid[:, sensor])
            if len(valid):
                self._seen_s[sensor] = frames.time_s[valid[-1]]
        gone = tuple(self._rig.names[s] for s in self._needed if now_s - self._seen_s[s] > SENSOR_SILENT_S)
        if self._any_will_do and len(gone) < len(self._needed):
            gone = ()
        missing = ((UNCALIBRATED,) if self._rows is None else ()) + gone
        if missing == self._missing:
            return None
        self._missing = missing
        return SensorSet(self.side, missing, round(now_s, 3))

    def push(self, frames: Frames) -> list[Token]:
        """Movements settled by these frames."""
        if self._rows is None:
            return []
        settled: list[Token] = []
        if self._recogniser is not None and frames.index != self._next_index:
            settled = self._recogniser.finish()  # a pause without frames: what is under way ended before it
            self._recogniser = None
        self._next_index = frames.index + len(frames)
        if self._recogniser is None:
            start_s = frames.index / FRAME_RATE_HZ
            self._recogniser = recogniser_of(self._model, self.side, start_s, self._rule)
        self._blocks.append(frames)
        rows = next(self._rows)
        self._repeated += self._stage.push(rows)
        return settled + self._recogniser.push(rows)

    def finish(self) -> list[Token]:
        self._repeated += self._stage.finish()
        return self._recogniser.finish() if self._recogniser is not None else []

    def repeated(self) -> list[Repeated]:
        """The repetitions of taught exercises that are over, since this was last asked."""
        over, self._repeated = self._repeated, []
        return over

    def repeating(self) -> tuple[Repeating, ...]:
        """What is under way of each taught exercise."""
        return self._stage.draft()

    def draft(self) -> tuple[Token, ...]:
        return self._recogniser.draft() if self._recogniser is not None else ()


def _needed(model: Model, rig: Rig, side: Side) -> tuple[list[int], bool]:
    """Positions of the sensors that counting needs, and whether any one of them is enough."""
    placed = [(i, sensor.place) for i, sensor in enumerate(rig.sensors) if sensor.place is not None]
    required = [
        i for i, place in placed if place.side in (None, side) and place.part.value in model.card.required_parts
    ]
    if required:
        return required, False
    worn = [i for i, place in placed if place.side is side]
    if not worn:
        raise ModelMismatch(
            Message.of(Code.MODEL_NO_SENSOR_ON_ARM, rig=repr(rig.name), arm=side.value),
            advice=Message.of(Code.DO_WORN_ARM),
        )
    return worn, True


def _given(blocks: deque[Frames]) -> Iterator[Frames]:
    """The blocks in `blocks`; the caller adds a block before it takes the next row."""
    while True:
        yield blocks.popleft()
