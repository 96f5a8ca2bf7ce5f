"""Tables 1 and 2 of Rogers et al., and what their own formulas make of them. Plain arithmetic.

A row's raw and extended F1 determine, for each overlapping event, how many events are extensions (E) and how many are
active without any overlap (L), because raw = 2 / (2 + E + L) and extended = 2 (1 + E) / (2 (1 + E) + L). From E and L
follows the staircase F1 under the readings A, B and C. Under the literal reading it depends on how many events lie
beside active ones: at most two for each active one, of which there are 2 + E + L; so it has an upper bound.
"""

from __future__ import annotations

from dataclasses import dataclass

from rehabcount.metrics.abstraction import STAIR

ROUNDING = 0.001  # more than half of the last printed digit can do


@dataclass(frozen=True, slots=True)
class PublishedRow:
    activity: str
    topic: str
    raw: float
    extended: float
    staircase: float
    gradient: float


@dataclass(frozen=True, slots=True)
class ImpliedStairs:
    """The staircase F1 that a row's raw and extended F1 leave."""

    by_reading: dict[str, float]  # A, B, C
    literal_most: float  # with errors as in the raw F1
    literal_extended_most: float  # with errors as in the extended F1

    def explains(self, printed: float) -> list[str]:
        """The readings that could have given it."""
        found = [name for name, value in self.by_reading.items() if abs(value - printed) <= ROUNDING]
        if printed <= max(self.literal_most, self.literal_extended_most) + ROUNDING:
            found.append("literal")
        return found


def implied(raw: float, extended: float) -> ImpliedStairs:
    """Both above 0."""
    errors = 2 / raw - 2  # E + L
    lonely_per_joined = 2 / extended - 2  # L / (1 + E)
    extensions = max(0.0, (errors - lonely_per_joined) / (1 + lonely_per_joined))
    lonely = errors - extensions
    stairs = 1 + STAIR * extensions
    most = 1 + STAIR * 2 * (2 + errors)
    return ImpliedStairs(
        {
            "A": 2 * stairs / (2 * stairs + lonely + (1 - STAIR) * extensions),
            "B": 2 * stairs / (2 * stairs + lonely),
            "C": 2 * stairs / (2 * stairs + STAIR * lonely),
        },
        2 * most / (2 * most + errors),
        2 * most / (2 * most + lonely),
    )


TABLE_1 = (
    PublishedRow("Activity A", "Topic 2", 0.6385, 0.9521, 0.9865, 0.9896),
    PublishedRow("Activity B", "Topic 3", 0.2269, 0.9211, 0.9834, 0.9853),
    PublishedRow("Activity C", "Topic 1", 0.3159, 0.876, 0.9619, 0.977),
    PublishedRow("Activity D", "Topic 4", 0.1146, 0.8426, 0.8923, 0.8994),
    PublishedRow("Activity E", "Topic 0", 0.01835, 0.1428, 0.8053, 0.8192),
)
TABLE_2 = (
    PublishedRow("goal: move box", "Topic 1", 0.1349, 0.6441, 0.6831, 0.8309),
    PublishedRow("goal: move rebreather", "Topic 5", 0.3057, 0.9484, 0.9575, 0.9589),
    PublishedRow("goal: move quad", "Topic 2", 0.1111, 0.623, 0.5625, 0.5472),
    PublishedRow("goal: move silencer", "Topic 4", 0.05674, 0.5812, 0.8176, 0.8444),
    PublishedRow("goal: move picture", "Topic 3", 0.07292, 0.5128, 0.6491, 0.6379),
    PublishedRow("null goal", "Topic 0", 0.0, 0.0, 0.0, 0.0),
)
