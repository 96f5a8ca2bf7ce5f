"""The walk from packets to counts."""
