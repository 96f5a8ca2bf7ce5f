"""Counting: a session file, arrays of any sensor, or chunks of them as they come.

All three go through the bedside's own walk. Arrays and chunks take the same way: `count_arrays` is a `Counter` that is
given everything at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from rehabcount.api import bedside
from rehabcount.api.array_advice import calibration_for_arrays, for_arrays
from rehabcount.api.arrays import Packets, motion_from, rig_from, side_from
from rehabcount.api.pushed import PushedWalk
from rehabcount.api.results import CountedEvent, CountResult, amounts_of, event_of
from rehabcount.api.session import Session
from rehabcount.api.units import UnitCheck
from rehabcount.domain.calibration import Calibration, Verdict
from rehabcount.domain.dose import Dose, Plan
from rehabcount.domain.motion import Packet
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.update import Event, Phase, PhaseName, Recorded, Said, SensorSet, Update
from rehabcount.engine import walk
from rehabcount.engine.counted_time import counted_spans, why_nothing
from rehabcount.engine.session import SessionSettings
from rehabcount.engine.tally import Tally
from rehabcount.engine.uncertainty import in_words
from rehabcount.errors import CalibrationError, InputRefused, ModelMismatch
from rehabcount.inference.card import check_fit
from rehabcount.inference.runtime import Model
from rehabcount.signals.align import AlignSettings
from rehabcount.signals.calibration import ArmMovements, TimeSpan, calibrate
from rehabcount.signals.features import RECIPES
from rehabcount.signals.frames import joined

STEPS = ("still", "elbow", "forearm")
AFTER_S = 1.0  # of packets past the calibration: by then its last frames are aligned
HEALTH = ("Gap", "Lost", "Returned", "ClockJump", "Discarded", "Doubt", "SensorSet")
HOW_TO_CALIBRATE = 'Give {"still": (start_s, end_s), "elbow": (start_s, end_s), "forearm": (start_s, end_s)}.'

Spans = Mapping[str, tuple[float, float]]


def count(
    recording: str | PathLike[str] | Session,
    *,
    model: str = "",
    side: str | None = None,
    keep: bool = False,
) -> CountResult:
    """Count what was done in a recorded session, as `rehabcount count` does.

    Parameters
    ----------
    recording : path or Session
        A session file (`.rehab`), or what `open_session` gave.
    model : str
        Name, hash or folder of a model; empty: the shipped one. `rehabcount models` lists them.
    side : {"left", "right"}, optional
        The trained arm, if the file does not name it or names the wrong one.
    keep : bool
        Write the count into the file, beside earlier ones. Without it the file stays as it is.

    Returns
    -------
    CountResult
        Repetitions, primitives, events and dose. An estimate.

    Raises
    ------
    RehabcountError
        The file cannot be read, holds no calibration that can be used (`rehabcount calibrate`, with `--keep-bad` for
        one that ought to be repeated), or the model does not fit its sensors; `advice` says what to do.

    Examples
    --------
    >>> import rehabcount as rc
    >>> path = rc.simulate("drinks", subject="H18", rig="three").save("drinking.rehab")
    >>> result = rc.count(path)
    >>> result.side, result.repetitions == result.dose.repetitions
    (<Side.RIGHT: 'right'>, True)
    """
    path = recording.path if isinstance(recording, Session) else Path(recording)
    chosen = None if side is None else side_from(side)
    counted = bedside.count_file(path, bedside.open_model(model), chosen, keep=keep)
    return CountResult(
        repetitions=counted.dose.repetitions,
        primitives=amounts_of(counted.dose, counted.side),
        events=tuple(event_of(event, event.number in counted.counted) for event in counted.events),
        dose=counted.dose,
        side=counted.side,
        length_s=counted.length_s,
        counted_s=counted.counted_s,
        accuracy=counted.accuracy,
        why_nothing=counted.why_nothing,
        health=counted.health,
        model=counted.model,
        calibration=Session(path).calibration(),
    )


def count_arrays(
    acc: Any,
    gyr: Any,
    rate_hz: float,
    places: Sequence[str],
    side: str,
    *,
    calibration: Calibration | Spans,
    time_s: Any = None,
    model: str = "",
) -> CountResult:
    """Count what was done, from arrays of any sensor.

    The arrays become packets and go through the bedside's own chain: they are resampled to 100 Hz, lost samples are
    masked, orientation and features are computed as during a live session.

    Parameters
    ----------
    acc : array, shape (samples, sensors, 3)
        Acceleration as the sensors measure it, gravity included, in m/s2. For one sensor (samples, 3) will do.
    gyr : array, shape (samples, sensors, 3)
        Angular rate in rad/s, in the same axes: x, y, z right-handed, z out of the sensor's face (page "Body axes").
        NaN in `acc` or `gyr` means that this sample of this sensor was lost.
    rate_hz : float
        Samples per second, 25 or more.
    places : sequence of str
        Where each sensor sits, in the order of the arrays: `"right-hand"`, `"right-upper-arm"`, `"sternum"`, ...
    side : {"left", "right"}
        The trained arm.
    calibration : mapping or Calibration
        When the person sat still in the calibration pose, then bent and stretched the elbow of the trained arm, then
        turned its forearm (page "Body axes"): `{"still": (2, 5), "elbow": (6, 14), "forearm": (15, 22)}`, in seconds
        on the time axis of the arrays. What lies between the beginning of the first and the end of the last is not
        counted. `still` alone will do if the sensors are worn as pictured. Or a `Calibration` that was made of this
        recording (`calibrate_arrays`): it does not say when it was made, so that its movements are counted like all
        others.
    time_s : array, shape (samples,), optional
        When each sample was measured, in seconds from any origin, rising. Without it the samples are evenly spaced and
        the first one is at 0.
    model : str
        As in `count`.

    Returns
    -------
    CountResult
        An estimate; the times of events are on the time axis of the arrays.

    Raises
    ------
    InputRefused
        The arrays cannot be motion (wrong shapes, acceleration in g, angular rate in deg/s, no valid sample), a place
        is unknown, or the model lacks a sensor. It is a ValueError, too, and `advice` says what to change.
    CalibrationError
        The pose or the movements do not show how the sensors sit. Some people cannot do better: `calibrate_arrays`
        with `keep_bad` makes a calibration that counts nevertheless, with unreliable angles.

    Examples
    --------
    >>> import rehabcount as rc
    >>> person = rc.simulate("drinks", subject="H18", rig="three")
    >>> person.acc.shape[1:], person.rate_hz
    ((3, 3), 60.0)
    >>> result = rc.count_arrays(
    ...     person.acc, person.gyr, person.rate_hz, person.places, person.side, calibration=person.calibration
    ... )
    >>> result.repetitions > 0
    True
    """
    counter = Counter(places, side, calibration, rate_hz, model=model)
    counter.push(acc, gyr, time_s)
    counter.finish()
    return counter.result()


def calibrate_arrays(
    acc: Any,
    gyr: Any,
    rate_hz: float,
    places: Sequence[str],
    side: str,
    spans: Spans,
    *,
    time_s: Any = None,
    keep_bad: bool = False,
) -> Calibration:
    """How each sensor sits on its body part, found from the pose and the movements in a recording.

    Parameters
    ----------
    acc, gyr, rate_hz, places, side, time_s
        As in `count_arrays`.
    spans : mapping from str to (start_s, end_s)
        When the steps were done: `still`, and `elbow` and `forearm` of the trained arm.
    keep_bad : bool
        Return a calibration that ought to be repeated (verdict `repeat`), too, as `--keep-bad` of the commands: to look
        at it, or to count with it where a person cannot do better.

    Returns
    -------
    Calibration
        `.verdict` says whether it is `good`, `usable` or (with `keep_bad`) to `repeat`; `.advice` says what to do
        better. `count_arrays` takes it instead of the spans, and then counts the movements of the calibration as well.
        It belongs to this recording.

    Raises
    ------
    CalibrationError
        The calibration ought to be repeated, and `keep_bad` is not set.

    Examples
    --------
    >>> import rehabcount as rc
    >>> person = rc.simulate("drinks", subject="H18", rig="three")
    >>> found = rc.calibrate_arrays(
    ...     person.acc, person.gyr, person.rate_hz, person.places, person.side, person.calibration
    ... )
    >>> found.verdict.value, len(found.mountings)
    ('good', 3)
    """
    arm = side_from(side)
    rig = rig_from(places, arm, rate_hz)
    steps = _Steps(spans, arm)
    packets = Packets(rig)
    motion = motion_from(acc, gyr, len(rig))
    check = UnitCheck(rig.names, rate_hz)
    check.push(motion)
    check.finish()
    items = [*packets.push(motion, time_s), *packets.finish()]
    packets.refuse_nothing()
    found = steps.calibration(items, rig, packets.origin_s, bedside.align_settings())
    return found if keep_bad else _used(found)


class Counter:
    """Counts while data arrive. Each chunk returns the movements that it settled.

    The size of the chunks does not matter: the events are those of `count_arrays`.

    Parameters
    ----------
    places : sequence of str
    side : {"left", "right"}
    calibration : mapping or Calibration
        As in `count_arrays`. With a mapping, no movement is returned before its last step is over; then all are.
    rate_hz : float
    model : str
        As in `count_arrays`.

    Examples
    --------
    >>> import rehabcount as rc
    >>> person = rc.simulate("drinks", subject="H18", rig="three")
    >>> counter = rc.Counter(person.places, person.side, person.calibration, person.rate_hz)
    >>> for begin in range(0, len(person.acc), 50):  # half a second at a time
    ...     for event in counter.push(person.acc[begin : begin + 50], person.gyr[begin : begin + 50]):
    ...         assert event.length_s > 0
    >>> rest = counter.finish()
    >>> counter.dose.repetitions == counter.result().repetitions
    True
    """

    def __init__(
        self,
        places: Sequence[str],
        side: str,
        calibration: Calibration | Spans,
        rate_hz: float,
        *,
        model: str = "",
    ) -> None:
        self.side = side_from(side)
        self.rig = rig_from(places, self.side, rate_hz)
        self._model = bedside.open_model(model)
        check_rig(self._model.model, self.rig, self.side)
        self._align = bedside.align_settings()
        self._check, self._packets = UnitCheck(self.rig.names, rate_hz), Packets(self.rig)
        self._waiting: list[Packet] = []  # until the calibration's steps are over
        self._walk: PushedWalk | None = None
        self._said: list[Update] = []
        self._events: list[CountedEvent] = []
        self._dose = Dose((), 0.0, Plan())
        self._tally = Tally(Plan(), self.side)  # says of each event whether it counts
        self._length_s = 0.0
        self._finished = False
        self._steps: _Steps | None = None
        self._calibration: Calibration | None = None
        if isinstance(calibration, Calibration):
            self._begin(calibration)
        else:
            self._steps = _Steps(calibration, self.side)

    @property
    def dose(self) -> Dose:
        """What was counted so far."""
        return self._dose

    def push(self, acc: Any, gyr: Any, time_s: Any = None) -> tuple[CountedEvent, ...]:
        """Take the next samples.

        Parameters
        ----------
        acc, gyr : array, shape (samples, sensors, 3)
            m/s2 and rad/s, as in `count_arrays`; as many samples as there are.
        time_s : array, shape (samples,), optional
            As in `count_arrays`; with every chunk or with none.

        Returns
        -------
        tuple of CountedEvent
            The movements of both arms that these samples settled. They never change afterwards.
        """
        if self._finished:
            raise InputRefused("this counter is finished.", advice="Make another Counter for another recording.")
        motion = motion_from(acc, gyr, len(self.rig))
        packets = self._packets.push(motion, time_s)
        self._check.push(motion)
        return self._take(packets)

    def finish(self) -> tuple[CountedEvent, ...]:
        """No more samples: the movements that were under way. Afterwards `result()` is complete."""
        if self._finished:
            return ()
        self._check.finish()
        found = list(self._take(self._packets.finish()))
        self._packets.refuse_nothing()
        if self._walk is None:
            found += self._calibrated()
        assert self._walk is not None
        found += self._heard(self._walk.finish())
        self._finished = True
        return tuple(found)

    def result(self) -> CountResult:
        """What was done so far; complete after `finish`."""
        kinds = [type(update).__name__ for update in self._said]
        spans = counted_spans(self._said, self.side, self._length_s)
        return CountResult(
            repetitions=self._dose.repetitions,
            primitives=amounts_of(self._dose, self.side),
            events=tuple(self._events),
            dose=self._dose,
            side=self.side,
            length_s=self._length_s,
            counted_s=sum(end_s - start_s for start_s, end_s in spans),
            accuracy=in_words(self._model.card, self.rig.name, None, self._dose.repetitions),
            why_nothing=why_nothing([*self._said, self._dose], self.side, self._length_s),
            health={kind: kinds.count(kind) for kind in HEALTH if kind in kinds},
            model=self._model.name,
            calibration=self._calibration,
        )

    def _take(self, packets: list[Packet]) -> tuple[CountedEvent, ...]:
        if packets:
            self._length_s = packets[-1].received_ns / 1e9 - (self._packets.origin_s - self._packets.first_s)
        if self._walk is not None:
            return self._heard(self._walk.push(packets))
        self._waiting += packets
        assert self._steps is not None
        if packets and self._steps.last_s + AFTER_S <= self._packets.origin_s + self._length_s:
            return self._calibrated()
        return ()

    def _calibrated(self) -> tuple[CountedEvent, ...]:
        """The steps are over: calibrates, and lets go on what has waited."""
        assert self._steps is not None
        origin_s = self._packets.origin_s
        found = self._steps.calibration(self._waiting, self.rig, origin_s, self._align)
        self._begin(_used(found))
        first = self._waiting[0].received_ns if self._waiting else 0
        items: list[Recorded] = [*self._waiting[:1], *self._steps.phases(first, origin_s), *self._waiting[1:]]
        self._waiting = []
        assert self._walk is not None
        return self._heard(self._walk.push(items))

    def _begin(self, calibration: Calibration) -> None:
        _check_sensors(calibration, self.rig)
        self._calibration = calibration
        settings = SessionSettings(self.rig, self.side, calibration=calibration, align=self._align)
        self._walk = PushedWalk(settings, self._model.model)
        self._heard(self._walk.begun)

    def _heard(self, said: Iterable[Update]) -> tuple[CountedEvent, ...]:
        news: list[CountedEvent] = []
        for update in said:
            if isinstance(update, Dose):
                self._dose = update
            elif isinstance(update, Event):
                news.append(event_of(update, self._tally.is_counted(update.segment), self._packets.origin_s))
            elif type(update).__name__ not in ("Draft", "Late"):
                self._said.append(update)
            if isinstance(update, Phase):
                self._tally.enter(update)
            elif isinstance(update, SensorSet):
                self._tally.equip(update)
        self._events += news
        return tuple(news)


def check_rig(model: Model, rig: Rig, side: Side) -> None:
    """InputRefused at once where the model lacks a sensor that it needs."""
    advice = f"Check `places` ({', '.join(rig.names)}) and `side` ({side}), or name another model."
    if not any(place is not None and place.side is side for place in rig.places):
        raise InputRefused(f"no sensor is on the {side} arm, which is counted.", advice=advice)
    recipe = RECIPES.get(model.card.recipe)
    if recipe is not None:
        try:
            check_fit(model.card, recipe, rig, side)
        except ModelMismatch as problem:
            raise InputRefused(*problem.what, advice=advice) from problem


class _Steps:
    """When the steps of the calibration were done, in the caller's seconds."""

    def __init__(self, spans: Spans, side: Side) -> None:
        self._side = side
        self._spans = _checked(spans)
        self.first_s = min(span.start_s for span in self._spans.values())
        self.last_s = max(span.end_s for span in self._spans.values())

    def calibration(self, items: Sequence[Packet], rig: Rig, origin_s: float, align: AlignSettings) -> Calibration:
        """What the steps gave. InputRefused if the recording does not hold them."""
        spans = {step: TimeSpan(each.start_s - origin_s, each.end_s - origin_s) for step, each in self._spans.items()}
        blocks = []
        for block in walk.frames(items, rig, align):
            blocks.append(block)
            if block.time_s[-1] > self.last_s - origin_s:
                break
        frames = joined(blocks, len(rig))
        until_s = float(frames.time_s[-1]) + origin_s if len(frames) else origin_s
        if self.first_s < origin_s - AFTER_S or self.last_s > until_s + AFTER_S:
            raise InputRefused(
                f"the calibration lies between {self.first_s:g} and {self.last_s:g} s, the recording between "
                f"{origin_s:g} and {until_s:g} s.",
                advice="Give the spans in seconds, on the time axis of the arrays.",
            )
        moves = {self._side: ArmMovements(spans["elbow"], spans["forearm"])} if "elbow" in spans else {}
        try:
            return calibration_for_arrays(calibrate(frames, rig, spans["still"], moves))
        except CalibrationError as problem:
            what = (for_arrays(each) for each in problem.what)
            raise CalibrationError(*what, advice=for_arrays(problem.what_to_do)) from problem

    def phases(self, first_ns: int, origin_s: float) -> tuple[Said, ...]:
        """The entries of a therapist by which the movements of the calibration are not counted."""
        begin_s, end_s = max(0.0, self.first_s - origin_s), max(0.0, self.last_s - origin_s)
        return (
            Said(Phase(PhaseName.CALIBRATING, begin_s), first_ns + round(begin_s * 1e9)),
            Said(Phase(PhaseName.COUNTING, end_s), first_ns + round(end_s * 1e9)),
        )


