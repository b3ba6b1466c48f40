"""The policy `solution`, and the base of those solutions that remember nothing."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from genagents_env.actions import Action
from genagents_env.errors import PolicyError
from genagents_env.percept import Percept
from genagents_env.policy import AgentID, Context, Infos, Observations, Policy, get_percept
from genagents_env.profile import Profile


class Solution(Policy):
    """Plays the episode of a task by the task's own solution, which is given with its context."""

    name = "solution"

    def reset(self, profiles: Mapping[AgentID, Profile], seed: int, context: Context) -> None:
        """Make the solution of this task, and begin with it.

        Raises:
            PolicyError: this is no episode of a task.
        """
        if context.make_solution is None:
            raise PolicyError(
                "policy 'solution': there is one in the episodes of a task alone (`genagents list "
                'tasks`): rollout(town_v0.rl_env("meet"), "solution")'
            )
        self._own: Policy = context.make_solution()
        self._own.reset(profiles, seed, context)

    def act(self, observations: Observations, infos: Infos) -> dict[AgentID, Action]:
        """Return for each agent what the solution does."""
        return self._own.act(observations, infos)


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
