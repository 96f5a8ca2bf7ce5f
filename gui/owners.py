"""Possible patients of a session: any patient for a real one, only the demo patient for a simulated one."""

from __future__ import annotations

from collections.abc import Iterable

from rehabcount.domain.patient import DEMO
from rehabcount.gui.language import tr


def possible_owners(patients: Iterable[str], present: str, *, simulated: bool) -> list[str]:
    """The codes that it can be assigned to, except `present`. Simulated exercise must not count for a patient."""
    codes = [DEMO.code] if simulated else [code for code in patients if code != DEMO.code]
    return [code for code in codes if code != present]


def why_none(*, simulated: bool) -> str:
    if simulated:
        return tr("Simulated data: no patient made these movements. They stay with the demo patient.")
    return tr("There is no other patient to give it to.")
