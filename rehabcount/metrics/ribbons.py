"""Ribbons: labellings of one trial drawn as bands above each other, as in Fig. 6 of the PRISM paper.

Rows of spans in, a PNG (or whatever the file's suffix says) out. Colours are those of Okabe and Ito, which the
colour-blind can tell apart; a hatch and, where there is room, a letter say the same without colour.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rehabcount.domain.labels import PRODUCT
from rehabcount.errors import MissingExtra, StoreUnwritable
from rehabcount.metrics.matching import Spans

# Okabe & Ito (2008), from light to dark so that neighbours also differ in grey; black is kept for text.
COLOURS = ("#F0E442", "#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#0072B2", "#BBBBBB")
HATCHES = ("", "//", "..", "\\\\", "xx", "--", "oo", "++")
_LETTER_FROM = 0.018  # of the width: a narrower span has no room for its letter
_ROW_INCHES, _WIDTH_INCHES = 0.62, 11.0


def draw(
    rows: Sequence[tuple[str, Spans]],
    path: Path,
    *,
    title: str = "",
    unit: str = "frame",
    names: Mapping[Hashable, str] | None = None,
    own_names: bool = False,
) -> None:
    """Draw the rows into `path`. With `own_names` every row has its own labels (clusters) and no legend is drawn."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtra("matplotlib", "bench") from error
    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.patches import Patch

    everything = _ordered({label for _, spans in rows for label in spans.labels.tolist()})
    known = {label: _style(i, label, names) for i, label in enumerate(everything)}
    last = max((float(spans.ends[-1]) for _, spans in rows if len(spans)), default=1.0)
    figure, axes = pyplot.subplots(figsize=(_WIDTH_INCHES, 1.5 + _ROW_INCHES * len(rows)), layout="constrained")
    for i, (_, spans) in enumerate(rows):
        styles = known if not own_names else _by_share(spans)
        for label, start, end in zip(spans.labels.tolist(), spans.starts, spans.ends, strict=True):
            _band(axes, i, styles[label], float(start), float(end), last)
    axes.set(xlim=(0, last), ylim=(len(rows) - 0.4, -0.6))
    axes.set_xlabel(f"time ({unit}s)", fontsize=12)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=12)
    axes.tick_params(axis="x", labelsize=11)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    if title:
        axes.set_title(title, fontsize=13, loc="left")
    if not own_names:
        keys = [
            Patch(facecolor=s["colour"], hatch=s["hatch"], edgecolor="black", linewidth=0.6, label=s["legend"])
            for s in known.values()
        ]
        figure.legend(handles=keys, loc="outside lower center", ncols=min(6, max(len(keys), 1)), fontsize=11)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=120)
    except (OSError, ValueError) as error:
        raise StoreUnwritable(f"cannot draw into {path}: {error}.", advice="Choose a .png file elsewhere.") from error
    finally:
        pyplot.close(figure)


def _band(axes: Any, row: int, style: Mapping[str, str], start: float, end: float, last: float) -> None:
    axes.barh(
        row,
        end - start,
        left=start,
        height=0.8,
        color=style["colour"],
        hatch=style["hatch"],
        edgecolor="black",
        linewidth=0.4,
    )
    if style["letter"] and (end - start) / last >= _LETTER_FROM * len(style["letter"]):
        axes.text(
            (start + end) / 2,
            row,
            style["letter"],
            ha="center",
            va="center",
            fontsize=11,
            fontweight="bold",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.85},
        )


def _style(number: int, label: Hashable, names: Mapping[Hashable, str] | None) -> dict[str, str]:
    name = str((names or {}).get(label, label))
    letter = PRODUCT[name].letter if name in PRODUCT.names else name[:3]
    legend = f"{letter}  {name}" if letter != name else name
    hatch = HATCHES[(number + number // len(COLOURS)) % len(HATCHES)]
    return {"colour": COLOURS[number % len(COLOURS)], "hatch": hatch, "letter": letter, "legend": legend}


def _by_share(spans: Spans) -> dict[Hashable, dict[str, str]]:
    """Styles for clusters without names: the most frequent first, so that rows can be compared by eye."""
    names, member = np.unique(spans.labels, return_inverse=True)
    share = np.bincount(member, weights=spans.ends - spans.starts)
    ranked = [names[i].item() for i in np.argsort(-share, kind="stable")]
    return {label: {**_style(i, label, None), "letter": ""} for i, label in enumerate(ranked)}


def _ordered(labels: set[Any]) -> list[Any]:
    """The product's labels in their own order, then the rest sorted."""
    own = [name for name in PRODUCT.names if name in labels]
    rest = labels - set(own)
    return own + sorted(rest, key=lambda label: (isinstance(label, str), label))
