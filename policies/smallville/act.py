"""Act: the activity turned into the next step: walk there, use the object, go on doing it.

Source: Park et al. 2023, section 5.1, where the server moves the sprite and sets objects' states.

No model is asked here. What the plan cannot say (nothing planned yet, a place that is closed, a
bed that is taken) ends in idling with words, never in an error.
"""

from genagents_env.actions import Action, Idle, Interact, Move
from genagents_env.cognition.prompts import find_object
from genagents_env.cognition.query import Moment
from genagents_env.cognition.routine import find_entry, is_in_bed
from genagents_env.percept import Percept, SeenObject
from genagents_env.text import set_apart

from .agenda import is_sleep, is_walk
from .mind import Piece, SmallvilleActivity, SmallvilleMind, TemporaryUse
from .places import find_best_match, find_named_place, is_related, is_within, list_rooms

_RETRY_SECONDS = 300  # before trying again to get to a place that was closed, or to bed
_RETRY_PRIVATE = 86_400  # the same where the agent is not allowed in
_PRIVATE = "is private"  # how the world words that
_TO_BED = "going to bed"
_SHUT_OUT = "thinking about where else to go"
_REST = 600  # for how long the agent goes on where nothing is planned


def choose_action(mind: SmallvilleMind, moment: Moment) -> Action:
    """Return the next step of the activity, having first settled what that is."""
    percept = moment.percept
    _note_result(mind, moment)
    doing = mind.activity.text
    if _is_bedtime(mind, moment):
        step = _end_use(mind, moment, doing) or _go_to_bed(mind, moment)
    elif percept.me.asleep:
        # Any step wakes the agent up: it sleeps as long as it meant to.
        napping = mind.activity.kind == "sleep" and moment.now < mind.activity.until
        step = Idle() if napping else Move(percept.me.place)
    else:
        _choose_activity(mind, moment)
        step = _end_use(mind, moment, doing) or _step(mind, moment)
    mind.last = type(step).__name__
    mind.going = ""
    if isinstance(step, Move):
        mind.going = step.place
    elif isinstance(step, Interact):
        mind.going = step.object
    return step


def _note_result(mind: SmallvilleMind, moment: Moment) -> None:
    """Learn from what came of the last step: arrived, used, or not possible."""
    activity, result = mind.activity, moment.percept.result
    if mind.last in ("Move", "Interact") and not result.ok and mind.going:
        wait = _RETRY_PRIVATE if _PRIVATE in result.text else _RETRY_SECONDS
        mind.blocked[mind.going] = max(moment.now + wait, activity.until)
    if mind.last == "Move" and mind.going == activity.place:
        activity.arrived = result.ok and result.arrived
        if not result.ok:
            _think_again(mind, moment, result.text)
    elif mind.last == "Move" and mind.going == activity.object and not result.ok:
        activity.used = True  # it stands where one cannot get to
    elif mind.last == "Interact":
        if mind.going == activity.object or activity.kind == "sleep":
            activity.used = True
        if not result.ok:
            mind.uses.pop(mind.going, None)
    if mind.blocked:
        mind.blocked = {p: until for p, until in mind.blocked.items() if moment.now < until}


def _think_again(mind: SmallvilleMind, moment: Moment, why: str) -> None:
    """Give up what was to happen in a place that does not let the agent in.

    The next pieces of the plan are made anew, by one who knows why; a reaction is over.
    """
    mind.refused, mind.refused_at = why, moment.now
    mind.drop_plan(mind.day.drop_pieces(moment.now), moment.now)
    mind.activity.until = moment.now
    mind.activity.reaction = False


def _is_bedtime(mind: SmallvilleMind, moment: Moment) -> bool:
    """Return True if this is bedtime: by the plan, else by the lifestyle."""
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
    if moment.percept.me.asleep:
        return Idle()
    if mind.activity.kind != "sleep" or mind.activity.until:
        mind.activity = SmallvilleActivity(kind="sleep", text=_TO_BED, begun=moment.now)
    return _lie_down(mind, moment)


