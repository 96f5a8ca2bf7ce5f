"""Checks that the values of a model card are possible; a ValueError otherwise.

The sums of an artifact show accidental changes only, because the author of an artifact also makes its sums. A wrong
card must fail here, not in the middle of a session. The bounds are far beyond any trained model, and well within the
means of a bedside computer.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rehabcount.domain.document import shown, to_document

if TYPE_CHECKING:
    from rehabcount.inference.card import Decoding, ModelCard

MOST_LABELS = 100  # StrokeRehab has five, JIGSAWS fifteen; the decoder's work grows with their square
LONGEST_NAME = 64  # characters of a model's name, a version or a label
LONGEST_TEXT = 10_000
LONGEST_WAIT_S = 60.0  # a window, a look-ahead or a lag: later feedback is useless
LONGEST_FRAME_S = 1.0  # movements last about as long
FASTEST_HZ = 1000.0
SCALES = (1e-12, 1e12)  # of a column; beyond, float32 overflows
MOST_IN_TENSOR = 1_000_000  # numbers; the largest that is shipped, a window of six seconds, has thirty thousand
MOST_CANDIDATES = 1_000_000  # the decoder remembers labels x lag x lag onsets; the shipped one five hundred
MOST_SPREAD = 100  # frames over which an onset is heard; training tries up to three
LARGEST_WEIGHT = 1000.0  # of the decoder's, and of a label's bonus: both are of the order of 1
VERSION = re.compile(r"[0-9A-Za-z]+([.+-][0-9A-Za-z]+)*")
# Control characters of terminals, and marks that change the direction of writing.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FREE = -1  # a length that may vary
Shape = tuple[int, ...]


def check(card: ModelCard) -> None:
    """ValueError with what is wrong in `card`, if anything is."""
    _check_texts("card", to_document(card))
    for what in ("name", "version"):
        _require(0 < len(getattr(card, what)) <= LONGEST_NAME, what, "1 to 64 characters", getattr(card, what))
    _require(bool(VERSION.fullmatch(card.version)), "version", "letters and digits such as 1.0", card.version)
    _require(0 < len(card.labels) <= MOST_LABELS, "labels", f"1 to {MOST_LABELS}", len(card.labels))
    _require(all(0 < len(label) <= LONGEST_NAME for label in card.labels), "labels", "names", card.labels)
    _require(bool(card.counted), "labels", "some that are counted", card.labels)
    _check_inputs(card)
    _check_times(card)
    _check_tensors(card)
    if card.decoding is not None:
        _check_decoding(card.decoding, card)
    for what, number in _amounts(card):
        _require(number >= 0, what, "0 or more", number)


def _require(holds: bool, what: str, must_be: str, found: Any) -> None:
    if not holds:
        raise ValueError(f"{what} must be {must_be}, not {shown(found)}")


def _check_texts(where: str, value: Any) -> None:
    if isinstance(value, str):
        _require(len(value) <= LONGEST_TEXT, where, f"{LONGEST_TEXT} characters at most", len(value))
        _require(not CONTROLS.search(value), where, "readable text", value)
    elif isinstance(value, dict):
        for key, each in value.items():
            _check_texts(f"{where}.{key}", each)
    elif isinstance(value, list):
        for each in value:
            _check_texts(where, each)


def _check_inputs(card: ModelCard) -> None:
    inputs = card.inputs
    _require(len(inputs.columns) > 0, "inputs.columns", "one or more", 0)
    _require(all(inputs.sensors), "inputs.sensors", "columns for each sensor", inputs.sensors)
    low, high = SCALES
    _require(all(low <= each <= high for each in inputs.scale), "inputs.scale", f"{low:g} to {high:g}", inputs.scale)
    _require(all(abs(each) <= high for each in inputs.mean), "inputs.mean", f"within {high:g}", inputs.mean)


def _check_times(card: ModelCard) -> None:
    _require(1.0 <= card.rate_hz <= FASTEST_HZ, "rate_hz", f"1 to {FASTEST_HZ:g}", card.rate_hz)
    _require(card.steps_per_frame >= 1, "steps_per_frame", "1 or more", card.steps_per_frame)
    _require(card.frame_s <= LONGEST_FRAME_S, "a frame", f"{LONGEST_FRAME_S:g} s at most", card.frame_s)
    _require(card.chunk_steps >= 0, "chunk_steps", "0 or more", card.chunk_steps)
    _require(card.chunk_steps % card.steps_per_frame == 0, "chunk_steps", "whole frames", card.chunk_steps)
    _require(card.margin_steps >= 0, "margin_steps", "0 or more", card.margin_steps)
    within = 2 * card.margin_steps < card.chunk_steps or card.margin_steps == 0
    _require(within, "margin_steps", f"within a window of {card.chunk_steps}", card.margin_steps)
    _require(card.lookahead_frames >= 0, "lookahead_frames", "0 or more", card.lookahead_frames)
    chunk_s = card.chunk_steps * card.inputs.frames_per_step / card.rate_hz
    lag_frames = card.decoding.lag_frames if card.decoding is not None else 1
    for what, seconds in (
        ("chunk_steps", chunk_s),
        ("lookahead_frames", card.lookahead_frames * card.frame_s),
        ("decoding.lag_frames", lag_frames * card.frame_s),
        ("delay_bound_s", card.delay_bound_s),
    ):
        _require(0 <= seconds <= LONGEST_WAIT_S, what, f"{LONGEST_WAIT_S:g} s at most", f"{seconds:g} s")


def _check_tensors(card: ModelCard) -> None:
    for tensor in (*card.network_inputs, *card.network_outputs):
        fixed = [length for length in tensor.shape if length != FREE]
        sound = all(length >= 1 for length in fixed) and math.prod(fixed) <= MOST_IN_TENSOR
        _require(sound, f"tensor {tensor.name}", f"{MOST_IN_TENSOR} numbers at most", tensor.shape)
    _check_shapes("network_inputs", (tensor.shape for tensor in card.network_inputs), _inputs_of(card))
    _check_shapes("network_outputs", (tensor.shape for tensor in card.network_outputs), _outputs_of(card))


def _check_shapes(what: str, found: Iterable[Shape], wanted: list[Shape]) -> None:
    shapes = list(found)
    fits = len(shapes) == len(wanted) and all(map(fits_shape, shapes, wanted))
    _require(fits, what, f"of shape {wanted}", shapes)


def fits_shape(shape: Shape, wanted: Shape) -> bool:
    """Whether the two shapes agree; a free length on either side agrees with any length."""
    return len(shape) == len(wanted) and all(a == b or FREE in (a, b) for a, b in zip(shape, wanted, strict=True))


def _inputs_of(card: ModelCard) -> list[Shape]:
    """Shapes as the bedside fills them."""
    rows = (1, card.chunk_steps or FREE, card.inputs.width)
    states = [tensor.shape for tensor in card.network_inputs[1:]]
    rest: dict[str, list[Shape]] = {"stream": states, "frames": [], "sequence": [(1,)]}
    if card.kind.value == "stream":
        _require(not any(FREE in state for state in states), "a state", "of one size", states)
    return [rows, *rest[card.kind.value]]


def _outputs_of(card: ModelCard) -> list[Shape]:
    """Shapes as the bedside reads them."""
    frames, labels = (card.chunk_steps // card.steps_per_frame) or FREE, len(card.labels)
    scores, of_each = (1, frames, labels), (1, frames)
    if card.kind.value == "stream":
        return [scores, of_each, *(tensor.shape for tensor in card.network_inputs[1:])]
    extra = [of_each] if len(card.network_outputs) == (3 if card.kind.value == "sequence" else 2) else []
    if card.kind.value == "sequence":
        _require(card.chunk_steps > 0, "chunk_steps", "1 or more", card.chunk_steps)
        return [(1, FREE, labels + 1), scores, *extra]
    _require(card.chunk_steps == 0, "chunk_steps", "0, which is any", card.chunk_steps)
    return [scores, *extra]


def _check_decoding(rule: Decoding, card: ModelCard) -> None:
    labels = len(card.labels)
    _require(rule.lag_frames >= 1, "decoding.lag_frames", "1 or more", rule.lag_frames)
    within = labels * (rule.lag_frames + 1) ** 2 <= MOST_CANDIDATES
    _require(within, "decoding.lag_frames", f"less for {labels} labels", rule.lag_frames)
    spread = rule.onset_spread
    _require(0 <= spread <= MOST_SPREAD, "decoding.onset_spread", f"0 to {MOST_SPREAD}", spread)
    for each in itertools.chain(rule.start, *rule.follow, *rule.durations):
        _require(each <= 0, "decoding", "log-probabilities, 0 or less", each)
    for what in ("frame_weight", "onset_weight", "transition_weight", "duration_weight"):
        weight = getattr(rule, what)
        _require(0 <= weight <= LARGEST_WEIGHT, f"decoding.{what}", f"0 to {LARGEST_WEIGHT:g}", weight)
    bias = rule.count_bias
    _require(all(abs(each) <= LARGEST_WEIGHT for each in bias), "decoding.count_bias", "of the order of 1", bias)
    known = all(0 <= each < labels for pair in rule.false_starts for each in pair)
    _require(known, "decoding.false_starts", f"pairs of the {labels} labels", rule.false_starts)
    rule.model()  # the shapes of its tables


def _amounts(card: ModelCard) -> Iterator[tuple[str, float]]:
    yield "evidence_people", card.evidence_people
    yield "training.people", card.training.people
    yield "training.trials", card.training.trials
    yield "training.hours", card.training.hours
    yield "parity.windows", card.parity.windows
