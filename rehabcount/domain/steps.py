"""The steps that repeated recordings of one exercise share, where they are in each recording, and how regular it was.

`rehabcount.models.discovery` finds them, without labels. A *step* is one part of the common procedure; a *kind* is what
several steps may have in common (at rest before and after: one kind, two steps).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


def default_name(number: int) -> str:
    """What a step is called before a person names it."""
    return f"step {number}"


@dataclass(frozen=True, slots=True)
class ExerciseStep:
    """One step of the common procedure.

    Attributes
    ----------
    number : int
        Its place in the procedure, from 1.
    kind : str
        A letter; steps with the same letter look alike.
    name : str
        `step 1`, ..., or as it was named.
    median_s : float
        Of the recordings that have it.
    recordings : int
        How many recordings have it.
    """

    number: int
    kind: str
    name: str
    median_s: float
    recordings: int


@dataclass(frozen=True, slots=True)
class StepSpan:
    """Where a step lies in a recording. The end does not belong to it.

    Attributes
    ----------
    number : int
        The step; 0: a stretch that does not belong to the common procedure.
    kind : str
    start_s, end_s : float
    """

    number: int
    kind: str
    start_s: float
    end_s: float

    @property
    def length_s(self) -> float:
        """Seconds from start to end."""
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class RecordedSteps:
    """The steps of one recording, and how regular it was.

    Attributes
    ----------
    name : str
    start_s, end_s : float
    spans : tuple of StepSpan
        In order, without gaps, from start to end.
    missing : tuple of int
        Steps of the common procedure that it lacks.
    additional : int
        Stretches that are not in the common procedure.
    out_of_order : int
        Kinds that come at another place than in the procedure, if the recording is read without it.
    agreement : float
        The share of its time in which both readings, with and without the procedure, give the same kind.
    """

    name: str
    start_s: float
    end_s: float
    spans: tuple[StepSpan, ...]
    missing: tuple[int, ...]
    additional: int
    out_of_order: int
    agreement: float

    @property
    def length_s(self) -> float:
        """Seconds from start to end."""
        return self.end_s - self.start_s

    def length_of(self, number: int) -> float:
        """Seconds of a step; 0 if the recording lacks it."""
        return float(sum(span.length_s for span in self.spans if span.number == number))


@dataclass(frozen=True, slots=True)
class TriedSize:
    """How well a size of the model describes the recordings.

    Attributes
    ----------
    kinds, slots : int
    per_frame : float
        Log joint density of the best sample, divided by the number of frames.
    chosen : bool
    """

    kinds: int
    slots: int
    per_frame: float
    chosen: bool


@dataclass(frozen=True, slots=True)
class FoundSteps:
    """What several recordings of one exercise have in common.

    Attributes
    ----------
    steps : tuple of ExerciseStep
        The common procedure.
    recordings : tuple of RecordedSteps
    tried : tuple of TriedSize
        Of the choice of kinds and slots; empty if both were given.
    notes : tuple of str
        What was left out, and why.
    sure : float
        How often, on average, samples of the model agree with the given labelling.
    """

    steps: tuple[ExerciseStep, ...]
    recordings: tuple[RecordedSteps, ...]
    tried: tuple[TriedSize, ...]
    notes: tuple[str, ...]
    sure: float

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of steps, in order of appearance."""
        return tuple(dict.fromkeys(step.kind for step in self.steps))

    def name_of(self, span: StepSpan) -> str:
        """The name of the step; of a stretch outside of the procedure the kind in brackets."""
        return self.steps[span.number - 1].name if span.number else f"({span.kind})"

    def named(self, names: Sequence[str]) -> FoundSteps:
        """The same with other names: one for each step, or one for each kind. ValueError for another number of them,
        or an empty name."""
        given = [name.strip() for name in names]
        if not all(given):
            raise ValueError("a name is empty")
        if len(given) == len(self.steps):
            by_step = given
        elif len(given) == len(self.kinds):
            by_step = [given[self.kinds.index(step.kind)] for step in self.steps]
        else:
            raise ValueError(
                f"{len(given)} names for {len(self.steps)} steps of {len(self.kinds)} kinds: give one for each"
            )
        steps = tuple(replace(step, name=name) for step, name in zip(self.steps, by_step, strict=True))
        return replace(self, steps=steps)
