"""Explicit-duration decoding: scores a frame -> a sequence of movements, with a bounded delay. numpy only.

In: log-probabilities (frames, labels) and onset logits (frames,), in pieces of any size. Out: `Onset(label, frame)`s:
a movement of that label begins there, and lasts until the next onset. The same label may follow itself: two reaches
in a row are two onsets. `decode_stream` decides each frame once `lag` further frames are known, and never changes its
mind; `decode_all` sees everything first. `without_false_starts` comes after either.

The score of a sequence is the sum over its movements of

    frame_weight * log p(label | frame)             over the frames of the movement
    onset_weight * onset logit of its first frame   (that a frame is NOT an onset is the same for all, and left out)
    log of the chance that it follows the one before, times transition_weight
    log of the chance that it lasts so long,          times duration_weight
    count_bias                                      a price or a bonus for every movement of this label: the knob by
                                                    which too many or too few counts are put right

A movement still under way contributes the chance of lasting at least so long. Past the longest tabulated duration every
further frame costs the same, so nothing is too long to be decoded.

How the lag works. A candidate is a label and the frame where it began; it carries the onsets of the last `lag` frames
that led to it. When a frame falls out of that stretch, the best candidate's word on it holds, and every candidate that
says otherwise is dropped. So what came out is always the beginning of one possible sequence. All candidates older than
the lag agree, so the work a frame is labels x lag, however long the recording.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rehabcount.domain.arrays import Floats, frozen

Array = NDArray[Any]
IMPOSSIBLE = -1e30  # not -inf: differences and products with a weight of 0 stay numbers
NO_ONSET = -1


@dataclass(frozen=True, slots=True)
class Onset:
    """A movement of this label begins at this frame."""

    label: int
    frame: int


@dataclass(frozen=True, slots=True)
class DurationModel:
    """What is known before the first frame: which movement follows which, and how long each lasts."""

    start: Floats  # (labels,) log-probability of the first movement
    follow: Floats  # (labels, labels) log-probability: row, then column
    durations: Floats  # (labels, longest) log-probability of lasting 1, 2, ... frames; the last: that long or longer
    count_bias: Floats  # (labels,)
    frame_weight: float = 1.0
    onset_weight: float = 1.0
    transition_weight: float = 1.0
    duration_weight: float = 1.0
    false_starts: tuple[tuple[int, int], ...] = ()  # (movement, next): so followed, it was the beginning of the next

    def __post_init__(self) -> None:
        for name in ("start", "follow", "durations", "count_bias"):
            object.__setattr__(self, name, frozen(np.maximum(np.asarray(getattr(self, name), float), IMPOSSIBLE)))
        labels = len(self.start)
        if self.follow.shape != (labels, labels) or self.count_bias.shape != (labels,):
            raise ValueError(f"follow {self.follow.shape} and count_bias {self.count_bias.shape} for {labels} labels")
        if self.durations.ndim != 2 or self.durations.shape[0] != labels or self.durations.shape[1] < 2:
            raise ValueError(f"durations must be ({labels}, at least 2), not {self.durations.shape}")

    @property
    def labels(self) -> int:
        return len(self.start)

    def entry(self) -> tuple[Floats, Floats]:
        """(first movement, movement after movement): weighted, with the bias of the label that begins."""
        return (
            self.transition_weight * self.start + self.count_bias,
            self.transition_weight * self.follow + self.count_bias[None, :],
        )

    def lasting(self) -> tuple[Floats, Floats]:
        """(stay, leave), (labels, longest): the score of going on past, and of ending after, 1, 2, ... frames.

        The tail beyond the table ends with the chance that fits its mean excess: one in `longest` frames.
        """
        probability = np.exp(self.durations)
        survive = np.cumsum(probability[:, ::-1], axis=1)[:, ::-1]  # chance of lasting at least d
        with np.errstate(divide="ignore", invalid="ignore"):
            hazard = np.where(survive > 0, probability / survive, 1.0)
        hazard[:, -1] = 1.0 / self.durations.shape[1]
        with np.errstate(divide="ignore"):
            stay, leave = np.log1p(-np.minimum(hazard, 1.0)), np.log(hazard)
        return (
            self.duration_weight * np.maximum(stay, IMPOSSIBLE),
            self.duration_weight * np.maximum(leave, IMPOSSIBLE),
        )


class FixedLag:
    """The decoder of one stream. `push` frames, then `finish`; both give the onsets that were settled by that."""

    def __init__(self, model: DurationModel, lag: int) -> None:
        if lag < 1:
            raise ValueError(f"lag must be at least 1 frame, not {lag}")
        self._model, self._lag = model, lag
        self._first, self._next = model.entry()
        self._stay, self._leave = model.lasting()
        labels = model.labels
        # Candidates by age: [label, a] began a frames before the newest. All older ones are the one settled movement.
        self._score = np.full((labels, lag + 1), IMPOSSIBLE)
        self._path = np.full((labels, lag + 1, lag + 1), NO_ONSET, np.int16)  # onsets of the last lag + 1 frames
        self._settled: Onset | None = None
        self._settled_score = IMPOSSIBLE
        self._frame = -1

    @property
    def frame(self) -> int:
        """Number of frames seen."""
        return self._frame + 1

    def push(self, log_probabilities: Array, onset_logits: Array) -> list[Onset]:
        """Onsets that these further frames settle."""
        model, out = self._model, list[Onset]()
        emissions = model.frame_weight * np.asarray(log_probabilities, float)
        onsets = model.onset_weight * np.asarray(onset_logits, float)
        for emission, onset in zip(emissions, onsets, strict=True):
            self._advance(emission, float(onset))
            settled = self._settle()
            if settled is not None:
                out.append(settled)
        return out

    def _advance(self, emission: Floats, onset: float) -> None:
        labels, lag = self._model.labels, self._lag
        self._frame += 1
        if self._frame == 0:
            self._score[:, 0] = self._first + onset + emission
            self._path[:, 0, -1] = np.arange(labels)
            return
        ages = np.minimum(np.arange(lag + 1), self._leave.shape[1] - 1)
        leaving = self._score + self._leave[:, ages]  # (labels, ages)
        best_age = leaving.argmax(axis=1)
        exits = leaving[np.arange(labels), best_age]  # the best way out of each label
        came_from_settled = np.zeros(labels, bool)
        if self._settled is not None:
            age = self._settled_age(self._frame - 1)
            out_of_settled = self._settled_score + self._leave[self._settled.label, age]
            if out_of_settled > exits[self._settled.label]:
                exits[self._settled.label] = out_of_settled
                came_from_settled[self._settled.label] = True
        ways = exits[:, None] + self._next  # (from, to)
        source = ways.argmax(axis=0)
        entering = ways[source, np.arange(labels)] + onset + emission

        shifted = np.full_like(self._path, NO_ONSET)
        shifted[:, 1:, :-1] = self._path[:, :-1, 1:]
        parents = self._path[source, best_age[source], 1:]  # (to, lag)
        shifted[:, 0, :-1] = np.where(came_from_settled[source][:, None], NO_ONSET, parents)
        shifted[:, 0, -1] = np.arange(labels)
        score = np.empty_like(self._score)
        score[:, 1:] = self._score[:, :-1] + self._stay[:, ages[:-1]] + emission[:, None]
        score[:, 0] = entering
        if self._settled is not None:
            self._settled_score += (
                self._stay[self._settled.label, self._settled_age(self._frame - 1)] + emission[self._settled.label]
            )
        self._score, self._path = score, shifted

    def _settled_age(self, frame: int) -> int:
        assert self._settled is not None
        return min(frame - self._settled.frame, self._leave.shape[1] - 1)

    def _settle(self) -> Onset | None:
        """Let the best candidate decide the frame that is now `lag` old."""
        frame = self._frame - self._lag
        if frame < 0:
            return None
        label, age = np.unravel_index(self._score.argmax(), self._score.shape)
        word = NO_ONSET
        if self._settled is None or self._score[label, age] > self._settled_score:
            word = int(self._path[label, age, 0])
        self._score[self._path[:, :, 0] != word] = IMPOSSIBLE
        onset = None
        if word != NO_ONSET:
            onset = Onset(word, frame)
            # Of the candidates that began at this frame one is left; it is the settled movement now.
            self._settled, self._settled_score = onset, float(self._score[word, self._lag])
        self._score[:, self._lag] = IMPOSSIBLE
        top = max(float(self._score.max()), self._settled_score)
        self._score = np.maximum(self._score - top, IMPOSSIBLE)  # an hour of log-probabilities would lose its digits
        self._settled_score = max(self._settled_score - top, IMPOSSIBLE)
        return onset

    def finish(self) -> list[Onset]:
        """No more frames: the best candidate decides the rest."""
        return self.tentative()

    def tentative(self) -> list[Onset]:
        """What the best candidate says about the frames that are not settled yet; more frames may change it."""
        if self._frame < 0:
            return []
        label, age = np.unravel_index(self._score.argmax(), self._score.shape)
        if self._settled is not None and self._settled_score >= self._score[label, age]:
            return []
        first = self._frame - self._lag + 1  # the frame before it was decided, or there was none
        words = self._path[label, age, 1:].tolist()
        return [Onset(word, frame) for frame, word in enumerate(words, start=first) if word != NO_ONSET]


def without_false_starts(onsets: Iterable[Onset], pairs: Sequence[tuple[int, int]]) -> list[Onset]:
    """A movement that leads straight into one which it never leads into was that one's beginning.

    A hand that goes to scratch an ear begins like a reach. Nothing waits longer for this: a movement is over when the
    next one has begun, and that is when it is told.
    """
    out: list[Onset] = []
    for onset in onsets:
        if out and (out[-1].label, onset.label) in pairs:
            out[-1] = Onset(onset.label, out[-1].frame)
        else:
            out.append(onset)
    return out


def decode_stream(pieces: Iterable[tuple[Array, Array]], model: DurationModel, lag: int) -> Iterator[Onset]:
    """The stream: (log-probabilities, onset logits) in, settled onsets out, each at most `lag` frames late."""
    decoder = FixedLag(model, lag)
    for log_probabilities, onset_logits in pieces:
        yield from decoder.push(log_probabilities, onset_logits)
    yield from decoder.finish()


def decode_all(log_probabilities: Array, onset_logits: Array, model: DurationModel) -> list[Onset]:
    """The best sequence of a whole recording, found movement by movement."""
    frames, labels = len(log_probabilities), model.labels
    if not frames:
        return []
    first, follow = model.entry()
    stay, leave = model.lasting()
    longest = leave.shape[1]
    emission = model.frame_weight * np.asarray(log_probabilities, float)
    total = np.vstack([np.zeros(labels), np.cumsum(emission, axis=0)])  # (frames + 1, labels)
    onset = model.onset_weight * np.asarray(onset_logits, float)
    going_on = np.concatenate([np.zeros((labels, 1)), np.cumsum(stay, axis=1)], axis=1)  # lasting past 0, 1, ... frames

    begin = np.full((frames, labels), IMPOSSIBLE)  # best score up to a movement's first frame, its own not included
    came = np.zeros((frames, labels, 2), np.int64)  # (frame, label) where the movement before began
    begin[0] = first + onset[0]
    tail = np.full(labels, IMPOSSIBLE)  # movements older than the table: one score a label is enough
    tail_start = np.zeros(labels, np.int64)
    for t in range(1, frames + 1):
        oldest = max(0, t - longest)
        if t > longest:
            joining = begin[t - longest - 1] - total[t - longest - 1] + going_on[:, longest]
            kept = tail + stay[:, -1]
            tail_start = np.where(joining > kept, t - longest - 1, tail_start)
            tail = np.maximum(joining, kept)
        starts = np.arange(t - 1, oldest - 1, -1)  # ages 1, 2, ...
        ages = t - starts
        running = begin[starts] + total[t] - total[starts] + going_on[:, ages - 1].T  # (starts, labels)
        ending = leave[:, ages - 1].T if t < frames else 0.0  # the last movement is still under way
        table = running + ending
        which = table.argmax(axis=0)
        score, since = table[which, np.arange(labels)], starts[which]
        old = tail + total[t] + (leave[:, -1] if t < frames else 0.0)
        since, score = np.where(old > score, tail_start, since), np.maximum(old, score)
        if t == frames:
            return _trace(int(score.argmax()), int(since[score.argmax()]), came)
        ways = score[:, None] + follow
        source = ways.argmax(axis=0)
        begin[t] = ways[source, np.arange(labels)] + onset[t]
        came[t, :, 0], came[t, :, 1] = since[source], source
    raise AssertionError("the last frame returns")


def _trace(label: int, frame: int, came: Array) -> list[Onset]:
    found = [Onset(label, frame)]
    while frame > 0:
        frame, label = (int(number) for number in came[frame, label])
        found.append(Onset(label, frame))
    return found[::-1]
