"""Real people drinking: does a recogniser that saw simulated people only count their movements?

59 drinks of ten stroke patients and ten healthy people, recorded by cameras; virtual IMUs on thorax, upper arm and
forearm. Every trial is one drink, so the truth is known without labels: one reach, two transports (to the mouth and
back), one reposition. Simulator and networks were not fitted to people of the test half (S11 to S21, 11 to 23).

Our bounds: totals within 20 %, and in 80 % of the trials at most one movement too many or too few. They are judged one
by one on the test half, and all together on either half: two bounds for three labels of two groups are twelve. After
stroke, both halves together, 70 % of the trials must have exactly the right transports.

Citation: Averta et al., U-Limb, GigaScience 2021 (recordings; Hannover site, task 12).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rehabcount.bench.experiment import Claim, Context, Experiment, FigureValue, Results, Value
from rehabcount.bench.real_arms import recogniser_of, rows_of
from rehabcount.datasets import drinking_imus
from rehabcount.datasets.drinking import FIT_SUBJECTS
from rehabcount.domain.rig import Side

TRUTH = {"reach": 1, "transport": 2, "reposition": 1}
LARGEST_BIAS, SMALLEST_SHARE = 0.20, 0.80
SMALLEST_EXACT = 0.70  # of the transports after stroke, both halves
PARTS = tuple(drinking_imus.CLUSTERS)


@dataclass(frozen=True, slots=True)
class CountedDrink:
    """The movements that were counted in one trial, by label."""

    trial: str
    moves: tuple[str, ...]

    @property
    def person(self) -> str:
        return self.trial.split("_")[0]


def run(settings: Mapping[str, Value], context: Context) -> Results:
    """Every drink through the chain and the recogniser; nothing is fitted here."""
    folder = context.folder("drinking")
    folder = folder.parent if folder.name == "drinking" else folder
    recognise, model = recogniser_of(str(settings["model"]), PARTS)
    names = drinking_imus.trials(folder)
    names = names[::6] if context.quick else names
    found = []
    for number, name in enumerate(names, 1):
        drink = drinking_imus.load(folder, name)
        rows = rows_of(drink.parts, Side(drink.side), drink.rate_hz, drink.carrying_rad, int(settings["seed"]) + number)
        found.append(CountedDrink(name, tuple(label for label, _ in recognise(rows))))
        context.on_progress(name, number, len(names))
    return summary(found, model)


def half_of(trial: str) -> str:
    return "fit" if trial.split("_")[0] in FIT_SUBJECTS else "test"


def people_of(trial: str) -> str:
    return "stroke" if trial.startswith("S") else "healthy"


def summary(found: Sequence[CountedDrink], model: str) -> Results:
    """Totals and trials right to within one; stroke and healthy apart, the test half judged."""
    claims, figures = [*_together(found)], dict[str, FigureValue]()
    for half in ("test", "fit"):
        for people in ("stroke", "healthy"):
            trials = [each for each in found if half_of(each.trial) == half and people_of(each.trial) == people]
            if not trials:
                continue
            where = f"{half} half, {people}, {len({each.person for each in trials})} people"
            for label, true in TRUTH.items():
                counts = [each.moves.count(label) for each in trials]
                ratio = sum(counts) / (true * len(trials))
                share = sum(abs(count - true) <= 1 for count in counts) / len(trials)
                judged = half == "test"
                claims += [
                    Claim(
                        where,
                        f"{label}, counted / true less 1",
                        None,
                        round(ratio - 1, 3),
                        abs(ratio - 1) <= LARGEST_BIAS if judged else None,
                        f"{sum(counts)} of {true * len(trials)}; bound 0.20",
                    ),
                    Claim(
                        where,
                        f"{label}, trials right to within one",
                        None,
                        round(share, 3),
                        share >= SMALLEST_SHARE if judged else None,
                        f"{len(trials)} trials; bound 0.80",
                    ),
                    Claim(
                        where,
                        f"{label}, trials exactly right",
                        None,
                        round(sum(count == true for count in counts) / len(trials), 3),
                        None,
                        "no bound" + ("; none at all is right to within one" if true == 1 else ""),
                    ),
                ]
    figures["model"] = model
    for each in found:
        figures[each.trial] = " ".join(each.moves)
    return Results(tuple(claims), figures)


def _together(found: Sequence[CountedDrink]) -> Iterator[Claim]:
    """How many of the bounds each half meets, and the transports that are exactly right after stroke."""
    for half in ("test", "fit"):
        met = list[bool]()
        for people in ("stroke", "healthy"):
            trials = [each for each in found if half_of(each.trial) == half and people_of(each.trial) == people]
            for label, true in TRUTH.items() if trials else ():
                counts = [each.moves.count(label) for each in trials]
                met.append(abs(sum(counts) / (true * len(trials)) - 1) <= LARGEST_BIAS)
                met.append(sum(abs(count - true) <= 1 for count in counts) / len(trials) >= SMALLEST_SHARE)
        if met:
            yield Claim(f"{half} half", "bounds met", None, sum(met), all(met), f"of {len(met)}")
    for where in ("both halves", "test half", "fit half"):
        trials = [
            each
            for each in found
            if people_of(each.trial) == "stroke" and where in ("both halves", f"{half_of(each.trial)} half")
        ]
        if trials:
            right = sum(each.moves.count("transport") == TRUTH["transport"] for each in trials)
            share, said = right / len(trials), f"{right} of {len(trials)}"
            if where == "both halves":
                said += f"; bound {SMALLEST_EXACT:.2f}"
            met_here: bool | None = share >= SMALLEST_EXACT if where == "both halves" else None
            yield Claim(f"{where}, stroke", "transport, trials exactly right", None, round(share, 3), met_here, said)


EXPERIMENT = Experiment(
    "real-drinking",
    "Does a recogniser that saw simulated people only count the movements of real patients drinking?",
    "Averta et al. 2021 (recordings)",
    "drinking (folder drinking)",
    "a minute",
    run,
    {"model": "stream", "seed": 1},
    "drinking",
)
