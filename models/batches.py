"""Batches: trials -> padded tensors of equal length, cut as the network asks, in an order that a seed decides.

`epoch_plan` lists which stretches of which trials an epoch sees; `make_batch` cuts, augments and pads some of them.
Both depend on nothing but their arguments (seed, epoch, number of the batch), so training can stop and go on
anywhere.

A stretch of `length` steps carries `margin` steps of context on both sides of the part whose sequence is the target
(StrokeRehab: 6 s windows, centre 4 s). The target is the sequence of movements within that part, the one under way at
its start included; the last one is dropped when less than half of it lies before the end of that part and it is not
the only one. `previous` is the last label of the stretch before: that of the movement under way, if by that rule it
belongs to the stretch before as well, otherwise of the one before it; `labels` (one past the last) if there is none.
Stretches with margins reach over a trial's ends, filled with zeros, as windows do when a whole trial is read: its first
and last second are targets, too, and its end may lie anywhere in the last window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rehabcount.inference.inputs import InputSpec, model_input
from rehabcount.inference.spans import told_before
from rehabcount.models.augment import AugmentSettings, TrialPart, augment
from rehabcount.models.data import UNKNOWN, Labels, Mask, TrainingSet, Trial

SPARE_SPEED = 2.0  # deviations of log speed: so much more is cut, that a faster stretch has its end, too


@dataclass(frozen=True, slots=True)
class Cut:
    """How examples are cut, in steps of the network's input. `length` 0: whole trials."""

    length: int
    hop: int
    margin: int = 0


@dataclass(frozen=True, slots=True)
class Batch:
    inputs: Tensor  # (batch, steps, width) float32
    mask: Tensor  # (batch, steps) bool: steps that were recorded
    labels: Tensor  # (batch, steps) int64, UNKNOWN without a label
    onsets: Tensor  # (batch, steps) bool
    previous: Tensor  # (batch,) int64
    tokens: Tensor  # (batch, longest) int64, UNKNOWN behind the last
    spans: tuple[slice, ...] = ()  # where each example lies in its trial


