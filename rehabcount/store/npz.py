"""Archives of arrays (npz) of unknown origin: no array can claim more than its bytes, and all are bounded.

A wrong archive or array is a ValueError; a file that cannot be read is an OSError.
"""

from __future__ import annotations

import contextlib
import math
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from rehabcount.store.foreign import opened

MOST_UNPACKED = 256 << 20  # bytes of all arrays of one npz
MOST_ARRAYS = 100_000  # in one npz
KINDS = "biufUS"  # of arrays: truth values, numbers, text
LAST_CHARACTER = 0x10FFFF
SURROGATES = (0xD800, 0xDFFF)  # halves of a character: nothing can write them


class Arrays(Mapping[str, NDArray[Any]]):
    """The arrays of an npz by name, each read at its first use. ValueError if one cannot be read."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        members = archive.infolist()
        self._members = {info.filename.removesuffix(".npy"): info for info in members if info.filename.endswith(".npy")}
        if len(members) > MOST_ARRAYS or sum(info.file_size for info in members) > MOST_UNPACKED:
            raise ValueError(f"its arrays claim more than {MOST_UNPACKED >> 20} MB")
        if any(info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for info in members):
            raise ValueError("it is packed in a way that no npz is")

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __getitem__(self, name: str) -> NDArray[Any]:
        info = self._members[name]
        with _soundly(name), self._archive.open(info) as file:
            return _array(file, info.file_size)

    def need(self, name: str) -> NDArray[Any]:
        """The array of that name; ValueError if there is none."""
        if name not in self._members:
            raise ValueError(f"there is no array {name!r}")
        return self[name]


@contextlib.contextmanager
def open_arrays(path: Path) -> Iterator[Arrays]:
    """The npz at `path`. ValueError: it is no npz, or an array cannot be read; OSError: the file cannot be read."""
    with opened(path) as file:
        with _soundly("it"):
            archive = zipfile.ZipFile(file)
            arrays = Arrays(archive)
        with archive:
            yield arrays


@contextlib.contextmanager
def _soundly(what: str) -> Iterator[None]:
    """Damaged bytes make zipfile, zlib, struct and numpy raise nearly any exception: all become ValueError."""
    try:
        yield
    except Exception as problem:
        raise ValueError(f"{what} cannot be read ({problem})") from problem


def _array(file: IO[bytes], size: int) -> NDArray[Any]:
    version = npy.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"format {version} is none that numpy writes for plain arrays")
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, dtype = read(file)
    if dtype.kind not in KINDS:
        raise ValueError(f"it holds {'Python objects' if dtype.hasobject else dtype}, where numbers or text belong")
    if math.prod(shape) * dtype.itemsize != size - file.tell() or min(shape, default=0) < 0:
        raise ValueError(f"it claims a shape of {shape}, which its {size} bytes cannot be")
    held = np.frombuffer(file.read(), dtype) if math.prod(shape) else np.zeros(0, dtype)
    array = held.reshape(shape, order="F" if fortran else "C").astype(dtype.newbyteorder("="))
    if dtype.kind == "U" and array.size:
        codes = np.ascontiguousarray(array).view(np.uint32)
        if codes.max() > LAST_CHARACTER or ((codes >= SURROGATES[0]) & (codes <= SURROGATES[1])).any():
            raise ValueError("its text holds what is no character")
    return array
