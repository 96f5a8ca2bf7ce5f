"""Do topics of event sequences find activities that nothing labels?

Rogers, Ross & Kelleher 2018: windows over a sequence of events are documents of a topic model; each activity of the
truth is matched with the topic of highest extended F1. Table 1 is made again on artificial data as the paper describes
them (a state machine over five activities, ten seeds), with all named readings of staircase and gradient. The same is
then done with the primitives of whole simulated sessions, where the truth has nine activities: settings are chosen on
people of the training groups and reported on people of the test groups. The paper's second corpus (SCARE) is not
public in the form that it used.

Every extended F1 stands beside what the same output gains by chance: moved against the truth, it scores much, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from rehabcount.bench.experiment import Claim, Context, Experiment, FigureValue, Results, Value
from rehabcount.bench.topics_data import (
    MACHINE_EVENTS,
    WORD_KINDS,
    edges_of,
    event_data,
)
from rehabcount.bench.topics_page import page
from rehabcount.bench.topics_pictures import draw_channels, draw_extracts, draw_session
from rehabcount.bench.topics_runs import (
    CHOOSING,
    CHOOSING_SEED,
    NEW_SEEDS,
    REPORTING,
    REPORTING_SEED,
    Chosen,
    SessionsFound,
    StabilityRun,
    TopicRun,
    TopicsFound,
    choose,
    chosen_by,
    key_of,
    labelled_run,
    machine_run,
    machine_stability,
    measurable,
    people_of,
    session_run,
    stability_run,
)
from rehabcount.bench.topics_scores import (
    FOUND_FROM,
    found_activities,
    mean_of,
    of_activity,
    thresholds_of,
    with_breaks,
)
from rehabcount.bench.topics_tables import TABLE_1
from rehabcount.models.simulated import simulator_sha256
from rehabcount.models.topics import Method, event_topics, fit
from rehabcount.store.private import written_whole

WANTED = 6  # of the nine activities
PAGE = "topics.md"
QUICK_MACHINE, QUICK_MINUTES, QUICK_PEOPLE = 600, 4.0, 2


def run(settings: Mapping[str, Value], context: Context) -> Results:
    artificial, variational = (artificial_runs(settings, context, method) for method in ("gibbs", "variational"))
    size = QUICK_MACHINE if context.quick else MACHINE_EVENTS
    steady = [
        context.step(StabilityRun, key_of("stability", seed, size), partial(machine_stability, seed, size))
        for seed in range(len(artificial))
    ]
    sessions = session_runs(settings, context)
    found = TopicsFound(artificial, variational, steady, sessions)
    claims = claims_of(found)
    if context.out is not None:
        write_page(
            Path(str(settings["page"])) if settings["page"] else context.out,
            found,
            claims,
            shifts_of(settings, context),
        )
    return Results((*claims, *table_1(found)), figures_of(found))


def artificial_runs(settings: Mapping[str, Value], context: Context, method: Method) -> list[TopicRun]:
    seeds = 1 if context.quick else int(settings["seeds" if method == "gibbs" else "variational_seeds"])
    shifts = shifts_of(settings, context)
    size = QUICK_MACHINE if context.quick else MACHINE_EVENTS
    found = []
    for seed in range(seeds):
        context.on_progress(f"artificial data, {method}", seed, seeds)
        key = key_of("machine", seed, size, method, shifts)
        found.append(context.step(TopicRun, key, partial(machine_run, seed, size, method, shifts)))
    return found


def session_runs(settings: Mapping[str, Value], context: Context) -> SessionsFound:
    """Choose on some people, report on the others."""
    minutes = QUICK_MINUTES if context.quick else float(settings["minutes"])
    choosing, reporting = (
        people_of(((groups[0][0], QUICK_PEOPLE),) if context.quick else groups, seed, minutes, context)
        for groups, seed in ((CHOOSING, CHOOSING_SEED), (REPORTING, REPORTING_SEED))
    )
    edges, simulator = edges_of(choosing), simulator_sha256()
    kinds = list(WORD_KINDS)[:2] if context.quick else list(WORD_KINDS)
    fits = 1 if context.quick else int(settings["fits"])
    shifts = shifts_of(settings, context)
    chosen, labelled = list[Chosen](), dict[str, TopicRun]()
    again, runs = dict[str, list[TopicRun]](), dict[str, list[TopicRun]]()
    for done, kind in enumerate(kinds):
        context.on_progress("words of sessions", done, len(kinds))
        about = (simulator, minutes, context.quick, kind)
        best = context.step(Chosen, key_of("choose", *about), partial(choose, choosing, kind, edges, context))
        chosen.append(best)
        data, by = event_data(reporting, kind, edges), chosen_by(best)
        runs[kind] = [
            context.step(
                TopicRun,
                key_of("session", *about, best, seed, shifts),
                partial(session_run, data, replace(best.settings, seed=seed), by, shifts),
            )
            for seed in range(fits)
        ]
        known = event_data(choosing, kind, edges)
        again[kind] = [
            context.step(
                TopicRun,
                key_of("again", *about, best, seed),
                partial(session_run, known, replace(best.settings, seed=seed), by, 0),
            )
            for seed in NEW_SEEDS[:fits]
        ]
        labelled[kind] = context.step(
            TopicRun, key_of("labelled", *about, best), partial(labelled_run, known, data, best.settings, by)
        )
    found = SessionsFound(choosing, reporting, edges, minutes, chosen, again, runs, labelled, None)
    best = measurable(found)
    halves = [event_data(reporting[part::2], best.kind, edges) for part in range(2)]
    steady = context.step(
        StabilityRun,
        key_of("stability", simulator, minutes, context.quick, best),
        partial(stability_run, "sessions", halves[0], halves[1], best.settings, chosen_by(best)),
    )
    return replace(found, steady=steady)


def shifts_of(settings: Mapping[str, Value], context: Context) -> int:
    return 2 if context.quick else int(settings["shifts"])


def write_page(folder: Path, found: TopicsFound, claims: list[Claim], shifts: int) -> None:
    """topics.md with its pictures."""
    pictures, sessions = folder / "topics", found.sessions
    pictures.mkdir(parents=True, exist_ok=True)
    draw_channels(pictures / "channels.png")
    best = measurable(sessions)
    data = event_data(sessions.reporting, best.kind, sessions.edges)
    probabilities = event_topics(fit(data.words, best.settings), data.words, chosen_by(best))
    thresholds = thresholds_of(data.truth, probabilities, "own")
    topics = [score.topic for score in sessions.runs[best.kind][0].own]
    own = [probabilities[:, topic] >= thresholds[number, topic] for number, topic in enumerate(topics)]
    truth, active = (with_breaks(data, table, False) for table in (data.truth, np.stack(own, axis=1)))
    captions = draw_extracts(pictures / "extracts.png", data.activities, truth, active)
    mine = event_data(sessions.reporting[:1], best.kind, sessions.edges)  # the first person
    draw_session(pictures / "session.png", mine, truth, active)
    # What was found by hand stays when the tables are made again.
    notes = pictures / "notes.txt"
    said = notes.read_text(encoding="utf-8") if notes.is_file() else ""
    with written_whole(folder / PAGE) as partial_file:
        partial_file.write_text(page(found, captions, claims, shifts, said), encoding="utf-8")


def claims_of(found: TopicsFound) -> list[Claim]:
    """What is to hold."""
    runs = [run.scores for run in found.artificial]
    cells = [score for run in runs for score in run]
    above = sum(score.extended > score.raw for score in cells)
    means = [float(np.mean([mean_of(run, name) for run in runs])) for name in ("raw", "staircase", "extended")]
    claims = [
        Claim(
            "artificial data",
            "activities whose extended F1 is above the raw one",
            float(len(cells)),
            float(above),
            above == len(cells),
            "published: all",
        ),
        Claim(
            "artificial data",
            "mean raw < staircase <= extended, reading A",
            None,
            round(means[1], 4),
            means[0] < means[1] <= means[2],
            f"raw {means[0]:.3f}, extended {means[2]:.3f}",
        ),
    ]
    best = measurable(found.sessions)
    runs_of = found.sessions.runs[best.kind]
    for rule, scored in (
        ("the paper's thresholds", [run.scores for run in runs_of]),
        ("each pair's own threshold", [run.own for run in runs_of]),
    ):
        count = len(found_activities(scored))
        claims.append(
            Claim(
                f"simulated sessions, words: {best.kind}",
                f"of nine activities found with an extended F1 of {FOUND_FROM:g}, {rule}",
                float(WANTED),
                float(count),
                count >= WANTED,
                f"bound; by chance {len(found_activities(scored, 'chance_extended'))}",
            )
        )
    return claims


def table_1(found: TopicsFound) -> list[Claim]:
    """The paper's Table 1 beside ours; of other data, so without a verdict."""
    runs, claims = [run.scores for run in found.artificial], list[Claim]()
    for row in TABLE_1:
        ours = of_activity(runs, row.activity)
        for name in ("raw", "extended", "staircase", "gradient"):
            published = float(getattr(row, name))
            value = round(mean_of(ours, name), 4)
            claims.append(Claim("Table 1, other data", f"{row.activity}: {name}", published, value, None))
    return claims


