"""Movement: everyone's next tiles at once, or one by one; room on arrival; what others see of it.

Each rule is written once, for one town and for many that step together: see `state.Bodies`.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from genagents_env.world.crowd import Crowd, Doors, Walk
from genagents_env.world.resolved import ResolvedAct, ResolvedMove
from genagents_env.world.snapshot import ActionOutcome
from genagents_env.world.state import (
    IDLE_DOING,
    IDLE_EMOJI,
    Bodies,
    Moves,
    OwnFields,
    TownFields,
    TownIndex,
    TownMoves,
    WorldState,
)
from genagents_env.world.tiles import STAY, Bools, Ints

WALK_EMOJI = "🚶"
TownActs: TypeAlias = Mapping[TownIndex, Mapping[int, ResolvedAct]]  # by town, then by person
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


def walk(bodies: Bodies, goals: Ints, acts: TownActs, moves: TownMoves) -> None:
    """Move everyone one tick, and show others where they are going.

    Args:
        bodies: of one town or of several.
        goals: the index of the place each walks to, -1 for none; shape as `bodies.tile`.
        acts: what everyone else attempts.
        moves: those of them that are walks.
    """
    paths = bodies.town.paths
    if paths.one_by_one:
        _walk_one_by_one(bodies, goals, moves)
    else:
        paths.prepare(goals)
        rows = goals * paths.ground.count
        fields = {
            town: OwnFields(
                np.array(list(own)), paths.to_tiles.list_views([m.targets for m in own.values()])
            )
            for town, own in moves.items()
        }
        trail = [bodies.tile]
        for step, movers in bodies.plan_steps(rows, fields):
            _advance(bodies, step, movers)
            trail.append(bodies.tile)
        _arrive(bodies, goals, rows, moves, fields, trail)
    _show_walkers(bodies, goals, acts, moves)


def _advance(bodies: Bodies, rows: Ints, movers: TownFields) -> None:
    """Take one step along the direction fields that start at `rows`, or along one's own field."""
    paths, tile = bodies.town.paths, bodies.tile
    ground = paths.ground
    new = tile + ground.delta.take(paths.fields[rows + tile])
    for town, own in movers.items():
        here, there = tile[town], new[town]
        there[own.who] = here[own.who] + ground.delta.take(own.find_steps(here))
    arena = ground.arena[new]
    crossing = arena != bodies.arena
    if np.count_nonzero(crossing):
        for town, state in bodies.towns_with(crossing):
            _cross(state, new[town], arena[town], crossing[town].nonzero()[0].tolist())
        bodies.arena = ground.arena[new]
    bodies.tile = new


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


def _arrive(
    bodies: Bodies,
    goals: Ints,
    rows: Ints,
    moves: TownMoves,
    fields: TownFields,
    trail: Sequence[Ints],
) -> None:
    """Mark who has arrived, and let them make room for one another.

    Args:
        bodies: where they are.
        goals: the place each walks to.
        rows: where each one's direction field starts.
        moves: of those who have their own way.
        fields: along which these walk.
        trail: `bodies.tile` before this tick's steps and after each.
    """
    paths, tile = bodies.town.paths, bodies.tile
    arrived = paths.fields[rows + tile] == _STAY
    for town, own in fields.items():
        arrived[town][own.who] = [step == STAY for step in own.find_steps(tile[town])]
    if np.count_nonzero(arrived):
        for town, state in bodies.towns_with(arrived):
            steps = (tile[town] for tile in trail)
            _make_room(state, arrived[town], goals[town], moves.get(town, NO_MOVES), steps)
        bodies.collect_tiles()
    bodies.arrived = arrived


def _walk_one_by_one(bodies: Bodies, goals: Ints, moves: TownMoves) -> None:
    """Move everyone one tick, town by town, each on an own way."""
    arrived: Bools = np.zeros_like(bodies.arrived)
    paths = bodies.town.paths
    for town, state in bodies.towns:
        places, own = state.town.places.all, moves.get(town, NO_MOVES)
        walks = {
            i: Walk(paths.find_targets(goal), places[goal].label)
            for i, goal in enumerate(goals[town].tolist())
            if goal >= 0
        }
        walks |= {i: Walk(move.targets, move.label) for i, move in own.items()}
        crowd, trail = Crowd(state, walks), [state.tile]
        for _ in range(paths.tiles_at(state.tick)):
            crowd.step()
            trail.append(state.tile)
        there = np.zeros(len(state.tile), dtype=np.bool_)
        there[list(crowd.arrived)] = True
        if not state.town.scenario.rules.bodies_block:
            _make_room(state, there, goals[town], own, trail)
        arrived[town] = there
    bodies.collect_tiles()
    bodies.arrived = arrived


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


def _show_walkers(bodies: Bodies, goals: Ints, acts: TownActs, moves: TownMoves) -> None:
    """Show others who set out, arrived or stopped."""
    # How walking changes what others see of everyone, as a number; -1 for no change, as of those
    # who have their own way.
    arrived, shown = bodies.arrived, goals
    some_arrived = bool(np.count_nonzero(arrived))
    if some_arrived:
        shown = goals + arrived * len(bodies.town.places.all)
        for town, own in moves.items():
            shown[town][list(own)] = -1
    changed = shown != bodies.shown
    if not (some_arrived or moves or np.count_nonzero(changed)):
        return  # at most ticks everybody just walks on
    bodies.shown = shown
    for town, own in moves.items():
        changed[town][list(own)] = True
    for town, state in bodies.towns_with(changed, arrived):
        who = changed[town].nonzero()[0].tolist()
        _show(state, who, acts.get(town, NO_ACTS), moves.get(town, NO_MOVES))


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
