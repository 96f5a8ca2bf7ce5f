"""Everything that goes wrong on the way from the sensors: what the session reports, and how far its counts are off.

Question: is anything lost in silence, and how much does each fault cost? Simulated sessions of test patients are walked
through once as they were sent and once with each fault; counts are compared class by class, and the differences summed.
A fault that must be reported and is not is a failure, as is a crash. Packets hold one sample, as those of real sensors
do; one row says what it costs to lose packets of six. The stalled engine runs with its real threads.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rehabcount.app.live import LiveSession
from rehabcount.app.sources import PacedSource
from rehabcount.bench.engine_runs import Heard, cohort_patients, listen, open_named
from rehabcount.bench.frame import Claim, Context, Experiment, Results, Value
from rehabcount.domain.dose import Plan
from rehabcount.domain.labels import IDLE, OTHER
from rehabcount.domain.motion import Frames, Packet, Samples, Silence
from rehabcount.domain.sequence import StitchRule
from rehabcount.domain.update import Event, Late, Recorded, Update
from rehabcount.engine.arm import arms_of
from rehabcount.engine.session import SessionSettings, updates
from rehabcount.inference.artifact import Opened
from rehabcount.sensors.encode import encode
from rehabcount.sensors.layouts import GENERIC_HEAD, GENERIC_SAMPLE_BYTES
from rehabcount.sensors.packets import decode_all
from rehabcount.sensors.simulated import items_of
from rehabcount.simulate.recording import Recording, simulate_session

Rng = np.random.Generator
AWAY_S, AWAY_FROM = 10.0, 0.4  # how long a sensor is away, and from which share of the session on
AT_FIVE_PERCENT = 0.03  # how far counts may be off then
SILENCE_S = 1.0  # after this a radio says that a sensor is silent
WRAP_US = 2**32
STALL_S, STALL_SPEED = 5.0, 4.0  # seconds that the engine does nothing; how fast the session is played


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong: how, and which updates must say so."""

    name: str
    happen: Callable[[list[Recorded], Recording, Rng], list[Recorded]]
    expected: tuple[str, ...] = ()
    limit: float = math.inf
    layout: str = ""  # of what it makes of the packets, if another than they had


def _packets(change: Callable[[Packet], list[Recorded]]) -> Callable[[list[Recorded]], list[Recorded]]:
    def changed(items: list[Recorded]) -> list[Recorded]:
        out = [new for item in items for new in (change(item) if isinstance(item, Packet) else [item])]
        return sorted(out, key=lambda item: item.received_ns)

    return changed


def lost(share: float) -> Callable[[list[Recorded], Recording, Rng], list[Recorded]]:
    return lambda items, recording, rng: _packets(lambda packet: [] if rng.random() < share else [packet])(items)


def singles(items: list[Recorded]) -> list[Recorded]:
    """Packets of one sample each, in order, each as much earlier than its packet as it was measured."""
    newest: dict[str, int] = {}

    def split(packet: Packet) -> list[Recorded]:
        version, n, tick, step = GENERIC_HEAD.unpack_from(packet.payload)
        out: list[Recorded] = []
        for i in range(n):
            at = GENERIC_HEAD.size + i * GENERIC_SAMPLE_BYTES
            payload = GENERIC_HEAD.pack(version, 1, (tick + i * step) % WRAP_US, 0)
            payload += packet.payload[at : at + GENERIC_SAMPLE_BYTES]
            received_ns = max(newest.get(packet.sensor, 0), packet.received_ns - (n - 1 - i) * step * 1000)
            newest[packet.sensor] = received_ns
            out.append(Packet(packet.sensor, payload, received_ns))
        return out

    return _packets(split)(items)


