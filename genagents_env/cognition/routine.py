"""Habit: the routine of the profile by the clock; what one does where there is no plan."""

from datetime import time

from genagents_env.llm.calls import JSONValue
from genagents_env.policy import Profile
from genagents_env.scenario.schema import RoutineEntry


def find_entry(profile: Profile, clock: time) -> RoutineEntry | None:
    """Return the routine's entry in force: the latest begun, of yesterday's if need be."""
    order = sorted(profile.routine, key=lambda entry: entry.at)
    begun = [entry for entry in order if entry.at <= clock]
    return begun[-1] if begun else order[-1] if order else None


def find_doing(profile: Profile, clock: time) -> str:
    """Return what the routine has one do at this time."""
    entry = find_entry(profile, clock)
    return entry.doing if entry is not None else "spending time at home"


def is_in_bed(profile: Profile, clock: time) -> bool:
    """Return True if the lifestyle has one sleep at this time; bed may be past midnight."""
    bed, wake = profile.bed, profile.wake
    if bed <= wake:
        return bed <= clock < wake
    return clock >= bed or clock < wake


def format_usual_day(profile: Profile, first: time, last: time) -> list[JSONValue]:
    """Return the routine between two clock times: when, what one usually does, and where."""
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
