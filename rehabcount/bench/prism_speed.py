"""What a sweep of PRISM costs: CPU time by size, and memory. Simulated values; their content changes no cost."""

from __future__ import annotations

import resource
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.models.prism import PrismSettings, fit
from rehabcount.models.prism_chain import advance, begin, digest_of, joined

LENGTHS = (500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000)  # frames of ten recordings together


@dataclass(frozen=True, slots=True)
class ProcedureSpeed:
    """CPU time of a sweep by one thread, and the most memory of a whole process."""

    simulated_ms: float
    bees_ms: float
    frames: tuple[int, ...]
    sweep_ms: tuple[float, ...]  # of ten recordings with that many frames in all, 25 slots, 8 states, 4 channels
    megabytes: float

    @property
    def exponent(self) -> float:
        """Of the number of frames in the cost: 1 if it is linear. By the four longest, where nothing else counts."""
        return float(np.polyfit(np.log(self.frames[-4:]), np.log(self.sweep_ms[-4:]), 1)[0])


def measure_speed(*, quick: bool = False) -> ProcedureSpeed:
    lengths = LENGTHS[:4] if quick else LENGTHS
    _sweep_ms(_values(1, 50, 2), PrismSettings(3, 4), sweeps=3)  # compiles
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        megabytes = pool.submit(_megabytes, 10 if quick else 100).result()
    return ProcedureSpeed(
        _sweep_ms(_values(10, 36, 2), PrismSettings(8, 25), sweeps=500),
        _sweep_ms(_values(1, 1058, 4), PrismSettings(3, 200, concentration=1.0), sweeps=100),
        lengths,
        tuple(
            _sweep_ms(_values(10, frames // 10, 4), PrismSettings(8, 25), sweeps=max(5, 100_000 // frames))
            for frames in lengths
        ),
        megabytes,
    )


def _values(recordings: int, frames: int, channels: int) -> list[Floats]:
    rng = np.random.default_rng(0)
    steps = np.repeat(rng.integers(4, size=frames // 10 + 1), 10)[:frames]
    return [steps[:, None] - 1.5 + 0.5 * rng.standard_normal((frames, channels)) for _ in range(recordings)]


def _sweep_ms(recordings: list[Floats], settings: PrismSettings, *, sweeps: int) -> float:
    """The least of three measurements: other programs only make one slower."""
    frames = joined(recordings)
    chain = begin(frames, settings, 0, None, digest_of(frames, settings))
    measured = []
    for _ in range(3):
        begun = time.process_time()
        advance(frames, settings, chain, sweeps)
        measured.append((time.process_time() - begun) / sweeps * 1000)
    return min(measured)


def _megabytes(recordings: int) -> float:
    """Of a process that fits so many recordings of 5,000 frames: two chains, 100 kept samples in each."""
    settings = PrismSettings(8, 25, chains=2, sweeps=102, burn_in=2, thin=1)
    fit(_values(recordings, 5_000, 4), settings)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
