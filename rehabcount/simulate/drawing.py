"""Pictures of the simulated patient: a drink at four impairment levels, and the signals of one trial.

    draw_drink(path)     .png: six moments of the drink per level, and the hand's speed; .gif: the four side by side
    draw_trial(path)     angular rate and acceleration of hand and forearm over one trial, with its labels

Needs matplotlib (extra `bench`); loaded only here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.labels import PRODUCT
from rehabcount.domain.rig import BodyPart, Side
from rehabcount.domain.sequence import Segment
from rehabcount.errors import MissingExtra
from rehabcount.signals import rotation
from rehabcount.simulate.body import Body, Pose, make_body, move_body
from rehabcount.simulate.impairment import draw_impairment
from rehabcount.simulate.motion import Motion, perform
from rehabcount.simulate.movement import MOTION_RATE_HZ
from rehabcount.simulate.realism import speed_of
from rehabcount.simulate.recording import Recording
from rehabcount.simulate.scene import Furniture, Habits, Scene
from rehabcount.simulate.tabletop import single_drink

LEVELS = ((66, "healthy"), (55, "mild, score 55"), (35, "moderate, score 35"), (15, "severe, score 15"))
# Okabe and Ito's palette: told apart by the colour-blind; letters of the labels are printed as well.
COLOURS = {label.name: label.colour for label in PRODUCT.labels}
INK, PALE = "#22303c", "#c9d1d9"
TITLE = "Simulated: one drink at four levels of impairment"
MOVING_HZ, MOVING_COLOURS = 8, 32  # frames a second and colours of the moving picture: a page must load it
VIEW_RAD = (np.radians(-38.0), np.radians(14.0))  # from the front left, a little from above


@dataclass(frozen=True, slots=True)
class _Drinker:
    title: str
    body: Body
    motion: Motion
    pose: Pose
    table: float

    @property
    def segments(self) -> list[Segment]:
        return [segment for segment in self.motion.segments if segment.side is Side.RIGHT]

    @property
    def wrist(self) -> Floats:
        return self.pose.origin[BodyPart.HAND, Side.RIGHT]


def pyplot() -> Any:
    """matplotlib.pyplot, drawing into files only."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtra("matplotlib", "bench") from error
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def _drinkers(seed: int) -> list[_Drinker]:
    people = []
    for score, title in LEVELS:
        rng = np.random.default_rng([seed, 6, score])
        body = make_body(1.72)
        arms = {side: draw_impairment(score if side is Side.RIGHT else 66, rng, spread=0.3) for side in Side}
        scene = Scene(body, arms, Habits(), Furniture(table=0.2), rng)
        single_drink(scene, Side.RIGHT)
        motion = perform(scene)
        people.append(_Drinker(title, body, motion, move_body(body, motion.channels), scene.layout.table))
    return people


def _flat(points: Floats) -> Floats:
    """Room axes to picture axes: turned, tilted, orthographic."""
    turn, tilt = VIEW_RAD
    x, y, z = np.moveaxis(np.asarray(points, float), -1, 0)
    across, depth = x * np.cos(turn) - z * np.sin(turn), x * np.sin(turn) + z * np.cos(turn)
    return np.stack([across, y * np.cos(tilt) - depth * np.sin(tilt)], axis=-1)


def _figure(axes: Any, person: _Drinker, i: int, *, trail: bool = True) -> None:
    """The stick figure at frame i, with table, cup and the way of the hand so far."""
    body, pose = person.body, person.pose
    corners = np.array([[0.22, 0, -0.48], [0.75, 0, -0.48], [0.75, 0, 0.48], [0.22, 0, 0.48]])
    corners[:, 1] = person.table
    axes.fill(*_flat(corners).T, color="#efe8dc", zorder=0, lw=0)
    axes.plot(*_flat(corners[[3, 0, 1, 2, 3]]).T, color="#d8cdb8", lw=0.8, zorder=1)
    seat = np.array([[-0.22, -0.10, -0.2], [0.22, -0.10, -0.2], [0.22, -0.10, 0.2], [-0.22, -0.10, 0.2]])
    axes.fill(*_flat(seat).T, color="#e7ebef", zorder=0, lw=0)
    thorax, joint = pose.orientation[BodyPart.THORAX, None][i], pose.origin[BodyPart.THORAX, None][i]
    neck = joint + rotation.rotate(thorax, [0.0, body.thorax + 0.06, 0.0])
    head = joint + rotation.rotate(thorax, [0.035, body.thorax + 0.20, 0.0])
    spine = np.stack([pose.origin[BodyPart.PELVIS, None][i], pose.origin[BodyPart.LUMBAR, None][i], joint, neck])
    axes.plot(*_flat(spine).T, color=INK, lw=4.5, solid_capstyle="round", zorder=4)
    shoulders = np.stack([pose.origin[BodyPart.UPPER_ARM, side][i] for side in Side])
    axes.plot(*_flat(shoulders).T, color=INK, lw=3.5, solid_capstyle="round", zorder=4)
    x, y = _flat(head)
    axes.add_patch(_circle((x, y), 0.095, facecolor="white", edgecolor=INK, lw=2.6, zorder=5))
    for side, colour, width, depth in ((Side.LEFT, "#8b98a5", 2.6, 3), (Side.RIGHT, INK, 3.6, 7)):
        hand = pose.origin[BodyPart.HAND, side][i]
        tip = hand + rotation.rotate(pose.orientation[BodyPart.HAND, side][i], [0.0, -1.9 * body.hand, 0.0])
        limb = np.stack([*(pose.origin[part, side][i] for part in (BodyPart.UPPER_ARM, BodyPart.FOREARM)), hand, tip])
        axes.plot(*_flat(limb).T, color=colour, lw=width, solid_capstyle="round", solid_joinstyle="round", zorder=depth)
        axes.plot(*_flat(limb[1:3]).T, "o", color="white", mec=colour, mew=1.4, ms=4, zorder=depth + 1)
    if trail:
        for segment in person.segments:
            a, b = (int(at * MOTION_RATE_HZ) for at in (segment.start_s, segment.end_s))
            if a < i:
                axes.plot(
                    *_flat(person.wrist[a : min(b, i) : 4]).T, color=COLOURS[segment.label], lw=1.8, zorder=6, alpha=0.9
                )
    axes.set_xlim(-0.30, 0.84)
    axes.set_ylim(-0.24, 0.90)
    axes.set_aspect("equal")
    axes.axis("off")


