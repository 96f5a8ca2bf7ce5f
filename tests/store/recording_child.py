"""Not a test: the process that test_kill.py kills. Records nine sensors at 100 Hz and says what it has accepted.

    python recording_child.py PATH CHECKPOINT_PAGES

After every 10 ms the index of the last packet accepted goes to standard output at once. Packet i is of sensor i modulo
nine, carries i, and is received when it is accepted.
"""

import os
import sys
import time
from pathlib import Path

from rehabcount.domain.motion import Packet
from rehabcount.store import connection
from rehabcount.store.recorder import Recorder
from rehabcount.store.session_file import SessionFile

TICK_S = 0.01


def main(path: Path) -> None:
    with SessionFile.open(path) as file:
        names = file.rig.names
    recorder = Recorder(path)
    started_s = time.monotonic()
    for tick in range(10**6):
        time.sleep(max(0.0, started_s + tick * TICK_S - time.monotonic()))
        for i in range(tick * len(names), (tick + 1) * len(names)):
            recorder.accept(Packet(names[i % len(names)], i.to_bytes(63, "big"), time.monotonic_ns()))
        os.write(1, b"%d\n" % i)


connection.CHECKPOINT_PAGES = int(sys.argv[2])
main(Path(sys.argv[1]))
