"""Believing: the movements that a recogniser names -> how many task repetitions there are.

In: the settled events of the trained arm, one after the other. Out: for each event the share of a repetition that it
is believed to begin, from 0 to 1. The definition of a repetition is that of `tally.py`; what is decided here is whether
it took place. One movement that is named wrongly would change the number of repetitions by one, and nearly always
upwards: a hand that misses the cup and draws back makes a reach and a reposition, and is counted if the second is named
transport.

Behind the events there is a hidden chain of true states (`domain/belief.py`). A repetition begins with an event whose
state is the first transport of a run of handling; the probability of that, given what was named before it, how the
event itself was named (label, confidence, length), and what was named after it, is its share. A short interruption with
little confidence therefore does not cut a run, and a doubtful transport after which the hand reaches again is mostly
none.

    sure (SURE or more at once)     it counts as one, with the event itself
    else, when the next movement is known (LOOK_AHEAD):
        SURE or more                it counts as one
        less than DOUBT             it does not count
        between                     it counts as its share: of ten with a share of .4 four are counted

So a clear repetition counts at its first transport, a doubtful one a movement later, nothing is taken back, and sums of
shares have no bias. An event with the confidence of a person's correction is certain, so in a sequence of certain
events the shares are those of the definition.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.belief import CONVEYED, OUTSIDE, STATES, Belief, label_of, place_of
from rehabcount.domain.corrected import CERTAIN
from rehabcount.domain.update import Event

SURE, DOUBT = 0.9, 0.1  # shares: from here on a whole repetition, and below none
DIGITS = 3  # of a share: the last digits of a probability differ between processors


@dataclass(frozen=True, slots=True)
class Share:
    """How much of a repetition this event begins; final."""

    event: Event
    share: float


class Believer:
    """The chain of one arm, from one break to the next."""

    def __init__(self, belief: Belief) -> None:
        start, follow = np.array(belief.start), np.array(belief.follow)
        start[CONVEYED] *= belief.readiness
        follow[OUTSIDE, CONVEYED] *= belief.readiness
        self._start, self._follow = start, follow
        self._named, self._belief = np.array(belief.named), belief
        self._states: Floats | None = None  # probabilities after the newest event; None: a new chain
        self._open: Event | None = None  # the newest event, if its share is not final
        self._begins = 0.0  # its share by what was named so far

    def hear(self, event: Event) -> list[Share]:
        """The next event; the shares that are final now."""
        seen = self._seen(event)
        settled: list[Share] = []
        if self._states is None:
            joint, begins = self._start * seen, self._start[CONVEYED] * seen[CONVEYED]
        else:
            if self._open is not None:
                after = self._follow @ seen
                known = float(self._begins * after[CONVEYED] / (self._states @ after))
                settled.append(Share(self._open, _rounded(known)))
            moved = self._states[:, None] * self._follow * seen[None, :]
            joint, begins = moved.sum(axis=0), moved[OUTSIDE, CONVEYED].sum()
        self._begins, self._states = float(begins / joint.sum()), joint / joint.sum()
        self._open = event
        if _rounded(self._begins) == 1.0:
            settled.append(Share(event, 1.0))
            self._open = None
        return settled

    def rest(self) -> list[Share]:
        """A break: what is open is decided by what is known, and the next event begins a new chain."""
        settled = [] if self._open is None else [Share(self._open, _rounded(self._begins))]
        self._states, self._open = None, None
        return settled

    def _seen(self, event: Event) -> Floats:
        """The likelihood of how this event was named, for each state."""
        label = place_of(event.segment.label)
        if event.confidence >= CERTAIN:
            return np.array([float(label_of(state) == label) for state in range(len(STATES))])
        belief = self._belief
        sure = bisect_right(belief.confidence_edges, event.confidence)
        long = bisect_right(belief.length_edges_s, event.segment.length_s)
        looks = [belief.confidence[label][right][sure] * belief.length[label][right][long] for right in (0, 1)]
        return np.array([self._named[state, label] * looks[label_of(state) == label] for state in range(len(STATES))])


def _rounded(share: float) -> float:
    share = round(share, DIGITS)
    return 1.0 if share >= SURE else share if share >= DOUBT else 0.0
