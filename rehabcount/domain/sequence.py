"""Sequences of labelled movement: segments of annotators (Segment) and of a recogniser (Token)."""

from __future__ import annotations

from dataclasses import dataclass

from rehabcount.domain.rig import Side


@dataclass(frozen=True, slots=True)
class Segment:
    """A labelled span of one arm.

    Attributes
    ----------
    label : str
    side : Side
    start_s, end_s : float
        Seconds; the end does not belong to it.
    """

    label: str
    side: Side
    start_s: float
    end_s: float

    def __post_init__(self) -> None:
        if not self.start_s <= self.end_s:
            raise ValueError(f"segment {self.label!r} ends at {self.end_s} s, before it starts at {self.start_s} s")

    @property
    def length_s(self) -> float:
        """Seconds from start to end."""
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class Token:
    """A label that a recogniser proposes for a span; not yet settled."""

    label: str
    side: Side
    start_s: float
    end_s: float
    confidence: float


@dataclass(frozen=True, slots=True)
class StitchRule:
    """How the tokens of overlapping windows become one sequence."""

    hop_s: float = 0.25
    agree_within_s: float = 0.25
    edge_s: float = 1.0
    deadline_s: float = 1.65  # after its end; waiting longer makes fewer errors (docs/counting.md)
