"""Messages to people, by code: a `Message` is a code and the values of the blanks in its sentence.

Doubts, discards, advice and errors are messages. `ENGLISH` has the sentence of each code for terminal, logs and Python
programs (`str(message)`). `gui/languages/de/messages.ts` has the German sentence of each code for the window. Session
files keep code and values, never a sentence.

The window translates the values of some blanks: `place` a `Place` and `places` several, `sensor`, `one` and `other` the
name of a sensor, `whose` a patient's code, `arm` a `Side`, `parts` and `worn` body parts; several are separated by
commas. A code is never renamed, because files hold it; its sentence may change.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

Value = str | int
Called = Mapping[str, Callable[[str], str]]  # translations of values, by the blank's name


class Code(StrEnum):
    """The code of each message. The part before the dot is its kind."""

    TEXT = "text"  # text without a code, of old files or other programs

    # Doubts about a sensor.
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

    # Advice about a calibration.
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

    # Advice about a link.
    LINK_SILENT = "link.silent"
    LINK_CHARGE = "link.charge"
    LINK_WEAK = "link.weak"
    LINK_CROWDED = "link.crowded"

    # Sentences of error classes, for errors that were raised with English text only.
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

    # Problems of a file, a folder or a disk.
    FILE_MISSING = "file.missing"
    FILE_GONE = "file.gone"
    NOT_A_FILE = "file.not-a-file"
    FILE_EMPTY = "file.empty"
    FILE_OTHER_DATABASE = "file.other-database"
    FILE_NO_SESSION = "file.no-session"
    FILE_CUT_OFF = "file.cut-off"
    FILE_UNREADABLE = "file.unreadable"
    FILE_READ_FAILED = "file.read-failed"
    FILE_WRITE_FAILED = "file.write-failed"
    FILE_UNWRITABLE = "file.unwritable"
    FILE_SCHEMA_NEWER = "file.schema-newer"
    FILE_NEWER = "file.newer"
    FILE_DAMAGED = "file.damaged"
    FILE_DAMAGED_HOW = "file.damaged-how"
    FILE_WITHOUT_TABLES = "file.without-tables"
    FILE_WITHOUT_SOME = "file.without-some"
    FILE_ALTERED = "file.altered"
    FILE_TOO_MANY_TABLES = "file.too-many-tables"
    FILE_ILLEGIBLE = "file.illegible"
    FILE_LOCKED = "file.locked"
    FILE_IN_USE = "file.in-use"
    FILE_INTERRUPTED = "file.interrupted"
    FILE_CLOSED = "file.closed"
    FILE_EXISTS = "file.exists"
    FILE_LEFT = "file.left"
    FILE_RECORDING = "file.recording"
    FILE_RECORDING_ELSEWHERE = "file.recording-elsewhere"
    FILE_WRITE_STOPPED = "file.write-stopped"
    DISK_FULL_GROW = "disk.full-grow"
    DISK_FULL_MAKE = "disk.full-make"
    DISK_LITTLE_ROOM = "disk.little-room"
    FOLDER_CLOSED = "disk.folder-closed"
    NOT_ON_DISK = "disk.not-on-disk"
    NOTHING_TO_SALVAGE = "file.nothing-to-salvage"
    CORRECTED_MEANWHILE = "file.corrected-meanwhile"
    NEVER_CALIBRATED = "file.never-calibrated"
    NO_MOTION = "file.no-motion"

    # The list of patients and backups.
    NO_PATIENT = "library.no-patient"
    PATIENT_TAKEN = "library.patient-taken"
    NOT_THE_CODE = "library.not-the-code"
    NOT_LISTED = "library.not-listed"
    IS_SIMULATED = "library.is-simulated"
    NO_LIBRARY = "library.no-library"
    BACKUP_IN_LIBRARY = "backup.in-library"
    BACKUP_UNFAITHFUL = "backup.unfaithful"
    BACKUP_NEWER = "backup.newer"
    BACKUP_NOT_WHOLE = "backup.not-whole"
    BACKUP_PART_DAMAGED = "backup.part-damaged"
    BACKUP_LIST_DAMAGED = "backup.list-damaged"
    BACKUP_TOO_LARGE = "backup.too-large"
    BACKUP_TWICE = "backup.twice"
    BACKUP_OVERLAPS = "backup.overlaps"
    BACKUP_STRANGE_NAME = "backup.strange-name"
    BACKUP_STRANGE_PACKING = "backup.strange-packing"
    BACKUP_SWELLS = "backup.swells"
    BACKUP_LONG_LIST = "backup.long-list"
    BACKUP_HOLDS_MORE = "backup.holds-more"

    # Settings, models, sensors, the session.
    SETTINGS_NOT_KEPT = "settings.not-kept"
    NO_MODEL = "model.none"
    NO_CHOSEN_MODEL = "model.no-chosen"
    NO_SENSOR_CONNECTED = "sensor.none-connected"
    NO_BLINK = "sensor.no-blink"
    RADIO_FAILED = "radio.failed"
    RADIO_OFF = "radio.off"
    RADIO_DENIED = "radio.denied"
    RADIO_TOO_OLD = "radio.too-old"
    RADIO_NO_ADAPTER = "radio.no-adapter"
    RADIO_NO_SUCH_ADAPTER = "radio.no-such-adapter"
    RADIO_NO_SERVICE = "radio.no-service"
    RADIO_SERVICE_UNREACHED = "radio.service-unreached"
    RADIO_NO_ANSWER = "radio.no-answer"
    RADIO_FAILED_HOW = "radio.failed-how"
    SENSOR_UNSEEN = "sensor.unseen"
    SENSOR_LINK_FAILED = "sensor.link-failed"
    SENSOR_LINK_LOST = "sensor.link-lost"
    SENSOR_SENDS_NOTHING = "sensor.sends-nothing"
    SENSOR_NO_SLOT = "sensor.no-slot"
    SENSOR_OTHERWISE = "sensor.otherwise"
    SENSOR_NO_SETTING = "sensor.no-setting"
    SENSOR_NO_ANSWER = "sensor.no-answer"
    SENSOR_UNKNOWN_MODEL = "sensor.unknown-model"
    SESSION_STOPPED = "session.stopped"
    COUNTING_STOPPED = "session.counting-stopped"
    UNEXPECTED = "session.unexpected"
    NO_FONT = "window.no-font"

    # Labels that come back from ELAN.
    LABELS_OF_ANOTHER = "labels.of-another"
    LABELS_OF_OTHER_COUNTING = "labels.of-other-counting"
    LABELS_OUTSIDE = "labels.outside"
    LABELS_BACKWARDS = "labels.backwards"
    LABELS_UNKNOWN = "labels.unknown"
    LABELS_NOT_ELAN = "labels.not-elan"
    LABELS_NOT_XML = "labels.not-xml"
    LABELS_UNREADABLE = "labels.unreadable"

    # What can be done about it.
    DO_CHECK_NAME = "do.check-name"
    DO_PUT_BACK = "do.put-back"
    DO_PUT_DATA_BACK = "do.put-data-back"
    DO_NAME_SESSION = "do.name-session"
    DO_DELETE_EMPTY = "do.delete-empty"
    DO_IMPORT = "do.import"
    DO_ASK_OWNER = "do.ask-owner"
    DO_CHECK_DISK_READ = "do.check-disk-read"
    DO_CHECK_DISK_WRITE = "do.check-disk-write"
    DO_CHECK_DISK = "do.check-disk"
    DO_WRITABLE_FOLDER = "do.writable-folder"
    DO_OTHER_FOLDER = "do.other-folder"
    DO_COPY_BOTH = "do.copy-both"
    DO_MAKE_ROOM = "do.make-room"
    DO_MAKE_ROOM_SAFE = "do.make-room-safe"
    DO_MAKE_ROOM_HOUR = "do.make-room-hour"
    DO_UPDATE = "do.update"
    DO_UPDATE_FIRST = "do.update-first"
    DO_UPDATE_REOPEN = "do.update-reopen"
    DO_CLOSE_OTHERS = "do.close-others"
    DO_CLOSE_OTHER_WINDOW = "do.close-other-window"
    DO_WAIT = "do.wait"
    DO_END_SESSION = "do.end-session"
    DO_END_RECORDING = "do.end-recording"
    DO_NEW_SESSION = "do.new-session"
    DO_OTHER_NAME = "do.other-name"
    DO_OTHER_NAME_KEPT = "do.other-name-kept"
    DO_LOOK_FOR_BACKUP = "do.look-for-backup"
    DO_LOOK_AGAIN = "do.look-again"
    DO_SAY_POSE = "do.say-pose"
    DO_LOOK_AT_LIST = "do.look-at-list"
    DO_OTHER_CODE = "do.other-code"
    DO_TYPE_CODE = "do.type-code"
    DO_CHOOSE_LISTED = "do.choose-listed"
    DO_LEAVE_SIMULATED = "do.leave-simulated"
    DO_BACKUP_ELSEWHERE = "do.backup-elsewhere"
    DO_CHOOSE_BACKUP = "do.choose-backup"
    DO_OTHER_BACKUP = "do.other-backup"
    DO_HOLD_UNTIL_CLOSED = "do.hold-until-closed"
    DO_CHOOSE_MODEL = "do.choose-model"
    DO_SWITCH_ALL_ON = "do.switch-all-on"
    DO_MOVE_INSTEAD = "do.move-instead"
    DO_GO_BACK = "do.go-back"
    DO_SENSOR_NEARER = "do.sensor-nearer"
    DO_RECONNECTS = "do.reconnects"
    DO_OFF_AND_ON = "do.off-and-on"
    DO_OFF_AND_ON_RETRY = "do.off-and-on-retry"
    DO_WAKE = "do.wake"
    DO_SECOND_ADAPTER = "do.second-adapter"
    DO_UPDATE_WITH_APP = "do.update-with-app"
    DO_SEE_MODELS = "do.see-models"
    DO_RESTART_BLUETOOTH = "do.restart-bluetooth"
    DO_KEPT = "do.kept"
    DO_COUNT_LATER = "do.count-later"
    DO_INSTALL_FONT = "do.install-font"
    DO_NAME_EXPORTED = "do.name-exported"
    DO_NAME_COUNTING = "do.name-counting"
    DO_CORRECT_IN_ELAN = "do.correct-in-elan"
    DO_KNOWN_LABELS = "do.known-labels"
    DO_NAME_ELAN = "do.name-elan"
    DO_NAME = "do.name"
    DO_RECOVER = "do.recover"
    DO_RESTORE = "do.restore"
    DO_EXPORT_AGAIN = "do.export-again"
    DO_LOOK_INSIDE = "do.look-inside"
    DO_MODEL_BACK = "do.model-back"
    DO_MAKE_MODEL = "do.make-model"
    DO_BLUETOOTH_ON_LINUX = "do.bluetooth-on-linux"
    DO_BLUETOOTH_FIND_LINUX = "do.bluetooth-find-linux"
    DO_BLUETOOTH_ALLOW_LINUX = "do.bluetooth-allow-linux"
    DO_BLUETOOTH_ON_WINDOWS = "do.bluetooth-on-windows"
    DO_BLUETOOTH_FIND_WINDOWS = "do.bluetooth-find-windows"
    DO_BLUETOOTH_ALLOW_WINDOWS = "do.bluetooth-allow-windows"
    DO_BLUETOOTH_ON_MAC = "do.bluetooth-on-mac"
    DO_BLUETOOTH_FIND_MAC = "do.bluetooth-find-mac"
    DO_BLUETOOTH_ALLOW_MAC = "do.bluetooth-allow-mac"

    # Models.
    MODEL_UNREADABLE = "model.unreadable"
    MODEL_CARD_UNREADABLE = "model.card-unreadable"
    MODEL_NOT_THERE = "model.not-there"
    MODEL_LACKS = "model.lacks"
    MODEL_TOO_LARGE = "model.too-large"
    MODEL_CHANGED = "model.changed"
    MODEL_STRANGE_SUM = "model.strange-sum"
    MODEL_CANNOT_COUNT = "model.cannot-count"
    MODEL_NOT_GOLDEN = "model.not-golden"
    MODEL_OTHER_OUTPUT = "model.other-output"
    MODEL_UNKNOWN = "model.unknown"
    MODEL_NO_CARD = "model.no-card"
    MODEL_CARD_INVALID = "model.card-invalid"
    MODEL_OTHER_COLUMNS = "model.other-columns"
    MODEL_OTHER_RATE = "model.other-rate"
    MODEL_NEEDS_SENSOR = "model.needs-sensor"
    MODEL_NO_SENSOR_ON_ARM = "model.no-sensor-on-arm"
    MODEL_WHOLE_TRIALS = "model.whole-trials"
    MODEL_NO_NETWORK = "model.no-network"
    MODEL_MIXED = "model.mixed"
    MODEL_OTHER_SHAPES = "model.other-shapes"
    MODEL_FAILED = "model.failed"
    MODEL_UNSOUND = "model.unsound"
    MODEL_SKIPS_FRAMES = "model.skips-frames"
    DO_GET_MODEL = "do.get-model"
    DO_GET_MODEL_AGAIN = "do.get-model-again"
    DO_GET_MODEL_MIXED = "do.get-model-mixed"
    DO_GET_MODEL_UNEDITED = "do.get-model-unedited"
    DO_GET_MODEL_OR_REPORT = "do.get-model-or-report"
    DO_SEE_INSTALLED = "do.see-installed"
    DO_INSTALLED = "do.installed"
    DO_NONE_INSTALLED = "do.none-installed"
    DO_OTHER_MODEL = "do.other-model"
    DO_BEDSIDE_MODEL = "do.bedside-model"
    DO_MODEL_FOR_RIG = "do.model-for-rig"
    DO_RECIPE = "do.recipe"
    DO_WORN_ARM = "do.worn-arm"
    DO_REPORT = "do.report"

    # What a card says of its model.
    CARD_RESEARCH = "card.research"
    CARD_NO_DEVICE = "card.no-device"
    CARD_SIMULATED = "card.simulated"
    CARD_SIMULATED_FEW = "card.simulated-few"
    CARD_SEVERE = "card.severe"
    CARD_LATER = "card.later"
    CARD_TWO_ARE_ONE = "card.two-are-one"
    CARD_FALSE_COUNTS = "card.false-counts"
    CARD_MORE_FALSE = "card.more-false"
    CARD_COHORT = "card.cohort"
    CARD_RECIPE = "card.recipe"
    CARD_SEED = "card.seed"
    CARD_ELBOWS_OUT = "card.elbows-out"
    CARD_DRINKS = "card.drinks"
    CARD_BUSY = "card.busy"

    # Settings, the memory of places, synchronisation.
    SETTINGS_NO_TOML = "settings.no-toml"
    SETTINGS_WRONG = "settings.wrong"
    SETTINGS_UNKNOWN = "settings.unknown"
    DO_CORRECT_LINE = "do.correct-line"
    DO_REMOVE_SETTINGS = "do.remove-settings"
    DO_CORRECT_VALUE = "do.correct-value"
    DO_MEAN = "do.mean"
    DO_ASSIGN_ANEW = "do.assign-anew"
    SENSOR_NO_SYNC = "sensor.no-sync"
    DO_UPDATE_FIRMWARE = "do.update-firmware"
    SENSORS_MISSING = "sensor.missing"
    DO_IDENTIFY = "do.identify"
    FILE_RECORDING_COUNTED = "file.recording-counted"
    DO_COUNT_WHEN_ENDED = "do.count-when-ended"
    LABELS_WRONG = "labels.wrong"
    LABELS_NO_TIME = "labels.no-time"
    DO_GIVE_TIMES = "do.give-times"


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
    Code.SENSOR_ERROR: "A sensor does not work as expected. Switch it off and on.",
    Code.BLUETOOTH_OFF: "Bluetooth is switched off. Turn it on in the system's settings.",
    Code.BLUETOOTH_MISSING: "No Bluetooth is found. Plug in an adapter.",
    Code.BLUETOOTH_DENIED: "This program may not use Bluetooth. Allow it in the system's settings.",
    Code.SENSOR_NOT_FOUND: "A sensor was not found. Switch it on and bring it closer.",
    Code.SENSOR_LOST: "A sensor does not answer. Move closer, or switch it off and on.",
    Code.SENSOR_REFUSED: "The sensor's model is unknown, or it refuses a command. Update its firmware.",
    Code.PACKET_MALFORMED: "A sensor sent something that cannot be read. Update its firmware.",
    Code.ARTIFACT_ERROR: "The model cannot be used. Choose another under Settings.",
    Code.ARTIFACT_MISSING: "The model is missing or incomplete. Choose one under Settings.",
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
    Code.INPUT_REFUSED: "The input cannot be used.",
    Code.CALIBRATION_ERROR: "The movements do not show how the sensors sit. Repeat them.",
    Code.DATASET_ERROR: "The data cannot be used.",
    Code.DATASET_MISSING: "The data are missing.",
    Code.DATASET_CHANGED: "The data have changed.",
    Code.MISSING_EXTRA: "A library is not installed.",
    Code.FILE_MISSING: "There is no file {file}.",
    Code.FILE_GONE: "{file} is gone.",
    Code.NOT_A_FILE: "{file} is not a file.",
    Code.FILE_EMPTY: "{file} is empty; no session was ever stored in it.",
    Code.FILE_OTHER_DATABASE: "{file} is an SQLite database, but not a session file.",
    Code.FILE_NO_SESSION: "{file} is not a session file.",
    Code.FILE_CUT_OFF: "{file} breaks off after {n} bytes.",
    Code.FILE_UNREADABLE: "{file} cannot be read: {why}.",
    Code.FILE_READ_FAILED: "{file} cannot be read ({why}).",
    Code.FILE_WRITE_FAILED: "{file} cannot be written ({why}).",
    Code.FILE_UNWRITABLE: "{file} cannot be written: {why}.",
    Code.FILE_SCHEMA_NEWER: "{file} was written by a newer rehabcount (schema {version}; this one knows {known}).",
    Code.FILE_NEWER: "{file} was written by a newer rehabcount.",
    Code.FILE_DAMAGED: "{file} is damaged.",
    Code.FILE_DAMAGED_HOW: "{file} is damaged: {what}.",
    Code.FILE_WITHOUT_TABLES: "{file} has lost its tables.",
    Code.FILE_WITHOUT_SOME: "{file} has lost its tables ({names}).",
    Code.FILE_ALTERED: "{file} was altered: it holds {kind} {name}, which no session has.",
    Code.FILE_TOO_MANY_TABLES: "{file} was altered: it holds too many tables.",
    Code.FILE_ILLEGIBLE: "{file} holds something illegible: {what}.",
    Code.FILE_LOCKED: "{file} is locked by another program.",
    Code.FILE_IN_USE: "{file} is in use by another window.",
    Code.FILE_INTERRUPTED: "{file} was interrupted and lies where nothing can be written.",
    Code.FILE_CLOSED: "The session in {file} is closed.",
    Code.FILE_EXISTS: "{file} exists already.",
    Code.FILE_LEFT: "{file} is left from another session of that name.",
    Code.FILE_RECORDING: "{file} is being recorded.",
    Code.FILE_RECORDING_ELSEWHERE: "{file} is being recorded by another program.",
    Code.FILE_WRITE_STOPPED: "{file} could not be written: {why}.",
    Code.DISK_FULL_GROW: "The disk is full; {file} cannot grow.",
    Code.DISK_FULL_MAKE: "The disk is full; {file} cannot be made.",
    Code.DISK_LITTLE_ROOM: "Only {n} MB are free for {folder}.",
    Code.FOLDER_CLOSED: "No session can be kept in {folder}: {why}.",
    Code.NOT_ON_DISK: "{n} s of the recording are not on the disk.",
    Code.NOTHING_TO_SALVAGE: "Nothing of a session can be read in {file}.",
    Code.CORRECTED_MEANWHILE: "{file} was corrected in another window meanwhile.",
    Code.NEVER_CALIBRATED: "{file} was never calibrated, so nothing in it can be counted.",
    Code.NO_MOTION: "{file} holds no motion to count.",
    Code.NO_PATIENT: "There is no patient {patient}.",
    Code.PATIENT_TAKEN: "There is a patient {patient} already.",
    Code.NOT_THE_CODE: "That is not the patient's code; nothing was deleted.",
    Code.NOT_LISTED: "{file} is not in the library.",
    Code.IS_SIMULATED: "{file} is simulated; no patient made its movements.",
    Code.NO_LIBRARY: "{file} is not a library of rehabcount.",
    Code.BACKUP_IN_LIBRARY: "{file} belongs to the library; a backup cannot take its place.",
    Code.BACKUP_UNFAITHFUL: "{file} cannot be read back as it was written.",
    Code.BACKUP_NEWER: "{file} was made by a newer rehabcount.",
    Code.BACKUP_NOT_WHOLE: "{file} is not a whole backup of rehabcount.",
    Code.BACKUP_PART_DAMAGED: "{part} in {file} is damaged.",
    Code.BACKUP_LIST_DAMAGED: "The list of patients in {file} is damaged.",
    Code.BACKUP_TOO_LARGE: "{file} unpacks into {n} MB; {free} MB are free.",
    Code.BACKUP_TWICE: "{file} holds two files of one name.",
    Code.BACKUP_OVERLAPS: "{file} holds files that overlap.",
    Code.BACKUP_STRANGE_NAME: "{file} holds a file of a strange name.",
    Code.BACKUP_STRANGE_PACKING: "{file} is packed in a way that no backup is.",
    Code.BACKUP_SWELLS: "{file} claims to unpack into {size} GB.",
    Code.BACKUP_LONG_LIST: "{file} has a list of files that is too long.",
    Code.BACKUP_HOLDS_MORE: "{file} holds more than it says.",
    Code.SETTINGS_NOT_KEPT: "The settings cannot be kept.",
    Code.NO_MODEL: "there is no model to count with.",
    Code.NO_CHOSEN_MODEL: "there is no model {model}, with which the settings say to count.",
    Code.NO_SENSOR_CONNECTED: "No sensor is connected, so there is nothing to calibrate.",
    Code.NO_BLINK: "{sensor} cannot be made to blink.",
    Code.RADIO_FAILED: "The radio failed unexpectedly.",
    Code.RADIO_OFF: "Bluetooth is switched off.",
    Code.RADIO_DENIED: "This program may not use Bluetooth.",
    Code.RADIO_TOO_OLD: "The Bluetooth adapter is too old: it has no Low Energy.",
    Code.RADIO_NO_ADAPTER: "There is no Bluetooth adapter.",
    Code.RADIO_NO_SUCH_ADAPTER: "There is no Bluetooth adapter {adapter}.",
    Code.RADIO_NO_SERVICE: "The system's Bluetooth service does not run.",
    Code.RADIO_SERVICE_UNREACHED: "The system's Bluetooth service cannot be reached.",
    Code.RADIO_NO_ANSWER: "The system's Bluetooth does not answer.",
    Code.RADIO_FAILED_HOW: "The radio failed: {why}.",
    Code.SENSOR_UNSEEN: "The sensor is not to be seen.",
    Code.SENSOR_LINK_FAILED: "The link failed: {why}.",
    Code.SENSOR_LINK_LOST: "The link was lost.",
    Code.SENSOR_SENDS_NOTHING: "The sensor is connected but sends nothing.",
    Code.SENSOR_NO_SLOT: "The adapter carries no further link.",
    Code.SENSOR_OTHERWISE: "The sensor is not what its name says: {why}",
    Code.SENSOR_NO_SETTING: "The sensor refused a setting: {why}.",
    Code.SENSOR_NO_ANSWER: "The sensor does not answer.",
    Code.SENSOR_UNKNOWN_MODEL: "{sensor} without characteristic {characteristic}: an unknown model.",
    Code.SESSION_STOPPED: "The session stopped: {what}.",
    Code.COUNTING_STOPPED: "Counting stopped: {what}.",
    Code.UNEXPECTED: "Something went wrong that should not: {what}.",
    Code.NO_FONT: "There is no font on this machine.",
    Code.LABELS_OF_ANOTHER: "{file}: these labels were made for another session",
    Code.LABELS_OF_OTHER_COUNTING: "{file}: these labels were made for counting {number} (model {model}), not for "
    "counting {here}",
    Code.LABELS_OUTSIDE: "{file}, line {line}: an annotation of tier {tier} lies outside of the session, which is "
    "{length} s long",
    Code.LABELS_BACKWARDS: "{file}, line {line}: an annotation of tier {tier} ends before it starts",
    Code.LABELS_UNKNOWN: "{file}, line {line}: unknown label {label} in tier {tier}",
    Code.LABELS_NOT_ELAN: "{file}, line 1: not an annotation file of ELAN",
    Code.LABELS_NOT_XML: "{file}, line {line}: not valid XML ({why})",
    Code.LABELS_UNREADABLE: "{file}: it cannot be read: {why}",
    Code.DO_CHECK_NAME: "Check the name and the folder.",
    Code.DO_PUT_BACK: "Put the file back, or plug its disk in again.",
    Code.DO_PUT_DATA_BACK: "Put the data folder back, or plug its disk in.",
    Code.DO_NAME_SESSION: "Name a session file (*.rehab).",
    Code.DO_DELETE_EMPTY: "It may be deleted.",
    Code.DO_IMPORT: "Recordings of other programs are read by `rehabcount import`. A session whose beginning was "
    "overwritten may still be saved: `rehabcount recover FILE --out NEW.rehab`.",
    Code.DO_ASK_OWNER: "Ask its owner for the right to read it.",
    Code.DO_CHECK_DISK_READ: "Check the disk and the rights to the file.",
    Code.DO_CHECK_DISK_WRITE: "Check that the disk is present and that you may write to the file and its folder.",
    Code.DO_CHECK_DISK: "Check the disk, or choose another.",
    Code.DO_WRITABLE_FOLDER: "Choose a folder that you may write to.",
    Code.DO_OTHER_FOLDER: "Choose another folder under Settings, or get the right to write there.",
    Code.DO_COPY_BOTH: "Copy it together with {file} to a folder that you may write to, and open the copy.",
    Code.DO_MAKE_ROOM: "Make room on the disk.",
    Code.DO_MAKE_ROOM_SAFE: "Make room on the disk. What was recorded before is safe.",
    Code.DO_MAKE_ROOM_HOUR: "Make room: an hour of nine sensors takes {n} MB.",
    Code.DO_UPDATE: "Update rehabcount.",
    Code.DO_UPDATE_FIRST: "Update rehabcount first.",
    Code.DO_UPDATE_REOPEN: "Update rehabcount, then open it again. The file is not changed.",
    Code.DO_CLOSE_OTHERS: "Close other programs that have it open and try again.",
    Code.DO_CLOSE_OTHER_WINDOW: "Close the other rehabcount window first, or record into another file.",
    Code.DO_WAIT: "Wait a moment and try again; nothing was changed.",
    Code.DO_END_SESSION: "End the session first.",
    Code.DO_END_RECORDING: "End the recording first.",
    Code.DO_NEW_SESSION: "Record into another file: a new session.",
    Code.DO_OTHER_NAME: "Choose another name.",
    Code.DO_OTHER_NAME_KEPT: "Choose another name; a session is never overwritten.",
    Code.DO_LOOK_FOR_BACKUP: "Look for a backup.",
    Code.DO_LOOK_AGAIN: "It was read anew; look whether your last change is still needed.",
    Code.DO_SAY_POSE: "Say when the pose and the movements were: rehabcount calibrate.",
    Code.DO_LOOK_AT_LIST: "Look at the list of patients.",
    Code.DO_OTHER_CODE: "Choose another code.",
    Code.DO_TYPE_CODE: "Type {word} to delete everything.",
    Code.DO_CHOOSE_LISTED: "Choose a session of the list.",
    Code.DO_LEAVE_SIMULATED: "Leave it with {whose}. To practise with a patient's plan, use the demo.",
    Code.DO_BACKUP_ELSEWHERE: "Choose another name, such as backup.zip, and best another disk.",
    Code.DO_CHOOSE_BACKUP: "Choose the backup file.",
    Code.DO_OTHER_BACKUP: "Choose another backup; this one was cut off, changed, or made by another program.",
    Code.DO_HOLD_UNTIL_CLOSED: "They are used until rehabcount is closed.",
    Code.DO_CHOOSE_MODEL: "Choose one under Settings.",
    Code.DO_SWITCH_ALL_ON: "Switch the sensors on and bring them closer; calibrate when they are connected.",
    Code.DO_MOVE_INSTEAD: "Move it instead: assign it.",
    Code.DO_GO_BACK: "Go back and try again.",
    Code.DO_SENSOR_NEARER: "Bring the sensor nearer, charge it, and keep the computer off the floor; it is tried "
    "again by itself.",
    Code.DO_RECONNECTS: "Bring the sensor nearer; it reconnects by itself.",
    Code.DO_OFF_AND_ON: "Switch it off and on.",
    Code.DO_OFF_AND_ON_RETRY: "Switch the sensor off and on, then try again.",
    Code.DO_WAKE: "Switch the sensor on, press its button to wake it, and see that no other program or phone is "
    "connected to it.",
    Code.DO_SECOND_ADAPTER: "Plug in a second adapter, or use fewer sensors at a time.",
    Code.DO_UPDATE_WITH_APP: "Update its firmware with the vendor's app.",
    Code.DO_SEE_MODELS: "See docs/sensors.md for the models that work; update the sensor's firmware.",
    Code.DO_RESTART_BLUETOOTH: "Switch Bluetooth off and on, or restart the computer.",
    Code.DO_KEPT: "What was recorded is kept.",
    Code.DO_COUNT_LATER: "The recording goes on; count it later: rehabcount count.",
    Code.DO_INSTALL_FONT: "Install one, e.g. apt install fonts-dejavu-core.",
    Code.DO_NAME_EXPORTED: "Name the session that they were exported from.",
    Code.DO_NAME_COUNTING: "Choose the counting that they were made for (rehabcount annotate --counting N), or export "
    "the session again.",
    Code.DO_CORRECT_IN_ELAN: "Are these labels for this session? Correct the annotation in ELAN.",
    Code.DO_KNOWN_LABELS: "Known: {labels}.",
    Code.DO_NAME_ELAN: "Name a file that ELAN saved (.eaf).",
    Code.DO_NAME: "Check the name.",
    Code.DO_RECOVER: "Run `rehabcount recover FILE --out NEW.rehab` to save every row that can still be read into a "
    "new file.",
    Code.DO_RESTORE: "Move it away and restore a backup. Session files are whole without it: they are listed again at "
    "the next start.",
    Code.DO_EXPORT_AGAIN: "Export the session again (rehabcount export --to elan) and copy your annotations into that "
    "file.",
    Code.DO_LOOK_INSIDE: "Look at what it holds: rehabcount info.",
    Code.DO_MODEL_BACK: "Put it back, or choose another one: rehabcount models use MODEL.",
    Code.DO_MAKE_MODEL: "Put an artifact into {folder}, or make one: rehabcount simulate, train, models export.",
    Code.DO_BLUETOOTH_ON_LINUX: "Turn Bluetooth on in the system's settings, or run: bluetoothctl power on (if it is "
    "blocked, rfkill unblock bluetooth).",
    Code.DO_BLUETOOTH_FIND_LINUX: "Plug in a Bluetooth adapter, and see that the service runs: systemctl start "
    "bluetooth.",
    Code.DO_BLUETOOTH_ALLOW_LINUX: "Allow this user to use Bluetooth: add it to the group bluetooth, then log in anew.",
    Code.DO_BLUETOOTH_ON_WINDOWS: "Turn Bluetooth on: Settings, Bluetooth & devices.",
    Code.DO_BLUETOOTH_FIND_WINDOWS: "Plug in a Bluetooth adapter (4.0 or newer) and see that Windows lists it under "
    "Settings, Bluetooth & devices.",
    Code.DO_BLUETOOTH_ALLOW_WINDOWS: "Allow it: Settings, Privacy & security, Radios (or App permissions, Bluetooth).",
    Code.DO_BLUETOOTH_ON_MAC: "Turn Bluetooth on in the Control Centre or in System Settings, Bluetooth.",
    Code.DO_BLUETOOTH_FIND_MAC: "This Mac shows no Bluetooth; restart it, or plug in an adapter that macOS supports.",
    Code.DO_BLUETOOTH_ALLOW_MAC: "Allow the terminal (or this app) under System Settings, Privacy & Security, "
    "Bluetooth, then start it anew.",
    Code.MODEL_UNREADABLE: "the model in {folder} cannot be read: {why}.",
    Code.MODEL_CARD_UNREADABLE: "the card in {folder} cannot be read: {why}.",
    Code.MODEL_NOT_THERE: "there is no model in {folder}.",
    Code.MODEL_LACKS: "the model in {folder} lacks {file}.",
    Code.MODEL_TOO_LARGE: "{file} of the model in {folder} is larger than {n} bytes.",
    Code.MODEL_CHANGED: "{file} of the model in {folder} is not the file that was packed.",
    Code.MODEL_STRANGE_SUM: "{file} of {folder}, line {line}: not a sum of this artifact.",
    Code.MODEL_CANNOT_COUNT: "{folder} is no model that can count:",
    Code.MODEL_NOT_GOLDEN: "{file} of {folder} is not a golden window: {why}.",
    Code.MODEL_OTHER_OUTPUT: "model {model} does not give its golden output here ({name}).",
    Code.MODEL_UNKNOWN: "there is no model {model}.",
    Code.MODEL_NO_CARD: "{folder} has no card.json.",
    Code.MODEL_CARD_INVALID: "the card of {folder} is not valid: {why}.",
    Code.MODEL_OTHER_COLUMNS: "model {model} reads {n} columns of recipe {recipe}; these rows have {have} of {given}.",
    Code.MODEL_OTHER_RATE: "model {model} reads {n} rows a second; here there are {have}.",
    Code.MODEL_NEEDS_SENSOR: "model {model} needs a sensor on the {parts} ({arm} arm); rig {rig} has {worn}.",
    Code.MODEL_NO_SENSOR_ON_ARM: "rig {rig} has no sensor on the {arm} arm.",
    Code.MODEL_WHOLE_TRIALS: "model {model} reads recipe {recipe}: whole trials only.",
    Code.MODEL_NO_NETWORK: "{file} of model {model} cannot be opened as a network: {why}.",
    Code.MODEL_MIXED: "the card is of {model}, the network beside it of {network}.",
    Code.MODEL_OTHER_SHAPES: "the network of {model} has {what} {have}; its card says {wanted}.",
    Code.MODEL_FAILED: "model {model} failed: {why}.",
    Code.MODEL_UNSOUND: "model {model} gives no sound {name}.",
    Code.MODEL_SKIPS_FRAMES: "model {model} does not score every frame.",
    Code.DO_GET_MODEL: "Get the artifact again, whole.",
    Code.DO_GET_MODEL_AGAIN: "Get the artifact again.",
    Code.DO_GET_MODEL_MIXED: "Get the artifact again; files of two artifacts were mixed.",
    Code.DO_GET_MODEL_UNEDITED: "Get the artifact again; a card is not to be edited.",
    Code.DO_GET_MODEL_OR_REPORT: "Get the artifact again; if that does not help, report it with the machine's "
    "processor.",
    Code.DO_SEE_INSTALLED: "See what there is: rehabcount models.",
    Code.DO_INSTALLED: "There are: {models}.",
    Code.DO_NONE_INSTALLED: "No model is installed.",
    Code.DO_OTHER_MODEL: "Choose another model.",
    Code.DO_BEDSIDE_MODEL: "Choose a model for the bedside (rehabcount models).",
    Code.DO_MODEL_FOR_RIG: "Put the sensor on, or choose a model for this rig (rehabcount models).",
    Code.DO_RECIPE: "Compute the rows with recipe {recipe}, or choose another model (rehabcount models).",
    Code.DO_WORN_ARM: "Choose the arm that wears the sensors.",
    Code.DO_REPORT: "Report this; go on counting.",
    Code.CARD_RESEARCH: "Research on counting functional arm movements.",
    Code.CARD_NO_DEVICE: "Not a medical device; counts are estimates.",
    Code.CARD_SIMULATED: "Trained and scored on simulated people only.",
    Code.CARD_SIMULATED_FEW: "Trained and scored on simulated people only (scores on one activity in five).",
    Code.CARD_SEVERE: "Severe arms are counted poorly even there: {n} errors in 100 movements.",
    Code.CARD_LATER: "It reads windows and answers later than stream.",
    Code.CARD_TWO_ARE_ONE: "Two movements of one kind in a row are one to it.",
    Code.CARD_FALSE_COUNTS: "Between exercises it makes about {n} false counts an hour.",
    Code.CARD_MORE_FALSE: "Makes many more false counts between exercises than stream, and counts later.",
    Code.CARD_COHORT: "simulated cohort",
    Code.CARD_RECIPE: "recipe {recipe}",
    Code.CARD_SEED: "seed {seed}",
    Code.CARD_ELBOWS_OUT: "elbows out",
    Code.CARD_DRINKS: "{n} drinking exercises each",
    Code.CARD_BUSY: "busy between exercises",
    Code.SETTINGS_NO_TOML: "{file} is not a TOML file: {why}.",
    Code.SETTINGS_WRONG: "{file}: {what}.",
    Code.SETTINGS_UNKNOWN: "{file}: there is no setting {name}.",
    Code.DO_CORRECT_LINE: "Correct the line or remove the file.",
    Code.DO_REMOVE_SETTINGS: "Remove the file; the default settings are used then.",
    Code.DO_CORRECT_VALUE: "Correct the value or remove the line.",
    Code.DO_MEAN: "Did you mean {name}?",
    Code.DO_ASSIGN_ANEW: "Remove it and assign the sensors anew.",
    Code.SENSOR_NO_SYNC: "The sensor does not answer about synchronisation.",
    Code.DO_UPDATE_FIRMWARE: "Update its firmware.",
    Code.SENSORS_MISSING: "No sensor for {places}.",
    Code.DO_IDENTIFY: "Switch it on; a new one is assigned with: rehabcount sensors identify --assign",
    Code.FILE_RECORDING_COUNTED: "{file} is being recorded; its own count is kept with it.",
    Code.DO_COUNT_WHEN_ENDED: "Count it when the session has ended, or only look: --no-keep.",
    Code.LABELS_WRONG: "{file}, line {line}: {what}",
    Code.LABELS_NO_TIME: "{file}, line {line}: time slot {slot} has no time",
    Code.DO_GIVE_TIMES: "Give the annotation a beginning and an end in ELAN.",
}


def blanks_of(sentence: str) -> frozenset[str]:
    """The names of the blanks of a sentence."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(sentence) if name)


