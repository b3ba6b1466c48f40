"""The `genagents` command: live a town, look at what happened, go on where it stopped."""

from genagents_env.cli.app import app, main

__all__ = ["app", "main"]
