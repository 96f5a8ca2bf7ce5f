"""`rehabcount models` without torch; `train` and `models export` where torch is (extra `train`)."""

from __future__ import annotations

import json
import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rehabcount.bedside.chosen_model import find_model
from rehabcount.bedside.config import Settings, load_settings, save_settings
from rehabcount.errors import ArtifactMissing, ChecksumMismatch, ConfigError, DatasetChanged, ModelMismatch
from rehabcount.inference.artifact import CARD, NETWORK, SHIPPED, write_sums
from tests.cli.test_commands import CALIBRATE, run

ARTIFACTS = Path(__file__).parents[1] / "inference" / "artifacts"


def test_list_verify_explain() -> None:
    (listed,) = json.loads(run("models", "--folder", ARTIFACTS, "--json"))
    assert listed["name"] == "tiny"
    assert "tiny 1.0" in run("models", "--folder", ARTIFACTS)
    assert "is whole" in run("models", "verify", "tiny", "--folder", ARTIFACTS)
    said = run("models", "explain", "tiny", "--folder", ARTIFACTS)
    for word in ("counts idle, reach", "never counts other", "needs a sensor on: hand", "Knows nothing", "evidence"):
        assert word in said
    card = json.loads(run("models", "explain", listed["sha256"][:10], "--folder", ARTIFACTS, "--json"))
    assert card["parity"]["windows"] == 1000


def test_a_tampered_one_is_listed_as_refused(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(ARTIFACTS, tmp_path / "models"))
    (folder / "tiny-1.0" / "model.onnx").write_bytes(b"something else")
    assert "refused" in run("models", "--folder", folder)
    (listed,) = json.loads(run("models", "--folder", folder, "--json"))
    assert "not the file that was packed" in listed["error"]
    with pytest.raises(ChecksumMismatch):
        run("models", "verify", "tiny", "--folder", folder)
    with pytest.raises(ArtifactMissing):
        run("models", "explain", "unknown", "--folder", folder)


def newer_stream(folder: Path) -> Path:
    """A `stream` 99 in the user's folder: the shipped one with another card and network."""
    made = Path(shutil.copytree(SHIPPED / "stream-1.5", folder / "stream-99"))
    card = (made / CARD).read_text(encoding="utf-8")
    (made / CARD).write_text(card.replace('"version": "1.5"', '"version": "999"'), encoding="utf-8")
    network = (made / NETWORK).read_bytes()
    assert network.count(b"version\x12\x031.5") == 1
    (made / NETWORK).write_bytes(network.replace(b"version\x12\x031.5", b"version\x12\x03999"))
    write_sums(made)
    return made


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    path = tmp_path / "settings.toml"
    monkeypatch.setenv("REHABCOUNT_SETTINGS", str(path))
    save_settings(Settings(data_folder=str(tmp_path / "data")))
    return load_settings()


def test_a_newer_default_is_named_and_the_shipped_one_can_be_fixed(
    settings: Settings, arm_session: Path, tmp_path: Path
) -> None:
    session = Path(shutil.copy(arm_session, tmp_path / "arm.rehab"))
    run("calibrate", session, *CALIBRATE)
    newer_stream(settings.models)
    own = "stream 999 (not shipped with this rehabcount)"
    assert " ".join(run("count", session, "--no-keep").split()).startswith(f"1 session counted by {own}")
    (counted,) = json.loads(run("count", session, "--json"))["sessions"]
    assert (counted["model"], counted["model_shipped"]) == ("stream 999", False)
    assert f"Counted by {own}." in run("report", session, "--out", tmp_path / "report", "--no-pdf")
    assert json.loads(run("replay", session, "--speed", "max", "--json"))["model"]["shipped"] is False
    listed = {each["version"]: each for each in json.loads(run("models", "--json"))}
    assert [listed[v]["default"] for v in ("999", "1.5")] == [True, False]

    assert "stream 1.5 counts from now on" in run("models", "use", "stream-1.5")
    assert load_settings().model == "stream-1.5"
    assert run("count", session, "--no-keep").splitlines()[0].rstrip() == "1 session counted by stream 1.5"
    listed = {each["version"]: each for each in json.loads(run("models", "--json"))}
    assert [listed[v]["default"] for v in ("999", "1.5")] == [False, True]
    run("models", "use", "--newest")
    assert load_settings().model == ""


def test_what_cannot_count_is_not_fixed_and_what_is_gone_is_named(settings: Settings) -> None:
    made = newer_stream(settings.models)
    run("models", "use", "stream-999")
    shutil.rmtree(made)
    with pytest.raises(ArtifactMissing, match="'stream-999', with which the settings say") as caught:
        find_model(load_settings())
    assert "models use" in caught.value.advice
    assert find_model(load_settings(), "stream").is_shipped
    with pytest.raises(ArtifactMissing) as unknown:
        run("models", "use", "unknown")
    assert "stream-1.5" in unknown.value.advice
    run("models", "use", code=2)
    assert load_settings().model == "stream-999"


