"""The sentences of version 0.1.0, which kept them in session files where a code stands today, and those of the cards of
shipped models, whose text is English.

Only reading such files needs this. A sentence is never changed here, because published files hold it. A sentence that
is not listed is kept as text.
"""

from __future__ import annotations

import re

from rehabcount.domain.message import Code, Message
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
    "Research on counting functional arm movements.": Code.CARD_RESEARCH,
    "Not a medical device; counts are estimates.": Code.CARD_NO_DEVICE,
    "Trained and scored on simulated people only.": Code.CARD_SIMULATED,
    "Trained and scored on simulated people only (scores on one activity in five).": Code.CARD_SIMULATED_FEW,
    "Severe arms are counted poorly even there: {n} errors in 100 movements.": Code.CARD_SEVERE,
    "It reads windows and answers later than stream.": Code.CARD_LATER,
    "Two movements of one kind in a row are one to it.": Code.CARD_TWO_ARE_ONE,
    "Between exercises it makes about {n} false counts an hour.": Code.CARD_FALSE_COUNTS,
    "Makes many more false counts between exercises than stream, and counts later.": Code.CARD_MORE_FALSE,
    "simulated cohort": Code.CARD_COHORT,
    "recipe {recipe}": Code.CARD_RECIPE,
    "seed {seed}": Code.CARD_SEED,
    "elbows out": Code.CARD_ELBOWS_OUT,
    "{n} drinking exercises each": Code.CARD_DRINKS,
    "busy between exercises": Code.CARD_BUSY,
}
MOST_CHARACTERS = 300  # of a sentence that 0.1.0 wrote; to match longer text takes the square of its length
_PATTERNS = [
    (re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(sentence)), re.DOTALL), code)
    for sentence, code in SENTENCES.items()
]


def message_of(sentence: str) -> Message:
    """The message of an old file's sentence."""
    for pattern, code in _PATTERNS if len(sentence) <= MOST_CHARACTERS else ():
        if match := pattern.fullmatch(sentence):
            blanks = match.groupdict()
            if "place" in blanks:
                blanks["place"] = blanks["place"].replace(" ", "-")
                if blanks["place"] not in list(Place):
                    continue
            return Message.of(code, **blanks)
    return Message.free(sentence)
