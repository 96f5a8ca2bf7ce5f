"""Faults between sensors and engine: what the session reports, and how far its counts are off.

Question: is anything lost in silence, and how much does each fault cost? Simulated sessions of test patients are walked
through once as they were sent and once with each fault; counts are compared class by class, and the differences summed.
Every fault has updates that must report it, or a limit to the difference of counts, or both; missing either is a
failure, as is a crash. If data are missing for long, counts must differ: such rows have no limit, and show the
difference. One row loses packets of six samples. The stalled engine runs with its real threads.

A walk takes a thirtieth of the session's time, and there are seventeen. So most faults are tried on two patients for
two minutes. Loss of 5 %, with its limit of 3 %, and samples that are no numbers are tried on eight patients, so that
one event is a quarter of a percent. `--set few=8 --set minutes=5` tries all faults on all patients for longer, in half
an hour."""

from __future__ import annotations

import math
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rehabcount.bedside.session import LiveSession, SessionRequest
from rehabcount.bedside.sources import PacedSource
from rehabcount.bench import radio_faults as radio
from rehabcount.bench.engine_runs import Heard, cohort_patients, listen, open_named
from rehabcount.bench.experiment import Claim, Context, Experiment, FigureValue, Results, Value
from rehabcount.domain.dose import Plan
from rehabcount.domain.labels import IDLE, OTHER
from rehabcount.domain.motion import Frames
from rehabcount.domain.sequence import StitchRule
from rehabcount.domain.update import Event, Late, Recorded, SensorHealth, Update
from rehabcount.engine.arm import arms_of
from rehabcount.inference.artifact import Opened
from rehabcount.sensors.simulated import items_of
from rehabcount.simulate.recording import Recording, simulate_session

REPORTS = ("Lost", "Returned", "Gap", "Discarded", "ClockJump", "SensorSet", "Doubt")
TOLD_LOSS = 0.005  # a mean loss of the links from here on counts as reported: the smallest loss here is 1 %
FEWEST_EVENTS = 100  # with fewer, one event is more than a percent, and limits are meaningless
AT_FIVE_PERCENT = 0.03  # limit for counts with 5 % loss, and with less
NOTHING_LOST = 0.01  # every sample comes, but its time may move by a few milliseconds: an event in a hundred
# Headings that drift by tens of degrees in minutes cannot be detected; features hardly depend on them.
UNSEEN_DRIFT = 0.05
THE_SAME = 0.0  # the samples have the same values
AWAY_S = 10.0
STALL_S, STALL_SPEED = 5.0, 4.0  # seconds that the engine does nothing; how fast the session is played


@dataclass(frozen=True, slots=True)
class FaultCase:
    """A fault: its function, the updates that must report it, and how far counts may be off (None: no limit)."""

    name: str
    happen: radio.Happen
    expected: tuple[str, ...] = ()
    limit: float | None = None
    layout: str = ""  # of the changed packets, if it is another one
    few: bool = True  # happens to some of the patients only: too few movements for a limit of one in a hundred


FAULTS = (
    FaultCase("1 % of packets lost", radio.lost(0.01), ("SensorHealth",), AT_FIVE_PERCENT),
    FaultCase("5 % of packets lost", radio.lost(0.05), ("SensorHealth",), AT_FIVE_PERCENT, few=False),
    FaultCase("20 % of packets lost", radio.lost(0.20), ("SensorHealth",)),
    FaultCase("5 % of packets of six samples lost", radio.lost_in_sixes, ("SensorHealth", "Gap")),
    FaultCase("up to 50 ms of jitter", radio.jittered, (), NOTHING_LOST, few=False),
    FaultCase("neighbouring packets reordered", radio.reordered, (), NOTHING_LOST, few=False),
    FaultCase("a fifth of the notifications doubled", radio.doubled, (), THE_SAME),
    FaultCase("hand sensor away for 10 s", radio.away(radio.HAND, AWAY_S), ("Lost", "Returned", "Gap")),
    FaultCase("hand sensor away for good", radio.away(radio.HAND, math.inf), ("Lost", "Gap")),
    FaultCase("the whole arm away for 10 s", radio.away(radio.ARM, AWAY_S), ("Lost", "Returned", "Gap", "SensorSet")),
    FaultCase("trunk sensor away for good", radio.away(radio.TRUNK, math.inf), ("Lost", "Gap")),
    FaultCase("clocks wrap around", radio.reticked(lambda tick: tick + radio.WRAP_US - 30_000_000), (), THE_SAME),
    FaultCase("rates 3 % off", radio.reticked(lambda tick: round(tick * 1.03)), (), AT_FIVE_PERCENT),
    FaultCase(
        "samples that are no numbers", radio.not_numbers, ("Discarded",), AT_FIVE_PERCENT, layout="sample", few=False
    ),
    FaultCase("packets cut short", radio.broken, ("Discarded",), AT_FIVE_PERCENT),
    FaultCase("saturated samples", radio.saturated, ("Discarded",), AT_FIVE_PERCENT),
    FaultCase("yaw drift of 0.5 degrees a second", radio.turning, (), UNSEEN_DRIFT),
)


@dataclass(frozen=True, slots=True)
class FaultedPatient:
    """A simulated session, as it was sent and as it was counted without a fault."""

    recording: Recording
    items: list[Recorded]
    clean: Heard


