"""Act: the activity turned into the next step: walk there, use the object, go on doing it.

No model is asked here. What the plan cannot say (nothing planned yet, a place that is closed, a
bed that is taken) ends in idling with words, never in an error.
"""

from genagents_env.actions import Action, Idle, Interact, Move
from genagents_env.cognition.query import Moment
from genagents_env.cognition.routine import find_entry, is_in_bed
from genagents_env.percept import Percept, SeenObject

from .day import Piece
from .mind import SmallvilleActivity, SmallvilleMind
from .places import find_best_match

_RETRY_SECONDS = 300  # before trying again to get to a place that was closed, or to bed
_RETRY_PRIVATE = 86_400  # the same where the agent is not allowed in
_PRIVATE = "is private"  # how the world words that
_REST = 600  # for how long the agent goes on where nothing is planned


def choose_action(mind: SmallvilleMind, moment: Moment) -> Action:
    """Return the next step of the activity, having first settled what that is."""
    percept = moment.percept
    _note_result(mind, moment)
    if _is_bedtime(mind, moment):
        step = _go_to_bed(mind, moment)
    elif percept.me.asleep:
        step = Move(percept.me.place)  # any step wakes the agent up
    else:
        _choose_activity(mind, moment)
        step = _step(mind, moment)
    mind.last = type(step).__name__
    mind.going = _find_target(step)
    return step


def _find_target(step: Action) -> str:
    if isinstance(step, Move):
        return step.place
    return step.object if isinstance(step, Interact) else ""


def _note_result(mind: SmallvilleMind, moment: Moment) -> None:
    """Learn from what came of the last step: arrived, used, or not possible."""
    activity, result = mind.activity, moment.percept.result
    if mind.last in ("Move", "Interact") and not result.ok and mind.going:
        wait = _RETRY_PRIVATE if _PRIVATE in result.text else _RETRY_SECONDS
        mind.blocked[mind.going] = max(moment.now + wait, activity.until)
    if mind.last == "Move" and not result.ok:
        activity.arrived = True  # it is done where the agent is
    elif mind.last == "Move" and result.arrived and mind.going in (activity.place, activity.object):
        activity.arrived = True
    elif mind.last == "Interact":
        activity.used = True
    if mind.blocked:
        mind.blocked = {p: until for p, until in mind.blocked.items() if moment.now < until}


def _is_bedtime(mind: SmallvilleMind, moment: Moment) -> bool:
    """Return whether this is bedtime: by the plan, else by the lifestyle."""
    clock, day, now = moment.percept.time.time(), mind.day, moment.now
    if mind.activity.reaction and now < mind.activity.until:
        return False
    if not mind.config.planning or not day.date:
        return is_in_bed(mind.profile, clock)
    if day.wake <= now < day.bed:
        return False
    # Up before the hour that was planned (the town wakes people by their lifestyle): up is up.
    return moment.percept.me.asleep or now >= day.bed or is_in_bed(mind.profile, clock)


def _go_to_bed(mind: SmallvilleMind, moment: Moment) -> Action:
    """Return the way to bed, lying down, or sleeping on."""
    percept, bed = moment.percept, mind.profile.sleeps_in
    if percept.me.asleep:
        return Idle()
    if mind.activity.kind != "sleep":
        mind.activity = SmallvilleActivity(kind="sleep", text="going to bed", begun=moment.now)
    if bed is None or bed[0] in mind.blocked:
        home = mind.profile.home
        if _is_within(percept.me.place, home) or home in mind.blocked:
            return Idle("dozing", "😴")
        return Move(home, "going home to bed", "🌙")
    seen = _find_object(percept, bed[0])
    if seen is not None and seen.usable and not (mind.last == "Interact" and percept.result.ok):
        return Interact(bed[0], bed[1], "asleep in bed", "😴")
    return Move(bed[0], "going to bed", "🌙")


