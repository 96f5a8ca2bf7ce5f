"""Which share of what real people's sensors measure was simulated: five corpora, one second at a time.

`rehabcount bench real coverage --data recordings --set simulated=FOLDER` (a training set of recipe bedside; several
with commas). How a window is described and when it is outside: `rehabcount.bench.coverage`. Real recordings go through
the same chain as the benches that count them: virtual sensors on markers (drinking, MoCA), worn sensors (Kiel,
OpenPack, PTE). Every corpus is compared on the body parts whose sensors it has.

A half of each corpus (`fit`) may guide the simulator: drinking 01-09 and S1-S9; the first half of the people of Kiel
and PTE; of MoCA and OpenPack, with one person, the first half of each recording. Gaps are listed for this half only.

`before=FOLDER` gives a second simulation to compare with, for the picture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rehabcount.bench import real_arms, real_drinking, real_still
from rehabcount.bench.coverage import (
    Covered,
    Simulated,
    WindowSet,
    by_kind,
    in_words,
    joined,
    simulated_windows,
    windows,
)
from rehabcount.bench.experiment import Claim, Context, Experiment, FigureValue, Results, Value, pyplot
from rehabcount.bench.worn_walk import arms_rows, rows_of
from rehabcount.datasets import drinking_imus, kiel, moca_imus, openpack, pte
from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import FRAME_RATE_HZ, Rows
from rehabcount.domain.rig import Side
from rehabcount.errors import ConfigError, DatasetMissing
from rehabcount.models.data import TrainingSet, read_set
from rehabcount.signals.features import BEDSIDE

INK = "#22303c"
HALVES = ("fit", "test")
MOST_WINDOWS = 80_000  # of a simulation, about
OWN, FIRST = "its own limit", "the limit of the first"
TURNS = 12  # ways of wearing a sensor that are tried where that is unknown
ANY_WAY = ("pte",)  # each window is there once for every way
COLOURS = {("before", OWN): "#9aa0a6", ("simulated", OWN): "#56b4e9", ("simulated", FIRST): "#0072b2"}


@dataclass(frozen=True, slots=True)
class RealWindows:
    """Windows of one stretch of a corpus."""

    corpus: str
    parts: tuple[str, ...]
    kind: str
    half: str  # fit or test
    values: Floats


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """One half of one corpus against one simulation, by one limit."""

    corpus: str
    parts: tuple[str, ...]
    half: str
    name: str  # of the simulation
    ruler: str
    windows: int
    covered: Covered
    kinds: Mapping[str, float]

    @property
    def outside(self) -> float:
        """The share outside; if it is unknown how the sensor was worn, in the way of the least."""
        return min(self.kinds.values()) if self.corpus in ANY_WAY else self.covered.outside


def read_simulated(names: str) -> dict[str, TrainingSet]:
    """Training sets by folder; a folder of folders is read as many sets."""
    found = dict[str, TrainingSet]()
    for name in filter(None, names.split(",")):
        folder = Path(name).expanduser()
        inside = [folder] if (folder / "set.json").is_file() else sorted(p.parent for p in folder.glob("*/set.json"))
        if not inside:
            raise DatasetMissing(f"{folder} holds no training set.", advice="Make one: rehabcount simulate --training.")
        found |= {str(each.resolve()): read_set(each) for each in inside}
    for data in found.values():
        if data.recipe != BEDSIDE.name:
            raise ConfigError(f"{data.name} is of recipe {data.recipe}.", advice="Simulate with --recipe bedside.")
    return found


def drinking_windows(folder: Path, every: int) -> Iterator[RealWindows]:
    parts = ("forearm", "upper-arm", "thorax")
    for number, name in enumerate(drinking_imus.trials(folder)[::every]):
        drink = drinking_imus.load(folder, name)
        rows = real_arms.rows_of(drink.parts, Side(drink.side), drink.rate_hz, drink.carrying_rad, number)
        half, people = real_drinking.half_of(name), real_drinking.people_of(name)
        yield RealWindows("drinking", parts, people, half, _inner(rows, parts))


def moca_windows(folder: Path, every: int) -> Iterator[RealWindows]:
    for number, path in enumerate(sorted((folder / "moca").glob("*.mat"))[::every]):
        kitchen = moca_imus.load(folder, path.stem)
        rows = real_arms.rows_of(kitchen.parts, Side.RIGHT, kitchen.rate_hz, 0.0, number)
        parts = ("hand", "forearm", "upper-arm")
        yield from _halves("moca", parts, path.stem.removesuffix("_tr"), _inner(rows, parts))


def kiel_windows(folder: Path, every: int) -> Iterator[RealWindows]:
    recordings = list(kiel.read_recordings(folder / "kiel"))
    people = sorted({each.person for each in recordings})
    fit = people[: (len(people) + 1) // 2]
    parts = ("forearm", "upper-arm", "thorax")
    for recording in recordings[::every]:
        for rows in arms_rows(recording).values():
            half = "fit" if recording.person in fit else "test"
            found = windows(rows.values, rows.valid, parts)
            yield RealWindows("kiel", parts, real_still.kind_of(recording.name), half, found)


def openpack_windows(folder: Path, every: int) -> Iterator[RealWindows]:
    parts = ("forearm", "upper-arm")
    for session in openpack.read_sessions(folder / "openpack"):
        for side, rows in arms_rows(session.recording).items():
            found = windows(rows.values, rows.valid, parts)[::every]
            yield from _halves("openpack", parts, f"{side} arm", found)


def pte_windows(folder: Path, every: int) -> Iterator[RealWindows]:
    """The wrist alone, as if worn in each of twelve ways: each is a kind."""
    recordings = pte.read_recordings(folder / "pte")
    people = sorted({each.person for each in recordings})
    fit = people[: (len(people) + 1) // 2]
    parts = ("forearm",)
    columns = [[BEDSIDE.index(f"forearm {name} {axis}") for axis in "xyz"] for name in ("rate", "force", "up")]
    for recording in recordings[::every]:
        rows, half = rows_of(recording, Side.RIGHT), "fit" if recording.person in fit else "test"
        for turn in range(TURNS):
            turned = np.array(rows.values)
            for vector in columns:
                turned[:, vector] = rows.values[:, vector] @ _about_length(2 * np.pi * turn / TURNS)
            kind = f"turned by {360 * turn // TURNS:03d} degrees"
            yield RealWindows("pte", parts, kind, half, windows(turned, rows.valid, parts))


def _about_length(angle: float) -> Floats:
    """A turn about y, for rows of vectors."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


