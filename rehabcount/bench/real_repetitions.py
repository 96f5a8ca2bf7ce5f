"""Real people who repeat exercises: how well is what was shown counted, and what else is?

    cara   everyday actions with a watch: session 1 shows, session 2 is counted; the number is known
    spar   exercises of the shoulder, about twenty repetitions each; nothing is shown
    pte    exercises of the arm with five sensors: one good example of each type of execution shows; test sessions of 30
    kiel   people who walk, stand up and balance, while exercises of cara and pte are counted: every count is false

Nothing is fitted across people: each exercise is taught by its person's own example. How the method works was chosen on
the first half of the people of cara and spar, in the order of their files; results are those of the others.

Citations: CaRaCount, TPAMI 2025; SPAR-dataset; Yurtman & Barshan 2014; Warmerdam et al. 2022.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rehabcount.bench.experiment import Claim, Context, Experiment, FigureValue, Results, Value, pyplot
from rehabcount.bench.plain_peaks import fit_peaks
from rehabcount.bench.repetition_matches import PteScore, score_pte
from rehabcount.bench.worn_walk import rows_of, wearing
from rehabcount.datasets import cara, kiel, pte, spar
from rehabcount.datasets.cara import CountedRecording
from rehabcount.datasets.worn import WornRecording
from rehabcount.domain.motion import FRAME_RATE_HZ, Rows
from rehabcount.domain.rig import Side
from rehabcount.domain.taught import TaughtExercise
from rehabcount.engine.taught import repetitions_in, teach
from rehabcount.inference.unshown import find_repetitions
from rehabcount.signals.free_motion import free_motion

METHOD = 3  # changed with the method: kept steps of an earlier one are not used
TARGETS = {"rehabilitation": (2.0, 0.06, 0.75), "all": (3.5, None, None)}  # mean error, middle share, near
NEAR, NEAR_SHARE, CLOSE_SHARE = 1, 0.1, 0.05
SPAR_TARGET, KIEL_TARGET = 0.97, 10.0
PTE_TARGETS = (0.05, 0.03, 0.90)
PTE_PUBLISHED = (0.0858, 0.0491, 0.8865)
INK, OURS, PLAIN = "#22303c", "#1f77b4", "#b9c0c7"


@dataclass(frozen=True, slots=True)
class CountedSet:
    """One recording: how often, how often by us, and by the plain counter."""

    person: str
    exercise: str
    like_rehabilitation: bool
    true: int
    ours: int
    plain: int
    clarity: str


@dataclass(frozen=True, slots=True)
class CountedSets:
    sets: tuple[CountedSet, ...] = ()


@dataclass(frozen=True, slots=True)
class FalseCounts:
    """What one taught exercise counted in people who did not exercise."""

    exercise: str
    number: int
    hours: float


@dataclass(frozen=True, slots=True)
class AllFalseCounts:
    each: tuple[FalseCounts, ...] = ()


@dataclass(frozen=True, slots=True)
class PteScores:
    each: tuple[PteScore, ...] = ()


def count_person(path: Path) -> CountedSets:
    """cara: each action is taught by session 1, and counted in the others."""
    recordings = list(cara.read_person(path))
    taught = dict[str, tuple[TaughtExercise, Rows, int]]()
    for each in recordings:
        if each.session == cara.SHOWN:
            rows = rows_of(each.worn, Side.RIGHT)
            exercise = teach(rows, each.repetitions, name=each.exercise, side=Side.RIGHT)
            taught[each.exercise] = (exercise, rows, each.repetitions)
    sets = list[CountedSet]()
    for each in recordings:
        if each.session == cara.SHOWN or each.exercise not in taught:
            continue
        exercise, shown, number = taught[each.exercise]
        rows = rows_of(each.worn, Side.RIGHT)
        columns = np.flatnonzero(free_motion(shown).valid.any(axis=0))
        plain = fit_peaks(free_motion(shown).values[:, columns], number).count(free_motion(rows).values[:, columns])
        ours = len(repetitions_in([rows], [exercise]))
        like = each.exercise in cara.LIKE_REHABILITATION
        sets.append(CountedSet(each.person, each.exercise, like, each.repetitions, ours, plain, exercise.clarity.value))
    return CountedSets(tuple(sets))


def count_unshown(recordings: Sequence[CountedRecording]) -> CountedSets:
    """spar: `plain` is the moving time over the period of the autocorrelation."""
    sets = list[CountedSet]()
    for each in recordings:
        side = each.worn.places[0].side or Side.RIGHT
        free = free_motion(rows_of(each.worn, side))
        found = find_repetitions(free.values, free.valid, FRAME_RATE_HZ)
        ours, plain = (0, 0) if found is None else (found.number, found.by_duration)
        sets.append(CountedSet(each.person, each.exercise, True, each.repetitions, ours, plain, ""))
    return CountedSets(tuple(sets))


def examples_of(shown: pte.ShownExercise, rows: Rows) -> list[TaughtExercise]:
    """One taught exercise for each type of execution, from its one example."""
    found = list[TaughtExercise]()
    for kind, start_s, end_s in shown.examples:
        begin, end = round(start_s * FRAME_RATE_HZ), round(end_s * FRAME_RATE_HZ)
        part = Rows(0, rows.time_s[begin:end], rows.values[begin:end], rows.valid[begin:end])
        found.append(teach(part, 1, name=f"{shown.exercise} type {kind}", side=Side.RIGHT))
    return found


def count_pte(exercises: Sequence[pte.ShownExercise], wrist_alone: bool) -> PteScores:
    """Each person's examples of all exercises and types, against each of that person's tests."""
    scores = list[PteScore]()
    for person in dict.fromkeys(each.person for each in exercises):
        mine = [each for each in exercises if each.person == person]
        taught = list[TaughtExercise]()
        for each in mine:
            taught += examples_of(each, rows_of(_worn(each.template, wrist_alone), Side.RIGHT))
        for each in mine:
            rows = rows_of(_worn(each.test, wrist_alone), Side.RIGHT)
            scores.append(score_pte(each, taught, repetitions_in([rows], taught)))
    return PteScores(tuple(scores))


def _worn(recording: WornRecording, wrist_alone: bool) -> WornRecording:
    return wearing(recording, (pte.PLACE,)) if wrist_alone else recording


def count_false(folder: Path, taught: Sequence[TaughtExercise], every: int) -> AllFalseCounts:
    """kiel: the right forearm, in the axes of its sensor, as exercises of watches are taught."""
    numbers, hours = dict.fromkeys([each.name for each in taught], 0), 0.0
    for recording in list(kiel.read_recordings(folder))[::every]:
        at = recording.places.index(kiel.PLACES["right_fore_arm"])
        worn = WornRecording(
            recording.person,
            recording.name,
            recording.rate_hz,
            (cara.PLACE,),
            recording.motion[:, at : at + 1],
            cara.unmounted(cara.PLACE),
        )
        for over in repetitions_in([rows_of(worn, Side.RIGHT)], taught):
            numbers[over.exercise] += 1
        hours += recording.length_s / 3600
    return AllFalseCounts(tuple(FalseCounts(name, number, hours) for name, number in numbers.items()))


def taught_for_kiel(data: Path) -> list[TaughtExercise]:
    """Exercises of cara that are like rehabilitation, each of the next person in turn, and the types of pte."""
    found = list[TaughtExercise]()
    paths = cara.read_people(data / "cara")
    actions = sorted(cara.LIKE_REHABILITATION)
    for number, path in enumerate(paths):
        wanted = set(actions[number :: len(paths)])
        for each in cara.read_person(path):
            if each.session == cara.SHOWN and each.exercise in wanted:
                wanted.discard(each.exercise)
                rows = rows_of(each.worn, Side.RIGHT)
                found.append(teach(rows, each.repetitions, name=f"cara {each.exercise}", side=Side.RIGHT))
    exercises = pte.read_exercises(data / "pte")
    for shown in [each for each in exercises if each.person == exercises[0].person]:
        found += examples_of(shown, rows_of(_worn(shown.template, True), Side.RIGHT))
    return found


def run(settings: Mapping[str, Value], context: Context) -> Results:
    """The four data sets, each if its folder is there; a person at a time, kept."""
    data = context.folder("")
    results = list[Results]()
    if (data / "cara").is_dir():
        paths = cara.read_people(data / "cara")
        paths = paths[:1] if context.quick else paths
        sets = list[CountedSet]()
        for number, path in enumerate(paths, 1):
            key = f"repetitions {METHOD} cara {path.name} {path.stat().st_size}"
            sets += context.step(CountedSets, key, lambda path=path: count_person(path)).sets  # type: ignore[misc]
            context.on_progress(f"cara {path.stem}", number, len(paths))
        results.append(summary_cara(sets))
        if context.out is not None:
            draw(sets, context.out / f"{EXPERIMENT.name}.png")
    if (data / "spar").is_dir():
        recordings = list(spar.read_recordings(data / "spar"))
        recordings = recordings[::14] if context.quick else recordings
        key = f"repetitions {METHOD} spar {len(recordings)}"
        results.append(summary_spar(context.step(CountedSets, key, lambda: count_unshown(recordings)).sets))
        context.on_progress("spar", 1, 1)
    if (data / "pte").is_dir():
        exercises = pte.read_exercises(data / "pte")
        exercises = [each for each in exercises if each.person == exercises[0].person] if context.quick else exercises
        for worn, wrist_alone in (("five units", False), ("the wrist alone", True)):
            key = f"repetitions {METHOD} pte {worn} {len(exercises)}"
            scores = context.step(PteScores, key, lambda alone=wrist_alone: count_pte(exercises, alone))  # type: ignore[misc]
            results.append(summary_pte(scores.each, worn))
        context.on_progress("pte", 1, 1)
    if not context.quick and all((data / name).is_dir() for name in ("cara", "pte", "kiel")):
        every = int(settings["every"])
        key = f"repetitions {METHOD} kiel {every}"
        found = context.step(AllFalseCounts, key, lambda: count_false(data / "kiel", taught_for_kiel(data), every))
        results.append(summary_kiel(found.each))
        context.on_progress("kiel", 1, 1)
    claims = tuple(claim for each in results for claim in each.claims)
    figures: dict[str, FigureValue] = {name: value for each in results for name, value in each.figures.items()}
    return Results(claims, figures)


def near(true: int, counted: int) -> bool:
    """Within one, or within a tenth."""
    return abs(counted - true) <= max(NEAR, NEAR_SHARE * true)


def errors_of(sets: Sequence[CountedSet], *, plain: bool = False) -> dict[str, float]:
    """Mean error, middle share of the true number, shares of recordings within one, 5 %, and one or 10 %."""
    pairs = [(each.true, each.plain if plain else each.ours) for each in sets]
    off = np.array([abs(counted - true) for true, counted in pairs], float)
    share = np.array([abs(counted - true) / true for true, counted in pairs])
    return {
        "mean error": round(float(off.mean()), 2),
        "middle error, %": round(100 * float(np.median(share)), 1),
        "within one": round(float((off <= 1).mean()), 3),
        "within 5 %": round(float((share <= CLOSE_SHARE).mean()), 3),
        "within one or 10 %": round(float(np.mean([near(true, counted) for true, counted in pairs])), 3),
        "bias": round(float(np.mean([counted - true for true, counted in pairs])), 2),
    }


def halves_of(people: Sequence[str]) -> tuple[list[str], list[str]]:
    """People that the method was chosen on, and the others: by the order of their names."""
    ordered = sorted(set(people))
    middle = (len(ordered) + 1) // 2 if len(ordered) > 1 else 0
    return ordered[:middle], ordered[middle:]


def summary_cara(sets: Sequence[CountedSet]) -> Results:
    chosen, others = halves_of([each.person for each in sets])
    claims, figures = list[Claim](), dict[str, FigureValue]()
    for what, like in (("rehabilitation", True), ("all", False)):
        for half, people in (("chosen on", chosen), ("others", others)):
            mine = [each for each in sets if each.person in people and (each.like_rehabilitation or not like)]
            if not mine:
                continue
            ours, plain = errors_of(mine), errors_of(mine, plain=True)
            for name, value in ours.items():
                figures[f"cara, {what}, {half} ({len(people)} people): {name}"] = value
                figures[f"cara, {what}, {half} ({len(people)} people): {name}, plain peaks"] = plain[name]
            if half == "others":
                claims += _claims_cara(f"cara, {what}, {len(people)} people", TARGETS[what], ours, plain, len(mine))
    for exercise in sorted({each.exercise for each in sets}):
        mine = [each for each in sets if each.exercise == exercise and each.person in others]
        if mine:
            pairs = ", ".join(f"{each.ours} of {each.true}" for each in mine)
            figures[f"cara, {exercise}"] = f"mean error {errors_of(mine)['mean error']:.1f} ({pairs})"
    for clarity in sorted({each.clarity for each in sets}):
        mine = [each for each in sets if each.clarity == clarity and each.person in others]
        if mine:
            said = errors_of(mine)
            figures[f"cara, shown {clarity}"] = (
                f"{len(mine)} recordings, mean error {said['mean error']:.2f}, near {said['within one or 10 %']:.2f}"
            )
    return Results(tuple(claims), figures)


def _claims_cara(
    where: str,
    target: tuple[float, float | None, float | None],
    ours: Mapping[str, float],
    plain: Mapping[str, float],
    number: int,
) -> list[Claim]:
    mean, middle, share = target
    told = f"{number} recordings; plain peaks {{}}; bound {{}}"
    name = "mean error"
    claims = [Claim(where, name, None, ours[name], ours[name] <= mean, told.format(plain[name], mean))]
    if middle is not None:
        name = "middle error, %"
        claims.append(
            Claim(where, name, None, ours[name], ours[name] <= 100 * middle, told.format(plain[name], 100 * middle))
        )
    if share is not None:
        name = "within one or 10 %"
        claims.append(Claim(where, name, None, ours[name], ours[name] >= share, told.format(plain[name], share)))
    return claims


def summary_spar(sets: Sequence[CountedSet]) -> Results:
    chosen, others = halves_of([each.person for each in sets])
    figures, claims = dict[str, FigureValue](), list[Claim]()
    for half, people in (("chosen on", chosen), ("others", others), ("all", [*chosen, *others])):
        mine = [each for each in sets if each.person in people]
        if not mine:
            continue
        ours, plain = errors_of(mine), errors_of(mine, plain=True)
        for name in ("within one", "mean error"):
            figures[f"spar, {half} ({len(people)} people): {name}"] = ours[name]
            figures[f"spar, {half} ({len(people)} people): {name}, autocorrelation alone"] = plain[name]
        if half != "chosen on":
            share = ours["within one"]
            note = f"{len(mine)} recordings; autocorrelation alone {plain['within one']}; bound {SPAR_TARGET}"
            claims.append(Claim(f"spar, {half}", "within one of 20", None, share, share >= SPAR_TARGET, note))
    for exercise in dict.fromkeys(each.exercise for each in sets):
        mine = [each for each in sets if each.exercise == exercise]
        wrong = ", ".join(str(each.ours) for each in mine if abs(each.ours - each.true) > 1)
        figures[f"spar, {exercise}"] = f"within one {errors_of(mine)['within one']:.2f}" + (wrong and f"; also {wrong}")
    return Results(tuple(claims), figures)


def summary_pte(scores: Sequence[PteScore], worn: str) -> Results:
    figures, claims = dict[str, FigureValue](), list[Claim]()
    true = sum(each.true for each in scores)
    right = sum(min(each.right_exercise, each.true) for each in scores)
    timed = [each for each in scores if each.timed]
    where = f"pte, {worn}, {len({each.person for each in scores})} people"
    missed = 1 - right / max(true, 1)
    note = f"{true} repetitions of three exercises; published on eight; bound {PTE_TARGETS[0]}"
    claims.append(Claim(where, "missed", PTE_PUBLISHED[0], round(missed, 3), missed <= PTE_TARGETS[0], note))
    if timed:
        stretches, filled = sum(each.idle for each in timed), sum(each.idle_counted for each in timed)
        share = filled / max(stretches, 1)
        note = f"{filled} of {stretches}, of people with times; bound {PTE_TARGETS[1]}"
        claims.append(
            Claim(where, "idle stretches counted", PTE_PUBLISHED[1], round(share, 3), share <= PTE_TARGETS[1], note)
        )
        matched, typed = sum(each.matched for each in timed), sum(each.right_type for each in timed)
        share = typed / max(matched, 1)
        note = f"{typed} of {matched} matched repetitions; bound {PTE_TARGETS[2]}"
        claims.append(
            Claim(where, "exercise and type right", PTE_PUBLISHED[2], round(share, 3), share >= PTE_TARGETS[2], note)
        )
    for each in scores:
        figures[f"pte, {worn}, {each.person} {each.exercise}"] = (
            f"{each.right_exercise} of {each.true} by this exercise, {each.wrong_exercise} by others"
        )
    return Results(tuple(claims), figures)


def summary_kiel(found: Sequence[FalseCounts]) -> Results:
    hours = [each.number / each.hours for each in found]
    mean = float(np.mean(hours))
    note = f"{len(found)} exercises, {found[0].hours:.2f} h each; bound {KIEL_TARGET:g}"
    claim = Claim("kiel", "false counts an hour", None, round(mean, 1), mean <= KIEL_TARGET, note)
    figures: dict[str, FigureValue] = {
        f"kiel, {each.exercise}: an hour": round(each.number / each.hours, 1) for each in found
    }
    return Results((claim,), figures)


def draw(sets: Sequence[CountedSet], path: Path) -> None:
    """Counted against true, of the people that the method was not chosen on."""
    plt = pyplot()
    _, others = halves_of([each.person for each in sets])
    figure, panels = plt.subplots(1, 2, figsize=(9.5, 4.6), dpi=100, sharex=True, sharey=True)
    for panel, (title, like) in zip(panels, (("like rehabilitation", True), ("all actions", False)), strict=True):
        mine = [each for each in sets if each.person in others and (each.like_rehabilitation or not like)]
        panel.plot([0, 80], [0, 80], color="#cccccc", lw=1)
        panel.scatter(
            [each.true for each in mine], [each.plain for each in mine], s=14, color=PLAIN, label="plain peaks"
        )
        panel.scatter([each.true for each in mine], [each.ours for each in mine], s=14, color=OURS, label="taught")
        panel.set(xlabel="true repetitions", xlim=(0, 80), ylim=(0, 80))
        panel.set_title(f"{title}, {len(mine)} recordings", fontsize=10.5, color=INK, loc="left")
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("counted")
    panels[0].legend(frameon=False, fontsize=9)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)


EXPERIMENT = Experiment(
    "real-repetitions",
    "How well are repetitions of a taught exercise counted on real people, and what else is counted?",
    "CaRaCount 2025, SPAR-dataset, Yurtman & Barshan 2014, Warmerdam et al. 2022 (recordings)",
    "recordings (folders cara, spar, pte, kiel; those that are there)",
    "five minutes",
    run,
    {"every": 1},  # of the recordings of kiel: every so many
)
