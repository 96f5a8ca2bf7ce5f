"""The session runtime, neither window nor terminal: settings, sources, set-up, the session, the state of its screen."""

APP = "rehabcount"  # the name of our folders
