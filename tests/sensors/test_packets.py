from __future__ import annotations

import struct
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rehabcount.domain.arrays import Floats
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import Packet, Samples, Silence
from rehabcount.domain.rig import Rig, Sensor
from rehabcount.domain.update import Discarded
from rehabcount.sensors.encode import encode
from rehabcount.sensors.layouts import DOT_PIECES, LAYOUTS
from rehabcount.sensors.packets import concatenate, decode, decode_all

G = 9.80665
RAD = np.pi / 180
# Whole notifications, padded as the sensor pads them, made by the specification's table from the values below.
DOT_VECTORS = {
    2: "c3b2a1000000003f0000003f000000bf0000003f0000803e000000bf0000803f1202030400000000",
    3: "c3b2a1000000003f0000003f000000bf0000003f0000803e000000bf0000803f0000000000000000",
    4: "c3b2a100000020410000a0c10000f04100000000",
    5: "c3b2a1000000003f0000003f000000bf0000003f",
    16: "c3b2a100000020410000a0c10000f0410000803e000000bf0000803f000000000000000000000000",
    20: "c3b2a100000000000000000000001d410000c03f000020c000004040001000f80004000000000000",
    22: "c3b2a100000020410000a0c10000f0410000803e000000bf0000803f0000c03f000020c000004040",
    24: "c3b2a1000000003f0000003f000000bf0000003f0000c03f000020c0000040400000000000000000",
    26: "c3b2a1000000003f0000003f000000bf0000003f000000000000000000001d410000c03f000020c000004040" + "00" * 19,
}
TICK = 0x00A1B2C3
QUAT = (0.5, 0.5, -0.5, 0.5)
EULER_DEG = (10.0, -20.0, 30.0)
FREE = (0.25, -0.5, 1.0)
ACC = (0.0, 0.0, 9.8125)
GYR_DEG = (1.5, -2.5, 3.0)


def rig_of(layout: str, rate_hz: float = 100.0, name: str = "a") -> Rig:
    return Rig("test", (Sensor(name, None, layout, rate_hz),))


def heard(packets: Iterable[Packet | Silence], rig: Rig) -> tuple[list[Samples | Silence], list[Discarded]]:
    discarded: list[Discarded] = []
    return list(decode(packets, rig, discarded.append)), discarded


def one(payload: bytes, layout: str, rate_hz: float = 100.0) -> Samples:
    items, discarded = heard([Packet("a", payload, 5)], rig_of(layout, rate_hz))
    assert not discarded
    assert len(items) == 1
    assert isinstance(items[0], Samples)
    return items[0]


def measured(samples: Samples, name: str) -> Floats:
    values: Floats | None = getattr(samples, name)
    assert values is not None
    return values


def turned(mode_pieces: tuple[str, ...]) -> Rotation:
    """Orientation of the test values, by scipy: quaternion as given, or Euler angles in the order z, y, x."""
    if "quat" in mode_pieces:
        return Rotation.from_quat(QUAT, scalar_first=True)
    roll, pitch, yaw = EULER_DEG
    return Rotation.from_euler("ZYX", [yaw, pitch, roll], degrees=True)


@pytest.mark.parametrize("mode", DOT_VECTORS)
def test_dot_vectors(mode: int) -> None:
    samples = one(bytes.fromhex(DOT_VECTORS[mode]), f"dot-{mode}")
    pieces = LAYOUTS[f"dot-{mode}"].pieces
    assert samples.tick is not None
    assert samples.tick.tolist() == [TICK]
    assert samples.received_ns.tolist() == [5]
    if {"quat", "euler"} & set(pieces):
        assert samples.quat is not None
        apart = Rotation.from_quat(samples.quat[0], scalar_first=True) * turned(pieces).inv()
        assert apart.magnitude() < 1e-7
    else:
        assert samples.quat is None
    if "gyr" in pieces:
        np.testing.assert_allclose(measured(samples, "gyr"), [np.array(GYR_DEG) * RAD], rtol=1e-12)
    else:
        assert samples.gyr is None
    if "acc" in pieces:
        np.testing.assert_allclose(measured(samples, "acc"), [ACC], rtol=1e-12)
    elif "free" in pieces:
        felt = turned(pieces).inv().apply(np.add(FREE, (0, 0, G)))
        np.testing.assert_allclose(measured(samples, "acc"), [felt], rtol=1e-6)
    else:
        assert samples.acc is None


