"""Recognition: the rows of one arm -> movements that are settled, and a draft of those that are not.

Two ways, chosen by the kind of network (`recogniser_of`):

- stream: rows go in as they come; a movement becomes a token when the beginning of the next one is settled, within the
  card's delay bound of its end.
- windows (sequence and frame networks): every hop the last six seconds are read as a whole, and the readings are
  stitched (`stitch.py`). The first and the last windows are padded at their end, as in training. A sequence network
  gets one label as its prefix: the last one of the window before, as far as it is known.
"""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import replace

import numpy as np

from rehabcount.domain.arrays import Bools, Floats
from rehabcount.domain.motion import FRAME_RATE_HZ, Rows
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import StitchRule, Token
from rehabcount.engine.ports import Recogniser
from rehabcount.engine.stitch import Reading, Stitcher
from rehabcount.inference.card import Kind
from rehabcount.inference.inputs import model_input
from rehabcount.inference.runtime import Model, Movement
from rehabcount.inference.spans import Array, Span, align_tokens, refined, spans_of, told_before

FRAMES_WINDOW_S = 6.0  # of a network that takes any length: StrokeRehab's window
DIGITS_S, DIGITS_CONFIDENCE = 3, 4  # tokens have milliseconds, and a confidence that people can read
UNKNOWN_TO_FRAMES = 0.15  # a symbol is dropped if the frame probabilities of its label are lower
REMEMBERED = 8  # settled tokens; more never lie within one window and before it


def recogniser_of(model: Model, side: Side, start_s: float, rule: StitchRule) -> Recogniser:
    """The recogniser for an arm whose rows begin at `start_s`."""
    if model.card.kind is Kind.STREAM:
        return StreamRecogniser(model, side, start_s)
    return WindowRecogniser(model, side, start_s, rule)


class StreamRecogniser:
    """A network with a state."""

    def __init__(self, model: Model, side: Side, start_s: float) -> None:
        self._stream = model.start()
        self._side, self._start_s, self._rows = side, start_s, 0

    def push(self, rows: Rows) -> list[Token]:
        self._rows += len(rows)
        return [self._token(each) for each in self._stream.push(rows.values, rows.valid)]

    def finish(self) -> list[Token]:
        ended = self._stream.finish()
        if ended:  # the last one lasts to the last row, even where that fills no frame
            ended[-1] = replace(ended[-1], end_s=self._rows / FRAME_RATE_HZ)
        return [self._token(each) for each in ended]

    def draft(self) -> tuple[Token, ...]:
        return tuple(self._token(each) for each in self._stream.draft())

    def _token(self, movement: Movement) -> Token:
        return _token(movement.label, self._side, self._start_s, movement.start_s, movement.end_s, movement.confidence)


