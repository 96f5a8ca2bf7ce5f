"""Whose a session may be said to be: a real one any patient's, a simulated one the demo patient's alone."""

from __future__ import annotations

from collections.abc import Iterable

from rehabcount.domain.patient import DEMO
from rehabcount.gui.language import tr


def possible_owners(patients: Iterable[str], present: str, *, simulated: bool) -> list[str]:
    """The codes it can be given to, `present` excepted. A patient must not get exercise that nobody did."""
    codes = [DEMO.code] if simulated else [code for code in patients if code != DEMO.code]
    return [code for code in codes if code != present]


def why_none(*, simulated: bool) -> str:
    if simulated:
        return tr("Simulated data: no patient made these movements. They stay with the demo patient.")
    return tr("There is no other patient to give it to.")
