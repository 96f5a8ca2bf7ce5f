"""What can be said to a person, by code: a `Message` is a code and what stands in the blanks of its sentence.

Doubts, discards, advice and errors are messages. `ENGLISH` has the sentence of each code; terminal, logs and Python
programs read it (`str(message)`). The window has a German one beside each, under the code
(`gui/languages/de/messages.ts`). Session files keep the code and the blanks, never a sentence.

Blanks called `place` hold a `Place`, those called `sensor`, `one` and `other` the name of a sensor; a window calls both
as it does everywhere. A code is never renamed, for files hold it; the words of its sentence may change.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

Value = str | int
PLACE, SENSORS = "place", ("sensor", "one", "other")  # blanks that hold places and sensors


class Code(StrEnum):
    """Each thing that can be said. The part before the dot is what it is."""

    TEXT = "text"  # words that have no code: of old files, or of other programs

    # What is odd about a sensor.
    GRAVITY_NOT_FELT = "doubt.gravity-not-felt"
    TRUNK_TILTED = "doubt.trunk-tilted"

    # Why input could not be used.
    LATE = "discard.late"
    SATURATED = "discard.saturated"
    NOT_IN_RIG = "discard.not-in-rig"
    PACKET_CUT_SHORT = "discard.packet-cut-short"
    PACKET_VERSION = "discard.packet-version"
    PACKET_LENGTH = "discard.packet-length"
    NO_TIME_BETWEEN = "discard.no-time-between"
    CLOCK_BACKWARDS = "discard.clock-backwards"
    NOT_A_NUMBER = "discard.not-a-number"
    NO_ROTATION = "discard.no-rotation"
    FRAME_CUT_SHORT = "discard.frame-cut-short"
    BETWEEN_FRAMES = "discard.between-frames"
    NO_SUCH_DATE = "discard.no-such-date"

    # What to do better in a calibration.
    MOVED_IN_POSE = "calibration.moved-in-pose"
    POSE_TOO_SHORT = "calibration.pose-too-short"
    BEND_FURTHER = "calibration.bend-further"
    BEND_IN_ONE_PLANE = "calibration.bend-in-one-plane"
    TURN_FURTHER = "calibration.turn-further"
    TURN_IN_ONE_PLANE = "calibration.turn-in-one-plane"
    BEND_WITHOUT_TURNING = "calibration.bend-without-turning"
    PALM_DOWN = "calibration.palm-down"
    WORN_OTHERWISE = "calibration.worn-otherwise"
    SENT_NOTHING = "calibration.sent-nothing"
    NO_ACCELERATION = "calibration.no-acceleration"
    MOVED_WITHOUT = "calibration.moved-without"
    SWAPPED_MOVED = "calibration.swapped-moved"
    SWAPPED_TURNED = "calibration.swapped-turned"
    SWAPPED_SHAKEN = "calibration.swapped-shaken"
    NONE_SENT = "calibration.none-sent"
    CHECK_ALL_ON = "calibration.check-all-on"
    NONE_CALIBRATED = "calibration.none-calibrated"
    CHECK_ALL_ASSIGNED = "calibration.check-all-assigned"

    # What to do about a link.
    LINK_SILENT = "link.silent"
    LINK_CHARGE = "link.charge"
    LINK_WEAK = "link.weak"
    LINK_CROWDED = "link.crowded"

    # What an error of each class says where it was raised with English words alone.
    FAILED = "error.failed"
    CONFIG_ERROR = "error.config"
    SENSOR_ERROR = "error.sensor"
    BLUETOOTH_OFF = "error.bluetooth-off"
    BLUETOOTH_MISSING = "error.bluetooth-missing"
    BLUETOOTH_DENIED = "error.bluetooth-denied"
    SENSOR_NOT_FOUND = "error.sensor-not-found"
    SENSOR_LOST = "error.sensor-lost"
    SENSOR_REFUSED = "error.sensor-refused"
    PACKET_MALFORMED = "error.packet-malformed"
    ARTIFACT_ERROR = "error.artifact"
    ARTIFACT_MISSING = "error.artifact-missing"
    CHECKSUM_MISMATCH = "error.checksum-mismatch"
    CARD_INVALID = "error.card-invalid"
    MODEL_MISMATCH = "error.model-mismatch"
    INFERENCE_ERROR = "error.inference"
    STORE_ERROR = "error.store"
    SESSION_MISSING = "error.session-missing"
    SESSION_FOREIGN = "error.session-foreign"
    SESSION_NEWER = "error.session-newer"
    SESSION_CORRUPT = "error.session-corrupt"
    SESSION_BUSY = "error.session-busy"
    STORE_UNWRITABLE = "error.store-unwritable"
    STORE_FULL = "error.store-full"
    LIBRARY_DAMAGED = "error.library-damaged"
    BACKUP_REFUSED = "error.backup-refused"
    PATIENT_MISSING = "error.patient-missing"
    PATIENT_EXISTS = "error.patient-exists"
    SESSION_SIMULATED = "error.session-simulated"
    CONFIRMATION_WRONG = "error.confirmation-wrong"
    IMPORT_REFUSED = "error.import-refused"
    SESSION_UNSAID = "error.session-unsaid"
    INPUT_REFUSED = "error.input-refused"
    CALIBRATION_ERROR = "error.calibration"
    DATASET_ERROR = "error.dataset"
    DATASET_MISSING = "error.dataset-missing"
    DATASET_CHANGED = "error.dataset-changed"
    MISSING_EXTRA = "error.missing-extra"


ENGLISH: dict[Code, str] = {
    Code.TEXT: "{text}",
    Code.GRAVITY_NOT_FELT: "does not feel gravity as it should",
    Code.TRUNK_TILTED: "says that the trunk is tilted",
    Code.LATE: "late",
    Code.SATURATED: "saturated",
    Code.NOT_IN_RIG: "sensor that is not in the rig",
    Code.PACKET_CUT_SHORT: "packet cut short",
    Code.PACKET_VERSION: "unknown version",
    Code.PACKET_LENGTH: "packet of wrong length",
    Code.NO_TIME_BETWEEN: "samples without time between them",
    Code.CLOCK_BACKWARDS: "clock that runs backwards",
    Code.NOT_A_NUMBER: "value that is not a number",
    Code.NO_ROTATION: "orientation that is no rotation",
    Code.FRAME_CUT_SHORT: "frame cut short",
    Code.BETWEEN_FRAMES: "bytes between frames",
    Code.NO_SUCH_DATE: "date that does not exist",
    Code.MOVED_IN_POSE: "The {place} moved in the still pose; hold it still for 3 seconds and repeat.",
    Code.POSE_TOO_SHORT: "The still pose was too short; hold it for 3 seconds.",
    Code.BEND_FURTHER: "Bend the elbow further (the {place} sensor saw too little).",
    Code.BEND_IN_ONE_PLANE: "Bend the elbow slowly and in one plane ({place} sensor).",
    Code.TURN_FURTHER: "Turn the forearm further (the {place} sensor saw too little).",
    Code.TURN_IN_ONE_PLANE: "Turn the forearm slowly and in one plane ({place} sensor).",
    Code.BEND_WITHOUT_TURNING: "Do not turn the forearm while bending the elbow ({place}).",
    Code.PALM_DOWN: "Begin with the palm facing down ({place}).",
    Code.WORN_OTHERWISE: "The {place} sensor is not worn as pictured.",
    Code.SENT_NOTHING: "{sensor} sent nothing in the still pose; check that it is on, then repeat.",
    Code.NO_ACCELERATION: "{sensor} measures no acceleration, so it cannot tell which way is up.",
    Code.MOVED_WITHOUT: "{sensor} did not move with its arm; check that it is strapped there.",
    Code.SWAPPED_MOVED: "{one} and {other} seem to be swapped (the latter moved in its place); exchange them, then "
    "repeat.",
    Code.SWAPPED_TURNED: "{one} and {other} seem to be swapped (the former turned with the forearm); exchange them, "
    "then repeat.",
    Code.SWAPPED_SHAKEN: "{one} and {other} seem to be swapped (the former moved like a hand); exchange them, then "
    "repeat.",
    Code.NONE_SENT: "No sensor sent anything.",
    Code.CHECK_ALL_ON: "Check that the sensors are on.",
    Code.NONE_CALIBRATED: "No sensor could be calibrated: none that has a place sent anything in the still pose.",
    Code.CHECK_ALL_ASSIGNED: "Check that the sensors are on and assigned, then repeat the still pose.",
    Code.LINK_SILENT: "It sends nothing: switch it off and on.",
    Code.LINK_CHARGE: "Charge it before the session ({n} %).",
    Code.LINK_WEAK: "Its signal is weak: bring patient and computer closer together, with no body in between.",
    Code.LINK_CROWDED: "Use fewer sensors on this adapter, plug in a second one, or move away from Wi-Fi and USB 3 "
    "devices.",
    Code.FAILED: "Something went wrong.",
    Code.CONFIG_ERROR: "A setting cannot be used. Correct it in the file of settings.",
    Code.SENSOR_ERROR: "A sensor does not do as it should. Switch it off and on.",
    Code.BLUETOOTH_OFF: "Bluetooth is switched off. Turn it on in the system's settings.",
    Code.BLUETOOTH_MISSING: "No Bluetooth is found. Plug in an adapter.",
    Code.BLUETOOTH_DENIED: "This program may not use Bluetooth. Allow it in the system's settings.",
    Code.SENSOR_NOT_FOUND: "A sensor is not to be seen. Switch it on and bring it closer.",
    Code.SENSOR_LOST: "A sensor does not answer. Move closer, or switch it off and on.",
    Code.SENSOR_REFUSED: "A sensor of an unknown model, or one that does not do as told. Update its firmware.",
    Code.PACKET_MALFORMED: "A sensor sent something that cannot be read. Update its firmware.",
    Code.ARTIFACT_ERROR: "The model cannot be used. Choose another under Settings.",
    Code.ARTIFACT_MISSING: "The model is not there, or not all of it. Choose one under Settings.",
    Code.CHECKSUM_MISMATCH: "The model was changed after it was packed. Choose another under Settings.",
    Code.CARD_INVALID: "The model's card cannot be read. Choose another model under Settings.",
    Code.MODEL_MISMATCH: "The model does not fit. Choose another under Settings.",
    Code.INFERENCE_ERROR: "The model failed. Choose another under Settings.",
    Code.STORE_ERROR: "The file cannot be read or written.",
    Code.SESSION_MISSING: "The file is gone. Put it back, or plug its disk in again.",
    Code.SESSION_FOREIGN: "This is not a session file.",
    Code.SESSION_NEWER: "This was written by a newer rehabcount. Update, then open it again.",
    Code.SESSION_CORRUPT: "The session file is damaged. What can be read is saved by: rehabcount recover",
    Code.SESSION_BUSY: "Another window has this open. Close it there, or try again in a moment.",
    Code.STORE_UNWRITABLE: "Nothing can be written there. Check the disk and your rights to the folder.",
    Code.STORE_FULL: "The disk is full. Make room; what was recorded is safe.",
    Code.LIBRARY_DAMAGED: "The list of patients is damaged. Restore a backup; the session files are whole.",
    Code.BACKUP_REFUSED: "This is not a whole backup. Choose another file.",
    Code.PATIENT_MISSING: "There is no such patient any more.",
    Code.PATIENT_EXISTS: "This code is taken. Choose another.",
    Code.SESSION_SIMULATED: "A simulated session stays the demo patient's: no patient made its movements.",
    Code.CONFIRMATION_WRONG: "That is not the patient's code. Nothing was deleted.",
    Code.IMPORT_REFUSED: "The file cannot be read.",
    Code.SESSION_UNSAID: "The file does not say for which session it was made.",
    Code.INPUT_REFUSED: "What was handed in cannot be used.",
    Code.CALIBRATION_ERROR: "The movements do not tell how the sensors sit. Repeat them.",
    Code.DATASET_ERROR: "The data cannot be used.",
    Code.DATASET_MISSING: "The data are not there.",
    Code.DATASET_CHANGED: "The data are not what they were.",
    Code.MISSING_EXTRA: "A library is not installed.",
}


def blanks_of(sentence: str) -> frozenset[str]:
    """The names of the blanks of a sentence."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(sentence) if name)


