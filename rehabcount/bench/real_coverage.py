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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rehabcount.bench import real_arms, real_drinking, real_moca, real_still
from rehabcount.bench.coverage import Simulated, by_kind, in_words, simulated_windows, windows
from rehabcount.bench.experiment import Claim, Context, Experiment, FigureValue, Results, Value, pyplot
from rehabcount.bench.worn_walk import rows_of, wearing
from rehabcount.datasets import drinking_imus, kiel, moca_imus, openpack
from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import FRAME_RATE_HZ, Rows
from rehabcount.domain.rig import Place, Side
from rehabcount.errors import ConfigError, DatasetMissing
from rehabcount.models.data import TrainingSet, read_set
from rehabcount.signals.features import BEDSIDE

INK = "#22303c"
COLOURS = {"before": "#9aa0a6", "simulated": "#0072b2"}


@dataclass(frozen=True, slots=True)
class RealWindows:
    """Windows of one stretch of a corpus."""

    corpus: str
    parts: tuple[str, ...]
    kind: str
    half: str  # fit or test
    values: Floats


def read_simulated(names: str) -> list[TrainingSet]:
    """Training sets by folder; a folder of folders is read as many sets."""
    found = list[TrainingSet]()
    for name in filter(None, names.split(",")):
        folder = Path(name).expanduser()
        inside = [folder] if (folder / "set.json").is_file() else sorted(p.parent for p in folder.glob("*/set.json"))
        if not inside:
            raise DatasetMissing(f"{folder} holds no training set.", advice="Make one: rehabcount simulate --training.")
        found += [read_set(each) for each in inside]
    for data in found:
        if data.recipe != BEDSIDE.name:
            raise ConfigError(f"{data.name} is of recipe {data.recipe}.", advice="Simulate with --recipe bedside.")
    return found


def drinking_windows(folder: Path, every: int) -> Iterator[RealWindows]:
    parts = tuple(drinking_imus.CLUSTERS)
    for number, name in enumerate(drinking_imus.trials(folder)[::every]):
        drink = drinking_imus.load(folder, name)
        rows = real_arms.rows_of(drink.parts, Side(drink.side), drink.rate_hz, drink.carrying_rad, number)
        half, people = real_drinking.half_of(name), real_drinking.people_of(name)
        yield RealWindows("drinking", parts, people, half, _inner(rows, parts))


def moca_windows(folder: Path, every: int) -> Iterator[RealWindows]:
    for number, path in enumerate(sorted((folder / "moca").glob("*.mat"))[::every]):
        kitchen = moca_imus.load(folder, path.stem)
        rows = real_arms.rows_of(kitchen.parts, Side.RIGHT, kitchen.rate_hz, 0.0, number)
        yield from _halves("moca", real_moca.PARTS, path.stem.removesuffix("_tr"), _inner(rows, real_moca.PARTS))


def kiel_windows(folder: Path, every: int) -> Iterator[RealWindows]:
    recordings = list(kiel.read_recordings(folder / "kiel"))
    people = sorted({each.person for each in recordings})
    fit = people[: (len(people) + 1) // 2]
    parts = ("forearm", "upper-arm", "thorax")
    for recording in recordings[::every]:
        for side in Side:
            rows = rows_of(recording, side)
            half = "fit" if recording.person in fit else "test"
            found = windows(rows.values, rows.valid, parts)
            yield RealWindows("kiel", parts, real_still.kind_of(recording.name), half, found)


def openpack_windows(folder: Path, every: int) -> Iterator[RealWindows]:
    parts = ("forearm", "upper-arm")
    for session in openpack.read_sessions(folder / "openpack"):
        for side in Side:
            worn = wearing(session.recording, (Place.on(side, "wrist"), Place.on(side, "upper-arm")))
            rows = rows_of(worn, side)
            found = windows(rows.values, rows.valid, parts)[::every]
            yield from _halves("openpack", parts, f"{side} arm", found)


CORPORA = {
    "drinking": drinking_windows,
    "moca": moca_windows,
    "kiel": kiel_windows,
    "openpack": openpack_windows,
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
    shares = dict[tuple[str, str, str], float]()
    claims, figures = list[Claim](), dict[str, FigureValue]()
    for name, sets in given.items():
        figures[f"{name}: simulated sets"] = len(sets)
        figures[f"{name}: simulated hours"] = round(sum(sum(map(len, s.trials)) for s in sets) / 360_000, 1)
    there = {name: read for name, read in CORPORA.items() if (context.data / name).is_dir()}
    if not there:
        raise DatasetMissing(f"{context.data} holds none of {', '.join(CORPORA)}.", advice="Check --data.")
    for number, (corpus, read) in enumerate(there.items(), 1):
        real = [each for each in read(context.data, 5 if context.quick else 1) if len(each.values)]
        for name, sets in given.items():
            parts = real[0].parts
            simulated = Simulated(simulated_windows(sets, parts), parts)
            for half in ("fit", "test"):
                mine = [each for each in real if each.half == half]
                if not mine:
                    continue
                values = np.concatenate([each.values for each in mine])
                kinds = [each.kind for each in mine for _ in range(len(each.values))]
                found = simulated.compare(values)
                shares[corpus, half, name] = found.outside
                claims.append(
                    Claim(
                        f"{corpus}, {half} half",
                        f"share of windows outside, {name}",
                        None,
                        round(found.outside, 3),
                        None,
                        f"{len(values)} windows, {', '.join(parts)}; 0.01 would be perfect",
                    )
                )
                for kind, share in by_kind(found.each, kinds).items():
                    figures[f"{corpus}, {half} half, {kind}: outside, {name}"] = round(share, 3)
                if half == "fit":
                    figures[f"{corpus}: largest gaps of {name}"] = in_words(found.gaps)
        context.on_progress(corpus, number, len(there))
    if context.out is not None:
        draw(shares, list(given), context.out / f"{EXPERIMENT.name}.png")
    return Results(tuple(claims), figures)


def draw(shares: Mapping[tuple[str, str, str], float], names: Sequence[str], path: Path) -> None:
    """A bar for each corpus, half and simulation."""
    plt = pyplot()
    rows = list(dict.fromkeys((corpus, half) for corpus, half, _ in shares))
    figure, axis = plt.subplots(figsize=(7.5, 0.45 * len(rows) + 1.4), dpi=110, facecolor="white")
    height = 0.8 / len(names)
    for number, name in enumerate(names):
        at = [row + (number - (len(names) - 1) / 2) * height for row in range(len(rows))]
        values = [100 * shares.get((*row, name), float("nan")) for row in rows]
        axis.barh(at, values, height=0.92 * height, color=COLOURS[name], label=name)
        for y, value in zip(at, values, strict=True):
            axis.text(value + 0.6, y, f"{value:.0f}", va="center", fontsize=8, color=INK)
    axis.axvline(1, color="#999999", lw=1, ls="--")
    axis.set_yticks(range(len(rows)), [f"{corpus}, {half}" for corpus, half in rows])
    axis.invert_yaxis()
    axis.set_xlabel("windows outside of the simulation, %", color=INK)
    axis.spines[["top", "right"]].set_visible(False)
    if len(names) > 1:
        axis.legend(frameon=False, fontsize=9)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)


EXPERIMENT = Experiment(
    "real-coverage",
    "Which share of what real people's sensors measure lies outside of what was simulated?",
    "the corpora of the other rows",
    "drinking, moca, kiel, openpack, pte, as far as there; a simulated training set",
    "some minutes",
    run,
    {"simulated": "", "before": ""},
    "",
)
