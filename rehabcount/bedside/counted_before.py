"""Finds an earlier counting with the same inputs, so that it is not computed again.

All inputs of a count go into a key: the recorded items, rig, plan and calibration, the model's hash, the trained arm,
the settings, and the software (our code and the libraries that it uses). The key is kept as a document beside the
counting, once all of its updates are on the disk: by a count, or by a live session that ended whole. A counting without
a key (of a session that was interrupted, or old) is never reused: the file is counted again, and the results are
compared.
"""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import rehabcount
from rehabcount.domain.document import to_document
from rehabcount.domain.rig import Side
from rehabcount.domain.update import UPDATE_KINDS, Draft, Late, SensorHealth, Update
from rehabcount.signals.align import AlignSettings
from rehabcount.store.documents import CALIBRATION, COUNTED_FROM, PLAN, RIG, CountedFrom
from rehabcount.store.session_file import SessionFile
from rehabcount.store.trained_arm import side_of

_OUR_ARITHMETIC = ("domain", "store", "sensors", "signals", "inference", "engine")  # all packages that change a count
_CODE = (".py", "belief.json")  # the names of files in them that determine it
_THEIR_ARITHMETIC = ("numpy", "scipy", "vqf", "onnxruntime")
_READ = tuple(kind for kind in UPDATE_KINDS if kind not in (Draft, Late, SensorHealth))


@dataclass(frozen=True, slots=True)
class Earlier:
    """A counting of the file, with its updates except drafts and states of links."""

    number: int
    length_s: float
    updates: tuple[Update, ...]


def key_of(session: SessionFile, model: str, side: Side, align: AlignSettings) -> str:
    """Two counts with equal keys are equal."""
    about = session.about()
    newest = {kind.name: to_document(session.document(kind)) for kind in (RIG, PLAN, CALIBRATION)}
    parts = {
        "session": about.get("session"),
        "salvaged from": about.get("salvaged_from"),  # rows in the middle may be lost then
        "items": session.last_seq(),  # items are only ever added
        "documents": newest,
        "model": model,
        "side": side.value,
        "align": to_document(align),
        "arithmetic": _arithmetic(),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def find_earlier(session: SessionFile, key: str, side: Side) -> Earlier | None:
    """The counting with this key, if it is complete and still one of this arm."""
    for each in reversed(session.document_versions(COUNTED_FROM)):
        kept = each.content
        whole = kept.key == key and session.number_of_updates(kept.counting) == kept.updates
        if whole and side_of(session, kept.counting) is side:
            return Earlier(kept.counting, kept.length_s, tuple(session.updates(kept.counting, *_READ)))
    return None


def remember(session: SessionFile, number: int, key: str, length_s: float) -> None:
    """Keep the counting as the result of this key. Call it after the counting's last update was stored."""
    updates = session.number_of_updates(number)
    session.put_document(COUNTED_FROM, CountedFrom(number, key, updates, length_s))


@functools.cache
def _arithmetic() -> str:
    """A hash of our code (its version may be the same after a change) and of the libraries' versions."""
    root = Path(rehabcount.__file__).parent
    found = hashlib.sha256()
    for path in sorted(
        path for name in _OUR_ARITHMETIC for path in (root / name).rglob("*.*") if path.name.endswith(_CODE)
    ):
        found.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    found.update(repr([(name, version(name)) for name in _THEIR_ARITHMETIC]).encode())
    return found.hexdigest()
