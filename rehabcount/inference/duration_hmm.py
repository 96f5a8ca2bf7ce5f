"""Explicit-duration decoding: scores a frame -> a sequence of movements, with a bounded delay. numpy only.

In: log-probabilities (frames, labels) and onset logits (frames,), in pieces of any size. Out: `Onset(label, frame)`s:
a movement of that label begins there, and lasts until the next onset. The same label may follow itself: two reaches
in a row are two onsets. `decode_stream` decides whether a movement begins at a frame once `lag` further frames are
known, and which movement it was when its end is decided; decisions are final. `decode_all` reads the whole recording
first.

The score of a sequence is the sum over its movements of

    frame_weight * log p(label | frame)             over the frames of the movement
    onset_weight * onset logit of its first frame   (frames without an onset add the same to all sequences, and are left
                                                    out; with onset_spread, the frames before it are included, because
                                                    an unsure network spreads the probability over neighbours)
    log probability that it follows the one before, times transition_weight
    log probability of its duration,                  times duration_weight
    count_bias                                      a cost or a bonus for every movement of this label, which corrects
                                                    too many or too few counts

A movement under way contributes the probability of lasting at least so long. Past the longest tabulated duration every
further frame costs the same, so movements of any length can be decoded. Successions in `false_starts` are impossible:
the first of the two is the beginning of the second one.

The lag. A candidate is a label and the frame where it began, with the onsets of the last `lag` frames that led to it.
When a frame becomes older than that, the best candidate decides whether a movement began there, and every candidate
that disagrees is dropped. So all candidates agree where the open movement (the one under way) began, but not on its
label: it is not counted before its end, and until then more of it is seen. When the next beginning is settled, the best
candidate also decides the label of the open movement, and candidates with another label are dropped. The output is
always the beginning of one possible sequence. The work for each frame is labels x lag, for any length of the recording.
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
NOTHING_HEARD: Array = np.empty(0)
MOST_IN_STEP = 64  # recordings decoded side by side: more are hardly faster, and take memory


@dataclass(frozen=True, slots=True)
class Onset:
    """A movement of this label begins at this frame."""

    label: int
    frame: int


@dataclass(frozen=True, slots=True)
class DurationModel:
    """The prior: which movement follows which, and how long each lasts."""

    start: Floats  # (labels,) log-probability of the first movement
    follow: Floats  # (labels, labels) log-probability: row, then column
    durations: Floats  # (labels, longest) log-probability of lasting 1, 2, ... frames; the last: that long or longer
    count_bias: Floats  # (labels,)
    frame_weight: float = 1.0
    onset_weight: float = 1.0
    transition_weight: float = 1.0
    duration_weight: float = 1.0
    onset_spread: int = 0  # frames before the first whose onset logits are used, too
    false_starts: tuple[tuple[int, int], ...] = ()  # (movement, next) that never follow each other

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
        follow = self.transition_weight * self.follow + self.count_bias[None, :]
        for before, after in self.false_starts:
            follow[before, after] = IMPOSSIBLE
        return self.transition_weight * self.start + self.count_bias, follow

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
    """The decoder of one stream. `push` frames, then `finish`; both give the movements that were settled by that: their
    labels and where they began. Each lasts until the next, the last of a push until `since`."""

    def __init__(self, model: DurationModel, lag: int) -> None:
        self._model, self._decoder = model, InStep(model, lag, 1)
        self._heard: Floats = np.empty(0)  # onset logits of the newest frames, as many as are spread

    @property
    def frame(self) -> int:
        """Number of frames seen."""
        return self._decoder.frame

    @property
    def since(self) -> int:
        """The frame where the movement under way began, as far as that is settled."""
        return int(self._decoder.open_at[0])

    def push(self, log_probabilities: Array, onset_logits: Array) -> list[Onset]:
        """Movements whose end these further frames settle."""
        emissions, onsets = weighted(self._model, log_probabilities, onset_logits, self._heard)
        if kept := self._model.onset_spread:
            self._heard = np.concatenate([self._heard, np.asarray(onset_logits, float)])[-kept:]
        out = []
        for emission, onset in zip(emissions, onsets, strict=True):
            out += self._decoder.advance(emission[None], onset[None])
        return [onset for _, onset in out]

    def finish(self) -> list[Onset]:
        """No more frames: the best candidate decides the rest."""
        return self.tentative()

    def tentative(self) -> list[Onset]:
        """The best candidate's open movement and those after it; more frames may change them."""
        return self._decoder.tentative(0)


