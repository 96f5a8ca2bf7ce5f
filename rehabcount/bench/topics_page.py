"""The page of the topics bench as Markdown: what came out, Table 1 beside ours, which printed numbers are possible,
sessions, stability, what it took."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rehabcount.bench.experiment import Claim, number, verdict
from rehabcount.bench.topics_data import BEYOND_SENSORS, WORD_KINDS
from rehabcount.bench.topics_runs import Chosen, TopicRun, TopicsFound, measurable, new_staircase
from rehabcount.bench.topics_scores import (
    FOUND_FROM,
    READINGS,
    TopicScore,
    flicker,
    found_activities,
    mean_of,
    of_activity,
    value_of,
)
from rehabcount.bench.topics_tables import TABLE_1, TABLE_2, implied

ABOUT = """An activity discovery reads a sequence of events that nothing labels and says which of them belong together.
Rogers, Ross & Kelleher take windows over the events as documents of a topic model, and match each activity of the truth
with the topic of highest [extended F1](../metrics/abstraction.md). This page makes their Table 1 again on artificial
data, and then asks whether topics find the nine activities in the primitives of whole sessions.

**All data here are artificial or simulated.** The true primitives of simulated sessions are read, not those of a
recogniser; real sequences have errors, too. The paper's second corpus (Table 2, SCARE) is not public in the form that
the paper used, so Table 2 cannot be made again.
"""
CHANCE = """**Extended F1 is high by chance.** It forgives every border as long as the two overlap. An output that
flickers at random through a tenth of all events, against an activity that fills another tenth in long runs, has an
expected raw F1 of {raw:.2f}, a staircase F1 of {stairs:.2f} and an extended F1 of **{extended:.2f}**. Beside every
extended F1 here stands what the same output gets when it is moved against the truth by a random number of events, best
topic taken again (mean of {shifts} moves). Settings are therefore chosen by staircase F1.
"""
MACHINE = """A state machine with five activities and 25 different events, 5,000 events a seed: after each event an
activity is left with probability 1/20, for another one with shares .35, .25, .20, .13, .07; each activity has shares of
the 25 events of its own, drawn uniformly. The paper names none of these numbers. Windows of 20 events, five topics, the
topic's share in the windows around an event as its probability. Means of the seeds; the paper's value in brackets is
of other data and one seed.
"""
IMPOSSIBLE = """Staircase and gradient F1 give an extension less credit than extended F1 does. Yet in nine of the ten
rows with an activity found, the printed staircase F1 is above the extended one. A row's raw and extended F1 leave only
one possible staircase F1 for each of the readings A, B and C, and an upper bound for the printed formula (5) taken
literally, which adds 0.4 for every event beside an active one (two at most for each active event; the larger bound of
two: errors counted as in the raw or as in the extended F1). `bench/topics_tables.py` has the arithmetic. "Possible by"
names the readings that this leaves; for `literal` it only says that the value is below the bound.
"""
FOUR = "raw, staircase, extended, by chance"
OWN_HEAD = "own: " + FOUR
OWN = """**The rule for thresholds is weak.** A topic gets the threshold that makes its share of active events most like
an activity's, of the activity with the smallest difference. With probabilities that hardly repeat, every share can be
reached and every difference is 0: all topics get the share of one activity (here the first). Where activities differ
in share, as they do in the artificial data, the others suffer. `own`: each pair of activity and topic has its own
threshold, which is the paper's before its last step. Both are shown.
"""
GRADIENT = """The gradient's weight falls by .001 for each event from the overlap, so it is below the staircase's .4
only more than 600 events away. The printed gradient F1 of `goal: move quad` and `goal: move picture` is below the
staircase F1: most extensions would have to be that far away. In every row but `goal: move quad` the gradient F1 is
above the extended F1, which no weight of at most 1 can do, unless it weights the errors, too (reading C).
"""
SESSIONS = """{choosing} simulated people of the training groups ({minutes:g} min each, {choosing_events} primitives) to
choose settings on, {reporting} of the test groups ({reporting_events} primitives) to report on. Each discovery on the
latter starts anew, with {fits} seeds of the sampler; means over them. A word is the true primitive of the counted arm,
with what the column says: its length in thirds, what the other arm does, the height of the wrist at its end in
quarters, the load in the hand. The last is beyond motion sensors. Sequences end where something that is not exercise
begins; an activity that goes on after such a break is a run of its own. Nothing about the activities is given to the
fit; the thresholds know how frequent each activity is (the paper's rule).

Tried for each kind of word: windows of 20 and 30 events with 9, 14 and 20 topics, then runs of two events as further
words; and both probabilities (of the windows around an event, or of the event itself). The best by staircase F1 is
taken. The kind of word (bold) is chosen by the staircase F1 of three further fits with these settings, on the same
people: the best of many single fits would be chosen for its luck, too.
`from labels`: topics whose words were counted on the labelled first people, read in the same way: what the words of a
window tell at all.
"""
STABLE = """Topics of one half, looked for in the other: of the artificial events the first and the second half, of the
sessions every other person. Predictive and compressive [stability](../metrics/stability.md); a ratio is the bits of an
event in a code that knows the topics and the events before it, over those of a code that knows nothing.
"""


def page(found: TopicsFound, captions: Sequence[str], claims: Sequence[Claim], shifts: int, notes: str = "") -> str:
    sessions = found.sessions
    raw, stairs, extended = flicker(0.1)
    lines = ["# Topics: activities that nothing labels", ""]
    lines += ["Written by `rehabcount bench topics`. The paper: Rogers, Ross & Kelleher, Evaluating sequence discovery"]
    lines += ["systems in an abstraction-aware manner, AIAI 2018.", "", ABOUT, "## What came out", ""]
    lines += _table(
        ("", "what", "wanted", "ours", "holds", "note"),
        [(c.where, c.name, number(c.published), number(c.ours), verdict(c.match), c.note) for c in claims],
    )
    lines += [notes, "", CHANCE.format(raw=raw, stairs=stairs, extended=extended, shifts=shifts), OWN]
    lines += ["## Artificial data (Table 1)", "", MACHINE, *_artificial(found)]
    lines += ["![Fig. 2: a truth, an output in its middle, and the extended outputs](topics/channels.png)", ""]
    lines += ["## Which printed numbers cannot be", "", IMPOSSIBLE, *_impossible(), GRADIENT]
    lines += ["## Whole sessions (simulated)", "", _about_sessions(found), *_kinds(found)]
    best = measurable(sessions)
    for kind in dict.fromkeys((best.kind, "primitive")):
        lines += [f"Words: {kind}.", "", *_activities(sessions.runs[kind], sessions.labelled[kind])]
    lines += [f"![Truth and topics in the first session](topics/session.png) Words: {best.kind}.", ""]
    if captions:
        lines += ["![Fig. 3: output and truth side by side](topics/extracts.png)", "", "; ".join(captions) + ".", ""]
    lines += ["## Stability", "", STABLE, *_stability(found), "## What it took", "", *_costs(found)]
    return "\n".join(lines).rstrip() + "\n"


def _table(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(r) + " |" for r in body), ""]


def _f(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.3f}".replace("0.", ".", 1) if value < 1 else f"{value:.3f}"


def _mean(scores: Sequence[TopicScore], name: str, reading: str = READINGS[0]) -> str:
    return _f(mean_of(scores, name, reading))


def _artificial(found: TopicsFound) -> list[str]:
    runs, own_runs = [run.scores for run in found.artificial], [run.own for run in found.artificial]
    body = []
    for row in TABLE_1:
        ours = of_activity(runs, row.activity)
        cells = [f"{_mean(ours, n)} ({_f(getattr(row, n))})" for n in ("raw", "extended", "staircase", "gradient")]
        own = of_activity(own_runs, row.activity)
        body.append((row.activity, _mean(ours, "share"), *cells, _mean(ours, "chance_extended"), _own(own)))
    every = [score for run in runs for score in run]
    names = ("raw", "extended", "staircase", "gradient", "chance_extended")
    every_own = [score for run in own_runs for score in run]
    body.append(("all", "", *(_mean(every, name) for name in names), _own(every_own)))
    other = [score for run in found.variational for score in run.scores]
    other_own = [score for run in found.variational for score in run.own]
    fit = f"all, scikit-learn's fit, {len(found.variational)} seeds"
    body.append((fit, "", *(_mean(other, name) for name in names), _own(other_own)))
    lines = _table(
        ("", "share of events", "raw F1", "extended", "staircase", "gradient", "extended by chance", OWN_HEAD), body
    )
    below = [score for score in every if score.extended <= score.raw]
    spread = [
        f"{min(mean_of(run, name) for run in runs):.3f} to {max(mean_of(run, name) for run in runs):.3f}"
        for name in ("raw", "staircase", "extended")
    ]
    lines += [f"Extended above raw in {len(every) - len(below)} of {len(every)} (activity, seed). Range of the seeds'"]
    lines += [
        f"means: raw {spread[0]}, staircase {spread[1]}, extended {spread[2]}. The named readings, all activities:"
    ]
    lines += [""]
    body = [
        (
            reading,
            _mean(every, "literal_extended" if reading == "literal" else "extended"),
            _mean(every, "staircase", reading),
            _mean(every, "gradient", reading),
        )
        for reading in READINGS
    ]
    return [*lines, *_table(("reading", "extended", "staircase", "gradient"), body)]


def _impossible() -> list[str]:
    body = []
    for number_of, rows in ((1, TABLE_1), (2, TABLE_2)):
        for row in rows:
            if not row.raw:
                continue
            left = implied(row.raw, row.extended)
            literal = max(left.literal_most, left.literal_extended_most)
            by = [_f(left.by_reading[reading]) for reading in ("A", "B", "C")]
            could = ", ".join(left.explains(row.staircase)) or "none"
            printed = (_f(row.raw), _f(row.extended), f"**{_f(row.staircase)}**")
            body.append((f"{number_of}: {row.activity}", *printed, *by, f"at most {_f(literal)}", could))
    head = ("table: row", "raw", "extended", "staircase, printed", "A", "B", "C", "literal", "possible by")
    return _table(head, body)


def _about_sessions(found: TopicsFound) -> str:
    sessions = found.sessions
    counts = [
        f"{sum(event.label != 'other' for person in people for event in person.events):,}"
        for people in (sessions.choosing, sessions.reporting)
    ]
    return SESSIONS.format(
        choosing=len(sessions.choosing),
        reporting=len(sessions.reporting),
        minutes=sessions.minutes,
        choosing_events=counts[0],
        reporting_events=counts[1],
        fits=len(next(iter(sessions.runs.values()))),
    )


def _own(scores: Sequence[TopicScore]) -> str:
    return ", ".join(_mean(scores, name) for name in ("raw", "staircase", "extended", "chance_extended"))


def _kinds(found: TopicsFound) -> list[str]:
    sessions, body = found.sessions, []
    best = measurable(sessions)
    for chosen in sessions.chosen:
        runs = sessions.runs[chosen.kind]
        known = sessions.labelled[chosen.kind]
        name = f"**{chosen.kind}**" if chosen is best else chosen.kind
        beyond = " (beyond sensors)" if set(WORD_KINDS[chosen.kind]) & set(BEYOND_SENSORS) else ""
        cells = []
        for scored, labelled in (
            ([run.scores for run in runs], known.scores),
            ([run.own for run in runs], known.own),
        ):
            every = [score for run in scored for score in run]
            cells += [
                _own(every),
                f"{len(found_activities(scored))} (by chance {len(found_activities(scored, 'chance_extended'))})",
                ", ".join(_mean(labelled, each) for each in ("raw", "staircase", "extended"))
                + f"; {len(found_activities([labelled]))}",
            ]
        there = _f(new_staircase(sessions, chosen.kind))
        body.append((name + beyond, _settings(chosen), there, *cells))
    count = f"of nine at {FOUND_FROM:g}".replace("0.", ".")
    known_head = "from labels: raw, staircase, extended; of nine"
    head = ("words", "chosen: window, topics, runs up to, probability of", "staircase there, new fits",
            "paper's thresholds: " + FOUR, count, known_head, OWN_HEAD, count, known_head)  # fmt: skip
    return _table(head, body)


def _settings(chosen: Chosen) -> str:
    return f"{chosen.window}, {chosen.topics}, {chosen.longest}, {chosen.by}"


def _activities(runs: Sequence[TopicRun], labelled: TopicRun) -> list[str]:
    scores, own, body = [run.scores for run in runs], [run.own for run in runs], []
    for known in labelled.own:
        mine, mine_own = of_activity(scores, known.activity), of_activity(own, known.activity)
        values = [value_of(score, "extended") for score in mine]
        body.append(
            (
                known.activity,
                _f(known.share),
                *(_mean(mine, name) for name in ("raw", "staircase", "gradient", "extended")),
                f"{_f(min(values))} to {_f(max(values))}",
                _mean(mine, "chance_extended"),
                _own(mine_own),
                f"{_f(known.raw)}, {_f(known.extended)}",
                ", ".join(_shared(own, known.activity)) or "-",
            )
        )
    head = ("activity", "share", "raw F1", "staircase", "gradient", "extended", "its range", "by chance", OWN_HEAD,
            "from labels, own: raw, extended", "same topic, own, in half of the fits or more")  # fmt: skip
    return _table(head, body)


def _shared(runs: Sequence[Sequence[TopicScore]], activity: str) -> list[str]:
    """Other activities that are matched with the same topic."""
    found = dict[str, int]()
    for run in runs:
        topic = next(score.topic for score in run if score.activity == activity)
        for score in run:
            if score.topic == topic and score.activity != activity:
                found[score.activity] = found.get(score.activity, 0) + 1
    return [name for name, times in found.items() if 2 * times >= len(runs)]


def _stability(found: TopicsFound) -> list[str]:
    parts = {"artificial data": found.steady, "sessions": [found.sessions.steady] if found.sessions.steady else []}
    body = []
    for name, runs in parts.items():
        values = [np.mean([getattr(run, each) for run in runs]) for each in
                  ("predictive", "train_ratio", "test_ratio", "compressive")]  # fmt: skip
        body.append((f"{name}, {len(runs)} fit{'s' if len(runs) > 1 else ''}", *(_f(float(v)) for v in values)))
    return _table(("", "predictive", "ratio where found", "ratio elsewhere", "compressive"), body)


def _costs(found: TopicsFound) -> list[str]:
    body = [
        ("artificial data, the sampler", _seconds(found.artificial)),
        ("artificial data, scikit-learn", _seconds(found.variational)),
        *((f"sessions, {kind}", _seconds(runs)) for kind, runs in found.sessions.runs.items()),
    ]
    return _table(("one fit and its reading", "CPU s, mean"), body)


def _seconds(runs: Sequence[TopicRun]) -> str:
    return f"{np.mean([run.computing_s for run in runs]):.1f}"
