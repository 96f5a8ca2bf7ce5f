"""Artifacts: find one, verify it, open it.

An artifact is a folder with `model.onnx`, `card.json`, `golden.npz` and `SHA256SUMS`. Its hash is that of SHA256SUMS,
which holds the hashes of the other three. A session keeps this hash, so that its artifact can be found when there are
newer ones.

Opening checks, in this order: that all files exist with a plausible size, their sums, the card, the network's signature
and name, that the golden input gives the golden output on this machine, and that a window as filled at the bedside
gives a valid output. The sums protect against accidents only, because the author of an artifact also makes its sums; so
the content is checked, too."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy

from rehabcount.domain.document import MOST_JSON, shown
from rehabcount.domain.message import Code, Message
from rehabcount.domain.session_summary import described
from rehabcount.errors import ArtifactError, ArtifactMissing, ChecksumMismatch, InferenceError, ModelMismatch
from rehabcount.inference.card import ModelCard, called, read_card
from rehabcount.inference.runtime import Array, Model

NETWORK, CARD, GOLDEN, SUMS = "model.onnx", "card.json", "golden.npz", "SHA256SUMS"
FILES = (NETWORK, CARD, GOLDEN)
SHIPPED = Path(__file__).parent / "shipped"
GOLDEN_TOLERANCE = 1e-4  # rounding differs between processors; a wrong network differs by far more
SHORTEST_HASH = 8  # digits by which an artifact may be called
# Bytes of each file; packing allows 6 MB for all of them together. What is larger is not even read.
LARGEST = {NETWORK: 100_000_000, CARD: MOST_JSON, GOLDEN: 10_000_000, SUMS: 10_000}
GOLDEN_KINDS = "fi"  # floating and whole numbers
AGAIN = Message.of(Code.DO_GET_MODEL)


@dataclass(frozen=True, slots=True)
class Artifact:
    """A verified folder."""

    folder: Path
    card: ModelCard
    sha256: str

    @property
    def is_shipped(self) -> bool:
        """Whether it came with this rehabcount."""
        return self.sha256 in shipped_hashes()


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_sums(folder: Path) -> None:
    lines = [f"{file_sha256(folder / name)}  {name}\n" for name in FILES]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def verify(folder: Path) -> Artifact:
    """Files, sums and card of the artifact in `folder`."""
    try:
        return _verified(folder, FILES)
    except OSError as problem:
        raise ArtifactMissing(
            Message.of(Code.MODEL_UNREADABLE, folder=called(folder), why=str(problem.strerror))
        ) from problem


def verify_card(folder: Path) -> Artifact:
    """Sums and card alone, for callers that need only the card; the network may be missing or altered."""
    try:
        return _verified(folder, (CARD,))
    except OSError as problem:
        raise ArtifactMissing(
            Message.of(Code.MODEL_CARD_UNREADABLE, folder=called(folder), why=str(problem.strerror))
        ) from problem


def _verified(folder: Path, files: Iterable[str]) -> Artifact:
    name = called(folder)
    if not folder.is_dir():
        raise ArtifactMissing(Message.of(Code.MODEL_NOT_THERE, folder=name), advice=Message.of(Code.DO_SEE_INSTALLED))
    for each in (*files, SUMS):
        if not (folder / each).is_file():
            raise ArtifactMissing(Message.of(Code.MODEL_LACKS, folder=name, file=each), advice=AGAIN)
        if (folder / each).stat().st_size > LARGEST[each]:
            raise ChecksumMismatch(
                Message.of(Code.MODEL_TOO_LARGE, file=each, folder=name, n=LARGEST[each]), advice=AGAIN
            )
    sums = _sums(folder)
    for each in files:
        if sums.get(each) != file_sha256(folder / each):
            raise ChecksumMismatch(Message.of(Code.MODEL_CHANGED, file=each, folder=name), advice=AGAIN)
    return Artifact(folder, read_card(folder / CARD), file_sha256(folder / SUMS))


def _sums(folder: Path) -> dict[str, str]:
    sums: dict[str, str] = {}
    for number, line in enumerate((folder / SUMS).read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        digest, _, name = line.partition("  ")
        if name not in FILES or name in sums:
            raise ChecksumMismatch(
                Message.of(Code.MODEL_STRANGE_SUM, file=SUMS, folder=called(folder), line=number), advice=AGAIN
            )
        sums[name] = digest
    return sums


def open_model(folder: Path) -> Model:
    """The artifact's network, verified down to its golden output."""
    found = verify(folder)
    model = Model(folder / NETWORK, found.card)
    try:
        check_golden(model, folder / GOLDEN)
        model.try_out()
    except InferenceError as problem:
        raise ModelMismatch(
            Message.of(Code.MODEL_CANNOT_COUNT, folder=called(folder)), *problem.what, advice=AGAIN
        ) from problem
    return model