CORPORA = {
    "drinking": drinking_windows,
    "moca": moca_windows,
    "kiel": kiel_windows,
    "openpack": openpack_windows,
    "pte": pte_windows,
}


def _inner(rows: Rows, parts: Sequence[str]) -> Floats:
    """Windows without the rest that `real_arms` adds at both ends."""
    held = round(real_arms.HELD_S * FRAME_RATE_HZ)
    return windows(rows.values[held:-held], rows.valid[held:-held], parts)


def _halves(corpus: str, parts: tuple[str, ...], kind: str, found: Floats) -> Iterator[RealWindows]:
    """One person only: the first half of the recording is the fit half."""
    middle = len(found) // 2
    yield RealWindows(corpus, parts, kind, "fit", found[:middle])
    yield RealWindows(corpus, parts, kind, "test", found[middle:])


def run(settings: Mapping[str, Value], context: Context) -> Results:
    """Reads the corpora that are there and compares them with the simulations that are given."""
    if not settings["simulated"]:
        raise ConfigError(
            "no simulation is given.",
            advice="Make one (rehabcount simulate --training FOLDER) and add --set simulated=FOLDER.",
        )
    if context.data is None:
        raise ConfigError("this experiment reads data.", advice="Add --data FOLDER (that holds drinking, kiel, ...).")
    given = {name: read_simulated(str(settings[name])) for name in ("before", "simulated") if settings[name]}
    there = {name: read for name, read in CORPORA.items() if (context.data / name).is_dir()}
    if not there:
        raise DatasetMissing(f"{context.data} holds none of {', '.join(CORPORA)}.", advice="Check --data.")
    every = thinning(given)
    kept = dict[str, WindowSet]()  # by folder: a set may belong to both simulations

    def drawn(name: str, parts: tuple[str, ...]) -> WindowSet:
        for folder, data in given[name].items():
            if folder not in kept:
                kept[folder] = simulated_windows(data, every)
        return joined([kept[folder] for folder in given[name]], parts)

    found = list[CoverageRow]()
    for number, (corpus, read) in enumerate(there.items(), 1):
        real = [each for each in read(context.data, 5 if context.quick else 1) if len(each.values)]
        found += compared(corpus, real, tuple(given), drawn)
        context.on_progress(corpus, number, len(there))
    if context.out is not None:
        draw(found, context.out / f"{EXPERIMENT.name}.png")
    return summary(found, given)


