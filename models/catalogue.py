"""The networks by name: what `rehabcount train NAME` can train, and how each wants its examples cut.

Times are seconds, so that one entry serves corpora of any rate; `build` turns them into steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rehabcount.models import asrf, edtcn, lstm, mstcn, mstcnpp, raw2seq, seg2seq, stream, tresnet
from rehabcount.models.batches import Cut
from rehabcount.models.network import Network


@dataclass(frozen=True, slots=True)
class Entry:
    network: type[Network]
    settings: Any
    presets: dict[str, dict[str, float]]
    length_s: float  # of a training stretch; 0: whole trials
    hop_s: float
    margin_s: float = 0.0
    steps_hz: float = 50.0  # rate of its input, where the data allow; `stream` has its own strides


CATALOGUE: dict[str, Entry] = {
    "stream": Entry(stream.StreamNetwork, stream.StreamSettings, stream.PRESETS, 20.0, 10.0, steps_hz=float("inf")),
    "raw2seq": Entry(raw2seq.Raw2seq, raw2seq.Raw2seqSettings, raw2seq.PRESETS, 6.0, 4.0, 1.0),
    "seg2seq": Entry(seg2seq.Seg2seq, seg2seq.Seg2seqSettings, seg2seq.PRESETS, 6.0, 4.0, 1.0),
    "mstcn": Entry(mstcn.Mstcn, mstcn.MstcnSettings, mstcn.PRESETS, 30.0, 15.0),
    "asrf": Entry(asrf.Asrf, asrf.AsrfSettings, asrf.PRESETS, 30.0, 15.0),
    "lstm": Entry(lstm.LstmNetwork, lstm.LstmSettings, lstm.PRESETS, 30.0, 15.0, steps_hz=25.0),
    "edtcn": Entry(edtcn.Edtcn, edtcn.EdtcnSettings, edtcn.PRESETS, 30.0, 15.0, steps_hz=25.0),
    "tresnet": Entry(tresnet.Tresnet, tresnet.TresnetSettings, tresnet.PRESETS, 30.0, 15.0, steps_hz=25.0),
    "mstcnpp": Entry(mstcnpp.Mstcnpp, mstcnpp.MstcnppSettings, mstcnpp.PRESETS, 30.0, 15.0, steps_hz=25.0),
}


def settings_of(name: str, preset: str, width: int, labels: int, changes: dict[str, Any]) -> Any:
    """A network's settings: its preset, then the changes. An unknown name is a ValueError that lists what there is."""
    if name not in CATALOGUE:
        raise ValueError(f"network must be one of {', '.join(CATALOGUE)}, not {name!r}")
    entry = CATALOGUE[name]
    if preset not in entry.presets:
        raise ValueError(f"preset of {name} must be one of {', '.join(entry.presets)}, not {preset!r}")
    return entry.settings(width=width, labels=labels, **{**entry.presets[preset], **changes})


def cut_of(name: str, rate_hz: float, settings: Any, length_s: float = -1.0) -> Cut:
    """How examples are cut for a network whose input has `rate_hz` steps a second; `length_s` < 0: as it likes best."""
    entry = CATALOGUE[name]
    if hasattr(settings, "margin"):  # a window network has its window in its settings
        return Cut(settings.length, max(1, round(entry.hop_s * rate_hz)), settings.margin)
    length = round((entry.length_s if length_s < 0 else length_s) * rate_hz)
    return Cut(length, max(1, length // 2))


def frames_per_step(name: str, rate_hz: float) -> int:
    """Rows averaged into one step: as many as keep the network's input at its rate or just above."""
    return max(1, int(rate_hz // CATALOGUE[name].steps_hz))


def window_steps(name: str, rate_hz: float, layers: int) -> dict[str, int]:
    """Length and margin of a window network at this rate, in whole steps of its encoding."""
    entry, per = CATALOGUE[name], 2**layers
    margin = max(per, round(entry.margin_s * rate_hz / per) * per)
    centre = max(per, round((entry.length_s - 2 * entry.margin_s) * rate_hz / per) * per)
    return {"length": centre + 2 * margin, "margin": margin}
