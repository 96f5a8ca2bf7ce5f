"""Motion data from the radio to the recogniser.

    Packet, Silence   the items of a source, as received
    Samples           decoded packets, in the sensor's axes and on the sensor's clock
    Frames            all sensors at the same instants, every 10 ms, with a validity mask
    Rows              features, one row a frame

Samples, Frames and Rows are blocks of several instants, because each call of numpy has a cost. The size of a block has
no meaning; every stage gives the same result for any division into blocks.

Units: acceleration is specific force in m/s2 (at rest it points up and measures 9.81), rotation rad/s, time seconds
since the first packet of the session. A quaternion (w, x, y, z) turns sensor (later: body-part) axes into earth axes
whose z points up; q and -q are the same orientation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rehabcount.domain.arrays import Bools, Floats, Ints, frozen

FRAME_RATE_HZ = 100.0  # the rate of StrokeRehab's sensors, and of every model trained on it
# Two values of gravity: models were trained with the first, so it stays; the second is a definition.
GRAVITY_M_S2 = 9.81  # what a resting accelerometer measures: in the simulation, and as the unit of force of features
G_M_S2 = 9.80665  # one g, the unit of data sheets and of vendors' files: standard gravity
BLOCK_FRAMES = 10  # frames that `align` passes on together: 100 ms of delay, but a third of the cost

ACC = slice(0, 3)
GYR = slice(3, 6)
QUAT = slice(6, 10)
CHANNELS = 10  # of one sensor in a frame: ACC, GYR, QUAT


@dataclass(frozen=True, slots=True)
class Packet:
    """One notification of one sensor, as received. `received_ns` is the host's monotonic clock."""

    sensor: str
    payload: bytes
    received_ns: int


@dataclass(frozen=True, slots=True)
class Silence:
    """The sensor has sent nothing since `since_ns`; noticed at `received_ns`. Recorded and replayed like a packet."""

    sensor: str
    since_ns: int
    received_ns: int


@dataclass(frozen=True, slots=True)
class Samples:
    """Samples of one sensor from one packet (or many: an import). A quantity the sensor does not measure is None.

    `tick` counts in the device's clock (its unit and width belong to the layout), None if the device has no clock.
    """

    sensor: str
    received_ns: Ints  # (n,)
    tick: Ints | None  # (n,)
    acc: Floats | None  # (n, 3)
    gyr: Floats | None  # (n, 3)
    quat: Floats | None = None  # (n, 4)

    def __post_init__(self) -> None:
        object.__setattr__(self, "received_ns", frozen(self.received_ns, np.int64))
        if self.tick is not None:
            object.__setattr__(self, "tick", frozen(self.tick, np.int64))
        n = len(self.received_ns)
        for name, width in (("acc", 3), ("gyr", 3), ("quat", 4)):
            values = getattr(self, name)
            if values is None:
                continue
            object.__setattr__(self, name, frozen(values))
            if values.shape != (n, width):
                raise ValueError(f"{name} of {self.sensor!r} must have shape {(n, width)}, not {values.shape}")
        if self.tick is not None and self.tick.shape != (n,):
            raise ValueError(f"tick of {self.sensor!r} must have shape {(n,)}, not {self.tick.shape}")

    def __len__(self) -> int:
        return len(self.received_ns)


@dataclass(frozen=True, slots=True)
class Frames:
    """Consecutive frames. A channel that a sensor does not measure is NaN; an invalid sensor is NaN throughout."""

    index: int  # of the first frame
    time_s: Floats  # (n,)
    values: Floats  # (n, sensors, CHANNELS)
    valid: Bools  # (n, sensors)

    def __post_init__(self) -> None:
        object.__setattr__(self, "time_s", frozen(self.time_s))
        object.__setattr__(self, "values", frozen(self.values))
        object.__setattr__(self, "valid", frozen(self.valid, np.bool_))
        n = len(self.time_s)
        if self.values.ndim != 3 or self.values.shape[0] != n or self.values.shape[2] != CHANNELS:
            raise ValueError(f"values must have shape ({n}, sensors, {CHANNELS}), not {self.values.shape}")
        if self.valid.shape != self.values.shape[:2]:
            raise ValueError(f"valid must have shape {self.values.shape[:2]}, not {self.valid.shape}")

    def __len__(self) -> int:
        return len(self.time_s)

    @property
    def acc(self) -> Floats:
        return self.values[:, :, ACC]

    @property
    def gyr(self) -> Floats:
        return self.values[:, :, GYR]

    @property
    def quat(self) -> Floats:
        return self.values[:, :, QUAT]


@dataclass(frozen=True, slots=True)
class Rows:
    """Feature rows. Where `valid` is False the value is 0: masked, not guessed."""

    index: int
    time_s: Floats  # (n,)
    values: Floats  # (n, columns)
    valid: Bools  # (n, columns)

    def __post_init__(self) -> None:
        object.__setattr__(self, "time_s", frozen(self.time_s))
        object.__setattr__(self, "values", frozen(self.values))
        object.__setattr__(self, "valid", frozen(self.valid, np.bool_))
        if self.values.ndim != 2 or len(self.values) != len(self.time_s) or self.valid.shape != self.values.shape:
            raise ValueError(
                f"values {self.values.shape} and valid {self.valid.shape} do not fit {len(self.time_s)} rows"
            )

    def __len__(self) -> int:
        return len(self.time_s)