def weighted(
    model: DurationModel, log_probabilities: Array, onset_logits: Array, heard: Array = NOTHING_HEARD
) -> tuple[Floats, Floats]:
    """Scores of frames; `heard` are the onset logits of the frames before them, as many as the model spreads."""
    onset = np.asarray(onset_logits, float)
    if model.onset_spread:
        onset = spread(np.concatenate([heard, onset]), model.onset_spread)[len(heard) :]
    return model.frame_weight * np.asarray(log_probabilities, float), model.onset_weight * onset


def spread(logits: Floats, frames: int) -> Floats:
    """The logit that a movement begins at a frame or at one of the `frames` before it."""
    none = -np.logaddexp(0.0, logits)  # log of the chance that it does not begin at this frame
    padded = np.concatenate([np.zeros(frames), none])
    nowhere = np.minimum(sum(padded[i : i + len(logits)] for i in range(frames + 1)), -np.finfo(float).tiny)
    return np.log(-np.expm1(nowhere)) - nowhere


class InStep:
    """Any number of independent streams that are decoded side by side, frame after frame."""

    def __init__(self, model: DurationModel, lag: int, streams: int) -> None:
        if lag < 1:
            raise ValueError(f"lag must be at least 1 frame, not {lag}")
        self.lag, self.frame = lag, 0  # frame: how many were seen
        self._first, self._next = model.entry()
        self._stay, self._leave = model.lasting()
        labels = model.labels
        self._labels, self._rows = np.arange(labels), np.arange(streams)
        ages = np.minimum(np.arange(lag + 1), self._leave.shape[1] - 1)
        self._leave_at, self._stay_at = self._leave[:, ages], self._stay[:, ages[:-1]]
        # Candidates by age: [label, a] began a frames before the newest. All older ones are the open movement.
        self._score = np.full((streams, labels, lag + 1), IMPOSSIBLE)
        self._path = np.full(
            (streams, labels, lag + 1, lag + 1), NO_ONSET, np.int16
        )  # onsets of the last lag + 1 frames
        self._out_of = np.full((streams, labels, lag + 1), NO_ONSET, np.int16)  # each candidate's open movement
        self.open_at = np.zeros(streams, np.int64)  # where the open movement began
        self._open_score = np.full((streams, labels), IMPOSSIBLE)  # if it is this label, and still under way

    def keep(self, streams: int) -> None:
        """Only the first so many go on."""
        for name in ("_rows", "_score", "_path", "_out_of", "open_at", "_open_score"):
            setattr(self, name, getattr(self, name)[:streams])

    def advance(self, emission: Floats, onset: Floats) -> list[tuple[int, Onset]]:
        """One more frame of each stream, (streams, labels) and (streams,). Gives (stream, movement) where a movement's
        end is settled by it: that the next one began `lag` frames ago."""
        if self.frame == 0:
            self._score[:, :, 0] = self._first + onset[:, None] + emission
            self._path[:, :, 0, -1] = self._labels
        else:
            self._step(emission, onset)
        self.frame += 1
        return self._settle() if self.frame > self.lag else []

    def _step(self, emission: Floats, onset: Floats) -> None:
        column = self._rows[:, None]
        leaving = self._score + self._leave_at
        best_age = leaving.argmax(axis=2)  # (streams, labels)
        exits = leaving.max(axis=2)  # the best way out of each label
        age = np.minimum(self.frame - 1 - self.open_at, self._leave.shape[1] - 1)
        out_of_open = self._open_score + self._leave[:, age].T
        from_open = out_of_open > exits
        exits = np.maximum(exits, out_of_open)
        self._open_score = self._open_score + self._stay[:, age].T + emission
        ways = exits[:, :, None] + self._next  # (streams, from, to)
        source = ways.argmax(axis=1)
        before = best_age[column, source]
        opened = from_open[column, source]
        path = np.empty_like(self._path)
        path[:, :, 1:, :-1] = self._path[:, :, :-1, 1:]
        path[:, :, 1:, -1] = NO_ONSET
        path[:, :, 0, :-1] = np.where(opened[:, :, None], NO_ONSET, self._path[column, source, before, 1:])
        path[:, :, 0, -1] = self._labels
        out_of = np.empty_like(self._out_of)
        out_of[:, :, 1:] = self._out_of[:, :, :-1]
        out_of[:, :, 0] = np.where(opened, source, self._out_of[column, source, before])
        score = np.empty_like(self._score)
        score[:, :, 1:] = self._score[:, :, :-1] + self._stay_at + emission[:, :, None]
        score[:, :, 0] = ways.max(axis=1) + onset[:, None] + emission
        self._score, self._path, self._out_of = score, path, out_of

    def _settle(self) -> list[tuple[int, Onset]]:
        """Let the best candidate of each stream decide whether a movement began at the frame that is now `lag` old, and
        if so, what the one before it was."""
        rows, frame = self._rows, self.frame - 1 - self.lag
        flat = self._score.reshape(len(rows), -1)
        best = flat.argmax(axis=1)
        still = self._open_score.max(axis=1)
        top = np.maximum(flat[rows, best], still)
        word = self._path.reshape(len(rows), flat.shape[1], -1)[rows, best, 0]
        begins = (flat[rows, best] > still) & (word != NO_ONSET)
        was = self._out_of.reshape(len(rows), -1)[rows, best]
        first = self._path[:, :, :, 0]
        wrong = (first != NO_ONSET) != begins[:, None, None]
        wrong |= begins[:, None, None] & (self._out_of != was[:, None, None])
        self._score[wrong] = IMPOSSIBLE
        ended = np.flatnonzero(begins)
        out = [(int(i), Onset(int(was[i]), int(self.open_at[i]))) for i in ended if was[i] != NO_ONSET]
        self.open_at[ended] = frame
        self._open_score[ended] = self._score[ended, :, self.lag]
        self._out_of[ended] = first[ended]
        self._score[:, :, self.lag] = IMPOSSIBLE
        # The sum over an hour would lose precision.
        self._score = np.maximum(self._score - top[:, None, None], IMPOSSIBLE)
        self._open_score = np.maximum(self._open_score - top[:, None], IMPOSSIBLE)
        return out

    def tentative(self, stream: int) -> list[Onset]:
        """The open movement of one stream and those after it, by the best candidate."""
        if self.frame == 0:
            return []
        score, still = self._score[stream], self._open_score[stream]
        label, age = np.unravel_index(score.argmax(), score.shape)
        if still.max() >= score[label, age]:
            return [Onset(int(still.argmax()), int(self.open_at[stream]))]
        first = self.frame - self.lag  # the frame before it was decided, or there was none
        words = self._path[stream, label, age, 1:].tolist()
        was = int(self._out_of[stream, label, age])
        begun = [] if was == NO_ONSET else [Onset(was, int(self.open_at[stream]))]
        return begun + [Onset(word, frame) for frame, word in enumerate(words, start=first) if word != NO_ONSET]


