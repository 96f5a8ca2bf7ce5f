"""Sensors in the air: listed, their links tested, told apart."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import typer

from rehabcount.bedside.config import Settings, load_settings
from rehabcount.bedside.rigging import Choice, assign_by_moving, open_radio, remembered, unassigned_rig
from rehabcount.cli.console import errors, new_table, output, print_json, progress
from rehabcount.domain.document import to_document
from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Place
from rehabcount.domain.update import LinkState
from rehabcount.errors import SensorNotFound, SensorRefused
from rehabcount.sensors import assignment
from rehabcount.sensors.linkcheck import LinkCheck, LinkVerdict, check_link
from rehabcount.sensors.radio.airspace import Found, Scanned
from rehabcount.sensors.radio.supervisor import Radio

CONNECT_S_A_SENSOR = 3.0  # a good link takes one; the test begins when all stream or this is over
MOVE_S = 4.0
BLINK_S = 4.0  # a DOT blinks for some seconds
WORDS = {
    "good": "[green]good[/]",
    "usable": "[yellow]usable[/]",
    "poor": "[red]poor[/]",
    "silent": "[red]silent[/]",
}
Budget = dict[str, tuple[int, int]]  # adapter -> links in use, links there may be


@dataclass(frozen=True, slots=True)
class ScanRequest:
    """List what is switched on."""

    choice: Choice
    seconds: float = 5.0
    battery: bool = True  # connect to each sensor and ask for its level
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """Test the links for `seconds`."""

    choice: Choice
    seconds: float = 30.0
    scan_s: float = 5.0
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class IdentifyRequest:
    """Make sensors blink, or assign them by moving."""

    choice: Choice
    address: str = ""  # only this sensor
    scan_s: float = 5.0
    assign: bool = False


def list_sensors(request: ScanRequest) -> None:
    settings = load_settings()
    with open_radio(settings, request.choice) as radio, errors.status("Listening for sensors"):
        seen = radio.scan(request.seconds, batteries=request.battery)
        found, budget = seen.found, radio.budget()
    places = _places(settings, request.choice)
    if request.as_json:
        documents = [_document(each, places) for each in found]
        unreadable = [to_document(each) for each in seen.unreadable]
        print_json({"sensors": documents, "unreadable": unreadable, "adapters": _adapters(budget)})
        return
    _print_unreadable(seen)
    if not found:
        output.print("No sensors found. Switch them on, and see that no phone is connected to them.")
        return
    table = new_table(f"{len(found)} sensors", "address", "model", "signal", "battery", "place")
    for each in found:
        charge = "–" if each.battery_percent is None else f"{each.battery_percent} %"
        bars = "●" * _bars(each.signal_dbm) + "○" * (4 - _bars(each.signal_dbm))
        table.add_row(each.address, each.family.title, bars, charge, places.get(each.address, "–"))
    output.print(table)
    _print_budget(budget)
    possible = sum(links for _, links in budget.values())
    if len(found) > possible:
        output.print(f"{len(found)} sensors for {possible} links: plug in a second adapter if some do not connect.")


def check_sensors(request: CheckRequest) -> None:
    """Exit code 3 if a sensor cannot be used."""
    settings = load_settings()
    with open_radio(settings, request.choice) as radio:
        results, budget = _tested(radio, _found(radio, request.scan_s), request.seconds)
    unusable = any(result.verdict in (LinkVerdict.POOR, LinkVerdict.SILENT) for result in results)
    places = _places(settings, request.choice)
    if request.as_json:
        rows = [{**to_document(result), "place": places.get(result.sensor)} for result in results]
        print_json({"usable": not unusable, "sensors": rows, "adapters": _adapters(budget)})
    else:
        _print_checks(results, places, budget)
    if unusable:
        raise typer.Exit(3)


def identify_sensors(request: IdentifyRequest) -> None:
    settings = load_settings()
    with open_radio(settings, request.choice) as radio:
        found = _found(radio, request.scan_s, request.address.upper())
        if request.assign:
            _assign(radio, found, request.choice, settings)
            return
        for each in found:
            try:
                radio.blink(each)
                output.print(f"{each.address} ({each.family.title}) blinks now.", highlight=False)
            except SensorRefused as refused:
                output.print(f"{each.address}: {refused} {refused.advice}", highlight=False)
            if len(found) > 1:
                time.sleep(BLINK_S)


def _found(radio: Radio, scan_s: float, address: str = "") -> list[Found]:
    """The sensors in the air, or the one of this address."""
    with errors.status("Listening for sensors"):
        seen = radio.scan(scan_s)
    _print_unreadable(seen)
    found = [each for each in seen.found if not address or each.address == address]
    if not found:
        raise SensorNotFound("No sensors found.", advice="Switch them on; see that no phone is connected to them.")
    return found


def _tested(radio: Radio, found: Sequence[Found], seconds: float) -> tuple[list[LinkCheck], Budget]:
    """The quality of each link over `seconds`, after all stream or the time to connect is over."""
    heard: list[Packet | Silence] = []
    rig = unassigned_rig(found)
    stream = radio.stream(rig, heard.append, lambda update: None)
    with errors.status(f"Connecting to {len(found)} sensors"):
        until_s = time.monotonic() + CONNECT_S_A_SENSOR * len(found)
        while time.monotonic() < until_s and any(h.state is not LinkState.STREAMING for h in stream.health()):
            time.sleep(0.1)
    heard.clear()
    _wait(seconds, "Testing")
    healths = {health.sensor: health for health in stream.health()}
    budget = radio.budget()
    packets = [item for item in heard if isinstance(item, Packet)]
    stream.close()
    results = [
        check_link(each, [packet for packet in packets if packet.sensor == each.name], seconds, healths[each.name])
        for each in rig.sensors
    ]
    return results, budget


def _assign(radio: Radio, found: Sequence[Found], choice: Choice, settings: Settings) -> None:
    book = assignment.load(settings.sensor_book)
    for entry in assign_by_moving(radio, found, choice.places, _ask, MOVE_S):
        book = assignment.remember(book, entry)
        output.print(f"{entry.place.value}: {entry.address}", highlight=False)
    if not choice.virtual:
        assignment.save(settings.sensor_book, book)


def _places(settings: Settings, choice: Choice) -> dict[str, str]:
    """Where each sensor sat the last time, by its address."""
    return {each.address: each.place.value for each in remembered(settings, choice)}


def _ask(place: Place) -> bool:
    words = f"{assignment.asked(place)}, for {MOVE_S:.0f} seconds ({place.value}). Ready?"
    return typer.confirm(words, default=True, err=True)


def _wait(seconds: float, what: str) -> None:
    with progress() as bar:
        task = bar.add_task(what, total=round(seconds))
        end_s = time.monotonic() + seconds
        while (left_s := end_s - time.monotonic()) > 0:
            bar.update(task, completed=round(seconds - left_s))
            time.sleep(min(0.2, left_s))


def _print_checks(results: list[LinkCheck], places: dict[str, str], budget: Budget) -> None:
    table = new_table("Link test", "sensor", "link", "rate", "loss", "hole", "jitter", "battery")
    for each in results:
        table.add_row(
            places.get(each.sensor, each.sensor),
            WORDS[each.verdict.value],
            f"{each.rate_hz:.0f} Hz",
            f"{each.loss:.1%}",
            f"{each.longest_hole_s:.2f} s",
            "–" if each.jitter_ms is None else f"{each.jitter_ms:.0f} ms",
            "–" if each.battery_percent is None else f"{each.battery_percent} %",
        )
    output.print(table)
    _print_budget(budget)
    for each in results:
        if each.advice:
            output.print(f"- {places.get(each.sensor, each.sensor)}: {each.advice}", highlight=False, markup=False)


def _print_budget(budget: Budget) -> None:
    for name, (used, possible) in budget.items():
        output.print(f"Adapter {name or 'of the system'}: {used} of {possible} links.", highlight=False)


def _print_unreadable(seen: Scanned) -> None:
    """On the error stream, because standard output may be JSON."""
    for each in seen.unreadable:
        errors.print(f"{each.name} ({each.address}) cannot be used: {each.why}", style="yellow", highlight=False)


def _document(found: Found, places: dict[str, str]) -> dict[str, Any]:
    return {
        "address": found.address,
        "name": found.name,
        "model": found.family.name,
        "signal_dbm": found.signal_dbm,
        "battery_percent": found.battery_percent,
        "adapter": found.adapter,
        "place": places.get(found.address),
    }


def _adapters(budget: Budget) -> list[dict[str, Any]]:
    return [{"name": name, "links": used, "possible": possible} for name, (used, possible) in budget.items()]


def _bars(signal_dbm: int) -> int:
    """Signal strength as one to four dots: -60 dBm is very near, -90 dBm hardly received."""
    return 1 + sum(signal_dbm > step for step in (-85, -75, -65))
