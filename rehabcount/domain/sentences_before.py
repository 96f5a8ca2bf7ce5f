"""The sentences of version 0.1.0, which kept them in session files where a code stands today.

Only reading old files needs this; nothing is ever added. A sentence that is not here stays as it is.
"""

from __future__ import annotations

import re

from rehabcount.domain.message import PLACE, Code, Message
from rehabcount.domain.rig import Place

SENTENCES: dict[str, Code] = {
    "does not feel gravity as it should": Code.GRAVITY_NOT_FELT,
    "says that the trunk is tilted": Code.TRUNK_TILTED,
    "late": Code.LATE,
    "saturated": Code.SATURATED,
    "sensor that is not in the rig": Code.NOT_IN_RIG,
    "packet cut short": Code.PACKET_CUT_SHORT,
    "unknown version": Code.PACKET_VERSION,
    "packet of wrong length": Code.PACKET_LENGTH,
    "samples without time between them": Code.NO_TIME_BETWEEN,
    "clock that runs backwards": Code.CLOCK_BACKWARDS,
    "value that is not a number": Code.NOT_A_NUMBER,
    "orientation that is no rotation": Code.NO_ROTATION,
    "frame cut short": Code.FRAME_CUT_SHORT,
    "bytes between frames": Code.BETWEEN_FRAMES,
    "date that does not exist": Code.NO_SUCH_DATE,
    "The {place} moved in the still pose; hold it still for 3 seconds and repeat.": Code.MOVED_IN_POSE,
    "The still pose was too short; hold it for 3 seconds.": Code.POSE_TOO_SHORT,
    "Bend the elbow further (the {place} sensor saw too little).": Code.BEND_FURTHER,
    "Bend the elbow slowly and in one plane ({place} sensor).": Code.BEND_IN_ONE_PLANE,
    "Turn the forearm further (the {place} sensor saw too little).": Code.TURN_FURTHER,
    "Turn the forearm slowly and in one plane ({place} sensor).": Code.TURN_IN_ONE_PLANE,
    "Do not turn the forearm while bending the elbow ({place}).": Code.BEND_WITHOUT_TURNING,
    "Begin with the palm facing down ({place}).": Code.PALM_DOWN,
    "The {place} sensor is not worn as pictured.": Code.WORN_OTHERWISE,
    "{sensor} sent nothing in the still pose; check that it is on, then repeat.": Code.SENT_NOTHING,
    "{sensor} measures no acceleration, so it cannot tell which way is up.": Code.NO_ACCELERATION,
    "{sensor} did not move with its arm; check that it is strapped there.": Code.MOVED_WITHOUT,
    "{one} and {other} seem to be swapped (the latter moved in its place); exchange them, then repeat.": (
        Code.SWAPPED_MOVED
    ),
    "{one} and {other} seem to be swapped (the former turned with the forearm); exchange them, then repeat.": (
        Code.SWAPPED_TURNED
    ),
    "{one} and {other} seem to be swapped (the former moved like a hand); exchange them, then repeat.": (
        Code.SWAPPED_SHAKEN
    ),
    "No sensor sent anything.": Code.NONE_SENT,
    "Check that the sensors are on.": Code.CHECK_ALL_ON,
    "No sensor could be calibrated: none that has a place sent anything in the still pose.": Code.NONE_CALIBRATED,
    "Check that the sensors are on and assigned, then repeat the still pose.": Code.CHECK_ALL_ASSIGNED,
}
_PATTERNS = [
    (re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(sentence)), re.DOTALL), code)
    for sentence, code in SENTENCES.items()
]


def message_of(sentence: str) -> Message:
    """What an old file's sentence says."""
    for pattern, code in _PATTERNS:
        if match := pattern.fullmatch(sentence):
            blanks = match.groupdict()
            if PLACE in blanks:
                blanks[PLACE] = blanks[PLACE].replace(" ", "-")
                if blanks[PLACE] not in list(Place):
                    continue
            return Message.of(code, **blanks)
    return Message.free(sentence)
