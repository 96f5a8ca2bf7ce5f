"""What went wrong, in the window's language.

Errors and calibration advice are made in packages that know no window, in English. `words_of` says an error: in English
as it is; in another language by a sentence of its own where its words are known, else by one for its kind, with the
files that it names behind it. `advice_words` says a piece of calibration advice; one that is not known stays as it is.
"""

from __future__ import annotations

import re

from rehabcount import errors
from rehabcount.gui.language import reworded, speaks_source, tr
from rehabcount.gui.place_state import called

# What an error names: a path, or a file by its name. It is the same in every language.
NAMED = re.compile(r"(?:[A-Za-z]:)?[\w.~+-]*[/\\][^\s:,;]*[\w]|\b[\w+-][\w.+-]*\.[A-Za-z]\w{1,7}\b")


def words_of(error: errors.RehabcountError) -> str:
    """What happened, and what can be done."""
    if speaks_source():
        return f"{error} {error.advice}".strip()
    if (own := reworded(str(error), _messages())) is not None:
        return own
    known = _sentences()
    sentence = next((known[kind] for kind in type(error).__mro__ if kind in known), "")
    if not sentence:
        return tr("Something went wrong: {what}").format(what=f"{error} {error.advice}".strip())
    named = ", ".join(dict.fromkeys(NAMED.findall(str(error))))
    return f"{sentence} ({named})" if named else sentence


def _messages() -> dict[str, str]:
    """Errors for which the sentence of their kind would say too little, or something else."""
    recorded = tr("{file} is being recorded. End that session first.")
    return {
        "{file} was corrected in another window meanwhile.": tr(
            "{file} was corrected in another window meanwhile. Look whether your last change is still needed."
        ),
        "{file} is being recorded.": recorded,
        "{file} is being recorded by another program.": recorded,
        "{file} was never calibrated, so nothing in it can be counted.": tr(
            "{file} was never calibrated, so nothing in it can be counted."
        ),
        "{file} belongs to the library; a backup cannot take its place.": tr(
            "{file} belongs to the library. Choose another name for the backup, and best another disk."
        ),
        "{file}: these labels were made for another session": tr(
            "{file}: these labels were made for another session. Nothing was taken."
        ),
        "{file}, line {line}: an annotation of tier {tier} lies outside of the session, which is {length} s long": tr(
            "{file}, line {line}: an annotation lies outside of the session, which is {length} s long. "
            "Nothing was taken."
        ),
        "{why} {n} s of the recording are not on the disk.": tr(
            "{n} s of the recording are not on the disk. What was written before is safe."
        ),
        "{file} holds no motion to count.": tr("{file} holds no motion to count."),
        "The settings cannot be kept in {file}: {why}.": tr(
            "The settings cannot be kept in {file}. They hold until the window is closed."
        ),
        "No session can be kept in {folder}: {why}.": tr(
            "No session can be kept in {folder}. Choose another folder under Settings, or have the right to write "
            "there given back."
        ),
        "Only {n} MB are free for {folder}.": tr(
            "Only {n} MB are free for {folder}. Make room: an hour of nine sensors takes 300 MB."
        ),
        "No sensor is connected, so there is nothing to calibrate.": tr(
            "No sensor is connected. Switch the sensors on and bring them closer."
        ),
        "{sensor} cannot be made to blink.": tr("{sensor} cannot be made to blink. Move it instead."),
        "The radio failed unexpectedly.": tr("The radio failed. Go back and try again."),
        "The session stopped: {what}.": tr("The session stopped: {what}. What was recorded is kept."),
        "Something went wrong that should not: {what}.": tr("Something went wrong that should not: {what}."),
    }


