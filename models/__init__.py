"""rehabcount.models: everything that is fitted: one network per file, one plain training loop."""

if __name__ != "rehabcount.models":
    raise ImportError("import this package as rehabcount.models; see ARCHITECTURE.md, Packaging")
