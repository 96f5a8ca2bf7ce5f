from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehabcount.sensors.radio.meter import EchoFilter, Meter

S = 1_000_000_000


def test_rate_and_loss_of_a_steady_stream() -> None:
    meter = Meter(100.0, 0)
    assert meter.rate_hz(S // 4) is None
    assert meter.loss(S // 4) is None
    for i in range(1000):
        meter.add(i * S // 100, 1)
    assert meter.rate_hz(10 * S) == pytest.approx(100.0)
    assert meter.loss(10 * S) == 0.0


def test_a_quarter_lost() -> None:
    meter = Meter(100.0, 0)
    for i in range(1000):
        if i % 4:
            meter.add(i * S // 100, 1)
    assert meter.loss(10 * S) == pytest.approx(0.25)


def test_what_came_before_the_window_is_forgotten() -> None:
    meter = Meter(100.0, 0)
    for i in range(300):
        meter.add(i * S // 100, 1)
    assert meter.rate_hz(3 * S) == pytest.approx(100.0)
    assert meter.rate_hz(9 * S) == 0.0
    for i in range(50):  # late samples do not keep old ones alive
        meter.add(20 * S + i * S, 1)
    assert meter.rate_hz(69 * S) == pytest.approx(1.0)


@given(st.lists(st.binary(min_size=44, max_size=44), unique_by=lambda payload: payload[:4], max_size=50))
def test_stamps_tell_an_echo_from_a_sample(payloads: list[bytes]) -> None:
    echoes = EchoFilter("dot-26")
    heard = [data for payload in payloads for data in (payload, payload) if not echoes.is_echo(data, 0)]
    assert heard == payloads


def test_reordered_samples_are_no_echoes() -> None:
    echoes = EchoFilter("generic")
    stamped = [bytes([1, 1, i, 0, 0, 0]) + bytes(14) for i in (1, 3, 2, 4, 3)]
    assert [echoes.is_echo(payload, 0) for payload in stamped] == [False, False, False, False, True]


def test_without_a_stamp_the_same_bytes_at_once_are_an_echo() -> None:
    echoes = EchoFilter("wit-20")
    frame, other = bytes(20), bytes(19) + b"\1"
    assert not echoes.is_echo(frame, 0)
    assert echoes.is_echo(frame, 50_000)
    assert not echoes.is_echo(frame, 10_000_000)  # a sensor at rest repeats itself, in its own time
    assert echoes.is_echo(frame, 10_050_000)
    assert not echoes.is_echo(other, 10_060_000)