BLANKS = {code: blanks_of(sentence) for code, sentence in ENGLISH.items()}


@dataclass(frozen=True, slots=True)
class Message:
    """A code, and the values of the blanks of its sentence. ValueError if the blanks are not the code's."""

    code: Code
    blanks: tuple[tuple[str, Value], ...] = ()

    def __post_init__(self) -> None:
        if len(self.blanks) != len(BLANKS[self.code]) or {name for name, _ in self.blanks} != BLANKS[self.code]:
            wanted, given = sorted(BLANKS[self.code]), sorted(name for name, _ in self.blanks)
            raise ValueError(f"{self.code} has the blanks {wanted}, not {given}")

    @classmethod
    def of(cls, code: Code, **blanks: Value) -> Message:
        return cls(code, tuple(sorted(blanks.items())))

    @classmethod
    def free(cls, text: str) -> Message:
        """Text without a code."""
        return cls(Code.TEXT, (("text", text),))

    def __str__(self) -> str:
        return self.in_english()

    def in_english(self, called: Called = MappingProxyType({})) -> str:
        return self.said(ENGLISH[self.code], {**IN_ENGLISH, **called})

    def said(self, sentence: str, called: Called) -> str:
        """`sentence` with its blanks filled."""
        return sentence.format(**{name: called.get(name, str)(str(value)) for name, value in self.blanks})


IN_ENGLISH: Called = {
    "place": lambda place: place.replace("-", " "),
    "parts": lambda parts: parts.replace(", ", " and the "),
    "worn": lambda parts: parts or "none there",
}
