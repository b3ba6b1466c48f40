"""How scripted people spend the day: the routine by the clock, and bed by the lifestyle."""

from datetime import time

from genagents_env.actions import Action, Idle, Interact, Move
from genagents_env.cognition.prompts import find_object
from genagents_env.cognition.routine import is_in_bed
from genagents_env.percept import Percept, SeenObject
from genagents_env.policy import Profile

from .state import ScriptedState

TRIES = 3  # to put an object into its state
RETRY_SECONDS = 60  # after finding a place closed or full
_BEDS = ("bed", "bunk", "mattress", "futon", "hammock")
_SLEEP_STATES = ("sle", "occupied", "in use", "taken")


def follow_day(memory: ScriptedState, profile: Profile, percept: Percept, now: int) -> Action:
    """Return the next step of the day: to bed, to the routine's place, or doing what it says."""
    _notice_bed(memory, profile, percept)
    if is_in_bed(profile, percept.time.time()):
        return _go_to_bed(memory, profile, percept, now)
    memory.searched.clear()
    index = find_entry_index(profile, percept.time.time())
    if index != memory.entry:
        memory.entry, memory.arrived, memory.used = index, False, 0
        memory.wait_until, memory.detour = 0, ""
    place = profile.routine[index].place if index >= 0 else profile.home
    walking = _walk(memory, percept, place, now)
    if walking is not None:
        return walking
    if index < 0:
        return Idle("spending time at home", "🏠")
    entry = profile.routine[index]
    using = _use_object(memory, percept, entry.use, entry.state, entry.doing, entry.emoji)
    return using if using is not None else Idle(entry.doing, entry.emoji or "🙂")


def find_entry_index(profile: Profile, clock: time) -> int:
    """Return the index of the routine entry in force: the latest begun, of yesterday if need be."""
    if not profile.routine:
        return -1
    order = sorted(range(len(profile.routine)), key=lambda i: profile.routine[i].at)
    begun = [i for i in order if profile.routine[i].at <= clock]
    return begun[-1] if begun else order[-1]


def is_inside(place: str, wanted: str) -> bool:
    """Return True if someone in arena `place` is at `wanted`: that arena, its sector or a thing."""
    return place == wanted or place.startswith(f"{wanted}/") or wanted.startswith(f"{place}/")


def _walk(memory: ScriptedState, percept: Percept, place: str, now: int) -> Action | None:
    """Return a step towards `place`, or None once there."""
    here, walking = percept.me.place, memory.going == place
    if memory.detour:
        if memory.going != memory.detour or (percept.result.ok and not percept.result.arrived):
            return Move(memory.detour)
        memory.detour = ""
    if percept.result.arrived if walking else here == place or here.startswith(f"{place}/"):
        memory.arrived = True
    if memory.arrived and is_inside(here, place):
        return None
    memory.arrived = False
    if walking and not percept.result.ok:
        memory.wait_until = now + RETRY_SECONDS
        memory.detour = _find_way_in(percept, place)
        if memory.detour:
            return Move(memory.detour)
    if now < memory.wait_until:
        return Idle(f"waiting to get to {place.split('/')[-1]}", "⏳")
    return Move(place)


def _find_way_in(percept: Percept, place: str) -> str:
    """Return the next room of the agent's building, where a room wanted there is not known yet.

    From there the agent sees the rooms beyond, and seeing a place is knowing it.
    """
    sector = place.split("/")[0]
    unknown = not any(is_inside(known, place) for known in percept.known if "/" in known)
    if not unknown or not percept.me.place.startswith(f"{sector}/"):
        return ""
    return next((room for room in percept.exits if room.startswith(f"{sector}/")), "")


def _use_object(
    memory: ScriptedState,
    percept: Percept,
    item: str | None,
    state: str | None,
    doing: str,
    emoji: str,
) -> Action | None:
    """Return the action that puts the routine's object into its state; None where that is done."""
    if item is None or state is None or memory.used >= TRIES:
        return None
    seen = find_object(percept, item)
    if memory.last == "Interact" or (seen is not None and seen.state == state):
        memory.used = TRIES if percept.result.ok else memory.used + 1
        if memory.used >= TRIES:
            return None
    if seen is not None and seen.usable:
        return Interact(item, state, doing, emoji or "✋")
    if memory.going == item and (percept.result.arrived or not percept.result.ok):
        memory.used = TRIES
        return None
    return Move(item)


def _go_to_bed(memory: ScriptedState, profile: Profile, percept: Percept, now: int) -> Action:
    """Return a step on the way to bed, and at last lying down."""
    memory.entry, memory.arrived = -2, False
    if memory.last == "Interact" and not percept.result.ok and memory.bed is not None:
        memory.searched.append(memory.bed)
        memory.bed = None
        _notice_bed(memory, profile, percept)
    if memory.bed is not None:
        seen = find_object(percept, memory.bed)
        state = find_sleep_state(seen, profile) if seen is not None else None
        if seen is not None and seen.usable and state is not None:
            return Interact(seen.id, state)
        if seen is None or not seen.usable:
            return _move_or_wait(memory, percept, memory.bed, now)
    rooms = _list_rooms(profile, percept)
    if memory.going in rooms and percept.result.arrived:
        memory.searched.append(memory.going)
    room = next((place for place in rooms if place not in memory.searched), None)
    if room is None:
        return Idle("dozing", "😴")
    return _move_or_wait(memory, percept, room, now)


def _move_or_wait(memory: ScriptedState, percept: Percept, place: str, now: int) -> Action:
    if memory.going == place and not percept.result.ok:
        memory.searched.append(place)
        memory.wait_until = now + RETRY_SECONDS
    return Idle("waiting to get to bed", "⏳") if now < memory.wait_until else Move(place)


def _list_rooms(profile: Profile, percept: Percept) -> list[str]:
    """List the rooms where the bed may be, the likeliest first: at home, bedrooms before others."""
    sector, first = profile.home.split("/")[0], profile.name.split()[0].lower()
    known = [place for place in percept.known if place.startswith(f"{sector}/")]

    def unlikely(place: str) -> tuple[bool, bool, bool]:
        room = place.split("/")[-1].lower()
        return place != profile.home, first not in room, "bed" not in room

    return sorted(known, key=unlikely) or [profile.home]


def _notice_bed(memory: ScriptedState, profile: Profile, percept: Percept) -> None:
    """Remember the bed: of those in sight at home the one named after the agent, or the nearest."""
    sector = profile.home.split("/")[0]
    if memory.bed is not None or percept.me.place.split("/")[0] != sector:
        return
    first = profile.name.split()[0].lower()
    own, _ = profile.sleeps_in or ("", "")
    beds = [
        item
        for item in percept.objects
        if (is_bed(item) or item.id == own)
        and item.id.startswith(f"{sector}/")
        and item.id not in memory.searched
    ]
    beds.sort(key=lambda item: first not in item.id.split("/", 1)[1].lower())
    if beds:
        memory.bed = beds[0].id


def is_bed(item: SeenObject) -> bool:
    """Return True if the agent can sleep in it, judging by its name."""
    return item.name.lower().split()[-1] in _BEDS


def find_sleep_state(item: SeenObject, profile: Profile) -> str | None:
    """Return the state of a bed that means someone sleeps in it, if it can be put into one.

    Of the agent's own bed it is what the scenario says; of others it is judged by its name.
    """
    own, state = profile.sleeps_in or ("", "")
    if item.id == own:
        return state if state in item.next_states else None
    return next((s for word in _SLEEP_STATES for s in item.next_states if word in s), None)
