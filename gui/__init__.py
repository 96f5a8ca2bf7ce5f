"""rehabcount.gui: the therapist's window; the only place that imports PyQt6."""

if __name__ != "rehabcount.gui":
    raise ImportError("import this package as rehabcount.gui; see ARCHITECTURE.md, Packaging")
