"""Bedtime: the way to bed and the sleep there, by the hours of the profile, without a model."""

from genagents_env.actions import Action, Idle, Interact, Move
from genagents_env.cognition.routine import is_in_bed
from genagents_env.percept import Percept
from genagents_env.policy import Profile

_ASLEEP = "😴"


def choose_night_step(profile: Profile, percept: Percept, last: str) -> Action | None:
    """Return the way to bed and the sleep there in the hours for it; None by day.

    Args:
        profile: whose.
        percept: of the moment.
        last: the kind of the agent's last action, such as `Interact`, which it does not do twice.
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
    seen = next((item for item in percept.objects if item.id == bed[0]), None)
    if seen is not None and seen.usable and last != "Interact":
        return Interact(bed[0], bed[1], "asleep in bed", _ASLEEP)
    return Move(bed[0], "going to bed", _ASLEEP)
