"""The steps of made-up exercises whose procedure is known: noisy kinds at places, in recordings of unlike lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from rehabcount.domain.steps import FoundSteps
from rehabcount.errors import InputRefused
from rehabcount.models import discovery, step_choice
from rehabcount.models.discovery import DiscoverySettings, discover
from rehabcount.models.steps_free import FreeReading, compare, read_freely
from rehabcount.models.steps_input import Channels, Demonstration

PLACES = {"A": (0.0, 0.0), "B": (3.0, 0.0), "C": (3.0, 3.0), "D": (0.0, 3.0)}
PROCEDURE = "ABCDA"
RATE_HZ = 10.0


def recording(rng: np.random.Generator, procedure: str, lengths: Sequence[int], name: str = "one") -> Demonstration:
    """Each step for so many frames."""
    parts = [np.tile(PLACES[kind], (number, 1)) for kind, number in zip(procedure, lengths, strict=True)]
    values = np.concatenate(parts) + rng.normal(0, 0.25, (sum(lengths), 2))
    return Demonstration(name, Channels(20.0, RATE_HZ, ("x", "y"), values))


@pytest.fixture(scope="module")
def made() -> list[Demonstration]:
    rng = np.random.default_rng(1)
    return [recording(rng, PROCEDURE, rng.integers(8, 20, 5).tolist(), f"nr {i}") for i in range(5)]


@pytest.fixture(scope="module")
def found(made: list[Demonstration]) -> FoundSteps:
    return discover(made)


def test_the_procedure_is_found_without_being_told_its_size(found: FoundSteps) -> None:
    assert "".join(step.kind for step in found.steps) == PROCEDURE
    assert [step.number for step in found.steps] == [1, 2, 3, 4, 5]
    assert all(step.recordings == 5 for step in found.steps)
    assert found.kinds == ("A", "B", "C", "D")
    chosen = [each for each in found.tried if each.chosen]
    assert len(chosen) == 1
    assert chosen[0].kinds >= 4
    assert found.sure > 0.9


def test_the_extents_are_those_that_were_made(made: list[Demonstration], found: FoundSteps) -> None:
    for demonstration, each in zip(made, found.recordings, strict=True):
        assert (each.name, each.start_s) == (demonstration.name, 20.0)
        assert [span.number for span in each.spans] == [1, 2, 3, 4, 5]
        assert all(one.end_s == other.start_s for one, other in zip(each.spans, each.spans[1:], strict=False))
        assert isinstance(demonstration.measured, Channels)
        values = demonstration.measured.values
        for span in each.spans:
            first, last = (round((at_s - 20.0) * RATE_HZ) for at_s in (span.start_s, span.end_s))
            middle = values[first + 1 : last - 1].mean(axis=0)
            assert np.abs(middle - PLACES[span.kind]).max() < 0.5
        assert (each.missing, each.additional, each.out_of_order) == ((), 0, 0)
        assert each.agreement > 0.95
        assert sum(each.length_of(number) for number in range(1, 6)) == pytest.approx(each.length_s)


def test_a_missing_step_and_a_wrong_order_are_seen() -> None:
    rng = np.random.default_rng(2)
    regular = [recording(rng, PROCEDURE, rng.integers(10, 16, 5).tolist(), f"nr {i}") for i in range(5)]
    without = recording(rng, "ABDA", (12, 12, 12, 12), "no C")
    exchanged = recording(rng, "ACBDA", (12, 12, 12, 12, 12), "C first")
    said = discover([*regular, without, exchanged], DiscoverySettings(4, 5))
    assert "".join(step.kind for step in said.steps) == PROCEDURE
    lacking, turned = said.recordings[5:]
    assert lacking.missing == (3,)
    assert (turned.out_of_order, turned.additional) == (1, 0)
    assert all(each.out_of_order == 0 and not each.missing for each in said.recordings[:5])


def test_names_are_for_steps_or_for_kinds(found: FoundSteps) -> None:
    by_kind = found.named(["rest", "reach", "lift", "back"])
    assert [step.name for step in by_kind.steps] == ["rest", "reach", "lift", "back", "rest"]
    by_step = found.named(["ready", "reach", "lift", "back", "over"])
    assert by_step.name_of(by_step.recordings[0].spans[-1]) == "over"
    for wrong in (["one", "two"], ["a", "b", " ", "d"]):
        with pytest.raises(ValueError, match=r"names for 5 steps of 4 kinds|a name is empty"):
            found.named(wrong)


def test_the_same_seed_gives_the_same_steps(made: list[Demonstration]) -> None:
    settings = DiscoverySettings(4, 5, seed=3)
    assert discover(made, settings) == discover(made, settings)


def test_progress_rises_to_its_end_and_can_stop_the_search(made: list[Demonstration]) -> None:
    heard: list[tuple[str, int, int]] = []
    discover(made, DiscoverySettings(4, None), on_progress=lambda *at: heard.append(at))
    done = [each[1] for each in heard]
    assert done == sorted(done)
    assert (heard[0][1], heard[-1][1]) == (0, heard[-1][2])

    def stop(what: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        discover(made, on_progress=stop)


@pytest.mark.parametrize(("kinds", "slots"), [(0, None), (27, None), (4, 3), (None, 99)])
def test_sizes_that_cannot_be_are_refused(kinds: int | None, slots: int | None) -> None:
    with pytest.raises(InputRefused, match="cannot be found"):
        DiscoverySettings(kinds, slots)


def test_a_rare_step_is_not_of_the_common_procedure() -> None:
    states = np.array([0, 1, 2, 0])
    slots = [np.array([0, 0, 1, 1, 3]), np.array([0, 1, 1, 3, 3]), np.array([0, 1, 2, 2, 3])]
    steps, places = discovery._procedure(states, slots)
    assert steps == [(0, 1), (1, 2), (0, 3)]
    assert places[2].tolist() == [1, 2, 0, 0, 3]
    # What lies between two alike that is rare leaves one step.
    steps, places = discovery._procedure(np.array([0, 1, 0]), [np.array([0, 2]), np.array([0, 1, 2]), np.array([2])])
    assert steps == [(0, 1)]
    assert [place.tolist() for place in places] == [[1, 1], [1, 0, 1], [1]]


def test_the_bend_is_the_last_of_nearly_equal_heights() -> None:
    assert step_choice.bend([0.0, 5.0, 9.0, 9.5, 10.0]) == 2
    assert step_choice.bend([0.0, 6.0, 8.4, 10.0]) == 2  # .267 and .173 above the line: within a tenth of the gain
    assert step_choice.bend([0.0, 6.0, 7.0, 10.0]) == 1
    assert step_choice.bend([3.0, 1.0]) == 0
    assert step_choice.bend([2.0, 5.0, 1.0]) == 1


def test_sizes_stay_within_what_few_frames_can_show() -> None:
    rng = np.random.default_rng(0)
    tables = [np.repeat(np.eye(2), 8, axis=0) + rng.normal(0, 0.1, (16, 2)) for _ in range(2)]
    size, tried = step_choice.choose(tables, None, None, seed=0)
    assert max(each.kinds for each in tried) <= 32 // step_choice.FRAMES_A_KIND
    assert size.kinds == 2
    assert step_choice.choose(tables, 2, 3, seed=0) == (step_choice.Size(2, 3), ())


def test_a_free_reading_is_the_likeliest_path() -> None:
    rng = np.random.default_rng(5)
    table = np.concatenate([np.tile(PLACES[kind], (10, 1)) for kind in "ABAB"]) + rng.normal(0, 0.3, (40, 2))
    states = np.repeat([0, 1, 0, 1], 10)
    (reading,) = read_freely([table], [states], 3)
    assert reading.sequence == (0, 1, 0, 1)
    assert np.mean(reading.states == states) > 0.97


@pytest.mark.parametrize(
    ("sequence", "procedure", "order"),
    [
        ((0, 1, 2, 0), (0, 1, 2, 0), (0, 0, 0)),
        ((0, 2, 0), (0, 1, 2, 0), (1, 0, 0)),
        ((0, 2, 1, 3, 0), (0, 1, 2, 3, 0), (0, 0, 1)),
        ((0, 1, 0, 1, 2), (0, 1, 2), (0, 2, 0)),
        ((), (0, 1), (2, 0, 0)),
    ],
)
def test_order_is_compared_by_the_longest_common_part(
    sequence: tuple[int, ...], procedure: tuple[int, ...], order: tuple[int, int, int]
) -> None:
    said = compare(FreeReading(np.empty(0, np.int64), sequence), procedure)
    assert (said.missing, said.additional, said.displaced) == order


def test_what_is_found_can_be_changed_only_as_a_copy(found: FoundSteps) -> None:
    assert replace(found, notes=("x",)) != found
    with pytest.raises(AttributeError):
        found.notes = ()  # type: ignore[misc]
