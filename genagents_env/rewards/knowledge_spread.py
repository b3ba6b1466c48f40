"""One for each person who hears a fact for the first time, to the teller."""

from collections.abc import Mapping, Sequence

from genagents_env.rewards.reward import CallableReward
from genagents_env.world.events import Event
from genagents_env.world.world import World


class KnowledgeSpreadReward(CallableReward):
    """One for each person who heard the reward's fact (any if None) for the first time."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._fact = world.scenario.reward.fact

    def __call__(self, world: World, events: Sequence[Event], *, over: bool) -> Mapping[str, float]:
        """Return how many people each agent told something new."""
        out: dict[str, float] = {}
        for event in events:
            source = event.data.get("source") if event.kind == "learn" else None
            if source is not None and self._fact in (None, event.data["fact"]):
                out[source] = out.get(source, 0.0) + 1.0
        return out
