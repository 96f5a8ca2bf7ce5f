"""The engine's benchmarks: what the listener notes, and that every fault does what it says."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import pytest

from rehabcount.bench.engine_faults import FAULTS, FEWEST_EVENTS, FaultCase, counts_of, judged
from rehabcount.bench.engine_runs import Heard, delays_of, listen
from rehabcount.bench.engine_soak import soak
from rehabcount.bench.experiment import Context
from rehabcount.bench.radio_faults import lost, metered, singles
from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.sequence import Segment, Token
from rehabcount.domain.update import Draft, Event, Gap, Lost, Recorded, Said, SensorHealth, Update
from rehabcount.inference.artifact import Opened
from rehabcount.inference.runtime import Model
from rehabcount.sensors.packets import decode_all
from rehabcount.sensors.simulated import items_of
from rehabcount.simulate.cohort import make_cohort
from rehabcount.simulate.recording import Recording, simulate_trial
from tests.engine.oracle import ReflexModel

WORN = ("right-hand", "right-upper-arm", "c7")


@pytest.fixture(scope="module")
def recording() -> Recording:
    patient = next(each for each in make_cohort(0) if each.group == "test" and each.side is Side.RIGHT)
    whole = simulate_trial(patient, "drinking", 1)
    sensors = tuple(sensor for sensor in whole.rig.sensors if sensor.name in WORN)
    return replace(
        whole, rig=Rig("three", sensors), samples={name: whole.samples[name] for name in WORN}, length_s=45.0
    )


@pytest.fixture(scope="module")
def items(recording: Recording) -> list[Recorded]:
    found = items_of(recording)
    return [item for item in found if item.received_ns - found[0].received_ns < 45e9]


def test_delays_count_from_the_true_end() -> None:
    truth = (Segment("reach", Side.LEFT, 1.0, 2.0), Segment("transport", Side.LEFT, 2.0, 3.0))
    said = (
        (1.5, Draft((Token("reach", Side.LEFT, 1.1, 1.4, 0.5),))),
        (2.2, Draft((Token("idle", Side.LEFT, 2.0, 2.1, 0.5),))),
        (3.0, Event(1, Segment("reach", Side.LEFT, 1.1, 2.1), 0.9)),
        (4.1, Event(2, Segment("idle", Side.LEFT, 2.1, 3.0), 0.9)),
    )
    found = delays_of(Heard(said, Side.LEFT, truth, 10.0))
    assert found.event == [pytest.approx(1.0)]
    assert found.draft == [pytest.approx(-0.5)]
    assert found.missed == 1


def test_events_come_after_what_they_speak_of(recording: Recording, items: list[Recorded]) -> None:
    heard = listen(recording, cast(Model, ReflexModel()), items=items)
    events = heard.events()
    assert len(events) > 5
    assert all(at > event.segment.end_s for at, event in events[:-1])  # the end of input settles the last at once
    assert counts_of(heard).total() <= len(events)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_every_fault_changes_the_stream_and_nothing_else(
    fault: FaultCase, recording: Recording, items: list[Recorded]
) -> None:
    if fault.name.startswith("5 % of packets of six"):
        return  # it takes the whole recording
    items = singles(items)
    happened = fault.happen(items, recording, np.random.default_rng(0))
    assert happened != items
    times = [item.received_ns for item in happened]
    assert times == sorted(times)
    assert [item for item in happened if isinstance(item, Said)] == [item for item in items if isinstance(item, Said)]
    packets = [item for item in happened if isinstance(item, Packet)]
    if not fault.layout:
        assert len(packets) > 0.7 * len([item for item in items if isinstance(item, Packet)])
    silent = {item.sensor for item in happened if isinstance(item, Silence)}
    assert len(silent) == (2 if "whole arm" in fault.name else "away" in fault.name)


def test_every_fault_can_fail() -> None:
    assert [fault.name for fault in FAULTS if not fault.expected and fault.limit is None] == []


def heard(events: int, *others: Update) -> Heard:
    settled = (Event(n, Segment("reach", Side.LEFT, n, n + 0.5), 0.9) for n in range(events))
    return Heard(tuple((0.0, update) for update in (*settled, *others)), Side.LEFT, (), 60.0)


@pytest.mark.parametrize(
    ("fault", "found", "match"),
    [
        (FaultCase("unlimited", lost(0.1), ("Gap",)), heard(1, Gap("c7", 1.0, 2.0)), True),
        (FaultCase("unlimited", lost(0.1), ("Gap",)), heard(1, Lost("c7", 1.0)), False),  # another report is none
        (FaultCase("limited", lost(0.1), ("Gap",), 0.03), heard(194, Gap("c7", 1.0, 2.0)), True),
        (FaultCase("limited", lost(0.1), ("Gap",), 0.03), heard(193, Gap("c7", 1.0, 2.0)), False),
        (FaultCase("limited", lost(0.1), ("Gap",), 0.03), heard(200), False),
        (FaultCase("lossless", lost(0.1), (), 0.0), heard(200), True),
        (FaultCase("lossless", lost(0.1), (), 0.0), heard(201), False),
    ],
)
def test_a_fault_is_judged_by_its_reports_and_its_cost(fault: FaultCase, found: Heard, match: bool) -> None:
    claim = judged(fault, [heard(200)], [found])
    assert claim.match is match
    assert claim.ours == pytest.approx(abs(200 - counts_of(found).total()) / 200)


def test_a_handful_of_events_is_not_judged_by_a_limit() -> None:
    claim = judged(FaultCase("limited", lost(0.1), (), 0.03), [heard(FEWEST_EVENTS - 1)], [heard(1)])
    assert claim.match is None


def test_a_radio_says_how_much_its_links_lose(recording: Recording, items: list[Recorded]) -> None:
    one_by_one = singles(items)
    for share in (0.0, 0.05):
        came = lost(share)(one_by_one, recording, np.random.default_rng(0)) if share else one_by_one
        told = metered(came, recording.rig)
        assert [item for item in told if not (isinstance(item, Said) and isinstance(item.what, SensorHealth))] == came
        times = [item.received_ns for item in told]
        assert times == sorted(times)
        health = [each.what for each in told if isinstance(each, Said) and isinstance(each.what, SensorHealth)]
        losses = [each.loss for each in health if each.loss is not None]
        assert len(losses) > 40 * len(WORN)
        assert np.mean(losses) == pytest.approx(share, abs=0.01)


def test_one_sample_a_packet_is_the_same_motion(recording: Recording, items: list[Recorded]) -> None:
    one_by_one = singles(items)
    whole, split = decode_all(items, recording.rig), decode_all(one_by_one, recording.rig)
    assert len(one_by_one) > 3 * len(items)
    for name in WORN:
        np.testing.assert_array_equal(whole[name].tick, split[name].tick)
        np.testing.assert_array_equal(whole[name].acc, split[name].acc)


def test_a_fault_that_must_be_reported_is(recording: Recording, items: list[Recorded]) -> None:
    model = cast(Model, ReflexModel())
    for fault in FAULTS:
        if "hand" in fault.name or "saturated" in fault.name:
            happened = fault.happen(singles(items), recording, np.random.default_rng(0))
            heard = listen(recording, model, items=happened)
            kinds = {type(update).__name__ for _, update in heard.said}
            assert set(fault.expected) <= kinds, fault.name


@pytest.mark.slow
def test_hours_of_signal_leave_no_trace() -> None:
    found = soak(0.75, Opened(cast(Model, ReflexModel()), ""), Context())
    assert found.end_mb - found.early_mb < 10.0
    assert found.aer <= 0.01
