"""The simulated patient of virtual sensors: the motion of the body becomes the data that they send.

The patient's recording goes through the product's own signal chain to oriented frames. These are the motion of a
virtual sensor of any family (`sensors/recorded_motion.py`); `bedside/performance.py` repeats it without end.
"""

from __future__ import annotations

from collections.abc import Callable

from rehabcount.bedside.rigging import Choice
from rehabcount.domain.calibration import Calibration
from rehabcount.domain.rig import Place
from rehabcount.engine import walk
from rehabcount.sensors.recorded_motion import motion_from
from rehabcount.sensors.simulated import calibration_steps, packets_of
from rehabcount.sensors.virtual import PlaceMotion
from rehabcount.signals.calibration import ArmMovements, TimeSpan, calibrate
from rehabcount.simulate.cohort import make_cohort
from rehabcount.simulate.recording import Recording, simulate_session


def session_of(choice: Choice, minutes: float, seed: int = 0) -> Recording:
    """A session of a simulated patient whose affected arm is the chosen one."""
    patients = [each for each in make_cohort(seed) if each.group == "test" and each.side is choice.side]
    return simulate_session(patients[seed % len(patients)], minutes, seed, rig=choice.kind)


def worn_by(recording: Recording) -> tuple[Callable[[Place], PlaceMotion], Calibration]:
    """The motion of each place, for `open_radio`; and the calibration, from the beginning of the recording."""
    frames = walk.frames_all(packets_of(recording), recording.rig)
    still, bending, turning = (TimeSpan(step.start_s, step.end_s) for step in calibration_steps(recording))
    calibration = calibrate(frames, recording.rig, still, {recording.side: ArmMovements(bending, turning)})
    return lambda place: motion_from(frames, recording.rig.places.index(place)), calibration
