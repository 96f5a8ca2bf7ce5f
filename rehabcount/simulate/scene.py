"""A scene: a person at a table, and the movements of both hands in order.

A script (activities.py, other.py) calls verbs: `reach`, `carry`, `retreat`, `hold`, `wait`, `sync`. Each arm has its
own clock; `sync` lets one hand wait for the other. Verbs append Moves. What an arm does between its moves follows
from what it holds: with an object in the hand it stabilizes, without one it idles.

Positions are metres in room axes from the hip centre (x forward, y up, z right). Scripts say "this arm" and "outwards";
the scene mirrors what a left arm does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.labels import REACH, REPOSITION, TRANSPORT
from rehabcount.domain.rig import Side
from rehabcount.simulate.body import ARM_WIDTH, WRIST, Body, landmark, mirrored, shoulder_at
from rehabcount.simulate.impairment import Impairment
from rehabcount.simulate.movement import MOTION_RATE_HZ, split_movement
from rehabcount.simulate.moves import GOES_ON, IN_THE_AIR, SET_DOWN, Landing, Manner, Move, NamedSpan, Trace, Wiggle
from rehabcount.simulate.posture import REST, SIDE, Grip

# Share of a forward lean that each part of the trunk takes: pelvis, lumbar, thorax.
LEAN_SHARES = np.array([0.35, 0.40, 0.25])
FADING = 0.14  # share of the last submovement that is too slow to be seen
SKEW_TAKES = 0.35  # a slow arrival takes time; without this an early peak would mean a jerk at the start
FIDGET_M, FIDGET_RAD = 0.010, 0.10  # of an arm that waits: a centimetre, a few degrees of the hand
HALT_SHARE = (0.3, 0.7)  # of its way that a movement has covered when it stops
CLOSEST, CLEARANCE = 0.43, 0.52  # of arm length: how near a wrist gets to its shoulder at a goal, and on the way


@dataclass(frozen=True, slots=True)
class Habits:
    """How one person does things; drawn once per subject."""

    pace: float = 1.0  # movement times against the average
    haste: float = 1.0  # waiting times against the average
    lift_m: float = 0.03  # how high the hand travels above a straight line
    contact: float = 1.0  # how hard things are put down
    swivel: float = 0.0  # elbow out more than the average (rad)
    pronation: float = 0.0  # palm down more than the average (rad)
    go_along: tuple[float, float, float] = (0.03, -0.06, 0.05)  # turn of the chest (rad) with a hand raised to the face
    variants: tuple[float, ...] = (0.5,) * 8  # preferences (0..1) that scripts consult by number


@dataclass(frozen=True, slots=True)
class Furniture:
    """The furniture: table height above the hips, where hands rest and things stand; metres, room axes."""

    table: float = 0.20
    rest_forward: float = 0.46
    rest_outward: float = 0.24
    near: float = 0.36  # working row
    far: float = 0.48  # back row
    spacing: float = 0.14
    shelf: tuple[float, float] = (0.33, 0.53)  # boards above the table
    shelf_forward: float = 0.47
    ring: float = 0.2425  # radius of the target array


@dataclass(slots=True)
class _Hand:
    at: float
    posture: Floats
    trunk: Floats
    holding: bool = False
    supported: bool = True
    load_kg: float = 0.0
    home: bool = True  # lies where it rests


@dataclass(slots=True)
class Scene:
    """Collects what happens. The only mutable thing of the simulation; it lives while a script runs."""

    body: Body
    arms: dict[Side, Impairment]
    habits: Habits
    layout: Furniture
    rng: np.random.Generator
    main: Side = Side.RIGHT  # the arm that does the skilled part
    tempo: float = 1.0  # movement times against those of a single drink in a laboratory
    moves: list[Move] = field(default_factory=list)
    wiggles: list[Wiggle] = field(default_factory=list)
    traces: list[Trace] = field(default_factory=list)
    stretches: list[NamedSpan] = field(default_factory=list)
    releases: list[tuple[Side, float]] = field(default_factory=list)
    hands: dict[Side, _Hand] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for side in Side:
            posture = self._posture(side, self.rest_place(side), REST, trunk=np.zeros(9))
            self.hands[side] = _Hand(0.0, posture, np.zeros(9))

    # Places ---------------------------------------------------------------------------------------------------------

    @property
    def minor(self) -> Side:
        return self.main.other

    @property
    def now(self) -> float:
        return max(hand.at for hand in self.hands.values())

    def rest_place(self, side: Side) -> Floats:
        layout = self.layout
        return self.spot(side, layout.rest_forward, layout.rest_outward, 0.03)

    def spot(self, side: Side | None, forward: float, outward: float, height: float = 0.06) -> Floats:
        """A place on the table: `outward` from the middle towards that side (None: to the right)."""
        sign = -1.0 if side is Side.LEFT else 1.0
        return np.array([forward, self.layout.table + height, sign * outward])

    def on_body(self, place: Floats, side: Side, forward: float = 0.0) -> Floats:
        """A landmark of head or trunk on that arm's side, `forward` metres before it."""
        point = place * self.body.stature + np.array([forward, 0.0, 0.0])
        trunk = sum((hand.trunk for hand in self.hands.values()), np.zeros(9))
        return landmark(self.body, trunk, point if side is Side.RIGHT else mirrored(point))

    def preference(self, number: int, threshold: float = 0.5) -> bool:
        """Does this person do it the one way (mostly)? People are not quite consistent."""
        lean = self.habits.variants[number % len(self.habits.variants)]
        return bool(self.rng.random() < 0.15 + 0.7 * (lean > threshold))

    # Time -----------------------------------------------------------------------------------------------------------

    def sync(self, *, slack_s: float = 0.0) -> None:
        """Both hands wait for the later one."""
        latest = self.now
        for hand in self.hands.values():
            hand.at = latest + (abs(float(self.rng.normal(0, slack_s))) if slack_s else 0.0)

    def settle(self, pause_s: float) -> None:
        """Both hands wait until the last of every movement has faded, and `pause_s` more."""
        faded = max((move.start_s + 1.1 * move.parts.end_s for move in self.moves), default=0.0)
        for hand in self.hands.values():
            hand.at = max(self.now, faded) + pause_s
        self.sync()

    def wait(self, side: Side, mean_s: float) -> None:
        """Stay: idle without an object, stabilize with one. The time varies with person and moment."""
        arm = self.arms[side]
        factor = arm.pause * self.habits.haste * float(np.exp(self.rng.normal(0.0, 0.45)))
        # Now and then a person pauses for longer.
        lapse = float(self.rng.exponential(2.5)) if self.rng.random() < 0.03 * arm.pause else 0.0
        if self.rng.random() < arm.restless:
            self._fidget(side, mean_s * factor + lapse)
        self.hands[side].at += mean_s * factor + lapse

    def stay(self, side: Side, length_s: float) -> None:
        """Stay for exactly that long; with less than nothing the next movement begins while this one fades."""
        self.hands[side].at += length_s

    # Verbs ----------------------------------------------------------------------------------------------------------

    def reach(
        self,
        side: Side,
        place: Floats,
        grip: Grip = SIDE,
        *,
        lift_m: float | None = None,
        load_kg: float = 0.2,
        contact: float = 0.6,
        quick: float = 1.0,
    ) -> None:
        """Move to an object and take hold of it. The hand may miss or fail to close, and try again."""
        arm = self.arms[side]
        tries = 0
        while tries < 3 and self.rng.random() < arm.failure:
            tries += 1
            near_miss = place + self.rng.normal(0.0, 0.02, 3) - 0.015 * np.array([1.0, 0.0, 0.0])
            missing = Manner(lift_m, contact=0.4 * contact, after_s=arm.fumble_s, quick=quick)
            self._move(side, near_miss, grip, REACH.name, missing)
            if self.rng.random() < 0.55:
                back = place + np.array([-0.05, 0.02, 0.0]) + self.rng.normal(0, 0.02, 3)
                self._move(side, back, grip, REPOSITION.name, Manner(0.01, quick=0.9))
            self.wait(side, 0.35)
        taking = Manner(lift_m, contact, holding=True, after_s=arm.fumble_s, load_kg=load_kg, quick=quick)
        self._move(side, place, grip, REACH.name, taking)

    def carry(
        self,
        side: Side,
        place: Floats,
        grip: Grip = SIDE,
        *,
        lift_m: float | None = None,
        landing: Landing = IN_THE_AIR,
        quick: float = 1.0,
        skew: float = 1.3,
    ) -> None:
        """Carry the held object to a place; it stays in the hand."""
        load_kg = self.hands[side].load_kg
        contact, supported, after_s = landing.contact, landing.supported, landing.after_s
        carrying = Manner(lift_m, contact, True, supported, after_s, load_kg, quick, skew)
        self._move(side, place, grip, TRANSPORT.name, carrying)

    def put(
        self, side: Side, place: Floats, grip: Grip = SIDE, *, lift_m: float | None = None, quick: float = 1.0
    ) -> None:
        """Carry the held object to a place, set it down and let go."""
        self.carry(side, place, grip, lift_m=lift_m, landing=SET_DOWN, quick=quick)
        self.let_go(side)

    def let_go(self, side: Side) -> None:
        """Open the hand where it is."""
        hand = self.hands[side]
        hand.at += 0.05 + 0.5 * self.arms[side].fumble_s
        hand.holding, hand.load_kg = False, 0.0
        self.releases.append((side, hand.at))

    def retreat(self, side: Side, place: Floats | None = None, grip: Grip = REST, *, quick: float = 1.0) -> None:
        """The empty hand goes back to rest, or near its next object."""
        spread = self.rng.normal(0.0, 0.018, 3) * np.array([1.0, 0.1, 1.0])
        home = place is None
        target = (self.rest_place(side) if place is None else place) + spread
        manner = Manner(contact=0.5 if home else 0.0, supported=home, quick=quick, skew=1.6)
        self._move(side, target, grip, REPOSITION.name, manner)
        self.hands[side].home = home

    def go_on(self, side: Side, place: Floats, grip: Grip = REST, *, quick: float = 1.0) -> None:
        """The hand shifts a little at rest; observers do not count this as a movement."""
        trunk = self._lean(side, place)
        goal = self._posture(side, place, grip, trunk)
        self._travel(side, goal, trunk, GOES_ON, Manner(supported=True, quick=quick))
        self.hands[side].home = True

    def pose(
        self,
        side: Side,
        place: Floats,
        grip: Grip,
        label: str,
        *,
        quick: float = 1.0,
        supported: bool = False,
        upright: bool = False,
    ) -> None:
        """Any other movement of an empty hand."""
        manner = Manner(0.01, supported=supported, quick=quick)
        self._move(side, place, grip, label, manner, upright=upright)

    def wiggle(
        self, side: Side, length_s: float, frequency_hz: float, amplitude: Sequence[float], irregularity: float = 0.15
    ) -> None:
        """Lay a rhythm over the next `length_s` of this arm without changing its state."""
        hand = self.hands[side]
        arm = self.arms[side]
        shrink = 1.0 / (1.0 + 0.5 * (arm.slowness - 1.0))
        self.wiggles.append(
            Wiggle(
                side,
                hand.at,
                hand.at + length_s,
                frequency_hz * shrink,
                np.asarray(amplitude, float),
                irregularity,
                float(self.rng.uniform(0, 2 * np.pi)),
            )
        )

    def trace(self, side: Side | None, values: Floats) -> None:
        """Lay a path over this arm, or over root and trunk, from its present time on. Takes the time it lasts."""
        start = self.now if side is None else self.hands[side].at
        self.traces.append(Trace(side, start, values))
        for which in Side if side is None else (side,):
            self.hands[which].at = start + len(values) / MOTION_RATE_HZ

    def mark(self, kind: str, name: str, start_s: float) -> None:
        """Everything since `start_s` was this."""
        self.stretches.append(NamedSpan(kind, name, start_s, self.now))

    def follow(self, channels: Floats) -> None:
        """What hands do because the trunk moved; here they stay where they are, on the table."""

    # Inside ---------------------------------------------------------------------------------------------------------

    def _fidget(self, side: Side, length_s: float) -> None:
        """Small shifts of the waiting arm, which stays where it is; they have no label."""
        amplitude = np.zeros(ARM_WIDTH)
        amplitude[WRIST] = self.rng.normal(0.0, FIDGET_M, 3) * np.array([1.0, 0.5, 1.0])
        amplitude[4:7] = self.rng.normal(0.0, FIDGET_RAD, 3)
        self.wiggle(side, length_s, float(self.rng.uniform(0.4, 1.3)), amplitude.tolist(), irregularity=0.5)

    def _move(
        self, side: Side, place: Floats, grip: Grip, label: str, manner: Manner, *, upright: bool = False
    ) -> None:
        trunk = np.zeros(9) if upright else self._lean(side, place)
        goal = self._posture(side, place, grip, trunk, placed=upright)
        if not upright:
            self._halt(side, goal, trunk, label, manner)
        self._travel(side, goal, trunk, label, manner)

    def _halt(self, side: Side, goal: Floats, trunk: Floats, label: str, manner: Manner) -> None:
        """Now and then an arm stops on its way: two movements and a pause instead of one."""
        arm, hand = self.arms[side], self.hands[side]
        distance = float(np.linalg.norm(goal[WRIST] - hand.posture[WRIST]))
        if self.rng.random() >= arm.halting * min(1.0, distance / 0.25):
            return
        share = float(self.rng.uniform(*HALT_SHARE))
        midway = hand.posture + share * (goal - hand.posture)
        lean = hand.trunk + share * (trunk - hand.trunk)
        there = Manner(manner.lift_m, holding=hand.holding, load_kg=hand.load_kg, quick=manner.quick)
        self._travel(side, midway, lean, label, there)
        self.wait(side, 0.4)

    def _travel(self, side: Side, goal: Floats, trunk: Floats, label: str, manner: Manner) -> None:
        arm, hand, rng = self.arms[side], self.hands[side], self.rng
        distance = float(np.linalg.norm(goal[WRIST] - hand.posture[WRIST]))
        turning = float(np.abs(goal[4:7] - hand.posture[4:7]).max())
        length = movement_time(distance, turning, manner.load_kg) * self.tempo * self.habits.pace
        length = length * arm.slowness / manner.quick
        length *= float(np.exp(rng.normal(0.0, 0.12)))
        corrections = arm.corrections * (0.35 + distance / 0.45)
        skew = min(manner.skew * arm.tail * float(np.exp(rng.normal(0, 0.08))), 2.2)
        length *= 1.0 + SKEW_TAKES * (skew - 1.0)
        parts = split_movement(length, corrections, arm.evenness, arm.overlap, skew, rng)
        count = len(parts.weight)
        wander = rng.normal(0.0, arm.wander_m * min(1.0, 0.3 + distance / 0.25), (count, 3))
        wander -= wander.mean(axis=0)
        lift = self.habits.lift_m if manner.lift_m is None else manner.lift_m
        lift *= float(np.exp(rng.normal(0, 0.25))) * min(1.0, distance / 0.2)
        hump = np.array([0.0, lift, 0.0]) + self._detour(side, hand.posture[WRIST], goal[WRIST], trunk)
        # The next movement may begin while the tail of this one fades: people do not stop between two steps of a habit.
        last = float(parts.length_s[int(np.argmax(parts.start_s + parts.length_s))])
        end = hand.at + parts.end_s - FADING * last + manner.after_s * float(np.exp(rng.normal(0.0, 0.3)))
        strength = 0.0
        if manner.contact:
            strength = manner.contact * self.habits.contact * float(np.exp(rng.normal(-0.2, 0.6)))
        self.moves.append(
            Move(
                side,
                label,
                hand.at,
                parts,
                end,
                hand.posture,
                goal,
                hump,
                wander,
                hand.trunk,
                trunk,
                arm.trunk_lead_s,
                strength,
                manner.holding,
                manner.supported,
                manner.load_kg,
            )
        )
        self.hands[side] = _Hand(end, goal, trunk, manner.holding, manner.supported, manner.load_kg, home=False)

    def _shoulder(self, side: Side, trunk: Floats) -> Floats:
        """This arm's shoulder, as a right one, when its own lean is `trunk`."""
        place = shoulder_at(self.body, trunk + (self.hands[side.other].trunk if self.hands else 0.0), side)
        return place if side is Side.RIGHT else mirrored(place)

    def _detour(self, side: Side, start: Floats, end: Floats, trunk: Floats) -> Floats:
        """Hands go round their own shoulder, not past it: what to add to the middle of a way that comes too close."""
        shoulder = self._shoulder(side, (trunk + self.hands[side].trunk) / 2)
        way = end - start
        share = float(np.clip((shoulder - start) @ way / max(float(way @ way), 1e-9), 0.2, 0.8))
        line = start + share * way - shoulder
        distance = float(np.linalg.norm(line))
        lacking = CLEARANCE * self.body.arm - distance
        return line / max(distance, 1e-6) * lacking if lacking > 0 else np.zeros(3)

    def _lean(self, side: Side, place: Floats) -> Floats:
        """How the trunk moves with a hand at that place: what the arm cannot reach alone, or prefers not
        like to."""
        arm = self.arms[side]
        line = place - shoulder_at(self.body, np.zeros(9), side)
        distance = float(np.linalg.norm(line)) - 1.4 * self.body.hand  # to the wrist
        length = self.body.arm
        need = max(0.0, distance - arm.range * length) + arm.trunk * max(0.0, distance - 0.65 * length)
        need = min(need * float(np.exp(self.rng.normal(0.0, 0.2))), 0.22, max(0.0, distance - 0.5 * length))
        flat = np.array([line[0], line[2]]) / max(float(np.hypot(line[0], line[2])), 0.05)
        flat = np.clip(flat, -1.0, 1.0)
        height = 0.92 * self.body.shoulder_height
        forward, sideways = need * max(flat[0], 0.2) / height, need * flat[1] / height
        twist = 0.35 * forward * (1.0 if side is Side.RIGHT else -1.0)
        bends = LEAN_SHARES[:, None] * np.array([sideways, twist, -forward])
        raised = float(np.clip((place[1] - self.layout.table) / 0.35, 0.0, 1.2))
        mirror = np.array([1.0, 1.0, 1.0]) if side is Side.RIGHT else np.array([-1.0, -1.0, 1.0])
        bends[2] += mirror * np.asarray(self.habits.go_along) * raised * (1.0 + arm.trunk)
        return bends.reshape(9)

    def _posture(self, side: Side, place: Floats, grip: Grip, trunk: Floats, *, placed: bool = False) -> Floats:
        arm, rng = self.arms[side], self.rng
        synergy = 0.0 if placed else arm.synergy  # a therapist who places the arm sees to its posture
        point = place if side is Side.RIGHT else mirrored(place)
        pointing = np.asarray(grip.pointing) / np.linalg.norm(grip.pointing)
        wrist = point - self.body.hand * 1.6 * pointing
        line = wrist - self._shoulder(side, trunk)
        distance = float(np.linalg.norm(line))
        if distance < CLOSEST * self.body.arm:
            wrist = wrist + line / distance * (CLOSEST * self.body.arm - distance)
        raised = float(np.clip((wrist[1] - self.layout.table) / 0.35, 0.0, 1.0))
        posture = np.empty(ARM_WIDTH)
        posture[:3] = wrist
        posture[3] = grip.swivel + self.habits.swivel + rng.normal(0, 0.06) + 1.1 * synergy * raised
        posture[4] = grip.pronation * (1.0 - 0.3 * min(synergy, 0.6)) + self.habits.pronation + rng.normal(0, 0.07)
        posture[5] = grip.flexion + 0.6 * synergy + rng.normal(0, 0.05)
        posture[6] = grip.deviation + rng.normal(0, 0.03)
        posture[7] = arm.hike_m * (0.25 + raised)
        return posture


def movement_time(distance_m: float, turning_rad: float, load_kg: float) -> float:
    """Seconds a healthy person takes at a relaxed pace: grows with the root of the way; turning the hand takes time
    too."""
    way = 0.35 + 1.35 * float(np.sqrt(distance_m))
    return max(way, 0.30 + 0.42 * float(np.sqrt(turning_rad))) * (1.0 + 0.06 * load_kg)
