from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehabcount.errors import PacketMalformed
from rehabcount.sensors import witmotion_device as wit

# The vendor's example of an answer: magnetometer 360, 105, 122.
ANSWER = bytes.fromhex("55713a0068016900 7a00") + bytes(10)


def test_the_vendors_answer() -> None:
    answer = wit.read_answer(ANSWER)
    assert answer.register == wit.MAGNETOMETER
    assert answer.values[:3] == (360, 105, 122)
    assert wit.write_answer(answer) == ANSWER
    assert answer.battery_percent is None
    assert answer.quaternion is None


@pytest.mark.parametrize("raw", [ANSWER[:-1], b"\x55\x61" + ANSWER[2:], b""])
def test_what_is_no_answer_is_refused(raw: bytes) -> None:
    with pytest.raises(PacketMalformed):
        wit.read_answer(raw)


def test_commands() -> None:
    assert bytes.fromhex("ffaa6988b5") == wit.UNLOCK
    assert bytes.fromhex("ffaa000000") == wit.SAVE
    assert wit.ask(wit.BATTERY) == bytes.fromhex("ffaa276400")
    assert [wit.set_rate(rate)[3] for rate in (1, 2, 5, 10, 20, 50, 100)] == [3, 4, 5, 6, 7, 8, 9]
    assert wit.read_command(wit.set_rate(100)) == wit.Command(wit.RATE_REGISTER, 9)
    with pytest.raises(ValueError, match="rate_hz"):
        wit.set_rate(200)
    with pytest.raises(PacketMalformed):
        wit.read_command(b"\xff\xab\x00\x00\x00")


def test_registers_in_their_units() -> None:
    turned = wit.Answer(wit.QUATERNION, (16384, -16384, 16384, 16384, 0, 0, 0, 0))
    np.testing.assert_allclose(turned.quaternion or (), (0.5, -0.5, 0.5, 0.5))
    assert wit.Answer(wit.BATTERY, (387,) + (0,) * 7).battery_percent == 75


@pytest.mark.parametrize(
    ("value", "percent"),
    [
        (400, 100), (397, 100), (396, 90), (393, 90), (387, 75), (382, 60), (379, 50), (377, 40), (373, 30), (370, 20),
        (368, 15), (350, 10), (340, 5), (339, 0), (0, 0), (880, 100), (765, 50), (650, 0), (600, 0),
    ],
)  # fmt: skip
def test_battery_curve(value: int, percent: int) -> None:
    assert wit.battery_percent(value) == percent


@given(st.integers(0, 549), st.integers(0, 549))
def test_more_volts_are_never_less_charge(one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert wit.battery_percent(low) <= wit.battery_percent(high)


@pytest.mark.parametrize("value", [-1, 1001])
def test_impossible_battery(value: int) -> None:
    with pytest.raises(PacketMalformed):
        wit.battery_percent(value)
