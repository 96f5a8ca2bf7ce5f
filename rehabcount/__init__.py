"""rehabcount counts functional arm movements after stroke, live, from wearable motion sensors.

Research use only; not a medical device. Counts are estimates.

This module imports nothing heavy: every subpackage is loaded where it is used.
"""

import os

# From 1.29 on onnxruntime keeps a device id and a queue of what it saw of this machine, and sends it to its makers. It
# looks at this variable once, when it is loaded; its own switch in Python comes after that. torch loads it as well, so
# that it is said here, before any module of ours, and to every process that we start. No other value is accepted.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

__version__ = "0.1.0"
