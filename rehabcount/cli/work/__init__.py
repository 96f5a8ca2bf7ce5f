"""What each command does: a request and its worker, one module a command.

A module here loads what its command needs when it is imported. So the thin functions in `cli/commands` import it
inside, after typer has read the command line; tests import it at the top.
"""
