"""rehabcount counts functional arm movements after stroke, live, from wearable motion sensors.

Research use only; not a medical device. Counts are estimates.

This module imports nothing heavy: every subpackage is loaded where it is used.
"""

__version__ = "0.1.0"
