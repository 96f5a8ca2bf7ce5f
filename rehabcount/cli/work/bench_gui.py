"""How the window does under load."""

from __future__ import annotations

import json
from pathlib import Path

from rehabcount.bedside.config import load_settings
from rehabcount.cli.console import errors, new_table, output, print_json
from rehabcount.gui import benchmark


def measure_window(minutes: float, as_json: bool, out: Path | None) -> None:
    with errors.status("Measuring the window") as status:
        found = benchmark.measure(load_settings(), minutes * 60, lambda words: status.update(f"Bench: {words}"))
    document = found.document()
    if out is not None:
        out.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    if as_json:
        print_json(document)
        return
    title = f"The window, {found.seconds:.0f} s with nine sensors and signals"
    table = new_table(title, "what", "measured", "promised", "")
    held = found.verdicts
    control = f"idle control {found.control_ms:.0f} ms (worst {found.control_worst_ms:.0f})"
    shown = "shown as not live" if found.stall_shown else "NOT shown"
    for name, measured, promised in (
        ("frames a second", f"{found.fps:.1f}", f"{benchmark.FPS:.0f}"),
        ("p99.9 of frame times", f"{found.p999_ms:.0f} ms (worst {found.worst_ms:.0f}); {control}", "< 100 ms"),
        ("share of a core", f"{found.core_share:.0%}", f"< {benchmark.CORE_SHARE:.0%}"),
        ("window usable", f"{found.startup_s:.2f} s after start (warm)", f"< {benchmark.STARTUP_S:.0f} s"),
        ("engine stalled", f"longest standstill {found.stall_freeze_ms:.0f} ms, {shown}", "< 250 ms"),
    ):
        table.add_row(name, measured, promised, "held" if held[name] else "[bold red]missed[/]")
    output.print(table)
