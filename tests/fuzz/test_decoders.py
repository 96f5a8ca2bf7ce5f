from __future__ import annotations

from tests.fuzz.decoders import fuzz_all


def test_a_small_share_of_make_fuzz() -> None:
    results = fuzz_all(20_000, seed=1)
    assert all(tally.refused for name, tally in results.items() if name != "status")
    assert all(tally.accepted for tally in results.values())
