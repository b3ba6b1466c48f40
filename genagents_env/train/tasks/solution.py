"""The policy `solution`, and the base of solutions."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from genagents_env.actions import Action, Idle, Move
from genagents_env.errors import PolicyError
from genagents_env.percept import OwnGoal, Percept
from genagents_env.policy import AgentID, Context, Infos, Observations, Policy, get_percept
from genagents_env.profile import Profile


class Solution(Policy):
    """Plays the episode of a task by the task's own solution, which is given with its context.

    Args:
        options: of that solution, as the task's page names them.
    """

    name = "solution"

    def __init__(self, **options: object) -> None:
        self._options = options

    def reset(self, profiles: Mapping[AgentID, Profile], seed: int, context: Context) -> None:
        """Make the solution of this task, and begin with it.

        Raises:
            PolicyError: this is no episode of a task, or its solution has no such option.
        """
        if context.make_solution is None:
            raise PolicyError(
                "policy 'solution': there is one in the episodes of a task alone (`genagents list "
                'tasks`): rollout(town_v0.rl_env("meet"), "solution")'
            )
        try:
            self._own: Policy = context.make_solution(**self._options)
        except TypeError as error:
            raise PolicyError(
                f"policy 'solution': {error}; docs/tasks says what each task's takes"
            ) from None
        self._own.reset(profiles, seed, context)

    def act(self, observations: Observations, infos: Infos) -> dict[AgentID, Action]:
        """Return for each agent what the solution does."""
        return self._own.act(observations, infos)


class PerceptSolution(Policy, ABC):
    """Decides for each agent by its percept alone, and by what it remembers of earlier ones."""

    def reset(self, profiles: Mapping[AgentID, Profile], seed: int, context: Context) -> None:
        """Remember nothing."""

    def act(self, observations: Observations, infos: Infos) -> dict[AgentID, Action]:
        """Return for each agent the next step."""
        return {agent: self.decide(agent, get_percept(infos, agent)) for agent in observations}

    @abstractmethod
    def decide(self, agent: AgentID, percept: Percept) -> Action:
        """Return the next step of an agent."""


def go(percept: Percept, place: str | None) -> Action:
    """Go to a place, or stay there."""
    return Idle() if place is None or percept.me.place == place else Move(place)


def find_goal(percept: Percept, *kinds: str) -> OwnGoal | None:
    """Return the first goal of one of these kinds."""
    return next((goal for goal in percept.goals if goal.kind in kinds), None)


def list_open(percept: Percept, *kinds: str) -> list[OwnGoal]:
    """Return the goals of these kinds that are not over."""
    return [goal for goal in percept.goals if goal.kind in kinds and not goal.done]
