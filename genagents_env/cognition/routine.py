"""Habits by the clock, without a model: the routine of the profile, and the way to bed."""

from datetime import time

from genagents_env.actions import Action, Idle, Interact, Move
from genagents_env.llm.calls import JSONValue
from genagents_env.percept import Percept
from genagents_env.policy import Profile
from genagents_env.scenario.schema import RoutineEntry

_ASLEEP = "😴"


def find_entry(profile: Profile, clock: time) -> RoutineEntry | None:
    """Return the routine's entry in force: the latest begun, of yesterday's if need be."""
    order = sorted(profile.routine, key=lambda entry: entry.at)
    begun = [entry for entry in order if entry.at <= clock]
    return begun[-1] if begun else order[-1] if order else None


def find_doing(profile: Profile, clock: time) -> str:
    """Return the activity of the routine at this time."""
    entry = find_entry(profile, clock)
    return entry.doing if entry is not None else "spending time at home"


def is_in_bed(profile: Profile, clock: time) -> bool:
    """Return True if this is a time of sleep by the profile; bedtime may be past midnight."""
    bed, wake = profile.bed, profile.wake
    if bed <= wake:
        return bed <= clock < wake
    return clock >= bed or clock < wake


def format_usual_day(profile: Profile, first: time, last: time) -> list[JSONValue]:
    """Return the routine between two clock times as lines: time, activity and place."""
    entries = sorted(profile.routine, key=lambda entry: entry.at)
    begun = max((entry.at for entry in entries if entry.at <= first), default=first)
    past_midnight = last < first
    shown = [
        entry
        for entry in entries
        if (entry.at >= begun or entry.at <= last if past_midnight else begun <= entry.at <= last)
    ]
    home = profile.home.split("/")[0]
    where = {e.place: e.place.split("/")[0].replace(home, "home") for e in shown}
    return [[f"usually {e.at:%H:%M}", f"{e.doing}, {where[e.place]}"] for e in shown]


def choose_night_step(profile: Profile, percept: Percept, last: str) -> Action | None:
    """Return the next step to bed or of sleep in the hours for it; None by day.

    Args:
        profile: of the agent.
        percept: of the moment.
        last: the kind of the agent's last action, such as `Interact`, which is not repeated.
    """
    me, bed = percept.me, profile.sleeps_in
    if not is_in_bed(profile, percept.time.time()):
        return Move(me.place) if me.asleep else None  # any step wakes the agent up
    if me.asleep:
        return Idle()
    if bed is None:
        home = profile.home
        there = me.place == home or me.place.startswith(f"{home}/")
        return Idle("dozing", _ASLEEP) if there else Move(home, "going home to bed", _ASLEEP)
    item = next((item for item in percept.objects if item.id == bed[0]), None)
    if item is not None and item.usable and last != "Interact":
        return Interact(bed[0], bed[1], "asleep in bed", _ASLEEP)
    return Move(bed[0], "going to bed", _ASLEEP)
