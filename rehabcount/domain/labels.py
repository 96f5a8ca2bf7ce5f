"""Labels: the classes of movement.

The five functional primitives follow the taxonomy of Schambra et al. (2019) as used by StrokeRehab (Kaku et al., 2022).
`other` is ours: movement that belongs to no exercise (walking, gesturing, being moved by the therapist); it is
recognised so that it is never counted.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Label:
    """One class of movement. It has one colour, one letter and one pattern everywhere; letter and pattern identify it
    without colour. Slanted lines are no label's pattern: they mark movements that are not settled yet."""

    name: str
    letter: str
    definition: str
    counted: bool
    colour: str  # of Okabe and Ito's palette, which colour-blind people can tell apart
    pattern: str  # plain, upright (lines), dots, level (lines), grid or dense (dots)


IDLE = Label(
    "idle",
    "I",
    "The arm waits, nearly still, close to what it will act on. Kept as time, not as a count.",
    False,
    "#9aa0a6",
    "plain",
)
REACH = Label(
    "reach", "R", "The arm moves to make contact with an object; it ends at the touch.", True, "#0072b2", "upright"
)
REPOSITION = Label(
    "reposition",
    "P",
    "The empty hand moves to a new place, or back to rest, without making contact.",
    True,
    "#56b4e9",
    "dots",
)
STABILIZE = Label(
    "stabilize", "S", "The arm holds an object still, with next to no movement.", True, "#e69f00", "level"
)
TRANSPORT = Label("transport", "T", "The arm conveys an object through space.", True, "#d55e00", "grid")
OTHER = Label("other", "O", "Movement that is not exercise. Never counted.", False, "#cc79a7", "dense")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """An ordered set of labels; the order is that of a model's outputs."""

    name: str
    labels: tuple[Label, ...]

    def __post_init__(self) -> None:
        if len(set(self.names)) != len(self.labels):
            raise ValueError(f"vocabulary {self.name!r} names a label twice: {self.names}")

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(label.name for label in self.labels)

    def index(self, name: str) -> int:
        """Position of the label called `name`."""
        try:
            return self.names.index(name)
        except ValueError:
            raise ValueError(f"no label {name!r} in vocabulary {self.name!r}; it has {', '.join(self.names)}") from None

    def __getitem__(self, name: str) -> Label:
        return self.labels[self.index(name)]


PRIMITIVES = Vocabulary("primitives", (IDLE, REACH, REPOSITION, STABILIZE, TRANSPORT))
PRODUCT = Vocabulary("product", (*PRIMITIVES.labels, OTHER))
