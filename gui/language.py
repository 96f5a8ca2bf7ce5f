"""Language: every string that a person reads goes through `tr` or `plural`, and so through Qt's translation.

English is the source. Another language is a folder of Qt `.ts` files under `languages/` (one file a part of the window,
so that each stays readable); they are read as they are, without compiling. A test holds every string of the package to
a German one.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from PyQt6.QtCore import QCoreApplication, QLocale, QTranslator
from PyQt6.QtWidgets import QApplication

from rehabcount.domain.patient import DEMO

FOLDER = Path(__file__).parent / "languages"
CONTEXT = "rehabcount"  # one for the whole package: an English text has the same translation everywhere
SOURCE = "en"


def tr(text: str) -> str:
    """`text` in the language of the window. Give it a literal: a test collects them."""
    return QCoreApplication.translate(CONTEXT, text)


def plural(number: int, one: str, many: str) -> str:
    """`one` or `many` in the language of the window, `{n}` in it filled with the number."""
    return tr(one if number == 1 else many).format(n=number)


class FileTranslator(QTranslator):
    """Reads the `.ts` files of one language."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.words = read_words(language)

    def translate(  # type: ignore[override]  # None is Qt's null string: not translated
        self, context: str | None, source: str | None, disambiguation: str | None = None, n: int = -1
    ) -> str | None:
        return self.words.get(source or "") if context == CONTEXT else None

    def isEmpty(self) -> bool:  # noqa: N802 (Qt's name)
        return not self.words


def read_words(language: str) -> dict[str, str]:
    """English to that language, from all its files. An unfinished message is left out, so that English shows."""
    words: dict[str, str] = {}
    for path in sorted((FOLDER / language).glob("*.ts")):
        for message in ElementTree.parse(path).getroot().iter("message"):
            source, translation = message.findtext("source"), message.find("translation")
            if source and translation is not None and translation.text and translation.get("type") != "unfinished":
                words[source] = translation.text
    return words


def languages() -> list[str]:
    """Codes of the languages there are, English first."""
    return [SOURCE, *sorted(path.name for path in FOLDER.iterdir() if path.is_dir() and any(path.glob("*.ts")))]


def language_name(code: str) -> str:
    """The name of a language in that language."""
    return {"en": "English", "de": "Deutsch"}.get(code, code)


def resolve(code: str) -> str:
    """The language of that code, or for an empty one the system's where we have it."""
    wanted = code or QLocale.system().name().split("_")[0]
    return wanted if wanted in languages() else SOURCE


_installed: list[QTranslator] = []  # Qt does not keep them alive


def install(app: QApplication, code: str) -> str:
    """Speak this language from now on (screens made before keep theirs); returns the code that was taken."""
    while _installed:
        app.removeTranslator(_installed.pop())
    code = resolve(code)
    if code != SOURCE:
        _installed.append(FileTranslator(code))
        app.installTranslator(_installed[-1])
    system = QLocale.system()  # in its own language it knows better how times are written here
    QLocale.setDefault(system if system.language() is QLocale(code).language() else QLocale(code))
    return code


def speaks_source() -> bool:
    """Whether the window speaks the language in which the rest of the program does."""
    return not _installed


def primitive_name(label: str) -> str:
    """A primitive as a therapist reads it."""
    names = {
        "idle": tr("idle"),
        "reach": tr("reach"),
        "reposition": tr("reposition"),
        "stabilize": tr("stabilize"),
        "transport": tr("transport"),
        "other": tr("other"),
    }
    return names.get(label, label)


def definition_words(label: str) -> str:
    """What a label means, in the window's language."""
    return {
        "idle": tr("The arm waits, nearly still, close to what it will act on. Kept as time, not as a count."),
        "reach": tr("The arm moves to make contact with an object; it ends at the touch."),
        "reposition": tr("The empty hand moves to a new place, or back to rest, without making contact."),
        "stabilize": tr("The arm holds an object still, with next to no movement."),
        "transport": tr("The arm conveys an object through space."),
        "other": tr("Movement that is not exercise. Never counted."),
    }[label]


def key_name(keys: str) -> str:
    """A key, or several pressed together, as it is printed on a keyboard of the language: Ctrl+Z is Strg+Z."""
    names = {
        "Space": tr("Space"),
        "Enter": tr("Enter"),
        "Ctrl": tr("Ctrl"),
        "Shift": tr("Shift"),
        "Del": tr("Del"),
        "PgUp": tr("PgUp"),
        "PgDn": tr("PgDn"),
    }
    return "+".join(names.get(key, key) for key in keys.split("+"))


def decimal(value: float, digits: int = 1) -> str:
    """A number with the decimal sign of the language."""
    return QLocale().toString(float(value), "f", digits)


def signed(number: int) -> str:
    """+3, or −2 with a true minus sign."""
    return f"{number:+d}".replace("-", "−")


def patient_name(code: str) -> str:
    """A patient's code; the simulated one has a name instead, the same on every screen."""
    return tr("Demo patient") if code == DEMO.code else code


def side_name(side: str) -> str:
    return {"left": tr("left"), "right": tr("right")}.get(side, side)
