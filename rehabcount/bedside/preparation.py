"""Set-up before a session: sensors are found, assigned to places and calibrated; then the session takes over.

    preparation = Preparation(settings, choice, on_news)     opens the radio, in a thread of its own
    .assign(address, place)  .ask(place)  .blink(address)    set where sensors sit; all return at once
    .begin_calibration()                                     starts the guide; its steps have fixed lengths
    .hand_over()                                             a source that continues where the set-up stopped

News are immutable and come from the preparation's own thread: `Air` when something about the sensors changed,
`RigCalibrated` at the end of the guide, `Broken` when a sensor stopped sending during the guide. The session begins
with the calibration: all items since then are kept and handed over with the open links, so that orientation filters and
headings continue without a break.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from rehabcount.bedside.config import Settings
from rehabcount.bedside.guide_steps import GUIDE, GuideStep, posed_in_turn
from rehabcount.bedside.rigging import Choice, open_radio, remembered
from rehabcount.bedside.sources import PreparedSource
from rehabcount.bedside.wearer import Wearer
from rehabcount.domain.calibration import Calibration, Verdict
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Place, Rig, Sensor
from rehabcount.domain.update import LinkState, Mark, SensorHealth
from rehabcount.engine import walk
from rehabcount.errors import CalibrationError, RehabcountError, SensorError
from rehabcount.sensors import assignment
from rehabcount.sensors.assignment import Remembered
from rehabcount.sensors.packets import decode_all
from rehabcount.sensors.radio.airspace import Found, UnreadableSensor
from rehabcount.sensors.radio.supervisor import Radio, RadioStream
from rehabcount.signals.calibration import calibration_from_steps

log = logging.getLogger(__name__)

FIRST_SCAN_S, SCAN_S = 1.0, 2.0  # sensors advertise several times a second: the first look shows most of them at once
SCAN_PAUSE_S = 2.0  # links that stream suffer from scanning
RETRY_S = 3.0  # after trouble: Bluetooth that was switched on is found without a click
TURN_S = 0.1  # between two turns of the thread
WATCHED_S = 2.5  # of movement, by which a lifted limb is told from the others
RECENT_PACKETS = 600  # of one sensor: more than WATCHED_S at any rate
TRAILING_S = 0.6  # after the last step, to receive the slowest sensor's last packet


@dataclass(frozen=True, slots=True)
class Seen:
    """One sensor. `place` is None until it is assigned."""

    address: str
    title: str
    place: Place | None
    signal_dbm: int
    can_blink: bool
    health: SensorHealth | None = None

    @property
    def streams(self) -> bool:
        return self.health is not None and self.health.state is LinkState.STREAMING


@dataclass(frozen=True, slots=True)
class Air:
    """All sensors in the air, and the state of the set-up. `asking`: the place whose limb is being lifted."""

    choice: Choice
    sensors: tuple[Seen, ...] = ()
    ready: bool = False  # the radio answers
    looking: bool = False
    full: bool = False  # no Bluetooth adapter carries another link
    asking: Place | None = None
    trouble: RehabcountError | None = None
    unreadable: tuple[UnreadableSensor, ...] = ()  # motion sensors in the air that cannot be used

    def at(self, place: Place) -> Seen | None:
        return next((seen for seen in self.sensors if seen.place is place), None)

    @property
    def missing(self) -> tuple[Place, ...]:
        """Places of the rig without a sensor that sends."""
        return tuple(place for place in self.choice.places if not ((seen := self.at(place)) and seen.streams))


@dataclass(frozen=True, slots=True)
class RigCalibrated:
    """The guide has ended. `rig` holds the calibrated sensors: those that streamed."""

    rig: Rig
    calibration: Calibration


@dataclass(frozen=True, slots=True)
class Broken:
    """The guide stopped at this step, because the sensors of these places stopped sending."""

    step: str
    places: tuple[Place, ...]


News = Air | RigCalibrated | Broken


class Preparation:
    """One set-up, from opening the radio until `close` or `hand_over`."""

    def __init__(
        self,
        settings: Settings,
        choice: Choice,
        on_news: Callable[[News], None],
        *,
        wake: Callable[[], Wearer] | None = None,
    ) -> None:
        """`wake` makes the simulated patient who wears virtual sensors; it is called in the preparation's thread."""
        self._settings, self._choice, self._on_news, self._wake = settings, choice, on_news, wake
        self._guard = threading.Lock()  # of everything below; held for moments
        self._places: dict[str, Place] = {}  # by address
        self._found: dict[str, Found] = {}
        self._unreadable: tuple[UnreadableSensor, ...] = ()
        self._health: dict[str, SensorHealth] = {}
        self._recent: dict[str, deque[Packet]] = {}
        self._kept: list[Packet | Silence] | None = None
        self._heir: PreparedSource | None = None  # gets all items after the set-up
        self._asking: Place | None = None
        self._guess: str | None = None
        self._guide_begun_ns: int | None = None
        self._worn: dict[str, Place] = {}  # address -> place of the sensors that streamed when the guide began
        self._fallen: dict[str, int] = {}  # address -> when it stopped sending, of those
        self._trouble: RehabcountError | None = None
        self._tried_at_s = 0.0
        self._told: Air | None = None
        # Only the thread uses these; after its end, the thread that ended it.
        self._wearer: Wearer | None = None
        self._radio: Radio | None = None
        self._streams: dict[str, RadioStream] = {}
        self._looking = False
        self._settled = False  # calibrated, and nothing was moved since: no more scanning
        self._scanned_at_s = 0.0
        self._work: queue.Queue[Callable[[], None]] = queue.Queue()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="preparation", daemon=True)
        self._thread.start()

    @property
    def guide(self) -> tuple[GuideStep, ...]:
        """The steps of the calibration, in order."""
        return self._wearer.guide if self._wearer is not None else GUIDE

    # -- what the therapist says --------------------------------------------------------------------------------------

    def assign(self, address: str, place: Place) -> None:
        """Assign the sensor to this place; the sensor that was there becomes free."""
        with self._guard:
            self._places = {key: value for key, value in self._places.items() if value is not place} | {address: place}
            self._asking, self._settled = None, False
            found = self._found.get(address)
        if found is not None and not self._choice.virtual:
            self._work.put(lambda: self._remember(Remembered(address, found.family.name, place)))

    def free(self, place: Place) -> None:
        """Remove the sensor from this place."""
        with self._guard:
            self._places = {key: value for key, value in self._places.items() if value is not place}
            self._settled = False

    def ask(self, place: Place | None) -> None:
        """Watch for the sensor that moves most, and assign it to this place; None stops watching."""
        with self._guard:
            self._asking, self._guess, self._settled = place, None, False

    def blink(self, address: str) -> None:
        """Make the sensor's light blink, if it has one and is not connected."""
        self._work.put(lambda: self._blink(address))

    def begin_calibration(self) -> float:
        """Start the guide and drop the items of an earlier one. Returns the length of the guide in seconds.

        CalibrationError if no sensor of the rig streams, because the calibration could not succeed.
        """
        with self._guard:
            worn = {
                address: place
                for address, health in self._health.items()
                if health.state is LinkState.STREAMING and (place := self._places.get(address)) in self._choice.places
            }
            if not worn:
                raise CalibrationError(Message.of(Code.NO_SENSOR_CONNECTED), advice=Message.of(Code.DO_SWITCH_ALL_ON))
            self._worn, self._fallen = worn, {}
            self._kept = []
            self._guide_begun_ns = time.monotonic_ns()
            self._asking = None
        if self._wearer is not None:
            self._wearer.begin()
        return sum(step.length_s for step in self.guide)

    def stop_calibration(self) -> None:
        with self._guard:
            self._kept, self._guide_begun_ns = None, None

    def hand_over(self, rig: Rig) -> PreparedSource:
        """End the set-up: links and kept items go to the session. Sensors outside `rig` are left out."""
        self._stop_thread()
        with self._guard:
            self._heir = PreparedSource(self._radio, rig, self._kept or (), simulated=bool(self._choice.virtual))
            self._radio, self._kept = None, None
            return self._heir

    def close(self) -> None:
        """Disconnect all sensors. Waits for the radio for some seconds, so do not call it in the window's thread."""
        self._stop_thread()
        self._close_radio()

    def _stop_thread(self) -> None:
        self._over.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _close_radio(self) -> None:
        if self._radio is not None:
            self._radio.close()
            self._radio = None
            self._streams.clear()

    # -- the thread ---------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                self._turn()
            except RehabcountError as error:
                with self._guard:
                    self._trouble = error
            except Exception:  # top of a thread: the window must show the error instead of waiting for ever
                log.exception("in the preparation")
                with self._guard:
                    self._trouble = SensorError(Message.of(Code.RADIO_FAILED), advice=Message.of(Code.DO_GO_BACK))
            self._tell()
            with contextlib.suppress(queue.Empty):
                self._work.get(timeout=TURN_S)()

    def _turn(self) -> None:
        if self._trouble is None or time.monotonic() - self._tried_at_s >= RETRY_S:
            self._tried_at_s = time.monotonic()
            self._open()
            self._scan_if_due()
            self._connect_wanted()
            self._watch_limb()
            with self._guard:
                self._trouble = None
        self._calibrate_if_due()

    def _open(self) -> None:
        if self._radio is not None:
            return
        if self._wake is not None:
            self._wearer = self._wake()
            self._radio = open_radio(
                self._settings, self._choice, self._wearer.motion_of, begun_ns=self._wearer.begun_ns
            )
        else:
            self._radio = open_radio(self._settings, self._choice)
        places = assignment.adopted(remembered(self._settings, self._choice), self._choice.places)
        with self._guard:
            self._places = {each.address: each.place for each in places}

    def _scan_if_due(self) -> None:
        wanting = self._asking is not None or any(place not in self._placed() for place in self._choice.places)
        pause_s = SCAN_PAUSE_S if self._streams else 0.0
        due = time.monotonic() - self._scanned_at_s >= pause_s and self._guide_begun_ns is None
        if self._radio is None or self._settled or not wanting or not due:
            return
        self._looking = True
        self._tell()
        try:
            seen = self._radio.scan(SCAN_S if self._found else FIRST_SCAN_S)
        finally:
            self._looking = False
            self._scanned_at_s = time.monotonic()
        with self._guard:
            here = {each.address: each for each in seen.found}
            self._unreadable = seen.unreadable
            self._found = {key: each for key, each in self._found.items() if key in self._streams} | here

    def _placed(self) -> set[Place]:
        """Places of the rig whose sensor is connected or being connected."""
        return {place for address, place in self._places.items() if address in self._streams}

    def _connect_wanted(self) -> None:
        with self._guard:
            wanted = {key for key in self._found if self._places.get(key) in self._choice.places}
            if self._asking is not None:
                wanted |= {key for key in self._found if self._places.get(key) is None}
        if self._radio is None:
            return
        for address in [each for each in self._streams if each not in wanted]:
            self._streams.pop(address).close()
            with self._guard:
                self._health.pop(address, None)
                self._recent.pop(address, None)
        for address in wanted - set(self._streams):
            family = self._found[address].family
            sensor = Sensor(address, None, family.layout, float(family.rate_hz), address)
            self._streams[address] = self._radio.stream(Rig("found", (sensor,)), self._heard, self._felt)

    def _watch_limb(self) -> None:
        """Assigns the place to the free sensor that clearly moved most, twice in a row."""
        with self._guard:
            place = self._asking
            since_ns = time.monotonic_ns() - round(WATCHED_S * 1e9)
            free = {key: list(self._recent.get(key, ())) for key in self._streams if self._places.get(key) is None}
            families = {key: self._found[key].family for key in free if key in self._found}
        if place is None:
            return
        moved = {}
        for address, family in families.items():
            recent = [packet for packet in free[address] if packet.received_ns >= since_ns]
            rig = Rig("found", (Sensor(address, None, family.layout, float(family.rate_hz), address),))
            if recent and address in (blocks := decode_all(recent, rig)):
                moved[address] = assignment.activity(blocks[address])
        guess = assignment.most_moved(moved)
        if guess is not None and guess == self._guess:
            self.assign(guess, place)
        self._guess = guess

    def _remember(self, new: Remembered) -> None:
        book = assignment.load(self._settings.sensor_book)
        assignment.save(self._settings.sensor_book, assignment.remember(book, new))

    def _blink(self, address: str) -> None:
        found = self._found.get(address)
        if self._radio is not None and found is not None and address not in self._streams:
            with contextlib.suppress(SensorError):  # it may be gone or have no light; that does no harm
                self._radio.blink(found)

    # -- calibration --------------------------------------------------------------------------------------------------

    def _calibrate_if_due(self) -> None:
        begun_ns = self._guide_begun_ns
        if begun_ns is None:
            return
        if self._fallen:
            self._break_off(begun_ns)
            return
        length_s = sum(step.length_s for step in self.guide)
        if time.monotonic_ns() < begun_ns + round((length_s + TRAILING_S) * 1e9):
            return
        rig = self._rig()
        with self._guard:
            kept = list(self._kept or ())
            self._guide_begun_ns = None
        self._settled = True
        names = {sensor.serial: sensor.name for sensor in rig.sensors}
        items = [replace(item, sensor=names[item.sensor]) for item in kept if item.sensor in names]
        found = self._calibration(items, rig, begun_ns)
        if found.verdict is Verdict.REPEAT:  # a sensor may be missing: go on scanning
            self._settled = False
        self._on_news(RigCalibrated(rig, found))

    def _break_off(self, begun_ns: int) -> None:
        """Ends the guide at once: the calibration of a sensor that stopped sending would fail."""
        with self._guard:
            fallen = dict(self._fallen)
            self._kept, self._guide_begun_ns, self._fallen = None, None, {}
        since_s = (min(fallen.values()) - begun_ns) / 1e9
        name = self.guide[-1].name
        for step in self.guide:
            if since_s < step.length_s:
                name = step.name
                break
            since_s -= step.length_s
        self._on_news(Broken(name, tuple(place for address, place in self._worn.items() if address in fallen)))

    def _rig(self) -> Rig:
        """The chosen rig from the sensors that stream now."""
        with self._guard:
            present = {
                key: self._found[key].family
                for key, health in self._health.items()
                if key in self._found and health.state is LinkState.STREAMING
            }
            book = [
                Remembered(key, self._found[key].family.name, self._places[key])
                for key in present
                if key in self._places
            ]
        rig, _ = assignment.rig_of(self._choice.kind, self._choice.side, book, present)
        return rig

    def _calibration(self, items: list[Packet | Silence], rig: Rig, begun_ns: int) -> Calibration:
        if not any(isinstance(item, Packet) for item in items):
            return Calibration((), 0.0, Verdict.REPEAT, (Message.of(Code.NONE_SENT), Message.of(Code.CHECK_ALL_ON)))
        steps = posed_in_turn(self.guide, (begun_ns - items[0].received_ns) / 1e9, self._choice.side)
        return calibration_from_steps(walk.frames_all(items, rig, self._settings.align), rig, steps)

    # -- from the radio's thread --------------------------------------------------------------------------------------

    def _heard(self, item: Packet | Silence) -> None:
        with self._guard:
            if self._heir is not None:
                self._heir.hear(item)
                return
            if isinstance(item, Packet):
                self._recent.setdefault(item.sensor, deque(maxlen=RECENT_PACKETS)).append(item)
            elif self._guide_begun_ns is not None and item.sensor in self._worn:
                self._fallen[item.sensor] = item.since_ns
            if self._kept is not None:
                self._kept.append(item)

    def _felt(self, update: SensorHealth | Mark) -> None:
        with self._guard:
            if self._heir is not None:
                self._heir.report(update)
            elif isinstance(update, SensorHealth):  # clicks on a sensor's button are ignored before the session
                self._health[update.sensor] = update

    def _tell(self) -> None:
        air = self._air()
        if air != self._told:
            self._told = air
            self._on_news(air)

    def _air(self) -> Air:
        with self._guard:
            seen = tuple(
                Seen(
                    each.address,
                    each.family.title,
                    self._places.get(each.address),
                    each.signal_dbm,
                    bool(each.family.blink),
                    self._health.get(each.address),
                )
                for each in self._found.values()
            )
            budget = self._radio.budget().values() if self._radio is not None else []
            return Air(
                self._choice,
                seen,
                ready=self._radio is not None,
                looking=self._looking,
                full=bool(budget) and all(used >= possible for used, possible in budget),
                asking=self._asking,
                trouble=self._trouble,
                unreadable=self._unreadable,
            )
