from __future__ import annotations

import pytest

from rehabcount.errors import PacketMalformed, SensorRefused
from rehabcount.sensors import dot_device, generic_device, witmotion_device
from rehabcount.sensors.families import (
    DOT,
    FAMILIES,
    GENERIC,
    WIT,
    WIT_DATED,
    Family,
    SensorNotice,
    family_of_layout,
    read_notice,
    recognise,
    samples_in,
    stamp_of,
    why_unreadable,
)


@pytest.mark.parametrize(
    ("name", "companies", "services", "family"),
    [
        ("Movella DOT", [], [], DOT),
        ("Movella Dot", [], [], DOT),
        ("Xsens DOT", [], [], DOT),
        (None, [2182], [], DOT),
        ("WT901BLE67", [], [], WIT),
        ("WT901SDCL-BT50", [], [], WIT_DATED),
        ("WTVB01-BT50", [], [], None),
        ("Left wrist", [], [generic_device.SERVICE], GENERIC),
        ("JBL Speaker", [87], ["0000180f-0000-1000-8000-00805f9b34fb"], None),
        (None, [], [], None),
    ],
)
def test_recognise(name: str | None, companies: list[int], services: list[str], family: Family | None) -> None:
    assert recognise(name, companies, services) is family


@pytest.mark.parametrize("name", ["WTVB01-BT50", "wtvb02", "Movesense 1234", "MetaWear"])
def test_what_cannot_be_used_says_why(name: str) -> None:
    assert recognise(name) is None
    assert why_unreadable(name).endswith(".")


@pytest.mark.parametrize("name", ["WT901BLE67", "Movella DOT", "JBL Speaker", None])
def test_of_others_nothing_is_said(name: str | None) -> None:
    assert why_unreadable(name) == ""


def test_a_dot_is_stopped_set_and_started() -> None:
    stop, rate = DOT.configure(60)
    assert stop.data == bytes.fromhex("01001a")
    assert dot_device.read_device_control(rate.data).rate_hz == 60
    assert DOT.start[0].data == bytes.fromhex("01011a")
    assert DOT.stream == dot_device.LONG_PAYLOAD


def test_a_witmotion_is_unlocked_set_and_saved() -> None:
    assert [write.data.hex() for write in WIT.configure(100)] == ["ffaa6988b5", "ffaa030900", "ffaa000000"]
    assert WIT.ask_battery is not None
    assert WIT.substitutes[WIT.stream] == witmotion_device.DUAL_NOTIFY


def test_notices() -> None:
    assert read_notice(DOT, dot_device.BATTERY, b"\x32\x00") == SensorNotice(battery_percent=50)
    click = read_notice(DOT, dot_device.DEVICE_REPORT, bytes([6, 4, 1, 0, 0, 0]))
    assert click == SensorNotice(click=dot_device.ReportKind.DOUBLE_CLICK)
    assert read_notice(GENERIC, generic_device.BATTERY, b"\x14") == SensorNotice(battery_percent=20)
    answer = witmotion_device.write_answer(witmotion_device.Answer(witmotion_device.BATTERY, (397,) + (0,) * 7))
    assert read_notice(WIT, WIT.stream, answer) == SensorNotice(battery_percent=100)
    assert read_notice(WIT, WIT.stream, b"\x55\x61" + bytes(18)) is None
    assert read_notice(DOT, DOT.stream, bytes(63)) is None
    with pytest.raises(PacketMalformed):
        read_notice(GENERIC, generic_device.BATTERY, b"\xff")


def test_layouts_lead_back_to_their_family() -> None:
    for family in FAMILIES.values():
        assert family_of_layout(family.layout) is family
    with pytest.raises(SensorRefused, match="dot-3"):
        family_of_layout("dot-3")


def test_what_a_notification_carries() -> None:
    assert samples_in("wit-20", bytes(60)) == 3
    assert samples_in("generic", bytes([1, 6, 0, 0, 0, 0, 0, 0])) == 6
    assert samples_in("generic", b"\x01") == 0
    assert samples_in("dot-26", bytes(63)) == 1
    assert stamp_of("dot-26", b"\x01\x02\x03\x04\x05") == b"\x01\x02\x03\x04"
    assert stamp_of("generic", bytes(range(8))) == bytes([2, 3, 4, 5])
    assert stamp_of("dot-26", b"\x01") is None
    assert stamp_of("wit-20", bytes(20)) is None
