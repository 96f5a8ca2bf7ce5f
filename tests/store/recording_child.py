"""Not a test: the process that test_kill.py kills. Records nine sensors at 100 Hz and prints what it has accepted.

    python recording_child.py PATH CHECKPOINT_PAGES [readers]

With `readers` another thread reads the session again and again, like the window's list and engine.

After every 10 ms the index of the last packet accepted goes to standard output at once. Packet i is of sensor i modulo
nine, carries i, and is received when it is accepted.
"""

import os
import sys
import threading
import time
from pathlib import Path

from rehabcount.domain.motion import Packet
from rehabcount.domain.update import Mark
from rehabcount.store import connection
from rehabcount.store.library import look_at
from rehabcount.store.recorder import Recorder
from rehabcount.store.session_file import SessionFile

TICK_S = 0.01


def _look_on_and_on(path: Path) -> None:
    while True:
        look_at(path)
        with SessionFile.annotate(path) as file:
            file.accept(Mark(1.0, "seen"))


def main(path: Path, readers: bool) -> None:
    with SessionFile.open(path) as file:
        names = file.rig.names
    recorder = Recorder(path)
    if readers:
        threading.Thread(target=_look_on_and_on, args=(path,), daemon=True).start()
    started_s = time.monotonic()
    for tick in range(10**6):
        time.sleep(max(0.0, started_s + tick * TICK_S - time.monotonic()))
        for i in range(tick * len(names), (tick + 1) * len(names)):
            recorder.accept(Packet(names[i % len(names)], i.to_bytes(63, "big"), time.monotonic_ns()))
        os.write(1, b"%d\n" % i)


connection.CHECKPOINT_PAGES = int(sys.argv[2])
main(Path(sys.argv[1]), "readers" in sys.argv[3:])
