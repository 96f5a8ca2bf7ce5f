"""rehabcount counts functional arm movements after stroke, live, from wearable motion sensors.

Research use only; not a medical device. Counts are estimates.

    import rehabcount as rc

    session = rc.open_session("monday.rehab")     # signals, events, reference labels
    result = rc.count(session)                    # or rc.count_arrays(acc, gyr, ...) for arrays of any sensor
    rc.evaluate(session.reference("right"), result.events_of("right"))

What `__all__` lists is public and documented in docs/python.md. The modules of `rehabcount.metrics` are documented in
docs/metrics and may be imported, too. Everything else is internal and may change with any release. This module imports
nothing heavy: a name is loaded when it is first used.
"""

import os

# From 1.29 on onnxruntime keeps a device id and a queue of what it saw of this machine, and sends it to its makers. It
# looks at this variable once, when it is loaded; its own switch in Python comes after that. torch loads it as well, so
# that it is said here, before any module of ours, and to every process that we start. No other value is accepted.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rehabcount.api.agreement import BlandAltman, bland_altman, false_per_hour
    from rehabcount.api.counting import Counter, calibrate_arrays, count, count_arrays
    from rehabcount.api.discovery import discover
    from rehabcount.api.evaluation import Evaluation, action_error_rate, edit_score, evaluate, read_labels
    from rehabcount.api.repetitions import RepetitionCount, count_repetitions, teach
    from rehabcount.api.results import Amount, CountedEvent, CountResult
    from rehabcount.api.session import Session, Signals, open_session
    from rehabcount.api.simulation import SimulatedRecording, simulate
    from rehabcount.domain.calibration import Calibration, Verdict
    from rehabcount.domain.dose import Dose
    from rehabcount.domain.rig import Place, Side
    from rehabcount.domain.sequence import Segment
    from rehabcount.domain.steps import ExerciseStep, FoundSteps, RecordedSteps, StepSpan, TriedSize
    from rehabcount.domain.taught import TaughtExercise
    from rehabcount.errors import CalibrationError, InputRefused, RehabcountError

__version__ = "0.2.0"

__all__ = [
    "Amount",
    "BlandAltman",
    "Calibration",
    "CalibrationError",
    "CountResult",
    "CountedEvent",
    "Counter",
    "Dose",
    "Evaluation",
    "ExerciseStep",
    "FoundSteps",
    "InputRefused",
    "Place",
    "RecordedSteps",
    "RehabcountError",
    "RepetitionCount",
    "Segment",
    "Session",
    "Side",
    "Signals",
    "SimulatedRecording",
    "StepSpan",
    "TaughtExercise",
    "TriedSize",
    "Verdict",
    "action_error_rate",
    "bland_altman",
    "calibrate_arrays",
    "count",
    "count_arrays",
    "count_repetitions",
    "discover",
    "edit_score",
    "evaluate",
    "false_per_hour",
    "open_session",
    "read_labels",
    "simulate",
    "teach",
]

_HOMES = {
    "api.agreement": ("BlandAltman", "bland_altman", "false_per_hour"),
    "api.counting": ("Counter", "calibrate_arrays", "count", "count_arrays"),
    "api.discovery": ("discover",),
    "api.evaluation": ("Evaluation", "action_error_rate", "edit_score", "evaluate", "read_labels"),
    "api.repetitions": ("RepetitionCount", "count_repetitions", "teach"),
    "api.results": ("Amount", "CountResult", "CountedEvent"),
    "api.session": ("Session", "Signals", "open_session"),
    "api.simulation": ("SimulatedRecording", "simulate"),
    "domain.calibration": ("Calibration", "Verdict"),
    "domain.dose": ("Dose",),
    "domain.rig": ("Place", "Side"),
    "domain.sequence": ("Segment",),
    "domain.steps": ("FoundSteps", "RecordedSteps", "ExerciseStep", "StepSpan", "TriedSize"),
    "domain.taught": ("TaughtExercise",),
    "errors": ("CalibrationError", "InputRefused", "RehabcountError"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # to a type checker this would say that every name exists

    def __getattr__(name: str) -> object:
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value: object = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Door(ModuleType):
    """This module. `simulate` is a public function and a subpackage as well; the import of a subpackage sets an
    attribute of that name here, which must not take the function's place."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME_OF and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Door
