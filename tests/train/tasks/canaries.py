"""Canaries: what was done in an episode of each task, and what everybody earned by it, exactly.

Who changes a rule, a reward or a task sees by them whose episodes it changed:
`python -m tests.train.tasks.canaries [TASK ...]` writes them anew. A cheat says what it does not
know, word for word, and uses what it is nowhere near: it has to earn no more than chance.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import astuple
from pathlib import Path
from typing import Any

from genagents_env import town_v0
from genagents_env.actions import Action, Idle, Interact, Move, Talk
from genagents_env.policy import Context, Infos, Observations, Policy
from genagents_env.profile import Profile
from genagents_env.run.policies import load_policy
from genagents_env.train.tasks import HELD_OUT, TASKS, TaskEnv

FILE = Path(__file__).with_suffix(".json")
SEED = HELD_OUT[3]
POLICIES = ("solution", "random", "idle", "cheat")
_KINDS = {kind.__name__: kind for kind in (Move, Talk, Interact, Idle)}
Lived = list[dict[str, Any]]  # by tick, of those who do something else than in the tick before


class Cheat(Policy):
    """Reads the town's own objects: says facts of others, and reaches for the things of goals."""

    name = "cheat"

    def __init__(self, env: TaskEnv) -> None:
        self._env = env

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        self._tick = 0

    def act(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        self._tick += 1
        return {agent: self._decide(agent) for agent in observations}

    def _decide(self, agent: str) -> Action:
        world, board = self._env.world, self._env.parts.reward.board
        i = self._env.possible_agents.index(agent)
        known = world.state.facts[i]
        said = [s for f, s in enumerate(world.town.people.statements) if not known >> f & 1]
        things = [goal for goal in board.goals[i] if goal.object is not None]
        if things and (self._tick % 2 or not said):
            goal = things[0]
            return Interact(goal.object or "", goal.state or goal.person or "")
        return Talk(None, said[self._tick // 2 % len(said)]) if said else Idle()


def live(task: str, policy: str) -> tuple[Lived, dict[str, float]]:
    env = town_v0.rl_env(task, actions="words", percepts=True)
    observations, infos = env.reset(seed=SEED)
    own = Cheat(env) if policy == "cheat" else load_policy(policy)
    own.reset(env.profiles(), SEED, env.context())
    lived: Lived = []
    before: dict[str, Any] = {}
    earned = dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        actions = own.act(observations, infos)
        done = {agent: encode(action) for agent, action in actions.items()}
        lived.append({agent: one for agent, one in done.items() if before.get(agent) != one})
        before |= done
        observations, rewards, _, _, infos = env.step(actions)
        for agent, reward in rewards.items():
            earned[agent] += reward
    return lived, earned


def repeat(task: str, lived: Lived) -> dict[str, float]:
    env = town_v0.rl_env(task, actions="words")
    env.reset(seed=SEED)
    actions: dict[str, Any] = {}
    earned = dict.fromkeys(env.possible_agents, 0.0)
    for tick in lived:
        actions |= {agent: decode(one) for agent, one in tick.items()}
        _, rewards, _, _, _ = env.step(actions)
        for agent, reward in rewards.items():
            earned[agent] += reward
    assert not env.agents
    return earned


def encode(action: Any) -> Any:
    """Return an action as JSON: a choice of the menu, or a name and its fields."""
    if isinstance(action, Mapping):
        return action["choice"]
    return [type(action).__name__, *astuple(action)]


def decode(encoded: Any) -> Any:
    if isinstance(encoded, int):
        return {"choice": encoded, "message": "Hello!"}
    name, *parts = encoded
    return _KINDS[name](*parts)


def load_canaries() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(FILE.read_text()) if FILE.is_file() else {}
    return found


def main(tasks: list[str]) -> None:
    known = load_canaries()
    for task in tasks or TASKS:
        known[task] = {}
        for policy in POLICIES:
            lived, earned = live(task, policy)
            known[task][policy] = {"lived": lived, "returns": earned}
    lines = [
        f"{json.dumps(task)}: {json.dumps(own, separators=(',', ':'))}"
        for task, own in known.items()
    ]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
