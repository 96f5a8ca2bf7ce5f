"""Real beside simulated in one picture: each measure's quartiles, in units of the real interquartile range."""

from __future__ import annotations

from pathlib import Path

from rehabcount.bench.simulated_patient import GROUPS, QuartileRow
from rehabcount.simulate.drawing import INK, PALE, pyplot

INSIDE, OUTSIDE = "#0072b2", "#d55e00"
SHOWN = 2.6  # real ranges to either side; what lies beyond is drawn at the edge


def draw_comparison(rows: list[QuartileRow], path: Path) -> None:
    """Grey: the middle half of the real people. Blue: simulated, median inside; orange: outside."""
    plt = pyplot()
    names = list(dict.fromkeys(row.measure for row in rows))
    figure, panels = plt.subplots(1, 2, figsize=(14, 0.205 * len(names) + 1.6), dpi=100, sharey=True, facecolor="white")
    figure.subplots_adjust(left=0.30, right=0.985, top=0.955, bottom=0.045, wspace=0.05)
    for panel, group in zip(panels, GROUPS, strict=True):
        mine = {row.measure: row for row in rows if row.group == group}
        for i, name in enumerate(names):
            row = mine.get(name)
            if row is None:
                continue
            low, middle, high = row.real
            scale = max(high - low, 0.02 * abs(middle), 1e-9)
            edges = [(value - middle) / scale for value in row.real]
            dots = [min(max((value - middle) / scale, -SHOWN), SHOWN) for value in row.simulated]
            colour = INSIDE if row.inside else OUTSIDE
            panel.barh(i, edges[2] - edges[0], left=edges[0], height=0.72, color="#e1e5ea", lw=0, zorder=1)
            panel.plot([0, 0], [i - 0.36, i + 0.36], color=PALE, lw=1.4, zorder=2)
            panel.plot([dots[0], dots[2]], [i, i], color=colour, lw=1.5, alpha=0.65, zorder=3, solid_capstyle="round")
            panel.plot(dots[1], i, "o", color=colour, ms=4.8, zorder=4)
        inside = sum(row.inside for row in mine.values())
        panel.set_title(f"{group}: {inside} of {len(mine)} medians inside", fontsize=12.5, weight="bold", color=INK)
        panel.set_xlim(-SHOWN - 0.1, SHOWN + 0.1)
        panel.set_xlabel("distance from the real median, in real interquartile ranges", fontsize=9.5, color=INK)
        panel.spines[["top", "right", "left"]].set_visible(False)
        panel.tick_params(axis="y", length=0, labelsize=8.5, colors=INK)
        panel.tick_params(axis="x", labelsize=8.5, colors=INK, length=2)
    panels[0].set_yticks(range(len(names)), names)
    panels[0].set_ylim(len(names) - 0.4, -0.6)
    figure.savefig(path)
    plt.close(figure)
