"""Limits beyond which a problem is reported: each defined once, for radio, window and terminal."""

from __future__ import annotations

# -- one sensor -------------------------------------------------------------------------------------------------------

LOW_BATTERY_PERCENT = 15  # an hour of streaming takes about ten: below this a battery may not last for a session
SENSOR_SILENT_S = 1.0  # without a sample: as long as a whole movement, and longer than any pause of a working link
SENSOR_SENDS_S = 1.5  # without a packet: the sensor does not send; the radio itself reports it after SENSOR_SILENT_S
WEAK_DBM, STRONG_DBM = (
    -80,
    -65,
)  # a body in between: below the first links lose packets, above the second hardly any

# Shares of the samples that the nominal rate gives.
LOSS_READABLE = 0.03  # smaller values may be rounding errors of a short window
LOSS_BEFORE = 0.05  # with more, movements are missed; before a session there is time to improve the link
LOSS_DURING = 0.10  # during a session a therapist is interrupted only above this: the alignment bridges most of less

# -- a session --------------------------------------------------------------------------------------------------------

LATE_S = 2.0  # behind the newest packet: the recorder and the recogniser's own delay take less
CATCH_UP_S = 5.0  # counting begins with half a minute of calibration, which a slow machine walks through in three
SESSION_SILENT_S = 1.5  # a session sends ten updates a second: after this time the screen is not live
