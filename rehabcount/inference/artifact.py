"""Artifacts: find one, verify it, open it.

An artifact is a folder with `model.onnx`, `card.json`, `golden.npz` and `SHA256SUMS`. Its hash is that of SHA256SUMS,
which holds the hashes of the other three: a session keeps it, and an artifact stays findable by it after newer ones
came.

Opening checks, in this order: that all files are there, their sums, the card, the network's signature and name, and
that the golden input gives the golden output here, on this machine.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rehabcount.errors import ArtifactError, ArtifactMissing, ChecksumMismatch, ModelMismatch
from rehabcount.inference.card import ModelCard, read_card
from rehabcount.inference.runtime import Model

NETWORK, CARD, GOLDEN, SUMS = "model.onnx", "card.json", "golden.npz", "SHA256SUMS"
FILES = (NETWORK, CARD, GOLDEN)
SHIPPED = Path(__file__).parent / "shipped"
GOLDEN_TOLERANCE = 1e-4  # other processors round otherwise; a wrong network is off by far more
SHORTEST_HASH = 8  # digits by which an artifact may be called


@dataclass(frozen=True, slots=True)
class Artifact:
    """A verified folder."""

    folder: Path
    card: ModelCard
    sha256: str


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_sums(folder: Path) -> None:
    lines = [f"{file_sha256(folder / name)}  {name}\n" for name in FILES]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def verify(folder: Path) -> Artifact:
    """Files, sums and card of the artifact in `folder`."""
    again = "Get the artifact again, whole."
    if not folder.is_dir():
        raise ArtifactMissing(f"there is no model in {folder}.", advice="See what there is: rehabcount models.")
    for name in (*FILES, SUMS):
        if not (folder / name).is_file():
            raise ArtifactMissing(f"the model in {folder} lacks {name}.", advice=again)
    sums = {}
    for number, line in enumerate((folder / SUMS).read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        digest, _, name = line.partition("  ")
        if name not in FILES or name in sums:
            raise ChecksumMismatch(f"{SUMS} of {folder.name}, line {number}: not a sum of this artifact.", advice=again)
        sums[name] = digest
    for name in FILES:
        if sums.get(name) != file_sha256(folder / name):
            raise ChecksumMismatch(f"{name} of the model in {folder} is not the file that was packed.", advice=again)
    return Artifact(folder, read_card(folder / CARD), file_sha256(folder / SUMS))


def open_model(folder: Path) -> Model:
    """The artifact's network, verified down to its golden output."""
    found = verify(folder)
    model = Model(folder / NETWORK, found.card)
    check_golden(model, folder / GOLDEN)
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


def check_golden(model: Model, path: Path) -> None:
    """ModelMismatch unless the golden input gives the golden output."""
    try:
        with np.load(path, allow_pickle=False) as file:
            golden = {name: file[name] for name in file.files}
        feed = {tensor.name: golden[f"in/{tensor.name}"] for tensor in model.card.network_inputs}
        wanted = {tensor.name: golden[f"out/{tensor.name}"] for tensor in model.card.network_outputs}
    except (KeyError, ValueError, OSError, zipfile.BadZipFile) as problem:
        raise ModelMismatch(
            f"{path.name} is not a golden window: {problem}.", advice="Get the artifact again."
        ) from problem
    found = model.run(feed)
    for name, expected in wanted.items():
        shapes_differ = found[name].shape != expected.shape
        if shapes_differ or not np.allclose(found[name], expected, atol=GOLDEN_TOLERANCE, rtol=GOLDEN_TOLERANCE):
            raise ModelMismatch(
                f"model {model.card.name} {model.card.version} does not give its golden output here ({name}).",
                advice="Get the artifact again; if that does not help, report it with the machine's processor.",
            )


def list_artifacts(folders: Iterable[Path]) -> list[tuple[Path, Artifact | ArtifactError]]:
    """Every artifact in the folders, verified or with what is wrong, in order of name."""
    found: list[tuple[Path, Artifact | ArtifactError]] = []
    for folder in folders:
        for each in sorted(folder.iterdir()) if folder.is_dir() else []:
            if each.is_dir() and (each / CARD).exists():
                try:
                    found.append((each, verify(each)))
                except ArtifactError as problem:
                    found.append((each, problem))
    return found


def find(which: str, folders: Iterable[Path]) -> Artifact:
    """The artifact called `which`: a folder, a name (newest version), name-version, or the beginning of its hash."""
    if Path(which).is_dir() and (Path(which) / CARD).exists():
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
    names = sorted({a.card.name for a in good})
    raise ArtifactMissing(
        f"there is no model {which!r}.", advice=f"There are: {', '.join(names)}." if names else "No model is installed."
    )


def _version(text: str) -> tuple[tuple[int, int | str], ...]:
    """1.10 after 1.9; a part that is no number comes before numbers."""
    return tuple((1, int(part)) if part.isdigit() else (0, part) for part in text.split("."))
