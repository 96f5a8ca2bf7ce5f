"""`rehabcount sensors`: find sensors, test their links, see which is which."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rehabcount.cli.console import errors, new_table, output, print_json, progress

if TYPE_CHECKING:
    from rehabcount.domain.rig import Place
    from rehabcount.sensors.linkcheck import LinkCheck
    from rehabcount.sensors.radio.airspace import Found, Scanned

sensors_app = typer.Typer(
    name="sensors", help="Find sensors, test their links, see which is which.", no_args_is_help=True
)

ScanSeconds = Annotated[float, typer.Option("--scan", min=0.2, help="Listen so long for sensors.", metavar="SECONDS")]
Sensors = Annotated[str, typer.Option("--sensors", help="How many sensors the patient wears: 1, 3, 5 or 9.")]
Arm = Annotated[str, typer.Option("--side", help="The affected arm: left or right.")]
Virtual = Annotated[str, typer.Option(help="Practise with virtual sensors: dot, wit or generic.", metavar="FAMILY")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@sensors_app.command()
def scan(
    seconds: ScanSeconds = 5.0,
    battery: Annotated[bool, typer.Option(help="Connect to each sensor and ask for its battery level.")] = True,
    sensors: Sensors = "5",
    side: Arm = "right",
    virtual: Virtual = "",
    as_json: AsJson = False,
) -> None:
    """List the sensors that are switched on, with model, battery, signal strength and the place they last had.

    Example: `rehabcount sensors scan`
    """
    from rehabcount.bedside.config import load_settings
    from rehabcount.bedside.rigging import choose, open_radio, remembered
    from rehabcount.domain.document import to_document

    settings, choice = load_settings(), choose(sensors, side, virtual)
    with open_radio(settings, choice) as radio, errors.status("Listening for sensors"):
        seen = radio.scan(seconds, batteries=battery)
        found, budget = seen.found, radio.budget()
    places = {each.address: each.place.value for each in remembered(settings, choice)}
    if as_json:
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


@sensors_app.command()
def check(
    seconds: Annotated[float, typer.Option(min=2.0, help="How long to test.")] = 30.0,
    scan_seconds: ScanSeconds = 5.0,
    sensors: Sensors = "5",
    side: Arm = "right",
    virtual: Virtual = "",
    as_json: AsJson = False,
) -> None:
    """Stream from every sensor that is switched on, and say whether its link is good enough for a session.

    Wear the sensors as in the session, and sit as in the session. Exit code 3 if a sensor cannot be used.

    Example: `rehabcount sensors check --seconds 30`
    """
    from rehabcount.bedside.config import load_settings
    from rehabcount.bedside.rigging import choose, open_radio, remembered, unassigned_rig
    from rehabcount.domain.document import to_document
    from rehabcount.domain.motion import Packet, Silence
    from rehabcount.domain.update import LinkState
    from rehabcount.errors import SensorNotFound
    from rehabcount.sensors.linkcheck import LinkVerdict, check_link

    settings, choice = load_settings(), choose(sensors, side, virtual)
    heard: list[Packet | Silence] = []
    with open_radio(settings, choice) as radio:
        with errors.status("Listening for sensors"):
            seen = radio.scan(scan_seconds)
        found = seen.found
        _print_unreadable(seen)
        if not found:
            raise SensorNotFound("No sensors found.", advice="Switch them on; see that no phone is connected to them.")
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
    unusable = any(result.verdict in (LinkVerdict.POOR, LinkVerdict.SILENT) for result in results)
    places = {each.address: each.place.value for each in remembered(settings, choice)}
    if as_json:
        rows = [{**to_document(result), "place": places.get(result.sensor)} for result in results]
        print_json({"usable": not unusable, "sensors": rows, "adapters": _adapters(budget)})
    else:
        _print_checks(results, places, budget)
    if unusable:
        raise typer.Exit(3)


@sensors_app.command()
def identify(
    address: Annotated[str, typer.Argument(help="Blink this sensor only.", metavar="[ADDRESS]")] = "",
    assign: Annotated[bool, typer.Option("--assign", help="Find out by moving which sensor sits where.")] = False,
    scan_seconds: ScanSeconds = 5.0,
    sensors: Sensors = "5",
    side: Arm = "right",
    virtual: Virtual = "",
) -> None:
    """See which sensor is which: make them blink one after the other, or assign them by moving.

    With --assign the patient moves (or is moved) as asked, one place after the other; the places are remembered.

    Example: `rehabcount sensors identify --assign --sensors 5 --side right`
    """
    from rehabcount.bedside.config import load_settings
    from rehabcount.bedside.rigging import assign_by_moving, choose, open_radio
    from rehabcount.errors import SensorNotFound, SensorRefused
    from rehabcount.sensors import assignment

    settings, choice = load_settings(), choose(sensors, side, virtual)
    with open_radio(settings, choice) as radio:
        with errors.status("Listening for sensors"):
            seen = radio.scan(scan_seconds)
        _print_unreadable(seen)
        found = [each for each in seen.found if not address or each.address == address.upper()]
        if not found:
            raise SensorNotFound("No sensors found.", advice="Switch them on; see that no phone is connected to them.")
        if assign:
            chosen = assign_by_moving(radio, found, choice.places, _ask, MOVE_S)
            book = assignment.load(settings.sensor_book)
            for entry in chosen:
                book = assignment.remember(book, entry)
                output.print(f"{entry.place.value}: {entry.address}", highlight=False)
            if not choice.virtual:
                assignment.save(settings.sensor_book, book)
            return
        for each in found:
            try:
                radio.blink(each)
                output.print(f"{each.address} ({each.family.title}) blinks now.", highlight=False)
            except SensorRefused as refused:
                output.print(f"{each.address}: {refused} {refused.advice}", highlight=False)
            if len(found) > 1:
                time.sleep(BLINK_S)


CONNECT_S_A_SENSOR = 3.0  # a good link takes one; the test begins when all stream or this is over
MOVE_S = 4.0
BLINK_S = 4.0  # a DOT blinks for some seconds
WORDS = {
    "good": "[green]good[/]",
    "usable": "[yellow]usable[/]",
    "poor": "[red]poor[/]",
    "silent": "[red]silent[/]",
}


def _ask(place: Place) -> bool:
    from rehabcount.sensors.assignment import asked

    return typer.confirm(f"{asked(place)}, for {MOVE_S:.0f} seconds ({place.value}). Ready?", default=True, err=True)


def _wait(seconds: float, what: str) -> None:
    with progress() as bar:
        task = bar.add_task(what, total=round(seconds))
        end_s = time.monotonic() + seconds
        while (left_s := end_s - time.monotonic()) > 0:
            bar.update(task, completed=round(seconds - left_s))
            time.sleep(min(0.2, left_s))


def _print_checks(results: list[LinkCheck], places: dict[str, str], budget: dict[str, tuple[int, int]]) -> None:
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


def _print_budget(budget: dict[str, tuple[int, int]]) -> None:
    for name, (used, possible) in budget.items():
        output.print(f"Adapter {name or 'of the system'}: {used} of {possible} links.", highlight=False)


def _print_unreadable(seen: Scanned) -> None:
    """On the error stream: it is no result, and JSON may be asked for."""
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


def _adapters(budget: dict[str, tuple[int, int]]) -> list[dict[str, Any]]:
    return [{"name": name, "links": used, "possible": possible} for name, (used, possible) in budget.items()]


def _bars(signal_dbm: int) -> int:
    """Signal strength as one to four dots: -60 dBm is in the same lap, -90 barely there."""
    return 1 + sum(signal_dbm > step for step in (-85, -75, -65))