def test_dot_free_acceleration_alone_measures_nothing_we_use() -> None:
    samples = one(struct.pack("<I3f", 7, 1, 2, 3).ljust(20, b"\0"), "dot-6")
    assert samples.acc is None
    assert samples.gyr is None
    assert samples.quat is None
    assert samples.tick is not None


def test_dot_delta_quantities_are_divided_by_the_interval() -> None:
    rate = np.array([0.3, -0.2, 0.9])
    w, x, y, z = (float(part) for part in np.roll(Rotation.from_rotvec(rate / 60).as_quat(), 1))
    payload = struct.pack("<I4f3f", 7, w, x, y, z, 0, 0, G / 60)
    samples = one(payload.ljust(40, b"\0"), "dot-19", rate_hz=60.0)
    np.testing.assert_allclose(measured(samples, "acc"), [[0, 0, G]], rtol=1e-6)
    np.testing.assert_allclose(measured(samples, "gyr"), [rate], atol=1e-5)


def test_dot_notifications_may_be_longer_never_shorter() -> None:
    whole = struct.pack("<I10f", 1, 1, 0, 0, 0, *ACC, *GYR_DEG)
    assert len(whole) == LAYOUTS["dot-26"].size
    assert one(whole + b"\0" * 19, "dot-26").acc is not None
    assert one(whole, "dot-26").acc is not None
    items, discarded = heard([Packet("a", whole[:-1], 0)], rig_of("dot-26"))
    assert not items
    assert [(str(each.reason), each.number) for each in discarded] == [("packet cut short", 1)]


WIT_CAPTURES = [
    # Two frames captured from a WT901BLE68, of which the console kept 16 of 20 bytes; pitch and yaw are ours (0).
    ("556135ff59ff0a08000000000000b9fc", (-0.0991, -0.0815, 1.0049), (0, 0, 0), -4.61),
    ("5561e403ebf43f007c0202ff330052fe", (0.4863, -1.3853, 0.0308), (38.82, -15.5, 3.11), -2.36),
]


@pytest.mark.parametrize(("frame", "acc_g", "gyr_deg", "roll_deg"), WIT_CAPTURES)
def test_witmotion_captures(frame: str, acc_g: tuple[float, ...], gyr_deg: tuple[float, ...], roll_deg: float) -> None:
    samples = one(bytes.fromhex(frame).ljust(20, b"\0"), "wit-20")
    np.testing.assert_allclose(measured(samples, "acc"), [np.array(acc_g) * G], atol=1e-3)
    np.testing.assert_allclose(measured(samples, "gyr"), [np.array(gyr_deg) * RAD], atol=1e-3)
    expected = Rotation.from_euler("x", roll_deg, degrees=True)
    assert samples.quat is not None
    assert (Rotation.from_quat(samples.quat[0], scalar_first=True) * expected.inv()).magnitude() < 1e-3
    assert samples.tick is None


def test_witmotion_register_answers_are_stepped_over() -> None:
    answer = bytes.fromhex("55713A00680169007A00").ljust(20, b"\0")
    frame = bytes.fromhex(WIT_CAPTURES[0][0]).ljust(20, b"\0")
    items, discarded = heard([Packet("a", answer + frame + answer, 0)], rig_of("wit-20"))
    assert [len(item) for item in items if isinstance(item, Samples)] == [1]
    assert not discarded


