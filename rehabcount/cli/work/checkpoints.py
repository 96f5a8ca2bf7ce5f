"""Checkpoints of trainings: packed into models, blended, or with a new decoder. Needs torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rehabcount.bedside.config import load_settings
from rehabcount.cli.console import errors, output
from rehabcount.cli.work.train import print_results, weights_named
from rehabcount.export.pack import Description, pack
from rehabcount.models import believing, card_scores, tuning
from rehabcount.models.blend import blend
from rehabcount.models.data import TrainingSet, joined
from rehabcount.models.sources import open_data
from rehabcount.models.trained import Trained, load_trained, read_decoder


@dataclass(frozen=True, slots=True)
class PackRequest:
    """Which checkpoint becomes which model."""

    checkpoint: Path
    data: Path  # as in training
    name: str
    also: tuple[Path, ...] = ()  # as in training
    version: str = "1.0"
    out: Path | None = None  # None: the user's own models
    limits: str = "Not tried on anyone else."
    made_by: str = ""
    required_parts: tuple[str, ...] = ()


def pack_checkpoint(request: PackRequest) -> None:
    training_set = joined(open_data(request.data), [open_data(each) for each in request.also])
    trained, rule = load_trained(request.checkpoint), read_decoder(request.checkpoint.parent)
    folder = request.out if request.out is not None else load_settings().models
    target = folder / f"{request.name}-{request.version}"
    with errors.status("Exporting and comparing 1,000 windows"):
        made = pack(
            target,
            trained,
            training_set,
            _description(request, trained, training_set),
            decoder=rule.model() if rule is not None else None,
            lag=rule.lag_frames if rule is not None else 1,
        )
    parity = made.card.parity
    output.print(
        f"{target}: {sum(file.stat().st_size for file in target.iterdir()) / 1e6:.2f} MB, largest difference "
        f"{parity.largest_difference:.1g} over {parity.windows} windows, same sequences; hash {made.sha256[:12]}",
        markup=False,
        soft_wrap=True,
    )


def _description(request: PackRequest, trained: Trained, training_set: TrainingSet) -> Description:
    report = card_scores.read_scores(request.checkpoint.parent)
    if report is not None:
        scores, people = report.scores, report.people
    else:
        scores = tuning.measured(request.checkpoint.parent, f"test split of {training_set.name}")
        people = len({trial.subject for trial in training_set.of("test")})
    rigs = card_scores.rigs_of(training_set) if trained.settings.augment == "bedside" else []
    return Description(
        request.name,
        request.version,
        request.made_by or f"rehabcount train {trained.settings.network}",
        request.limits,
        required_parts=request.required_parts,
        trained_rigs=tuple(rig for rig in rigs if rig != card_scores.LOST),
        scores=scores,
        evidence_people=people,
        belief=believing.read_belief(request.checkpoint.parent),
        sessions=believing.read_sessions(request.checkpoint.parent),
    )


def blend_checkpoint(checkpoint: Path, other: str, share: float, out: Path) -> None:
    made = blend(checkpoint, weights_named(other), share, out)
    text = f"{made} is blended; next: rehabcount models settle {made} --data DIR, the folder of its training"
    output.print(text, markup=False, soft_wrap=True)


def settle_checkpoint(checkpoint: Path, data: Path, also: Sequence[Path], validate: Sequence[Path]) -> None:
    sets = joined(open_data(data), [open_data(each) for each in also], [open_data(each) for each in validate])
    with errors.status("Tuning the decoder"):
        settings, outcome = tuning.again(checkpoint, sets)
        document = tuning.keep(checkpoint.parent, settings, outcome, tuning.finish(sets, outcome, settings))
    card_scores.forget(checkpoint.parent)  # they were the other decoder's
    believing.forget(checkpoint.parent)
    print_results(document, sets.labels, checkpoint.parent, data, also)
