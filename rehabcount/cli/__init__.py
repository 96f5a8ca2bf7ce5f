"""The command line: commands and their output in the terminal. The session runtime is in `bedside`."""
