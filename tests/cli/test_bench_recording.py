"""Recording costs less than it may."""

from __future__ import annotations

from pathlib import Path

import pytest

from rehabcount.cli.work.bench_recording import ALLOWED_SHARE, PAYLOAD_BYTES, measure


def test_recording_is_cheap(tmp_path: Path) -> None:
    cost = measure(1.0, tmp_path)
    assert cost.packets == 900
    assert PAYLOAD_BYTES < cost.file_bytes / cost.packets < 3 * PAYLOAD_BYTES
    assert cost.recording_cpu_s > 0 < cost.control_cpu_s
    assert cost.share_of_core < 2 * ALLOWED_SHARE, "even in one second, which opening and closing weigh upon"
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_recording_for_longer_keeps_within_its_share(tmp_path: Path) -> None:
    assert measure(20.0, tmp_path).share_of_core < ALLOWED_SHARE
