from __future__ import annotations

from tests.fuzz.files import fuzz
from tests.fuzz.kinds import KINDS

CASES = {
    "sessions": 12,
    "cards": 12,
    "libraries": 30,
    "settings": 30,
    "arrays": 30,
    "labels": 30,
    "channels": 30,
    "exports": 30,
    "annotations": 30,
    "backups": 30,
}


def test_a_small_share_of_make_fuzz() -> None:
    outcomes = fuzz(CASES, seed="suite")
    assert not [failure for found in outcomes.values() for failure in found.failures]
    assert set(CASES) == set(KINDS)
    for kind, found in outcomes.items():
        assert found.attempts >= CASES[kind], kind
        assert found.ends["refused"], kind
        assert found.ends["fine"], kind
