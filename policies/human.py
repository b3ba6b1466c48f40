"""The policy of people: an agent does what its person enters, and idles while that one is away."""

import asyncio
from collections.abc import Mapping

from genagents_env.actions import Action, Idle
from genagents_env.errors import PolicyError
from genagents_env.percept import Percept
from genagents_env.policy import AgentID, Context, Infos, Observations, Policy, Profile, get_percept

AWAY = Idle("away")


class HumanPolicy(Policy):
    """A person decides for each agent, from what that agent perceives.

    Who they are, and how they enter it, is in `context.people`.
    """

    name = "human"
    needs_people = True

    def reset(self, profiles: Mapping[AgentID, Profile], seed: int, context: Context) -> None:
        """Begin an episode.

        Raises:
            PolicyError: there are no people.
        """
        if context.people is None:
            raise PolicyError(
                "policy 'human' asks people; give `people`, or play by genagents run --live"
            )
        self.people = context.people
        self.people.begin(profiles)

    async def act_async(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        """Return what the people enter, once all of them have; a sleeper sleeps on unasked."""
        decided = await asyncio.gather(*(self._ask(get_percept(infos, a)) for a in observations))
        return dict(zip(observations, decided, strict=True))

    async def _ask(self, percept: Percept) -> Action:
        if percept.me.asleep:
            return Idle()
        return await self.people.decide(percept.agent, percept) or AWAY
