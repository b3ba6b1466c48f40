"""The `genagents` command: run a town, look at what happened, resume where it stopped."""

from genagents_env.cli.app import app, main

__all__ = ["app", "main"]
