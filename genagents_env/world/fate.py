"""What happens to the town from outside: scheduled events and interventions, applied."""

from typing import TYPE_CHECKING

from genagents_env.scenario.schema import ScheduledEvent
from genagents_env.world import beginning, interventions
from genagents_env.world.interventions import Intervention
from genagents_env.world.snapshot import Sound

if TYPE_CHECKING:
    from genagents_env.world.town import World


def scheduled(event: ScheduledEvent) -> Intervention:
    """Return what an event of the scenario does."""
    agent, place, text = event.agent or "", event.place, event.text or ""
    if event.kind == "whisper":
        return interventions.Whisper(agent, text)
    if event.kind == "news":
        return interventions.News(text, place)
    if event.kind == "object":
        return interventions.SetObject(event.object or "", event.state or "")
    if event.kind == "move":
        return interventions.Put(agent, place or "")
    if event.kind == "join":
        return interventions.Join(agent, place)
    return interventions.Part(agent)


def apply(world: "World", change: Intervention) -> None:
    """Let `change` happen now. Its names have been checked by whoever asked for it."""
    index = world.cast.index
    if isinstance(change, interventions.Whisper):
        i = index[change.agent]
        event = world.log.emit("whisper", i, text=change.text)
        world.hear(i, Sound("thought", None, change.text, True, False, (), event))
    elif isinstance(change, interventions.News):
        world.speech.news(change.text, change.place)
    elif isinstance(change, interventions.SetObject):
        world.things.put(world.log, world.things.ids.index(change.object), change.state, None)
    elif isinstance(change, interventions.Put):
        _move_in(world, index[change.agent], change.place, "put")
    elif isinstance(change, interventions.Join):
        i = index[change.agent]
        if not world.present[i]:
            world.present = world.present.copy()
            world.present[i] = True
            _move_in(world, i, change.place, "join")
    elif isinstance(change, interventions.Part):
        _part(world, index[change.agent])


def _move_in(world: "World", i: int, place: str | None, kind: str) -> None:
    if place is not None:
        person = world.scenario.people[i].model_copy(update={"start": place})
        taken = {int(t) for t in world.tile[world.present]}
        allowed = set(range(len(world.plan.arenas)))
        world.put(i, beginning.start_tile(world.ground, person, world.seed, taken, allowed))
    world.wake(i, "intervention")
    world.announce(i, kind)


def _part(world: "World", i: int) -> None:
    if world.present[i]:
        world.wake(i, "intervention")
        if world.talks.of[i] >= 0:
            world.speech.leave(i, "removed")
        world.present = world.present.copy()
        world.present[i] = False
        world.log.emit("part", i)
