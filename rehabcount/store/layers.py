"""Layers of labels: one annotator's labels, or one kind of label. Users name further layers."""

from __future__ import annotations

from typing import NewType

Layer = NewType("Layer", str)

REFERENCE = Layer("reference")  # the true movements, if they are known; kept in the session file
COUNTED, CORRECTED = (
    Layer("counted"),
    Layer("corrected"),
)  # exported: the recogniser's, and with corrections
STEPS_LAYER = Layer("exercise steps")  # found by `rehabcount discover` or in the review; later ones have a number
