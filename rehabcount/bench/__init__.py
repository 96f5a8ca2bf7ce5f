"""Experiments: what was asked, how it was measured, what came out, beside what was published."""
