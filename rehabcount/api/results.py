"""The results of counting: flat, frozen, and ready for `pandas.DataFrame`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rehabcount.domain.calibration import Calibration, Verdict
from rehabcount.domain.dose import Dose
from rehabcount.domain.labels import PRIMITIVES
from rehabcount.domain.rig import Side
from rehabcount.domain.update import Event

DOUBTFUL = ("Gap", "Lost", "ClockJump", "Discarded", "Doubt")  # the updates about the input that affect a count
NOTICE = "Counts are estimates. Research use only; not a medical device."


@dataclass(frozen=True, slots=True)
class CountedEvent:
    """One movement that was recognised. `pandas.DataFrame(result.events)` makes a table of them.

    Attributes
    ----------
    number : int
        From 1, in the order in which the movements were settled; below 0 for one that a person added.
    label : str
        `idle`, `reach`, `reposition`, `stabilize` or `transport`; `other` is movement that is not exercise.
    side : Side
        The arm, `"left"` or `"right"`.
    start_s, end_s : float
        Seconds, on the time axis of the input; the end does not belong to the movement.
    confidence : float
        0 to 1, as the model sees it.
    counts : bool
        Whether it is one of those in the numbers of `primitives` or, of the other arm, of `dose`. A movement counts if
        its middle lies in counted time (not in a calibration or a pause, not while the therapist helps, with the
        sensors that are needed) and if it is neither `idle` nor `other`.

    Examples
    --------
    >>> import rehabcount as rc
    >>> event = rc.CountedEvent(1, "reach", rc.Side.LEFT, 2.5, 3.25, 0.9, counts=True)
    >>> event.length_s
    0.75
    """

    number: int
    label: str
    side: Side
    start_s: float
    end_s: float
    confidence: float
    counts: bool

    @property
    def length_s(self) -> float:
        """Seconds from start to end."""
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class Amount:
    """How often a primitive was made by the trained arm, and for how long.

    Attributes
    ----------
    number : int
        How many; of `idle`, how many rests.
    seconds : float
        How long in all.

    Examples
    --------
    >>> import rehabcount as rc
    >>> rc.Amount(number=12, seconds=9.5).number
    12
    """

    number: int
    seconds: float


@dataclass(frozen=True, slots=True)
class CountResult:
    """How much was done: an estimate, not a measurement. `count` and `count_arrays` return it.

    Attributes
    ----------
    repetitions : int
        Task repetitions of the trained arm: cycles of handling an object, as "What is counted, and how" defines them.
    primitives : mapping from label to Amount
        Of the trained arm: `idle`, `reach`, `reposition`, `stabilize`, `transport`.
    events : tuple of CountedEvent
        Every movement of both arms, in the order in which they were settled. Some are not part of the counts, as those
        during a calibration: `counts` of each says so.
    dose : Dose
        Everything that was counted, also of the other arm and by activity.
    side : Side
        The trained arm.
    length_s, counted_s : float
        Seconds of the recording, and of it those in which movements counted.
    accuracy : str
        What is known about the accuracy of this model with these sensors.
    why_nothing : str
        Why there is no repetition; empty where there is one.
    health : mapping from str to int
        How often something was wrong with the input, by kind: `Gap`, `Lost`, `Discarded`, `Doubt` and so on.
    model : str
        Name and version of the model.
    calibration : Calibration or None
        The calibration that was used, where it is known.

    Examples
    --------
    >>> import rehabcount as rc
    >>> person = rc.simulate("drinks", subject="H18", rig="three")
    >>> result = rc.count_arrays(
    ...     person.acc, person.gyr, person.rate_hz, person.places, person.side, calibration=person.calibration
    ... )
    >>> type(result).__name__, list(result.primitives)
    ('CountResult', ['idle', 'reach', 'reposition', 'stabilize', 'transport'])
    >>> print(str(result).splitlines()[-1])
    Counts are estimates. Research use only; not a medical device.
    """

    repetitions: int
    primitives: Mapping[str, Amount]
    events: tuple[CountedEvent, ...]
    dose: Dose
    side: Side
    length_s: float
    counted_s: float
    accuracy: str
    why_nothing: str
    health: Mapping[str, int]
    model: str
    calibration: Calibration | None

    def events_of(self, side: str | None = None) -> tuple[CountedEvent, ...]:
        """The events of one arm, in order of time; of the trained one unless `side` says another."""
        wanted = self.side if side is None else side
        return tuple(sorted((each for each in self.events if each.side == wanted), key=lambda each: each.start_s))

    def __str__(self) -> str:
        counted = ", ".join(f"{label} {amount.number}" for label, amount in self.primitives.items() if label != "idle")
        lines = [
            f"{self.repetitions} task repetitions of the {self.side} arm in {self.counted_s:.0f} s ({counted})",
            self.why_nothing,
            self._doubts(),
            f"Accuracy: {self.accuracy}.",
            NOTICE,
        ]
        return "\n".join(line for line in lines if line)

    def _doubts(self) -> str:
        """A warning about faults of the input; empty if none are known."""
        wrong = [f"{kind} {number}" for kind, number in self.health.items() if kind in DOUBTFUL]
        said = [f"the input had faults ({', '.join(wrong)})"] if wrong else []
        if self.calibration is not None and self.calibration.verdict is not Verdict.GOOD:
            said.append(
                f"the calibration is {self.calibration.verdict} only ({' '.join(map(str, self.calibration.advice))})"
            )
        return f"Read with care: {'; '.join(said)}." if said else ""


def event_of(event: Event, counts: bool, origin_s: float = 0.0) -> CountedEvent:
    """The event, with times that count from where the caller's do."""
    segment = event.segment
    return CountedEvent(
        event.number,
        segment.label,
        segment.side,
        round(segment.start_s + origin_s, 6),
        round(segment.end_s + origin_s, 6),
        event.confidence,
        counts,
    )


def amounts_of(dose: Dose, side: Side) -> dict[str, Amount]:
    """The primitives of one arm, also those with the count 0."""
    mine = {count.label: count for count in dose.counts if count.side is side}
    return {
        name: Amount(mine[name].number, mine[name].length_s) if name in mine else Amount(0, 0.0)
        for name in PRIMITIVES.names
    }
