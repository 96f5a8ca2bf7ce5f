"""Every exception that rehabcount raises on purpose.

    RehabcountError                 .code, for other languages; .advice: one sentence a therapist can act on
      ConfigError                   a setting that cannot be read or does not exist
      SensorError
        BluetoothOff  BluetoothMissing  BluetoothDenied   the radio itself: switched off, absent, not permitted
        SensorNotFound  SensorLost  SensorRefused          one sensor: not found, lost, refuses a command
        PacketMalformed
      ArtifactError
        ArtifactMissing  ChecksumMismatch  CardInvalid  ModelMismatch
      InferenceError
      StoreError
        SessionMissing              there is no file of that name
        SessionForeign              the file is not a session file
        SessionNewer                written by a newer rehabcount
        SessionCorrupt              damaged; `rehabcount recover` saves what can be read
        SessionBusy                 another process is recording into it
        StoreUnwritable             the folder or file cannot be written
        StoreFull                   the disk is full
        LibraryDamaged              the list of patients and sessions cannot be read
        BackupRefused               not a backup, or an incomplete one
        PatientMissing  PatientExists
        ConfirmationWrong           the text that was typed to confirm a deletion is wrong
      ImportRefused                 a vendor's file that cannot be read; carries file and line
        SessionUnsaid               labels that do not name their session: the user must confirm it
      InputRefused                  input of a Python program: arrays, labels, names of places; a ValueError, too
      CalibrationError              the movements do not determine the mounting
      DatasetError
        DatasetMissing  DatasetChanged
      MissingExtra                  says which `pip install rehabcount[...]`

A wrong argument to a pure function is a ValueError. Failures of files, sensors or libraries are one of these, raised
with `from` in the module that is the library's home. Degraded data are a health update, and the session goes on.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from rehabcount.domain.message import Code, Message


class RehabcountError(Exception):
    """A file, a sensor, a library or an input failed; `advice` says what a person can do about it.

    `str(error)` and `advice` are English. `messages` has the same by code for other languages: what happened, then what
    to do. It is empty if the error was raised with English text only; then the `code` of the class gives the kind of
    failure.
    """

    exit_code = 1
    code: ClassVar[Code] = Code.FAILED

    def __init__(self, *what: str | Message, advice: str | Message = "") -> None:
        super().__init__(" ".join(map(str, what)))
        self.what, self.what_to_do = what, advice
        if self.advice:
            self.add_note(self.advice)  # a traceback ends with it

    @property
    def advice(self) -> str:
        """What a person can do about it; empty where nothing is known. A traceback shows it, too."""
        return str(self.what_to_do)

    @property
    def messages(self) -> tuple[Message, ...]:
        """What happened and what can be done, by code."""
        what = tuple(each for each in self.what if isinstance(each, Message))
        if len(what) < len(self.what):
            return ()
        return (*what, self.what_to_do) if isinstance(self.what_to_do, Message) else what


class ConfigError(RehabcountError):
    exit_code = 2
    code = Code.CONFIG_ERROR


class SensorError(RehabcountError):
    exit_code = 3
    code = Code.SENSOR_ERROR


class BluetoothOff(SensorError):
    code = Code.BLUETOOTH_OFF


class BluetoothMissing(SensorError):
    code = Code.BLUETOOTH_MISSING


class BluetoothDenied(SensorError):
    code = Code.BLUETOOTH_DENIED


class SensorNotFound(SensorError):
    code = Code.SENSOR_NOT_FOUND


class SensorLost(SensorError):
    code = Code.SENSOR_LOST


class SensorRefused(SensorError):
    code = Code.SENSOR_REFUSED


class PacketMalformed(SensorError):
    code = Code.PACKET_MALFORMED


class ArtifactError(RehabcountError):
    exit_code = 4
    code = Code.ARTIFACT_ERROR


class ArtifactMissing(ArtifactError):
    code = Code.ARTIFACT_MISSING


class ChecksumMismatch(ArtifactError):
    code = Code.CHECKSUM_MISMATCH


class CardInvalid(ArtifactError):
    code = Code.CARD_INVALID


class ModelMismatch(ArtifactError):
    code = Code.MODEL_MISMATCH


class InferenceError(RehabcountError):
    exit_code = 4
    code = Code.INFERENCE_ERROR


class StoreError(RehabcountError):
    exit_code = 5
    code = Code.STORE_ERROR


class SessionMissing(StoreError):
    code = Code.SESSION_MISSING


class SessionForeign(StoreError):
    code = Code.SESSION_FOREIGN


class SessionNewer(StoreError):
    code = Code.SESSION_NEWER


class SessionCorrupt(StoreError):
    code = Code.SESSION_CORRUPT


class SessionBusy(StoreError):
    code = Code.SESSION_BUSY


class StoreUnwritable(StoreError):
    code = Code.STORE_UNWRITABLE


class StoreFull(StoreError):
    code = Code.STORE_FULL


class LibraryDamaged(StoreError):
    code = Code.LIBRARY_DAMAGED


class BackupRefused(StoreError):
    code = Code.BACKUP_REFUSED


class PatientMissing(StoreError):
    code = Code.PATIENT_MISSING


class PatientExists(StoreError):
    code = Code.PATIENT_EXISTS


class SessionSimulated(StoreError):
    code = Code.SESSION_SIMULATED


class ConfirmationWrong(StoreError):
    code = Code.CONFIRMATION_WRONG


class ImportRefused(RehabcountError):
    """A file that cannot be read as motion; names the file and, if there is one, the line (counted from 1)."""

    exit_code = 6
    code = Code.IMPORT_REFUSED

    def __init__(
        self, path: Path, reason: str | Message, *, line: int | None = None, advice: str | Message = ""
    ) -> None:
        """A `reason` with a code names file and line itself."""
        where = f"{path.name}, line {line}" if line is not None else path.name
        super().__init__(reason if isinstance(reason, Message) else f"{where}: {reason}", advice=advice)
        self.path, self.line, self.reason = path, line, str(reason)


class SessionUnsaid(ImportRefused):
    code = Code.SESSION_UNSAID


class InputRefused(RehabcountError, ValueError):
    """Arrays, labels or names that cannot be used."""

    exit_code = 6
    code = Code.INPUT_REFUSED


class CalibrationError(RehabcountError):
    """The pose and the movements do not tell how the sensors sit."""

    exit_code = 7
    code = Code.CALIBRATION_ERROR


class DatasetError(RehabcountError):
    exit_code = 6
    code = Code.DATASET_ERROR


class DatasetMissing(DatasetError):
    code = Code.DATASET_MISSING


class DatasetChanged(DatasetError):
    code = Code.DATASET_CHANGED


class MissingExtra(RehabcountError):
    """A library is missing that belongs to an extra."""

    exit_code = 8
    code = Code.MISSING_EXTRA

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"{library} is not installed.", advice=f'Run: pip install "rehabcount[{extra}]"')
        self.library, self.extra = library, extra
