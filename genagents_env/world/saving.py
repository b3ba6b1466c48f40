"""A town's state as JSON values, and back: everything that changes in an episode, nothing else."""

from dataclasses import asdict
from typing import TypeAlias

import numpy as np

from genagents_env.world.events import JSON, Event
from genagents_env.world.interventions import TYPES
from genagents_env.world.paths import Way
from genagents_env.world.snapshot import ActionOutcome, Sound
from genagents_env.world.state import WorldState

# Of `WorldState`, in the order in which they are written.
_ARRAYS = {
    **dict.fromkeys(("tile", "start_tiles"), np.int64),
    **dict.fromkeys(("present", "asleep", "arrived"), np.bool_),
    "shown": np.int64,
}
_LISTS = ("doing", "emoji", "doing_event", "bed")
SavedWorld: TypeAlias = dict[str, JSON]  # JSON values, by the names of `save_state`


def save_state(state: WorldState) -> SavedWorld:
    """Return everything that changes."""
    saved = {
        "seed": state.seed,
        "tick": state.tick,
        **{name: getattr(state, name).tolist() for name in _ARRAYS},
        **{name: list(getattr(state, name)) for name in _LISTS},
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
    for name, dtype in _ARRAYS.items():
        setattr(state, name, np.array(saved[name], dtype=dtype))
    for name in _LISTS:
        setattr(state, name, list(saved[name]))
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
