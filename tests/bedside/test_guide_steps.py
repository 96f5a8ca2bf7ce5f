"""The steps of the calibration: set-up and record give the same calibration."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from rehabcount.bedside.config import Settings
from rehabcount.bedside.guide_steps import GUIDE, GuideStep, posed_in_turn
from rehabcount.bedside.preparation import Preparation
from rehabcount.bedside.rigging import Choice
from rehabcount.domain.rig import Side
from rehabcount.domain.update import Calibrated, CalibrationAsked, Posed, Recorded, Said
from rehabcount.engine.session import SessionSettings, updates
from rehabcount.inference.runtime import Model
from rehabcount.sensors.simulated import packets_of
from rehabcount.simulate.cohort import make_cohort
from rehabcount.simulate.recording import simulate_trial
from tests.engine.oracle import ReflexModel


def test_the_pose_is_of_both_arms_and_getting_ready_is_no_step() -> None:
    assert posed_in_turn(GUIDE, 1.0, Side.LEFT) == (
        Posed("still", 4.0, 7.5),
        Posed("elbow", 7.5, 16.5, Side.LEFT),
        Posed("forearm", 16.5, 25.5, Side.LEFT),
    )


def test_set_up_and_record_find_the_same_calibration() -> None:
    patient = next(each for each in make_cohort(0) if each.group == "test" and each.side is Side.RIGHT)
    recording = simulate_trial(patient, "drinking", 1)
    spans = [recording.span("calibration", name) for name in ("still", "elbow", "forearm")]
    begun_s = spans[0][0]
    guide = (
        GuideStep("still", spans[1][0] - begun_s),
        GuideStep("elbow", spans[2][0] - spans[1][0]),
        GuideStep("forearm", spans[2][1] - spans[2][0]),
    )
    packets = packets_of(recording)
    begun_ns = packets[0].received_ns + round(begun_s * 1e9)
    packets = [packet for packet in packets if packet.received_ns < begun_ns + 40e9]
    set_up = SimpleNamespace(guide=guide, _choice=Choice("nine", recording.side), _settings=Settings())
    prepared = Preparation._calibration(cast(Preparation, set_up), list(packets), recording.rig, begun_ns)

    asked = CalibrationAsked(posed_in_turn(guide, (begun_ns - packets[0].received_ns) / 1e9, recording.side), 0.0)
    items: list[Recorded] = [Said(asked, packets[0].received_ns), *packets]
    settings = SessionSettings(recording.rig, recording.side)
    said = updates(items, settings, cast(Model, ReflexModel()))
    (found,) = (update for update in said if isinstance(update, Calibrated))
    assert found.used
    assert found.calibration.mountings
    assert prepared == found.calibration