BLANKS = {code: blanks_of(sentence) for code, sentence in ENGLISH.items()}


@dataclass(frozen=True, slots=True)
class Message:
    """A code, and what stands in each blank of its sentence. A ValueError if the blanks are not the code's."""

    code: Code
    blanks: tuple[tuple[str, Value], ...] = ()

    def __post_init__(self) -> None:
        if len(self.blanks) != len(BLANKS[self.code]) or {name for name, _ in self.blanks} != BLANKS[self.code]:
            wanted, given = sorted(BLANKS[self.code]), sorted(name for name, _ in self.blanks)
            raise ValueError(f"{self.code} has the blanks {wanted}, not {given}")

    @classmethod
    def of(cls, code: Code, **blanks: Value) -> Message:
        return cls(code, tuple(blanks.items()))

    @classmethod
    def free(cls, text: str) -> Message:
        """Words that have no code."""
        return cls(Code.TEXT, (("text", text),))

    def __str__(self) -> str:
        return self.in_english()

    def in_english(self, *, sensor: Callable[[str], str] = str) -> str:
        return self.said(ENGLISH[self.code], place=lambda name: name.replace("-", " "), sensor=sensor)

    def said(self, sentence: str, *, place: Callable[[str], str], sensor: Callable[[str], str]) -> str:
        """`sentence` with its blanks filled; places and sensors as those functions call them."""
        called = {PLACE: place} | dict.fromkeys(SENSORS, sensor)
        return sentence.format(
            **{name: called[name](str(value)) if name in called else value for name, value in self.blanks}
        )
