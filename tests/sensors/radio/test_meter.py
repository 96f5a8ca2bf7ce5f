from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehabcount.sensors.radio.meter import PAIRS, EchoFilter, Meter

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
    heard = [data for payload in payloads for data in (payload, payload) if not echoes.is_echo(data)]
    assert heard == payloads


def test_reordered_samples_are_no_echoes() -> None:
    echoes = EchoFilter("generic")
    stamped = [bytes([1, 1, i, 0, 0, 0]) + bytes(14) for i in (1, 3, 2, 4, 3)]
    assert [echoes.is_echo(payload) for payload in stamped] == [False, False, False, False, True]


def kept(payloads: list[bytes]) -> list[bytes]:
    echoes = EchoFilter("wit-20")
    return [payload for payload in payloads if not echoes.is_echo(payload)]


def test_without_a_stamp_everything_in_pairs_is_doubled() -> None:
    frames = [bytes([0x55, 0x61, i]) + bytes(17) for i in range(100)]
    doubled = [frame for frame in frames for _ in range(2)]
    heard = kept(doubled)
    assert len(heard) == len(frames) + PAIRS  # so many passed until it was sure
    assert heard[2 * PAIRS :] == frames[PAIRS:]
    assert kept(frames + doubled + frames)[-len(frames) :] == frames  # and when it is over, nothing is lost


def test_a_sensor_at_rest_may_repeat_itself() -> None:
    still = [bytes(20)] * 500
    assert kept(still) == still
    rng = np.random.default_rng(0)
    quiet = [
        bytes([0x55, 0x61, *rng.integers(0, 2, 3)]) + bytes(15) for _ in range(20_000)
    ]  # three lowest bits of noise
    assert len(kept(quiet)) >= 0.999 * len(quiet)
