"""The training loop: one for all networks.

In: a TrainingSet, TrainSettings, a folder. Out: an Outcome with the chosen weights; the folder holds `checkpoint.pt`,
from which an interrupted training goes on to bit-identical weights.

AdamW; the learning rate is a function of the step alone (linear rise, cosine fall to 0), also after a restart.
With `average` the network that is validated and kept is a running mean of the weights: single epochs differ by more
than they improve, above all on people and exercises that training does not have.
With a budget of CPU seconds every epoch gets as many batches as the rest of the budget holds, at the speed of the epoch
before; the schedule then runs over epochs, however many batches they have.
One optimiser step a batch. Everything random comes from (seed, epoch, batch) or from torch's generator, whose state
is kept. One thread: two threads a process are slower at these sizes, and sums would depend on their number.

Selection: the lowest validation AER among the epochs whose count bias is within `bias_bound` for every label; where no
epoch is, the one with the lowest sum of AER and worst bias, and the outcome says so. For a network that is decoded with
durations, the lowest AER, because the decoder's bonuses correct its counts afterwards.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from rehabcount.domain.document import from_document, to_document
from rehabcount.errors import DatasetError, DatasetMissing, ModelMismatch
from rehabcount.inference.duration_hmm import DurationModel
from rehabcount.inference.inputs import InputSpec, model_input
from rehabcount.inference.spans import merged
from rehabcount.models import decoding
from rehabcount.models.augment import RECIPES, AugmentSettings
from rehabcount.models.batches import Cut, epoch_plan, make_batch
from rehabcount.models.catalogue import CATALOGUE, cut_of, settings_of, window_steps
from rehabcount.models.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from rehabcount.models.data import TrainingSet, Trial, input_spec, tokens_of
from rehabcount.models.intervention import FADE_S, Intervention, reassembled
from rehabcount.models.network import Estimate, Network
from rehabcount.models.scoring import Score, score
from rehabcount.models.widen import widened

LARGEST_GROWTH = 3  # of an epoch over the one before, under a budget: the speed of a few batches is uncertain
OPTIONAL_HEADS = ("sequence.", "onset.")  # CTC is used in training alone; onsets came later to some networks


@dataclass(frozen=True, slots=True)
class TrainSettings:
    network: str
    preset: str = "default"
    changes: dict[str, Any] = field(default_factory=dict)  # of the network's own settings
    frames_per_step: int = 1
    length_s: float = -1.0  # of training stretches; negative: as the network likes best
    epochs: int = 30
    batch: int = 16
    learning_rate: float = 1e-3
    weight_decay: float = 1e-2
    warm_up: float = 0.1  # share of all steps
    clip: float = 1.0  # largest gradient norm: GRUs and CTC throw an occasional spike
    seed: int = 7
    augment: str = "gentle"
    validate_every: int = 1
    bias_bound: float = 0.03
    durations: bool = False  # decode with the duration model instead of the network's own way
    lag_s: float | None = None  # of that decoder; None: the whole trial is seen first
    repeats: bool = True  # a label may follow itself; False: consecutive equal labels are one, as in the paper
    epoch_batches: int = 0  # an epoch ends after so many batches; 0: when every stretch was seen
    budget_s: float = 0.0  # CPU seconds, validation included; 0: as long as it takes
    start_sha256: str = ""  # of the weights that training starts from; empty: fresh ones
    intervene: float = 0.0  # reassembled trials for each original one (models/intervention.py); 0: none
    intervene_steps: float = 1.0  # of such a trial, against an original one
    intervene_fade_s: float = FADE_S
    intervene_within_person: bool = False
    intervene_run: int = 1  # steps that are drawn together
    average: float = 0.0  # share that a step leaves of a running mean of the weights, which is kept then; 0: none


@dataclass(frozen=True, slots=True)
class Epoch:
    number: int
    loss: float
    aer: float
    edit_score: float
    bias: tuple[float | None, ...]
    cpu_s: float
    batches: int = 0
    validation_s: float = 0.0  # CPU seconds

    @property
    def worst_bias(self) -> float:
        return max((abs(value) for value in self.bias if value is not None), default=0.0)


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """The progress of the loop."""

    epoch: int
    epochs: int
    batch: int
    batches: int
    loss: float
    last: Epoch | None
    best: Epoch | None


@dataclass(frozen=True, slots=True)
class Outcome:
    network: Network
    spec: InputSpec
    durations: DurationModel
    history: tuple[Epoch, ...]
    chosen: Epoch | None  # None where there is no validation split: the last weights are kept
    unbiased: bool  # whether the chosen epoch met the bound


def learning_rate_at(step: float, steps: float, settings: TrainSettings) -> float:
    """Linear rise over the warm-up, then a cosine down to 0 at the last step."""
    rise = max(1, round(settings.warm_up * steps))
    if step < rise:
        return settings.learning_rate * (step + 1) / rise
    return settings.learning_rate * 0.5 * (1 + math.cos(math.pi * (step - rise) / max(1, steps - rise)))


def build(data: TrainingSet, settings: TrainSettings) -> tuple[Network, InputSpec]:
    """A network with fresh weights for this data."""
    spec = input_spec(data, settings.frames_per_step)
    return build_network(settings, spec, len(data.labels), data.rate_hz), spec


def build_network(settings: TrainSettings, spec: InputSpec, labels: int, rate_hz: float) -> Network:
    """A network with fresh weights; a window network's window is fitted to the rate, unless the changes give it."""
    chosen = settings_of(settings.network, settings.preset, spec.width, labels, settings.changes)
    if hasattr(chosen, "margin"):
        window = window_steps(settings.network, rate_hz / spec.frames_per_step, chosen.layers)
        chosen = settings_of(settings.network, settings.preset, spec.width, labels, {**window, **settings.changes})
    torch.manual_seed(settings.seed)
    return CATALOGUE[settings.network].network(chosen)


