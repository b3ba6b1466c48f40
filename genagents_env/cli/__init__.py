"""The `genagents` command: live a town, look at what happened, go on where it stopped."""

from .app import app, main

__all__ = ["app", "main"]
