"""Simulated sessions through the engine, with the time of each update.

`listen` runs one recording through the walk. The time of an update is that of the newest item that the walk had read
then: how long a patient would have waited, without the delay of the recorder's commits and of the machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rehabcount.domain.labels import OTHER
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Draft, Event, Recorded, Said, Update
from rehabcount.engine.session import SessionSettings, steps
from rehabcount.inference.artifact import SHIPPED, Opened, find, open_model
from rehabcount.inference.runtime import Model
from rehabcount.sensors.simulated import items_of
from rehabcount.simulate.cohort import Subject, make_cohort
from rehabcount.simulate.recording import Recording, simulate_trial
from rehabcount.simulate.statistics import trials_of

HALF = 0.5  # of intersection over union, from which two segments are the same movement


@dataclass(frozen=True, slots=True)
class Heard:
    """All updates of a session, each with the session time at which it came."""

    said: tuple[tuple[float, Update], ...]
    side: Side
    truth: tuple[Segment, ...]  # of the counted arm, from the end of the calibration on
    length_s: float

    def events(self) -> list[tuple[float, Event]]:
        return [(at, each) for at, each in self.said if isinstance(each, Event) and each.segment.side is self.side]

    def sequence(self) -> list[str]:
        """The recognised labels that count in AER: all but `other`."""
        return [event.segment.label for _, event in self.events() if event.segment.label != OTHER.name]

    def reference(self) -> list[str]:
        return [segment.label for segment in self.truth if segment.label != OTHER.name]


def open_named(which: str) -> Opened:
    """A shipped model, or one in a folder."""
    found = find(which, [SHIPPED])
    return Opened(open_model(Path(found.folder)), found.sha256)


def listen(
    recording: Recording, model: Model, *, items: Sequence[Recorded] | None = None, both_arms: bool = False
) -> Heard:
    """One recording, walked through; `items` if it arrived otherwise than it was sent."""
    said: list[tuple[float, Update]] = []
    clock = _Clock()
    settings = SessionSettings(recording.rig, recording.side, both_arms=both_arms)
    source = clock.reading(items_of(recording) if items is None else items)
    length_s = max(steps(source, settings, model, lambda update: said.append((clock.now_s, update))), default=0.0)
    return Heard(tuple(said), recording.side, truth_of(recording), length_s)


def truth_of(recording: Recording) -> tuple[Segment, ...]:
    done_s = recording.span("calibration", "done")[1]
    return tuple(segment for segment in recording.of(recording.side) if segment.start_s >= done_s - 0.05)


class _Clock:
    """The session time of the newest item."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def reading(self, items: Iterable[Recorded]) -> Iterator[Recorded]:
        origin_ns: int | None = None
        for item in items:
            if origin_ns is None and not isinstance(item, Said):
                origin_ns = item.received_ns
            if origin_ns is not None:
                self.now_s = max(self.now_s, (item.received_ns - origin_ns) / 1e9)
            yield item


@dataclass(frozen=True, slots=True)
class Delays:
    """Seconds from the true end of each recognised movement to its draft and to its event; how many were missed."""

    draft: list[float]
    event: list[float]
    missed: int


def delays_of(heard: Heard) -> Delays:
    """A movement's event is the one of its label with which it shares half of what the two cover; its draft is the
    first that names it. A movement without such an event is missed; the delay of a wrong event is not used."""
    events = heard.events()
    drafts = [(at, each) for at, each in heard.said if isinstance(each, Draft)]
    draft, event, missed = list[float](), list[float](), 0
    for true in heard.truth:
        if true.label == OTHER.name or true.end_s > heard.length_s - 2.0:  # the end of input settles at once
            continue
        mine = [(at, each) for at, each in events if each.segment.label == true.label]
        best = max(mine, key=lambda pair: _shared(pair[1].segment, true), default=None)
        if best is None or _shared(best[1].segment, true) < HALF:
            missed += 1
            continue
        event.append(best[0] - true.end_s)
        named = [
            at
            for at, each in drafts
            if at > true.start_s
            and any(
                token.label == true.label and token.side is heard.side and token.start_s < true.end_s
                for token in each.tokens
                if token.end_s > true.start_s
            )
        ]
        draft.append(min(named, default=best[0]) - true.end_s)
    return Delays(draft, event, missed)


def _shared(a: Segment, b: Segment) -> float:
    """The share of what two segments cover together that both cover."""
    both = min(a.end_s, b.end_s) - max(a.start_s, b.start_s)
    return both / (a.length_s + b.length_s - both) if both > 0 else 0.0


def cohort_recordings(patients: int, repetitions: int, seed: int = 0) -> Iterator[Recording]:
    """Trials of the simulated stroke test set, patient after patient."""
    for subject in cohort_patients(seed)[:patients]:
        for activity, side in trials_of(subject):
            for repetition in range(1, repetitions + 1):
                yield simulate_trial(subject, activity, repetition, seed, side=side)


def cohort_patients(seed: int = 0) -> list[Subject]:
    return [subject for subject in make_cohort(seed) if subject.group == "test"]
