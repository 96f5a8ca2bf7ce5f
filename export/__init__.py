"""rehabcount.export: from a fitted network to a verified artifact."""

if __name__ != "rehabcount.export":
    raise ImportError("import this package as rehabcount.export; see ARCHITECTURE.md, Packaging")
