"""Hours of signal through one walk at full speed: does memory grow, and is the last round counted as the first?

A simulated session is played over and over as one stream: receive times and device ticks run on, as if the patient did
the same again and again. The rounds are compared by their events.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rehabcount.bench.engine_runs import cohort_patients
from rehabcount.bench.frame import Context
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
    rounds = max(3, round(hours * 3600 / recording.length_s))
    events: dict[int, list[str]] = {}

    def hear(update: Update) -> None:
        if isinstance(update, Event):
            middle_s = (update.segment.start_s + update.segment.end_s) / 2
            number, at_s = divmod(middle_s, recording.length_s)
            inside = SETTLING_S < at_s < recording.length_s - SETTLING_S
            if inside and number in (1, rounds - 1) and update.segment.label != OTHER.name:
                events.setdefault(int(number), []).append(update.segment.label)

    early_mb = 0.0
    settings = SessionSettings(recording.rig, recording.side, both_arms=False)
    for time_s in steps(_again_and_again(recording, rounds), settings, opened.model, hear):
        if not early_mb and time_s > EARLY_S:
            early_mb = _resident_mb()
        context.progress("soak", round(time_s), round(rounds * recording.length_s))
    # The first round begins with the calibration; the second is the first that all others are like.
    aer = float(evaluate([events.get(1, [])], [events.get(rounds - 1, [])]).aer())
    return Soaked(rounds * recording.length_s / 3600, early_mb, _resident_mb(), aer)


def _again_and_again(recording: Recording, rounds: int) -> Iterator[Recorded]:
    items = items_of(recording)
    length_us = round(recording.length_s * 1e6)
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
    """Memory of this process now, as Linux says."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
