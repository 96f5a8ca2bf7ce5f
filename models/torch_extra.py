"""Whether torch is installed: the extra `train` has it, the bedside install does not."""

from __future__ import annotations

from importlib.util import find_spec

from rehabcount.errors import MissingExtra


def require_torch() -> None:
    """MissingExtra, with the command that helps, where torch is not installed. torch itself is not loaded by this."""
    for library in ("torch", "onnx"):
        if find_spec(library) is None:
            raise MissingExtra(library, "train")
