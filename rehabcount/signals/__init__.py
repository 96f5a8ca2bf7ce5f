"""Arithmetic on motion: no input or output, no clock of its own. Each stage is an array kernel and a stream."""
