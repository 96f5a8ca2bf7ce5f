"""The simulated patient behind virtual sensors: what the body does becomes the motion that they send.

The patient's recording goes through the product's own chain to oriented frames, and those are what a virtual sensor of
any family is moved by (`sensors/recorded_motion.py`). It begins anew when it is over.
"""

from __future__ import annotations

from collections.abc import Callable

from rehabcount.app.rigging import Choice
from rehabcount.app.simulated import packets_of
from rehabcount.domain.rig import Place
from rehabcount.engine import walk
from rehabcount.sensors.recorded_motion import motion_from
from rehabcount.sensors.virtual import Motion
from rehabcount.signals.frames import joined
from rehabcount.simulate.cohort import make_cohort
from rehabcount.simulate.recording import Recording, simulate_session


def session_of(choice: Choice, minutes: float, seed: int = 0) -> Recording:
    """A session of a simulated patient whose affected arm is the chosen one."""
    patients = [each for each in make_cohort(seed) if each.group == "test" and each.side is choice.side]
    return simulate_session(patients[seed % len(patients)], minutes, seed, rig=choice.kind)


def motions_of(recording: Recording) -> Callable[[Place], Motion]:
    """What `open_radio` asks for: the motion of each place."""
    frames = joined(list(walk.frames(packets_of(recording), recording.rig)), len(recording.rig))
    return lambda place: motion_from(frames, recording.rig.places.index(place))