def figures_of(found: TopicsFound) -> dict[str, FigureValue]:
    figures: dict[str, FigureValue] = {"artificial, runs": len(found.artificial)}
    names = ("raw", "staircase", "gradient", "extended", "chance_extended")
    for what, runs in (("gibbs", found.artificial), ("variational", found.variational)):
        for rule, scored in (("", [run.scores for run in runs]), (", own thresholds", [run.own for run in runs])):
            for name in names:
                values = [mean_of(scores, name) for scores in scored]
                figures[f"artificial, {what}{rule}: {name}"] = round(float(np.mean(values)), 4)
    for chosen in found.sessions.chosen:
        runs, known = found.sessions.runs[chosen.kind], found.sessions.labelled[chosen.kind]
        for rule, scored, labelled in (
            ("", [run.scores for run in runs], known.scores),
            (", own thresholds", [run.own for run in runs], known.own),
        ):
            where = f"sessions, {chosen.kind}{rule}"
            for name in names:
                figures[f"{where}: {name}"] = round(float(np.mean([mean_of(each, name) for each in scored])), 4)
            figures[f"{where}: activities found"] = len(found_activities(scored))
            figures[f"{where}: the same by chance"] = len(found_activities(scored, "chance_extended"))
            figures[f"{where}: extended, topics counted from labels"] = round(mean_of(labelled, "extended"), 4)
    return figures


EXPERIMENT = Experiment(
    "topics",
    "Do topics of event sequences find activities that nothing labels?",
    "Rogers, Ross & Kelleher, AIAI 2018, Table 1 and Figs. 2 and 3; simulated people",
    "no data; extra bench",
    "20 min",
    run,
    {"seeds": 10, "variational_seeds": 3, "fits": 3, "shifts": 10, "minutes": 25.0, "page": ""},
)