def test_generic_profile() -> None:
    body = struct.pack("<12h", 0, 0, 2048, 0, 0, 16384, 2048, 0, 0, -32768, 0, 0)
    samples = one(struct.pack("<BBIH", 1, 2, 0xFFFFFFFF, 10_000) + body, "generic")
    assert samples.tick is not None
    assert samples.tick.tolist() == [0xFFFFFFFF, 9_999]  # the device's clock wraps inside the packet
    np.testing.assert_allclose(measured(samples, "acc"), [[0, 0, G], [G, 0, 0]])
    np.testing.assert_allclose(measured(samples, "gyr"), [[0, 0, 1000 * RAD], [-2000 * RAD, 0, 0]])


GOOD_GENERIC = struct.pack("<BBIH6h", 1, 1, 5, 0, 1, 2, 3, 4, 5, 6)
GOOD_SAMPLE = struct.pack("<BBHq3d", 1, 3, 1, 5, 1.0, 2.0, 3.0)


@pytest.mark.parametrize(
    ("layout", "payload", "reason"),
    [
        ("generic", GOOD_GENERIC[:7], "packet cut short"),
        ("generic", b"", "packet cut short"),
        ("generic", GOOD_GENERIC[:-1], "packet of wrong length"),
        ("generic", GOOD_GENERIC + b"\0", "packet of wrong length"),
        ("generic", b"\x02" + GOOD_GENERIC[1:], "unknown version"),
        ("generic", struct.pack("<BBIH", 1, 0, 5, 10), "packet of wrong length"),
        ("generic", struct.pack("<BBIH", 1, 2, 5, 0) + bytes(24), "samples without time between them"),
        ("sample", GOOD_SAMPLE[:3], "packet cut short"),
        ("sample", GOOD_SAMPLE[:-1], "packet of wrong length"),
        ("sample", b"\x07" + GOOD_SAMPLE[1:], "unknown version"),
        ("sample", struct.pack("<BBHq3d", 1, 3 | 16, 1, 5, 1.0, 2.0, 3.0), "packet of wrong length"),
        ("sample", struct.pack("<BBHq3d", 1, 3, 1, 5, 1.0, np.nan, 3.0), "value that is not a number"),
        ("sample", struct.pack("<BBH2q", 1, 1, 2, 5, 5), "clock that runs backwards"),
        ("sample", struct.pack("<BBH4d", 1, 8, 1, 0, 0, 0, 0), "orientation that is no rotation"),
        ("dot-26", struct.pack("<I10f", 1, 1, 0, 0, 0, 1, np.inf, 1, 0, 0, 0), "value that is not a number"),
        ("dot-26", struct.pack("<I10f", 1, 1, 0, 0, 0, 1, np.nan, 1, 0, 0, 0), "value that is not a number"),
        ("dot-26", struct.pack("<I10f", 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0), "orientation that is no rotation"),
        ("dot-5", b"\0" * 19, "packet cut short"),
        ("wit-20", b"\x01\x02\x03", "bytes between frames"),
        ("wit-20", b"\x55\x61\x03", "frame cut short"),
        ("wit-28", b"\x55\x61" + b"\0" * 24 + b"\xff\xff", "date that does not exist"),
    ],
)
def test_what_cannot_be_read_is_counted_and_dropped(layout: str, payload: bytes, reason: str) -> None:
    items, discarded = heard([Packet("a", payload, 0)], rig_of(layout))
    assert not items
    assert reason in {str(each.reason) for each in discarded}
    assert all(each.sensor == "a" for each in discarded)


def test_one_bad_row_does_not_take_the_others_with_it() -> None:
    rows = np.array([[1.0, 2, 3], [4, np.nan, 6], [7, 8, 9]])
    payload = struct.pack("<BBH3q", 1, 3, 3, 10, 20, 30) + rows.tobytes()
    items, discarded = heard([Packet("a", payload, 100_000)], rig_of("sample"))
    assert isinstance(items[0], Samples)
    np.testing.assert_array_equal(items[0].acc, rows[[0, 2]])
    assert items[0].tick is not None
    assert items[0].tick.tolist() == [10, 30]
    assert items[0].received_ns.tolist() == [80_000, 100_000]
    assert [(str(each.reason), each.number) for each in discarded] == [("value that is not a number", 1)]


