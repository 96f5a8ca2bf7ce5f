"""Running a network with onnxruntime, whose only home this is. One thread; the model and the stream are two objects.

`Model` is immutable and may serve many sessions. `Recognition` belongs to one session: rows in, settled movements out,
each within the delay bound of the card; `finish` settles what is left when no more rows come. The result does not
depend on the size of the blocks of rows: rows wait until they fill a chunk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from rehabcount.domain.arrays import Bools
from rehabcount.domain.document import shown
from rehabcount.domain.message import Code, Message
from rehabcount.errors import InferenceError, ModelMismatch
from rehabcount.inference.card import Kind, ModelCard
from rehabcount.inference.duration_hmm import FixedLag, Onset
from rehabcount.inference.inputs import model_input
from rehabcount.inference.sound import FREE, fits_shape

# The variable in rehabcount/__init__.py switches telemetry off; older builds for Windows ignore it and need this call.
onnxruntime.disable_telemetry_events()

Array = NDArray[Any]
CONFIDENT_FRAMES = 600  # half a minute of frames is enough for a confidence
MOST_SAID = 300  # characters of onnxruntime's message, which can be a page
TRIED_FRAMES = 60  # of a network that takes any number: more than its widest filter is not needed to see the shape
QUIET = 3  # onnxruntime's severity: errors only; it warns about initialisers that the exporter left in


def open_network(path: Path) -> Any:
    """The network in a file, to be run on one thread. Exceptions of onnxruntime are not translated here."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # more are slower at these sizes
    options.log_severity_level = QUIET
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


class Model:
    """A network that can be run. It holds no state of any session."""

    def __init__(self, path: Path, card: ModelCard) -> None:
        try:
            self._session = open_network(path)
        except Exception as problem:
            raise ModelMismatch(
                Message.of(Code.MODEL_NO_NETWORK, file=path.name, model=card.name, why=_said(problem)),
                advice=Message.of(Code.DO_GET_MODEL_AGAIN),
            ) from problem
        self.card = card
        _check_signature(card, "input", [(i.name, i.shape) for i in self._session.get_inputs()], card.network_inputs)
        _check_signature(card, "output", [(o.name, o.shape) for o in self._session.get_outputs()], card.network_outputs)
        metadata = self._session.get_modelmeta().custom_metadata_map
        if (metadata.get("name"), metadata.get("version")) != (card.name, card.version):
            raise ModelMismatch(
                Message.of(
                    Code.MODEL_MIXED,
                    model=f"{card.name} {card.version}",
                    network=f"{shown(metadata.get('name'))} {shown(metadata.get('version'))}",
                ),
                advice=Message.of(Code.DO_GET_MODEL_MIXED),
            )

    def run(self, feed: Mapping[str, Array]) -> dict[str, Array]:
        """Outputs by name."""
        names = [output.name for output in self.card.network_outputs]
        try:
            found = self._session.run(names, dict(feed))
        except Exception as problem:
            raise InferenceError(
                Message.of(Code.MODEL_FAILED, model=self.card.name, why=_said(problem)),
                advice=Message.of(Code.DO_REPORT),
            ) from problem
        for output, array in zip(self.card.network_outputs, found, strict=True):
            if array.dtype.kind != "f" or not fits_shape(array.shape, output.shape) or not np.isfinite(array).all():
                raise InferenceError(
                    Message.of(Code.MODEL_UNSOUND, model=self.card.name, name=output.name),
                    advice=Message.of(Code.DO_OTHER_MODEL),
                )
        return dict(zip(names, found, strict=True))

    def try_out(self) -> None:
        """InferenceError unless an empty window of the bedside's size gives as many scores as frames."""
        card = self.card
        steps = card.chunk_steps or card.steps_per_frame * TRIED_FRAMES
        feed = {t.name: np.zeros([1 if n == FREE else n for n in t.shape], np.float32) for t in card.network_inputs}
        feed[card.network_inputs[0].name] = np.zeros((1, steps, card.inputs.width), np.float32)
        if card.kind is Kind.SEQUENCE:
            feed[card.network_inputs[1].name] = np.array([len(card.labels)])
        found = self.run(feed)
        for output in card.network_outputs[1 if card.kind is Kind.SEQUENCE else 0 :][:2]:
            if found[output.name].shape[1] != steps // card.steps_per_frame:
                raise InferenceError(
                    Message.of(Code.MODEL_SKIPS_FRAMES, model=card.name), advice=Message.of(Code.DO_OTHER_MODEL)
                )

    def start(self) -> Recognition:
        """A new session of a stream model."""
        if self.card.kind is not Kind.STREAM:
            raise ValueError(f"model {self.card.name} is of kind {self.card.kind}; only a stream has sessions")
        return Recognition(self)


def _said(problem: Exception) -> str:
    """The beginning of onnxruntime's message, without control characters: it may quote the unreadable file."""
    said = str(problem)[:MOST_SAID]
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in said)