def lost_in_sixes(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
    return lost(0.05)(items_of(recording), recording, rng)


def not_numbers(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
    """One sample in a hundred is no number; so the packets must be of a layout that can say so."""
    out: list[Recorded] = [item for item in items if not isinstance(item, Packet)]
    for name, block in decode_all(items, recording.rig).items():
        assert block.acc is not None
        acc = block.acc.copy()
        acc[rng.random(len(block)) < 0.01] = np.nan
        out += encode(Samples(name, block.received_ns, block.tick, acc, block.gyr), "sample")
    return sorted(out, key=lambda item: item.received_ns)


def jittered(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
    def late(packet: Packet) -> list[Recorded]:
        return [replace(packet, received_ns=packet.received_ns + int(rng.uniform(0, 50e6)))]

    return _packets(late)(items)


def reordered(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
    """Neighbouring packets of a sensor change places; their receive times stay in order."""
    out = list(items)
    by_sensor: dict[str, list[int]] = {}
    for i, item in enumerate(items):
        if isinstance(item, Packet):
            by_sensor.setdefault(item.sensor, []).append(i)
    for places in by_sensor.values():
        for a, b in zip(places[1::4], places[2::4], strict=False):
            one, other = items[a], items[b]
            assert isinstance(one, Packet)
            assert isinstance(other, Packet)
            out[a], out[b] = replace(one, payload=other.payload), replace(other, payload=one.payload)
    return out


def doubled(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
    return _packets(lambda packet: [packet, packet] if rng.random() < 0.2 else [packet])(items)


def away(sensor: str, seconds: float) -> Callable[[list[Recorded], Recording, Rng], list[Recorded]]:
    """The sensor of that place falls silent; the radio notices after a second."""

    def happen(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
        name = f"{recording.side.value}-hand" if sensor == "hand" else sensor
        first_ns = items[0].received_ns
        start_ns = first_ns + round(AWAY_FROM * recording.length_s * 1e9)
        end_ns = start_ns + round(min(seconds, 1e6) * 1e9)
        out = _packets(
            lambda packet: [] if packet.sensor == name and start_ns <= packet.received_ns < end_ns else [packet]
        )(items)
        silence = Silence(name, start_ns, start_ns + round(SILENCE_S * 1e9))
        return sorted([*out, silence], key=lambda item: item.received_ns)

    return happen


def _retick(change: Callable[[int], int]) -> Callable[[list[Recorded], Recording, Rng], list[Recorded]]:
    def happen(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
        def ticked(packet: Packet) -> list[Recorded]:
            version, n, tick, step = GENERIC_HEAD.unpack_from(packet.payload)
            head = GENERIC_HEAD.pack(version, n, change(tick) % WRAP_US, step)
            return [replace(packet, payload=head + packet.payload[GENERIC_HEAD.size :])]

        return _packets(ticked)(items)

    return happen


def off_rate(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
    """Each device counts 3 % too fast: its ticks, and the steps between its samples."""

    def ticked(packet: Packet) -> list[Recorded]:
        version, n, tick, step = GENERIC_HEAD.unpack_from(packet.payload)
        head = GENERIC_HEAD.pack(version, n, round(tick * 1.03) % WRAP_US, round(step * 1.03))
        return [replace(packet, payload=head + packet.payload[GENERIC_HEAD.size :])]

    return _packets(ticked)(items)


def broken(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
    """One packet in fifty is cut short."""

    def cut(packet: Packet) -> list[Recorded]:
        return [replace(packet, payload=packet.payload[:-3])] if rng.random() < 0.02 else [packet]

    return _packets(cut)(items)


def saturated(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
    """One sample in a hundred lies at the end of the range."""

    def clipped(packet: Packet) -> list[Recorded]:
        if rng.random() >= 0.01:
            return [packet]
        at = GENERIC_HEAD.size + GENERIC_SAMPLE_BYTES - 2  # the last axis of the first sample's gyroscope
        return [replace(packet, payload=packet.payload[:at] + b"\xff\x7f" + packet.payload[at + 2 :])]

    return _packets(clipped)(items)


def turning(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
    """Every gyroscope has half a degree a second more about its vertical axis: the heading runs away."""
    step = round(0.5 / 2000 * 32767)  # of the gyroscope's 16 bits over 2000 degrees a second

    def biased(packet: Packet) -> list[Recorded]:
        head, body = packet.payload[: GENERIC_HEAD.size], packet.payload[GENERIC_HEAD.size :]
        table = np.frombuffer(body, "<i2").reshape(-1, 6).astype(np.int32)
        table[:, 3:] += step
        return [replace(packet, payload=head + np.clip(table, -32768, 32767).astype("<i2").tobytes())]

    return _packets(biased)(items)


FAULTS = (
    Fault("1 % of packets lost", lost(0.01)),
    Fault("5 % of packets lost", lost(0.05), limit=AT_FIVE_PERCENT),
    Fault("20 % of packets lost", lost(0.20)),
    Fault("5 % of packets of six samples lost", lost_in_sixes, ("Gap",)),
    Fault("up to 50 ms of jitter", jittered),
    Fault("neighbouring packets reordered", reordered),
    Fault("a fifth of the notifications doubled", doubled),
    Fault("hand sensor away for 10 s", away("hand", AWAY_S), ("Lost", "Returned", "Gap", "SensorSet")),
    Fault("trunk sensor away for 10 s", away("c7", AWAY_S), ("Lost", "Returned", "Gap")),
    Fault("trunk sensor away for good", away("c7", math.inf), ("Lost", "Gap")),
    Fault("clocks wrap around", _retick(lambda tick: tick + WRAP_US - 30_000_000)),
    Fault("rates 3 % off", off_rate),
    Fault("samples that are no numbers", not_numbers, ("Discarded",), layout="sample"),
    Fault("packets cut short", broken, ("Discarded",)),
    Fault("saturated samples", saturated, ("Discarded",)),
    Fault("yaw drift of 0.5 degrees a second", turning),
)


def counts_of(heard: Heard) -> Counter[str]:
    return Counter(
        event.segment.label for _, event in heard.events() if event.segment.label not in (OTHER.name, IDLE.name)
    )


def run(settings: Mapping[str, Value], context: Context) -> Results:
    opened = open_named(str(settings["model"]))
    claims: list[Claim] = []
    figures: dict[str, Any] = {"model": opened.name}
    number = 1 if context.quick else int(settings["patients"])
    minutes = 1.5 if context.quick else float(settings["minutes"])
    recordings = [simulate_session(subject, minutes) for subject in cohort_patients()[:number]]
    for recording in recordings:
        arms_of(opened.model, recording.rig, recording.side, StitchRule(), both=False)
    clean = [listen(recording, opened.model, items=singles(items_of(recording))) for recording in recordings]
    truth = sum((counts_of(each) for each in clean), Counter())
    figures["counted without a fault"] = truth.total()
    for i, fault in enumerate(FAULTS):
        context.progress(fault.name, i, len(FAULTS))
        claims.append(_suffer(fault, recordings, opened, clean, truth, figures))
    context.progress("an engine that stalls", len(FAULTS), len(FAULTS) + 1)
    claims.append(_stalled(recordings[0], opened, figures))
    return Results(tuple(claims), figures)


def _suffer(
    fault: Fault,
    recordings: list[Recording],
    opened: Opened,
    clean: list[Heard],
    truth: Counter[str],
    figures: dict[str, Any],
) -> Claim:
    found = []
    for number, recording in enumerate(recordings):
        items = fault.happen(singles(items_of(recording)), recording, np.random.default_rng(number))
        if fault.layout:
            sensors = tuple(replace(sensor, layout=fault.layout) for sensor in recording.rig.sensors)
            recording = replace(recording, rig=replace(recording.rig, sensors=sensors))
        found.append(listen(recording, opened.model, items=items))
    counts = sum((counts_of(each) for each in found), Counter())
    off = sum(abs(counts[label] - truth[label]) for label in {*counts, *truth}) / max(truth.total(), 1)
    new = Counter(type(each).__name__ for heard in found for _, each in heard.said)
    old = Counter(type(each).__name__ for heard in clean for _, each in heard.said)
    reported = [name for name in REPORTS if new[name] > old[name]]
    silent = [name for name in fault.expected if name not in reported]
    figures[f"{fault.name}: reported"] = ", ".join(f"{new[name] - old[name]} {name}" for name in reported) or "nothing"
    limit = None if math.isinf(fault.limit) else fault.limit
    met = not silent and off <= fault.limit
    note = f"NOT reported: {', '.join(silent)}" if silent else figures[f"{fault.name}: reported"]
    return Claim("ours", fault.name, limit, round(off, 4), met, note)


def _stalled(recording: Recording, opened: Opened, figures: dict[str, Any]) -> Claim:
    """A live session whose engine does nothing for five seconds; its counts against those of the walk alone."""
    items = singles(items_of(recording))
    said: list[Update] = []
    stalls = iter([STALL_S])

    def stall(frames: Frames) -> None:
        if frames.time_s[-1] > AWAY_FROM * recording.length_s:
            time.sleep(next(stalls, 0.0))

    with tempfile.TemporaryDirectory() as folder:
        session = LiveSession(
            Path(folder) / "stalled.rehab",
            PacedSource(items, STALL_SPEED),
            recording.rig,
            recording.side,
            Plan(),
            opened,
            on_update=said.append,
            on_frames=stall,
        )
        session.start()
        session.wait()
    chosen = SessionSettings(recording.rig, recording.side)
    alone = list(updates(items, chosen, opened.model))
    late = [update.behind_s for update in said if isinstance(update, Late)]
    heard = [update for update in said if isinstance(update, Event)]
    same = heard == [update for update in alone if isinstance(update, Event)]
    figures["an engine stalled for 5 s: reported"] = f"{len(late)} Late, at most {max(late, default=0.0):.1f} s behind"
    met = same and max(late, default=0.0) > 0
    return Claim("ours", "an engine stalled for 5 s", 0.0, 0.0 if same else 1.0, met, f"{len(late)} Late")


REPORTS = ("Lost", "Returned", "Gap", "Discarded", "ClockJump", "SensorSet", "Doubt")

EXPERIMENT = Experiment(
    "faults",
    "What does each fault of the radio cost, and is it reported?",
    "ours",
    "no data; a model",
    "ten minutes",
    run,
    {"model": "stream", "patients": 4, "minutes": 5.0},
)
