"""A town's state as JSON values, and back: everything that changes in an episode, nothing else."""

from dataclasses import asdict
from typing import TypeAlias

import numpy as np

from genagents_env.world.events import JSON, Event
from genagents_env.world.interventions import TYPES
from genagents_env.world.paths import Way
from genagents_env.world.snapshot import ActionOutcome, Sound
from genagents_env.world.state import WorldState

SavedWorld: TypeAlias = dict[str, JSON]  # JSON values, by the names of `save_state`


def save_state(state: WorldState) -> SavedWorld:
    """Return everything that changes."""
    saved = {
        "seed": state.seed,
        "tick": state.tick,
        "tile": state.tile.tolist(),
        "start_tiles": state.start_tiles.tolist(),
        "present": state.present.tolist(),
        "asleep": state.asleep.tolist(),
        "arrived": state.arrived.tolist(),
        "shown": state.shown.tolist(),
        "doing": list(state.doing),
        "emoji": list(state.emoji),
        "doing_event": list(state.doing_event),
        "bed": list(state.bed),
        "known": [format(k, "x") for k in state.known],
        "facts": [format(k, "x") for k in state.facts],
        "sightings": state.sightings.state(),
        "pending": [[type(change).__name__, asdict(change)] for change in state.pending],
        "things": state.objects.state(),
        "talks": state.conversations.state(),
        "told": sorted(list(t) for t in state.told),
        "heard": [[i, [list(s) for s in sounds]] for i, sounds in state.heard.items()],
        "outcomes": [[i, list(o)] for i, o in state.outcomes.items()],
        "spoken": [list(s) for s in state.spoken],
        "next_event": state.log.next_id,
        "events": [list(e) for e in state.log.events],
    }
    if state.town.paths.one_by_one:
        saved["ways"] = [
            [i, sorted(way.goals), way.at, way.ahead, way.aside, way.waited, way.slack]
            for i, way in sorted(state.ways.items())
        ]
    return saved


def load_state(state: WorldState, saved: SavedWorld) -> None:
    """Take over what `save_state` returned, in a state that has begun an episode."""
    state.tick = saved["tick"]
    state.tile = np.array(saved["tile"], dtype=np.int64)
    state.start_tiles = np.array(saved["start_tiles"], dtype=np.int64)
    state.shown = np.array(saved["shown"], dtype=np.int64)
    state.present = np.array(saved["present"], dtype=np.bool_)
    state.asleep = np.array(saved["asleep"], dtype=np.bool_)
    state.arrived = np.array(saved["arrived"], dtype=np.bool_)
    state.doing, state.emoji = list(saved["doing"]), list(saved["emoji"])
    state.doing_event, state.bed = list(saved["doing_event"]), list(saved["bed"])
    state.arena = state.town.ground.arena[state.tile]
    state.set_known(tuple(int(k, 16) for k in saved["known"]))
    state.facts = [int(k, 16) for k in saved["facts"]]
    state.sightings.load_state(saved["sightings"])
    state.pending = [TYPES[name](**fields) for name, fields in saved["pending"]]
    state.objects.load_state(saved["things"])
    state.conversations.load_state(saved["talks"])
    state.told = {(i, j, fact) for i, j, fact in saved["told"]}
    state.heard = {
        i: [Sound(*s)._replace(facts=tuple(s[5])) for s in sounds] for i, sounds in saved["heard"]
    }
    state.outcomes = {i: ActionOutcome(*o) for i, o in saved["outcomes"]}
    state.spoken = [(i, text) for i, text in saved["spoken"]]
    state.ways = {
        i: Way(frozenset(goals), at, list(ahead), *rest)
        for i, goals, at, ahead, *rest in saved.get("ways", ())
    }
    state.log.begin(state.tick)
    state.log.next_id = saved["next_event"]
    state.log.events = [Event(*e) for e in saved["events"]]
