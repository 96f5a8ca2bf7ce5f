from __future__ import annotations

import numpy as np
import pytest

from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import Packet
from rehabcount.domain.rig import Sensor
from rehabcount.domain.update import LinkState, SensorHealth
from rehabcount.sensors.linkcheck import LinkVerdict, check_link

SENSOR = Sensor("a", None, "dot-26", 60.0, "D4:22:CD:00:00:01")


def health(**more: object) -> SensorHealth:
    return SensorHealth("a", LinkState.STREAMING, 30.0, **more)  # type: ignore[arg-type]


def packets(kept: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], jitter_s: float = 0.0) -> list[Packet]:
    rng = np.random.default_rng(0)
    late_s = rng.uniform(0, jitter_s, len(kept))
    return [
        Packet("a", bytes(63), round((5 + i / 60 + late) * 1e9))
        for i, (keep, late) in enumerate(zip(kept, late_s, strict=True))
        if keep
    ]


def test_a_good_link() -> None:
    result = check_link(SENSOR, packets(np.ones(1800, bool), 0.02), 30.0, health(battery_percent=80, signal_dbm=-50))
    assert result.verdict is LinkVerdict.GOOD
    assert result.rate_hz == pytest.approx(60.0, abs=0.1)
    assert result.jitter_ms == pytest.approx(18.0, abs=1.5)  # the middle 90 % of 20 ms
    assert result.advice is None


@pytest.mark.parametrize(("share", "verdict"), [(0.03, LinkVerdict.USABLE), (0.2, LinkVerdict.POOR)])
def test_losses(share: float, verdict: LinkVerdict) -> None:
    kept = np.random.default_rng(1).random(1800) > share
    result = check_link(SENSOR, packets(kept), 30.0, health(signal_dbm=-90))
    assert result.verdict is verdict
    assert result.loss == pytest.approx(share, abs=0.02)
    assert result.advice == Message.of(Code.LINK_WEAK)


def test_a_hole_is_worse_than_its_share() -> None:
    kept = np.ones(1800, bool)
    kept[600:630] = False
    assert check_link(SENSOR, packets(kept), 30.0, health()).verdict is LinkVerdict.USABLE
    kept[600:690] = False
    result = check_link(SENSOR, packets(kept), 30.0, health())
    assert result.verdict is LinkVerdict.POOR
    assert result.longest_hole_s == pytest.approx(1.5, abs=0.05)
    assert "second" in str(result.advice)


def test_reconnections_silence_and_battery() -> None:
    whole = packets(np.ones(1800, bool))
    assert check_link(SENSOR, whole, 30.0, health(reconnections=1)).verdict is LinkVerdict.USABLE
    assert check_link(SENSOR, whole, 30.0, health(reconnections=2)).verdict is LinkVerdict.POOR
    silent = check_link(SENSOR, [], 30.0, health(trouble="The sensor is not to be seen."))
    assert (silent.verdict, str(silent.advice)) == (LinkVerdict.SILENT, "The sensor is not to be seen.")
    assert check_link(SENSOR, whole, 30.0, health(battery_percent=9)).advice == Message.of(Code.LINK_CHARGE, n=9)


def test_a_sensor_that_died_half_way_is_not_good() -> None:
    result = check_link(SENSOR, packets(np.arange(1800) < 300), 30.0, health())
    assert result.verdict is LinkVerdict.POOR
