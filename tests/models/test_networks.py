"""Each network: shapes, padding that changes nothing, chunks that equal the whole. Needs torch (extra `train`)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra `train`")

import torch
from torch import nn

from rehabcount.models import edtcn, mstcnpp
from rehabcount.models.asrf import Asrf, AsrfSettings, class_weights
from rehabcount.models.batches import Batch, Cut, collate, frames_of
from rehabcount.models.catalogue import CATALOGUE, cut_of, settings_of, window_steps
from rehabcount.models.data import TrainingSet
from rehabcount.models.mstcn import Mstcn, MstcnSettings, change_loss
from rehabcount.models.network import blurred
from rehabcount.models.raw2seq import Raw2seq, windows_of
from rehabcount.models.stream import StreamNetwork, StreamSettings
from rehabcount.models.train import TrainSettings, estimates, train

WIDTH, LABELS = 5, 3


def make(name: str, **changes: object) -> tuple[torch.nn.Module, Cut]:
    extra = window_steps(name, 20.0, 2) if name in ("raw2seq", "seg2seq") else {}
    settings = settings_of(name, "tiny", WIDTH, LABELS, {**extra, **changes})
    torch.manual_seed(1)
    return CATALOGUE[name].network(settings), cut_of(name, 20.0, settings)


def batch_of(lengths: tuple[int, ...], cut: Cut, seed: int = 0) -> Batch:
    rng = np.random.default_rng(seed)
    examples = []
    for length in lengths:
        labels = np.repeat(rng.integers(0, LABELS, length // 10 + 1), 10)[:length].astype(np.int16)
        onsets = np.zeros(length, bool)
        onsets[::10] = True
        examples.append((rng.normal(size=(length, WIDTH)).astype(np.float32), labels, onsets))
    return collate(examples, cut, LABELS)


@pytest.mark.parametrize("name", list(CATALOGUE))
def test_loss_is_finite_and_reaches_every_weight(name: str) -> None:
    network, cut = make(name, dropout=0.0)
    batch = batch_of((cut.length, cut.length - 33), cut)
    torch.manual_seed(0)
    loss = network.loss(batch, 0.0)  # type: ignore[operator]
    assert torch.isfinite(loss)
    loss.backward()
    silent = [n for n, p in network.named_parameters() if p.grad is None or not bool(p.grad.abs().sum() > 0)]
    assert not silent


@pytest.mark.parametrize("name", list(CATALOGUE))
def test_a_batch_without_labels_changes_nothing_to_nan(name: str) -> None:
    network, cut = make(name)
    batch = batch_of((cut.length, cut.length), cut)
    unlabelled = torch.full_like(batch.labels, -1)
    batch = replace(batch, labels=unlabelled, onsets=torch.zeros_like(batch.onsets), tokens=unlabelled[:, :1])
    loss = network.loss(batch, 0.0)  # type: ignore[operator]
    loss.backward()
    assert torch.isfinite(loss)
    assert all(bool(torch.isfinite(p.grad).all()) for p in network.parameters() if p.grad is not None)


def test_the_sequence_loss_reads_the_labelled_frames_wherever_they_are() -> None:
    network, _ = make("stream")
    x = torch.randn(1, 40, network.sequence.in_features)  # type: ignore[arg-type, union-attr]
    labels = torch.full((1, 40), -1)
    labels[0, 25:] = torch.tensor([0] * 8 + [1] * 7)
    onsets = torch.zeros(1, 40, dtype=torch.bool)
    onsets[0, [25, 33]] = True

    def loss(change: slice) -> float:
        changed = x.clone()
        changed[:, change] += 1.0
        return float(network.sequence_loss(changed, labels, onsets).detach())  # type: ignore[operator]

    as_it_was = loss(slice(0, 0))
    assert loss(slice(0, 25)) == as_it_was
    assert loss(slice(25, 40)) != pytest.approx(as_it_was, abs=1e-4)
    alone = network.sequence_loss(x[:, 25:], labels[:, 25:], onsets[:, 25:])  # type: ignore[operator]
    assert float(alone.detach()) == pytest.approx(as_it_was, rel=1e-5)


@pytest.mark.parametrize("name", list(CATALOGUE))
def test_estimates_cover_the_trial(name: str) -> None:
    network, _ = make(name)
    network.eval()
    inputs = np.random.default_rng(3).normal(size=(217, WIDTH)).astype(np.float32)
    found = network.estimate(inputs)  # type: ignore[operator]
    frames = -(-217 // found.steps_per_frame) if name in ("raw2seq", "seg2seq") else 217 // found.steps_per_frame
    assert found.log_probabilities.shape == (frames, LABELS)
    assert np.exp(found.log_probabilities).sum(axis=1) == pytest.approx(np.ones(frames), abs=1e-5)
    assert all(0 <= span.start < span.end <= frames for span in found.spans)
    assert [span.start for span in found.spans] == sorted(span.start for span in found.spans)


@pytest.mark.parametrize("name", ["mstcn", "asrf", "lstm", "edtcn", "tresnet", "mstcnpp"])
def test_padding_changes_nothing(name: str) -> None:
    network, _ = make(name)
    network.eval()
    whole = batch_of((60,), Cut(60, 60), seed=4)
    padded = batch_of((60,), Cut(90, 90), seed=4)
    one, two = network(whole.inputs, whole.mask), network(padded.inputs, padded.mask)
    if isinstance(one, torch.Tensor):
        one, two = [one], [two]
    one, two = (one[0] + one[1], two[0] + two[1]) if name == "asrf" else (one, two)
    for a, b in zip(one, two, strict=True):
        assert torch.allclose(a, b[:, :, :60], atol=1e-5)


@pytest.mark.parametrize("cuts", [(10,) * 12, (2, 118), (60, 2, 58), (120,)])
def test_stream_in_chunks_equals_stream_at_once(cuts: tuple[int, ...]) -> None:
    network, _ = make("stream")
    assert isinstance(network, StreamNetwork)
    network.eval()
    x = torch.randn(1, 120, WIDTH)
    with torch.no_grad():
        labels, onset, *last = network(x, *network.start())
        state, pieces = network.start(), []
        for chunk in torch.split(x, list(cuts), dim=1):
            some, some_onset, *state = network(chunk, *state)
            pieces.append((some, some_onset))
    assert torch.allclose(torch.cat([p[0] for p in pieces], dim=1), labels, atol=1e-5)
    assert torch.allclose(torch.cat([p[1] for p in pieces], dim=1), onset, atol=1e-5)
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(state, last, strict=True))


def test_stream_sees_its_lookahead_and_no_further() -> None:
    network, _ = make("stream")
    assert isinstance(network, StreamNetwork)
    network.eval()
    s = network.settings
    inputs = np.random.default_rng(0).normal(size=(100, WIDTH)).astype(np.float32)
    changed = inputs.copy()
    changed[60:] += 5.0
    (one, _), (two, _) = network.scores(inputs), network.scores(changed)
    differs = np.abs(one - two).max(axis=1) > 1e-6
    first = int(np.argmax(differs))
    assert first == 60 // s.stride - s.lookahead


def test_frames_take_the_label_that_begins() -> None:
    batch = Batch(
        torch.zeros(1, 6, 1),
        torch.ones(1, 6, dtype=torch.bool),
        torch.tensor([[0, 0, 0, 0, 0, 2]]),
        torch.tensor([[True, False, False, False, False, True]]),
        torch.tensor([0]),
        torch.tensor([[0]]),
    )
    labels, onsets = frames_of(batch, 3)
    assert labels.tolist() == [[0, 2]]
    assert onsets.tolist() == [[True, True]]


def test_blur_keeps_the_peak_at_the_onset() -> None:
    onsets = torch.zeros(1, 9, dtype=torch.bool)
    onsets[0, 4] = True
    assert blurred(onsets)[0].tolist() == pytest.approx([0, 0, 0.25, 0.6, 1.0, 0.6, 0.25, 0, 0])


def test_change_loss_counts_changes_only() -> None:
    flat = torch.zeros(1, 3, 20)
    mask = torch.ones(1, 20, dtype=torch.bool)
    assert float(change_loss(flat, mask)) == 0.0
    jump = flat.clone()
    jump[:, 0, 10:] = 3.0
    assert float(change_loss(jump, mask)) > 0.0
    mask[:, 10:] = False
    assert float(change_loss(jump, mask)) == 0.0


def test_rare_classes_weigh_more() -> None:
    weights = class_weights(torch.tensor([0] * 8 + [1] * 2), 3)
    assert weights[1] > weights[0]
    assert weights[2] == 1.0


def test_greedy_decoding_stops_at_the_bound_and_windows_tile() -> None:
    network, _ = make("raw2seq")
    assert isinstance(network, Raw2seq)
    symbols, frames, onset = network(torch.randn(2, network.settings.length, WIDTH), torch.tensor([0, network.end]))
    assert symbols.shape == (2, network.settings.max_tokens, LABELS + 1)
    assert frames.shape[1] * network.steps_per_frame == network.settings.length
    assert onset.shape == frames.shape[:2]
    inputs = np.arange(1, 101, dtype=np.float32)[:, None]
    windows = windows_of(inputs, 60, 10)
    assert windows.shape == (3, 60, 1)
    assert np.concatenate([w[10:50, 0] for w in windows])[:100].tolist() == inputs[:, 0].tolist()


def test_repeats_are_kept_within_a_window_and_joined_at_its_border(monkeypatch: pytest.MonkeyPatch) -> None:
    network, _ = make("raw2seq")
    assert isinstance(network, Raw2seq)
    said = iter([[1, 1, 2], [2, 0, 0]])

    def decode(encoded: torch.Tensor, *_: object) -> torch.Tensor:
        symbols = torch.tensor([*next(said), network.end])
        return torch.nn.functional.one_hot(symbols, network.symbols)[None].float()

    monkeypatch.setattr(network, "decode", decode)
    centre = network.settings.length - 2 * network.settings.margin
    found = network.estimate(np.zeros((2 * centre, WIDTH), np.float32)).spans
    assert [span.label for span in found] == [1, 1, 2, 0, 0]
    assert [a.end for a in found[:-1]] == [b.start for b in found[1:]]


def parameters_of(network: nn.Module) -> int:
    return sum(parameter.numel() for parameter in network.parameters())


def test_sizes_of_the_paper_are_there_by_name() -> None:
    assert parameters_of(Mstcn(MstcnSettings(77, 5, 4, 10, 64))) == pytest.approx(668_000, rel=0.05)
    paper = settings_of("raw2seq", "paper", 77, 5, {})
    assert (paper.hidden, paper.layers, paper.attention) == (3072, 3, False)
    assert parameters_of(Asrf(AsrfSettings(77, 5))) > 100_000
    with pytest.raises(ValueError, match="mstcn"):
        settings_of("resnet", "default", 77, 5, {})
    with pytest.raises(ValueError, match="tiny"):
        settings_of("stream", "giant", 77, 5, {})


@pytest.mark.parametrize("name", ["stream", "raw2seq", "mstcn"])
def test_default_sizes_fit_an_artifact(name: str) -> None:
    extra = window_steps(name, 50.0, 2) if name == "raw2seq" else {}
    network = CATALOGUE[name].network(settings_of(name, "default", 96, 6, extra))
    assert 4 * parameters_of(network) < 5_900_000


def test_a_bidirectional_stream_uses_the_future() -> None:
    network = StreamNetwork(
        StreamSettings(WIDTH, LABELS, stride=1, lookahead=0, maps=8, hidden=8, bidirectional=True)
    ).eval()
    inputs = np.random.default_rng(0).normal(size=(30, WIDTH)).astype(np.float32)
    changed = inputs.copy()
    changed[25:] += 5
    assert np.abs(network.scores(inputs)[0][0] - network.scores(changed)[0][0]).max() > 0


def changed_frames(name: str, at: int, length: int = 400, **changes: object) -> np.ndarray:
    """Frames whose scores change with the input of one frame."""
    network, _ = make(name, **changes)
    network.eval()
    inputs = np.random.default_rng(0).normal(size=(length, WIDTH)).astype(np.float32)
    other = inputs.copy()
    other[at] += 20.0
    one, two = (network.estimate(each).log_probabilities for each in (inputs, other))  # type: ignore[operator]
    return np.flatnonzero(np.abs(one - two).max(axis=1) > 1e-6)


def test_mstcnpp_sees_as_far_as_its_dilations() -> None:
    reach = mstcnpp.reach_of(settings_of("mstcnpp", "tiny", WIDTH, LABELS, {}))
    assert reach == (8 + 4 + 4 + 8) + 7
    found = changed_frames("mstcnpp", 200)
    assert 200 - reach <= found[0] < 200 - 3 * reach // 4  # a relu may hide the outermost frames
    assert 200 + 3 * reach // 4 < found[-1] <= 200 + reach


def test_edtcn_sees_within_its_filters() -> None:
    reach = edtcn.reach_of(2, 5)
    found = changed_frames("edtcn", 200)
    assert 200 - reach <= found[0] < 200 - reach // 2
    assert 200 + reach // 2 < found[-1] <= 200 + reach


@pytest.mark.parametrize("name", ["lstm", "tresnet"])
def test_whole_trial_networks_see_both_sides(name: str) -> None:
    found = changed_frames(name, 200)
    assert found[0] < 200 < found[-1]


@pytest.mark.parametrize("name", ["lstm", "edtcn", "tresnet", "mstcnpp"])
def test_comparison_networks_in_the_size_of_the_paper(name: str) -> None:
    settings = settings_of(name, "paper", 40, 7, {})
    network = CATALOGUE[name].network(settings)
    assert network.project.weight.shape == (64, 40, 1)  # type: ignore[union-attr]
    if name in ("edtcn", "tresnet"):
        assert (settings.layers, settings.kernel) == (5, 25)
    if name == "mstcnpp":
        assert (settings.layers, settings.refinement_layers, settings.refinements) == (11, 10, 3)


@pytest.mark.parametrize("name", ["lstm", "edtcn", "tresnet", "mstcnpp"])
def test_comparison_networks_learn_a_task_by_heart(name: str, small_set: TrainingSet) -> None:
    data = replace(small_set, trials=small_set.trials[:2])
    settings = TrainSettings(
        name,
        "tiny",
        {"dropout": 0.0, "label_smoothing": 0.0},
        length_s=4.0,
        epochs=60,
        batch=4,
        learning_rate=0.02,
        augment="none",
        validate_every=60,
    )
    outcome = train(data, settings)
    right = total = 0
    for trial, found in zip(data.trials, estimates(outcome.network, data.trials, outcome.spec), strict=True):
        assert found.log_probabilities is not None
        right += int((found.log_probabilities.argmax(axis=1) == trial.labels).sum())
        total += len(trial)
    assert right / total > 0.95
