"""Labels as annotators would have given them."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from numpy.typing import NDArray

from rehabcount.domain.labels import PRIMITIVES
from rehabcount.metrics.edit import evaluate
from rehabcount.simulate.cohort import Subject
from rehabcount.simulate.labelling import LOOKS_LIKE, annotated
from rehabcount.simulate.recording import reference_of, script_trial
from rehabcount.simulate.statistics import cohort_trials, merged


def tracks(cohort: tuple[Subject, ...], every: int) -> list[NDArray[np.int16]]:
    """One entry a movement; how long each lasts does not matter here."""
    found = []
    for subject, activity, repetition, side in list(cohort_trials(cohort))[::every]:
        segments = [s for s in reference_of(script_trial(subject, activity, repetition, 0, side)) if s.side is side]
        found.append(np.array([PRIMITIVES.index(segment.label) for segment in merged(segments)], np.int16))
    return found


def test_annotators_differ_from_the_script_as_they_differ_from_their_expert(cohort: tuple[Subject, ...]) -> None:
    """StrokeRehab: .021 edits a primitive over the whole dataset."""
    rng = np.random.default_rng(5)
    script = tracks(cohort, 20)
    often = 60 * script  # so that chance is worth a quarter of the tolerance
    said = [[int(label) for label, _ in groupby(annotated(track, rng))] for track in often]
    edits = evaluate([track.tolist() for track in often], said)
    assert float(edits.aer()) == pytest.approx(0.021, abs=0.001)
    ratio = edits.estimate_counts.sum(axis=0) / edits.reference_counts.sum(axis=0)
    assert np.abs(ratio - 1).max() < 0.025  # what touches its like is one: transports, the commonest, lose most


def test_mistakes_name_look_alikes_and_leave_borders_and_gaps() -> None:
    track = np.tile(np.repeat(np.array([0, 1, 4, 3, 2, -1], np.int16), 7), 300)
    said = annotated(track, np.random.default_rng(1))
    assert (said == annotated(track, np.random.default_rng(1))).all()
    assert (track == np.tile(np.repeat(np.array([0, 1, 4, 3, 2, -1], np.int16), 7), 300)).all()
    assert ((said == -1) == (track == -1)).all()
    assert (said.reshape(-1, 7) == said.reshape(-1, 7)[:, :1]).all()
    wrong = {(int(a), int(b)) for a, b in zip(track, said, strict=True) if a != b}
    allowed = {
        (PRIMITIVES.index(label.name), PRIMITIVES.index(other.name))
        for label, others in LOOKS_LIKE.items()
        for other in others
    }
    assert wrong
    assert wrong <= allowed
