"""Damaged and hostile files of every kind through the programs that read them: each is read or refused, in time.

    python -m tests.fuzz.files --cases 2000

A case is one file, altered by a seeded generator: in its structure (tables, cells, JSON, XML, lines) or in its bytes.
Reading it may succeed or raise a RehabcountError. Another exception, more than 5 s of computing, more than 500 MB, or a
control character on the terminal is a failure. Cases run in a process of their own, which is replaced if it hangs.
"""

from __future__ import annotations

import argparse
import json
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fuzz.child import WAITED_S
from tests.fuzz.kinds import KINDS

GRACE_S = 15.0  # after its own alarm, which cannot interrupt a call into C: then the process is ended
TELL_EVERY_S = 10.0


@dataclass
class Outcome:
    """What came of the cases of one kind."""

    attempts: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    slowest_s: float = 0.0
    most_bytes: int = 0
    failures: list[str] = field(default_factory=list)


OnAttempt = Callable[[str, int, Outcome], None]  # kind, number of the case, and what came of the kind so far


def fuzz(cases: dict[str, int], seed: str, on_attempt: OnAttempt = lambda *_: None) -> dict[str, Outcome]:
    """So many cases of each kind."""
    outcomes = {kind: Outcome() for kind in cases}
    left = dict.fromkeys(cases, 0)
    while left:
        left = _run(left, cases, seed, outcomes, on_attempt)
    return outcomes


def _run(
    first: dict[str, int], cases: dict[str, int], seed: str, outcomes: dict[str, Outcome], on_attempt: OnAttempt
) -> dict[str, int]:
    """One child, until it is done or hangs; what is left to do."""
    with tempfile.TemporaryDirectory() as folder:
        parts = [f"{kind}:{begin}:{cases[kind]}" for kind, begin in first.items()]
        command = [sys.executable, "-m", "tests.fuzz.child", seed, folder, *parts]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        reader = threading.Thread(target=_pass_on, args=(child, lines))
        reader.start()
        kinds = list(first)
        kind, number = kinds[0], first[kinds[0]] - 1
        while True:
            try:
                line = lines.get(timeout=WAITED_S + GRACE_S)
            except queue.Empty:
                end = "hang"
                break
            if not line:
                end = "killed"
                break
            row = json.loads(line)
            if row is None:
                reader.join()
                child.wait()
                return {}
            kind, number, name, outcome, detail, took_s, used = row
            _note(outcomes[kind], f"{kind} {number} {name}", outcome, detail, took_s, used)
            on_attempt(kind, number, outcomes[kind])
        child.kill()
        reader.join()
        child.wait()
    number += 1  # the one that was under way
    if number >= cases[kind]:
        kind = kinds[kinds.index(kind) + 1]
        number = first[kind]
    _note(outcomes[kind], f"{kind} {number}", end, "the process was ended", WAITED_S + GRACE_S, 0)
    on_attempt(kind, number, outcomes[kind])
    rest = {each: first[each] for each in kinds[kinds.index(kind) + 1 :]}
    return ({kind: number + 1} if number + 1 < cases[kind] else {}) | rest


def _pass_on(child: subprocess.Popen[str], lines: queue.SimpleQueue[str]) -> None:
    assert child.stdout is not None
    with child.stdout:
        for line in child.stdout:
            lines.put(line)
    lines.put("")


def _note(found: Outcome, case: str, outcome: str, detail: str, took_s: float, used: int) -> None:
    found.attempts += 1
    found.ends[outcome] += 1
    found.slowest_s = max(found.slowest_s, took_s)
    found.most_bytes = max(found.most_bytes, used)
    if outcome not in ("fine", "refused"):
        found.failures.append(f"{case}: {outcome} {detail}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=list(KINDS))
    options = parser.parse_args()
    outcomes = fuzz(dict.fromkeys(options.kinds, options.cases), options.seed, _Teller(options.cases))
    failed = 0
    for kind, found in outcomes.items():
        failed += len(found.failures)
        print(
            f"{kind:12} {options.cases:5} cases {found.attempts:6} attempts: {found.ends['fine']:6} fine, "
            f"{found.ends['refused']:6} refused, {len(found.failures):5} failed; "
            f"slowest {found.slowest_s:.2f} s, most {found.most_bytes / 2**20:.0f} MB"
        )
        reasons = Counter(_reason(failure) for failure in found.failures)
        for reason, number in reasons.most_common(40):
            example = next(failure for failure in found.failures if _reason(failure) == reason)
            print(f"    {number:5}  {example}")
    sys.exit(1 if failed else 0)


class _Teller:
    """Prints its progress every ten seconds, and each failure at once, because a long run may be cut off."""

    def __init__(self, cases: int) -> None:
        self._cases, self._told_s = cases, time.monotonic()
        self._failures: Counter[str] = Counter()

    def __call__(self, kind: str, number: int, found: Outcome) -> None:
        for failure in found.failures[self._failures[kind] :]:
            print(f"  {failure}", file=sys.stderr, flush=True)
        self._failures[kind] = len(found.failures)
        if time.monotonic() - self._told_s >= TELL_EVERY_S or self._cases == number + 1:
            self._told_s = time.monotonic()
            said = f"{found.ends['fine']} fine, {found.ends['refused']} refused, {len(found.failures)} failed"
            print(f"{kind}: {number + 1} of {self._cases} cases: {said}", file=sys.stderr, flush=True)


def _reason(failure: str) -> str:
    """Failures of one cause, by where they happened."""
    _, _, said = failure.partition(": ")
    return f"{said.split(' ')[0]} {said.rpartition('  ')[2] if 'controls' in said[:9] else said.split(' < ')[0][-40:]}"


if __name__ == "__main__":
    main()
