"""A training that fits a budget of CPU time: how many epochs it has, and how many batches the first one.

In: data, settings, seconds. Out: the settings with that many epochs. A speed measured before training may be wrong by a
third: an untrained sequence network writes very long sequences, and machines are shared. So only the number of batches
of the first epoch is decided here; `train` gives every further epoch its share of the remaining time.
"""

from __future__ import annotations

import time
from dataclasses import replace

import torch

from rehabcount.models.augment import RECIPES
from rehabcount.models.batches import epoch_plan, make_batch
from rehabcount.models.catalogue import cut_of
from rehabcount.models.data import TrainingSet
from rehabcount.models.decoding import fit
from rehabcount.models.train import TrainSettings, build, output_frames, validate

EPOCHS = 12  # points of the validation curve
LARGEST_SHARE = 0.2  # of the budget for validation; a slow one is done less often
FEWEST_EPOCHS = 3
WARM_UP, TIMED = 2, 6  # batches
TIMED_TRIALS = 4  # validation trials


def fitted(data: TrainingSet, settings: TrainSettings, budget_s: float) -> TrainSettings:
    """The settings with the epochs that `budget_s` seconds of CPU hold, validation included."""
    torch.set_num_threads(1)
    batch_s, valid_s = measure(data, settings)
    epochs = EPOCHS if valid_s == 0 else min(EPOCHS, max(FEWEST_EPOCHS, int(LARGEST_SHARE * budget_s / valid_s)))
    batches = max(1, int((budget_s - epochs * valid_s) / batch_s / epochs))
    return replace(settings, epochs=epochs, epoch_batches=batches, budget_s=budget_s, validate_every=1)


def measure(data: TrainingSet, settings: TrainSettings) -> tuple[float, float]:
    """CPU seconds of one batch, and of one validation."""
    network, spec = build(data, settings)
    trials = data.of("train")
    cut = cut_of(settings.network, data.rate_hz / spec.frames_per_step, network.settings, settings.length_s)
    plan = epoch_plan(trials, cut, spec.frames_per_step, settings.seed, 0)
    augmentation = RECIPES[settings.augment] if settings.augment != "none" else None
    optimiser = torch.optim.AdamW(network.parameters(), settings.learning_rate)
    network.train()
    started = time.process_time()
    for number in range(WARM_UP + TIMED):
        if number == WARM_UP:
            started = time.process_time()
        first = number * settings.batch % max(1, len(plan) - settings.batch)
        chosen = plan[first : first + settings.batch]
        batch = make_batch(data, trials, chosen, cut, spec, augmentation, (settings.seed, 0, number))
        optimiser.zero_grad()
        torch.autograd.backward(network.loss(batch, 0.0))
        optimiser.step()
    batch_s = (time.process_time() - started) / TIMED
    valid = data.of("valid")
    if not valid:
        return batch_s, 0.0
    output = output_frames(network, spec)
    durations = fit(trials, len(data.labels), output, data.rate_hz / output, repeats=settings.repeats)
    some = replace(data, trials=valid[:: max(1, len(valid) // TIMED_TRIALS)])
    started = time.process_time()
    validate(network, some, "valid", spec, settings, durations)
    share = sum(map(len, some.trials)) / sum(map(len, valid))
    return batch_s, (time.process_time() - started) / share
