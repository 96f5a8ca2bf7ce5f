"""The steps of the guided calibration, the same in the window and in the terminal. docs/body-axes.md describes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rehabcount.domain.rig import Side
from rehabcount.domain.update import Posed

READY, STILL = "ready", "still"


@dataclass(frozen=True, slots=True)
class GuideStep:
    """One step: `ready` (people need a moment), `still`, `elbow` or `forearm`, and how long it takes."""

    name: str
    length_s: float


# Three repetitions of each movement, slowly; the pose needs 3 s. A therapist may move the arm for the patient.
GUIDE = (GuideStep(READY, 3.0), GuideStep(STILL, 3.5), GuideStep("elbow", 9.0), GuideStep("forearm", 9.0))


def posed(name: str, start_s: float, end_s: float, side: Side) -> Posed:
    """A step that was done; the pose is that of both arms."""
    return Posed(name, start_s, end_s, None if name == STILL else side)


def posed_in_turn(steps: Iterable[GuideStep], begun_s: float, side: Side) -> tuple[Posed, ...]:
    """The steps of a guide that began at `begun_s`, one after the other by the clock."""
    done, at_s = list[Posed](), begun_s
    for step in steps:
        if step.name != READY:
            done.append(posed(step.name, at_s, at_s + step.length_s, side))
        at_s += step.length_s
    return tuple(done)
