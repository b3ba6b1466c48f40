"""Hours spent at a gathering while it goes on."""

from collections.abc import Mapping, Sequence

from genagents_env.rewards.reward import CallableReward
from genagents_env.world.events import Event
from genagents_env.world.world import World


class AttendanceReward(CallableReward):
    """Hours spent at the scenario's gathering of the reward (all gatherings if None)."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._gathering = world.scenario.reward.gathering

    def __call__(self, world: World, events: Sequence[Event], *, over: bool) -> Mapping[str, float]:
        """Return the hours of this tick for everyone present at a gathering that is on."""
        out: dict[str, float] = {}
        for gathering in world.scenario.gatherings:
            if self._gathering not in (None, gathering.id):
                continue
            if not gathering.start <= world.time < gathering.end:
                continue
            arenas = world.town.places.find_arenas(gathering.place)
            for i, name in enumerate(world.names):
                if world.state.present[i] and int(world.state.arena[i]) in arenas:
                    out[name] = world.town.clock.seconds_per_tick / 3600
        return out
