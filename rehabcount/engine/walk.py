"""The first steps of the walk: packets -> frames -> rows. Recognition and counting follow in `session`.

    packets   decode      Samples       what the bytes mean
              align       Frames        all sensors at the same instants
              orient      Frames        with orientation, gyroscope bias removed
              mount       Frames        in body-part axes
              featurize   Rows          the features that a model reads

Each step is a generator over the one before. Training, export and bedside all come through here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from rehabcount.domain.calibration import Calibration
from rehabcount.domain.motion import Frames, Rows
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.update import Recorded, Said, Update
from rehabcount.sensors.layouts import layout_of
from rehabcount.sensors.packets import decode
from rehabcount.signals.align import DEFAULT, AlignSettings, align, align_all, align_parts, in_parts
from rehabcount.signals.calibration import mount
from rehabcount.signals.clock import ClockSpec
from rehabcount.signals.features import Recipe, featurize
from rehabcount.signals.orientation import orient, orient_all

PART_SAMPLES = 10_000  # of all sensors together: nineteen seconds of nine at 60 Hz, a few megabytes of everything


def clocks_of(rig: Rig) -> dict[str, ClockSpec]:
    """The meaning of each sensor's ticks, by its layout."""
    specs = {}
    for sensor in rig.sensors:
        layout = layout_of(sensor.layout)
        specs[sensor.name] = ClockSpec(layout.tick_hz, layout.tick_bits, sensor.rate_hz)
    return specs


def frames(
    items: Iterable[Recorded],
    rig: Rig,
    settings: AlignSettings = DEFAULT,
    *,
    origin_ns: int | None = None,
    on_update: Callable[[Update], None] = lambda update: None,
) -> Iterator[Frames]:
    """Oriented frames in sensor axes; entries of the therapist are skipped.

    Time zero is `origin_ns`, or else the receive time of the first packet (readable or not) or silence.
    """
    motion = (item for item in items if not isinstance(item, Said))
    first = next(motion, None)
    if first is None:
        return
    origin_ns = first.received_ns if origin_ns is None else origin_ns
    samples = decode(chain([first], motion), rig, on_update)
    yield from orient(align(samples, rig, clocks_of(rig), settings, origin_ns=origin_ns, on_update=on_update))


def frames_all(items: Iterable[Recorded], rig: Rig, settings: AlignSettings = DEFAULT) -> Frames:
    """The array kernel: the frames of a whole recording at once, the same to the bit and several times as fast."""
    motion = [item for item in items if not isinstance(item, Said)]
    origin_ns = motion[0].received_ns if motion else 0
    samples = list(decode(motion, rig))
    return orient_all(align_all(samples, rig, clocks_of(rig), settings, origin_ns=origin_ns))


def frames_in_parts(items: Iterable[Recorded], rig: Rig, settings: AlignSettings = DEFAULT) -> Iterator[Frames]:
    """The array kernel for recordings of any length: the same frames again, some seconds of them at a time."""
    motion = (item for item in items if not isinstance(item, Said))
    first = next(motion, None)
    if first is None:
        return
    parts = in_parts(decode(chain([first], motion), rig), PART_SAMPLES)
    yield from orient(align_parts(parts, rig, clocks_of(rig), settings, origin_ns=first.received_ns))


def rows(blocks: Iterable[Frames], rig: Rig, calibration: Calibration, recipe: Recipe, side: Side) -> Iterator[Rows]:
    """Feature rows of one arm from oriented frames."""
    return featurize(mount(blocks, rig, calibration), rig, recipe, side, calibration)