def test_one_of_two_with_the_same_name_is_fixed_by_its_hash(settings: Settings) -> None:
    made = newer_stream(settings.models)
    twin = Path(shutil.copytree(made, settings.models / "twin"))
    card = (twin / CARD).read_text(encoding="utf-8")
    (twin / CARD).write_text(card.replace("Trained", "Really trained"), encoding="utf-8")
    write_sums(twin)
    for each in (made, twin):
        run("models", "use", each)
        assert find_model(load_settings()).folder == each


def test_train_then_export(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra `train`")
    from rehabcount.models.data import TrainingSet
    from tests.models.conftest import make_trial, write_set

    rng = np.random.default_rng(0)
    trials = [make_trial(i, split, rng) for split, n in (("train", 3), ("valid", 1), ("test", 2)) for i in range(n)]
    write_set(tmp_path / "set", TrainingSet("small", ("a", "b", "c"), ("c",), 20.0, tuple("uvwxyz"), tuple(trials)))
    common = ("--data", tmp_path / "set")
    words = ("train", "stream", *common, "--out", tmp_path / "run", "--preset", "tiny", "--epochs", "1", "--batch", "2")
    results = json.loads(run(*words, "--json"))
    assert results["test"]["reference"] > 0
    _run_next(run(*words), tmp_path / "next")  # finished already: goes straight to the results
    export = (
        "models",
        "export",
        tmp_path / "run" / "checkpoint.pt",
        *common,
        "--name",
        "mine",
        "--out",
        tmp_path / "m",
    )
    assert "1000 windows, same sequences" in run(*export)
    card = json.loads(run("models", "explain", "mine", "--folder", tmp_path / "m", "--json"))
    assert card["evidence_people"] == 2
    assert {score["metric"] for score in card["scores"]} >= {"AER", "edit score"}
    assert card["delay_bound_s"] <= 1.0 + 0.25  # of waiting for late sensors and a block
    scored = json.loads(run("models", "score", tmp_path / "run" / "checkpoint.pt", *common, "--json"))
    again = json.loads(run("models", "score", "mine", "--folder", tmp_path / "m", *common, "--json"))
    assert scored["scores"][0] == again["scores"][0]  # the artifact, run live, says what the checkpoint says
    run(*export, "--version", "1.1")
    card = json.loads(run("models", "explain", "mine-1.1", "--folder", tmp_path / "m", "--json"))
    assert {score["metric"] for score in card["scores"]} >= {"counted / true", "count bias of a"}
    others = tuple(replace(trial, subject=f"other {trial.subject}") for trial in trials)
    write_set(tmp_path / "others", TrainingSet("others", ("a", "b", "c"), ("c",), 20.0, tuple("uvwxyz"), others))
    settle = ("models", "settle", tmp_path / "run" / "checkpoint.pt")
    before = results["valid"]["reference"]
    settled = run(*settle, *common, "--validate", tmp_path / "others")
    _run_next(settled, tmp_path / "after settling")
    after = json.loads((tmp_path / "run" / "results.json").read_text(encoding="utf-8"))["valid"]["reference"]
    assert after > 2 * before  # four people more, where there was one
    assert not (tmp_path / "run" / "scores.json").exists()
    with pytest.raises(DatasetChanged, match="trains already"):
        run(*settle, *common, "--validate", tmp_path / "set")
    with pytest.raises(ModelMismatch, match="was trained on small"):
        run(*settle, "--data", tmp_path / "others")
    start = ("--from", tmp_path / "m" / "mine-1.0", "--out", tmp_path / "more", "--preset", "tiny", "--epochs", "1")
    continued = json.loads(run("train", "stream", *common, *start, "--json"))
    assert continued["settings"]["start_sha256"]
    with pytest.raises(ArtifactMissing, match="unknown"):
        run("train", "stream", *common, *start, "--from", "unknown")
    pytest.importorskip("matplotlib", reason="pictures need the extra `bench`")
    run("models", "delay", tmp_path / "run", "--out", tmp_path / "delay.png")
    assert (tmp_path / "delay.png").stat().st_size > 1000


def _run_next(said: str, out: Path) -> None:
    """The line that the command ends with works as it stands; here into a folder of its own."""
    line = next(line for line in said.splitlines() if "next: rehabcount " in line)
    run(*shlex.split(line.split("next: rehabcount ")[1]), "--out", out)
    assert (out / "stream-1.0" / CARD).exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [(("resnet",), "resnet"), (("stream", "--set", "hiden=3"), "hiden"), (("stream", "--set", "hidden=x"), "int")],
)
def test_wrong_words(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra `train`")
    from rehabcount.models.data import TrainingSet
    from tests.models.conftest import write_set

    write_set(tmp_path, TrainingSet("none", ("a",), (), 20.0, ("u",), ()))
    with pytest.raises(ConfigError, match=says) as caught:
        run("train", *words, "--data", tmp_path, "--out", tmp_path / "run")
    assert caught.value.advice
