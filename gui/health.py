"""The health strip: the most important problem in a sentence; empty if there is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rehabcount.bedside.screen_state import ScreenState
from rehabcount.domain.update import UNCALIBRATED
from rehabcount.errors import RehabcountError
from rehabcount.gui.language import plural, tr
from rehabcount.gui.troubles import message_words, words_of


@dataclass(frozen=True, slots=True)
class Wrong:
    """A problem; kind `warn` or `bad`."""

    text: str
    kind: str


def what_is_wrong(
    state: ScreenState,
    silent_s: int,
    names: Mapping[str, str],
    trouble: RehabcountError | None = None,
    *,
    unwritten_s: int = 0,
    settled: bool = True,
) -> Wrong | None:
    """The worst problem at present. `silent_s`: for how long the session has sent no update, 0 if it sends.

    `settled` is False in the first moments of counting, in which the engine still works on the record of the
    calibration; a delay is then no problem. `trouble` is why the record cannot be written. It comes first, because
    data can be lost: the last `unwritten_s`, which are in memory. `names`: the names of the sensors for people.
    """

    def said(sensors: Iterable[str]) -> str:
        return ", ".join(names.get(sensor, sensor) for sensor in sensors)

    if trouble is not None:
        waiting = plural(
            unwritten_s,
            "{n} second is not on the disk; it waits in memory.",
            "{n} seconds are not on the disk; they wait in memory.",
        )
        return Wrong(f"{words_of(trouble)} {waiting}", "bad")
    if silent_s:
        return Wrong(
            plural(
                silent_s,
                "No news from the session for {n} second. The number is not live; recording goes on.",
                "No news from the session for {n} seconds. The number is not live; recording goes on.",
            ),
            "bad",
        )
    if state.lacking:
        lacking = [name for name in state.lacking if name != UNCALIBRATED]
        if lacking:
            words = tr("Not counting: {names} missing. Check strap and battery; it reconnects by itself.")
            return Wrong(words.format(names=said(lacking)), "bad")
        return Wrong(tr("Not counting: the sensors are not calibrated."), "bad")
    if state.lost:
        silent = said(name for name, _ in state.trouble)
        words = tr("Silent: {names}. Counting goes on without; check strap and battery.")
        return Wrong(words.format(names=silent), "bad")
    if state.behind_s and settled:
        late = round(state.behind_s)
        return Wrong(plural(late, "Counting is {n} second behind.", "Counting is {n} seconds behind."), "warn")
    if state.doubts:
        name, why = next(iter(state.doubts.items()))
        return Wrong(
            tr("Look at {name}: {why}. Calibrate again at the next pause.").format(
                name=said([name]), why=message_words(why)
            ),
            "warn",
        )
    if state.lossy:
        return Wrong(tr("Weak signal: {names}. Move closer to the computer.").format(names=said(state.lossy)), "warn")
    if state.low_batteries:
        weak = ", ".join(f"{names.get(name, name)} {percent} %" for name, percent in state.low_batteries)
        return Wrong(tr("Battery low: {names}.").format(names=weak), "warn")
    return None
