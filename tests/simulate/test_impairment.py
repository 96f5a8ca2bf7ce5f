from __future__ import annotations

import numpy as np
import pytest

from rehabcount.simulate.impairment import draw_impairment


def means(score: int, field: str, count: int = 150) -> float:
    return float(np.mean([getattr(draw_impairment(score, np.random.default_rng(i)), field) for i in range(count)]))


@pytest.mark.parametrize(
    "field",
    [
        "slowness",
        "corrections",
        "evenness",
        "wander_m",
        "unsteadiness",
        "sway",
        "tremor_rad",
        "spasticity",
        "synergy",
        "trunk",
        "hike_m",
        "failure",
        "fumble_s",
        "pause",
        "weakness",
        "tail",
    ],
)
def test_every_component_grows_with_the_loss(field: str) -> None:
    assert means(66, field) < means(50, field) < means(15, field)


@pytest.mark.parametrize("field", ["overlap", "range"])
def test_what_shrinks_with_the_loss(field: str) -> None:
    assert means(66, field) > means(50, field) > means(15, field)


def test_components_vary_independently_at_one_score() -> None:
    arms = [draw_impairment(40, np.random.default_rng(i)) for i in range(400)]
    table = np.array([[a.slowness, a.corrections, a.tremor_rad, a.synergy, a.trunk, a.failure, a.pause] for a in arms])
    correlation = np.corrcoef(table.T) - np.eye(table.shape[1])
    assert np.abs(correlation).max() < 0.2
    assert (table.std(axis=0) / table.mean(axis=0) > 0.1).all()  # people with one score differ


def test_a_healthy_arm_has_no_clonus_and_no_spasticity() -> None:
    arm = draw_impairment(66, np.random.default_rng(0))
    assert arm.clonus == 0.0
    assert arm.spasticity == 0.0


@pytest.mark.parametrize("score", [-1, 67])
def test_scores_outside_the_scale_are_refused(score: int) -> None:
    with pytest.raises(ValueError, match="score"):
        draw_impairment(score, np.random.default_rng(0))