def run(settings: Mapping[str, Value], context: Context) -> Results:
    begun_s = time.process_time()
    opened = open_named(str(settings["model"]))
    number = 1 if context.quick else int(settings["patients"])
    minutes = 1.5 if context.quick else float(settings["minutes"])
    patients = []
    for i, subject in enumerate(cohort_patients()[:number]):
        context.on_progress("without a fault", i, number)
        patients.append(_well(simulate_session(subject, minutes), opened))
    few = patients[: int(settings["few"])]
    claims = []
    for i, fault in enumerate(FAULTS):
        context.on_progress(fault.name, i, len(FAULTS) + 1)
        claims.append(_suffer(fault, few if fault.few else patients, opened))
        context.on_claim(claims[-1])
    context.on_progress("an engine that stalls", len(FAULTS), len(FAULTS) + 1)
    claims.append(_stalled(patients[0], opened))
    context.on_claim(claims[-1])
    figures: dict[str, FigureValue] = {
        "model": opened.name,
        "minutes of signal without a fault": round(sum(each.clean.length_s for each in patients) / 60, 1),
        "counted without a fault": counted(each.clean for each in patients).total(),
        "CPU minutes": round((time.process_time() - begun_s) / 60, 1),
    }
    return Results(tuple(claims), figures)


def counts_of(heard: Heard) -> Counter[str]:
    return Counter(
        event.segment.label for _, event in heard.events() if event.segment.label not in (OTHER.name, IDLE.name)
    )


def counted(sessions: Iterable[Heard]) -> Counter[str]:
    return sum((counts_of(each) for each in sessions), Counter())


def reports_of(sessions: Iterable[Heard]) -> Counter[str]:
    """How often each kind of fault was reported."""
    return Counter(type(update).__name__ for heard in sessions for _, update in heard.said)


def loss_of(sessions: Iterable[Heard]) -> float:
    """The mean loss that the links report."""
    health = (update for heard in sessions for _, update in heard.said if isinstance(update, SensorHealth))
    return float(np.mean([update.loss for update in health if update.loss is not None] or [0.0]))


def judged(fault: FaultCase, clean: Sequence[Heard], found: Sequence[Heard]) -> Claim:
    """The difference of counts and the reports of a fault, against the sessions without it."""
    truth, counts = counted(clean), counted(found)
    off = sum(abs(counts[label] - truth[label]) for label in {*counts, *truth}) / max(truth.total(), 1)
    before, after = reports_of(clean), reports_of(found)
    reported = {name: f"{more} {name}" for name in REPORTS if (more := after[name] - before[name]) > 0}
    if (loss := loss_of(found) - loss_of(clean)) >= TOLD_LOSS:
        reported["SensorHealth"] = f"SensorHealth: {loss:.1%} lost"
    silent = [name for name in fault.expected if name not in reported]
    notes = [", ".join(reported.values()) or "nothing to report"]
    if silent:
        notes.append(f"NOT reported: {', '.join(silent)}")
    match: bool | None = not silent
    if fault.limit is None:
        notes.append("no limit")
    elif truth.total() < FEWEST_EVENTS:
        notes.append("too few events for the limit")
        match = False if silent else None
    else:
        match = not silent and off <= fault.limit
    return Claim(f"of {truth.total()}", fault.name, fault.limit, round(off, 4), match, "; ".join(notes))


def _well(recording: Recording, opened: Opened) -> FaultedPatient:
    arms_of(opened.model, recording.rig, recording.side, StitchRule(), both=False)
    items = radio.singles(items_of(recording))
    clean = listen(recording, opened.model, items=radio.metered(items, recording.rig))
    return FaultedPatient(recording, items, clean)


def _suffer(fault: FaultCase, patients: Sequence[FaultedPatient], opened: Opened) -> Claim:
    found = []
    for number, patient in enumerate(patients):
        recording = patient.recording
        items = fault.happen(patient.items, recording, np.random.default_rng(number))
        if fault.layout:
            sensors = tuple(replace(sensor, layout=fault.layout) for sensor in recording.rig.sensors)
            recording = replace(recording, rig=replace(recording.rig, sensors=sensors))
        else:
            items = radio.metered(items, recording.rig)
        found.append(listen(recording, opened.model, items=items))
    return judged(fault, [each.clean for each in patients], found)


def _stalled(patient: FaultedPatient, opened: Opened) -> Claim:
    """A live session whose engine stalls for five seconds: it must report this, and count the same as the walk
    alone."""
    recording, said = patient.recording, list[Update]()
    stalls = iter([STALL_S])

    def stall(frames: Frames) -> None:
        if frames.time_s[-1] > radio.AWAY_FROM * recording.length_s:
            time.sleep(next(stalls, 0.0))

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stalled.rehab"
        request = SessionRequest(path, recording.rig, recording.side, Plan(), opened)
        source = PacedSource(patient.items, STALL_SPEED)
        session = LiveSession(request, source, on_update=said.append, on_frames=stall)
        session.start()
        session.wait()
    late = [update.behind_s for update in said if isinstance(update, Late)]
    mine = [each for each in said if isinstance(each, Event) and each.segment.side is recording.side]
    alone = [event for _, event in patient.clean.events()]  # numbers differ: the other arm is counted live, too
    same = [(each.segment, each.confidence) for each in mine] == [(each.segment, each.confidence) for each in alone]
    note = f"{len(late)} Late, at most {max(late, default=0.0):.1f} s behind"
    where = f"of {counts_of(patient.clean).total()}"
    return Claim(where, "an engine stalled for 5 s", 0.0, 0.0 if same else 1.0, same and bool(late), note)


EXPERIMENT = Experiment(
    "faults",
    "What does each fault of the radio cost, and is it reported?",
    "ours",
    "no data; a model",
    "five minutes",
    run,
    {"model": "stream", "patients": 8, "few": 2, "minutes": 2.0},
)
