"""`rehabcount sensors`: find sensors, test their links, see which is which."""

from __future__ import annotations

from typing import Annotated

import typer

from rehabcount.cli.options import Arm, AsJson, ScanSeconds, Sensors, Virtual

sensors_app = typer.Typer(
    name="sensors", help="Find sensors, test their links, see which is which.", no_args_is_help=True
)


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
    from rehabcount.bedside.rigging import choose
    from rehabcount.cli.work.sensors import ScanRequest, list_sensors

    list_sensors(ScanRequest(choose(sensors, side, virtual), seconds, battery=battery, as_json=as_json))


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
    from rehabcount.bedside.rigging import choose
    from rehabcount.cli.work.sensors import CheckRequest, check_sensors

    check_sensors(CheckRequest(choose(sensors, side, virtual), seconds, scan_seconds, as_json))


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
    from rehabcount.bedside.rigging import choose
    from rehabcount.cli.work.sensors import IdentifyRequest, identify_sensors

    identify_sensors(IdentifyRequest(choose(sensors, side, virtual), address, scan_seconds, assign=assign))
