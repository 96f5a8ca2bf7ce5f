"""Families of sensors for the radio: how to recognise one, what to write to it, and which characteristics answer.

All of this is data and pure functions, so that the radio treats every family alike: write `configure(rate)`, enable
notifications of `stream` and `notices`, write `start`, and `stop` at the end. A notice is any notification other than a
measurement; `read_notice` decodes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rehabcount.errors import PacketMalformed, SensorRefused
from rehabcount.sensors import dot_device, generic_device, witmotion_device
from rehabcount.sensors.layouts import GENERIC_HEAD, RECOMMENDED_DOT_MODE, layout_of
from rehabcount.sensors.witmotion import ANSWER

WIT_SETTLE_S = 0.1  # the vendor's demos wait as long between two commands; sent back to back, the second is ignored


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes for a characteristic, and how long to wait afterwards. An optional one may be absent."""

    characteristic: str
    data: bytes
    pause_s: float = 0.0
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Family:
    """The properties of a family that the radio uses; see the module."""

    name: str  # in settings, on the command line and in remembered assignments
    title: str
    layout: str
    rates_hz: tuple[int, ...]  # empty: the firmware decides
    rate_hz: int  # the one we ask for
    stream: str
    configure: Callable[[int], tuple[Write, ...]]
    start: tuple[Write, ...] = ()
    stop: tuple[Write, ...] = ()
    blink: tuple[Write, ...] = ()  # empty: it cannot
    notices: tuple[str, ...] = ()
    battery: str | None = None  # characteristic to read
    ask_battery: Write | None = None  # the answer comes in the stream
    substitutes: Mapping[str, str] = field(
        default_factory=dict, hash=False
    )  # of some models: characteristic -> its other name


def _wit_rate(rate_hz: int) -> tuple[Write, ...]:
    commands = (witmotion_device.UNLOCK, witmotion_device.set_rate(rate_hz), witmotion_device.SAVE)
    return tuple(Write(witmotion_device.WRITE, command, WIT_SETTLE_S) for command in commands)


def _wit(name: str, title: str, layout: str) -> Family:
    return Family(
        name=name,
        title=title,
        layout=layout,
        rates_hz=tuple(witmotion_device.RATE_CODES),
        rate_hz=100,
        stream=witmotion_device.NOTIFY,
        configure=_wit_rate,
        ask_battery=Write(witmotion_device.WRITE, witmotion_device.ask(witmotion_device.BATTERY)),
        substitutes={
            witmotion_device.NOTIFY: witmotion_device.DUAL_NOTIFY,
            witmotion_device.WRITE: witmotion_device.DUAL_WRITE,
        },
    )


DOT = Family(
    name="dot",
    title="Movella DOT",
    layout=f"dot-{RECOMMENDED_DOT_MODE}",
    rates_hz=dot_device.RATES_HZ,
    rate_hz=60,
    stream=dot_device.payload_characteristic(RECOMMENDED_DOT_MODE),
    # A sensor that still measures for an earlier program refuses another rate: stop it first.
    configure=lambda rate_hz: (
        Write(dot_device.CONTROL, dot_device.stop_measuring(RECOMMENDED_DOT_MODE)),
        Write(dot_device.DEVICE_CONTROL, dot_device.set_rate(rate_hz)),
    ),
    start=(Write(dot_device.CONTROL, dot_device.start_measuring(RECOMMENDED_DOT_MODE)),),
    stop=(Write(dot_device.CONTROL, dot_device.stop_measuring(RECOMMENDED_DOT_MODE)),),
    blink=(Write(dot_device.DEVICE_CONTROL, dot_device.BLINK),),
    notices=(dot_device.BATTERY, dot_device.DEVICE_REPORT),
    battery=dot_device.BATTERY,
)
WIT = _wit("wit", "WitMotion WT901BLE", "wit-20")
WIT_DATED = _wit("wit-dated", "WitMotion WT901SDCL", "wit-28")
GENERIC = Family(
    name="generic",
    title="generic profile",
    layout="generic",
    rates_hz=(),
    rate_hz=100,
    stream=generic_device.DATA,
    configure=lambda rate_hz: (Write(generic_device.CONTROL, generic_device.set_rate(rate_hz), optional=True),),
    blink=(Write(generic_device.CONTROL, generic_device.BLINK),),
    notices=(generic_device.BATTERY,),
    battery=generic_device.BATTERY,
)
FAMILIES = {family.name: family for family in (DOT, WIT, WIT_DATED, GENERIC)}


