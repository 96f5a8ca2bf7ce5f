"""Impairment: what a stroke does to one arm's movement, component by component.

The Fugl-Meyer score of the upper extremity (0..66) sets the mean of every component; each component then varies
independently, because two people with the same score move differently. A healthy arm is score 66 with the spread of
healthy people. Means at scores 60 and above follow the drinking recordings (docs/simulated-patient.md); below, trends
of the literature: slower and more segmented reaching with trunk lean (Cirstea and Levin 2000), velocity-dependent
resistance, flexor synergy that costs elbow extension when the arm is lifted (Dewald), repeated reaches (Schambra
2019).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

HEALTHY_SCORE = 66
# Below about 25 of 66 the arm moves in synergies only and most of the work is compensation (Fugl-Meyer 1975; bands of
# severity: docs/simulated-patient.md). Trends steepen there, down to a score of 17; training patients lie above.
DEEP_LOSS, DEEP_RANGE = 0.61, 0.13


@dataclass(frozen=True, slots=True)
class Impairment:
    """One arm. A perfect arm would have 0 or 1 throughout; healthy arms do not."""

    score: int
    slowness: float  # movement times against healthy ones
    corrections: float  # submovements beyond the first, per movement of 30 cm
    evenness: float  # 0: one main step; 1: a chain of equal steps
    overlap: float  # how well submovements blend
    tail: float  # how much longer than the start the end of a movement takes, against healthy
    wander_m: float  # sideways error of a submovement
    unsteadiness: float  # irregularity while moving, against healthy
    sway: float  # drift and sway while holding, against healthy
    tremor_rad: float  # 4-7 Hz, in the wrist and elbow, when the arm works
    tremor_hz: float
    clonus: float  # chance of a burst after a quick stretch
    spasticity: float  # catch: flexion per fast elbow extension
    synergy: float  # elbow flexion that comes with lifting
    range: float  # usable share of arm length
    trunk: float  # share of a reach that the trunk makes
    trunk_lead_s: float  # by how much the trunk starts before the hand
    hike_m: float  # shoulder raised with the arm
    failure: float  # chance that a grasp fails
    fumble_s: float  # extra time to close and open the hand
    pause: float  # waiting times against healthy
    weakness: float  # share of a held weight that sags
    halting: float  # chance that a movement stops on its way and has to start again
    restless: float  # chance that a waiting arm does not keep still: shifts, twitches, associated reactions


def draw_impairment(score: int, rng: np.random.Generator, spread: float = 1.0) -> Impairment:
    """An arm with that score. `spread` scales how far people differ from the mean of their score."""
    if not 0 <= score <= HEALTHY_SCORE:
        raise ValueError(f"score must lie in 0..{HEALTHY_SCORE}, not {score}")
    loss = 1.0 - score / HEALTHY_SCORE
    stroke = 0.0 if score == HEALTHY_SCORE else 1.0  # even a mild stroke leaves a mark
    deep = float(np.clip((loss - DEEP_LOSS) / DEEP_RANGE, 0.0, 1.0))  # no isolated movement is left

    def about(mean: float, relative: float) -> float:
        return float(mean * np.exp(rng.normal(0.0, relative * spread)))

    def share(mean: float, width: float) -> float:
        return float(np.clip(rng.normal(mean, width * spread), 0.0, 0.95))

    return Impairment(
        score=score,
        slowness=about((1.0 + 0.04 * stroke + 0.6 * loss) * (1.0 + 0.7 * deep), 0.14),
        corrections=about(0.16 + 0.49 * stroke + 3.0 * loss + 4.5 * deep, 0.30),
        evenness=share(0.05 + 0.16 * stroke + 0.60 * loss, 0.08),
        overlap=share(0.55 - 0.05 * stroke - 0.25 * loss, 0.06),
        tail=about(0.9 + 0.35 * stroke + 0.3 * loss, 0.10),
        wander_m=about(0.006 + 0.004 * stroke + 0.03 * loss + 0.03 * deep, 0.30),
        unsteadiness=about(1.0 + 0.2 * stroke + 2.2 * loss + 5.0 * deep, 0.30),
        sway=about(1.0 + 0.4 * stroke + 2.0 * loss + 3.0 * deep, 0.35),
        tremor_rad=about(0.0002 + 0.0002 * stroke + 0.0022 * loss, 0.80),
        tremor_hz=float(rng.uniform(4.0, 7.0)),
        clonus=share(0.25 * loss**2, 0.05) if stroke else 0.0,
        spasticity=about(0.02 * stroke + 0.16 * loss, 0.45),
        synergy=about(0.02 * stroke + 0.45 * loss, 0.35),
        range=float(np.clip(rng.normal(0.97 - 0.02 * stroke - 0.22 * loss, 0.02 * spread), 0.60, 0.97)),
        trunk=share(0.03 + 0.04 * stroke + 0.55 * loss + 0.4 * deep, 0.03),
        trunk_lead_s=float(rng.normal(-0.02 + 0.20 * loss, 0.04)),
        hike_m=about(0.004 + 0.045 * loss, 0.30),
        failure=share(0.005 + 0.02 * stroke + 0.42 * loss**1.5 + 0.25 * deep, 0.02),
        fumble_s=about(0.03 + 0.09 * stroke + 0.9 * loss, 0.35),
        pause=about(1.0 + 0.25 * stroke + 0.9 * loss, 0.20),
        weakness=about(0.1 * stroke + 0.8 * loss, 0.35),
        halting=share(0.01 + 0.02 * stroke + 0.25 * loss**1.5 + 0.35 * deep, 0.01),
        restless=share(0.06 + 0.06 * stroke + 0.2 * loss + 0.6 * deep, 0.04),
    )