def _circle(center: tuple[float, float], radius: float, **style: Any) -> Any:
    from matplotlib.patches import Circle

    return Circle(center, radius, **style)


def _label_at(person: _Drinker, i: int) -> str:
    at = i / MOTION_RATE_HZ
    return next((s.label for s in person.segments if s.start_s <= at < s.end_s), "idle")


def _moments(person: _Drinker) -> list[int]:
    """Six telling frames: at rest, reaching, at the cup, half way up, at the mouth, half way down."""
    by_label = {label: [s for s in person.segments if s.label == label] for label in PRODUCT.names}
    reach, (up, *_, down) = by_label["reach"][-1], by_label["transport"]
    times = [
        0.1,
        (reach.start_s + reach.end_s) / 2,
        reach.end_s,
        (up.start_s + up.end_s) / 2,
        (up.end_s + down.start_s) / 2,
        down.start_s + 0.45 * (down.end_s - down.start_s),
    ]
    return [int(at * MOTION_RATE_HZ) for at in times]


def draw_drink(path: Path, seed: int = 0) -> None:
    """One drink at four impairment levels: a still picture (.png) or a moving one (.gif)."""
    if path.suffix.lower() not in (".png", ".gif"):
        raise ValueError(f"the picture's name must end in .png or .gif, not {path.suffix!r}")
    plt = pyplot()
    people = _drinkers(seed)
    if path.suffix.lower() == ".gif":
        _animate(plt, people, path)
        return
    figure = plt.figure(figsize=(15, 9.6), dpi=110, facecolor="white")
    grid = figure.add_gridspec(
        4, 7, width_ratios=[1] * 6 + [2.1], left=0.01, right=0.985, top=0.93, bottom=0.055, wspace=0.0, hspace=0.30
    )
    longest = max(person.motion.length_s for person in people)
    top = max(float(speed_of(person.wrist, 20.0).max()) for person in people) * 1.12
    for row, person in enumerate(people):
        for column, i in enumerate(_moments(person)):
            axes = figure.add_subplot(grid[row, column])
            _figure(axes, person, i)
            label = _label_at(person, i)
            axes.text(
                0.5,
                -0.02,
                f"{i / MOTION_RATE_HZ:.1f} s  {label}",
                transform=axes.transAxes,
                ha="center",
                va="top",
                fontsize=9,
                color=COLOURS[label],
            )
            if column == 0:
                axes.text(0.0, 1.04, person.title, transform=axes.transAxes, fontsize=13, weight="bold", color=INK)
        _speed(figure.add_subplot(grid[row, 6]), person, longest, top, last=row == len(people) - 1)
    figure.suptitle(
        TITLE,
        x=0.012,
        y=0.985,
        ha="left",
        fontsize=17,
        weight="bold",
        color=INK,
    )
    figure.text(0.985, 0.968, "speed of the wrist (m/s), coloured by primitive", ha="right", fontsize=10.5, color=INK)
    figure.savefig(path)
    plt.close(figure)


def _speed(axes: Any, person: _Drinker, longest: float, top: float, *, last: bool) -> None:
    speed = speed_of(person.wrist, 20.0)
    time_s = np.arange(len(speed)) / MOTION_RATE_HZ
    for segment in person.segments:
        inside = (time_s >= segment.start_s - 0.005) & (time_s <= segment.end_s)
        axes.fill_between(time_s[inside], speed[inside], color=COLOURS[segment.label], alpha=0.85, lw=0)
        if segment.length_s > 0.02 * longest:
            middle = (segment.start_s + segment.end_s) / 2
            axes.text(
                middle,
                -0.07 * top,
                PRODUCT[segment.label].letter,
                ha="center",
                va="top",
                fontsize=8.5,
                color=COLOURS[segment.label],
                weight="bold",
            )
    axes.plot(time_s, speed, color=INK, lw=0.9)
    axes.set_xlim(0, longest)
    axes.set_ylim(0, top)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(axis="x", pad=13, labelsize=8.5, colors=INK, length=2)
    axes.tick_params(axis="y", labelsize=8.5, colors=INK, length=2)
    if last:
        axes.set_xlabel("seconds", fontsize=9.5, color=INK)
    else:
        axes.set_xticklabels([])


