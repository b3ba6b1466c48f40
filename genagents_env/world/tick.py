"""One tick of a town: the order of the rules."""

from collections.abc import Iterable, Mapping

import numpy as np

from genagents_env.world import speech
from genagents_env.world.interaction import use
from genagents_env.world.movement import is_shown_by_walking, walk
from genagents_env.world.resolved import (
    RefusedAct,
    ResolvedAct,
    ResolvedMove,
    ResolvedRestart,
    ResolvedSpeak,
    ResolvedStay,
    ResolvedUse,
)
from genagents_env.world.sight import Pairs, is_clear
from genagents_env.world.snapshot import ActionOutcome
from genagents_env.world.state import IDLE_DOING, IDLE_EMOJI, Moves, WorldState
from genagents_env.world.tiles import Ints

SILENCED = "no word came out"
_WAKING = (ResolvedMove, ResolvedSpeak, ResolvedUse, ResolvedRestart)  # what no sleeper does


def advance(state: WorldState, goals: Ints, acts: Mapping[int, ResolvedAct]) -> None:
    """Advance one tick.

    Args:
        state: of the town.
        goals: the index of the place each walks to, -1 for none, shape (N,).
        acts: what everyone else attempts; the rest stand still.
    """
    state.begin_tick()
    apply_changes(state)
    if not state.all_awake:
        _wake(state, goals, acts)
    if not state.all_here:
        goals = np.where(state.present, goals, -1)
        acts = {i: act for i, act in acts.items() if state.present[i]}
    moves = {i: act for i, act in acts.items() if type(act) is ResolvedMove}
    walk(state, goals, acts, moves)
    if acts:
        due = _select_due(state, acts, moves)
        _resolve(state, due, state.rank() if len(due) > 1 else due)
    _finish(state)


def apply_changes(state: WorldState) -> None:
    """Apply the scenario's events of this tick, and the pending interventions."""
    due = state.due.get(state.tick, ())
    if due or state.pending:
        waiting, state.pending = state.pending, []
        for change in (*due, *waiting):
            change.apply(state)


def update_access(state: WorldState) -> None:
    """Apply the opening hours."""
    state.access.set_minute(state.town.clock.second(state.tick) // 60)


def find_pairs(state: WorldState) -> Pairs:
    """Find the pairs in sight: (viewer, seen, distance), each shape (M,), nearest first."""
    town, tile = state.town, state.tile
    viewer, seen, apart = town.sight.find_pairs(town.ground.sight.take(tile, axis=1))
    if not state.all_awake:
        keep = state.present[viewer] & ~state.asleep[viewer] & state.present[seen]
        viewer, seen, apart = viewer[keep], seen[keep], apart[keep]
    if town.scenario.rules.line_of_sight and len(viewer):
        lines = zip(tile[viewer].tolist(), tile[seen].tolist(), strict=True)
        keep = np.array([is_clear(town.ground, a, b) for a, b in lines], dtype=np.bool_)
        viewer, seen, apart = viewer[keep], seen[keep], apart[keep]
    return viewer, seen, apart


def _finish(state: WorldState) -> None:
    """End conversations, learn places, and update access as time passes."""
    if state.conversations.open or state.conversations.until:
        speech.end_conversations(state)
    if state.learners:
        state.learn_places(state.learners)
    if state.access.timed:
        clock = state.town.clock
        if clock.second(state.tick) % 60 < clock.seconds_per_tick:
            update_access(state)


def _wake(state: WorldState, goals: Ints, acts: Mapping[int, ResolvedAct]) -> None:
    """Wake people at their hour, and those who act."""
    due = state.is_wake_hour()
    for i in np.flatnonzero(state.asleep & state.present).tolist():
        if due[i]:
            state.wake(i, "hour")
        elif goals[i] >= 0 or isinstance(acts.get(i), _WAKING):
            state.wake(i, "action")


def _select_due(
    state: WorldState, acts: Mapping[int, ResolvedAct], moves: Moves
) -> Mapping[int, ResolvedAct]:
    """Return the acts that are not done yet: all but walking, unless a door was in its way.

    Continuing one's activity is done, too, whatever others do.
    """
    asleep, doing, emoji = state.asleep, state.doing, state.emoji
    due = {i: acts[i] for i, outcome in state.outcomes.items() if not outcome.ok and i in acts}
    if len(moves) == len(acts):
        return due
    for i, act in acts.items():
        if i in moves:
            continue
        if isinstance(act, ResolvedStay) and not asleep[i]:
            if act.doing is None:
                done = not is_shown_by_walking(doing[i])
            else:
                done = act.doing == doing[i] and (act.emoji or "") == emoji[i]
            if done:
                continue
        due[i] = act
    return due


def _resolve(state: WorldState, acts: Mapping[int, ResolvedAct], order: Iterable[int]) -> None:
    """Resolve the other acts one after another; the first in `order` wins ties."""
    used: set[int] = set()
    for i in order:
        act = acts.get(i)
        if act is None:
            continue
        if isinstance(act, ResolvedSpeak):
            _speak(state, i, act)
        elif isinstance(act, ResolvedUse):
            use(state, i, act, used)
        elif isinstance(act, ResolvedStay):
            if act.doing is None:
                _settle(state, i)
            elif not state.asleep[i]:
                state.show(i, act.doing, act.emoji or "")
        elif isinstance(act, ResolvedRestart):
            state.put(i, int(state.start_tiles[i]))
            state.outcomes[i] = ActionOutcome(True, "You are back where you started.")
            state.show(i, act.doing or IDLE_DOING, act.emoji or IDLE_EMOJI)
        elif isinstance(act, RefusedAct):
            state.fail(i, act.action, act.reason, illegal=True)
        if i in state.outcomes and not state.outcomes[i].ok:
            _settle(state, i)


def _speak(state: WorldState, i: int, act: ResolvedSpeak) -> None:
    """Speak, in the words that an intervention gives, if one does."""
    words = state.words.get(i, act.text)
    if words is None:
        state.fail(i, "talk", SILENCED)
    else:
        speech.speak(state, i, act._replace(text=words) if i in state.words else act)


def _settle(state: WorldState, i: int) -> None:
    """Stop walking or talking, but keep a stated activity."""
    if is_shown_by_walking(state.doing[i]):
        state.show(i, IDLE_DOING, IDLE_EMOJI)
