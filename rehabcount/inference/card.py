"""The model card: the description of an artifact, and whether the model fits a session.

A card is `card.json` beside the network. It holds the input (recipe, columns, normalisation), the output (labels), the
decoding rule with its delay bound, the training data, the scores, and on whom they were measured. `read_card` refuses a
card that is incomplete or impossible (`sound.py`); `check_fit` refuses a session that the model was not made for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.belief import Belief
from rehabcount.domain.document import MOST_JSON, from_document, read_json, to_document
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import FRAME_RATE_HZ
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.session_agreement import SessionAgreement
from rehabcount.errors import CardInvalid, ModelMismatch
from rehabcount.inference.duration_hmm import DurationModel
from rehabcount.inference.inputs import InputSpec
from rehabcount.inference.sound import check
from rehabcount.signals.features import Recipe

FORMAT = 1
DIGITS = 4  # of log-probabilities in a card: enough for decoding, and readable for people


class Kind(StrEnum):
    """How the network is run."""

    STREAM = "stream"  # chunk by chunk with state; scores and onsets a frame
    FRAMES = "frames"  # a stretch of any length; scores a frame
    SEQUENCE = "sequence"  # a window; the labels of its centre, and scores a frame


class Evidence(StrEnum):
    """On whom the scores were measured; if several apply, the weakest."""

    SIMULATED = "simulated"
    HEALTHY = "real healthy people"
    PATIENTS = "real patients"


@dataclass(frozen=True, slots=True)
class Decoding:
    """The duration decoder's numbers; `lag_frames` bounds how late a beginning, and with it an end, is decided."""

    lag_frames: int
    start: tuple[float, ...]
    follow: tuple[tuple[float, ...], ...]
    durations: tuple[tuple[float, ...], ...]
    count_bias: tuple[float, ...]
    frame_weight: float
    onset_weight: float
    transition_weight: float
    duration_weight: float
    onset_spread: int = 0
    false_starts: tuple[tuple[int, int], ...] = ()  # (movement, next) that never follow each other

    @classmethod
    def of(cls, model: DurationModel, lag_frames: int) -> Decoding:
        def rounded(row: Floats) -> tuple[float, ...]:
            return tuple(np.round(row, DIGITS).tolist())

        return cls(
            lag_frames,
            rounded(model.start),
            tuple(rounded(row) for row in model.follow),
            tuple(rounded(row) for row in model.durations),
            rounded(model.count_bias),
            model.frame_weight,
            model.onset_weight,
            model.transition_weight,
            model.duration_weight,
            model.onset_spread,
            model.false_starts,
        )

    def model(self) -> DurationModel:
        return DurationModel(
            np.array(self.start),
            np.array(self.follow),
            np.array(self.durations),
            np.array(self.count_bias),
            self.frame_weight,
            self.onset_weight,
            self.transition_weight,
            self.duration_weight,
            self.onset_spread,
            self.false_starts,
        )


@dataclass(frozen=True, slots=True)
class Tensor:
    """One input or output of the network; -1 is a length that may vary."""

    name: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TrainingData:
    name: str
    sha256: str
    people: int
    trials: int
    hours: float


@dataclass(frozen=True, slots=True)
class MeasuredScore:
    """One number with its 95 % interval, on one group of people with one rig."""

    metric: str
    value: float
    low: float | None
    high: float | None
    on: str  # "simulated stroke test set, nine sensors"


@dataclass(frozen=True, slots=True)
class Parity:
    """How exactly the exported network repeats the trained one."""

    windows: int
    largest_difference: float
    sequences_equal: bool


