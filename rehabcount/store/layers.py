"""Layers of labels: each is one annotator's, or one kind of label. People name their own; these names are ours."""

from __future__ import annotations

from typing import NewType

Layer = NewType("Layer", str)

REFERENCE = Layer("reference")  # what was done in truth, where that is known; kept in the session file
COUNTED, CORRECTED = Layer("counted"), Layer("corrected")  # exported: what the recogniser said, and with corrections
