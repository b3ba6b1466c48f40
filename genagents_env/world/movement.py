"""Movement: everyone's next tiles at once, doors and their rules, making room on arrival.

Each rule is written once, for one town and for many that step together: see `state.Bodies`.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from genagents_env.world.paths import PlacePaths
from genagents_env.world.resolved import ResolvedAct, ResolvedMove
from genagents_env.world.snapshot import ActionOutcome, Bools
from genagents_env.world.state import (
    IDLE_DOING,
    IDLE_EMOJI,
    Bodies,
    Moves,
    TownIndex,
    TownMoves,
    WorldState,
)
from genagents_env.world.tiles import STAY, Ints

WALK_EMOJI = "🚶"
TownActs: TypeAlias = Mapping[TownIndex, Mapping[int, ResolvedAct]]  # by town, then by person
NO_ACTS: Mapping[int, ResolvedAct] = {}
NO_MOVES: Moves = {}


def is_shown_by_walking(doing: str) -> bool:
    """Return whether `doing` was set by walking or talking, and so ends with it."""
    return doing.startswith(("walking to ", "talking to "))


def walk(bodies: Bodies, goals: Ints, acts: TownActs) -> None:
    """Move everyone one tick, and let others see where they are going.

    Args:
        bodies: of one town or of several.
        goals: the index of the place each walks to, -1 for none; shape as `bodies.tile`.
        acts: what everyone else attempts.
    """
    paths = bodies.town.paths
    paths.prepare(goals)
    moves = _select_moves(acts) if acts else {}
    rows = goals * paths.ground.count
    trail = [bodies.tile]
    for step, movers in bodies.plan_steps(rows, moves):
        _advance(bodies, step, movers)
        trail.append(bodies.tile)
    _arrive(bodies, goals, rows, moves, trail)
    _show_walkers(bodies, goals, acts, moves)


def _select_moves(acts: TownActs) -> TownMoves:
    moves: dict[TownIndex, Moves] = {}
    for town, own in acts.items():
        found = {i: act for i, act in own.items() if isinstance(act, ResolvedMove)}
        if found:
            moves[town] = found
    return moves


def _advance(bodies: Bodies, rows: Ints, moves: TownMoves) -> None:
    """Take one step along the direction fields that start at `rows`, or along one's own way."""
    paths, tile = bodies.town.paths, bodies.tile
    ground = paths.ground
    new = tile + ground.delta[paths.fields[rows + tile]]
    for town, own in moves.items():
        for i, act in own.items():
            here = int(tile[town, i])
            new[town, i] = here + ground.delta[ground.first_step(here, act.targets)]
    arena = ground.arena[new]
    crossing = arena != bodies.arena
    if np.count_nonzero(crossing):
        for town, state in bodies.towns_with(crossing):
            _cross(state, new[town], arena[town], set(crossing[town].nonzero()[0].tolist()))
        arena = ground.arena[new]
    bodies.tile, bodies.arena = new, arena


def _cross(state: WorldState, new: Ints, arena: Ints, crossing: set[int]) -> None:
    """Let people through doors in the order of ties; who may not pass stays outside.

    Args:
        state: where they are.
        new: the tile each steps onto, shape (N,); put back where somebody may not.
        arena: in which each of these is, shape (N,).
        crossing: whose arena changes.
    """
    access, plan = state.access, state.town.plan
    limited, now = access.limited, []
    if limited:
        now = [int(a) if p else -1 for a, p in zip(state.arena, state.present, strict=True)]
    order = state.rank() if len(crossing) > 1 and limited else sorted(crossing)
    for i in order:
        if i not in crossing:
            continue
        there = int(arena[i])
        if not access.may_enter(i, there, int(state.arena[i])):
            new[i] = state.tile[i]
            state.fail(i, "move", access.explain_refusal(i, there))
            continue
        if limited:
            here, now[i] = now[i], -1
            if there in limited and access.is_full(there, now):
                now[i] = here
                new[i] = state.tile[i]
                state.fail(i, "move", f"{plan.arena_id(there)} is full")
                continue
            now[i] = there
        state.log.emit("arrive", i, place=plan.arena_id(there))


