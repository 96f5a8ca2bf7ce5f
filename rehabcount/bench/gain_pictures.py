"""Fig. 3 of GAIN (how often each step occurs) and ribbons of trials (Figs. 5, 12, 13), drawn from finished rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rehabcount.bench.experiment import pyplot
from rehabcount.bench.gain_data import IN, OOD
from rehabcount.bench.gain_kept import GainRow
from rehabcount.bench.gain_rows import NETWORKS, SEEDS
from rehabcount.bench.gain_splits import SplitReport
from rehabcount.bench.gain_tables import (
    SHOWN,
    method_of,
    score_of,
    shown_method,
    spans_of_estimate,
    spans_of_reference,
)
from rehabcount.domain.arrays import Floats
from rehabcount.metrics import ribbons
from rehabcount.metrics.matching import Spans

GROUPS = (("train", "training tasks", "#22303c"), (IN, "known tasks, test people", "#56b4e9"),
          (OOD, "unseen tasks, test people", "#d55e00"))  # fmt: skip
_SHOWN = {"idle": "idle (empty)", "reposition": "reposition (empty)"}
LONGEST_S = 60.0  # of a ribbon: more would be too fine to see


def draw_steps(report: SplitReport, path: Path, title: str) -> None:
    """Fig. 3: shares of steps, those of training in falling order."""
    order = sorted(report.steps["train"], key=lambda name: -report.steps["train"][name])
    figure, axis = pyplot().subplots(figsize=(9.5, 3.6), dpi=110, facecolor="white")
    at = np.arange(len(order))
    for number, (group, shown, colour) in enumerate(GROUPS):
        values = [100 * report.steps[group][name] for name in order]
        axis.bar(at + 0.27 * (number - 1), values, 0.27, color=colour, label=shown)
    axis.set_xticks(at, order, rotation=40, ha="right", fontsize=9)
    axis.set_ylabel("share of steps (%)")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=9)
    axis.set_title(title, fontsize=10.5, loc="left")
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    pyplot().close(figure)


def draw_ribbons(rows: Sequence[GainRow], source: str, folder: Path) -> dict[str, str]:
    """Of the first seed: the unseen trial where the causal MS-TCN++ gains most, the one where it loses most, and all
    networks on the first of these; file -> caption."""
    first = {
        (row.network, row.causal): row for row in rows if (row.source, row.seed, row.variant) == (source, SEEDS[0], "")
    }
    plain, causal = first.get(("mstcnpp", False)), first.get(("mstcnpp", True))
    if plain is None or causal is None:
        return {}
    every = [first[key] for network in NETWORKS for c in (False, True) if (key := (network, c)) in first]
    gains = gains_of(plain, causal)
    best, worst = (int(pick(gains)) for pick in (np.nanargmax, np.nanargmin))
    made = {}
    for name, number, shown, words in (
        ("success", best, [plain, causal], "the unseen trial where C-MS-TCN++ gains most"),
        ("failure", worst, [plain, causal], "the unseen trial where C-MS-TCN++ loses most"),
        ("networks", best, every, "all networks on the unseen trial where C-MS-TCN++ gains most"),
    ):
        caption = f"{words} ({gains[number]:+.1f} points): {plain.trials[number].task}; {SHOWN[source]}"
        made[f"{source}-{name}.png"] = caption
        bands = [("truth", _named(plain, spans_of_reference(plain.trials[number])))]
        bands += [(shown_method(method_of(row)), _named(row, spans_of_estimate(row.trials[number]))) for row in shown]
        ribbons.draw(bands, folder / f"{source}-{name}.png", title=caption, unit="second")
    return made


def gains_of(plain: GainRow, causal: GainRow) -> Floats:
    """Of each test trial the points of frame accuracy that the second row has more; NaN for known tasks."""
    found = []
    for number, trial in enumerate(plain.trials):
        one, two = (score_of(replace(row, trials=(row.trials[number],)), OOD, "accuracy") for row in (plain, causal))
        found.append(two - one if trial.where == OOD else float("nan"))
    return np.array(found)


def _named(row: GainRow, spans: Spans) -> Spans:
    """With names, in seconds, the first minute only."""
    begun = spans.starts / row.rate_hz < LONGEST_S
    # With the bare names of primitives these two would get the product's letters and colours, which others have here.
    names = np.array([_SHOWN.get(row.labels[int(i)], row.labels[int(i)]) for i in spans.labels[begun]], dtype=object)
    ends = np.minimum(spans.ends[begun] / row.rate_hz, LONGEST_S)
    return Spans(names, spans.starts[begun] / row.rate_hz, ends)