def decode_stream(pieces: Iterable[tuple[Array, Array]], model: DurationModel, lag: int) -> Iterator[Onset]:
    """The stream: (log-probabilities, onset logits) in, movements out, each at most `lag` frames after its end."""
    decoder = FixedLag(model, lag)
    for log_probabilities, onset_logits in pieces:
        yield from decoder.push(log_probabilities, onset_logits)
    yield from decoder.finish()


def decode_many(recordings: Sequence[tuple[Array, Array]], model: DurationModel, lag: int) -> list[list[Onset]]:
    """`decode_stream` of many recordings at once, which is many times as fast."""
    out: list[list[Onset]] = [[] for _ in recordings]
    order = sorted(range(len(recordings)), key=lambda i: -len(recordings[i][0]))
    for at in range(0, len(order), MOST_IN_STEP):
        group = order[at : at + MOST_IN_STEP]  # longest first, so that those which end are always the last ones
        lengths = np.array([len(recordings[i][0]) for i in group])
        emissions = np.zeros((lengths[0], len(group), model.labels))
        onsets = np.zeros((lengths[0], len(group)))
        for column, i in enumerate(group):
            emissions[: lengths[column], column], onsets[: lengths[column], column] = weighted(model, *recordings[i])
        decoder, going = InStep(model, lag, len(group)), len(group)
        for frame in range(lengths[0] + 1):
            on = int(np.count_nonzero(lengths > frame))
            for column in range(on, going):
                out[group[column]] += decoder.tentative(column)
            if on < going:
                decoder.keep(on)
                going = on
            if on:
                for column, onset in decoder.advance(emissions[frame, :on], onsets[frame, :on]):
                    out[group[column]].append(onset)
    return out


def decode_all(log_probabilities: Array, onset_logits: Array, model: DurationModel) -> list[Onset]:
    """The best sequence of a whole recording, found movement by movement."""
    frames, labels = len(log_probabilities), model.labels
    if not frames:
        return []
    first, follow = model.entry()
    stay, leave = model.lasting()
    longest = leave.shape[1]
    emission, onset = weighted(model, log_probabilities, onset_logits)
    total = np.vstack([np.zeros(labels), np.cumsum(emission, axis=0)])  # (frames + 1, labels)
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