def _sentences() -> dict[type, str]:
    return {
        errors.BluetoothOff: tr("Bluetooth is switched off. Turn it on in the system's settings."),
        errors.BluetoothMissing: tr("No Bluetooth is found. Plug in an adapter."),
        errors.BluetoothDenied: tr("This program may not use Bluetooth. Allow it in the system's settings."),
        errors.SensorNotFound: tr("A sensor is not to be seen. Switch it on and bring it closer."),
        errors.SensorRefused: tr("A sensor of an unknown model, or one that does not do as told. Update its firmware."),
        errors.SensorError: tr("A sensor does not answer. Move closer, or switch it off and on."),
        errors.ArtifactMissing: tr("There is no model to count with. Choose one under Settings."),
        errors.ArtifactError: tr("The model cannot be used. Choose another under Settings."),
        errors.InferenceError: tr("The model failed. Choose another under Settings."),
        errors.SessionMissing: tr("The file is gone. Put it back, or plug its disk in again."),
        errors.SessionForeign: tr("This is not a session file."),
        errors.SessionNewer: tr("This was written by a newer rehabcount. Update, then open it again."),
        errors.SessionCorrupt: tr("The session file is damaged. What can be read is saved by: rehabcount recover"),
        errors.SessionBusy: tr("Another window has this open. Close it there, or try again in a moment."),
        errors.StoreFull: tr("The disk is full. Make room; what was recorded is safe."),
        errors.StoreUnwritable: tr("Nothing can be written there. Check the disk and your rights to the folder."),
        errors.LibraryDamaged: tr("The list of patients is damaged. Restore a backup; the session files are whole."),
        errors.BackupRefused: tr("This is not a whole backup. Choose another file."),
        errors.PatientExists: tr("This code is taken. Choose another."),
        errors.PatientMissing: tr("There is no such patient any more."),
        errors.SessionSimulated: tr("A simulated session stays the demo patient's: no patient made its movements."),
        errors.ConfirmationWrong: tr("That is not the patient's code. Nothing was deleted."),
        errors.StoreError: tr("The file cannot be read or written."),
        errors.ImportRefused: tr("The file cannot be read."),
        errors.CalibrationError: tr("The movements do not tell how the sensors sit. Repeat them."),
        errors.ConfigError: tr("A setting cannot be used. Correct it in the file of settings."),
    }


def advice_words(text: str) -> str:
    """A piece of calibration advice; body parts in it are called as everywhere in the window."""
    return reworded(text, _advice(), called) or text


def _advice() -> dict[str, str]:
    """The sentences of `signals/calibration.py` and `signals/placement.py`, each with its translation."""
    return {
        "The {part} moved in the still pose; hold it still for 3 seconds and repeat.": tr(
            "{part}: moved in the still pose. Hold it still for 3 seconds."
        ),
        "The still pose was too short; hold it for 3 seconds.": tr(
            "The still pose was too short. Hold it for 3 seconds."
        ),
        "Bend the elbow further (the {part} sensor saw too little).": tr(
            "{part}: saw too little. Bend the elbow further."
        ),
        "Turn the forearm further (the {part} sensor saw too little).": tr(
            "{part}: saw too little. Turn the forearm further."
        ),
        "Bend the elbow slowly and in one plane ({part} sensor).": tr(
            "{part}: bend the elbow slowly and in one plane."
        ),
        "Turn the forearm slowly and in one plane ({part} sensor).": tr("{part}: turn the forearm slowly."),
        "Do not turn the forearm while bending the elbow ({part}).": tr(
            "{part}: do not turn the forearm while bending the elbow."
        ),
        "Begin with the palm facing down ({part}).": tr("{part}: begin with the palm facing down."),
        "The {part} sensor is not worn as pictured.": tr("{part}: not worn as the picture shows."),
        "{part} sent nothing in the still pose; check that it is on, then repeat.": tr(
            "{part}: sent nothing. Check that it is on."
        ),
        "{part} measures no acceleration, so it cannot tell which way is up.": tr(
            "{part}: measures no acceleration, so it cannot tell which way is up."
        ),
        "{part} did not move with its arm; check that it is strapped there.": tr(
            "{part}: did not move with its arm. Check that it is strapped there."
        ),
        "{one} and {other} seem to be swapped ({why}); exchange them, then repeat.": tr(
            "{one} and {other} seem to be swapped. Exchange them, then repeat."
        ),
        "No sensor sent anything.": tr("No sensor sent anything."),
        "Check that the sensors are on.": tr("Check that the sensors are on."),
    }
