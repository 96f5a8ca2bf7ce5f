"""PRISM's sampler: its conditionals against enumeration, the joint distribution (Geweke), and how a fit is kept.

On small problems every labelling can be listed, so each conditional probability is computed a second time from the
definition of the model: a bag of slots for each recording, sorted; a state for each slot; normal frames.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp
from scipy.stats import multivariate_normal, multivariate_t

from rehabcount.domain.arrays import Floats, Ints
from rehabcount.errors import InputRefused
from rehabcount.models import mixing, niw, prism, prism_chain, prism_sweep
from rehabcount.models.prism_chain import JoinedRecordings, Moving, PrismSettings


def sorted_in(bag: Ints, first: Ints) -> Ints:
    return np.concatenate([np.sort(bag[a:b]) for a, b in itertools.pairwise(first)])


def random_prior(rng: np.random.Generator, channels: int) -> niw.NiwPrior:
    square = rng.normal(size=(channels, channels))
    return niw.NiwPrior(rng.normal(size=channels), 0.7, square @ square.T + np.eye(channels), channels + 1.5)


def slow_log_marginal(values: Floats, prior: niw.NiwPrior) -> float:
    """Frame by frame: each has a t distribution given those before it."""
    centre, strength, scatter, freedom = prior.centre.copy(), prior.strength, prior.scatter.copy(), prior.freedom
    channels = len(centre)
    logs = []
    for x in values:
        shape = scatter * (strength + 1) / (strength * (freedom - channels + 1))
        frozen: Any = multivariate_t(centre, shape, df=freedom - channels + 1)  # type: ignore[arg-type]
        logs.append(float(frozen.logpdf(x)))
        scatter = scatter + strength / (strength + 1) * np.outer(x - centre, x - centre)
        centre = (strength * centre + x) / (strength + 1)
        strength, freedom = strength + 1, freedom + 1
    return sum(logs)


def slow_log_joint(frames: JoinedRecordings, settings: PrismSettings, bag: Ints, procedure: Ints) -> float:
    """Of one bag and one procedure with the values; everything else integrated out."""
    prior = prism_chain.prior_of(settings, frames.values.shape[1])
    count = np.bincount(bag, minlength=settings.slots)
    beta, slots = settings.concentration, settings.slots
    total = gammaln(slots * beta) - gammaln(slots * beta + len(bag))
    total += gammaln(count + beta).sum() - slots * gammaln(beta) - slots * np.log(settings.states)
    states = procedure[sorted_in(bag, frames.first)]
    return total + sum(slow_log_marginal(frames.values[states == k], prior) for k in range(settings.states))


class Recorder:
    """Stands where a draw is made: keeps the log weights and draws with them."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.seen = rng, list[Floats]()

    def __call__(self, log_weight: Floats, uniform: float) -> int:
        self.seen.append(log_weight - logsumexp(log_weight))
        share = np.exp(self.seen[-1])
        return int(self.rng.choice(len(share), p=share / share.sum()))


SMALL = JoinedRecordings(np.random.default_rng(3).normal(size=(9, 2)) * 2, np.array([0, 5, 9]))
SETTINGS = PrismSettings(states=3, slots=4, chains=1, sweeps=40, burn_in=10, thin=3, concentration=0.3)


def start(rng: np.random.Generator, frames: JoinedRecordings = SMALL, settings: PrismSettings = SETTINGS) -> Moving:
    bag, procedure = (
        rng.integers(settings.slots, size=len(frames.values)),
        rng.integers(settings.states, size=settings.slots),
    )
    slot = sorted_in(bag, frames.first)
    prior = prism_chain.prior_of(settings, frames.values.shape[1])
    clusters = niw.draw_gaussians(rng, niw.sums_of(frames.values, procedure[slot], settings.states), prior)
    return Moving(bag, slot, np.bincount(bag, minlength=settings.slots), procedure, clusters)