def _arrive(
    bodies: Bodies, goals: Ints, rows: Ints, moves: TownMoves, trail: Sequence[Ints]
) -> None:
    """Mark who has arrived, and let them make room for one another.

    Args:
        bodies: where they are.
        goals: the place each walks to.
        rows: where each one's direction field starts.
        moves: of those who have their own way.
        trail: `bodies.tile` before this tick's steps and after each.
    """
    paths, tile = bodies.town.paths, bodies.tile
    arrived = paths.fields[rows + tile] == STAY
    for town, own in moves.items():
        for i, act in own.items():
            arrived[town, i] = paths.ground.first_step(int(tile[town, i]), act.targets) == STAY
    if np.count_nonzero(arrived):
        for town, state in bodies.towns_with(arrived):
            taken = state.tile[state.present].tolist()
            if len(set(taken)) < len(taken):
                own, steps = moves.get(town, NO_MOVES), [tile[town] for tile in trail]
                _make_room(state, arrived[town], taken, goals[town], own, steps)
        bodies.collect_tiles()
    bodies.arrived = arrived


def _make_room(
    state: WorldState,
    arrived: Bools,
    taken: list[int],
    goals: Ints,
    moves: Moves,
    trail: Sequence[Ints],
) -> None:
    """Who arrives on a taken tile steps aside to a free one that is as good, if any.

    It is one more step: who has taken all that a tick allows has not arrived yet, and takes it at
    the next.

    Args:
        state: where they are.
        arrived: who has come to where they walk, shape (N,); kept up to date.
        taken: the tiles that people stand on, once for each; kept up to date.
        goals: the place each walks to, shape (N,).
        moves: of those who have their own way.
        trail: the tiles before this tick's steps and after each, each shape (N,).
    """
    paths, aside = state.town.paths, dict[int, int]()
    allowed = paths.tiles_at(state.tick)
    for i in arrived.nonzero()[0].tolist():
        tile = int(state.tile[i])
        if taken.count(tile) < 2:
            continue
        near = _find_room(paths, tile, _field_of(paths, int(goals[i]), moves.get(i)), taken)
        if near is None:
            continue
        taken[taken.index(tile)] = near
        if sum(bool(a[i] != b[i]) for a, b in pairwise(trail)) < allowed:
            aside[i] = near
        else:
            arrived[i] = False
    if aside:
        state.set_tiles(aside)


def _find_room(
    paths: PlacePaths, tile: int, field: npt.NDArray[np.uint8], taken: Sequence[int]
) -> int | None:
    """Return a free tile beside `tile`, in the same room, at which one has arrived as well."""
    ground = paths.ground
    for near in ground.neighbours[:, tile].tolist():
        same = near >= 0 and ground.arena[near] == ground.arena[tile]
        if same and field[near] == STAY and near not in taken:
            return int(near)
    return None


def _field_of(paths: PlacePaths, goal: int, move: ResolvedMove | None) -> npt.NDArray[np.uint8]:
    return paths.field(goal) if move is None else paths.ground.field(move.targets)


def _show_walkers(bodies: Bodies, goals: Ints, acts: TownActs, moves: TownMoves) -> None:
    """Let others see who set out, arrived or stopped."""
    # How walking changes what others see of everyone, as a number; -1 for no change.
    arrived = bodies.arrived
    shown = goals + arrived * len(bodies.town.places.all)
    changed = shown != bodies.shown
    for town, own in moves.items():
        shown[town, list(own)], changed[town, list(own)] = -1, True
    bodies.shown = shown
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
    for i, move in moves.items():
        there = bool(state.arrived[i])
        doing = move.doing or (f"at {move.label}" if there else f"walking to {move.label}")
        state.show(i, doing, move.emoji or (IDLE_EMOJI if there else WALK_EMOJI))
    for i in state.arrived.nonzero()[0].tolist():
        label = moves[i].label if i in moves else places[int(state.shown[i]) - count].label
        state.outcomes.setdefault(i, ActionOutcome(True, f"You are at {label}."))