def thinning(given: Mapping[str, Mapping[str, TrainingSet]]) -> int:
    """One in so many windows of every simulation: the same for all, or one would be denser."""
    seconds = max(sum(sum(map(len, data.trials)) for data in sets.values()) for sets in given.values()) / FRAME_RATE_HZ
    return max(1, round(seconds / MOST_WINDOWS))


def compared(
    corpus: str, real: Sequence[RealWindows], names: Sequence[str], drawn: Callable[[str, tuple[str, ...]], WindowSet]
) -> Iterator[CoverageRow]:
    """One corpus against each simulation, by its own limit and by that of the first one."""
    parts, first = real[0].parts, None
    for name in names:
        here = drawn(name, parts)
        own = Simulated(here, parts)
        rulers = {OWN: own} if first is None else {OWN: own, FIRST: Simulated(here, parts, first)}
        first = first or own.limits
        for ruler, simulated in rulers.items():
            for half in HALVES:
                mine = [each for each in real if each.half == half]
                if mine:
                    values = np.concatenate([each.values for each in mine])
                    kinds = [each.kind for each in mine for _ in range(len(each.values))]
                    covered = simulated.compare(values)
                    shares = by_kind(covered.each, kinds)
                    yield CoverageRow(corpus, parts, half, name, ruler, len(values), covered, shares)


def summary(found: Sequence[CoverageRow], given: Mapping[str, Mapping[str, TrainingSet]]) -> Results:
    """A claim for each row; kinds and gaps are figures."""
    claims, figures = list[Claim](), dict[str, FigureValue]()
    for name, sets in given.items():
        figures[f"{name}: simulated hours"] = round(sum(sum(map(len, s.trials)) for s in sets.values()) / 360_000, 1)
    for row in found:
        outside, said, ways = row.outside, f"windows, {', '.join(row.parts)}", 1
        if row.corpus in ANY_WAY:
            ways, worst = len(row.kinds), max(row.kinds.values())
            said += f"; in the best of {ways} ways of wearing it, in the worst {worst:.2f}"
        where = f"{row.corpus}, {row.half} half"
        claims.append(
            Claim(
                where,
                f"outside of {row.name}, {row.ruler}",
                None,
                round(outside, 3),
                None,
                f"{row.windows // ways} {said}",
            )
        )
        if row.ruler == OWN and row.corpus not in ANY_WAY:
            for kind, share in row.kinds.items():
                figures[f"{where}, {kind}: outside of {row.name}"] = round(share, 3)
        if row.half == "fit" and (row.ruler == FIRST or row.name == next(iter(given))):
            figures[f"{row.corpus}: largest gaps of {row.name}"] = in_words(row.covered.gaps)
    return Results(tuple(claims), figures)


def draw(found: Sequence[CoverageRow], path: Path) -> None:
    """A bar for each corpus, half and simulation."""
    plt = pyplot()
    rows = list(dict.fromkeys((row.corpus, row.half) for row in found))
    bars = list(dict.fromkeys((row.name, row.ruler) for row in found))
    figure, axis = plt.subplots(figsize=(8, 0.22 * len(rows) * (len(bars) + 1) + 1.4), dpi=110, facecolor="white")
    height = 0.8 / len(bars)
    for number, bar in enumerate(bars):
        at = [row + (number - (len(bars) - 1) / 2) * height for row in range(len(rows))]
        shares = {(each.corpus, each.half): each.outside for each in found if (each.name, each.ruler) == bar}
        values = [100 * shares.get(row, float("nan")) for row in rows]
        axis.barh(at, values, height=0.9 * height, color=COLOURS[bar], label=f"{bar[0]}, {bar[1]}")
        for y, value in zip(at, values, strict=True):
            axis.text(value + 0.6, y, f"{value:.0f}", va="center", fontsize=7.5, color=INK)
    axis.axvline(1, color="#999999", lw=1, ls="--")
    axis.set_yticks(range(len(rows)), [f"{corpus}, {half} half" for corpus, half in rows])
    axis.invert_yaxis()
    axis.set_xlabel("windows of real people outside of the simulation, %", color=INK)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=8.5)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)


EXPERIMENT = Experiment(
    "real-coverage",
    "Which share of what real people's sensors measure lies outside of what was simulated?",
    "the corpora of the other rows",
    "recordings (drinking, moca, kiel, openpack, pte); a training set",
    "some minutes",
    run,
    {"simulated": "", "before": ""},
    alone=True,  # it needs simulations that are made for it
)
