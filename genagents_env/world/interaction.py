"""The use of objects: permissions, reach and states."""

from genagents_env.world.resolved import ResolvedUse
from genagents_env.world.snapshot import ActionOutcome
from genagents_env.world.state import WorldState


def use(state: WorldState, i: int, act: ResolvedUse, used: set[int]) -> None:
    """Let `i` put an object into another state, if that is allowed.

    Args:
        state: of the town.
        i: the actor.
        act: the attempt.
        used: the objects that others got to first at this tick; this one is added.
    """
    objects = state.objects
    item = objects.plans[act.item]
    reason = find_use_refusal(state, i, act.item)
    wanted = objects.match_state(act.item, act.state)
    if reason is None and act.item in used:
        reason = f"someone else got to the {item.name} first"
    elif reason is None and wanted is None:
        now = objects.states[act.item]
        options = ", ".join(objects.next_states(act.item, now)) or "nothing"
        reason = f"the {item.name} is {now} and can become: {options}"
    if reason is not None or wanted is None:
        state.fail(i, "use", reason or "")
        return
    used.add(act.item)
    objects.put(state.log, act.item, wanted, i)
    state.outcomes[i] = ActionOutcome(True, f"The {item.name} is now {wanted}.")
    if wanted == item.sleep_state:
        state.sleep(i, act.item, "object")
    else:
        state.show(i, act.doing or f"using the {item.name}", act.emoji or "✋")


def find_use_refusal(state: WorldState, i: int, o: int) -> str | None:
    """Return the reason why `i` may not use object `o` from here, or None."""
    item, ground = state.objects.plans[o], state.town.ground
    x, y = ground.xy(int(state.tile[i]))
    zones = ground.zone_of_arena
    if item.find_distance(x, y) > 1 or zones[item.arena] != zones[state.arena[i]]:
        return f"the {item.name} is out of reach; go to it first"
    if item.users and state.town.names[i] not in item.users:
        return f"the {item.name} is not yours to use"
    return None
