"""The town that an episode of learning takes place in: a scenario."""

from pathlib import Path
from typing import TypeAlias

from genagents_env.config import TownConfig
from genagents_env.env import TownEnv
from genagents_env.scenario import Scenario

TownChoice: TypeAlias = str | Path | Scenario | TownConfig


def make_town(choice: TownChoice, seed: int) -> TownEnv:
    """Return the town of an episode, with actions in words; a task draws it from the seed."""
    return TownEnv(choice)
