"""How many kinds of steps an exercise has, and how many slots its procedure.

In: comparable recordings. Out: numbers of kinds (states of PRISM) and slots, and how well every size tried did.

The criterion is the log joint density of the best sample, with means, covariances and shares integrated out, so that a
state or a slot that explains nothing costs. More kinds still describe movement a little better up to any number,
because it is continuous. So the number of kinds is where the gain bends: the size that lies farthest above the
straight line from the smallest to the largest size tried (2 to 9 kinds, each with two slots more than kinds), and of
sizes that lie nearly as far above it (to a tenth of the whole gain) the largest. Given it, the procedure gets the
fewest slots whose density is within 0.05 a frame of the best. Both tolerances were chosen on simulated patients and on
the fit half of the people of the drinking recordings. (The density of recordings that were left out rises up to 12
kinds, and its bend is less certain, because every group that is left out is fitted anew.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rehabcount.domain.arrays import Floats
from rehabcount.domain.steps import TriedSize
from rehabcount.models import prism
from rehabcount.models.prism import PrismSettings

KINDS = tuple(range(2, 10))
USUAL_SLOTS = 2  # more than kinds, while kinds are chosen: rest returns, and one other kind may
MORE_SLOTS = (0, 1, 2, 3)  # than kinds
FRAMES_A_KIND = 8  # at the least; fewer recordings allow fewer kinds
NEARLY = 0.10  # of the whole gain
AS_GOOD = 0.05  # a frame
TRIAL = PrismSettings(states=2, slots=4, chains=4, sweeps=150, burn_in=100, thin=5)


@dataclass(frozen=True, slots=True)
class Size:
    kinds: int
    slots: int


def choose(
    tables: Sequence[Floats],
    kinds: int | None,
    slots: int | None,
    *,
    seed: int,
    on_step: Callable[[], None] = lambda: None,
) -> tuple[Size, tuple[TriedSize, ...]]:
    """The size, where it is not given, and all that were tried, the chosen one marked."""
    if kinds is not None and slots is not None:
        return Size(kinds, slots), ()
    frames = sum(map(len, tables))
    tried: dict[Size, float] = {}

    def density(size: Size) -> float:
        if size not in tried:
            settings = replace(TRIAL, states=size.kinds, slots=size.slots, seed=seed)
            fitted = prism.fit(tables, settings)
            tried[size] = float(fitted.log_joint.max()) / frames
        on_step()
        return tried[size]

    if kinds is None:
        most = frames // FRAMES_A_KIND if slots is None else min(slots, frames // FRAMES_A_KIND)
        sizes = [Size(each, slots or each + USUAL_SLOTS) for each in KINDS if each <= most] or [Size(2, slots or 4)]
        kinds = sizes[bend([density(size) for size in sizes])].kinds
    if slots is None:
        found = {kinds + more: density(Size(kinds, kinds + more)) for more in MORE_SLOTS}
        slots = min(number for number, each in found.items() if each >= max(found.values()) - AS_GOOD)
    chosen = Size(kinds, slots)
    rows = sorted(tried.items(), key=lambda each: (each[0].kinds, each[0].slots))
    return chosen, tuple(TriedSize(size.kinds, size.slots, value, size == chosen) for size, value in rows)


def steps_of_choice(kinds: int | None, slots: int | None) -> int:
    """How often `choose` calls `on_step`, at most."""
    if kinds is not None and slots is not None:
        return 0
    return (len(KINDS) if kinds is None else 0) + (len(MORE_SLOTS) if slots is None else 0)


def bend(values: Sequence[float]) -> int:
    """The last place of those that lie nearly the farthest above the line from the first value to the last."""
    if len(values) < 3 or values[-1] <= values[0]:
        return max(range(len(values)), key=values.__getitem__)
    gain = values[-1] - values[0]
    above = [(value - values[0]) / gain - at / (len(values) - 1) for at, value in enumerate(values)]
    return max(at for at, height in enumerate(above) if height >= max(above) - NEARLY)