def _animate(plt: Any, people: list[_Drinker], path: Path) -> None:
    from PIL import Image

    figure, axes = plt.subplots(1, 4, figsize=(8.0, 2.5), dpi=80, facecolor="white")
    figure.subplots_adjust(left=0.005, right=0.995, top=0.80, bottom=0.08, wspace=0.02)
    figure.suptitle(TITLE, x=0.01, y=0.99, ha="left", fontsize=10, weight="bold", color=INK)
    pictures = []
    for frame in range(int(max(person.motion.length_s for person in people) * MOVING_HZ)):
        for person, panel in zip(people, axes, strict=True):
            panel.clear()
            i = min(int(frame / MOVING_HZ * MOTION_RATE_HZ), len(person.wrist) - 1)
            _figure(panel, person, i)
            label = _label_at(person, i)
            panel.set_title(person.title, fontsize=8.5, weight="bold", color=INK)
            panel.text(
                0.5,
                0.0,
                label,
                transform=panel.transAxes,
                ha="center",
                fontsize=9,
                weight="bold",
                color=COLOURS[label],
            )
        figure.canvas.draw()
        pictures.append(Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB"))
    plt.close(figure)
    # The last one holds every colour: all labels have occurred by then, and their ways are drawn.
    palette = pictures[-1].quantize(MOVING_COLOURS)
    first, *rest = (picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures)
    first.save(path, save_all=True, append_images=rest, duration=round(1000 / MOVING_HZ), loop=0, optimize=True)


def draw_trial(recording: Recording, path: Path) -> None:
    """Hand and forearm signals of the counted arm over one trial, with its labels below."""
    plt = pyplot()
    side = recording.side.value
    start, end = recording.span("activity", recording.activity)
    figure, axes = plt.subplots(
        5,
        1,
        figsize=(15, 8.2),
        dpi=110,
        sharex=True,
        facecolor="white",
        gridspec_kw={"height_ratios": [1, 1, 1, 1, 0.5]},
    )
    figure.subplots_adjust(left=0.065, right=0.99, top=0.92, bottom=0.07, hspace=0.16)
    for panel, (sensor, quantity) in zip(
        axes, [(s, q) for s in ("hand", "forearm") for q in ("gyr", "acc")], strict=False
    ):
        samples = recording.samples[f"{side}-{sensor}"]
        values = getattr(samples, quantity)
        rate = recording.devices[f"{side}-{sensor}"].rate_hz
        time_s = np.arange(len(values)) / rate - start
        shown = (time_s >= 0) & (time_s <= end - start)
        for axis, colour in enumerate(("#0072b2", "#009e73", "#d55e00")):
            panel.plot(time_s[shown], values[shown, axis], color=colour, lw=0.7, label="xyz"[axis])
        unit = "rad/s" if quantity == "gyr" else "m/s²"
        panel.set_ylabel(f"{sensor}\n({unit})", fontsize=10, color=INK)
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(labelsize=8.5, colors=INK, length=2)
    axes[0].legend(ncols=3, fontsize=9, frameon=False, loc="upper right", bbox_to_anchor=(1.0, 1.28))
    for lane, which in enumerate((recording.side, recording.side.other)):
        for segment in recording.of(which):
            if segment.end_s > start and segment.start_s < end:
                a, b = max(segment.start_s, start) - start, min(segment.end_s, end) - start
                axes[4].barh(-lane, b - a, left=a, height=0.82, color=COLOURS[segment.label], edgecolor="white", lw=0.8)
                if b - a > 0.012 * (end - start):
                    axes[4].text(
                        (a + b) / 2,
                        -lane,
                        PRODUCT[segment.label].letter,
                        ha="center",
                        va="center",
                        fontsize=8.5,
                        color="white",
                        weight="bold",
                    )
    axes[4].set_yticks([0, -1], [f"{side} arm", f"{recording.side.other.value} arm"], fontsize=9.5, color=INK)
    axes[4].spines[["top", "right", "left"]].set_visible(False)
    axes[4].tick_params(length=0, labelsize=9, colors=INK)
    axes[4].set_xlabel("seconds", fontsize=10, color=INK)
    axes[0].set_xlim(0, end - start)
    legend = "   ".join(f"{label.letter} {label.name}" for label in PRODUCT.labels if label.name != "other")
    figure.suptitle(
        f"Simulated: {recording.activity.capitalize()}, score {recording.subject.score}, affected arm: {side}",
        x=0.012,
        y=0.98,
        ha="left",
        fontsize=16,
        weight="bold",
        color=INK,
    )
    figure.text(0.012, 0.93, legend, fontsize=10.5, color=INK)
    figure.savefig(path)
    plt.close(figure)
