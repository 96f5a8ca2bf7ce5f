"""From where on something is said to be wrong: each limit once, for the radio, the window and the terminal alike."""

from __future__ import annotations

# -- one sensor -------------------------------------------------------------------------------------------------------

LOW_BATTERY_PERCENT = 15  # an hour of streaming takes about ten: less may not last for a session
SENSOR_SILENT_S = 1.0  # without a sample: a whole movement fits into it, and no working link pauses for so long
SENSOR_SENDS_S = 1.5  # no packet for so long: it does not send; the radio itself notices after SENSOR_SILENT_S
WEAK_DBM, STRONG_DBM = (
    -80,
    -65,
)  # a body in between: below the first links lose packets, above the second hardly any

# Shares of the samples that the nominal rate promises.
LOSS_READABLE = 0.03  # less is the rounding of a short window, and no figure
LOSS_BEFORE = 0.05  # from here on movements are missed; before a session there is time to mend it
LOSS_DURING = 0.10  # during a session only what is worth an interruption: less is mostly bridged by the alignment

# -- a session --------------------------------------------------------------------------------------------------------

LATE_S = 2.0  # behind the newest packet: the recorder and the recogniser's own delay take less
CATCH_UP_S = 5.0  # counting begins with half a minute of calibration, which a slow machine walks through in three
SESSION_SILENT_S = 1.5  # a session speaks ten times a second: after so long, what is shown is not live