def recognise(name: str | None, companies: Sequence[int] = (), services: Sequence[str] = ()) -> Family | None:
    """The family of a sensor with this advertisement; None if it cannot be read."""
    shown = (name or "").lower()
    if generic_device.SERVICE in services:
        return GENERIC
    if "movella dot" in shown or "xsens dot" in shown or dot_device.COMPANY_ID in companies:
        return DOT
    if shown.startswith("wt") and not why_unreadable(name):
        return WIT_DATED if "sdcl" in shown else WIT
    return None


# Motion sensors with a known name that cannot be used live, and what their owner can do.
UNREADABLE = {
    "wtvb": "a vibration sensor of WitMotion: it looks alike, but measures vibration and not motion. Take a WT901BLE.",
    "movesense": "Movesense: its protocol is not built in. Take one of docs/sensors.md.",
    "metawear": "MetaMotion: live it needs the maker's own library. Bring its files: rehabcount import.",
    "metamotion": "MetaMotion: live it needs the maker's own library. Bring its files: rehabcount import.",
}


def why_unreadable(name: str | None) -> str:
    """Why a sensor of this name cannot be used; empty if no reason is known."""
    shown = (name or "").lower()
    return next((why for head, why in UNREADABLE.items() if shown.startswith(head)), "")


def family_of_layout(layout: str) -> Family:
    """The family whose sensors send this layout."""
    for family in FAMILIES.values():
        if family.layout == layout:
            return family
    known = ", ".join(sorted({family.layout for family in FAMILIES.values()}))
    raise SensorRefused(f"No live sensor can be set to layout {layout!r}.", advice=f"Use one of {known}.")


@dataclass(frozen=True, slots=True)
class SensorNotice:
    """A message of a sensor other than a measurement."""

    battery_percent: int | None = None
    click: dot_device.ReportKind | None = None


def read_notice(family: Family, characteristic: str, data: bytes) -> SensorNotice | None:
    """The decoded notification; None if it is a measurement. PacketMalformed if it cannot be decoded."""
    if characteristic == dot_device.BATTERY:
        return SensorNotice(battery_percent=dot_device.read_battery(data).percent)
    if characteristic == dot_device.DEVICE_REPORT:
        return SensorNotice(click=dot_device.read_report(data).kind)
    if characteristic == generic_device.BATTERY:
        return SensorNotice(battery_percent=generic_device.read_battery(data))
    if family.ask_battery is not None and data.startswith(ANSWER):
        return SensorNotice(battery_percent=witmotion_device.read_answer(data).battery_percent)
    return None


def samples_in(layout: str, payload: bytes) -> int:
    """How many samples a notification carries, by its length or head alone: for rates, not for decoding."""
    if layout.startswith("wit-"):
        return len(payload) // layout_of(layout).size
    if layout == "generic":
        return payload[1] if len(payload) >= GENERIC_HEAD.size else 0
    return 1


def stamp_of(layout: str, payload: bytes) -> bytes | None:
    """The device's own time stamp of a notification, as bytes; None where the layout has none or it is cut short."""
    where = _STAMPS.get(layout.split("-")[0])
    if where is None or len(payload) < where.stop:
        return None
    return payload[where]


_STAMPS = {"dot": slice(0, 4), "generic": slice(2, 6)}


def battery_of(family: Family, data: bytes) -> int | None:
    """The level that reading `family.battery` gave; None if it makes no sense."""
    assert family.battery is not None
    try:
        notice = read_notice(family, family.battery, data)
    except PacketMalformed:
        return None
    return notice.battery_percent if notice else None
