"""Settings and time limits of the radio, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RadioSettings:
    """`adapters`: names of the Bluetooth adapters to use (Linux: hci0, hci1); empty: the system's own choice.

    `links_per_adapter`: the limit that is shown; adapters do not report their own, and most carry seven.
    `acquire_notify`: another way to receive notifications on Linux, in case a version of BlueZ doubles them.
    """

    adapters: tuple[str, ...] = ()
    links_per_adapter: int = 7
    acquire_notify: bool = False


GIVE_UP_S = 3.0  # after so long without data the link is closed and made again
WATCH_EVERY_S = 0.25
HEALTH_EVERY_S = 1.0
BACK_OFF_S = (0.25, 0.5, 1.0)  # before the first, second, and every further attempt; long pauses would miss the return
SCAN_WINDOW_S = 1.5  # sensors advertise several times a second
SCAN_REST_S = 0.5  # of a window after one sensor was seen: others may be there as well
SCAN_PAUSE_S = 0.3  # between two windows
# And while sensors stream, whose links suffer from scanning: a third of the time at most. A sensor that returns is seen
# after 2 s at the latest, and has 3 s left to connect.
SCAN_PAUSE_STREAMING_S = 2.0
FIND_S = 5.0  # a sensor not seen for so long is not there; it is searched again all the same
SECOND_ADAPTER_S = 0.4  # how long the other adapter may take to see a sensor that one has seen
CONNECT_S = 6.0  # good links take under 2 s; only one sensor connects at a time
ANSWER_S = 3.0  # a read or write
AVAILABLE_S = 2.5  # if Bluetooth has not answered by then, there is none
DISCONNECT_S = 2.0
BATTERY_EVERY_S = 60.0
TOO_FAST, TOO_SLOW = 1.3, 0.9  # share of the nominal rate at which something is wrong (doubled, or lossy)
SYNC_WAIT_S = 14.0  # the vendor: 12 to 14 s between starting a synchronisation and asking for its result