class WindowRecogniser:
    """A network that reads windows. Inside, time counts from the first row."""

    def __init__(self, model: Model, side: Side, start_s: float, rule: StitchRule) -> None:
        card = self._card = model.card
        self._model, self._side, self._start_s, self._rule = model, side, start_s, rule
        per_step = card.inputs.frames_per_step
        sequence = card.kind is Kind.SEQUENCE
        self._length = card.chunk_steps * per_step if sequence else round(FRAMES_WINDOW_S * card.rate_hz)
        self._margin = card.margin_steps * per_step if sequence else 0
        self._hop = round(rule.hop_s * card.rate_hz)
        self._frame_rows = card.steps_per_frame * per_step
        width = len(card.inputs.columns)
        self._values: Floats = np.zeros((self._margin, width))  # from row `_first` on
        self._valid: Bools = np.zeros((self._margin, width), bool)
        self._first, self._rows = -self._margin, 0
        self._stitcher = Stitcher(rule)
        self._settled: deque[Token] = deque(maxlen=REMEMBERED)
        self._under_way: Token | None = None  # the movement that reaches the end of the newest reading

    def push(self, rows: Rows) -> list[Token]:
        out: list[Token] = []
        done = 0
        while done < len(rows):
            take = min(len(rows) - done, self._hop - self._rows % self._hop)
            self._append(rows.values[done : done + take], rows.valid[done : done + take])
            done += take
            if self._rows % self._hop == 0 and self._rows > 2 * self._margin:
                out += self._settle(self._stitcher.add(self._read(last=False)))
        return out

    def finish(self) -> list[Token]:
        """Reads on past the end, where nothing is valid, until the last movement lies well inside a window."""
        if self._rows < self._frame_rows:
            return []
        out = self._settle(self._stitcher.add(self._read(last=True)))
        return out + self._settle(self._stitcher.finish())

    def draft(self) -> tuple[Token, ...]:
        tokens = self._stitcher.draft() + ((self._under_way,) if self._under_way is not None else ())
        return tuple(self._dated(token) for token in tokens)

    def _append(self, values: Floats, valid: Bools) -> None:
        self._values, self._valid = np.concatenate([self._values, values]), np.concatenate([self._valid, valid])
        self._rows += len(values)
        over = max(0, len(self._values) - self._length)
        self._values, self._valid, self._first = self._values[over:], self._valid[over:], self._first + over

    def _read(self, *, last: bool) -> Reading:
        """The network's reading of the newest window."""
        if last and self._margin:  # the centre of the last window reaches the end of the recording
            nothing = np.zeros((self._margin, self._values.shape[1]))
            rows = self._rows
            self._append(nothing, nothing.astype(bool))
            self._rows = rows
        missing = self._length - len(self._values)
        values = np.pad(self._values, ((0, missing), (0, 0)))
        valid = np.pad(self._valid, ((0, missing), (0, 0)))
        begin = self._first + self._margin  # of what is read, in rows
        end = self._rows if last else self._rows - self._margin
        frames = (end - begin) // self._frame_rows
        lead = self._margin // self._frame_rows
        spans, scores = self._run(model_input(values, valid, self._card.inputs), begin, lead, frames)
        tokens = [self._span_token(span, scores, begin) for span in spans]
        if tokens and begin > 0:
            tokens[0] = self._begun_before(tokens[0])
        self._under_way = None if last or not tokens else tokens.pop()
        return Reading(self._first / FRAME_RATE_HZ, self._rows / FRAME_RATE_HZ, tuple(tokens))

    def _begun_before(self, token: Token) -> Token:
        """Corrects the first token of a reading, which may have begun before the reading.

        It begins where the settled tokens end, because no other movement is open there. With the label of the last
        settled token, it is the same movement if the reading begins after the settled end, or if both end together."""
        last = self._stitcher.last
        if last is None or token.end_s <= last.start_s:
            return token
        if token.label == last.label:
            is_last = token.start_s > last.end_s or token.end_s <= last.end_s + self._rule.agree_within_s
            return replace(token, start_s=last.start_s) if is_last else token
        return replace(token, start_s=min(token.start_s, last.end_s))

    def _run(self, steps: Array, begin: int, lead: int, frames: int) -> tuple[list[Span], Array]:
        """Spans over the frames that are read, and the log-probabilities of these frames."""
        names = [tensor.name for tensor in self._card.network_inputs]
        outputs = [tensor.name for tensor in self._card.network_outputs]
        if self._card.kind is Kind.SEQUENCE:
            feed = {names[0]: steps[None], names[1]: np.array([self._before(begin / FRAME_RATE_HZ)])}
            found = self._model.run(feed)
            scores = found[outputs[1]][0, lead : lead + frames]
            symbols = found[outputs[0]][0].argmax(axis=1).tolist()
            onset = found[outputs[2]][0, lead : lead + frames] if len(outputs) > 2 else None
            return laid_out(symbols, len(self._card.labels), scores, onset), scores
        steps = steps[: frames * self._card.steps_per_frame]
        found = self._model.run({names[0]: steps[None]})
        scores = found[outputs[0]][0, :frames]
        if len(outputs) > 1:
            return refined(np.exp(scores), 1 / (1 + np.exp(-found[outputs[1]][0, :frames]))), scores
        return spans_of(scores.argmax(axis=1)), scores

    def _before(self, begin_s: float) -> int:
        """The label that a sequence network gets as its prefix: that of the movement under way at `begin_s`, if it is
        known and the network was trained so; else that of the movement before; one past the last label if there is
        none."""
        if self._card.told_under_way:
            known = [*self._settled, *self._stitcher.draft(), *([self._under_way] if self._under_way else [])]
            for token in known:
                ends_s = min(token.end_s, begin_s + self._margin / FRAME_RATE_HZ)
                if token.start_s < begin_s < token.end_s and told_before(token.start_s, begin_s, ends_s):
                    return self._card.labels.index(token.label)
        earlier = [token for token in self._settled if token.end_s <= begin_s + 1 / FRAME_RATE_HZ]
        return self._card.labels.index(earlier[-1].label) if earlier else len(self._card.labels)

    def _span_token(self, span: Span, scores: Array, begin: int) -> Token:
        start, end = ((begin + at * self._frame_rows) / FRAME_RATE_HZ for at in (span.start, span.end))
        confidence = float(np.exp(scores[span.start : span.end, span.label]).mean())
        return Token(self._card.labels[span.label], self._side, start, end, confidence)

    def _settle(self, tokens: list[Token]) -> list[Token]:
        self._settled.extend(tokens)
        return [self._dated(token) for token in tokens]

    def _dated(self, token: Token) -> Token:
        return _token(token.label, self._side, self._start_s, token.start_s, token.end_s, token.confidence)


def laid_out(symbols: list[int], end: int, scores: Array, onset: Array | None) -> list[Span]:
    """The symbols before the first END as spans over the frames they were read from.

    Repeats are kept only if the network has an onset for the second one; else two readings would not agree on its
    begin. A sequence without END is unreliable, and its repeats are merged. A symbol with too low frame probabilities
    is dropped; equal neighbours are then merged."""
    said = symbols[: symbols.index(end)] if end in symbols else symbols
    if onset is None or end not in symbols:
        said = [label for label, _ in itertools.groupby(said)]
    said = said[: len(scores)]
    while said:
        spans = align_tokens(said, scores, onset)
        known = [float(np.exp(scores[span.start : span.end, span.label]).mean()) for span in spans]
        least = int(np.argmin(known))
        if known[least] >= UNKNOWN_TO_FRAMES:
            return spans
        alike = said[least - 1 : least] == said[least + 1 : least + 2]
        begins = onset is not None and onset[spans[least].start : spans[least].end + 1].max() > 0
        del said[least : least + (2 if alike and not begins else 1)]
    return []


def _token(label: str, side: Side, origin_s: float, start_s: float, end_s: float, confidence: float) -> Token:
    return Token(
        label,
        side,
        round(origin_s + start_s, DIGITS_S),
        round(origin_s + end_s, DIGITS_S),
        round(confidence, DIGITS_CONFIDENCE),
    )