@pytest.mark.parametrize("seed", range(4))
def test_each_entry_of_the_bag_is_drawn_from_its_conditional(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every slot that one entry could take: prior shares times the density of all frames, sorted anew each time."""
    rng = np.random.default_rng(seed)
    at = start(rng)
    density = niw.log_densities(SMALL.values, at.clusters)
    recorder = Recorder(rng)
    monkeypatch.setattr(prism_sweep, "pick", recorder)
    before = at.bag.copy()
    prism_sweep._move_bag(
        at.bag, SMALL.first, at.procedure, density, at.count, SETTINGS.concentration, rng.random(len(at.bag))
    )
    for j, log_share in enumerate(recorder.seen):
        bag = np.concatenate([at.bag[:j], before[j:]])
        wanted = np.empty(SETTINGS.slots)
        for r in range(SETTINGS.slots):
            bag[j] = r
            others = np.bincount(np.delete(bag, j), minlength=SETTINGS.slots)
            states = at.procedure[sorted_in(bag, SMALL.first)]
            wanted[r] = np.log(others[r] + SETTINGS.concentration) + density[np.arange(len(bag)), states].sum()
        assert log_share == pytest.approx(wanted - logsumexp(wanted), abs=1e-10)
    assert (at.count == np.bincount(at.bag, minlength=SETTINGS.slots)).all()


@pytest.mark.parametrize("seed", range(4))
def test_each_slot_draws_its_state_from_its_conditional(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    at = start(rng)
    prior = prism_chain.prior_of(SETTINGS, 2)
    sums = niw.sums_of(SMALL.values, at.slot, SETTINGS.slots)
    held = niw.gathered(sums, at.procedure, SETTINGS.states)
    recorder = Recorder(rng)
    monkeypatch.setattr(prism_sweep, "pick", recorder)
    before = at.procedure.copy()
    prism_sweep._choose_states(
        at.procedure,
        (sums.count, sums.total, sums.outer),
        (held.count, held.total, held.outer),
        (prior.centre, prior.strength, prior.scatter, prior.freedom),
        rng.random(SETTINGS.slots),
    )
    used = [r for r in range(SETTINGS.slots) if at.count[r]]
    assert len(recorder.seen) == len(used)
    for r, log_share in zip(used, recorder.seen, strict=True):
        wanted = np.empty(SETTINGS.states)
        for k in range(SETTINGS.states):
            procedure = np.concatenate([at.procedure[:r], [k], before[r + 1 :]])
            wanted[k] = slow_log_joint(SMALL, SETTINGS, at.bag, procedure)
        assert log_share == pytest.approx(wanted - logsumexp(wanted), abs=1e-8)


def test_states_given_means_and_covariances_follow_the_density(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    at = start(rng)
    density = niw.log_densities(SMALL.values, at.clusters)
    recorder = Recorder(rng)
    monkeypatch.setattr(prism_sweep, "pick", recorder)
    prism_sweep._choose_states_given(at.procedure, at.slot, density, rng.random(SETTINGS.slots))
    for r, log_share in enumerate(recorder.seen):
        wanted = density[at.slot == r].sum(axis=0)
        assert log_share == pytest.approx(wanted - logsumexp(wanted), abs=1e-10)


def test_the_compiled_loops_do_what_the_plain_ones_do() -> None:
    rng = np.random.default_rng(5)
    at, uniform = start(rng), rng.random(9)
    density = niw.log_densities(SMALL.values, at.clusters)
    results = []
    for move in (prism_sweep.move_bag, prism_sweep._move_bag):
        bag, count = at.bag.copy(), at.count.copy()
        move(bag, SMALL.first, at.procedure, density, count, 0.3, uniform)
        results.append((bag.tolist(), count.tolist()))
    assert results[0] == results[1]
    weight = rng.normal(size=6)
    drawn = [prism_sweep.pick(weight.copy(), u) for u in np.linspace(0, 0.9999, 20_001)]
    share = np.exp(weight - logsumexp(weight))
    assert np.bincount(drawn, minlength=6) / len(drawn) == pytest.approx(share, abs=2e-4)


def test_the_log_joint_is_that_of_all_bags_with_this_order() -> None:
    rng = np.random.default_rng(2)
    at = start(rng)
    orders = 1.0
    for a, b in itertools.pairwise(SMALL.first):
        orders *= len(set(itertools.permutations(at.bag[a:b].tolist())))
    slow = slow_log_joint(SMALL, SETTINGS, at.bag, at.procedure) + np.log(orders)
    assert prism_chain.log_joint(SMALL, SETTINGS, at) == pytest.approx(slow, abs=1e-9)


def test_gaussians_against_scipy() -> None:
    rng = np.random.default_rng(1)
    prior, values = random_prior(rng, 3), rng.normal(size=(12, 3)) @ rng.normal(size=(3, 3)) + 1
    assert niw.log_marginals(niw.sums_of(values, np.zeros(12, np.int64), 2), prior) == pytest.approx(
        slow_log_marginal(values, prior), abs=1e-9
    )
    clusters = niw.draw_gaussians(rng, niw.sums_of(values, np.arange(12) % 2, 2), prior)
    for k in range(2):
        covariance = np.linalg.inv(clusters.root[k].T @ clusters.root[k])
        wanted = multivariate_normal(clusters.mean[k], covariance).logpdf(values)
        assert niw.log_densities(values, clusters)[:, k] == pytest.approx(wanted, abs=1e-9)
        assert np.triu(clusters.root[k], 1) == pytest.approx(np.zeros((3, 3)))


def test_draws_of_gaussians_have_the_moments_of_the_posterior() -> None:
    rng = np.random.default_rng(8)
    prior, values = random_prior(rng, 2), rng.normal(size=(8, 2)) + 2
    one = niw.sums_of(values, np.zeros(8, np.int64), 1)
    many = niw.Sums(*(np.repeat(part, 20_000, axis=0) for part in (one.count, one.total, one.outer)))
    drawn = niw.draw_gaussians(rng, many, prior)
    strength, freedom = prior.strength + 8, prior.freedom + 8
    centre = (prior.strength * prior.centre + values.sum(axis=0)) / strength
    mean = values.mean(axis=0)
    scatter = prior.scatter + (values - mean).T @ (values - mean)
    scatter += prior.strength * 8 / strength * np.outer(mean - prior.centre, mean - prior.centre)
    covariance = np.linalg.inv(np.swapaxes(drawn.root, 1, 2) @ drawn.root)
    assert drawn.mean.mean(axis=0) == pytest.approx(centre, abs=0.03)
    assert covariance.mean(axis=0) == pytest.approx(scatter / (freedom - 3), rel=0.05, abs=0.03)
    assert np.cov(drawn.mean.T) == pytest.approx(scatter / (freedom - 3) / strength, rel=0.08, abs=0.01)
    assert np.linalg.inv(covariance).mean(axis=0) == pytest.approx(freedom * np.linalg.inv(scatter), rel=0.05, abs=0.02)


def test_the_predictive_density_sums_over_all_ways_to_divide_the_frames() -> None:
    rng = np.random.default_rng(4)
    density, procedure = rng.normal(size=(5, 3)), np.array([0, 2, 0, 1])
    log_extent = rng.normal(size=(4, 6))
    ways = []
    for cuts in itertools.combinations_with_replacement(range(6), 3):
        borders = [0, *cuts, 5]
        lengths = np.diff(borders)
        states = np.repeat(procedure, lengths)
        ways.append(density[np.arange(5), states].sum() + log_extent[np.arange(4), lengths].sum())
    assert prism_sweep.log_predictive(density, procedure, log_extent) == pytest.approx(logsumexp(ways), abs=1e-10)


GEWEKE = PrismSettings(states=2, slots=3, chains=1, sweeps=1, burn_in=0, concentration=0.8)


def geweke_quantities(at: Moving, values: Floats) -> list[float]:
    return [
        float(at.procedure[0] == at.procedure[2]),
        float(at.count[0] ** 2),
        float(at.count[2] == 0),
        float((at.bag[:3] == at.bag[3:6]).mean()),
        float(at.clusters.mean[0, 0] ** 2 < 1),
        float(at.clusters.root[:, 0, 0].min() < 0.8),
        float(np.abs(values).mean() < 1.5),
        float((values[0, 0] - values[1, 0]) ** 2 < 1),
        float(at.procedure[at.slot[0]] == at.procedure[at.slot[2]]),
    ]


def from_prior(rng: np.random.Generator, frames: JoinedRecordings, settings: PrismSettings) -> Moving:
    share = rng.dirichlet(np.full(settings.slots, settings.concentration))
    bag = rng.choice(settings.slots, size=len(frames.values), p=share)
    procedure = rng.integers(settings.states, size=settings.slots)
    none = niw.Sums(np.zeros(settings.states), np.zeros((settings.states, 1)), np.zeros((settings.states, 1, 1)))
    clusters = niw.draw_gaussians(rng, none, prism_chain.prior_of(settings, 1))
    slot = sorted_in(bag, frames.first)
    return Moving(bag, slot, np.bincount(bag, minlength=settings.slots), procedure, clusters)


def observed(rng: np.random.Generator, at: Moving) -> Floats:
    states = at.procedure[at.slot]
    return at.clusters.mean[states] + rng.standard_normal((len(states), 1)) / at.clusters.root[states, :, 0]


def geweke(
    sweep: Callable[[JoinedRecordings, PrismSettings, np.random.Generator, Moving], None], settings: PrismSettings
) -> Floats:
    """z of each quantity: drawn from the model at once, against sweeps that alternate with new observations."""
    rng = np.random.default_rng(11)
    empty = JoinedRecordings(np.zeros((8, 1)), np.array([0, 3, 8]))
    at_once = []
    for _ in range(4000):
        at = from_prior(rng, empty, settings)
        at_once.append(geweke_quantities(at, observed(rng, at)))
    in_turn = []
    at = from_prior(rng, empty, settings)
    values = observed(rng, at)
    for _ in range(6000):
        sweep(JoinedRecordings(values, empty.first), settings, rng, at)
        values = observed(rng, at)
        in_turn.append(geweke_quantities(at, values))
    one, two = np.array(at_once), np.array(in_turn)
    worth = np.array([mixing.effective_samples(column[None]) for column in two.T])
    return (one.mean(axis=0) - two.mean(axis=0)) / np.sqrt(one.var(axis=0) / len(one) + two.var(axis=0) / worth)


@pytest.mark.parametrize("collapsed", [True, False])
def test_geweke(collapsed: bool) -> None:
    """An entry that is counted while it is drawn anew, or a border's frame that is weighed only where it goes: either
    mistake puts a z beyond 4."""
    z = geweke(prism_chain.sweep_once, replace(GEWEKE, collapsed=collapsed))
    assert np.abs(z).max() < 4


def demonstrations(seed: int = 0) -> list[Floats]:
    """Three recordings of A B A C in two channels, of unequal lengths."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(3):
        states = np.repeat([0, 1, 0, 2], rng.integers(4, 9, size=4))
        found.append(
            np.array([[0, 0], [2, 2], [4, 0]])[states] * 0.6 - 0.8 + 0.15 * rng.standard_normal((len(states), 2))
        )
    return found


def equal(one: prism.PrismFit, two: prism.PrismFit) -> bool:
    arrays: list[tuple[Any, Any]] = [(one.log_joint, two.log_joint), (one.draws.mean, two.draws.mean)]
    arrays += [*zip(one.slots, two.slots, strict=True), *zip(one.samples, two.samples, strict=True)]
    arrays += list(zip(one.share, two.share, strict=True))
    return all(np.array_equal(a, b) for a, b in arrays)


def test_a_procedure_is_found() -> None:
    recordings = demonstrations()
    fitted = prism.fit(recordings, PrismSettings(states=3, slots=6, sweeps=200, burn_in=100, seed=1))
    for states in fitted.states:
        order = [int(k) for k, _ in itertools.groupby(states)]
        assert len(order) == 4
        assert order[0] == order[2]
        assert len(set(order)) == 3
    assert all(share.sum(axis=1) == pytest.approx(1) for share in fitted.share)
    assert all(
        (share.argmax(axis=1) == states).mean() > 0.9 for share, states in zip(fitted.share, fitted.states, strict=True)
    )
    assert fitted.log_joint.shape == (2, 200)
    assert 0.9 < fitted.r_hat < 1.6
    assert 2 < fitted.effective_samples < 1000
    like, unlike = prism.evidence(fitted, [demonstrations(5)[0], demonstrations(5)[0][::-1]])
    assert like > unlike + 5


def test_the_same_seed_gives_the_same_and_an_interrupted_fit_goes_on(tmp_path: Path) -> None:
    recordings, settings = demonstrations(), replace(SETTINGS, chains=2)
    whole = prism.fit(recordings, settings)
    assert equal(whole, prism.fit(recordings, settings))
    assert not equal(whole, prism.fit(recordings, replace(settings, seed=1)))
    heard = list[prism.SamplingProgress]()

    def stop(progress: prism.SamplingProgress) -> None:
        heard.append(progress)
        if len(heard) == 27:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prism.fit(recordings, settings, folder=tmp_path, on_progress=stop)
    assert (heard[-1].chain, heard[-1].sweep, heard[-1].sweeps) == (1, 14, 40)
    later = list[prism.SamplingProgress]()
    assert equal(whole, prism.fit(recordings, settings, folder=tmp_path, on_progress=later.append))
    assert (later[0].chain, later[0].sweep) == (1, 16)
    other = prism.fit(recordings, replace(settings, seed=1), folder=tmp_path)  # not those that are kept
    assert equal(other, prism.fit(recordings, replace(settings, seed=1)))
    (tmp_path / "chain-0.npz").write_bytes(b"damaged")
    assert equal(other, prism.fit(recordings, replace(settings, seed=1), folder=tmp_path))


@pytest.mark.slow
def test_processes_share_the_chains() -> None:
    recordings, settings = demonstrations(), replace(SETTINGS, chains=3)
    assert equal(prism.fit(recordings, settings), prism.fit(recordings, settings, processes=2))


@pytest.mark.parametrize(
    ("recordings", "words"),
    [
        ([], "there is no recording"),
        ([np.zeros(5)], "no table"),
        ([np.ones((0, 2))], "has no frames"),
        ([np.eye(4, 2), np.eye(4, 3)], "recording 2 has 3 channels, the others 2"),
        ([np.eye(4, 2), np.array([[1.0, np.nan]])], "recording 2 has no number in frame 0, channel 1"),
        ([np.eye(4, 2), np.array([[1.0, np.inf]])], "no number"),
        ([np.array([[1.0, 3.0], [2.0, 3.0]])], "channel 1 is constant"),
    ],
)
def test_recordings_that_cannot_be_used_are_refused(recordings: list[Floats], words: str) -> None:
    with pytest.raises(InputRefused, match=words):
        prism.fit(recordings, SETTINGS)


@pytest.mark.parametrize("change", [{"states": 0}, {"slots": 0}, {"burn_in": 40}, {"thin": 0}, {"concentration": 0.0}])
def test_settings_that_cannot_be_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(InputRefused):
        replace(SETTINGS, **change)  # type: ignore[arg-type]


def test_one_recording_one_state_and_fewer_frames_than_slots_can_be() -> None:
    rng = np.random.default_rng(0)
    fitted = prism.fit([rng.normal(size=(3, 1))], replace(SETTINGS, states=1, slots=7))
    assert fitted.states[0].tolist() == [0, 0, 0]
    assert (np.diff(fitted.slots[0]) >= 0).all()


def test_how_well_chains_have_mixed() -> None:
    rng = np.random.default_rng(0)
    independent = rng.normal(size=(3, 1000))
    assert mixing.split_r_hat(independent) == pytest.approx(1, abs=0.01)
    assert mixing.effective_samples(independent) == pytest.approx(3000, rel=0.15)
    slow = np.zeros((2, 20_000))
    noise = rng.normal(size=slow.shape)
    for t in range(1, slow.shape[1]):
        slow[:, t] = 0.8 * slow[:, t - 1] + noise[:, t]
    assert mixing.effective_samples(slow) == pytest.approx(slow.size * 0.2 / 1.8, rel=0.15)  # known of this process
    assert mixing.split_r_hat(independent + np.array([[0], [0], [5]])) > 1.5
    assert np.isnan(mixing.split_r_hat(np.zeros((2, 3))))
    assert np.isnan(mixing.effective_samples(np.zeros((2, 50))))
