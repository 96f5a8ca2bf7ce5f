"""Export: parity or nothing; what comes out opens without torch and counts as torch does. Needs torch and onnx."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="export needs the extra `train`")
pytest.importorskip("onnx", reason="export needs the extra `train`")

import torch

from rehabcount.domain.rig import Side, make_rig
from rehabcount.errors import ConfigError, ModelMismatch, StoreUnwritable
from rehabcount.export import pack as packing
from rehabcount.export.onnx import graph_of
from rehabcount.export.pack import BEDSIDE_WAIT_S, pack
from rehabcount.export.parity import measure, require, words
from rehabcount.inference.artifact import SHIPPED, find, open_model
from rehabcount.inference.card import Kind, Parity, check_fit
from rehabcount.inference.duration_hmm import decode_stream
from rehabcount.inference.inputs import model_input
from rehabcount.inference.runtime import Movement
from rehabcount.models.catalogue import CATALOGUE, settings_of
from rehabcount.models.data import Trial
from rehabcount.models.stream import StreamNetwork
from rehabcount.models.train import TrainSettings, train
from rehabcount.models.trained import load_trained
from rehabcount.signals.features import BEDSIDE
from tests.export.conftest import DESCRIPTION, LAG, Made

ROOT = Path(__file__).parents[2]


def test_the_card_says_what_was_made(made: Made) -> None:
    card = open_model(made.artifact).card
    assert (card.name, card.version, card.kind, card.network) == ("tiny", "1.0", Kind.STREAM, "stream")
    assert card.training.sha256 == made.data.sha256
    assert card.parity.windows == 60
    assert card.parity.sequences_equal
    assert card.parity.largest_difference <= 1e-5
    stream = made.trained.network
    assert isinstance(stream, StreamNetwork)
    frames = stream.settings.lookahead + LAG
    assert card.delay_bound_s == pytest.approx(BEDSIDE_WAIT_S + 0.1 + frames * stream.settings.stride / 100)
    check_fit(card, BEDSIDE, make_rig("nine", Side.RIGHT, "dot", 60.0), Side.RIGHT)


@pytest.mark.parametrize("piece", [1, 7, 10, 1000])
def test_the_bedside_hears_what_torch_hears(made: Made, piece: int) -> None:
    trial = made.data.trials[2]
    stream = made.trained.network
    assert isinstance(stream, StreamNetwork)
    logp, onset = stream.scores(model_input(trial.rows, trial.valid, made.trained.spec))
    expected = list(decode_stream([(logp, onset)], made.outcome.durations, LAG))
    session = open_model(made.artifact).start()
    found: list[Movement] = []
    for start in range(0, len(trial), piece):
        found += session.push(trial.rows[start : start + piece], trial.valid[start : start + piece])
    found += session.finish()
    frame_s = stream.settings.stride / 100
    assert [each.label for each in found] == [made.data.labels[each.label] for each in expected]
    assert [each.start_s for each in found] == pytest.approx([each.frame * frame_s for each in expected])
    assert all(0 <= each.confidence <= 1 for each in found)


def test_movements_settle_within_the_delay_bound(made: Made) -> None:
    trial, model = made.data.trials[0], open_model(made.artifact)
    session = model.start()
    for start in range(0, len(trial) - 9, 10):
        now_s = (start + 10) / 100
        for each in session.push(trial.rows[start : start + 10], trial.valid[start : start + 10]):
            assert now_s - each.end_s <= model.card.delay_bound_s - BEDSIDE_WAIT_S + 1e-9


def test_sessions_do_not_share_state(made: Made) -> None:
    trial, model = made.data.trials[1], open_model(made.artifact)
    busy = model.start()
    busy.push(trial.rows, trial.valid)
    one, two = model.start(), model.start()
    assert one.push(trial.rows, trial.valid) + one.finish() == two.push(trial.rows, trial.valid) + two.finish()


@pytest.mark.parametrize("network", ["mstcn", "asrf", "raw2seq"])
def test_other_networks_export_with_parity(network: str, made: Made, tmp_path: Path) -> None:
    settings = TrainSettings(network, "tiny", length_s=2.0, epochs=1, batch=8, frames_per_step=2)
    train(made.data, settings, tmp_path / "run")
    trained = load_trained(tmp_path / "run" / "checkpoint.pt")
    description = replace(DESCRIPTION, name=network)
    if network == "raw2seq":
        with pytest.raises(ValueError, match="window"):  # trials of 3.6 s hold no window of 6 s
            pack(tmp_path / "none", trained, made.data, description, windows=5)
        assert not (tmp_path / "none").exists()
        return
    artifact = pack(tmp_path / f"{network}-1.0", trained, made.data, description, windows=5)
    assert find(network, [tmp_path]).sha256 == artifact.sha256
    assert artifact.card.kind is Kind.FRAMES
    assert artifact.card.decoding is None
    with pytest.raises(ValueError, match="stream"):
        open_model(artifact.folder).start()


def test_a_sequence_network_exports_and_says_what_its_windows_are_told(made: Made, tmp_path: Path) -> None:
    def twice(trial: Trial) -> Trial:
        rows, valid, labels, onsets = (
            np.concatenate([each] * 2) for each in (trial.rows, trial.valid, trial.labels, trial.onsets)
        )
        return replace(trial, rows=rows, valid=valid, labels=labels, onsets=onsets)

    data = replace(made.data, trials=tuple(twice(trial) for trial in made.data.trials))
    settings = TrainSettings("raw2seq", "tiny", epochs=1, batch=8, frames_per_step=2)
    train(data, settings, tmp_path / "run")
    trained = load_trained(tmp_path / "run" / "checkpoint.pt")
    card = pack(tmp_path / "raw2seq-9.0", trained, data, replace(DESCRIPTION, name="raw2seq"), windows=5).card
    assert card.kind is Kind.SEQUENCE
    assert card.told_under_way
    assert not find("raw2seq", [SHIPPED]).card.told_under_way  # trained when it meant the movement before


def test_another_network_behind_the_graph_is_noticed(made: Made) -> None:
    """Weights that changed after the graph was traced."""
    trained = load_trained(made.artifact.parent / "run" / "checkpoint.pt")
    graph = graph_of(trained.network, 100.0)
    with torch.no_grad():
        weight = next(iter(trained.network.parameters()))
        weight.add_(torch.randn(weight.shape), alpha=0.01)
    windows = packing.example_windows(made.data, trained.spec, graph.chunk_steps, 20)
    found = measure(graph, open_model(made.artifact), windows, made.outcome.durations, LAG)
    assert found.largest_difference > 1e-5
    with pytest.raises(ModelMismatch, match="differ by"):
        require(found)


def test_different_sequences_fail_however_close_the_numbers() -> None:
    with pytest.raises(ModelMismatch, match="different sequences"):
        require(Parity(1000, 1e-7, False))


def test_a_failed_export_leaves_nothing(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "LARGEST_BYTES", 1000)
    with pytest.raises(ModelMismatch, match="MB"):
        pack(tmp_path / "big", made.trained, made.data, DESCRIPTION, decoder=made.outcome.durations, lag=LAG, windows=3)
    assert not (tmp_path / "big").exists()


def test_other_data_is_refused_and_nothing_is_overwritten(made: Made, tmp_path: Path) -> None:
    other = replace(made.data, name="other")
    with pytest.raises(ModelMismatch, match="other data"):
        pack(tmp_path / "x", made.trained, other, DESCRIPTION, decoder=made.outcome.durations)
    with pytest.raises(StoreUnwritable, match="exists"):
        pack(made.artifact, made.trained, made.data, DESCRIPTION, decoder=made.outcome.durations)
    odd = replace(DESCRIPTION, version="1.\u00b2")
    with pytest.raises(ModelMismatch, match="no version"):
        pack(tmp_path / "x", made.trained, made.data, odd, decoder=made.outcome.durations)
    assert not (tmp_path / "x").exists()


def test_the_artifact_opens_without_torch(made: Made) -> None:
    code = (
        "import sys; from pathlib import Path; from rehabcount.inference.artifact import open_model; "
        f"open_model(Path({str(made.artifact)!r})).start(); "
        "assert not {'torch', 'onnx'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_windows_go_round_when_they_run_out(made: Made) -> None:
    windows = packing.example_windows(made.data, made.trained.spec, 100, 25)
    assert windows.shape == (25, 100, made.trained.spec.width)
    assert np.array_equal(windows[0], windows[9])  # three trials of three windows each


def test_what_a_decoder_says_after_its_end_is_not_compared() -> None:
    said = np.zeros((4, 3), np.float32)
    said[[0, 1, 2, 3], [0, 2, 1, 2]] = 1.0
    assert words(said) == 2
    assert words(said[:1]) == 1


@pytest.mark.parametrize("name", ["lstm", "edtcn", "tresnet", "mstcnpp"])
def test_networks_of_comparisons_are_not_exported(name: str) -> None:
    network = CATALOGUE[name].network(settings_of(name, "tiny", 5, 3, {}))
    with pytest.raises(ConfigError, match="reads the whole trial") as refused:
        graph_of(network, 25.0)
    assert "Export stream" in refused.value.advice
