"""The session runtime, used by window and terminal: settings, sources, set-up, the session, the state of its screen."""

APP = "rehabcount"  # the name of our folders