def steps_of(labels: Labels, onsets: Mask, frames_per_step: int) -> tuple[Labels, Mask]:
    """Labels and onsets at the network's rate: a step has the label of its middle frame, and an onset if any frame has.

    A step with an onset has the label that begins there. Of two onsets within one step the last is left; at the rates
    used here a step is shorter than any movement.
    """
    steps = len(labels) // frames_per_step
    used = steps * frames_per_step
    label = np.array(labels[frames_per_step // 2 : used : frames_per_step])
    begins = onsets[:used].reshape(steps, frames_per_step)
    last = frames_per_step - 1 - begins[:, ::-1].argmax(axis=1)
    any_begins: Mask = np.asarray(begins.any(axis=1))
    label[any_begins] = labels[:used].reshape(steps, frames_per_step)[any_begins, last[any_begins]]
    return label, any_begins


def epoch_plan(trials: Sequence[Trial], cut: Cut, frames_per_step: int, seed: int, epoch: int) -> list[tuple[int, int]]:
    """(trial, first frame) of every stretch of this epoch, shuffled; the first frame may lie before the trial.

    Stretches start at a random offset, but the targets of a trial's first and last stretch reach to the ends of the
    trial: movements there are rare, and must be seen as often as the others. A stretch without labels is left out.
    """
    rng = np.random.default_rng([seed, epoch, 1])
    plan = []
    for i, trial in enumerate(trials):
        steps = len(trial) // frames_per_step
        first, last = -cut.margin, steps - cut.length + cut.margin
        if cut.length == 0 or last <= first:
            starts = [first]
        else:
            end = steps - cut.margin if cut.margin else last  # windows of a whole trial end when their centres have
            starts = sorted({first, *range(first + int(rng.integers(cut.hop)), end, cut.hop), last})
        plan += [
            (i, start * frames_per_step)
            for start in starts
            if (trial.labels[part_of(trial, start * frames_per_step, cut, frames_per_step)] != UNKNOWN).any()
        ]
    order = rng.permutation(len(plan))
    return [plan[j] for j in order]


def part_of(trial: Trial, start: int, cut: Cut, frames_per_step: int) -> slice:
    """The frames of the trial that a stretch from frame `start` on covers."""
    end = len(trial) if cut.length == 0 else start + cut.length * frames_per_step
    return slice(max(0, start), min(end, len(trial)))


def make_batch(
    data: TrainingSet,
    trials: Sequence[Trial],
    chosen: Sequence[tuple[int, int]],
    cut: Cut,
    spec: InputSpec,
    settings: AugmentSettings | None,
    seed: Sequence[int],
) -> Batch:
    """The stretches `chosen` of an epoch's plan as one batch."""
    examples = []
    for number, (i, start) in enumerate(chosen):
        trial = trials[i]
        part = part_of(trial, start, cut, spec.frames_per_step)
        wanted = part.stop - part.start
        if settings is not None:
            part = slice(part.start, part.start + round(wanted * np.exp(SPARE_SPEED * settings.warp)))
        stretch: TrialPart = (trial.rows[part], trial.valid[part], trial.labels[part], trial.onsets[part])
        if settings is not None:
            rng = np.random.default_rng([*seed, number, 2])
            stretch = augment(stretch, data.sensors, data.rate_hz, settings, rng)
        rows, valid, labels, onsets = stretch
        rows, valid, labels, onsets = rows[:wanted], valid[:wanted], labels[:wanted], onsets[:wanted]
        step_labels, step_onsets = steps_of(labels, onsets, spec.frames_per_step)
        before = max(0, -start) // spec.frames_per_step
        examples.append(
            (
                np.pad(model_input(rows, valid, spec), ((before, 0), (0, 0))),
                np.pad(step_labels, (before, 0), constant_values=UNKNOWN),
                np.pad(step_onsets, (before, 0)),
            )
        )
    return collate(examples, cut, len(data.labels))


def collate(
    examples: Sequence[tuple[NDArray[np.float32], Labels, Mask]], cut: Cut, none: int, spans: tuple[slice, ...] = ()
) -> Batch:
    """Examples padded to the longest (or to the cut's length) and stacked."""
    length = max(cut.length, *(len(inputs) for inputs, _, _ in examples))
    width = examples[0][0].shape[1]
    number = len(examples)
    inputs = np.zeros((number, length, width), np.float32)
    mask = np.zeros((number, length), bool)
    labels = np.full((number, length), UNKNOWN, np.int64)
    onsets = np.zeros((number, length), bool)
    targets = []
    for i, (x, y, on) in enumerate(examples):
        n = len(y)
        inputs[i, :n], mask[i, :n], labels[i, :n], onsets[i, :n] = x[:n], True, y, on
        targets.append(target_of(y, on, cut, none))
    longest = max(1, *(len(tokens) for _, tokens in targets))
    tokens = np.full((number, longest), UNKNOWN, np.int64)
    for i, (_, sequence) in enumerate(targets):
        tokens[i, : len(sequence)] = sequence
    return Batch(
        torch.from_numpy(inputs),
        torch.from_numpy(mask),
        torch.from_numpy(labels),
        torch.from_numpy(onsets),
        torch.tensor([previous for previous, _ in targets]),
        torch.from_numpy(tokens),
        spans,
    )


def target_of(labels: Labels, onsets: Mask, cut: Cut, none: int) -> tuple[int, list[int]]:
    """(the label before, the sequence of the part between the margins)."""
    begin, end = cut.margin, min(len(labels), cut.length - cut.margin) if cut.length else len(labels)
    known = labels != UNKNOWN
    starts = np.flatnonzero(onsets | (known & ~np.concatenate([[False], known[:-1]])))
    starts = starts if len(starts) and starts[0] == 0 else np.concatenate([[0], starts]).astype(np.int64)
    bounds = np.concatenate([starts, [len(labels)]])
    inside = [j for j in range(len(starts)) if bounds[j] < end and bounds[j + 1] > begin]
    inside = [j for j in inside if labels[bounds[j]] != UNKNOWN]
    # The last movement may continue past the stretch; here it is cut at the stretch's end.
    if len(inside) > 1 and not told_before(bounds[inside[-1]], end, min(bounds[inside[-1] + 1], len(labels))):
        inside.pop()
    tokens = [int(labels[bounds[j]]) for j in inside]
    if not inside:
        return none, tokens
    first = inside[0]
    began, ends = bounds[first], min(bounds[first + 1], begin + cut.margin)
    # A movement that began before this stretch counts as long enough.
    told = began < begin and (began == 0 or told_before(began, begin, ends))
    before = first if told else first - 1
    previous = int(labels[bounds[before]]) if before >= 0 and labels[bounds[before]] != UNKNOWN else none
    return previous, tokens


def frames_of(batch: Batch, stride: int) -> tuple[Tensor, Tensor]:
    """Labels and onsets a frame: the label of the last onset within the frame, else of its middle step."""
    frames = batch.labels.shape[1] // stride
    labels = batch.labels[:, : frames * stride].reshape(-1, frames, stride)
    begins = batch.onsets[:, : frames * stride].reshape(-1, frames, stride)
    order = torch.arange(1, stride + 1)
    last = (begins * order).argmax(dim=2, keepdim=True)
    middle = torch.full_like(last, stride // 2)
    onset = begins.any(dim=2)
    return labels.gather(2, torch.where(onset[:, :, None], last, middle))[:, :, 0], onset
