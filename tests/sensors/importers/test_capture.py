from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rehabcount.domain.motion import Samples
from rehabcount.errors import ImportRefused
from rehabcount.sensors.encode import encode
from rehabcount.sensors.importers import ImportedRecording, read_export

Swing = Callable[..., Any]
START_MS = 834_000_000_000  # somewhere in 2026


def only(recording: ImportedRecording) -> Any:
    (samples,) = recording.samples
    return samples


def stream_of(s: Any, layout: str) -> list[bytes]:
    tick = START_MS + np.rint(s.t * 1000).astype(np.int64)
    return [packet.payload for packet in encode(Samples("a", tick, tick, s.acc, s.gyr, s.quat), layout)]


def test_dated_packets_with_noise_between(swing: Swing, tmp_path: Path) -> None:
    s = swing(50, 4)
    frames = stream_of(s, "wit-28")
    frames[20] = frames[20][:9]  # cut short
    path = tmp_path / "capture.bin"
    path.write_bytes(b"\x00\x01" + b"".join(frames[:100]) + b"noise" + b"".join(frames[100:]))
    recording = read_export(path)
    samples = only(recording)
    assert len(samples) == 199
    assert recording.rig.sensors[0].rate_hz == 50
    np.testing.assert_allclose(samples.acc, np.delete(s.acc, 20, axis=0), atol=0.01)
    assert any("199 frames of 28 bytes; 7 bytes between frames, 1 damaged" in note for note in recording.notes)
    assert any("leaps 1 time" in note for note in recording.notes)


def test_undated_packets_need_a_rate(swing: Swing, tmp_path: Path) -> None:
    path = tmp_path / "capture.bin"
    path.write_bytes(b"".join(stream_of(swing(100, 4), "wit-20")))
    with pytest.raises(ImportRefused, match="20-byte packets carry no time") as refusal:
        read_export(path)
    assert "--rate" in refusal.value.advice
    recording = read_export(path, rate_hz=100)
    assert len(only(recording)) == 400
    assert recording.length_s == pytest.approx(3.99)


def test_the_caller_may_say_the_layout(swing: Swing, tmp_path: Path) -> None:
    path = tmp_path / "capture.bin"
    path.write_bytes(b"".join(stream_of(swing(100, 1), "wit-20")))
    assert len(read_export(path, rate_hz=100, layout="wit-20").samples[0]) == 100
    with pytest.raises(ImportRefused, match="neither text nor a stream"):
        read_export(path, rate_hz=100, layout="wit-28")
    with pytest.raises(ValueError, match="layout must be one of"):
        read_export(path, layout="dot-26")


def test_another_sensors_packets_are_refused(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frames = [
        b"\x55\x61" + rng.integers(0, 80, 18, np.uint8).tobytes() + bytes([26, 6, 22, 14, 41, i, 0, 0])
        for i in range(50)
    ]
    path = tmp_path / "vibration.bin"
    path.write_bytes(b"".join(frames))
    with pytest.raises(ImportRefused, match=r"not 9\.81"):
        read_export(path)


@pytest.mark.parametrize(
    "content", [bytes(range(256)) * 20, b"\x89PNG\r\n\x1a\n" + bytes(500), b"\x55\x61" + bytes(10)]
)
def test_a_binary_that_is_no_capture_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "photo.bin"
    path.write_bytes(content)
    with pytest.raises(ImportRefused, match="neither text nor a stream of WitMotion packets"):
        read_export(path)


def test_a_clock_as_coarse_as_the_packets_only_orders_them(swing: Swing, tmp_path: Path) -> None:
    s = swing(100, 4)
    coarse = START_MS + (s.t * 1000).astype(np.int64) // 50 * 50
    frames = encode(Samples("a", coarse, coarse, s.acc, s.gyr, s.quat), "wit-28")
    path = tmp_path / "capture.bin"
    path.write_bytes(b"".join(packet.payload for packet in frames))
    recording = read_export(path)
    assert len(only(recording)) == 400
    assert only(recording).tick is None
    assert recording.rig.sensors[0].rate_hz == 100


def test_what_a_reconnection_sends_twice_counts_once(swing: Swing, tmp_path: Path) -> None:
    s = swing(50, 20)
    frames = stream_of(s, "wit-28")
    path = tmp_path / "WIT18.TXT"  # the name says text, the content does not
    path.write_bytes(b"".join(frames[:500] + frames[465:500] + frames[500:]))
    recording = read_export(path)
    assert len(only(recording)) == 1000
    np.testing.assert_allclose(only(recording).acc, s.acc, atol=0.01)
    assert any("35 frames" in note for note in recording.notes)
