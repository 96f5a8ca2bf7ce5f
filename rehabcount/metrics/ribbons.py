"""Ribbons: labellings of one trial drawn as bands above each other, as in Fig. 6 of the PRISM paper.

Rows of spans in, a PNG (or another format, by the file's suffix) out. Colours are those of Okabe and Ito, which the
colour-blind can tell apart; a hatch and, where there is room, a letter show the label without colour.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.labels import PRODUCT
from rehabcount.errors import MissingExtra, StoreUnwritable
from rehabcount.metrics.matching import Spans

# Okabe & Ito (2008), from light to dark so that neighbours also differ in grey; black is kept for text.
COLOURS = ("#F0E442", "#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#0072B2", "#BBBBBB")
HATCHES = ("", "//", "..", "\\\\", "xx", "--", "oo", "++")
_HATCH_FROM = 0.002  # of the width: about three dots; below it an edge or hatch would be all there is to see
_LETTER_FROM = 0.018  # of the width: a narrower span has no room for its letter
_LEGEND_LETTERS = 105  # fit side by side at this size; a key and its gaps take about seven
_ROW_INCHES, _LEGEND_ROW_INCHES, _WIDTH_INCHES = 0.62, 0.25, 11.0


def draw(
    rows: Sequence[tuple[str, Spans]],
    path: Path,
    *,
    title: str = "",
    unit: str = "frame",
    own_names: bool = False,
    order: Sequence[Hashable] = (),
) -> None:
    """Draw the rows into `path`. With `own_names` every row has its own labels (clusters) and no legend is drawn.
    `order`: labels that come first in the legend, in this order."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtra("matplotlib", "bench") from error
    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.patches import Patch

    there = {label for _, spans in rows for label in spans.labels.tolist()}
    first = [label for label in dict.fromkeys(order) if label in there]
    everything = first + _ordered(there - set(first))
    known = {label: _style(i, label) for i, label in enumerate(everything)}
    longest = max((len(style.legend) for style in known.values()), default=1)
    columns = 0 if own_names else max(1, min(len(known), _LEGEND_LETTERS // (longest + 7)))
    legend_rows = -(-len(known) // columns) if columns else 0
    last = max((float(spans.ends[-1]) for _, spans in rows if len(spans)), default=1.0)
    height = 1.2 + _ROW_INCHES * len(rows) + _LEGEND_ROW_INCHES * legend_rows
    figure, axes = pyplot.subplots(figsize=(_WIDTH_INCHES, height), layout="constrained")
    for i, (_, spans) in enumerate(rows):
        for label, style in (_by_share(spans) if own_names else known).items():
            here = spans.labels == label
            _bands(axes, i, style, spans.starts[here], spans.ends[here], last)
    axes.set(xlim=(0, last), ylim=(len(rows) - 0.4, -0.6))
    axes.set_xlabel(f"time ({unit}s)", fontsize=12)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=12)
    axes.tick_params(axis="x", labelsize=11)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    if title:
        axes.set_title(title, fontsize=13, loc="left")
    if columns:
        keys = [
            Patch(facecolor=style.colour, hatch=style.hatch, edgecolor="black", linewidth=0.6, label=style.legend)
            for style in known.values()
        ]
        figure.legend(handles=keys, loc="outside lower center", ncols=columns, fontsize=11)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=120)
    except (OSError, ValueError) as error:
        raise StoreUnwritable(f"cannot draw into {path}: {error}.", advice="Choose a .png file elsewhere.") from error
    finally:
        pyplot.close(figure)


@dataclass(frozen=True, slots=True)
class _Style:
    colour: str
    hatch: str
    letter: str
    legend: str


def _bands(axes: Any, row: int, style: _Style, starts: Floats, ends: Floats, last: float) -> None:
    """All spans of one label in one row; a letter in those that have room."""
    narrow = (ends - starts) / last < _HATCH_FROM
    for chosen, hatch, edge in ((~narrow, style.hatch, 0.4), (narrow, "", 0.0)):
        axes.broken_barh(
            list(zip(starts[chosen], (ends - starts)[chosen], strict=True)),
            (row - 0.4, 0.8),
            facecolor=style.colour,
            hatch=hatch,
            edgecolor="black",
            linewidth=edge,
        )
    if not style.letter:
        return
    roomy = (ends - starts) / last >= _LETTER_FROM * len(style.letter)
    for middle in (starts + ends)[roomy] / 2:
        axes.text(
            middle,
            row,
            style.letter,
            ha="center",
            va="center",
            fontsize=11,
            fontweight="bold",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.85},
        )


def _style(number: int, label: Hashable) -> _Style:
    name = str(label)
    if name in PRODUCT.names:
        own = PRODUCT[name]
        return _Style(own.colour, HATCHES[PRODUCT.index(name) % len(HATCHES)], own.letter, f"{own.letter}  {name}")
    # A short name is its own mark; longer ones are lettered in order, for their beginnings may be alike.
    letter = name if len(name) <= 3 else ascii_uppercase[number % 26] + "'" * (number // 26)
    legend = f"{letter}  {name}" if letter != name else name
    hatch = HATCHES[(number + number // len(COLOURS)) % len(HATCHES)]
    return _Style(COLOURS[number % len(COLOURS)], hatch, letter, legend)


def _by_share(spans: Spans) -> dict[Hashable, _Style]:
    """Styles for clusters without names: the most frequent first, so that rows can be compared by eye."""
    names, member = np.unique(spans.labels, return_inverse=True)
    share = np.bincount(member, weights=spans.ends - spans.starts)
    ranked = [names[i].item() for i in np.argsort(-share, kind="stable")]
    return {label: replace(_style(i, label), letter="") for i, label in enumerate(ranked)}


def _ordered(labels: set[Any]) -> list[Any]:
    """The product's labels in their own order, then the rest sorted."""
    own = [name for name in PRODUCT.names if name in labels]
    rest = labels - set(own)
    return own + sorted(rest, key=lambda label: (isinstance(label, str), label))
