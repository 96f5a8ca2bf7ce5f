"""Not a test: a session in the terminal, for test_ending.py to end by signals.

    python -m tests.bedside.ending_child FILE

The engine is slower than the patient, so that many movements are settled at the end. Prints `counting` on standard
output after ten events, and `ending` when the source is closed (then only settling is left). It ends by itself after a
minute.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import cast

from rehabcount.bedside.ending import asked_to_end
from rehabcount.bedside.session import LiveSession, SessionRequest
from rehabcount.bedside.sources import PacedSource
from rehabcount.cli.board import Board
from rehabcount.cli.console import errors
from rehabcount.cli.live_view import show
from rehabcount.domain.dose import Plan
from rehabcount.domain.motion import Frames
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.update import Said, Update
from rehabcount.inference.artifact import Opened
from rehabcount.inference.runtime import Model
from rehabcount.sensors.simulated import items_of
from rehabcount.simulate.cohort import make_cohort
from rehabcount.simulate.recording import simulate_trial
from tests.engine.oracle import ReflexModel

MODEL = Opened(cast(Model, ReflexModel()), "ab" * 32)
WORN = ("right-hand", "right-upper-arm", "c7")
SPEED = 40.0
BLOCK_S = 0.004  # for ten frames: at most 25 times real time, so that the engine falls behind
ENOUGH_EVENTS = 10


def tell(word: str) -> None:
    """Not through `print`, because the board shows printed text on its own terminal."""
    os.write(1, f"{word}\n".encode())


class Telling(PacedSource):
    """Says when it is closed."""

    def close(self) -> None:
        super().close()
        tell("ending")


def main(path: Path) -> None:
    patient = next(each for each in make_cohort(0) if each.group == "test" and each.side is Side.RIGHT)
    recording = simulate_trial(patient, "drinking", 1)
    rig = Rig("three", tuple(sensor for sensor in recording.rig.sensors if sensor.name in WORN))
    items = [item for item in items_of(recording) if isinstance(item, Said) or item.sensor in WORN]

    def hear(update: Update) -> None:
        board.hear(update)
        if session.events == ENOUGH_EVENTS:
            session.events += 1  # called once for each
            tell("counting")

    def see(_: Frames) -> None:
        time.sleep(BLOCK_S)

    board = Board(path.name, rig, Side.RIGHT)
    with asked_to_end() as asked:
        source = Telling(items, SPEED)
        request = SessionRequest(path, rig, Side.RIGHT, Plan(), MODEL)
        session = LiveSession(request, source, on_update=hear, on_frames=see)
        session.start()
        show(session, board, errors, asked, seconds=60.0)
    tell("ended")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