@dataclass(frozen=True, slots=True)
class Opened:
    """A network ready to run, and which artifact it is: sessions keep its hash."""

    model: Model
    sha256: str

    @property
    def card(self) -> ModelCard:
        return self.model.card

    @property
    def name(self) -> str:
        return f"{self.card.name} {self.card.version}"

    @property
    def is_shipped(self) -> bool:
        """Whether it came with this rehabcount."""
        return self.sha256 in shipped_hashes()

    @property
    def described(self) -> str:
        """Its name, and that it is not shipped, if so; shown beside its counts."""
        return described(self.name, self.is_shipped)


def check_golden(model: Model, path: Path) -> None:
    """ModelMismatch unless the golden input gives the golden output."""
    try:
        golden = dict(_arrays(path))
        feed = {tensor.name: golden[f"in/{tensor.name}"] for tensor in model.card.network_inputs}
        wanted = {tensor.name: golden[f"out/{tensor.name}"] for tensor in model.card.network_outputs}
    except Exception as problem:  # zipfile, zlib and numpy raise a dozen types for a file that is no archive of arrays
        raise ModelMismatch(
            Message.of(Code.MODEL_NOT_GOLDEN, file=path.name, folder=called(path.parent), why=str(problem)),
            advice=Message.of(Code.DO_GET_MODEL_AGAIN),
        ) from problem
    found = model.run(feed)
    for name, expected in wanted.items():
        shapes_differ = found[name].shape != expected.shape
        if shapes_differ or not np.allclose(found[name], expected, atol=GOLDEN_TOLERANCE, rtol=GOLDEN_TOLERANCE):
            raise ModelMismatch(
                Message.of(Code.MODEL_OTHER_OUTPUT, model=f"{model.card.name} {model.card.version}", name=name),
                advice=Message.of(Code.DO_GET_MODEL_OR_REPORT),
            )


def _arrays(path: Path) -> Iterator[tuple[str, Array]]:
    """The arrays of an npz file; one that claims more bytes than a file may have is refused."""
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.file_size > LARGEST[GOLDEN]:
                raise ValueError(f"{member.filename!r} has {member.file_size} bytes")
            with archive.open(member) as file:
                yield member.filename.removesuffix(".npy"), _array(file, member.file_size)


def _array(file: IO[bytes], size: int) -> Array:
    version = npy.read_magic(file)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, dtype = read(file)
    if dtype.kind not in GOLDEN_KINDS:
        raise ValueError(f"an array of {dtype}")
    return np.frombuffer(file.read(size), dtype).reshape(shape, order="F" if fortran else "C")


def list_artifacts(folders: Iterable[Path]) -> list[tuple[Path, Artifact | ArtifactError]]:
    """Every artifact in the folders, verified or with its error, in order of name."""
    found: list[tuple[Path, Artifact | ArtifactError]] = []
    for folder in folders:
        for each in candidates(folder):
            try:
                found.append((each, verify(each)))
            except ArtifactError as problem:
                found.append((each, problem))
    return found


def candidates(folder: Path) -> list[Path]:
    """Folders that look like artifacts; none if the folder is missing or not readable."""
    try:
        return [each for each in sorted(folder.iterdir()) if _has_card(each)]
    except OSError:
        return []


def _has_card(folder: Path) -> bool:
    try:
        return folder.is_dir() and (folder / CARD).exists()
    except OSError:  # a name that is too long for the disk
        return False


@cache
def shipped_hashes() -> frozenset[str]:
    """The hashes of the shipped artifacts; a copy of one elsewhere has the same hash."""
    return frozenset(file_sha256(each / SUMS) for each in candidates(SHIPPED))


def find(which: str, folders: Iterable[Path]) -> Artifact:
    """The artifact called `which`: a folder, a name (newest version), name-version, or the beginning of its hash."""
    if _has_card(Path(which)):
        return verify(Path(which))
    every = list_artifacts(folders)
    good = [artifact for _, artifact in every if isinstance(artifact, Artifact)]
    by_hash = [a for a in good if len(which) >= SHORTEST_HASH and a.sha256.startswith(which.lower())]
    exact = [a for a in good if f"{a.card.name}-{a.card.version}" == which]
    by_name = [a for a in good if a.card.name == which]
    chosen = by_hash or exact or by_name
    if chosen:
        return max(chosen, key=lambda a: _version(a.card.version))
    for folder, problem in every:
        if isinstance(problem, ArtifactError) and (folder.name == which or folder.name.startswith(f"{which}-")):
            raise problem
    names = sorted({f"{a.card.name}-{a.card.version}" for a in good})
    raise ArtifactMissing(
        Message.of(Code.MODEL_UNKNOWN, model=shown(which)),
        advice=Message.of(Code.DO_INSTALLED, models=", ".join(names)) if names else Message.of(Code.DO_NONE_INSTALLED),
    )


def _version(text: str) -> tuple[tuple[int, int | str], ...]:
    """1.10 after 1.9; a part that is no number comes before numbers."""
    return tuple((1, int(part)) if part.isdecimal() else (0, part) for part in text.split("."))
