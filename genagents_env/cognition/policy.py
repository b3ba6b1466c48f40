"""A policy of minds: one for each agent, whose model calls are under way together."""

import asyncio
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from genagents_env.actions import Action
from genagents_env.cognition.thinking import CallScheduler
from genagents_env.cognition.thought import Mind
from genagents_env.percept import Percept
from genagents_env.policy import Infos, Observations, Policy

M = TypeVar("M", bound=Mind)


class MindPolicy(Policy, Generic[M]):
    """Lives all minds at once; a subclass makes them in `reset`, and says how one lives a tick.

    Attributes:
        minds: by agent.
        thinking: their model calls.
    """

    minds: dict[str, M]
    scheduler: CallScheduler[M]

    async def decide(self, mind: M, percept: Percept) -> Action:
        """Return what one does now."""
        raise NotImplementedError

    async def act_async(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        """Return an action for each agent; needs `infos[agent]["percept"]`.

        When a call ends the run (budget, outage), all calls of the tick are awaited first, so
        that what was answered is in the cassette when the run goes on from its checkpoint.
        """
        agents = list(observations)
        outcomes = await asyncio.gather(
            *(self.decide(self.minds[agent], infos[agent]["percept"]) for agent in agents),
            return_exceptions=True,
        )
        actions: dict[str, Action] = {}
        for agent, outcome in zip(agents, outcomes, strict=True):
            if isinstance(outcome, BaseException):
                raise outcome
            actions[agent] = outcome
        return actions

    async def settle(self) -> None:
        """Await the calls under way, so that they are stored; nothing is applied."""
        await self.scheduler.settle(self.minds)

    def state(self) -> dict[str, Any]:
        """Return every mind."""
        for mind in self.minds.values():
            self.scheduler.store_replies(mind)
        return {agent: mind.state() for agent, mind in self.minds.items()}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from `state`."""
        for agent, mind in self.minds.items():
            mind.load_state(state[agent])
