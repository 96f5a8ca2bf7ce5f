"""Stitching: the tokens of overlapping windows -> one settled sequence.

In: for each window, in order, its span and the tokens a recogniser read in it. Out: tokens that are settled; they
come in order of time, do not overlap, and are never taken back.

Tokens are matched **by time, never by their string**, so that a true repetition across a border is kept. A token is
settled when two successive windows give the same label with midpoints close together and well inside both windows. At
the deadline the window in which the token lies most centrally decides. StrokeRehab's offline rule (Kaku et al.
2022) puts the centres of windows end to end and merges equal neighbours, which loses true repetitions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rehabcount.domain.sequence import StitchRule, Token


@dataclass(frozen=True, slots=True)
class Reading:
    """What a recogniser read in the window `[start_s, end_s)`; tokens in order of time."""

    start_s: float
    end_s: float
    tokens: tuple[Token, ...]

    @property
    def centre_s(self) -> float:
        return (self.start_s + self.end_s) / 2


class Stitcher:
    """Settles the tokens of one arm."""

    def __init__(self, rule: StitchRule) -> None:
        self._rule = rule
        self._readings: list[Reading] = []  # those that still see unsettled time
        self._settled: Token | None = None  # the last one
        self._begun_s = float("inf")  # the end of the first reading

    @property
    def settled_until_s(self) -> float:
        """Up to here the sequence is final."""
        return self._settled.end_s if self._settled is not None else -1.0

    @property
    def last(self) -> Token | None:
        """The newest settled token."""
        return self._settled

    def add(self, reading: Reading) -> list[Token]:
        """Tokens that this window settles."""
        previous = self._readings[-1] if self._readings else None
        self._begun_s = min(self._begun_s, reading.end_s)
        self._readings.append(reading)
        out: list[Token] = []
        if previous is not None:
            for token in self._open(reading):
                if not self._agreed(token, previous, reading):
                    break  # tokens settle in order of time
                out.append(self._settle(token, reading.end_s))
        out += self._overdue(reading.end_s)
        self._forget(reading.end_s)
        return out

    def finish(self) -> list[Token]:
        """The end of input: all remaining tokens, each from the window in which it lies most centrally."""
        last_s = max((reading.end_s for reading in self._readings), default=0.0)
        return self._overdue(last_s + self._rule.deadline_s + 1.0)

    def draft(self) -> tuple[Token, ...]:
        """The tokens of the newest window that are not settled."""
        return tuple(self._open(self._readings[-1])) if self._readings else ()

    def _open(self, reading: Reading) -> list[Token]:
        """Tokens of a reading that are not settled yet, cut where the settled ones end.

        If the reading has the last settled token again, everything after it is new, even a short movement whose middle
        lies before the settled end, because borders differ between readings. Otherwise a token is new if its middle
        lies after the settled end.
        """
        until = self.settled_until_s
        again = max((i for i, token in enumerate(reading.tokens) if self._is_last(token)), default=None)
        if again is None:
            found = [token for token in reading.tokens if _middle(token) >= until]
        else:
            found = [token for token in reading.tokens[again + 1 :] if token.end_s > until]
        return [replace(token, start_s=max(token.start_s, until)) for token in found]

    def _is_last(self, token: Token) -> bool:
        """Whether a token of a later window is the last settled one: it has other borders, but begins before that one
        ended."""
        last = self._settled
        return (
            last is not None
            and token.label == last.label
            and token.end_s > last.start_s
            and (
                token.start_s < last.end_s - min(self._rule.agree_within_s, (last.end_s - last.start_s) / 2)
                or abs(_middle(token) - _middle(last)) <= self._rule.agree_within_s
            )
        )

    def _agreed(self, token: Token, previous: Reading, reading: Reading) -> bool:
        rule = self._rule
        for other in previous.tokens:
            if other.label == token.label and abs(_middle(other) - _middle(token)) <= rule.agree_within_s:
                return _inside(other, previous, rule.edge_s) and _inside(token, reading, rule.edge_s)
        return False

    def _overdue(self, now_s: float) -> list[Token]:
        """Settle tokens that ended before the deadline, each as in the window in which it lies most centrally."""
        out: list[Token] = []
        while True:
            candidates = [
                (abs(_middle(token) - reading.centre_s), token)
                for reading in self._readings
                for token in self._open(reading)[:1]
                if token.end_s <= now_s - self._rule.deadline_s + self._rule.hop_s
            ]
            if not candidates:
                return out
            out.append(self._settle(min(candidates, key=lambda pair: pair[0])[1], now_s))

    def _settle(self, token: Token, now_s: float) -> Token:
        """Make it final. Its end may not lie before the deadline: if a later reading has an earlier end, the deadline
        is taken instead. (This does not apply to the first reading, which could not come earlier.)"""
        newest_s = min(now_s, self._readings[-1].end_s)
        if newest_s > self._begun_s:
            token = replace(token, end_s=max(token.end_s, newest_s - self._rule.deadline_s))
        self._settled = token
        return token

    def _forget(self, now_s: float) -> None:
        horizon = now_s - self._rule.deadline_s - self._rule.hop_s
        self._readings = [
            reading for reading in self._readings if reading.end_s > max(horizon, self.settled_until_s)
        ] or self._readings[-1:]


def _middle(token: Token) -> float:
    return (token.start_s + token.end_s) / 2


def _inside(token: Token, reading: Reading, edge_s: float) -> bool:
    """Far enough from the window's edges; the very start of a recording is no edge."""
    left = reading.start_s + edge_s if reading.start_s > 0 else 0.0
    return left <= _middle(token) <= reading.end_s - edge_s
