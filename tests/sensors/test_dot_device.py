from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehabcount.errors import PacketMalformed
from rehabcount.sensors import dot_device as dot
from rehabcount.sensors.dot_messages import (
    ASK_SYNC,
    STOP_SYNC,
    SYNC_RESULT,
    SYNC_STATUS,
    SYNC_STOPPED,
    MessageKind,
    SyncResult,
    read_message,
    read_sync_answer,
    start_sync,
    write_message,
)

# Every message example of the specification whose checksum is right, and one from the vendor's own server.
MESSAGES = [
    "0103010602f3",
    "010141bd",
    "0103010041ba",
    "010260019c",
    "01040100600199",
    "010974000105060708090a54",
    "0102700786",
    "01040100700783",
    "020108f5",
    "02025109a2",
    "02025104a7",
    "020701ccbbaacd22d402",
    "02020300f9",
    "020102fb",
    "02025000ac",
    "030104f8",
    "03080000000000000000f5",
    "020701c97a283ff0db81",
]


@pytest.mark.parametrize("text", MESSAGES)
def test_messages_of_the_specification(text: str) -> None:
    raw = bytes.fromhex(text)
    message = read_message(raw)
    assert message.kind == raw[0]
    assert message.data == raw[2:-1]
    assert write_message(message.kind, message.data) == raw
    assert read_message(raw.ljust(160, b"\0")) == message


@pytest.mark.parametrize(
    "text",
    [
        "010740df503b5b0807e0",  # the specification's own example, with a checksum that is wrong
        "020108f4",
        "0201",
        "020908f5",
        "020108f501",
        "090108ee",  # no such kind
        "",
    ],
)
def test_invalid_messages_are_refused(text: str) -> None:
    with pytest.raises(PacketMalformed):
        read_message(bytes.fromhex(text))


@given(st.sampled_from(list(MessageKind)), st.binary(max_size=150), st.data())
def test_a_changed_byte_is_noticed(kind: MessageKind, data: bytes, choose: st.DataObject) -> None:
    raw = bytearray(write_message(kind, data))
    assert read_message(bytes(raw)).data == data
    at = choose.draw(st.integers(0, len(raw) - 1))
    raw[at] ^= choose.draw(st.integers(1, 255))
    if at != 1:  # a changed length may hide behind bytes that happen to fit
        with pytest.raises(PacketMalformed):
            read_message(bytes(raw))


def test_synchronisation_messages() -> None:
    assert start_sync("D4:22:CD:AA:BB:CC").hex() == "020701ccbbaacd22d402"
    assert ASK_SYNC.hex() == "020108f5"
    assert STOP_SYNC.hex() == "020102fb"
    assert read_sync_answer(bytes.fromhex("02020300f9")) == (SYNC_RESULT, SyncResult.DONE)
    assert read_sync_answer(bytes.fromhex("02025104a7")) == (SYNC_STATUS, SyncResult.SYNCED)
    assert read_sync_answer(bytes.fromhex("02025109a2")) == (SYNC_STATUS, SyncResult.NOT_STARTED)
    assert read_sync_answer(bytes.fromhex("02025000ac")) == (SYNC_STOPPED, SyncResult.DONE)
    with pytest.raises(PacketMalformed):
        read_sync_answer(bytes.fromhex("030104f8"))
    with pytest.raises(ValueError, match="six bytes"):
        start_sync("D4:22")


def test_start_and_stop_name_the_mode_in_decimal() -> None:
    assert dot.start_measuring(26) == bytes.fromhex("01011a")
    assert dot.stop_measuring(26) == bytes.fromhex("01001a")
    with pytest.raises(ValueError, match="mode must be one of"):
        dot.start_measuring(0x26)


@pytest.mark.parametrize(
    ("mode", "number"), [(26, 0x2002), (2, 0x2003), (22, 0x2003), (20, 0x2003), (5, 0x2004), (4, 0x2004), (6, 0x2004)]
)
def test_a_mode_has_the_characteristic_of_its_size(mode: int, number: int) -> None:
    assert dot.payload_characteristic(mode) == f"1517{number:04x}-4947-11e9-8646-d663bd873d93"


def test_device_control_vectors() -> None:
    assert dot.set_rate(60) == bytes([0x10]) + bytes(23) + bytes([0x3C, 0]) + bytes(6)
    assert bytes([1, 1]) + bytes(30) == dot.BLINK
    with pytest.raises(ValueError, match="rate_hz"):
        dot.set_rate(100)
    with pytest.raises(ValueError, match="tag"):
        dot.write_device_control(dot.DeviceControl(dot.Visit.TAG, tag="x" * 17))


@given(
    st.builds(
        dot.DeviceControl,
        visit=st.integers(0, 63).map(dot.Visit),
        identify=st.integers(0, 255),
        power=st.integers(0, 255),
        power_saving=st.tuples(*[st.integers(0, 255)] * 4),
        tag=st.text("ABCxyz019- ", max_size=16),
        rate_hz=st.sampled_from(dot.RATES_HZ),
        filter=st.sampled_from(list(dot.Filter)),
    )
)
def test_device_control_there_and_back(control: dot.DeviceControl) -> None:
    raw = dot.write_device_control(control)
    assert len(raw) == 32
    assert dot.read_device_control(raw) == control


def test_device_info_in_either_order_of_the_address() -> None:
    info = dot.DeviceInfo("D4:22:CD:00:12:34", "2.3.1", "2023-04-05 06:07:08", 0x0102, "00AA00BB00CC00DD", "XS-T02")
    raw = dot.write_info(info)
    assert len(raw) == 34
    assert dot.read_info(raw) == info
    assert dot.read_info(raw[:6][::-1] + raw[6:]) == info
    with pytest.raises(PacketMalformed, match="cut short"):
        dot.read_info(raw[:-1])


def test_battery() -> None:
    assert dot.read_battery(bytes([87, 1])) == dot.Battery(87, True)
    for wrong in (b"", b"\x10", bytes([101, 0]), bytes([50, 2])):
        with pytest.raises(PacketMalformed):
            dot.read_battery(wrong)


def test_reports() -> None:
    assert dot.read_report(bytes([5, 4, 0x10, 0x27, 0, 0]).ljust(36, b"\0")) == dot.DeviceReport(
        dot.ReportKind.SINGLE_CLICK, 10_000
    )
    assert dot.read_report(b"\x01".ljust(36, b"\0")) == dot.DeviceReport(dot.ReportKind.POWER_OFF)
    for wrong in (b"", b"\x09", b"\x06\x04\x00"):
        with pytest.raises(PacketMalformed):
            dot.read_report(wrong)
