"""No probe of noise or identity may name a primitive better than chance plus two points."""

from __future__ import annotations

import pytest

from rehabcount.bench.shortcuts import Probe, probe_shortcuts

pytest.importorskip("sklearn")


@pytest.fixture(scope="module")
def probes() -> dict[str, Probe]:
    found = probe_shortcuts(subjects=8, activities=("drinking", "combing", "shelf", "feeding"), repetitions=2)
    return {probe.name: probe for probe in found}


@pytest.mark.parametrize("name", ["sensor noise", "sensor identity", "subject identity"])
def test_noise_and_identity_tell_nothing(probes: dict[str, Probe], name: str) -> None:
    assert probes[name].forbidden
    assert probes[name].gain <= 0.02, probes[name]


def test_the_probe_would_find_a_shortcut(probes: dict[str, Probe]) -> None:
    """The pause before a segment tells much (a movement follows stillness): the probes are not blind."""
    assert probes["pause before"].gain > 0.05
    assert not probes["pause before"].forbidden
