"""Artifacts that are whole open; tampered, mixed, cut or mismatched ones are refused with advice. No torch needed."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rehabcount.domain.rig import Place, Rig, Sensor, Side, make_rig
from rehabcount.errors import (
    ArtifactError,
    ArtifactMissing,
    CardInvalid,
    ChecksumMismatch,
    InferenceError,
    ModelMismatch,
)
from rehabcount.inference.artifact import SHIPPED, find, list_artifacts, open_model, verify, verify_card, write_sums
from rehabcount.inference.card import check_fit, read_card
from rehabcount.inference.runtime import Model, Movement
from rehabcount.signals.features import BEDSIDE, PAPER77

WHOLE = Path(__file__).parent / "artifacts" / "tiny-1.0"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(WHOLE, tmp_path / "tiny-1.0"))


def edit_card(folder: Path, change: Callable[[dict[str, object]], None]) -> None:
    card = json.loads((folder / "card.json").read_text())
    change(card)
    (folder / "card.json").write_text(json.dumps(card))
    write_sums(folder)


def flip_byte(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def test_a_whole_artifact_opens(folder: Path) -> None:
    model = open_model(folder)
    assert model.card.labels == ("idle", "reach", "other")
    assert model.card.counted == ("idle", "reach")
    assert model.card.parity.windows >= 1000


@pytest.mark.parametrize("name", ["model.onnx", "card.json", "golden.npz", "SHA256SUMS"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ArtifactMissing, match=name) as caught:
        open_model(folder)
    assert caught.value.advice


@pytest.mark.parametrize("name", ["model.onnx", "card.json", "golden.npz"])
@pytest.mark.parametrize("at", [0, 1000, -1])
def test_one_flipped_bit_is_noticed(folder: Path, name: str, at: int) -> None:
    flip_byte(folder / name, at)
    with pytest.raises(ChecksumMismatch, match=name) as caught:
        open_model(folder)
    assert caught.value.advice


def test_sums_of_other_files_are_refused(folder: Path) -> None:
    with (folder / "SHA256SUMS").open("a") as sums:
        sums.write("0" * 64 + "  ../../etc/passwd\n")
    with pytest.raises(ChecksumMismatch, match="line 4"):
        verify(folder)


def test_a_truncated_network_with_honest_sums_is_refused(folder: Path) -> None:
    content = (folder / "model.onnx").read_bytes()
    for length in (0, 10, len(content) // 2):
        (folder / "model.onnx").write_bytes(content[:length])
        write_sums(folder)
        with pytest.raises(ModelMismatch) as caught:
            open_model(folder)
        assert caught.value.advice


def test_changed_weights_with_honest_sums_fail_the_golden_window(folder: Path) -> None:
    with np.load(folder / "golden.npz") as file:
        golden = {name: file[name] for name in file.files}
    golden["out/labels"] = golden["out/labels"] + 0.01
    np.savez(folder / "golden.npz", allow_pickle=False, **golden)
    write_sums(folder)
    with pytest.raises(ModelMismatch, match="golden output"):
        open_model(folder)


def test_a_golden_file_that_is_none(folder: Path) -> None:
    (folder / "golden.npz").write_bytes(b"PK not really")
    write_sums(folder)
    with pytest.raises(ModelMismatch, match="golden"):
        open_model(folder)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda card: card.pop("labels"), "labels"),
        (lambda card: card.update(kind="oracle"), "kind"),
        (lambda card: card.update(format=99), "format 99"),
        (lambda card: card.update(surprise=1), "surprise"),
        (lambda card: card.update(uncounted=["walking"]), "walking"),
        (lambda card: card.update(decoding=None), "decoding"),
        (lambda card: card["inputs"].update(scale=[0.0]), "scale"),
    ],
)
def test_a_card_that_is_wrong_says_where(folder: Path, change: Callable[[dict[str, object]], None], says: str) -> None:
    edit_card(folder, change)
    with pytest.raises(CardInvalid, match=says) as caught:
        open_model(folder)
    assert caught.value.advice


def decoding(**changes: object) -> Callable[[dict[str, object]], None]:
    return lambda card: card["decoding"].update(changes)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda card: card.update(rate_hz=0), "rate_hz"),
        (lambda card: card.update(rate_hz=float("nan")), "NaN"),
        (lambda card: card.update(rate_hz=float("inf")), "Infinity"),
        (lambda card: card.update(rate_hz=-100.0), "rate_hz"),
        (lambda card: card.update(steps_per_frame=-2), "steps_per_frame"),
        (lambda card: card.update(steps_per_frame=0), "steps_per_frame"),
        (lambda card: card.update(steps_per_frame=3), "chunk_steps"),
        (lambda card: card.update(chunk_steps=-10), "chunk"),
        (lambda card: card.update(chunk_steps=10**9), "chunk_steps"),
        (lambda card: card.update(lookahead_frames=-1), "lookahead_frames"),
        (lambda card: card.update(margin_steps=5), "margin_steps"),
        (lambda card: card["inputs"].update(frames_per_step=0), "frames_per_step"),
        (lambda card: card["inputs"].update(sensors=[[]]), "sensors"),
        (lambda card: card["inputs"].update(scale=[5e-324] * 87), "scale"),
        (decoding(lag_frames=0), "lag_frames"),
        (decoding(lag_frames=10**9), "lag_frames"),
        (decoding(start=[0.0]), "decoding"),
        (decoding(follow=[[0.0, 0.0, 0.0]]), "follow"),
        (decoding(follow=[[0.0], [0.0, 0.0], [0.0]]), "inhomogeneous"),
        (decoding(durations=[[0.0], [0.0], [0.0]]), "durations"),
        (decoding(durations=[[1e300, 0.0]] * 3), "durations"),
        (decoding(durations=[[800.0, 0.0]] * 3), "log-probabilities"),
        (decoding(count_bias=[1e12, 0.0, 0.0]), "count_bias"),
        (decoding(frame_weight=-1.0), "frame_weight"),
        (decoding(onset_spread=-1), "onset_spread"),
        (decoding(false_starts=[[0, 3]]), "false_starts"),
        (lambda card: card.update(labels=[]), "uncounted"),
        (lambda card: card.update(uncounted=["idle", "reach", "other"]), "counted"),
        (lambda card: card.update(labels=[str(i) for i in range(100_000)], uncounted=[]), "100000"),
        (lambda card: card["network_outputs"][0].update(shape=[1, 5, 10**9]), "1000000 numbers"),
        (lambda card: card["network_outputs"][0].update(shape=[1, 5, 4]), "network_outputs"),
        (lambda card: card["network_inputs"][1].update(shape=[1, -1, 87]), "state"),
        (lambda card: card["network_inputs"][0].update(shape=[1, 10, 5]), "network_inputs"),
        (lambda card: card["network_inputs"].pop(), "network_outputs"),
        (lambda card: card.update(version="1.\u00b2"), "version"),
        (lambda card: card.update(version=""), "version"),
        (lambda card: card.update(name=""), "name"),
        (lambda card: card.update(limits="\x1b]0;owned\x07"), "readable"),
        (lambda card: card.update(evidence_people=-8), "evidence_people"),
    ],
)
def test_a_card_that_cannot_be_true_is_refused_by_verify(
    folder: Path, change: Callable[[dict[str, object]], None], says: str
) -> None:
    edit_card(folder, change)
    for look in (verify, open_model):
        with pytest.raises(CardInvalid, match=says) as caught:
            look(folder)
        assert caught.value.advice
        assert len(str(caught.value)) < 600


def test_a_nested_or_enormous_card_is_refused(folder: Path) -> None:
    for text in ('{"a":' * 10_000 + "1" + "}" * 10_000, "[" * 3_000_000):
        (folder / "card.json").write_text(text)
        write_sums(folder)
        with pytest.raises(CardInvalid):
            verify(folder)
    (folder / "card.json").write_text(" " * 5_000_000)
    write_sums(folder)
    with pytest.raises(ChecksumMismatch, match="larger"):
        verify(folder)


def test_a_golden_window_that_claims_another_size_is_refused(folder: Path) -> None:
    with np.load(folder / "golden.npz") as file:
        golden = {name: file[name] for name in file.files}
    for shape in ((1, 10, 10**12), (2**62, 4), (-1,)):
        head = io.BytesIO()
        np.lib.format.write_array_header_1_0(head, {"descr": "<f4", "fortran_order": False, "shape": shape})
        with zipfile.ZipFile(folder / "golden.npz", "w") as archive:
            for name, array in golden.items():
                content = io.BytesIO()
                np.lib.format.write_array(content, array)
                archive.writestr(f"{name}.npy", head.getvalue() + b"0000" if name == "in/chunk" else content.getvalue())
        write_sums(folder)
        with pytest.raises(ModelMismatch, match="golden"):
            open_model(folder)
    with zipfile.ZipFile(folder / "golden.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("in/chunk.npy", bytes(20_000_000))
    write_sums(folder)
    with pytest.raises(ModelMismatch, match="20000000 bytes"):
        open_model(folder)


def test_a_network_that_says_no_number_stops_instead_of_counting_nothing() -> None:
    model = open_model(WHOLE)
    chunk = {t.name: np.zeros(t.shape, np.float32) for t in model.card.network_inputs}
    chunk["chunk"][:] = np.nan
    with pytest.raises(InferenceError, match="sound"):
        model.run(chunk)


def test_rows_at_another_rate_are_refused() -> None:
    card = replace(read_card(WHOLE / "card.json"), rate_hz=50.0)
    with pytest.raises(ModelMismatch, match="50 rows a second"):
        check_fit(card, BEDSIDE, make_rig("nine", Side.RIGHT, "dot", 60.0), Side.RIGHT)


def test_each_bad_folder_by_itself(folder: Path) -> None:
    """What is wrong with one keeps no other from being found."""
    bad: dict[str, Callable[[Path], object]] = {
        "tiny-1.\u00b2": lambda path: edit_card(path, lambda card: card.update(version="1.\u00b2")),
        "tiny-deep": lambda path: (path / "card.json").write_text("[" * 100_000),
        "tiny-lacks": lambda path: (path / "model.onnx").rename(path / "other.onnx"),
        "tiny-9\x1b[2J": lambda path: flip_byte(path / "model.onnx", 5),
    }
    for name, spoil in bad.items():
        spoil(Path(shutil.copytree(WHOLE, folder.parent / name)))
    assert find("tiny", [folder.parent]).folder == folder
    found = {where.name: each for where, each in list_artifacts([folder.parent])}
    for name in bad:
        problem = found[name]
        assert isinstance(problem, ArtifactError)
        assert name in str(problem) or "\\x1b[2J" in str(problem)
        assert "\x1b" not in str(problem)


def test_a_folder_that_cannot_be_read_is_as_good_as_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", denied)
    assert list_artifacts([folder.parent]) == []
    monkeypatch.setattr(Path, "read_text", denied)
    with pytest.raises(ArtifactMissing, match="Permission denied"):
        verify(folder)


def test_a_card_that_borrows_the_sums_of_another_says_nothing(folder: Path) -> None:
    assert verify_card(folder).sha256 == verify(folder).sha256
    (folder / "card.json").write_text((folder / "card.json").read_text().replace("simulated", "real patients"))
    with pytest.raises(ChecksumMismatch):
        verify_card(folder)


def test_shipped_is_what_came_with_the_program(tmp_path: Path) -> None:
    shipped = find("stream", [SHIPPED])
    assert shipped.is_shipped
    assert verify(Path(shutil.copytree(shipped.folder, tmp_path / "mine"))).is_shipped
    assert not verify(WHOLE).is_shipped


def test_a_card_that_is_no_json(folder: Path) -> None:
    (folder / "card.json").write_bytes(b"\xff\xfe{")
    write_sums(folder)
    with pytest.raises(CardInvalid):
        open_model(folder)


def test_card_and_network_of_two_artifacts_are_refused(folder: Path) -> None:
    edit_card(folder, lambda card: card.update(version="2.0"))
    with pytest.raises(ModelMismatch, match=r"2\.0"):
        open_model(folder)


def test_a_signature_that_does_not_fit_is_refused(folder: Path) -> None:
    def widen(card: dict[str, object]) -> None:  # a state, so that nothing else in the card contradicts it
        card["network_inputs"][1]["shape"] = card["network_outputs"][2]["shape"] = [1, 2, 5]  # type: ignore[index]

    edit_card(folder, widen)
    with pytest.raises(ModelMismatch, match="input"):
        open_model(folder)


def test_wrong_recipe_and_wrong_rig() -> None:
    card = read_card(WHOLE / "card.json")
    nine = make_rig("nine", Side.RIGHT, "dot", 60.0)
    check_fit(card, BEDSIDE, nine, Side.RIGHT)
    check_fit(card, BEDSIDE, make_rig("five", Side.LEFT, "dot", 60.0), Side.LEFT)
    with pytest.raises(ModelMismatch, match="paper77") as caught:
        check_fit(card, PAPER77, nine, Side.RIGHT)
    assert "bedside" in caught.value.advice
    wrist = make_rig("one", Side.RIGHT, "dot", 60.0)
    with pytest.raises(ModelMismatch, match="hand") as caught:
        check_fit(card, BEDSIDE, wrist, Side.RIGHT)
    assert caught.value.advice
    other_hand = Rig("odd", (Sensor("a", Place.LEFT_HAND, "dot", 60.0),))
    with pytest.raises(ModelMismatch, match="right arm"):
        check_fit(card, BEDSIDE, other_hand, Side.RIGHT)


def test_found_by_name_version_and_hash(folder: Path) -> None:
    for which in ("tiny", "tiny-1.0", verify(folder).sha256, verify(folder).sha256[:8], str(folder)):
        assert find(which, [folder.parent]).folder == folder
    with pytest.raises(ArtifactMissing, match="huge") as caught:
        find("huge", [folder.parent])
    assert "tiny" in caught.value.advice


def test_a_broken_one_is_listed_and_says_why_when_asked_for(folder: Path) -> None:
    flip_byte(folder / "model.onnx", 5)
    ((where, problem),) = list_artifacts([folder.parent, folder / "nowhere"])
    assert where == folder
    assert isinstance(problem, ArtifactError)
    with pytest.raises(ChecksumMismatch):
        find("tiny", [folder.parent])


def rows_of(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    values = np.repeat(rng.normal(0, 2, (n // 25 + 1, len(BEDSIDE))), 25, axis=0)[:n]
    return values, rng.random(values.shape) < 0.8


def heard(model: Model, values: np.ndarray, valid: np.ndarray, piece: int) -> list[Movement]:
    session = model.start()
    out: list[Movement] = []
    for start in range(0, len(values), piece):
        out += session.push(values[start : start + piece], valid[start : start + piece])
    return out + session.finish()


@pytest.mark.parametrize("length", [0, 1, 9, 155, 400])
def test_any_chopping_gives_the_same_movements(length: int) -> None:
    model = open_model(WHOLE)
    values, valid = rows_of(length, length)
    found = heard(model, values, valid, 10)
    assert found == heard(model, values, valid, 1) == heard(model, values, valid, 37)
    assert all(0 <= each.start_s < max(length, 1) / 100 for each in found)
    assert bool(found) == (length >= 2)  # a frame of this network is two rows


def test_input_of_the_wrong_shape_is_an_inference_error() -> None:
    model = open_model(WHOLE)
    with pytest.raises(InferenceError):
        model.run({"chunk": np.zeros((1, 3, 3), np.float32)})


def test_a_name_that_no_folder_can_have_is_of_no_model(folder: Path) -> None:
    """Found in a damaged settings file; the message quotes its beginning only."""
    with pytest.raises(ArtifactMissing) as caught:
        find("9" * 5000, [folder.parent])
    assert len(str(caught.value)) < 300