def _choose_activity(mind: SmallvilleMind, moment: Moment) -> None:
    """Settle what to do: a reaction until it ends, else the plan's piece, else the habit."""
    activity, now = mind.activity, moment.now
    if activity.reaction and now < activity.until:
        return
    piece = mind.day.find_piece(now) if mind.config.planning else _find_routine(mind, moment)
    if piece is None:
        if now >= activity.until or activity.kind == "sleep":
            text = _describe_between(mind, moment)
            mind.activity = SmallvilleActivity(
                text=text, begun=now, until=now + _REST, arrived=True, used=True, emoji="🙂"
            )
        return
    same = activity.text == piece.text and activity.kind == "do" and not activity.reaction
    if same and piece.place in ("", activity.place):
        activity.until = piece.end
        return
    place = piece.place or moment.percept.me.place
    mind.activity = SmallvilleActivity(
        text=piece.text,
        emoji=piece.emoji,
        place=place,
        object=piece.object,
        use=piece.use,
        begun=now,
        until=piece.end,
    )


def _describe_between(mind: SmallvilleMind, moment: Moment) -> str:
    """Return what the agent does where the day is not taken apart yet: its block, or the habit."""
    block = mind.day.find_block(moment.now)
    return block.text if block is not None else "getting ready"


def _find_routine(mind: SmallvilleMind, moment: Moment) -> Piece | None:
    """Return the routine's entry as a piece: how the agent lives without planning."""
    entry = find_entry(mind.profile, moment.percept.time.time())
    if entry is None:
        return None
    start, end = moment.now, moment.now + _REST
    return Piece(
        start, end, entry.doing, entry.place, entry.use or "", entry.state or "", entry.emoji
    )


def _step(mind: SmallvilleMind, moment: Moment) -> Action:
    activity, percept = mind.activity, moment.percept
    there = _is_within(percept.me.place, activity.place)
    if activity.arrived and not there and activity.place not in mind.blocked:
        activity.arrived = False  # a talk, or an object, led the agent away
    if not activity.arrived and not (there and not _is_on_the_way(mind, percept)):
        return Move(activity.place)
    activity.arrived = True
    using = None if activity.used or not activity.object else _use_object(mind, percept)
    return using or Idle(activity.text, activity.emoji or "🙂")


def _is_on_the_way(mind: SmallvilleMind, percept: Percept) -> bool:
    """Return whether the agent is walking there still, perhaps in its door."""
    return mind.last == "Move" and mind.going == mind.activity.place and not percept.result.arrived


def _use_object(mind: SmallvilleMind, percept: Percept) -> Action | None:
    """Return what brings the activity's object into its state; None where that is done or vain."""
    activity = mind.activity
    item = _find_object(percept, activity.object)
    if item is None:
        here = {o.name: o for o in percept.objects if o.id.startswith(f"{activity.place}/")}
        name = find_best_match(activity.object.split("/")[-1], list(here))
        item = here.get(name)
    state = _find_state(item, activity.use) if item is not None else ""
    if item is None or not state or item.state == state:
        activity.used = True
        return None
    activity.object = item.id
    if item.usable:
        return Interact(item.id, state, activity.text, activity.emoji or "✋")
    if mind.going == item.id and (percept.result.arrived or not percept.result.ok):
        activity.used = True  # the agent stands beside it and still cannot
        return None
    return Move(item.id, activity.text, activity.emoji)


def _find_state(item: SeenObject, words: str) -> str:
    """Return the state that `words` mean for the object; empty where it allows none like it."""
    if not words:
        return ""
    exact = next(
        (s for s in (item.state, *item.next_states) if s.casefold() == words.casefold()), ""
    )
    if exact:
        return exact
    return find_best_match(words, item.next_states) or (words if item.free_text else "")


def _find_object(percept: Percept, object_id: str) -> SeenObject | None:
    return next((item for item in percept.objects if item.id == object_id), None)


def _is_within(place: str, whole: str) -> bool:
    return not whole or place == whole or place.startswith(f"{whole}/")
