"""From a simulated patient over DOTs, bus and radio to the count; with all sensors there, and with one that dies."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from rehabcount.domain.dose import Dose
from rehabcount.domain.motion import Silence
from rehabcount.domain.update import Discarded, Event, Gap, LinkState, Lost, Mark, Returned, SensorHealth, Update
from rehabcount.inference.artifact import Opened
from rehabcount.sensors.radio.supervisor import Radio
from tests.sensors.radio.conftest import Bus, until
from tests.sensors.radio.patient import (
    Patient,
    counted_live,
    counts_of,
    error_rate,
    items_in,
    model_to_try,
    packets_in,
    punctual,
    replayed,
    said_in,
    tick_of,
)

STREAMING_S = 60.0  # within which five sensors are connected, on a very busy machine too
BACK_S = 5.0  # within which a sensor that can be reached again must be back


@pytest.fixture(scope="module")
def model() -> Opened:
    return model_to_try()


@pytest.fixture(scope="module")
def quick_patient(tmp_path_factory: pytest.TempPathFactory) -> Patient:
    return Patient.make(tmp_path_factory.mktemp("patient"), 35.0)  # begins anew when it is over


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Patient:
    return Patient.make(tmp_path_factory.mktemp("patient"), 195.0)


def streaming(radio: Radio) -> bool:
    return all(health.rate_hz > 0 for stream in radio._streams for health in stream.health())


def skip_if_starved(live: Sequence[Update]) -> None:
    """A machine that holds packets back for longer than the walk waits gives another count, and says so."""
    late = [update for update in live if isinstance(update, Discarded)]
    if late:
        pytest.skip(f"this machine is too busy to stream: {late[0]}")


def check_what_the_radio_said(said: Sequence[Update], patient: Patient) -> None:
    """Links every second, with rate, loss, age and battery; and the click: all in the session file."""
    assert [update.note for update in said if isinstance(update, Mark)] == ["single click on right-hand"]
    for name in patient.rig.names:
        healths = [update for update in said if isinstance(update, SensorHealth) and update.sensor == name]
        streaming = [each for each in healths if each.state is LinkState.STREAMING and each.rate_hz]
        assert len(streaming) > 10
        assert all(each.battery_percent == 80 and each.adapter == "hci0" for each in streaming)
        assert all(each.loss is not None and each.age_s is not None for each in streaming)
        assert np.median([each.rate_hz for each in streaming]) == pytest.approx(60, abs=3)


def end_to_end(bus: Bus, folder: Path, model: Opened, patient: Patient, length_s: float) -> None:
    fake = bus.fake(sensors=patient.plan())
    live: list[Update] = []
    with counted_live(folder / "live.rehab", patient, model, live.append) as radio:
        until(lambda: streaming(radio), STREAMING_S)
        time.sleep(length_s)
        fake("click", sensor=patient.rig.sensors[0].serial)
        until(lambda: any(isinstance(each, Mark) for each in said_in(folder / "live.rehab")), 20.0)
    assert punctual(live) == replayed(folder / "live.rehab", model)
    check_what_the_radio_said(said_in(folder / "live.rehab"), patient)
    skip_if_starved(live)

    heard = packets_in(folder / "live.rehab")
    straight = patient.sent(heard)
    assert Counter((each.sensor, each.payload) for each in heard) == Counter(
        (each.sensor, each.payload) for each in straight
    )
    patient.write(folder / "straight.rehab", straight)
    again = replayed(folder / "straight.rehab", model)
    aer, events = error_rate(again, live)
    print(f"over the bus against the bytes straight into a file: AER {aer:.4f} of {events} events, {length_s:.0f} s")
    assert events > 0.2 * length_s
    assert aer <= 0.01


def test_over_the_bus_is_counted_what_the_bytes_say(
    bus: Bus, tmp_path: Path, model: Opened, quick_patient: Patient
) -> None:
    end_to_end(bus, tmp_path, model, quick_patient, 20.0)


@pytest.mark.slow
def test_three_minutes_over_the_bus(bus: Bus, tmp_path: Path, model: Opened, patient: Patient) -> None:
    end_to_end(bus, tmp_path, model, patient, 180.0)


def with_one_away(
    bus: Bus, folder: Path, model: Opened, patient: Patient, sensor: str, length_s: float, away_s: float
) -> None:
    """A session in which one sensor dies a third into it, and is switched on again `away_s` later."""
    fake = bus.fake(sensors=patient.plan(), connect_s=0.7)  # as a real link takes
    address = next(each.serial for each in patient.rig.sensors if each.name == sensor)
    path, live = folder / "live.rehab", list[Update]()
    with counted_live(path, patient, model, live.append) as radio:
        until(lambda: streaming(radio), STREAMING_S)
        time.sleep(length_s / 3)
        fake("fault", sensor=address, kind="death", length_s=away_s)
        reachable_ns = time.monotonic_ns() + round(away_s * 1e9)
        time.sleep(length_s * 2 / 3)
    assert punctual(live) == replayed(path, model)

    heard = packets_in(path)
    mine = [packet for packet in heard if packet.sensor == sensor]
    back = next(later for earlier, later in pairwise(mine) if tick_of(later) < tick_of(earlier))
    gone = mine[mine.index(back) - 1]
    took_s = (back.received_ns - reachable_ns) / 1e9
    assert 0 < took_s < BACK_S

    origin_ns = heard[0].received_ns
    gap = max((each for each in live if isinstance(each, Gap)), key=lambda each: each.end_s - each.start_s)
    assert gap.sensor == sensor
    assert gap.start_s == pytest.approx((gone.received_ns - origin_ns) / 1e9, abs=0.2)
    assert gap.end_s == pytest.approx((back.received_ns - origin_ns) / 1e9, abs=0.2)
    # Before, others may have been missing: they connect one after the other.
    assert [each.sensor for each in live if isinstance(each, Lost) and each.since_s > gap.start_s - 1] == [sensor]
    assert [each.sensor for each in live if isinstance(each, Returned) and each.at_s > gap.start_s] == [sensor]
    doses = [each for each in live if isinstance(each, Dose)]
    assert all(later.repetitions >= earlier.repetitions for earlier, later in pairwise(doses))
    assert max(each.segment.start_s for each in live if isinstance(each, Event)) > gap.end_s

    skip_if_starved(live)
    # What the engine makes of the same hole without any radio, beside the count without a hole.
    whole = patient.sent(heard)
    hole = [
        each for each in whole if each.sensor != sensor or not gone.received_ns < each.received_ns < back.received_ns
    ]
    silence = next(each for each in items_in(path) if isinstance(each, Silence) and each.sensor == sensor)
    patient.write(folder / "whole.rehab", whole)
    patient.write(folder / "hole.rehab", sorted([*hole, silence], key=lambda each: each.received_ns))
    true, expected = (counts_of(replayed(folder / f"{name}.rehab", model)) for name in ("whole", "hole"))
    errors = [sum(abs(count[name] - true[name]) for name in true | count) for count in (expected, counts_of(live))]
    total = sum(true.values())
    print(
        f"{sensor} away for {away_s:.0f} of {length_s:.0f} s: back {took_s:.1f} s after it could be reached; of "
        f"{total} primitives the count is off by {errors[1]}, the same hole without a radio by {errors[0]}"
    )
    assert errors[1] <= errors[0] + max(1, 0.03 * total)


def test_a_sensor_that_dies_costs_no_more_than_its_hole(
    bus: Bus, tmp_path: Path, model: Opened, quick_patient: Patient
) -> None:
    with_one_away(bus, tmp_path, model, quick_patient, "right-forearm", 18.0, 4.0)


@pytest.mark.slow
@pytest.mark.parametrize("sensor", ["right-forearm", "right-hand"])
def test_a_sensor_away_for_twenty_seconds_of_three_minutes(
    bus: Bus, tmp_path: Path, model: Opened, patient: Patient, sensor: str
) -> None:
    with_one_away(bus, tmp_path, model, patient, sensor, 180.0, 20.0)
