"""Movement: all at once or one by one; room on arrival; what others see of it."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from genagents_env.world.crowd import Crowd, Doors, Walk
from genagents_env.world.resolved import ResolvedAct, ResolvedMove
from genagents_env.world.snapshot import ActionOutcome
from genagents_env.world.state import IDLE_DOING, IDLE_EMOJI, Moves, WorldState
from genagents_env.world.tiles import STAY, Bools, Ints

WALK_EMOJI = "🚶"
NO_ACTS: Mapping[int, ResolvedAct] = {}
NO_MOVES: Moves = {}
# numpy compares with an array of the same type twice as fast as with a number.
_STAY = np.array(STAY, dtype=np.uint8)


def is_shown_by_walking(doing: str) -> bool:
    """Return True if `doing` was set by walking or talking, and so ends with it."""
    return doing.startswith(("walking to ", "talking to "))


def make_move(
    targets: tuple[int, ...], label: str, doing: str | None, emoji: str | None
) -> ResolvedMove:
    """Return the walk to the nearest of `targets`, as others see it.

    Args:
        targets: tiles.
        label: the place in words.
        doing: what one says that one is doing, if anything.
        emoji: its picture, if any.
    """
    return ResolvedMove(
        targets,
        label,
        (doing or f"walking to {label}", emoji or WALK_EMOJI),
        (doing or f"at {label}", emoji or IDLE_EMOJI),
    )


def walk(state: WorldState, goals: Ints, acts: Mapping[int, ResolvedAct], moves: Moves) -> None:
    """Move everyone one tick, and show others where they are going.

    Args:
        state: of the town.
        goals: the index of the place each walks to, -1 for none, shape (N,).
        acts: what everyone else attempts.
        moves: those of them that are walks.
    """
    if state.town.paths.one_by_one:
        _walk_one_by_one(state, goals, moves)
    else:
        _walk_along_fields(state, goals, moves)
    _show_walkers(state, goals, acts, moves)


def _walk_along_fields(state: WorldState, goals: Ints, moves: Moves) -> None:
    """Move everyone along the direction field to where they go."""
    paths = state.town.paths
    paths.prepare(goals)
    rows, who = goals * paths.ground.count, np.array(list(moves), dtype=np.int64)
    fields = paths.to_tiles.list_views([move.targets for move in moves.values()])
    trail = [state.tile]
    for _ in range(paths.tiles_at(state.tick)):
        _advance(state, rows, who, fields)
        trail.append(state.tile)
    arrived = paths.fields[rows + state.tile] == _STAY
    if len(who):
        arrived[who] = [step == STAY for step in _find_steps(state, who, fields)]
    if np.count_nonzero(arrived):
        _make_room(state, arrived, goals, moves, trail)
    state.arrived = arrived


def _find_steps(state: WorldState, who: Ints, fields: Sequence[memoryview]) -> list[int]:
    """Return the next step of each along a field of their own."""
    tiles = state.tile[who].tolist()
    return [field[at] for field, at in zip(fields, tiles, strict=True)]


def _advance(state: WorldState, rows: Ints, who: Ints, fields: Sequence[memoryview]) -> None:
    """Take one step along the direction fields that start at `rows`, or along one's own field."""
    paths, tile = state.town.paths, state.tile
    ground = paths.ground
    new = tile + ground.delta.take(paths.fields[rows + tile])
    if len(who):
        new[who] = tile[who] + ground.delta.take(_find_steps(state, who, fields))
    arena = ground.arena[new]
    crossing = arena != state.arena
    if np.count_nonzero(crossing):
        _cross(state, new, arena, crossing.nonzero()[0].tolist())
        state.arena = ground.arena[new]
    state.tile = new


def _cross(state: WorldState, new: Ints, arena: Ints, crossing: list[int]) -> None:
    """Let people through doors in the order of ties; who may not pass stays outside.

    Args:
        state: where they are.
        new: the tile each steps onto, shape (N,); put back where somebody may not.
        arena: in which each of these is, shape (N,).
        crossing: whose arena changes, ascending.
    """
    doors, order = Doors(state), crossing
    if len(crossing) > 1 and state.access.limited:
        order = [i for i in state.rank() if i in crossing]
    for i in order:
        if not doors.let(i, int(state.arena[i]), int(arena[i])):
            new[i] = state.tile[i]