def train(
    data: TrainingSet,
    settings: TrainSettings,
    folder: Path | None = None,
    *,
    start: Mapping[str, Tensor] | None = None,
    on_progress: Callable[[TrainingProgress], None] = lambda progress: None,
    keep_every_s: float = 60.0,
) -> Outcome:
    """Train, from `start`'s weights or from fresh ones, or go on where the folder's checkpoint stopped."""
    torch.set_num_threads(1)
    training = Training(data, settings, folder, start=start, on_progress=on_progress, keep_every_s=keep_every_s)
    training.resume()
    for number in range(training.next_epoch, settings.epochs):
        training.epoch(number)
    return training.outcome()


class Training:
    """One training: the network, its progress, and the checkpoint that holds both."""

    def __init__(
        self,
        data: TrainingSet,
        settings: TrainSettings,
        folder: Path | None = None,
        *,
        start: Mapping[str, Tensor] | None = None,
        on_progress: Callable[[TrainingProgress], None] = lambda progress: None,
        keep_every_s: float = 60.0,
    ) -> None:
        self._data, self._settings, originals = data, settings, data.of("train")
        if not originals:
            raise DatasetMissing(
                f"{data.name} has no people to train on.", advice="Give a set with people to train on."
            )
        self._trials = originals + new_trials_of(data, settings, folder)
        self._path = folder / "checkpoint.pt" if folder is not None else None
        self._on_progress, self._keep_every_s = on_progress, keep_every_s
        self._network, self._spec = build(data, settings)
        if start is not None:
            start_from(self._network, start)
        steps_hz = data.rate_hz / self._spec.frames_per_step
        self._cut = cut_of(settings.network, steps_hz, self._network.settings, settings.length_s)
        self._schedule = Schedule(self._trials, self._cut, self._spec.frames_per_step, settings)
        self._optimiser = torch.optim.AdamW(
            self._network.parameters(), settings.learning_rate, weight_decay=settings.weight_decay
        )
        output = output_frames(self._network, self._spec)
        self._durations = decoding.fit(  # of what people do: in reassembled trials anything follows anything
            originals, len(data.labels), output, data.rate_hz / output, repeats=settings.repeats
        )
        self._augmentation: AugmentSettings | None = RECIPES[settings.augment] if settings.augment != "none" else None
        self._history: list[Epoch] = []
        self._average = averaging(self._network, settings.average) if settings.average else None
        self._best: dict[str, Tensor] | None = None
        self.next_epoch = 0
        self._next_batch = 0
        self._loss_sum = 0.0
        self._kept_at, self._cpu_at = time.monotonic(), time.process_time()

    def resume(self) -> None:
        """Go on where the checkpoint stopped, if there is one."""
        if self._path is None or not self._path.exists():
            return
        kept = read_checkpoint(self._path)
        _must_match(self._about(), kept.about, self._path)
        self._network.load_state_dict(kept.weights)
        self._optimiser.load_state_dict(kept.optimiser)
        if self._average is not None and kept.average is not None:
            self._average.load_state_dict(kept.average)
        torch.set_rng_state(kept.random)
        self._history = [from_document(Epoch, each) for each in kept.about["history"]]
        self.next_epoch, self._next_batch, self._best = kept.epoch, kept.batch, kept.best
        self._loss_sum = kept.about["loss_sum"]
        self._schedule.resume(kept.about)
        self._kept_at = time.monotonic()
        self._cpu_at = time.process_time() - float(kept.about.get("cpu_s", 0.0))

    def epoch(self, number: int) -> None:
        """The batches of this epoch that are not done yet; then validation, where it is due, and a checkpoint."""
        self._network.train()
        plan = self._schedule.plan(number, self._history)
        batches, size = self._schedule.batches[number], self._settings.batch
        for batch in range(self._next_batch, batches):
            self._step(number, batch, plan[batch * size : (batch + 1) * size])
            if time.monotonic() - self._kept_at > self._keep_every_s:
                self.keep(number, batch + 1)
                self._kept_at = time.monotonic()
            self._tell(number, batch + 1, batches)
        self._next_batch = 0
        if (number + 1) % self._settings.validate_every == 0 or number + 1 == self._settings.epochs:
            self.validate(number, batches)
        self._loss_sum = 0.0
        self.keep(number + 1, 0)

    def validate(self, number: int, batches: int) -> None:
        """Score the network as it is now; keep its weights if they are the best so far."""
        validating_at = time.process_time()
        network = self._kept()
        found = validate(network, self._data, "valid", self._spec, self._settings, self._durations)
        self._history.append(
            Epoch(
                number,
                self._loss_sum / max(1, batches),
                found.aer,
                found.edit_score,
                found.bias,
                round(time.process_time() - self._cpu_at, 3),
                batches,
                round(time.process_time() - validating_at, 3),
            )
        )
        chosen = chosen_of(self._history, self._settings)[0]
        if not self._data.of("valid") or chosen is self._history[-1]:
            self._best = {name: value.clone() for name, value in network.state_dict().items()}

    def keep(self, epoch: int, batch: int) -> None:
        """Write the checkpoint: `batch` batches of `epoch` are done."""
        if self._path is None:
            return
        progress = {
            "history": [to_document(each) for each in self._history],
            "loss_sum": self._loss_sum,
            "cpu_s": round(time.process_time() - self._cpu_at, 1),
            "batches": self._schedule.batches,
        }
        checkpoint = Checkpoint(
            {**self._about(), **progress},
            epoch,
            batch,
            self._network.state_dict(),
            self._optimiser.state_dict(),
            torch.get_rng_state(),
            self._best,
            self._average.state_dict() if self._average is not None else None,
        )
        write_checkpoint(self._path, checkpoint)

    def outcome(self) -> Outcome:
        """The network with the chosen epoch's weights."""
        if self._best is not None:
            self._network.load_state_dict(self._best)
        self._network.eval()
        judged = bool(self._data.of("valid"))
        choice, unbiased = chosen_of(self._history, self._settings) if judged else (None, False)
        return Outcome(self._network, self._spec, self._durations, tuple(self._history), choice, unbiased)

    def _step(self, epoch: int, number: int, chosen: Sequence[tuple[int, int]]) -> None:
        """One optimiser step on these stretches."""
        settings, schedule = self._settings, self._schedule
        progress = schedule.progress(epoch, number)
        seed = (settings.seed, epoch, number)
        batch = make_batch(self._data, self._trials, chosen, self._cut, self._spec, self._augmentation, seed)
        for group in self._optimiser.param_groups:
            group["lr"] = learning_rate_at(progress * schedule.steps, schedule.steps, settings)
        loss = self._network.loss(batch, progress)
        if not torch.isfinite(loss):
            raise DatasetError(
                f"the loss is {float(loss.detach())} in epoch {epoch + 1}, batch {number + 1}.",
                advice="Look for numbers in the data that no sensor measures, or lower the learning rate.",
            )
        self._optimiser.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(self._network.parameters(), settings.clip)
        self._optimiser.step()
        if self._average is not None:
            self._average.update_parameters(self._network)
        self._loss_sum += float(loss.detach())

    def _kept(self) -> Network:
        """The network whose weights are validated and kept: the running mean, where there is one."""
        if self._average is None:
            return self._network
        return cast(Network, self._average.module)

    def _tell(self, epoch: int, done: int, batches: int) -> None:
        last = self._history[-1] if self._history else None
        best = chosen_of(self._history, self._settings)[0]
        self._on_progress(
            TrainingProgress(epoch, self._settings.epochs, done, batches, self._loss_sum / done, last, best)
        )

    def _about(self) -> dict[str, Any]:
        """The settings and data that a checkpoint must share with this training to be continued."""
        data = self._data
        return {
            "settings": to_document(self._settings),
            "spec": to_document(self._spec),
            "data": {"name": data.name, "sha256": data.sha256, "labels": list(data.labels), "rate_hz": data.rate_hz},
        }


