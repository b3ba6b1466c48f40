"""Scripted solutions that remember nothing: what is best follows from what one perceives now."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from genagents_env.actions import Action
from genagents_env.percept import Percept
from genagents_env.policy import AgentID, Context, Infos, Observations, Policy, get_percept
from genagents_env.profile import Profile


class PerceptSolution(Policy, ABC):
    """Decides for each agent by its percept alone."""

    def reset(self, profiles: Mapping[AgentID, Profile], seed: int, context: Context) -> None:
        """Nothing to begin: all that counts stands in the percept."""

    def act(self, observations: Observations, infos: Infos) -> dict[AgentID, Action]:
        """Return for each agent the next step."""
        return {agent: self.decide(get_percept(infos, agent)) for agent in observations}

    @abstractmethod
    def decide(self, percept: Percept) -> Action:
        """Return the next step of whoever perceives this."""
