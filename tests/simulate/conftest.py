"""People and recordings that several tests look at; made once."""

from __future__ import annotations

import pytest

from rehabcount.simulate.cohort import Subject, make_cohort
from rehabcount.simulate.recording import Recording, simulate_session


@pytest.fixture(scope="session")
def cohort() -> tuple[Subject, ...]:
    return make_cohort(0)


@pytest.fixture(scope="session")
def session(cohort: tuple[Subject, ...]) -> Recording:
    """Six minutes of a moderately impaired person."""
    return simulate_session(cohort[12], 6.0, seed=1)