class Schedule:
    """What each epoch sees, and how far the training is."""

    def __init__(self, trials: Sequence[Trial], cut: Cut, frames_per_step: int, settings: TrainSettings) -> None:
        self._trials, self._cut, self._frames_per_step, self._settings = trials, cut, frames_per_step, settings
        number = settings.epoch_batches
        if settings.budget_s:
            self.batches: list[int] = []  # of the epochs begun
            self.steps = settings.epochs * max(1, number)
        else:
            whole = [-(-len(self._stretches(epoch)) // settings.batch) for epoch in range(settings.epochs)]
            self.batches = [min(each, number) if number else each for each in whole]
            self.steps = sum(self.batches)

    def resume(self, about: Mapping[str, Any]) -> None:
        if self._settings.budget_s:
            self.batches = list(about["batches"])

    def plan(self, epoch: int, history: Sequence[Epoch]) -> list[tuple[int, int]]:
        """The stretches of an epoch; where it has more batches than there are stretches, they come in another order
        again."""
        if epoch == len(self.batches):
            self.batches.append(self._affordable(epoch, history))
        wanted = self.batches[epoch] * self._settings.batch
        found = self._stretches(epoch)
        again = 0
        while self._settings.budget_s and found and len(found) < wanted:
            again += 1
            found += self._stretches(epoch + again * self._settings.epochs)
        return found[:wanted]

    def progress(self, epoch: int, batch: int) -> float:
        """From 0 to 1. With a budget every epoch is as long as the others; without one, every batch."""
        if self._settings.budget_s:
            return (epoch + batch / self.batches[epoch]) / self._settings.epochs
        return (sum(self.batches[:epoch]) + batch) / self.steps

    def _stretches(self, epoch: int) -> list[tuple[int, int]]:
        return epoch_plan(self._trials, self._cut, self._frames_per_step, self._settings.seed, epoch)

    def _affordable(self, epoch: int, history: Sequence[Epoch]) -> int:
        """Batches of this epoch: an equal share of the remaining time, at the speed of the epoch before."""
        if not history:
            return max(1, self._settings.epoch_batches)
        last, before_s = history[-1], history[-2].cpu_s if len(history) > 1 else 0.0
        batch_s = (last.cpu_s - before_s - last.validation_s) / last.batches
        left_s = (self._settings.budget_s - last.cpu_s) / (self._settings.epochs - epoch)
        fitting = (left_s - last.validation_s) / max(batch_s, 1e-6)
        return max(1, int(min(fitting, LARGEST_GROWTH * last.batches)))


def new_trials_of(data: TrainingSet, settings: TrainSettings, folder: Path | None) -> tuple[Trial, ...]:
    """The reassembled trials that the settings ask for; kept beside the checkpoint."""
    if settings.intervene == 0:
        return ()
    wanted = Intervention(
        settings.intervene,
        settings.intervene_steps,
        settings.intervene_fade_s,
        settings.intervene_within_person,
        settings.seed,
        settings.intervene_run,
    )
    return reassembled(data, wanted, folder / "reassembled" if folder is not None else None)


def averaging(network: Network, left: float) -> AveragedModel:
    """A running mean of the network's weights; the first step is the whole mean."""
    return AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(left))  # type: ignore[no-untyped-call]


def start_from(network: Network, weights: Mapping[str, Tensor]) -> None:
    """Another training's weights into this network, which may be wider (models/widen.py). A head that older ones or
    exported ones lack stays as it is."""
    try:
        keys = network.load_state_dict(widened(network, weights), strict=False)
        wrong = [*keys.unexpected_keys, *(key for key in keys.missing_keys if not key.startswith(OPTIONAL_HEADS))]
    except RuntimeError:
        wrong = ["another shape"]
    if wrong:
        raise ModelMismatch(
            "the weights to start from belong to a network of another shape, or to other labels or columns.",
            advice="Give a checkpoint of the same network on data of the same recipe.",
        )


def weights_sha256(weights: Mapping[str, Tensor]) -> str:
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(name.encode() + weights[name].numpy().tobytes())
    return digest.hexdigest()


def chosen_of(history: Sequence[Epoch], settings: TrainSettings) -> tuple[Epoch | None, bool]:
    """The result of `selected` with these settings."""
    return selected(history, settings.bias_bound, settled=settings.durations)


def selected(history: Sequence[Epoch], bound: float, *, settled: bool = False) -> tuple[Epoch | None, bool]:
    """The epoch that the rule chooses so far, and whether its bias is within the bound. `settled`: counts are put right
    after training."""
    known = [each for each in history if not math.isnan(each.aer)]
    if settled and known:
        lowest = min(known, key=lambda each: each.aer)
        return lowest, lowest.worst_bias <= bound
    unbiased = [each for each in known if each.worst_bias <= bound]
    return min(unbiased or known, key=lambda each: each.aer, default=None), bool(unbiased)


def output_frames(network: Network, spec: InputSpec) -> int:
    """Rows that one output frame of the network stands for."""
    settings = network.settings
    return spec.frames_per_step * int(getattr(network, "steps_per_frame", getattr(settings, "stride", 1)))


def estimates(network: Network, trials: Sequence[Trial], spec: InputSpec) -> list[Estimate]:
    network.eval()
    return [network.estimate(model_input(trial.rows, trial.valid, spec)) for trial in trials]


def validate(
    network: Network,
    data: TrainingSet,
    split: str,
    spec: InputSpec,
    settings: TrainSettings,
    durations: DurationModel,
) -> Score:
    """Scores of the network on a split, decoded as the settings say."""
    trials = data.of(split)
    reference = [tokens_of(trial, data.counted) for trial in trials]
    found = estimates(network, trials, spec)
    if settings.durations:
        lag = lag_frames(settings, data.rate_hz / output_frames(network, spec))
        scored = [decoding.Scored(e, tuple(r)) for e, r in zip(found, reference, strict=True)]
        return decoding.score_of(scored, durations, lag, data.counted)
    spans = [each.spans if settings.repeats else merged(each.spans) for each in found]
    sequences = [[span.label for span in each if span.label in data.counted] for each in spans]
    return score(reference, sequences, len(data.labels))


def lag_frames(settings: TrainSettings, output_hz: float) -> int | None:
    return None if settings.lag_s is None else max(1, round(settings.lag_s * output_hz))


def _must_match(wanted: dict[str, Any], kept: dict[str, Any], path: Path) -> None:
    kept = {**kept, "settings": to_document(TrainSettings(**kept["settings"]))}  # newer settings at their defaults
    for part in ("settings", "spec", "data"):
        if wanted[part] != kept[part]:
            raise ModelMismatch(
                f"the checkpoint {path} was made with other {part}.",
                advice="Give another folder, or remove the checkpoint to start anew.",
            )
