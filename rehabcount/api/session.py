"""A recorded session for reading: rig, aligned signals, counted movements, labels of annotators."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from types import MappingProxyType

from rehabcount.api import bedside
from rehabcount.api.arrays import side_from
from rehabcount.api.results import CountedEvent, event_of
from rehabcount.domain.arrays import Floats, frozen
from rehabcount.domain.calibration import Calibration
from rehabcount.domain.corrected import corrected as as_corrected
from rehabcount.domain.correction import Correction
from rehabcount.domain.motion import FRAME_RATE_HZ, Frames
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event, Phase, SensorSet
from rehabcount.engine import walk
from rehabcount.engine.summarise import counted_numbers, counting_that_holds
from rehabcount.errors import InputRefused
from rehabcount.store.layers import REFERENCE, Layer
from rehabcount.store.session_file import SessionFile
from rehabcount.store.trained_arm import side_of

QUANTITIES = {"acc": "m/s2", "gyr": "rad/s"}  # in the order of a frame's channels; then the quaternion


class Signals(dict[str, Floats]):
    """Aligned signals as columns of equal length: a dictionary, so that `pandas.DataFrame(signals)` takes it as it is.

    Columns are called `time_s` and `PLACE QUANTITY_AXIS`, such as `right-hand acc_x`: the names that `rehabcount
    export` writes. The units are not part of the names, but in `units`. Where a sensor has no valid data its columns
    are NaN; gaps are not filled.

    Attributes
    ----------
    units : mapping from str to str
        Of each column: `s`, `m/s2`, `rad/s`, or `1` for the parts of an orientation quaternion.
    rate_hz : float
        Rows per second: 100. In a pause without any sensor rows are left out, so go by `time_s`.

    Examples
    --------
    >>> import rehabcount as rc
    >>> signals = rc.open_session(rc.simulate("drinks", subject="H18", rig="three").save("one.rehab")).signals()
    >>> list(signals)[:3], signals.units["right-hand acc_x"]
    (['time_s', 'right-hand acc_x', 'right-hand acc_y'], 'm/s2')
    """

    def __init__(self, columns: Mapping[str, Floats], units: Mapping[str, str]) -> None:
        super().__init__(columns)
        self.units: Mapping[str, str] = MappingProxyType(dict(units))
        self.rate_hz = FRAME_RATE_HZ


class Session:
    """A recorded session; `open_session` makes it. It reads only, and holds no file open between calls.

    Attributes
    ----------
    path : Path
    rig : Rig
        The sensors: `rig.names`, `rig.places`, and `rig.sensors` with layout and nominal rate.
    side : Side
        The trained arm, as the file says.
    length_s : float
        Seconds from the first packet to the last.

    Examples
    --------
    >>> import rehabcount as rc
    >>> session = rc.open_session(rc.simulate("drinks", subject="H18", rig="three").save("one.rehab"))
    >>> session.side.value, len(session.rig.names), session.length_s > 20
    ('right', 3, True)
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        with SessionFile.open(self.path) as file:
            self.rig: Rig = file.rig
            self.side: Side = side_of(file, counting_that_holds(file))
            self.length_s: float = file.length_s()

    def __repr__(self) -> str:
        return f"Session({self.path.name!r}, {self.length_s:.1f} s, {len(self.rig)} sensors, {self.side} arm)"

    def signals(self) -> Signals:
        """All sensors at the same instants, 100 times a second, in the axes of each sensor.

        Returns
        -------
        Signals
            `time_s` and, for each sensor, acceleration (m/s2), angular rate without its bias (rad/s) and orientation (a
            unit quaternion w, x, y, z that turns sensor axes into earth axes with z up). NaN where not valid.

        Examples
        --------
        >>> import rehabcount as rc
        >>> signals = rc.open_session(rc.simulate("drinks", subject="H18", rig="three").save("one.rehab")).signals()
        >>> steps = signals["time_s"][1:] - signals["time_s"][:-1]
        >>> round(float(steps.max()), 6)
        0.01
        """
        with SessionFile.open(self.path) as file:
            frames = walk.frames_all(file.items(), self.rig, bedside.align_settings())
        return _columns(frames, self.rig)

    def events(self, side: str | None = None, *, corrected: bool = False) -> tuple[CountedEvent, ...]:
        """The movements that were counted, in order of time; none before a count was kept (`count` with keep=True).

        Parameters
        ----------
        side : {"left", "right"}, optional
            One arm only.
        corrected : bool
            With the corrections of people; otherwise as the model counted them.

        Returns
        -------
        tuple of CountedEvent
            Of the newest counting that was corrected by a person, or else of the newest.

        Examples
        --------
        >>> import rehabcount as rc
        >>> path = rc.simulate("drinks", subject="H18", rig="three").save("one.rehab")
        >>> rc.open_session(path).events()
        ()
        >>> result = rc.count(path, keep=True)
        >>> len(rc.open_session(path).events()) == len(result.events)
        True
        """
        arms = _arms(side)
        with SessionFile.open(self.path) as file:
            number = counting_that_holds(file)
            if number is None:
                return ()
            updates = [*file.updates(None, Phase, SensorSet), *file.updates(number, Event, Phase, SensorSet)]
            found = [update for update in updates if isinstance(update, Event)]
            if corrected:
                found = [each.as_event() for each in as_corrected(found, file.corrections(number))]
                updates = [*(update for update in updates if not isinstance(update, Event)), *found]
        counted = counted_numbers(updates, self.side)
        kept = [event_of(event, event.number in counted) for event in found if event.segment.side in arms]
        return tuple(sorted(kept, key=lambda event: event.start_s))

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """The corrections of counted events, in the order in which they were made."""
        with SessionFile.open(self.path) as file:
            number = counting_that_holds(file)
            return () if number is None else file.corrections(number)

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers of reference labels in the file. There is one for each annotator, or for each kind of label."""
        with SessionFile.open(self.path) as file:
            return file.layers()

    def reference(self, side: str | None = None, *, layer: str = REFERENCE) -> tuple[Segment, ...]:
        """The movements according to annotators.

        Parameters
        ----------
        side : {"left", "right"}, optional
            One arm only.
        layer : str
            Which of `layers`.

        Returns
        -------
        tuple of Segment
            In order of time, with `label`, `side`, `start_s`, `end_s`; `evaluate` takes them.

        Examples
        --------
        >>> import rehabcount as rc
        >>> session = rc.open_session(rc.simulate("drinks", subject="H18", rig="three").save("one.rehab"))
        >>> sorted({segment.label for segment in session.reference(side="right")})
        ['idle', 'other', 'reach', 'reposition', 'stabilize', 'transport']
        """
        arms = _arms(side)
        with SessionFile.open(self.path) as file:
            if layer not in file.layers():
                has = ", ".join(file.layers()) or "none"
                raise InputRefused(
                    f"{self.path.name} has no layer {layer!r}; it has {has}.",
                    advice="Name a layer that it has, or add labels: rehabcount annotate.",
                )
            found = file.segments(Layer(layer))
        return tuple(sorted((each for each in found if each.side in arms), key=lambda each: each.start_s))

    def calibration(self) -> Calibration | None:
        """The calibration: one made afterwards, or that of the last count; None: unknown."""
        with SessionFile.open(self.path) as file:
            return file.calibration()


def open_session(path: str | PathLike[str]) -> Session:
    """Open a recorded session to read from it.

    Parameters
    ----------
    path : path
        A session file (`.rehab`).

    Returns
    -------
    Session

    Raises
    ------
    RehabcountError
        There is no such file, or it is no session, or it is damaged; `advice` says what to do.

    Examples
    --------
    >>> import rehabcount as rc
    >>> session = rc.open_session(rc.simulate("drinks", subject="H18", rig="three").save("one.rehab"))
    >>> session.rig.names
    ('right-hand', 'right-upper-arm', 'sternum')
    """
    return Session(path)


def _arms(side: str | None) -> tuple[Side, ...]:
    return tuple(Side) if side is None else (side_from(side),)


def _columns(frames: Frames, rig: Rig) -> Signals:
    columns: dict[str, Floats] = {"time_s": frames.time_s}
    units = {"time_s": "s"}
    channels = [(f"{quantity}_{axis}", unit) for quantity, unit in QUANTITIES.items() for axis in "xyz"]
    channels += [(f"quat_{axis}", "1") for axis in "wxyz"]
    for sensor, name in enumerate(rig.names):
        for at, (channel, unit) in enumerate(channels):
            columns[f"{name} {channel}"] = frozen(frames.values[:, sensor, at])
            units[f"{name} {channel}"] = unit
    return Signals(columns, units)
