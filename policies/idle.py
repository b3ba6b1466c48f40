"""The policy that does nothing: everyone stays where they are."""

from genagents_env.actions import Action, Idle
from genagents_env.policy import Infos, Observations, Policy


class IdlePolicy(Policy):
    """Everyone idles."""

    name = "idle"

    def act(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        """Return `Idle` for each agent."""
        return {agent: Idle() for agent in observations}
