"""Archives of arrays of unknown origin: bounded before they are read."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from rehabcount.store import npz
from rehabcount.store.npz import open_arrays


def packed(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return path


def npy(header: str, content: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    return b"\x93NUMPY" + version + len(header).to_bytes(2, "little") + header.encode() + content


def test_arrays_come_back_as_numpy_wrote_them(tmp_path: Path) -> None:
    held = {
        "t/reference": np.arange(6).reshape(2, 3),
        "big": np.arange(3, dtype=">i4"),
        "turned": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "words": np.array(["reach", "ä", ""]),
        "none": np.zeros((0, 3)),
        "one": np.array(200.0),
    }
    np.savez_compressed(tmp_path / "a.npz", allow_pickle=False, **held)
    with open_arrays(tmp_path / "a.npz") as found:
        assert set(found) == set(held)
        for name, array in held.items():
            np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (npy("{'descr': '<i8', 'fortran_order': False, 'shape': (20000000000,), }\n", bytes(8)), "which its"),
        (npy("{'descr': '<i8', 'fortran_order': False, 'shape': (-1,), }\n", bytes(8)), "which its"),
        (npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n", bytes(8)), "holds Python objects"),
        (npy("{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }\n", b"\xff\xff\xff\x7f"), "no character"),
        (npy("(" * 5000), "cannot be read"),
        (npy("{}\n", version=b"\x09\x09"), "cannot be read"),
        (b"no array", "cannot be read"),
    ],
)
def test_an_array_that_is_none_is_a_value_error(tmp_path: Path, content: bytes, complaint: str) -> None:
    with open_arrays(packed(tmp_path / "a.npz", a=content)) as found, pytest.raises(ValueError, match=complaint):
        found["a"]


def test_an_archive_that_is_none_is_a_value_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.npz").write_bytes(b"PK\x03\x04 and nothing more")
    with pytest.raises(ValueError, match="cannot be read"), open_arrays(tmp_path / "a.npz"):
        pass
    file = io.BytesIO()
    np.save(file, np.zeros(100))
    monkeypatch.setattr(npz, "MOST_UNPACKED", 500)
    with pytest.raises(ValueError, match="claim more than"), open_arrays(packed(tmp_path / "b.npz", a=file.getvalue())):
        pass
