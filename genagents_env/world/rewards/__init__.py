"""Rewards by name. A reward turns what happened in a tick into one number for each agent.

| name | each tick, for each agent |
|---|---|
| none | 0 |
| attendance | the seconds of the tick, in hours, spent at a gathering while it goes on |
| knowledge_spread | the number of people who heard a fact first from this agent |
| errand | 1 when its object gets into its state by its own hand; -step_cost until then |
| goals | what its goals are worth when they are achieved; -step_cost until all are; see `goals` |
| success | by how much the share of the scenario's successes that hold has grown; see `success` |
| company | being at a place of its goals in time, times the part of the others who are there |
| occupancy | being at a place of its goals: 1 / need, less when it has been there long enough |
| public_goods | being at a place of its goals; what is earned at the common one is divided |

`errand` and `goals` and the three after `success` pay for `reward.goals`; they may be shaped (see
`shaping`) and shared.
"""

from collections.abc import Callable

from genagents_env.errors import ConfigError
from genagents_env.scenario.schema import GOAL_REWARDS, PRESENCE_REWARDS
from genagents_env.scenario.truth import list_decidable
from genagents_env.world.rewards.goals import GoalsReward
from genagents_env.world.rewards.presence import CompanyReward, OccupancyReward, PublicGoodsReward
from genagents_env.world.rewards.reward import (
    AttendanceReward,
    CallableReward,
    EpisodeReward,
    KnowledgeSpreadReward,
    RewardFunction,
)
from genagents_env.world.rewards.success import SuccessReward
from genagents_env.world.world import World

__all__ = ["REWARDS", "CallableReward", "EpisodeReward", "RewardFunction", "make_reward"]

REWARDS: dict[str, Callable[[World], EpisodeReward]] = {
    "none": CallableReward,
    "attendance": AttendanceReward,
    "knowledge_spread": KnowledgeSpreadReward,
    "errand": GoalsReward,
    "goals": GoalsReward,
    "success": SuccessReward,
    "company": CompanyReward,
    "occupancy": OccupancyReward,
    "public_goods": PublicGoodsReward,
}


def make_reward(world: World, override: str | RewardFunction | None) -> EpisodeReward:
    """Return the reward of a world's scenario, or the one named or given instead.

    Raises:
        ConfigError: there is no reward of that name, or the scenario lacks what it pays for.
    """
    if callable(override):
        return CallableReward(world, override)
    name = override or world.scenario.reward.name
    if name not in REWARDS:
        raise ConfigError(f"reward: no {name!r}; allowed: {', '.join(REWARDS)}, or a callable")
    declared = world.scenario.reward
    if name == "errand" and not declared.errands:
        raise ConfigError("reward: 'errand' needs a scenario that declares reward.errands")
    if name == "success" and not list_decidable(world.scenario):
        raise ConfigError(
            "reward: 'success' needs a scenario with a success that no interview decides"
        )
    if name in GOAL_REWARDS and not declared.list_goals():
        raise ConfigError(f"reward: {name!r} needs a scenario that declares reward.goals")
    if name == "public_goods" and declared.common is None:
        raise ConfigError("reward: 'public_goods' needs a scenario that declares reward.common")
    if name in PRESENCE_REWARDS and any(goal.kind != "be" for goal in declared.list_goals()):
        raise ConfigError(f"reward: {name!r} pays for goals of the kind `be` alone")
    if name == "company" and any(goal.end is None for goal in declared.goals):
        raise ConfigError("reward: 'company' needs goals with a `start` and an `end`")
    return REWARDS[name](world)
