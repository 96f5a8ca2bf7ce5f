"""The functions of the package `bedside` that the API uses: model and settings of this machine, and the commands' work.

The functions behind are imported when they are needed; so is the network.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rehabcount.signals.align import AlignSettings

if TYPE_CHECKING:
    from rehabcount.bedside.counting import Counted
    from rehabcount.domain.arrays import Floats
    from rehabcount.domain.rig import Side
    from rehabcount.domain.steps import FoundSteps
    from rehabcount.inference.artifact import Opened
    from rehabcount.simulate.recording import Recording


def open_model(which: str) -> Opened:
    """The model called `which`; empty: the shipped one that the commands count with."""
    from rehabcount.bedside.chosen_model import open_chosen
    from rehabcount.bedside.config import load_settings

    return open_chosen(load_settings(), which)


def align_settings() -> AlignSettings:
    """How sensors are aligned on this machine; the commands read the same file."""
    from rehabcount.bedside.config import load_settings

    return load_settings().align


def count_file(path: Path, model: Opened, side: Side | None, *, keep: bool) -> Counted:
    """What `rehabcount count` does with one file."""
    from rehabcount.bedside import counting
    from rehabcount.bedside.config import load_settings

    return counting.count_file(path, model, load_settings(), side=side, keep=keep)


def save_recording(recording: Recording, path: Path) -> None:
    """What `rehabcount simulate` writes."""
    from rehabcount.bedside.simulated_file import save

    save(recording, path)


def discover_files(
    paths: Sequence[Path],
    repetitions: str,
    size: tuple[int | None, int | None, int],
    on_progress: Callable[[str, int, int], None],
) -> FoundSteps:
    """What `rehabcount discover` finds in these files; `size` has kinds, slots and the seed."""
    from rehabcount.bedside import discovering

    wanted = [discovering.Wanted(path, (), discovering.layer_called(repetitions)) for path in paths]
    stretches = discovering.renamed(discovering.read_stretches(wanted, align_settings(), lambda: None))
    return discovering.find(stretches, discovering.DiscoverySettings(*size), on_progress)


def discover_arrays(
    arrays: Sequence[Floats],
    rate_hz: float,
    size: tuple[int | None, int | None, int],
    on_progress: Callable[[str, int, int], None],
) -> FoundSteps:
    """The same in arrays."""
    from rehabcount.bedside import discovering

    names = [f"recording {number}" for number in range(len(arrays))]
    return discovering.find_in_arrays(arrays, rate_hz, names, discovering.DiscoverySettings(*size), on_progress)
