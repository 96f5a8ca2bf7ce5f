"""rehabcount.inference: running a trained network at the bedside, without torch."""