def _lie_down(mind: SmallvilleMind, moment: Moment) -> Action:
    """Return the next step to sleep: walk to the bed, use it once, or doze at home."""
    percept, bed = moment.percept, mind.profile.sleeps_in
    if bed is None or bed[0] in mind.blocked:
        home = mind.profile.home
        if is_within(percept.me.place, home) or home in mind.blocked:
            return Idle("dozing", "😴")
        return Move(home, "going home to bed", "🌙")
    seen = find_object(percept, bed[0])
    if seen is not None and seen.usable and not (mind.last == "Interact" and percept.result.ok):
        return Interact(bed[0], bed[1], "asleep in bed", "😴")
    return Move(bed[0], _TO_BED, "🌙")


def _choose_activity(mind: SmallvilleMind, moment: Moment) -> None:
    """Settle what to do: a reaction until it ends, else the plan's piece, else the habit."""
    activity, now = mind.activity, moment.now
    if activity.reaction and now < activity.until:
        return
    piece = _find_piece(mind, moment) if mind.config.planning else _find_routine(mind, moment)
    if piece is None:
        if now >= activity.until or activity.kind == "sleep":
            text = _describe_between(mind, moment)
            mind.activity = SmallvilleActivity(
                text=text, begun=now, until=now + _REST, arrived=True, used=True, emoji="🙂"
            )
        return
    kind = "sleep" if _is_sleep(mind, piece) else "do"
    if kind == activity.kind == "sleep" and now < activity.until:
        return
    same = activity.text == piece.text and activity.kind == kind and not activity.reaction
    if same and piece.place in ("", activity.place):
        activity.until = _find_end(mind, piece)
        return
    mind.activity = SmallvilleActivity(
        kind=kind,
        text=piece.text,
        emoji=piece.emoji,
        place=piece.place or moment.percept.me.place,
        object=piece.object,
        use=piece.use,
        begun=now,
        until=_find_end(mind, piece),
    )


def _find_piece(mind: SmallvilleMind, moment: Moment) -> Piece | None:
    """Return the piece in force; a way that has been walked is over, and what follows begins."""
    day, activity = mind.day, mind.activity
    piece = day.find_piece(moment.now)
    while piece is not None and is_walk(piece.text) and _is_walked(piece, activity, moment):
        following = next((p for p in day.pieces if p.start == piece.end), None)
        if following is None:
            break
        piece.end = following.start = moment.now
        if piece.start == piece.end:
            day.pieces.remove(piece)
        piece = following
    return piece


def _is_walked(piece: Piece, activity: SmallvilleActivity, moment: Moment) -> bool:
    """Return True if the agent is where a piece of walking leads."""
    if not piece.place or not is_within(moment.percept.me.place, piece.place):
        return False
    return activity.text != piece.text or activity.arrived


def _is_sleep(mind: SmallvilleMind, piece: Piece) -> bool:
    """Return True if a piece is sleep at home; whoever dozes elsewhere is awake."""
    at_home = is_within(piece.place, mind.profile.home.split("/")[0])
    return is_sleep(piece.text) and (at_home or not piece.place)


def _find_end(mind: SmallvilleMind, piece: Piece) -> int:
    """Find until when a piece lasts: pieces of sleep in a row are one."""
    end = piece.end
    if _is_sleep(mind, piece):
        for following in mind.day.pieces:
            if following.start == end and _is_sleep(mind, following):
                end = following.end
    return end


