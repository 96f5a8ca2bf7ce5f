"""How a hand is held at a goal: the grips that scripts name."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Grip:
    """How the hand is held at a goal: angles in radians, and where the fingers point (this arm's axes: +z outwards)."""

    pronation: float
    flexion: float = -0.2
    deviation: float = 0.0
    swivel: float = 0.1
    pointing: tuple[float, float, float] = (0.9, -0.1, -0.42)


REST = Grip(0.66, -0.1, 0.0, 0.21, (0.93, -0.1, -0.35))  # palm down on the table
SIDE = Grip(0.28, -0.3, -0.05, 0.18, (0.85, 0.0, -0.5))  # round a cup, thumb up
TOP = Grip(0.95, 0.15, 0.0, 0.25, (0.8, -0.5, -0.3))  # from above, as one takes a comb or a cap
FACE = Grip(0.31, -0.1, 0.1, 0.45, (-0.12, 0.35, -0.93))  # at mouth, eyes, cheek
TEMPLE = Grip(0.3, -0.1, 0.0, 0.25, (-0.85, 0.25, -0.45))  # glasses
HEAD = Grip(0.2, 0.1, 0.0, 0.3, (-0.60, 0.10, -0.80))  # hair
ACROSS = Grip(0.5, 0.3, 0.0, 0.4, (-0.2, 0.15, -0.97))  # to the other side of the body
LAP = Grip(1.1, 0.0, 0.0, -0.1, (0.9, -0.3, -0.3))
SPOON = Grip(0.55, 0.05, 0.0, 0.20, (-0.20, 0.25, -0.95))
BRUSH = Grip(0.45, -0.1, 0.05, 0.35, (-0.25, 0.15, -0.95))
HOLD = Grip(0.35, -0.2, 0.0, 0.05, (0.75, -0.05, -0.65))  # steadying something before the body
KNIFE = Grip(0.8, 0.1, -0.1, 0.25, (0.8, -0.25, -0.5))


def shifted(grip: Grip, **angles: float) -> Grip:
    """A grip with angles added."""
    return replace(grip, **{name: getattr(grip, name) + value for name, value in angles.items()})
