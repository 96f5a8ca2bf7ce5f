"""After training: tune the decoder on validation, score it, and keep both beside the checkpoint.

decoder.json   the decoding rule that goes into the card (networks that are decoded with durations)
results.json   settings, history, chosen epoch, scores on validation and test, and the curve of AER and count bias
               against delay
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rehabcount.domain.document import from_document, to_document
from rehabcount.errors import CardInvalid
from rehabcount.inference.card import Decoding
from rehabcount.inference.duration_hmm import DurationModel
from rehabcount.models import decoding
from rehabcount.models.data import TrainingSet, tokens_of
from rehabcount.models.scoring import Score, score
from rehabcount.models.train import Outcome, TrainSettings, estimates, lag_frames, output_frames

DELAYS_S = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.6)  # of the curve; a delay shorter than the look-ahead has no point on it


@dataclass(frozen=True, slots=True)
class Finished:
    decoder: DurationModel | None
    lag: int | None
    valid: Score
    test: Score | None
    curve: tuple[tuple[float, Score], ...]  # (delay in s, score on validation)


def finish(data: TrainingSet, outcome: Outcome, settings: TrainSettings) -> Finished:
    """Everything is chosen on validation; the test split is scored once, at the end."""
    scored = {
        split: [
            decoding.Scored(each, tuple(tokens_of(trial, data.counted)))
            for each, trial in zip(
                estimates(outcome.network, data.of(split), outcome.spec), data.of(split), strict=True
            )
        ]
        for split in ("valid", "test")
    }
    if not settings.durations:
        scores = [_by_spans(scored[split], data) for split in ("valid", "test")]
        return Finished(None, None, scores[0], scores[1] if scored["test"] else None, ())
    output_hz = data.rate_hz / output_frames(outcome.network, outcome.spec)
    lag = lag_frames(settings, output_hz)
    model = outcome.durations
    if scored["valid"]:
        model = decoding.tune(scored["valid"], model, lag, data.counted)
        model = decoding.settle_bias(scored["valid"], model, lag, data.counted, bound=settings.bias_bound)
    curve = []
    lookahead = int(getattr(outcome.network.settings, "lookahead", 0))
    for delay_s in DELAYS_S if scored["valid"] else ():
        frames = round(delay_s * output_hz) - lookahead
        if frames >= 1:
            curve.append((delay_s, decoding.score_of(scored["valid"], model, frames, data.counted)))
    test = decoding.score_of(scored["test"], model, lag, data.counted) if scored["test"] else None
    return Finished(model, lag, decoding.score_of(scored["valid"], model, lag, data.counted), test, tuple(curve))


def _by_spans(scored: Sequence[decoding.Scored], data: TrainingSet) -> Score:
    found = [[span.label for span in each.estimate.spans if span.label in data.counted] for each in scored]
    return score([each.reference for each in scored], found, len(data.labels))


def keep(folder: Path, settings: TrainSettings, outcome: Outcome, finished: Finished) -> dict[str, Any]:
    """Write decoder.json and results.json; the document of the latter is returned."""
    if finished.decoder is not None and finished.lag is not None:
        rule = Decoding.of(finished.decoder, finished.lag)
        (folder / "decoder.json").write_text(json.dumps(to_document(rule)), encoding="utf-8")
    document = {
        "settings": to_document(settings),
        "history": [to_document(each) for each in outcome.history],
        "chosen": to_document(outcome.chosen) if outcome.chosen is not None else None,
        "count bias within bound": outcome.unbiased,
        "valid": to_document(finished.valid),
        "test": to_document(finished.test) if finished.test is not None else None,
        "curve": [{"delay_s": delay_s, **to_document(point)} for delay_s, point in finished.curve],
    }
    (folder / "results.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return document


def read_decoder(folder: Path) -> Decoding | None:
    """The decoding rule kept beside a checkpoint; None where there is none."""
    path = folder / "decoder.json"
    if not path.is_file():
        return None
    try:
        return from_document(Decoding, json.loads(path.read_text(encoding="utf-8")), "decoder")
    except ValueError as problem:
        raise CardInvalid(f"{path} is not a decoding rule: {problem}.", advice="Train again.") from problem
