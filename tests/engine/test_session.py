"""The whole walk: the same items give the same updates; faults are reported and masked; what is said takes effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import pytest

from rehabcount.domain.calibration import Verdict
from rehabcount.domain.dose import Dose, Plan
from rehabcount.domain.message import Code
from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.update import (
    Believing,
    Calibrated,
    CalibrationAsked,
    Discarded,
    Draft,
    Event,
    Gap,
    Lost,
    Mark,
    Phase,
    PhaseName,
    Posed,
    Recorded,
    Returned,
    Said,
    SensorSet,
    Update,
)
from rehabcount.engine.session import SessionSettings, steps, updates
from rehabcount.engine.summarise import context_of, dose_of
from rehabcount.errors import ModelMismatch
from rehabcount.inference.addendum import belief_of, default_belief
from rehabcount.inference.artifact import open_model
from rehabcount.inference.card import Kind
from rehabcount.inference.runtime import Model
from rehabcount.sensors import layouts
from rehabcount.sensors.simulated import items_of
from rehabcount.signals.align import LEAD_S, PAUSE_S
from rehabcount.simulate.cohort import make_cohort
from rehabcount.simulate.recording import Recording, simulate_trial
from tests.engine.oracle import TINY, ReflexModel, oracle

HAND = "right-hand"
LENGTH_S = 42.0
WORN = (HAND, "right-upper-arm", "c7")


@pytest.fixture(scope="module")
def model() -> Model:
    return cast(Model, ReflexModel())


@pytest.fixture(scope="module")
def whole() -> Recording:
    """Nine sensors on a patient with a weak right arm: half a minute of calibration, then a drink."""
    patient = next(each for each in make_cohort(0) if each.group == "test" and each.side is Side.RIGHT)
    return simulate_trial(patient, "drinking", 1)


@pytest.fixture(scope="module")
def recording(whole: Recording) -> Recording:
    """Three of the nine."""
    sensors = tuple(sensor for sensor in whole.rig.sensors if sensor.name in WORN)
    return replace(whole, rig=Rig("three", sensors), samples={name: whole.samples[name] for name in WORN})


@pytest.fixture(scope="module")
def items(recording: Recording) -> list[Recorded]:
    return beginning(items_of(recording))


def beginning(items: list[Recorded]) -> list[Recorded]:
    return [item for item in items if item.received_ns - items[0].received_ns < LENGTH_S * 1e9]


@pytest.fixture(scope="module")
def clean(items: list[Recorded], recording: Recording, model: Model) -> list[Update]:
    return run(items, recording, model)


def run(items: Sequence[Recorded], recording: Recording, model: Model, **changes: object) -> list[Update]:
    chosen = replace(SessionSettings(recording.rig, recording.side), **changes)  # type: ignore[arg-type]
    return list(updates(items, chosen, model))


def of(kind: type, said: list[Update]) -> list[Update]:
    return [update for update in said if isinstance(update, kind)]


def test_a_session_says_what_it_should(clean: list[Update], recording: Recording) -> None:
    kinds = Counter(type(update).__name__ for update in clean)
    assert kinds["Event"] > 3
    assert kinds["Dose"] == kinds["Event"] + 1
    assert isinstance(clean[0], Dose)
    assert [(update.name) for update in clean if isinstance(update, Phase)] == ["calibrating", "counting"]
    assert [update.used for update in clean if isinstance(update, Calibrated)] == [True]
    done_s = recording.span("calibration", "done")[1]
    events = [update for update in clean if isinstance(update, Event)]
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    assert events[0].segment.start_s == pytest.approx(done_s, abs=0.4)
    assert events[-1].segment.end_s == pytest.approx(LENGTH_S, abs=0.3)
    sets = [update for update in clean if isinstance(update, SensorSet)]
    assert [update.missing for update in sets] == [("calibration",), ()]
    tokens = [token for update in clean if isinstance(update, Draft) for token in update.tokens]
    assert tokens
    assert all(token.side is Side.RIGHT for token in tokens)


def test_the_same_items_give_the_same_updates(
    items: list[Recorded], recording: Recording, model: Model, clean: list[Update]
) -> None:
    assert repr(run(items, recording, model)) == repr(clean)


def split_up(items: list[Recorded]) -> list[Recorded]:
    """Every packet but the first of each sensor as packets of one sample each, received at the same time."""
    out: list[Recorded] = []
    seen: set[str] = set()
    for item in items:
        if not isinstance(item, Packet) or item.sensor not in seen:
            out.append(item)
            seen |= {item.sensor} if isinstance(item, Packet) else set()
            continue
        version, number, tick, step = layouts.GENERIC_HEAD.unpack_from(item.payload)
        samples = item.payload[layouts.GENERIC_HEAD.size :]
        for i in range(number):
            head = layouts.GENERIC_HEAD.pack(version, 1, (tick + i * step) & 0xFFFFFFFF, step)
            at = i * layouts.GENERIC_SAMPLE_BYTES
            out.append(replace(item, payload=head + samples[at : at + layouts.GENERIC_SAMPLE_BYTES]))
    return out


def test_how_samples_are_packed_changes_nothing(
    items: list[Recorded], recording: Recording, model: Model, clean: list[Update]
) -> None:
    singles = split_up(items)
    assert len(singles) > 2 * len(items)
    assert repr(run(singles, recording, model)) == repr(clean)


def without(items: list[Recorded], sensor: str, start_s: float, end_s: float) -> list[Recorded]:
    origin = next(item.received_ns for item in items if isinstance(item, Packet))

    def gone(item: Recorded) -> bool:
        return (
            isinstance(item, Packet) and item.sensor == sensor and start_s <= (item.received_ns - origin) / 1e9 < end_s
        )

    return [item for item in items if not gone(item)]


def test_a_needed_sensor_that_goes_stops_the_count_and_says_so(
    items: list[Recorded], recording: Recording, model: Model, clean: list[Update]
) -> None:
    start_s = recording.span("calibration", "done")[1] + 2.0
    said = run(without(items, HAND, start_s, start_s + 6.0), recording, model)
    assert [type(update) for update in said if isinstance(update, Lost | Gap | Returned)] == [Lost, Returned, Gap]
    sets = [update for update in said if isinstance(update, SensorSet)]
    assert [update.missing for update in sets] == [("calibration",), (), (HAND,), ()]
    assert start_s + 1.0 < sets[2].at_s < start_s + 1.5
    assert start_s + 6.0 < sets[3].at_s < start_s + 6.5
    counting_s = [update.at_s for update in said if isinstance(update, Phase)][-1]
    middles = [
        (event.segment.start_s + event.segment.end_s) / 2
        for event in said
        if isinstance(event, Event) and event.segment.label != "other"
    ]
    last = next(update for update in reversed(said) if isinstance(update, Dose))
    countable = [at for at in middles if at >= counting_s and not sets[2].at_s <= at < sets[3].at_s]
    assert sum(count.number for count in last.counts) == len(countable) < len(middles)


def test_a_sensor_that_is_not_needed_is_masked_and_counting_goes_on(
    items: list[Recorded], recording: Recording, model: Model
) -> None:
    start_s = recording.span("calibration", "done")[1] + 2.0
    said = run(without(items, "c7", start_s, 1e9), recording, model)
    assert of(Lost, said)
    assert [update.missing for update in said if isinstance(update, SensorSet)] == [("calibration",), ()]
    assert len(of(Event, said)) > 3


def test_pause_and_assistance_hold_where_they_were_said(
    items: list[Recorded], recording: Recording, model: Model
) -> None:
    origin = next(item.received_ns for item in items if isinstance(item, Packet))
    done_s = recording.span("calibration", "done")[1]
    said: list[Recorded] = [
        Said(Phase(PhaseName.PAUSED, 99.0), origin + round((done_s + 2) * 1e9)),
        Said(Mark(0.0, "here"), origin + round((done_s + 3) * 1e9)),
        Said(Phase(PhaseName.ASSISTED, 0.0, "drinking"), origin + round((done_s + 4) * 1e9)),
    ]
    found = run(sorted([*items, *said], key=lambda item: item.received_ns), recording, model)
    phases = [update for update in found if isinstance(update, Phase)]
    assert [(phase.name, phase.activity) for phase in phases[2:]] == [("paused", ""), ("assisted", "drinking")]
    assert phases[2].at_s == pytest.approx(done_s + 2, abs=0.001)  # its place in the record
    dose = next(update for update in reversed(found) if isinstance(update, Dose))
    middles = [((e.segment.start_s + e.segment.end_s) / 2, e.segment.label) for e in found if isinstance(e, Event)]
    counted = sum(label != "other" for at, label in middles if phases[1].at_s <= at < phases[2].at_s)
    assisted = sum(label != "other" for at, label in middles if at >= phases[3].at_s)
    assert sum(count.number for count in dose.counts) == counted
    assert sum(count.assisted for count in dose.counts) == assisted > 0


def test_phases_that_two_said_at_once_hold_in_the_order_of_the_record(
    items: list[Recorded], recording: Recording, model: Model
) -> None:
    few = items[:400]
    last_ns = few[-1].received_ns
    said: list[Recorded] = [
        Said(Phase(PhaseName.PAUSED, 0.0), last_ns),
        Said(Phase(PhaseName.ENDED, 0.0), last_ns - 2_000_000),
    ]
    phases = [update for update in run([*few, *said], recording, model) if isinstance(update, Phase)]
    assert [phase.name for phase in phases[-2:]] == ["paused", "ended"]
    assert phases[-2].at_s == phases[-1].at_s


def asks(item: Recorded) -> bool:
    return isinstance(item, Said) and isinstance(item.what, CalibrationAsked)


def test_a_calibration_that_must_be_repeated_is_not_used(
    items: list[Recorded], recording: Recording, model: Model
) -> None:
    nonsense = CalibrationAsked((Posed("still", 3.0, 3.2),), 0.0)
    changed = [Said(nonsense, item.received_ns) if asks(item) else item for item in items]
    said = run(changed, recording, model)
    (found,) = (update for update in said if isinstance(update, Calibrated))
    assert not found.used
    assert found.calibration.verdict is Verdict.REPEAT
    assert [each.code for each in found.calibration.advice] == [Code.NONE_CALIBRATED, Code.CHECK_ALL_ASSIGNED]
    assert not of(Event, said)
    assert [update.missing for update in said if isinstance(update, SensorSet)] == [("calibration",)]


def test_calibrating_again_goes_on_counting_without_a_break(
    items: list[Recorded], recording: Recording, model: Model, clean: list[Update]
) -> None:
    asked = next(item for item in items if isinstance(item, Said) and asks(item))
    again = Said(asked.what, asked.received_ns + 5_000_000_000)
    said = run(sorted([*items, again], key=lambda item: item.received_ns), recording, model)
    first, second = (update for update in said if isinstance(update, Calibrated))
    assert first.used
    assert second.used
    assert second.calibration == first.calibration
    assert of(Event, said) == of(Event, clean)


def test_a_calibration_handed_in_holds_from_the_start(
    items: list[Recorded], recording: Recording, model: Model, clean: list[Update]
) -> None:
    (found,) = (update for update in clean if isinstance(update, Calibrated))
    said = run(items, recording, model, calibration=found.calibration)
    assert not of(Calibrated, said)
    assert not of(SensorSet, said)
    events = [update for update in said if isinstance(update, Event)]
    assert events[0].segment.start_s == 0.0


def test_one_that_was_found_before_is_the_first_thing_said(
    items: list[Recorded], recording: Recording, model: Model, clean: list[Update]
) -> None:
    (found,) = (update for update in clean if isinstance(update, Calibrated))
    packets = [item for item in items if not isinstance(item, Said)]
    said = run([Said(found, packets[0].received_ns - 10**9), *packets], recording, model)
    handed = run(packets, recording, model, calibration=found.calibration)
    assert [update for update in said if not isinstance(update, Calibrated)] == handed
    assert isinstance(said[1], Calibrated)
    assert said[1].at_s == 0.0


def test_broken_packets_strangers_and_saturation_are_counted_not_fatal(
    items: list[Recorded], recording: Recording, model: Model
) -> None:
    rng = np.random.default_rng(0)
    faulty: list[Recorded] = []
    for number, item in enumerate(items):
        if isinstance(item, Packet) and number % 97 == 0:
            item = replace(item, payload=bytes(rng.integers(0, 256, int(rng.integers(0, 40)), dtype=np.uint8)))
        elif isinstance(item, Packet) and number % 101 == 0:
            item = replace(item, payload=item.payload[:-2] + b"\xff\x7f")
        elif isinstance(item, Packet) and number % 211 == 0:
            faulty.append(replace(item, sensor="stranger"))
        faulty.append(item)
    said = run(faulty, recording, model)
    reasons = {update.reason.code for update in said if isinstance(update, Discarded)}
    assert {Code.SATURATED, Code.NOT_IN_RIG} < reasons
    assert len(of(Event, said)) > 3


def test_both_arms_are_counted_where_both_are_worn(whole: Recording, model: Model) -> None:
    recording = whole
    said = run(beginning(items_of(recording)), recording, model)
    assert {update.segment.side for update in said if isinstance(update, Event)} == set(Side)
    one = run(beginning(items_of(recording)), recording, model, both_arms=False)
    assert {update.segment.side for update in one if isinstance(update, Event)} == {recording.side}


def test_models_that_do_not_fit_are_refused(items: list[Recorded], recording: Recording, model: Model) -> None:
    with pytest.raises(ModelMismatch, match="hand"):
        run(items, recording, model, side=Side.LEFT)
    other = oracle(Kind.SEQUENCE)
    other.card = replace(other.card, recipe="paper77")
    with pytest.raises(ModelMismatch, match="whole trials"):
        run(items, recording, other)


@pytest.mark.parametrize(
    "few", [[], [Said(Mark(0.0), 5)], [Silence(HAND, 0, 10**9)], [Said(Phase(PhaseName.COUNTING, 0.0), 5)]]
)
def test_next_to_nothing_gives_next_to_nothing(few: list[Recorded], recording: Recording, model: Model) -> None:
    said = run(few, recording, model)
    assert isinstance(said[0], Dose)
    assert not of(Event, said)


@pytest.mark.parametrize("opened", ["reflex", "tiny"])
def test_an_hour_of_nothing_costs_a_minute_of_frames(
    opened: str, items: list[Recorded], clean: list[Update], recording: Recording, model: Model
) -> None:
    model = model if opened == "reflex" else open_model(TINY)
    again = [at(item, 3600 * 10**9) for item in items if not isinstance(item, Said)]
    settings = SessionSettings(recording.rig, Side.RIGHT)
    said: list[Update] = []
    blocks = sum(1 for _ in steps([*items, *again], settings, model, said.append))
    assert blocks < 10 * (2 * LENGTH_S + PAUSE_S + LEAD_S + 2)
    assert said == run([*items, *again], recording, model)
    found = [update for update in said if isinstance(update, Event)]
    after = [event for event in found if event.segment.end_s > 3600]
    assert after
    assert all(event.segment.start_s > 3600 - LEAD_S - 1 for event in after)
    if opened == "reflex":  # what lies in its last window is settled otherwise by an end than by a pause
        alone = [update for update in clean if isinstance(update, Event)]
        early, early_alone = (
            [event for event in events if event.segment.end_s < LENGTH_S - 7] for events in (found, alone)
        )
        assert early == early_alone


def at(item: Recorded, later_ns: int) -> Recorded:
    if isinstance(item, Silence):
        return replace(item, received_ns=item.received_ns + later_ns, since_ns=item.since_ns + later_ns)
    return replace(item, received_ns=item.received_ns + later_ns)


def test_a_stream_walks_too(items: list[Recorded], recording: Recording) -> None:
    said = run(items, recording, open_model(TINY))
    events = [update for update in said if isinstance(update, Event)]
    assert events[-1].segment.end_s == pytest.approx(LENGTH_S, abs=0.3)
    assert said == run(items, recording, open_model(TINY))


def test_a_stream_says_first_how_repetitions_follow_from_its_events(
    items: list[Recorded], recording: Recording, clean: list[Update]
) -> None:
    """Who has the updates has all that decides the numbers: a summary, a review and a recount get the same."""
    said = run(items, recording, open_model(TINY))
    assert isinstance(said[0], Believing)
    assert not of(Believing, clean)  # a model of windows has no belief
    plain = run(items, recording, open_model(TINY), believe=False)
    assert not of(Believing, plain)
    assert of(Event, plain) == of(Event, said)
    for updates_of in (said, plain, clean):
        events = [update for update in updates_of if isinstance(update, Event)]
        dose = next(update for update in reversed(updates_of) if isinstance(update, Dose))
        assert dose_of(events, context_of(updates_of), Plan(), recording.side) == dose


@pytest.mark.parametrize("kind", [Kind.SEQUENCE, Kind.FRAMES])
def test_only_streams_have_a_belief_without_one_in_their_card(kind: Kind) -> None:
    card = open_model(TINY).card
    assert belief_of(card) is not None
    assert belief_of(replace(card, kind=kind)) is None
    own = replace(default_belief(), readiness=2.0)
    assert belief_of(replace(card, kind=kind, belief=own)) is own