@dataclass(frozen=True, slots=True)
class ModelCard:
    name: str
    version: str
    kind: Kind
    network: str
    labels: tuple[str, ...]
    uncounted: tuple[str, ...]
    recipe: str  # of signals.features; empty for corpora with columns of their own
    inputs: InputSpec
    rate_hz: float  # of the rows
    required_parts: tuple[str, ...]  # body parts of the counted arm or trunk that must carry a sensor
    trained_rigs: tuple[str, ...]
    steps_per_frame: int
    chunk_steps: int  # STREAM: steps a call; SEQUENCE: steps a window; FRAMES: 0, any
    margin_steps: int  # SEQUENCE: context on both sides of the centre
    lookahead_frames: int  # STREAM: how far a frame's score looks ahead
    decoding: Decoding | None
    delay_bound_s: float  # from a movement's end to its count at the bedside, at most
    network_inputs: tuple[Tensor, ...]
    network_outputs: tuple[Tensor, ...]
    training: TrainingData
    scores: tuple[MeasuredScore, ...]
    evidence: Evidence
    evidence_people: int
    parity: Parity
    made_by: str  # the command, and the commit it ran at
    licence: str
    intended_use: str
    limits: str
    # SEQUENCE: whether the prefix of a window is the movement under way, if the window before has found it; the prefix
    # of older models is the movement before that.
    told_under_way: bool = False
    belief: Belief | None = None  # how task repetitions are computed from the events; None: see inference/addendum.py
    sessions: SessionAgreement | None = None  # how far single sessions' task repetitions agreed; None: not measured
    format: int = FORMAT

    def __post_init__(self) -> None:
        if self.format != FORMAT:
            raise ValueError(f"format {self.format}; this rehabcount reads {FORMAT}")
        unknown = set(self.uncounted) - set(self.labels)
        if unknown or len(set(self.labels)) != len(self.labels):
            raise ValueError(f"labels {self.labels} do not fit uncounted {self.uncounted}")
        if self.kind is Kind.STREAM and (self.decoding is None or self.chunk_steps < 1):
            raise ValueError("a stream needs a decoding rule and a chunk length")
        if self.decoding is not None and len(self.decoding.start) != len(self.labels):
            raise ValueError(f"decoding is for {len(self.decoding.start)} labels, the card has {len(self.labels)}")

    @property
    def frame_s(self) -> float:
        """Length of an output frame."""
        return self.inputs.frames_per_step * self.steps_per_frame / self.rate_hz

    @property
    def counted(self) -> tuple[str, ...]:
        return tuple(label for label in self.labels if label not in self.uncounted)


def write_card(path: Path, card: ModelCard) -> None:
    path.write_text(json.dumps(to_document(card), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def called(folder: Path) -> str:
    """A folder's name for display, without control characters: its name may come from any source."""
    return str(folder) if str(folder).isprintable() else repr(str(folder))


def read_card(path: Path) -> ModelCard:
    """The card at `path`; CardInvalid names the entry that is wrong."""
    advice = Message.of(Code.DO_GET_MODEL_UNEDITED)
    try:
        if path.stat().st_size > MOST_JSON:
            raise ValueError(f"a card has {MOST_JSON} bytes at most")
        card = from_document(ModelCard, read_json(path.read_text(encoding="utf-8")), "card")
        check(card)
        return card
    except FileNotFoundError as problem:
        raise CardInvalid(Message.of(Code.MODEL_NO_CARD, folder=called(path.parent)), advice=advice) from problem
    except (OSError, UnicodeDecodeError, ValueError) as problem:  # JSONDecodeError is a ValueError
        raise CardInvalid(
            Message.of(Code.MODEL_CARD_INVALID, folder=called(path.parent), why=str(problem)), advice=advice
        ) from problem


def check_fit(card: ModelCard, recipe: Recipe, rig: Rig, side: Side) -> None:
    """Refuse rows of another recipe or rate, and a rig without the sensors that the model requires."""
    if recipe.name != card.recipe or recipe.names != card.inputs.columns:
        raise ModelMismatch(
            Message.of(
                Code.MODEL_OTHER_COLUMNS,
                model=card.name,
                n=len(card.inputs.columns),
                recipe=repr(card.recipe),
                have=len(recipe),
                given=repr(recipe.name),
            ),
            advice=Message.of(Code.DO_RECIPE, recipe=repr(card.recipe)),
        )
    if card.rate_hz != FRAME_RATE_HZ:
        raise ModelMismatch(
            Message.of(Code.MODEL_OTHER_RATE, model=card.name, n=f"{card.rate_hz:g}", have=f"{FRAME_RATE_HZ:g}"),
            advice=Message.of(Code.DO_BEDSIDE_MODEL),
        )
    carried = {
        sensor.place.part.value
        for sensor in rig.sensors
        if sensor.place is not None and sensor.place.side in (None, side)
    }
    missing = [part for part in card.required_parts if part not in carried]
    if missing:
        raise ModelMismatch(
            Message.of(
                Code.MODEL_NEEDS_SENSOR,
                model=card.name,
                parts=", ".join(missing),
                arm=side.value,
                rig=repr(rig.name),
                worn=", ".join(sorted(carried)),
            ),
            advice=Message.of(Code.DO_MODEL_FOR_RIG),
        )
