"""A world as JSON values, and back: everything that changes in an episode, nothing else."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from genagents_env.world import interventions
from genagents_env.world.events import Event
from genagents_env.world.snapshot import Outcome, Sound

if TYPE_CHECKING:
    from genagents_env.world.town import World


def save_world(world: "World") -> dict[str, Any]:
    """Return everything that changes, as JSON values."""
    return {
        "seed": world.seed,
        "tick": world.tick,
        "tile": world.tile.tolist(),
        "start_tiles": world.start_tiles.tolist(),
        "present": world.present.tolist(),
        "asleep": world.asleep.tolist(),
        "arrived": world.arrived.tolist(),
        "shown": world.shown.tolist(),
        "doing": list(world.doing),
        "emoji": list(world.emoji),
        "doing_event": list(world.doing_event),
        "bed": list(world.bed),
        "known": [format(k, "x") for k in world.known],
        "facts": [format(k, "x") for k in world.facts],
        "sightings": world.sightings.state(),
        "pending": [[type(p).__name__, asdict(p)] for p in world.pending],
        "things": world.things.state(),
        "talks": world.talks.state(),
        "told": world.speech.state(),
        "heard": [[i, [list(s) for s in sounds]] for i, sounds in world.heard.items()],
        "outcomes": [[i, list(o)] for i, o in world.outcomes.items()],
        "spoken": [list(s) for s in world.spoken],
        "next_event": world.log.next_id,
        "events": [list(e) for e in world.log.events],
    }


def load_world(world: "World", state: Mapping[str, Any]) -> None:
    """Go on from what `save_state` returned."""
    world.reset(state["seed"])
    world.tick = state["tick"]
    for name in ("tile", "start_tiles", "shown"):
        setattr(world, name, np.array(state[name], dtype=np.int64))
    for name in ("present", "asleep", "arrived"):
        setattr(world, name, np.array(state[name], dtype=np.bool_))
    for name in ("doing", "emoji", "doing_event", "bed"):
        setattr(world, name, list(state[name]))
    world.arena = world.ground.arena[world.tile]
    world.set_known(tuple(int(k, 16) for k in state["known"]))
    world.facts = [int(k, 16) for k in state["facts"]]
    world.sightings.load_state(state["sightings"])
    world.pending = [getattr(interventions, k)(**v) for k, v in state["pending"]]
    world.things.load_state(state["things"])
    world.talks.load_state(state["talks"])
    world.speech.load_state(state["told"])
    world.heard = {
        i: [Sound(*s)._replace(facts=tuple(s[5])) for s in sounds] for i, sounds in state["heard"]
    }
    world.outcomes = {i: Outcome(*o) for i, o in state["outcomes"]}
    world.spoken = [(i, text) for i, text in state["spoken"]]
    world.log.begin(world.tick)
    world.log.next_id = state["next_event"]
    world.log.events = [Event(*e) for e in state["events"]]
    world.access.at(world.clock.second(world.tick) // 60)
    world.look()
