"""AER and count bias against delay: one curve a training, from the results.json that `rehabcount train` leaves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rehabcount.bench.experiment import pyplot
from rehabcount.errors import DatasetMissing

INK = "#22303c"
COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


@dataclass(frozen=True, slots=True)
class DelayPoint:
    """What a decoder with this delay scores on validation."""

    delay_s: float
    aer: float
    bias: tuple[float | None, ...]

    @property
    def worst_bias(self) -> float:
        return max((abs(each) for each in self.bias if each is not None), default=0.0)


def read_curve(folder: Path) -> list[DelayPoint]:
    """The points of a training; a DatasetMissing where it left none."""
    path = folder / "results.json"
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["curve"]
        curve = [DelayPoint(each["delay_s"], each["aer"], tuple(each["bias"])) for each in entries]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise DatasetMissing(f"{path} holds no curve.", advice="Train a stream: rehabcount train stream.") from problem
    if not curve:
        raise DatasetMissing(f"{path} holds no curve.", advice="Only a stream has one, and it needs validation trials.")
    return curve


def draw_curves(curves: Mapping[str, Sequence[DelayPoint]], path: Path, title: str) -> None:
    """AER above, the largest count bias of a label below."""
    plt = pyplot()
    figure, (above, below) = plt.subplots(2, 1, figsize=(7.2, 6.0), dpi=110, sharex=True, facecolor="white")
    for (name, curve), colour in zip(curves.items(), COLOURS * len(curves), strict=False):
        delays = [point.delay_s for point in curve]
        above.plot(delays, [point.aer for point in curve], "o-", color=colour, label=name, ms=5)
        below.plot(delays, [100 * point.worst_bias for point in curve], "o-", color=colour, ms=5)
    below.axhline(3, color="#999999", lw=1, ls="--")
    above.set_ylabel("AER", color=INK)
    below.set_ylabel("largest count bias, %", color=INK)
    below.set_xlabel("delay, s", color=INK)
    for axis in (above, below):
        axis.spines[["top", "right"]].set_visible(False)
        axis.set_ylim(0, 1.08 * axis.get_ylim()[1])
    above.legend(frameon=False, fontsize=9)
    figure.suptitle(title, fontsize=10.5, color=INK, x=0.01, ha="left")
    figure.tight_layout(rect=(0, 0, 1, 0.97))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)
