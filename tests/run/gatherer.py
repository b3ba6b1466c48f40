"""A mind that embeds what it hears and walks by what comes of it: for tests of embeddings."""

from collections.abc import Mapping

from genagents_env.actions import Action, Idle, Move
from genagents_env.policy import Context, Infos, Observations, Policy, Profile, State


class GathererPolicy(Policy):
    """Every third tick everyone walks where the vector of their percept's text points."""

    name = "gatherer"
    needs_embedder = True

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        assert context.embedder is not None
        assert context.model is None
        self.embedder, self.goals = context.embedder, dict[str, str]()

    async def act_async(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        percepts = {agent: infos[agent]["percept"] for agent in observations}
        tick = next(iter(percepts.values())).tick
        if tick % 3 == 0:
            rows = await self.embedder.embed([p.text for p in percepts.values()])
            for (agent, percept), row in zip(percepts.items(), rows, strict=True):
                self.goals[agent] = percept.known[int(abs(row.sum()) * 1e6) % len(percept.known)]
        return {a: Move(self.goals[a]) if a in self.goals else Idle() for a in percepts}

    def state(self) -> State:
        return {"goals": self.goals}

    def load_state(self, state: State) -> None:
        self.goals = dict(state["goals"])
