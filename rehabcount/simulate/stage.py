"""A scene anywhere: the person sits, stands or half lies, hands rest at any place, the trunk bends as far as needed.

    in   verbs of Scene, and those below, called in order
    out  the same records as those of Scene; `finish` adds the path of root and trunk under everything

Where Scene knows one table and a trunk that starts upright, an OpenScene has homes for the hands, a trunk that leans
back, and steps, turns and sway of a standing body.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.labels import REACH, REPOSITION, TRANSPORT
from rehabcount.domain.rig import Side
from rehabcount.signals import rotation
from rehabcount.simulate.body import (
    ARM,
    ARM_WIDTH,
    GIRDLE,
    GIRDLE_RANGE,
    SWIVEL,
    TRUNK,
    WRIST,
    elbow_circle,
    landmark,
    limited,
    mirrored,
    shoulder_at,
)
from rehabcount.simulate.labelling import frames_of
from rehabcount.simulate.movement import MOTION_RATE_HZ, minimum_jerk, rumble
from rehabcount.simulate.moves import GOES_ON, Landing, Manner, Trace
from rehabcount.simulate.posture import Grip
from rehabcount.simulate.scene import LEAN_SHARES, Scene

STRETCHED = 0.985  # of arm length: the farthest that a wrist is asked to be from its shoulder
TRUNK_DEPTH, TRUNK_WIDTH = 0.15, 0.155  # half axes of the trunk (m, of a body of average girth); wrists stay outside
LEANS = 31  # angles that are tried to find how far the trunk has to lean
CHANGE_S = 2.2  # to lie back or sit up
HANGS = 0.88  # cosine to the vertical from which an arm hangs; it must be almost straight, too
HANGS_M = 0.72  # of arm length
AT_BODY_M = 0.27  # nearer than this to the middle of trunk or head, a wrist goes along with them
DOWNWARDS, HANGING_HABIT = -0.85, 0.7  # a hand that hangs keeps little of the habit of elbows farther out
LEANING = 0.12  # rad in one joint of the trunk
HEAD_M = 0.15  # of stature: how far the head is above the shoulders
# A hand before the body, and where its elbow is: the direction that `elbow_turn` starts from.
BEFORE: Floats = np.array([0.76, -0.60, 0.25])
BELOW: Floats = np.array([-0.570, -0.800, -0.187])
SWAY_HZ, TURN_HZ = (0.05, 0.4), (0.02, 0.12)  # bands: below a low-pass alone, accelerations would be white noise
IN_THE_AIR_HOMES = ("hovering", "held up")  # names of homes where nothing carries the hand
STOPS_AT, STOP_S, ASTRAY_M = (0.3, 0.93), (-0.1, 0.15), 0.02  # share of the way; shorter than SEEN_PAUSE_S
STEP_S = 0.65  # one step to the side, or a quarter turn


@dataclass(frozen=True, slots=True)
class Home:
    """Where a hand rests."""

    name: str
    place: Floats  # room axes
    grip: Grip


@dataclass(frozen=True, slots=True)
class Unrest:
    """How the body that carries the arms keeps still: from `start_s` on."""

    start_s: float
    recline: Floats  # (9,) bends of the trunk, against sitting upright
    sway_m: float  # of the hips, standard deviation
    sway_rad: float  # of the pelvis, and about the vertical


@dataclass(slots=True)
class OpenScene(Scene):
    """A Scene with homes for the hands and a trunk of its own. It lives while a script runs."""

    homes: dict[Side, Home] = field(default_factory=dict)
    recline: Floats = field(default_factory=lambda: np.zeros(9))
    farthest_lean: float = 0.6  # rad
    unrests: list[Unrest] = field(default_factory=list)
    steps: list[tuple[float, Floats]] = field(default_factory=list)  # time; forward, up (0), right (m), heading (rad)
    settled_s: float | None = None  # from then on elbows go where `elbow_turn` says
    carried: list[tuple[Side, float, float, float]] = field(default_factory=list)  # start, end of a move; 1: goes along

    # Places ---------------------------------------------------------------------------------------------------------

    def rest_place(self, side: Side) -> Floats:
        home = self.homes.get(side)
        return Scene.rest_place(self, side) if home is None else home.place

    def on_body(self, place: Floats, side: Side, forward: float = 0.0) -> Floats:
        point = place * self.body.stature + np.array([forward, 0.0, 0.0])
        trunk = sum((hand.trunk for hand in self.hands.values()), self.recline)
        return landmark(self.body, trunk, point if side is Side.RIGHT else mirrored(point))

    # Verbs ----------------------------------------------------------------------------------------------------------

    def touch(self, side: Side, place: Floats, grip: Grip, *, contact: float = 0.5, quick: float = 1.0) -> None:
        """Move to a target and touch it, without taking it."""
        self._move(side, place, grip, REACH.name, Manner(contact=contact, quick=quick))

    def aside(self, side: Side, place: Floats, grip: Grip, *, quick: float = 1.0) -> None:
        """The empty hand goes somewhere, not home."""
        self._move(side, place, grip, REPOSITION.name, Manner(quick=quick, skew=1.5))

    def carry_with_stops(
        self, side: Side, place: Floats, grip: Grip, stops: int, landing: Landing, quick: float
    ) -> None:
        """One carrying that stops and is corrected on its way; the stops are too short for observers to see two."""
        shares = np.sort(self.rng.uniform(*STOPS_AT, stops))
        start, begun = self.hands[side].posture, False
        load_kg = self.hands[side].load_kg
        trunk = self._lean(side, place)
        goal = self._posture(side, place, grip, trunk)
        lean = self.hands[side].trunk
        for share in shares:
            midway = start + share * (goal - start)
            midway[WRIST] += self.rng.normal(0.0, ASTRAY_M, 3)
            manner = Manner(holding=True, load_kg=load_kg, quick=quick)
            self._travel(side, midway, lean + share * (trunk - lean), GOES_ON if begun else TRANSPORT.name, manner)
            self.stay(side, float(self.rng.uniform(*STOP_S)))
            begun = True
        manner = Manner(0.01, landing.contact, True, landing.supported, landing.after_s, load_kg, quick)
        self._travel(side, goal, trunk, GOES_ON if begun else TRANSPORT.name, manner)

    def tilt(self, side: Side, turn_rad: float, length_s: float) -> None:
        """The forearm turns there and back while the hand stays; it begins on the way here and ends on the way on."""
        before, after = self.rng.uniform(0.0, 0.5, 2)
        count = int((max(length_s, 0.0) + before + after + 0.6) * MOTION_RATE_HZ)
        time_s = np.arange(count) / MOTION_RATE_HZ
        rise = float(np.clip(self.rng.uniform(0.35, 0.5) * time_s[-1], 0.3, 1.5))
        path = np.zeros((count, ARM_WIDTH))
        path[:, 4] = turn_rad * minimum_jerk(time_s / rise) * minimum_jerk((time_s[-1] - time_s) / rise)
        self.traces.append(Trace(side, max(0.0, self.hands[side].at - before - 0.3), path))
        self.stay(side, length_s)

    def come_home(self, side: Side, *, quick: float = 1.0) -> None:
        """The empty hand goes back to where it rests."""
        home = self.homes[side]
        spread = self.rng.normal(0.0, 0.018, 3) * np.array([1.0, 0.2, 1.0])
        self._move(side, home.place + spread, home.grip, REPOSITION.name, self._landing(home, quick))
        self.hands[side].home = True

    def drop_home(self, side: Side, label: str, *, quick: float = 1.0) -> None:
        """The same as a part of something that is not exercise."""
        home = self.homes[side]
        self._move(side, home.place, home.grip, label, self._landing(home, quick))
        self.hands[side].home = True

    def take_place(self, unrest: Unrest, homes: dict[Side, Home], farthest_lean: float) -> None:
        """Sit, stand or lie there from now on; the hands still have to be moved."""
        self.unrests.append(unrest)
        self.recline, self.homes, self.farthest_lean = unrest.recline, homes, farthest_lean

    def step(self, at_s: float, way: Floats) -> None:
        """The feet change place: forward, to the right (m), and about the vertical (rad); arms go along."""
        self.steps.append((at_s, np.array([way[0], 0.0, way[1], way[2]])))

    def finish(self) -> None:
        """Lay the path of root and trunk under all that was said; once, at the end."""
        count = frames_of(self)
        self.traces.append(Trace(None, 0.0, self._ground(count)))

    def follow(self, channels: Floats) -> None:
        """Arms that hang, and hands at the body, go along with the shoulder; others stay where they are in the room."""
        count = len(channels)
        time_s = np.arange(count) / MOTION_RATE_HZ
        trunk = np.asarray(channels[:, TRUNK])
        upright = np.zeros((count, 9))
        before = np.zeros(9)
        for unrest in self.unrests:
            share = self._share(unrest, time_s)
            upright += share[:, None] * (unrest.recline - before)
            before = unrest.recline
        for side in Side:
            weight, last = np.zeros(count), 0.0
            for where, start_s, end_s, goes_along in self.carried:
                if where is side and goes_along != last:
                    weight += (goes_along - last) * minimum_jerk((time_s - start_s) / max(end_s - start_s, 0.2))
                    last = goes_along
            moved = shoulder_at(self.body, trunk, side) - shoulder_at(self.body, upright, side)
            arm = channels[:, ARM[side]]
            arm[:, WRIST] += weight[:, None] * (moved if side is Side.RIGHT else mirrored(moved))
            if self.settled_s is not None:
                turn = elbow_turn(arm[:, WRIST] - self._sockets(channels, side))
                arm[:, SWIVEL] += minimum_jerk((time_s - self.settled_s) / CHANGE_S) * turn

    # Inside ---------------------------------------------------------------------------------------------------------

    def _sockets(self, channels: Floats, side: Side) -> Floats:
        """Where this arm's shoulder is, as a right one, with its girdle raised."""
        raised = limited(channels[:, ARM[side]][:, GIRDLE], GIRDLE_RANGE, 0.01)
        bends = rotation.exponential(np.asarray(channels[:, TRUNK]).reshape(-1, 3, 3))
        thorax = rotation.multiply(rotation.multiply(bends[:, 0], bends[:, 1]), bends[:, 2])
        sign = 1.0 if side is Side.RIGHT else -1.0
        more = np.stack([np.zeros_like(raised), raised, -0.3 * sign * raised], axis=-1)
        place = shoulder_at(self.body, channels[:, TRUNK], side) + rotation.rotate(thorax, more)
        return place if side is Side.RIGHT else mirrored(place)

    @staticmethod
    def _share(unrest: Unrest, time_s: Floats) -> Floats:
        """How far the person has taken that place."""
        if unrest.start_s <= 0:
            return np.ones(len(time_s))
        return minimum_jerk((time_s - unrest.start_s) / CHANGE_S)

    def _travel(self, side: Side, goal: Floats, trunk: Floats, label: str, manner: Manner) -> None:
        start = self.hands[side].at
        Scene._travel(self, side, goal, trunk, label, manner)
        end = self.moves[-1].start_s + self.moves[-1].parts.end_s
        # What is touched, or put down, stays where it is in the room; so does what the trunk had to lean for.
        fixed = label == REACH.name or (label == TRANSPORT.name and manner.supported) or np.abs(trunk).max() > LEANING
        self.carried.append((side, start, end, 0.0 if fixed else self._along(side, goal)))

    def _along(self, side: Side, goal: Floats) -> float:
        """1 where a hand at that posture goes along with the trunk."""
        shoulder = shoulder_at(self.body, self.recline, side)
        line = goal[WRIST] - (shoulder if side is Side.RIGHT else mirrored(shoulder))
        distance = float(np.linalg.norm(line))
        if -line[1] / max(distance, 1e-6) > HANGS and distance > HANGS_M * self.body.arm:
            return 1.0
        top = landmark(self.body, self.recline, np.zeros(3))
        axis = top * (1.0 + HEAD_M * self.body.stature / float(np.linalg.norm(top)))
        share = float(np.clip(goal[WRIST] @ axis / float(axis @ axis), 0.2, 1.0))
        return float(np.linalg.norm(goal[WRIST] - share * axis) < AT_BODY_M)

    def _landing(self, home: Home, quick: float) -> Manner:
        contact = 0.0 if home.name in ("hanging", *IN_THE_AIR_HOMES) else 0.5
        return Manner(
            contact=contact,
            supported=home.name not in IN_THE_AIR_HOMES,
            quick=quick,
            skew=float(self.rng.uniform(1.2, 1.7)),
        )

    def _ground(self, count: int) -> Floats:
        time_s = np.arange(count) / MOTION_RATE_HZ
        path = np.zeros((count, 13))
        slow, turns = rumble(count, 5, SWAY_HZ, self.rng), rumble(count, 1, TURN_HZ, self.rng)
        before = Unrest(0.0, np.zeros(9), 0.0, 0.0)
        size_m, size_rad = np.zeros(count), np.zeros(count)
        for unrest in self.unrests:
            share = self._share(unrest, time_s)
            path[:, 4:13] += share[:, None] * (unrest.recline - before.recline)
            size_m += share * (unrest.sway_m - before.sway_m)
            size_rad += share * (unrest.sway_rad - before.sway_rad)
            before = unrest
        path[:, 0] += size_m * slow[:, 0]
        path[:, 2] += size_m * slow[:, 1]
        path[:, 3] += 2.0 * size_rad * turns[:, 0]
        path[:, 4] += size_rad * slow[:, 1]  # leaning to the side that the hips move to
        path[:, 6] -= size_rad * slow[:, 0]
        path[:, 8] += 0.7 * size_rad * slow[:, 3]
        path[:, 11] += 0.7 * size_rad * slow[:, 4]
        for at_s, way in self.steps:
            share = minimum_jerk((time_s - at_s) / STEP_S)
            path[:, :4] += share[:, None] * way
            lift = np.clip((time_s - at_s) / STEP_S, 0.0, 1.0)
            path[:, 1] += 0.018 * np.sin(2 * np.pi * lift) ** 2
            path[:, 4] += 0.04 * np.sign(way[2] or 1.0) * np.sin(np.pi * lift) ** 2
        return path

    def _shoulder(self, side: Side, trunk: Floats) -> Floats:
        other = self.hands[side.other].trunk if self.hands else 0.0
        place = shoulder_at(self.body, trunk + self.recline + other, side)
        return place if side is Side.RIGHT else mirrored(place)

    def _lean(self, side: Side, place: Floats) -> Floats:
        """How the trunk bends for a hand at that place, down to the floor."""
        arm, body = self.arms[side], self.body
        line = place - shoulder_at(body, self.recline, side)
        length = body.arm
        distance = float(np.linalg.norm(line)) - 1.4 * body.hand
        wanted = min(arm.range * length, distance - arm.trunk * max(0.0, distance - 0.65 * length))
        bends = np.zeros((3, 3))
        if distance > wanted + 0.005:
            flat = np.array([max(line[0], 0.0), np.clip(line[2], -0.6, 0.6)])
            flat = flat / max(float(np.hypot(*flat)), 0.05)
            way = np.array([0.8 * flat[1], 0.0, -flat[0]])
            way[1] = 0.35 * flat[0] * (1.0 if side is Side.RIGHT else -1.0)
            angles = np.linspace(0.0, self.farthest_lean, LEANS)
            tried = angles[:, None] * (LEAN_SHARES[:, None] * way).reshape(9)
            distances = np.linalg.norm(place - shoulder_at(body, tried + self.recline, side), axis=1) - 1.4 * body.hand
            fits = np.flatnonzero(distances <= wanted)
            found = int(fits[0]) if len(fits) else int(np.argmin(distances))
            bends = tried[found].reshape(3, 3) * float(np.exp(self.rng.normal(0.0, 0.08)))
        raised = float(np.clip((place[1] - self.layout.table) / 0.35, 0.0, 1.2))
        mirror = np.array([1.0, 1.0, 1.0]) if side is Side.RIGHT else np.array([-1.0, -1.0, 1.0])
        bends[2] += mirror * np.asarray(self.habits.go_along) * raised * (1.0 + arm.trunk)
        return bends.reshape(9)

    def _posture(self, side: Side, place: Floats, grip: Grip, trunk: Floats, *, placed: bool = False) -> Floats:
        posture = Scene._posture(self, side, place, grip, trunk, placed=placed)
        shoulder = self._shoulder(side, trunk)
        if grip.pointing[1] < DOWNWARDS:
            posture[SWIVEL] -= HANGING_HABIT * max(self.habits.swivel, 0.0)
        wrist = posture[WRIST] + self._outside(posture[WRIST], trunk)
        line = wrist - shoulder
        distance = float(np.linalg.norm(line))
        farthest = STRETCHED * self.body.arm
        posture[WRIST] = shoulder + line * min(1.0, farthest / max(distance, 1e-6))
        return posture

    def _outside(self, wrist: Floats, trunk: Floats) -> Floats:
        """What to add to a wrist (of a right arm) that lies inside the trunk."""
        other = sum((hand.trunk for hand in self.hands.values()), np.zeros(9)) if self.hands else np.zeros(9)
        top = landmark(self.body, trunk + self.recline + 0.5 * other, np.zeros(3))
        share = float(np.clip(wrist @ top / float(top @ top), -0.15, 0.97))
        off = (wrist - share * top) * np.array([1.0, 0.0, 1.0])
        axes = np.array([TRUNK_DEPTH, 1.0, TRUNK_WIDTH]) * self.body.girth**0.5
        inside = float(np.linalg.norm(off / axes))
        if inside >= 1.0 or share >= 0.97:
            return np.zeros(3)
        if off[0] < -0.3 * TRUNK_DEPTH:  # behind: out to the side
            return np.array([0.0, 0.0, axes[2] - off[2]])
        return np.array([axes[0] * np.sqrt(max(0.0, 1.0 - (off[2] / axes[2]) ** 2)) - off[0], 0.0, 0.0])

    def _detour(self, side: Side, start: Floats, end: Floats, trunk: Floats) -> Floats:
        """Round the own shoulder and round the trunk."""
        hump = Scene._detour(self, side, start, end, trunk)
        worst = np.zeros(3)
        for share in (0.25, 0.5, 0.75):
            bump = 4.0 * share * (1.0 - share)
            out = self._outside(start + share * (end - start) + bump * hump, trunk) / bump
            if np.linalg.norm(out) > np.linalg.norm(worst):
                worst = out
        return hump + worst


def elbow_turn(line: Floats) -> Floats:
    """What to add to the swivel of a right arm along these lines from shoulder to wrist (n, 3), rad.

    Swivel 0 of the body has places beside and below the shoulder where the elbow turns about quickly; at a table they
    are not met. Here swivel 0 is the elbow below a hand before the body, carried along without any turn about the arm
    to wherever the hand is.
    """
    along = line / np.linalg.norm(line, axis=-1, keepdims=True)
    axis = np.cross(BEFORE, along)
    cosine = np.maximum(along @ BEFORE, -0.98)[:, None]
    below = np.broadcast_to(BELOW, along.shape)
    carried = cosine * below + np.cross(axis, below) + axis * (axis @ BELOW)[:, None] / (1.0 + cosine)
    low, out = elbow_circle(along)
    turn = np.arctan2(np.sum(carried * out, axis=-1), np.sum(carried * low, axis=-1))
    return np.asarray(np.unwrap(turn))