def _describe_between(mind: SmallvilleMind, moment: Moment) -> str:
    """Describe what the agent does where the day is not taken apart yet: its block, or the habit.

    Unless the block is of another place, or of sleep: nobody does what it cannot do here.
    """
    block = mind.day.find_block(moment.now)
    if block is None:
        return "getting ready"
    named = find_named_place(mind, block.text, list_rooms(mind, moment))
    elsewhere = named and not is_related(moment.percept.me.place, named)
    return "getting ready" if elsewhere or is_sleep(block.text) else block.text


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
    """Return the activity's next step: to its place, then to its object, then going on."""
    activity, percept = mind.activity, moment.percept
    if activity.kind == "sleep":  # once: who is woken stays up until what comes next
        return Idle("resting", "🙂") if activity.used else _lie_down(mind, moment)
    there = is_within(percept.me.place, activity.place)
    if activity.place in mind.blocked and not there:
        return Idle(_SHUT_OUT, "🤔")
    if activity.arrived and not there:
        activity.arrived = False  # a talk, or an object, led the agent away
    # Somebody who is walking there still is perhaps in its door.
    walking = mind.last == "Move" and mind.going == activity.place and not percept.result.arrived
    if not activity.arrived and (walking or not there):
        return Move(activity.place)
    activity.arrived = True
    using = None if activity.used or not activity.object else _use_object(mind, percept)
    return using or Idle(activity.text, activity.emoji or "🙂")


def _use_object(mind: SmallvilleMind, percept: Percept) -> Action | None:
    """Return the step that puts the activity's object into its state; None for none."""
    activity = mind.activity
    item = find_object(percept, activity.object)
    if item is None:
        here = {o.name: o for o in percept.objects if o.id.startswith(f"{activity.place}/")}
        name = find_best_match(activity.object.split("/")[-1], list(here))
        item = here.get(name)
    if item is None and activity.object.startswith(f"{activity.place}/"):
        return _approach(mind, percept, activity.object)  # it stands out of sight
    state = _find_state(item, activity.use) if item is not None else ""
    if item is not None and activity.use and not state:
        allowed = ", ".join(item.next_states) or "nothing"
        mind.note_wish(f"{item.id} is {item.state}: {activity.use!r}; it can become: {allowed}")
    if item is None or not state or item.state == state:
        activity.used = True
        return None
    activity.object = item.id
    if item.usable:
        if state not in item.lasting:
            before = mind.uses[item.id].before if item.id in mind.uses else item.state
            mind.uses[item.id] = TemporaryUse(before, state)
        return Interact(item.id, state, activity.text, activity.emoji or "✋")
    return _approach(mind, percept, item.id)


def _approach(mind: SmallvilleMind, percept: Percept, item: str) -> Action | None:
    """Return the way to an object; None where the agent stands beside it and still cannot."""
    if mind.going == item and (percept.result.arrived or not percept.result.ok):
        mind.activity.used = True
        return None
    return Move(item, mind.activity.text, mind.activity.emoji)


def _end_use(mind: SmallvilleMind, moment: Moment, doing: str) -> Action | None:
    """Return the step that puts an object back whose activity is over; None for none.

    Unless its state has changed since, is beside somebody else, or cannot be what it was: then
    it stays. What is out of reach waits until the agent is there again.
    """
    percept = moment.percept
    if percept.me.asleep:
        return None
    for id_, use in list(mind.uses.items()):
        item = find_object(percept, id_)
        wanted = mind.activity.object == id_ and moment.now < mind.activity.until
        if item is None or (wanted and mind.activity.use):
            continue
        if item.usable or item.state != use.since:
            del mind.uses[id_]
        beside = any(item.is_beside(x.tile) for x in percept.people)
        back = use.before in item.next_states and item.state == use.since and not beside
        if item.usable and back:
            return Interact(id_, use.before, doing or None)
    return None


def _find_state(item: SeenObject, words: str) -> str:
    """Return the state that `words` mean for the object; empty where it allows none like it."""
    if not words:
        return ""
    for state in (item.state, *item.next_states):
        if state.casefold() == words.casefold():
            return state
    return find_best_match(words, item.next_states) or (set_apart(words) if item.free_text else "")
