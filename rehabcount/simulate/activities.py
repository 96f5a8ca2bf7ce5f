"""The nine activities of StrokeRehab as loose scripts.

Each script tells a Scene what the hands do. Persons differ (habits decide between ways of doing a thing), repetitions
differ (orders, counts, places and pauses are drawn anew), and either arm may be the affected one. What the scripts
contain follows the paper's list of activities; how often each step is done is chosen so that the cohort's statistics
meet the paper's (docs/simulated-patient.md).
"""

from __future__ import annotations

from collections.abc import Callable

from rehabcount.simulate.grooming import brushing, combing, deodorant, face_wash, glasses
from rehabcount.simulate.scene import Scene
from rehabcount.simulate.tabletop import drinking, drinks, feeding, shelf, table_targets

ACTIVITIES: dict[str, Callable[[Scene], None]] = {
    "face wash": face_wash,
    "deodorant": deodorant,
    "combing": combing,
    "glasses": glasses,
    "feeding": feeding,
    "drinking": drinking,
    "brushing": brushing,
    "table targets": table_targets,
    "shelf": shelf,
}
ONE_HANDED = ("table targets", "shelf")
# Exercises that StrokeRehab does not have: for training sets, on top of the nine.
EXERCISES: dict[str, Callable[[Scene], None]] = {"drinks": drinks}
