"""Hours of signal through one walk at full speed: does memory grow, and is the last round counted as the first?

A simulated session is played over and over as one stream: receive times and device ticks run on, as if the patient did
the same again and again. The first hour is compared with the last by its events. A round takes a whole number of the
model's chunks: frames that fall elsewhere in the same movement give now and then another event, which is no drift.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rehabcount.bench.engine_runs import cohort_patients
from rehabcount.bench.experiment import Context
from rehabcount.domain.labels import OTHER
from rehabcount.domain.motion import Packet
from rehabcount.domain.update import Event, Recorded, Said, Update
from rehabcount.engine.session import SessionSettings, steps
from rehabcount.inference.artifact import Opened
from rehabcount.metrics.edit import evaluate
from rehabcount.sensors.layouts import GENERIC_HEAD
from rehabcount.sensors.simulated import items_of
from rehabcount.simulate.recording import Recording, simulate_session

ROUND_MINUTES = 10.0
ROUND_STEP_S = 1.0  # chunks, windows every quarter second and frames of 0.04 s: all begin anew where a round does
EARLY_S = 600.0
SETTLING_S = 5.0  # at either end of a round: its neighbours reach into it


@dataclass(frozen=True, slots=True)
class Soaked:
    hours: float
    early_mb: float
    end_mb: float
    aer: float


def soak(hours: float, opened: Opened, context: Context) -> Soaked:
    recording = simulate_session(cohort_patients()[0], ROUND_MINUTES)
    period_s = math.ceil(recording.length_s / ROUND_STEP_S) * ROUND_STEP_S
    rounds = max(3, round(hours * 3600 / period_s))
    events: list[list[str]] = [[] for _ in range(rounds)]

    def hear(update: Update) -> None:
        if isinstance(update, Event):
            middle_s = (update.segment.start_s + update.segment.end_s) / 2
            number, at_s = divmod(middle_s, period_s)
            inside = SETTLING_S < at_s < recording.length_s - SETTLING_S
            if inside and number < rounds and update.segment.label != OTHER.name:
                events[int(number)].append(update.segment.label)

    early_mb = 0.0
    settings = SessionSettings(recording.rig, recording.side, both_arms=False)
    for time_s in steps(_again_and_again(recording, rounds, period_s), settings, opened.model, hear):
        if not early_mb and time_s > EARLY_S:
            early_mb = _resident_mb()
        context.on_progress("soak", round(time_s), round(rounds * period_s))
    # The first round begins with the calibration; the second is the first that all others are like.
    an_hour = min(round(3600 / period_s), (rounds - 1) // 2)
    aer = float(evaluate(events[1 : 1 + an_hour], events[-an_hour:]).aer())
    return Soaked(rounds * period_s / 3600, early_mb, _resident_mb(), aer)


def _again_and_again(recording: Recording, rounds: int, period_s: float) -> Iterator[Recorded]:
    items = items_of(recording)
    length_us = round(period_s * 1e6)
    for number in range(rounds):
        for item in items:
            later_ns = item.received_ns + number * length_us * 1000
            if isinstance(item, Packet):
                version, n, tick, step = GENERIC_HEAD.unpack_from(item.payload)
                head = GENERIC_HEAD.pack(version, n, (tick + number * length_us) & 0xFFFFFFFF, step)
                yield Packet(item.sensor, head + item.payload[GENERIC_HEAD.size :], later_ns)
            elif isinstance(item, Said) and number == 0:
                yield item


def _resident_mb() -> float:
    """Memory of this process now, from Linux."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