def _walk_one_by_one(state: WorldState, goals: Ints, moves: Moves) -> None:
    """Move everyone one tick, each on an own way."""
    paths, places = state.town.paths, state.town.places.all
    walks = {
        i: Walk(paths.find_targets(goal), places[goal].label)
        for i, goal in enumerate(goals.tolist())
        if goal >= 0
    }
    walks |= {i: Walk(move.targets, move.label) for i, move in moves.items()}
    crowd, trail = Crowd(state, walks), [state.tile]
    for _ in range(paths.tiles_at(state.tick)):
        crowd.step()
        trail.append(state.tile)
    arrived = np.zeros(len(state.tile), dtype=np.bool_)
    arrived[list(crowd.arrived)] = True
    if not state.town.scenario.rules.bodies_block:
        _make_room(state, arrived, goals, moves, trail)
    state.arrived = arrived


def _make_room(
    state: WorldState, arrived: Bools, goals: Ints, moves: Moves, steps: Iterable[Ints]
) -> None:
    """Let people who arrive on a taken tile step aside to a free one that is as good, if any.

    It is one more step: somebody who has walked all that a tick allows arrives with it at
    the next.

    Args:
        state: where they are.
        arrived: who has come to where they walk, shape (N,); kept up to date.
        goals: the place each walks to.
        moves: of those who have their own way.
        steps: the tiles before this tick's steps and after each, each shape (N,).
    """
    taken = state.tile[state.present].tolist()
    if len(set(taken)) == len(taken):
        return
    ground, paths, trail = state.town.ground, state.town.paths, tuple(steps)
    aside: dict[int, int] = {}
    for i in arrived.nonzero()[0].tolist():
        tile = int(state.tile[i])
        if taken.count(tile) < 2:
            continue
        targets = moves[i].targets if i in moves else paths.find_targets(int(goals[i]))
        near = [n for n in ground.neighbours[:, tile].tolist() if n in targets and n not in taken]
        near = [n for n in near if ground.arena[n] == ground.arena[tile]]
        if not near:
            continue
        taken[taken.index(tile)] = near[0]
        if sum(bool(a[i] != b[i]) for a, b in pairwise(trail)) < paths.tiles_at(state.tick):
            aside[i] = near[0]
        else:
            arrived[i] = False
    if aside:
        state.set_tiles(aside)


def _show_walkers(
    state: WorldState, goals: Ints, acts: Mapping[int, ResolvedAct], moves: Moves
) -> None:
    """Show others who set out, arrived or stopped."""
    # How walking changes what others see of everyone, as a number; -1 for no change, as of those
    # who have their own way.
    arrived, shown, own = state.arrived, goals, list(moves)
    some_arrived = bool(np.count_nonzero(arrived))
    if some_arrived:
        shown = goals + arrived * len(state.town.places.all)
        shown[own] = -1
    changed = shown != state.shown
    if not (some_arrived or moves or np.count_nonzero(changed)):
        return  # at most ticks everybody just walks on
    state.shown = shown
    changed[own] = True
    _show(state, changed.nonzero()[0].tolist(), acts, moves)


def _show(
    state: WorldState, changed: Iterable[int], acts: Mapping[int, ResolvedAct], moves: Moves
) -> None:
    places = state.town.places.all
    count = len(places)
    for i in changed:
        k = int(state.shown[i])
        if k >= count:
            state.show(i, f"at {places[k - count].label}", IDLE_EMOJI)
        elif k >= 0:
            state.show(i, f"walking to {places[k].label}", WALK_EMOJI)
        elif i not in acts and not state.asleep[i]:
            state.show(i, IDLE_DOING, IDLE_EMOJI)
    arrived = dict.fromkeys(state.arrived.nonzero()[0].tolist())
    for i, move in moves.items():
        doing, emoji = move.there if i in arrived else move.going
        if doing != state.doing[i] or emoji != state.emoji[i]:
            state.show(i, doing, emoji)
    for i in arrived:
        label = moves[i].label if i in moves else places[int(state.shown[i]) - count].label
        state.outcomes.setdefault(i, ActionOutcome(True, f"You are at {label}."))
