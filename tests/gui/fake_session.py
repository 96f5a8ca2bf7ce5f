"""A small session in place of the real one: tests set its updates, and it echoes the therapist's entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rehabcount.bedside.screen_state import Words
from rehabcount.domain.arrays import Floats
from rehabcount.domain.dose import ActivityDose, Count, Dose, Plan, PlannedActivity
from rehabcount.domain.motion import CHANNELS, Frames
from rehabcount.domain.rig import Side, make_rig
from rehabcount.domain.sequence import Segment, Token
from rehabcount.domain.update import Draft, Event, Update
from rehabcount.errors import RehabcountError
from rehabcount.gui.desk import DEMO_CODE, DemoPatient, Desk, SessionSpec
from rehabcount.gui.session_thread import OnFrames, OnUpdate, Opener

PLAN = Plan((PlannedActivity("Drinking", 20), PlannedActivity("Shelf", 10), PlannedActivity("Towel")))
SPEC = SessionSpec(DEMO_CODE, make_rig("nine", Side.RIGHT, "generic", 100.0), Side.RIGHT, PLAN, DemoPatient())
CYCLE = (("idle", 0.7), ("reach", 0.9), ("transport", 1.3), ("stabilize", 0.6), ("transport", 1.0), ("reposition", 0.8))


class FakeSession:
    """It passes updates on at once, in the caller's thread."""

    def __init__(self, path: Path, on_update: OnUpdate, on_frames: OnFrames) -> None:
        self.path, self.hear, self.see = path, on_update, on_frames
        self.said: list[Words] = []
        self.running = False
        self.time_s = 0.0
        self.failure: RehabcountError | None = None
        self.trouble: RehabcountError | None = None
        self.unwritten_s = 0.0

    def start(self) -> None:
        self.running = True

    def say(self, words: Words) -> None:
        self.said.append(words)
        self.hear(replace(words, at_s=self.time_s))

    def end(self, patience_s: float = 0.0) -> None:
        self.running = False
        if self.failure is not None:
            raise self.failure

    def run_to(self, time_s: float, sensors: int = 9, lean_deg: float = 0.0) -> None:
        """Frames up to that time, ten at a time."""
        while self.time_s < time_s - 1e-9:
            times = self.time_s + np.arange(10) / 100
            self.see(frames_at(times, sensors, lean_deg))
            self.time_s = float(times[-1]) + 0.01


class Stage:
    """Hands the live screen a fake session, and holds on to it."""

    def __init__(self) -> None:
        self.session: FakeSession | None = None
        self.refuse: RehabcountError | None = None

    def make_opener(self, desk: Desk, spec: SessionSpec, path: Path) -> Opener:
        def open_session(on_update: OnUpdate, on_frames: OnFrames) -> FakeSession:
            if self.refuse is not None:
                raise self.refuse
            self.session = FakeSession(path, on_update, on_frames)
            return self.session

        return open_session


def frames_at(times: Floats, sensors: int = 9, lean_deg: float = 0.0) -> Frames:
    """Sensors that swing a little; all lean by so much about x."""
    values = np.zeros((len(times), sensors, CHANNELS))
    phase = 2 * np.pi * (0.4 + 0.1 * np.arange(sensors)) * times[:, None]
    values[:, :, 0] = 4 * np.sin(phase)
    values[:, :, 1] = 9.81 * np.cos(0.3 * np.sin(phase))
    values[:, :, 2] = 3 * np.cos(1.7 * phase)
    half = np.radians(lean_deg) / 2
    values[:, :, 6:] = np.array([np.cos(half), np.sin(half), 0.0, 0.0])
    return Frames(round(float(times[0]) * 100), times, values, np.ones((len(times), sensors), bool))


def story(until_s: float, side: Side = Side.RIGHT) -> Sequence[Update]:
    """Events and doses of a patient who repeats one task; the last two movements are drafts."""
    updates: list[Update] = []
    counts: dict[str, tuple[int, float]] = {}
    at_s, number, repetitions = 0.0, 0, 0
    tokens: list[Token] = []
    while at_s < until_s:
        for label, length_s in CYCLE:
            if at_s >= until_s:
                break
            if at_s > until_s - 3.0:
                tokens.append(Token(label, side, at_s, min(at_s + length_s, until_s), 0.6))
            else:
                number += 1
                before = counts.get(label, (0, 0.0))
                counts[label] = (before[0] + 1, before[1] + length_s)
                repetitions += number % len(CYCLE) == 3
                updates.append(Event(number, Segment(label, side, at_s, at_s + length_s), 0.9))
                updates.append(dose_of(counts, repetitions, side))
            at_s += length_s
    return [*updates, Draft(tuple(tokens))]


def dose_of(counts: dict[str, tuple[int, float]], repetitions: int, side: Side = Side.RIGHT) -> Dose:
    active_s = sum(length_s for label, (_, length_s) in counts.items() if label != "idle")
    return Dose(
        tuple(Count(label, side, number, length_s) for label, (number, length_s) in counts.items()),
        active_s,
        PLAN,
        repetitions,
        2,
        (ActivityDose("Drinking", repetitions, 20), ActivityDose("Shelf", 0, 10), ActivityDose("Towel", 0)),
    )
