"""One module per command. Each loads what it needs inside its function, so that `rehabcount --help` stays quick."""
