"""Agreement of whole sessions: rows of a table, bounds, and the facts for a model's card. numpy only."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rehabcount.domain.labels import IDLE, PRIMITIVES
from rehabcount.domain.rig import Side, make_rig
from rehabcount.domain.session_agreement import HEALTHY, SEVERE, STROKE, SessionAgreement, SessionGroup
from rehabcount.inference.card import Evidence
from rehabcount.metrics.agreement import AgreementResult, evaluate

REPETITIONS, EVERY_RUN = "task repetitions", "task repetitions, every run counted"
ALL = "all"
GROUPS = (STROKE, SEVERE, HEALTHY)
SENSORS = len(make_rig("nine", Side.RIGHT, "generic", 100.0))  # of `rehabcount simulate`
OFTEN = 0.95  # of the sessions lie within what the card says


@dataclass(frozen=True, slots=True)
class SessionCount:
    """One session: what was counted, and what was done."""

    person: str
    group: str
    score: int  # Fugl-Meyer
    minutes: float
    counted: dict[str, int]
    true: dict[str, int]
    simulating_s: float  # of a processor
    counting_s: float


@dataclass(frozen=True, slots=True)
class AgreementRow:
    group: str
    what: str
    sessions: int
    counted: int
    true: int
    result: AgreementResult


def pooled_off(counted: int, true: int) -> float:
    return abs(counted - true) / max(1, true)


def of_group(counted: Sequence[SessionCount], group: str) -> list[SessionCount]:
    return [each for each in counted if group in (ALL, each.group)]


def agreements(counted: Sequence[SessionCount]) -> list[AgreementRow]:
    """A row for each group and measure; a group without sessions has none."""
    names = [name for name in PRIMITIVES.names if name != IDLE.name]
    rows = []
    for group in (*GROUPS, ALL):
        for what in (REPETITIONS, EVERY_RUN, *names):
            row = measures_of(counted, group, what)
            if row is not None:
                rows.append(row)
    return rows


def measures_of(counted: Sequence[SessionCount], group: str, what: str) -> AgreementRow | None:
    mine = of_group(counted, group)
    if not mine:
        return None
    ours = [each.counted[what] for each in mine]
    true = [each.true[REPETITIONS if what == EVERY_RUN else what] for each in mine]
    result = evaluate(true, ours, subjects=[each.person for each in mine])
    return AgreementRow(group, what, len(mine), sum(ours), sum(true), result)


def _farther(row: AgreementRow) -> float:
    """The farther of the two limits of agreement from no difference."""
    return max(abs(row.result.lower_limit - 1), abs(row.result.upper_limit - 1))


# name: limit, direction, what it is compared with
BOUNDS: dict[str, tuple[float, str, Callable[[AgreementRow], float]]] = {
    "pooled, off by": (0.015, "at most", lambda row: pooled_off(row.counted, row.true)),
    "MAPE, %": (3.0, "at most", lambda row: row.result.mape),
    "ICC(A,1)": (0.98, "at least", lambda row: row.result.icc.value),
    "95 % limits, share of the mean": (0.12, "at most", _farther),
}


def agreement_of(counted: Sequence[SessionCount], on: str) -> SessionAgreement:
    """For a card: within how many repetitions 95 % of the sessions of each group were counted."""
    groups = []
    for group in GROUPS:
        mine = of_group(counted, group)
        if mine:
            off = sorted(abs(each.counted[REPETITIONS] - each.true[REPETITIONS]) for each in mine)
            enough = off[math.ceil(OFTEN * len(off)) - 1]
            within = sum(each <= enough for each in off)
            mean = sum(each.true[REPETITIONS] for each in mine) / len(mine)
            groups.append(SessionGroup(group, len(mine), within, enough, round(mean, 1)))
    return SessionAgreement(on, Evidence.SIMULATED.value, tuple(groups), SENSORS)
