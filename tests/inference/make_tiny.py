"""Makes `artifacts/tiny-1.0`, the artifact that the tests of this folder tamper with. By hand; needs torch and onnx:

PYTHONPATH=. python tests/inference/make_tiny.py
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from rehabcount.export.pack import pack
from rehabcount.models.train import TrainSettings, train
from rehabcount.models.trained import load_trained
from tests.export.conftest import DESCRIPTION, LAG, bedside_set

TARGET = Path(__file__).parent / "artifacts" / "tiny-1.0"


def main() -> None:
    data = bedside_set()
    with tempfile.TemporaryDirectory() as folder:
        outcome = train(data, TrainSettings("stream", "tiny", length_s=2.0, epochs=2, batch=4), Path(folder))
        trained = load_trained(Path(folder) / "checkpoint.pt")
    shutil.rmtree(TARGET, ignore_errors=True)
    description = replace(DESCRIPTION, made_by="tests/inference/make_tiny.py")
    pack(TARGET, trained, data, description, decoder=outcome.durations, lag=LAG, windows=1000)


if __name__ == "__main__":
    main()
