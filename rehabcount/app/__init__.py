"""The only place where the pieces are joined: settings, logs, the command line."""

APP = "rehabcount"  # the name of our folders