def test_an_unknown_sensor_is_reported_not_fatal() -> None:
    items, discarded = heard([Packet("stranger", b"x", 0), Packet("a", GOOD_GENERIC, 1)], rig_of("generic"))
    assert len(items) == 1
    assert discarded == [Discarded("stranger", Message.of(Code.NOT_IN_RIG), 1, 0.0)]


def test_silence_passes_through_in_order() -> None:
    silence = Silence("a", 0, 2)
    items, _ = heard([Packet("a", GOOD_GENERIC, 1), silence, Packet("a", GOOD_GENERIC, 3)], rig_of("generic"))
    assert items[1] is silence
    assert len(items) == 3


def test_complaints_are_bundled_by_the_second() -> None:
    bad = [Packet("a", b"", i * 10_000_000) for i in range(250)]  # 2.5 s at 100 Hz
    _, discarded = heard(bad, rig_of("generic"))
    assert [each.number for each in discarded] == [1, 100, 100, 49]
    assert [each.at_s for each in discarded] == [0.0, 1.0, 2.0, pytest.approx(2.49)]


def test_decode_asks_for_a_known_layout_at_once() -> None:
    with pytest.raises(Exception, match="no sensor layout"):
        decode([], rig_of("dot-99"))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(LAYOUTS)), st.lists(st.binary(max_size=70), max_size=8))
def test_noise_never_raises(layout: str, payloads: list[bytes]) -> None:
    items, _ = heard([Packet("a", payload, i) for i, payload in enumerate(payloads)], rig_of(layout))
    for item in items:
        assert isinstance(item, Samples)
        for values in (item.acc, item.gyr, item.quat):
            assert values is None or np.isfinite(values).all()


@st.composite
def motions(draw: st.DrawFn, clock: str = "even") -> Samples:
    """Samples within the range of every layout: even, uneven, or without a clock."""
    n = draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    quat = rng.normal(size=(n, 4))
    quat /= np.linalg.norm(quat, axis=1, keepdims=True)
    step = draw(st.integers(1, 60_000))
    tick = draw(st.integers(0, 2**31)) + (
        step * np.arange(n) if clock == "even" else np.cumsum(rng.integers(1, 200_000, n))
    )
    received = 1000 * tick if clock != "none" else np.sort(rng.integers(0, 10**10, n))
    return Samples(
        "a",
        received,
        None if clock == "none" else tick,
        rng.uniform(-15.9 * G, 15.9 * G, (n, 3)),
        rng.uniform(-34.8, 34.8, (n, 3)),
        quat,
    )


def angle_between(a: Floats, b: Floats) -> Floats:
    return np.asarray(
        (Rotation.from_quat(a, scalar_first=True) * Rotation.from_quat(b, scalar_first=True).inv()).magnitude()
    )


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["generic", "dot-26", "wit-20", "wit-28"]), st.sampled_from(["even", "uneven"]), st.data())
def test_decode_undoes_encode_to_the_resolution(layout: str, clock: str, data: st.DataObject) -> None:
    sent = data.draw(motions(clock))
    got = decode_all(encode(sent, layout), rig_of(layout))["a"]
    fine = layout == "dot-26"
    acc_step, gyr_step = (1e-5, 3e-6) if fine else (16 * G / 32768, 2000 * RAD / 32768)
    assert np.abs(measured(got, "acc") - measured(sent, "acc")).max() <= acc_step * (1 if fine else 0.501)
    assert np.abs(measured(got, "gyr") - measured(sent, "gyr")).max() <= gyr_step * (1 if fine else 0.501)
    if layout != "generic":
        # Three angles, each rounded to half a count: in the worst case the errors add up.
        apart = angle_between(measured(got, "quat"), measured(sent, "quat")).max()
        assert apart <= (1e-6 if fine else 1.5 * np.pi / 32768 + 3e-6)
    if layout != "wit-20":
        assert got.tick is not None
        assert sent.tick is not None
        np.testing.assert_array_equal(got.tick, sent.tick)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["even", "uneven", "none"]), st.sets(st.sampled_from(["acc", "gyr", "quat"])), st.data())
