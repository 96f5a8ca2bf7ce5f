"""Names of documents in session files."""

from __future__ import annotations

PATIENT, SIDE, PLAN, MODEL, SIMULATION = "patient", "side", "plan", "model", "simulation"
COUNTED_SIDE = "counting side"  # which arm a recount took for the trained one, where it was told so: {counting, side}
DOSE = "dose"  # what was done, once people have had their say