def _check_signature(card: ModelCard, what: str, found: list[tuple[str, list[Any]]], wanted: tuple[Any, ...]) -> None:
    def shape(dimensions: list[Any]) -> tuple[int, ...]:
        return tuple(d if isinstance(d, int) else -1 for d in dimensions)

    have = [(name, shape(dimensions)) for name, dimensions in found]
    want = [(tensor.name, tensor.shape) for tensor in wanted]
    if have != want:
        raise ModelMismatch(
            Message.of(Code.MODEL_OTHER_SHAPES, model=card.name, what=f"{what}s", have=shown(have), wanted=str(want)),
            advice=Message.of(Code.DO_GET_MODEL_AGAIN),
        )


@dataclass(frozen=True, slots=True)
class Movement:
    """A settled movement from `start_s` to `end_s`; it never changes."""

    label: str
    start_s: float
    end_s: float
    confidence: float  # mean probability of the label over the movement's last frames, CONFIDENT_FRAMES at most


class Recognition:
    """One session. Times are seconds since the first row."""

    def __init__(self, model: Model) -> None:
        card = model.card
        assert card.decoding is not None
        self._model, self._card = model, card
        self._decoder = FixedLag(card.decoding.model(), card.decoding.lag_frames)
        self._state = {t.name: np.zeros(t.shape, np.float32) for t in card.network_inputs[1:]}
        width = len(card.inputs.columns)
        self._values, self._valid = np.empty((0, width)), np.empty((0, width), bool)
        self._skip = card.lookahead_frames  # the first scores are of time before the session
        self._recent = np.empty((0, len(card.labels)))  # log-probabilities of the movement under way and after
        self._recent_from = 0
        self._rows = 0  # of the session so far
        self._end: int | None = None  # frames of the whole session, once that is known

    def push(self, values: Array, valid: Bools) -> list[Movement]:
        """Movements that these rows settle."""
        self._rows += len(values)
        return self._take(values, valid)

    def draft(self) -> list[Movement]:
        """The movement under way, and those that are believed to have begun since; all of them may change."""
        return self._movements(self._decoder.tentative(), self._decoder.frame)

    def finish(self) -> list[Movement]:
        """No more rows: the look-ahead past the end is filled with rows that are not valid, then all is settled."""
        card = self._card
        frame_rows = card.steps_per_frame * card.inputs.frames_per_step
        chunk_rows = card.chunk_steps * card.inputs.frames_per_step
        self._end = self._rows // frame_rows
        over = self._rows % frame_rows  # rows that fill no frame are dropped, as in training
        self._values, self._valid = self._values[: len(self._values) - over], self._valid[: len(self._valid) - over]
        nothing = np.zeros((chunk_rows, self._values.shape[1]))
        out: list[Movement] = []
        while self._decoder.frame < self._end:
            out += self._take(nothing, nothing.astype(bool))
        return out + self._movements(self._decoder.finish(), self._decoder.frame)

    def _take(self, values: Array, valid: Bools) -> list[Movement]:
        self._values = np.concatenate([self._values, values])
        self._valid = np.concatenate([self._valid, valid])
        rows = self._card.chunk_steps * self._card.inputs.frames_per_step
        out: list[Movement] = []
        while len(self._values) >= rows:
            chunk = model_input(self._values[:rows], self._valid[:rows], self._card.inputs)
            self._values, self._valid = self._values[rows:], self._valid[rows:]
            out += self._hear(chunk)
        return out

    def _hear(self, chunk: Array) -> list[Movement]:
        names = [tensor.name for tensor in self._card.network_outputs]
        found = self._model.run({self._card.network_inputs[0].name: chunk[None], **self._state})
        self._state = dict(zip(self._state, (found[name] for name in names[2:]), strict=True))
        labels, onset = found[names[0]][0], found[names[1]][0]
        skipped = min(self._skip, len(labels))
        self._skip -= skipped
        labels, onset = labels[skipped:], onset[skipped:]
        if self._end is not None:
            room = max(0, self._end - self._decoder.frame)
            labels, onset = labels[:room], onset[:room]
        self._recent = np.concatenate([self._recent, labels])
        ended = self._decoder.push(labels, onset)
        out = self._movements(ended, self._decoder.since)
        forget = max(self._decoder.since - self._recent_from, len(self._recent) - CONFIDENT_FRAMES)
        if forget > 0:
            self._recent, self._recent_from = self._recent[forget:], self._recent_from + forget
        return out

    def _movements(self, onsets: list[Onset], end: int) -> list[Movement]:
        """Onsets as movements: each lasts until the next, the last until frame `end`."""
        if not onsets:
            return []
        ends = [onset.frame for onset in onsets[1:]] + [end]
        return [self._movement(onset, until) for onset, until in zip(onsets, ends, strict=True)]

    def _movement(self, onset: Onset, end: int) -> Movement:
        start = max(onset.frame, self._recent_from)
        scores = self._recent[start - self._recent_from : end - self._recent_from, onset.label]
        label, frame_s = self._card.labels[onset.label], self._card.frame_s
        return Movement(label, onset.frame * frame_s, end * frame_s, float(np.exp(scores).mean()))
