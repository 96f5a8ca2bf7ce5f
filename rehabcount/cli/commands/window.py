"""`rehabcount` alone: the therapist's window."""

from __future__ import annotations


def open_window(screen: str = "home") -> int | None:
    """Open the window at that screen and stay until it is closed; the exit code, None where there is no display."""
    from rehabcount.gui.start import has_display

    if not has_display():
        return None
    from rehabcount.gui.start import run

    return run(screen)
