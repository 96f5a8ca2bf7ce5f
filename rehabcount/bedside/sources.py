"""All sources of a live session.

    PacedSource       recorded items, each at its time
    SimulatedSource   a simulated patient's recording, played in the same way
    PreparedSource    sensors that a set-up connected and calibrated, from the beginning of the calibration on
    RadioSource       sensors that are not connected yet

Each follows `engine.ports.Source`: items go to `on_item` from a thread of the source's own, `on_end` is called when no
more items will come.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Rig
from rehabcount.domain.update import Mark, Phase, PhaseName, Recorded, Said, SensorHealth
from rehabcount.sensors.radio.supervisor import Radio, RadioStream
from rehabcount.sensors.radio.sync import Results

if TYPE_CHECKING:
    from rehabcount.simulate.recording import Recording

OnItem = Callable[[Recorded], None]
SETTLED_AFTER_S = 0.5  # frames up to the calibration have then left the aligner


class PacedSource:
    """Recorded items, each passed on at its time; `speed` None: as fast as possible.

    Receive times are moved onto the host's clock, as if the items were received now.
    """

    def __init__(self, items: Sequence[Recorded], speed: float | None = 1.0, *, at_once_s: float = 0.0) -> None:
        """The first `at_once_s` seconds are passed on without waiting."""
        if not items:
            raise ValueError("items must not be empty")
        self._items, self.speed, self._at_once_s = items, speed, at_once_s
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._now_ns = time.monotonic_ns()

    def start(self, on_item: OnItem, on_end: Callable[[], None]) -> None:
        self._thread = threading.Thread(target=self._run, args=(on_item, on_end), name="source", daemon=True)
        self._thread.start()

    def now_ns(self) -> int:
        """The receive time of the newest item; the host's clock differs from it at other speeds than 1."""
        return self._now_ns

    def close(self) -> None:
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self, on_item: OnItem, on_end: Callable[[], None]) -> None:
        begun_ns = time.monotonic_ns() - round(self._at_once_s * 1e9)
        first_ns = self._items[0].received_ns
        for item in self._due(begun_ns, first_ns):
            on_item(moved(item, begun_ns - first_ns))
            self._now_ns = max(self._now_ns, item.received_ns + begun_ns - first_ns)
        on_end()

    def _due(self, begun_ns: int, first_ns: int) -> Iterator[Recorded]:
        for item in self._items:
            if self.speed is not None:
                since_s = (item.received_ns - first_ns) / 1e9
                waited_s = (time.monotonic_ns() - begun_ns) / 1e9 - self._at_once_s
                left_s = (since_s - self._at_once_s) / self.speed - waited_s
                if left_s > 0.001 and self._stop.wait(left_s):  # a millisecond: waiting less costs more than it gives
                    return
            if self._stop.is_set():
                return
            yield item


class SimulatedSource(PacedSource):
    """A simulated patient: calibration, then training."""

    def __init__(
        self, recording: Recording, seconds: float, speed: float | None = 1.0, *, calibrated: bool = False
    ) -> None:
        """The first `seconds` of the recording. `calibrated`: the calibration is passed on without waiting, and
        `seconds` of training follow it; counting begins when the therapist starts it."""
        from rehabcount.sensors.simulated import CALIBRATED_AFTER_S, items_of  # the simulation takes a second to load

        ready_s = recording.span("calibration", "done")[1] + CALIBRATED_AFTER_S if calibrated else 0.0
        items = items_of(recording)
        start_ns = items[0].received_ns
        kept = [item for item in items if item.received_ns - start_ns < (ready_s + seconds) * 1e9]
        if calibrated:
            kept = [item for item in kept if not _begins_to_count(item)]
        super().__init__(kept, speed, at_once_s=ready_s + SETTLED_AFTER_S if calibrated else 0.0)


class PreparedSource:
    """What a set-up received since the calibration began, then what sensors send. It owns the radio: closing it frees
    the sensors.

    Its first item is the phase `calibrating`, so that nothing counts before the therapist starts counting. States of
    the links and clicks on the sensors' buttons become part of the record. `hear` and `report` are called in the
    radio's thread.
    """

    speed: float | None = 1.0

    def __init__(
        self, radio: Radio | None, rig: Rig, kept: Iterable[Packet | Silence] = (), *, simulated: bool = False
    ) -> None:
        """`kept` was received before. Until here the address names a sensor; those outside `rig` are left out."""
        self.simulated = simulated  # whether the sensors are virtual ones
        self._radio = radio
        self._names = {sensor.serial: sensor.name for sensor in rig.sensors}
        self._guard = threading.Lock()  # of what follows; held for moments
        self._waiting = list(kept)  # until the session starts
        self._on_item: OnItem | None = None
        self._on_end: Callable[[], None] | None = None
        self._is_first = True

    def start(self, on_item: OnItem, on_end: Callable[[], None]) -> None:
        with self._guard:
            self._on_item, self._on_end = on_item, on_end
            for item in self._waiting:
                self._pass_on(item, on_item)
            self._waiting.clear()

    def hear(self, item: Packet | Silence) -> None:
        with self._guard:
            if self._on_item is None:
                self._waiting.append(item)
            else:
                self._pass_on(item, self._on_item)

    def report(self, update: SensorHealth | Mark) -> None:
        with self._guard:
            if self._on_item is None:
                return
            if isinstance(update, SensorHealth):
                if update.sensor in self._names:
                    self._on_item(Said(replace(update, sensor=self._names[update.sensor]), self.now_ns()))
                return
            note = update.note
            for address, name in self._names.items():
                note = note.replace(address, name)
            self._on_item(Said(replace(update, note=note), self.now_ns()))

    def now_ns(self) -> int:
        return time.monotonic_ns()

    def close(self) -> None:
        radio, self._radio = self._radio, None
        if radio is not None:
            radio.close()
        on_end, self._on_end = self._on_end, None
        if on_end is not None:
            on_end()

    def _pass_on(self, item: Packet | Silence, on_item: OnItem) -> None:
        if item.sensor not in self._names:
            return
        if self._is_first:
            self._is_first = False
            on_item(Said(Phase(PhaseName.CALIBRATING, 0.0), item.received_ns))
        on_item(replace(item, sensor=self._names[item.sensor]))


class RadioSource:
    """Sensors in the air. States of the links and clicks on the sensors' buttons become part of the record."""

    speed: float | None = 1.0

    def __init__(self, radio: Radio, rig: Rig, synchronised: Results | None = None) -> None:
        self._radio, self._rig, self._synchronised = radio, rig, synchronised
        self._stream: RadioStream | None = None

    def start(self, on_item: OnItem, on_end: Callable[[], None]) -> None:
        def on_report(update: SensorHealth | Mark) -> None:
            on_item(Said(update, time.monotonic_ns()))

        self._stream = self._radio.stream(self._rig, on_item, on_report, synchronised=self._synchronised)

    def now_ns(self) -> int:
        return time.monotonic_ns()

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()


def _begins_to_count(item: Recorded) -> bool:
    return isinstance(item, Said) and isinstance(item.what, Phase) and item.what.name == PhaseName.COUNTING


def moved(item: Recorded, by_ns: int) -> Recorded:
    """The same, received later."""
    match item:
        case Packet():
            return Packet(item.sensor, item.payload, item.received_ns + by_ns)
        case Silence():
            return Silence(item.sensor, item.since_ns + by_ns, item.received_ns + by_ns)
        case Said():
            return Said(item.what, item.received_ns + by_ns)
