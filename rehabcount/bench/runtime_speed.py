"""How fast each network runs at the bedside: onnxruntime against torch, one thread, in one run.

Question: does the export pay, and is there time enough? Networks have their default sizes and random weights: speed
does not depend on what was learned. Input is recipe `bedside` at 100 Hz. The two take turns, and the best of many
counts, so that a busy machine does not decide.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from rehabcount.bench.experiment import Claim, Context, Experiment, FigureValue, Results, Value
from rehabcount.models.torch_extra import require_torch

ENOUGH = 1.5  # times faster than torch
NETWORKS = {"stream": 0.1, "mstcn": 6.0, "raw2seq": 6.0}  # seconds of motion in one call


def run(settings: Mapping[str, Value], context: Context) -> Results:
    """Milliseconds a call, and the share of real time that is."""
    require_torch()
    claims, figures = [], dict[str, FigureValue]()
    turns = 5 if context.quick else int(settings["turns"])
    for number, (name, length_s) in enumerate(NETWORKS.items()):
        context.on_progress(name, number, len(NETWORKS))
        torch_s, onnx_s = times(name, length_s, turns)
        figures[f"{name}: torch, ms"] = round(torch_s * 1e3, 3)
        figures[f"{name}: onnxruntime, ms"] = round(onnx_s * 1e3, 3)
        figures[f"{name}: share of real time"] = round(onnx_s / length_s, 5)
        ratio = torch_s / onnx_s
        claims.append(
            Claim("ours", f"{name}, torch / onnxruntime", ENOUGH, round(ratio, 2), ratio >= ENOUGH, "at least")
        )
    return Results(tuple(claims), figures)


def times(name: str, length_s: float, turns: int) -> tuple[float, float]:
    """Best seconds of a call of (torch, onnxruntime)."""
    from rehabcount.export.onnx import graph_of, write_onnx
    from rehabcount.export.speed import torch_call
    from rehabcount.inference.runtime import open_network
    from rehabcount.models.catalogue import CATALOGUE, frames_per_step, settings_of, window_steps
    from rehabcount.signals.features import BEDSIDE, BEDSIDE_PARTS

    width, rate_hz = len(BEDSIDE) + len(BEDSIDE_PARTS), 100.0
    steps_hz = rate_hz / frames_per_step(name, rate_hz)
    windows = window_steps(name, steps_hz, 2) if name == "raw2seq" else {}
    network = CATALOGUE[name].network(settings_of(name, "default", width, 6, windows))
    graph = graph_of(network, steps_hz)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        write_onnx(path, graph, name, "speed")
        ours, feed = torch_call(graph, round(length_s * steps_hz))
        session = open_network(path)

        def theirs() -> object:
            return session.run(None, feed)

        return best_of([ours, theirs], turns)


def best_of(calls: list[Callable[[], object]], turns: int) -> tuple[float, float]:
    best = [float("inf")] * len(calls)
    for turn in range(turns + 2):
        for i, call in enumerate(calls):
            before = time.perf_counter()
            call()
            taken = time.perf_counter() - before
            if turn >= 2:  # the first calls allocate
                best[i] = min(best[i], taken)
    return best[0], best[1]


EXPERIMENT = Experiment(
    "runtime",
    "Is the exported network fast enough, and faster than torch?",
    "ours",
    "no data; extra train",
    "a minute",
    run,
    {"turns": 50},
)
