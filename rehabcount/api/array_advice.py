"""What to do better in a calibration, for arrays: the advice of the bedside speaks of straps and of repeating.

In: messages of `signals/calibration.py` and `signals/placement.py`. Out: the same with words about `places`, `side`,
spans and arrays, where a message has such.
"""

from __future__ import annotations

from dataclasses import replace

from rehabcount.domain.calibration import Calibration
from rehabcount.domain.message import IN_ENGLISH, Code, Message

ORDER = "check that `places` names the sensors in the order of the arrays, and `side`."
FOR_ARRAYS = {
    Code.MOVED_IN_POSE: "The {place} sensor moved in the span `still`; choose two seconds or more in which the person "
    "sits still.",
    Code.POSE_TOO_SHORT: "The span `still` is too short, or holds few valid samples: it needs two seconds, three are "
    "better.",
    Code.BEND_FURTHER: "The {place} sensor turned little in the span `elbow`: check that the elbow is bent and "
    "stretched there.",
    Code.BEND_IN_ONE_PLANE: "The {place} sensor turned about several axes in the span `elbow`: check that it holds "
    "nothing but the bending of the elbow.",
    Code.TURN_FURTHER: "The {place} sensor turned little in the span `forearm`: check that the forearm is turned "
    "there.",
    Code.TURN_IN_ONE_PLANE: "The {place} sensor turned about several axes in the span `forearm`: check that it holds "
    "nothing but the turning of the forearm.",
    Code.BEND_WITHOUT_TURNING: "In the span `elbow` the forearm seems to turn as well ({place}): check both spans.",
    Code.PALM_DOWN: "The {place} sensor does not look up in the span `still`: check that the palm faces down there, "
    "and the axes of the arrays.",
    Code.WORN_OTHERWISE: "The {place} sensor is not worn as pictured: check the axes of the arrays, z out of the "
    "sensor's face and y towards the body along the limb.",
    Code.SENT_NOTHING: "{sensor} has no valid sample in the span `still`: check the span, and NaN in acc and gyr.",
    Code.MOVED_WITHOUT: "{sensor} rests while its arm moves: " + ORDER,
    Code.SWAPPED_MOVED: "{one} and {other} seem to be swapped (the latter moved in its place): " + ORDER,
    Code.SWAPPED_TURNED: "{one} and {other} seem to be swapped (the former turned with the forearm): " + ORDER,
    Code.SWAPPED_SHAKEN: "{one} and {other} seem to be swapped (the former moved like a hand): " + ORDER,
    Code.NONE_CALIBRATED: "No sensor has a valid sample in the span `still`.",
    Code.CHECK_ALL_ASSIGNED: "Check the span, in seconds on the time axis of the arrays, and NaN in acc and gyr.",
}


def for_arrays(message: str | Message) -> Message:
    """The same for a person who has arrays."""
    if not isinstance(message, Message):
        return Message.free(message)
    sentence = FOR_ARRAYS.get(message.code)
    return message if sentence is None else Message.free(message.said(sentence, IN_ENGLISH))


def calibration_for_arrays(found: Calibration) -> Calibration:
    """The calibration with advice and remarks for a person who has arrays."""
    mountings = (
        replace(mounting, remarks=tuple(for_arrays(remark) for remark in mounting.remarks))
        for mounting in found.mountings
    )
    return replace(
        found, mountings=tuple(mountings), advice=tuple(dict.fromkeys(for_arrays(each) for each in found.advice))
    )