def test_the_sample_layout_is_lossless(clock: str, kept: set[str], data: st.DataObject) -> None:
    whole = data.draw(motions(clock))
    acc, gyr, quat = (getattr(whole, name) if name in kept else None for name in ("acc", "gyr", "quat"))
    sent = Samples("a", whole.received_ns, whole.tick, acc, gyr, quat)
    got = decode_all(encode(sent, "sample"), rig_of("sample"))["a"]
    for name in ("received_ns", "tick", "acc", "gyr", "quat"):
        expected, value = getattr(sent, name), getattr(got, name)
        assert (expected is None) == (value is None)
        if expected is not None:
            np.testing.assert_array_equal(value, expected)


def test_encode_says_what_is_missing() -> None:
    bare = Samples("a", np.array([0]), None, np.zeros((1, 3)), None)
    with pytest.raises(ValueError, match="carries a clock"):
        encode(bare, "dot-26")
    with pytest.raises(ValueError, match="which the samples of"):
        encode(bare, "wit-20")
    with pytest.raises(ValueError, match="layout must be one of"):
        encode(bare, "dot-4")


def test_encoded_dot_notification_equals_the_vector() -> None:
    samples = Samples("a", np.array([0]), np.array([TICK]), np.array([ACC]), np.radians([GYR_DEG]), np.array([QUAT]))
    assert encode(samples, "dot-26")[0].payload.hex() == DOT_VECTORS[26]


def test_out_of_range_is_clipped_not_wrapped() -> None:
    loud = Samples("a", np.array([0]), np.array([0]), np.full((1, 3), 1e3), np.full((1, 3), -1e3))
    got = decode_all(encode(loud, "generic"), rig_of("generic"))["a"]
    np.testing.assert_allclose(measured(got, "acc"), 16 * G, rtol=1e-4)
    np.testing.assert_allclose(measured(got, "gyr"), -2000 * RAD, rtol=1e-4)


def test_concatenating_blocks_of_different_kind_fills_with_nan() -> None:
    a = Samples("a", np.array([0]), np.array([0]), np.zeros((1, 3)), None)
    b = Samples("a", np.array([1]), np.array([1]), None, np.ones((1, 3)))
    both = concatenate([a, b])
    assert both.acc is not None
    assert both.gyr is not None
    assert np.isnan(both.acc).tolist() == [[False] * 3, [True] * 3]
    assert both.quat is None
    assert both.tick is not None


def test_every_piece_of_a_dot_payload_has_a_width() -> None:
    assert {struct.calcsize("<" + code) for code in DOT_PIECES.values()} == {16, 12, 6, 2}


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["generic", "dot-26", "wit-20", "wit-28", "sample"]),
    motions(),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255), st.sampled_from(["set", "cut", "insert"]))),
)
def test_damaged_packets_never_raise(layout: str, sent: Samples, damages: list[tuple[int, int, str]]) -> None:
    packets = encode(sent, layout)
    for place, byte, kind in damages:
        which = place % len(packets)
        payload = bytearray(packets[which].payload)
        where = (place // len(packets)) % (len(payload) + 1)
        if kind == "set":
            payload[where : where + 1] = bytes([byte])
        elif kind == "cut":
            del payload[where:]
        else:
            payload.insert(where, byte)
        packets[which] = Packet("a", bytes(payload), packets[which].received_ns)
    items, _ = heard(packets, rig_of(layout))
    assert all(
        np.isfinite(measured(item, "acc")).all() for item in items if isinstance(item, Samples) and item.acc is not None
    )
