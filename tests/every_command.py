"""Runs the commands one after another in this process, as `rehabcount WORDS` would; the first that fails ends it.

`python -m tests.every_command`, in an empty folder. What they write on request is in `out`. `bench` is not here: it
lists experiments, of which each is a program of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rehabcount.cli.main import main

SESSION = "out/S01_session_1.rehab"
COMMANDS = (
    "--version",
    "simulate --out out --sessions 1 --minutes 1 --subjects S01 --rig one",
    f"info {SESSION}",
    f"count {SESSION}",
    f"calibrate {SESSION} --pose 2.5:5.4 --keep-bad",
    f"export {SESSION} --to csv --out out/csv",
    f"export {SESSION} --to parquet --out out/parquet",
    f"export {SESSION} --to elan --out out/labels.eaf",
    f"annotate {SESSION} out/labels.eaf --by AB",
    "evaluate out/reference.csv out/estimate.csv --plot out/ribbons.png",
    f"discover {SESSION}@20-30,30-40,40-50 --steps 2 --length 3 --out out/steps --keep",
    f"report {SESSION} --out out/report",
    f"recover {SESSION}",
    "live --virtual dot --sensors 1 --seconds 1 --no-sync --scan 0.2 --file out/live.rehab",
    "replay out/live.rehab --speed max",
    "demo --no-gui --seconds 5 --speed max --sensors 1",
    "sensors scan --virtual dot --scan 0.2",
    "models",
    "models explain stream",
    "models verify stream",
)


def run(words: str) -> None:
    sys.argv = ["rehabcount", *words.split()]
    try:
        main()
    except SystemExit as end:
        if end.code:
            sys.exit(f"rehabcount {words}: exit code {end.code}")


if __name__ == "__main__":
    Path("out").mkdir()
    for name in ("reference", "estimate"):
        Path(f"out/{name}.csv").write_text("label,start_s,end_s\nreach,0,1\ntransport,1,2\n", encoding="utf-8")
    for each in COMMANDS:
        print(f"-- {each}", flush=True)
        run(each)
