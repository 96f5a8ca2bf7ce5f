"""Every exception that rehabcount raises on purpose.

    RehabcountError                 .advice: one sentence a therapist can act on
      ConfigError                   a setting that cannot be read or does not exist
      SensorError
        BluetoothOff  BluetoothMissing  BluetoothDenied   the radio itself: switched off, absent, not permitted
        SensorNotFound  SensorLost  SensorRefused          one sensor: not seen, gone, does not do as told
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
        BackupRefused               not a backup, or not a whole one
        PatientMissing  PatientExists
        ConfirmationWrong           what was typed to confirm a deletion is not what was asked for
      ImportRefused                 a vendor's file that cannot be read; carries file and line
        SessionUnsaid               labels that do not say which session they were made for: somebody has to
      InputRefused                  what a Python program handed in: arrays, labels, names of places; a ValueError too
      CalibrationError              the movements do not determine the mounting
      DatasetError
        DatasetMissing  DatasetChanged
      MissingExtra                  says which `pip install rehabcount[...]`

A wrong argument to a pure function is a ValueError. A failing world is one of these, translated with `from` in the
module that is the failing library's home. Degraded data is neither: it is a health update, and the session goes on.
"""

from __future__ import annotations

from pathlib import Path


class RehabcountError(Exception):
    """Something in the world failed; `advice` says what a person can do about it."""

    exit_code = 1

    def __init__(self, message: str, *, advice: str = "") -> None:
        super().__init__(message)
        self.advice = advice


class ConfigError(RehabcountError):
    exit_code = 2


class SensorError(RehabcountError):
    exit_code = 3


class BluetoothOff(SensorError):
    pass


class BluetoothMissing(SensorError):
    pass


class BluetoothDenied(SensorError):
    pass


class SensorNotFound(SensorError):
    pass


class SensorLost(SensorError):
    pass


class SensorRefused(SensorError):
    pass


class PacketMalformed(SensorError):
    pass


class ArtifactError(RehabcountError):
    exit_code = 4


class ArtifactMissing(ArtifactError):
    pass


class ChecksumMismatch(ArtifactError):
    pass


class CardInvalid(ArtifactError):
    pass


class ModelMismatch(ArtifactError):
    pass


class InferenceError(RehabcountError):
    exit_code = 4


class StoreError(RehabcountError):
    exit_code = 5


class SessionMissing(StoreError):
    pass


class SessionForeign(StoreError):
    pass


class SessionNewer(StoreError):
    pass


class SessionCorrupt(StoreError):
    pass


class SessionBusy(StoreError):
    pass


class StoreUnwritable(StoreError):
    pass


class StoreFull(StoreError):
    pass


class LibraryDamaged(StoreError):
    pass


class BackupRefused(StoreError):
    pass


class PatientMissing(StoreError):
    pass


class PatientExists(StoreError):
    pass


class SessionSimulated(StoreError):
    pass


class ConfirmationWrong(StoreError):
    pass


class ImportRefused(RehabcountError):
    """A file that cannot be read as motion; names the file and, where there is one, the line (counted from 1)."""

    exit_code = 6

    def __init__(self, path: Path, reason: str, *, line: int | None = None, advice: str = "") -> None:
        where = f"{path.name}, line {line}" if line is not None else path.name
        super().__init__(f"{where}: {reason}", advice=advice)
        self.path, self.line, self.reason = path, line, reason


class SessionUnsaid(ImportRefused):
    pass


class InputRefused(RehabcountError, ValueError):
    exit_code = 6


class CalibrationError(RehabcountError):
    exit_code = 7


class DatasetError(RehabcountError):
    exit_code = 6


class DatasetMissing(DatasetError):
    pass


class DatasetChanged(DatasetError):
    pass


class MissingExtra(RehabcountError):
    """A library that only an extra installs is needed here."""

    exit_code = 8

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"{library} is not installed.", advice=f'Run: pip install "rehabcount[{extra}]"')
        self.library, self.extra = library, extra