def _checked(spans: Spans) -> dict[str, TimeSpan]:
    try:
        found = {step: (float(start_s), float(end_s)) for step, (start_s, end_s) in dict(spans).items()}
    except (TypeError, ValueError) as problem:
        raise InputRefused("calibration is not a mapping of spans.", advice=HOW_TO_CALIBRATE) from problem
    wrong = [step for step in found if step not in STEPS]
    if wrong or "still" not in found or ("elbow" in found) != ("forearm" in found):
        raise InputRefused(
            f"the calibration has the steps {', '.join(map(str, found)) or 'none'}.",
            advice=f"{HOW_TO_CALIBRATE} elbow and forearm belong together; still alone will do.",
        )
    for step, (start_s, end_s) in found.items():
        if not start_s < end_s:
            raise InputRefused(
                f"{step} is from {start_s:g} to {end_s:g} s.", advice=f"start_s comes first. {HOW_TO_CALIBRATE}"
            )
    if "elbow" in found and found["elbow"] > found["forearm"]:
        raise InputRefused(
            f"forearm begins at {found['forearm'][0]:g} s, before elbow at {found['elbow'][0]:g} s.",
            advice="The elbow is bent first, then the forearm is turned: exchange the two spans, or check their times.",
        )
    return {step: TimeSpan(*span) for step, span in found.items()}


def _check_sensors(calibration: Calibration, rig: Rig) -> None:
    """CalibrationError if it is of other sensors."""
    if not any(calibration.of(name) for name in rig.names):
        known = ", ".join(mounting.sensor for mounting in calibration.mountings) or "no sensor"
        raise CalibrationError(
            f"the calibration is of {known}; the arrays are of {', '.join(rig.names)}.",
            advice="Use a calibration that was made of this recording: calibrate_arrays.",
        )


def _used(calibration: Calibration) -> Calibration:
    """CalibrationError if it ought to be repeated."""
    if calibration.verdict is Verdict.REPEAT:
        raise CalibrationError(
            f"the calibration cannot be used (quality {calibration.quality:.2f} of 1).",
            advice=" ".join(
                [*map(str, calibration.advice), "calibrate_arrays(..., keep_bad=True) gives it nevertheless."]
            ),
        )
    return calibration
