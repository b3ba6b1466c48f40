"""Pursue: what one does by oneself, without a model: an activity, a walk, an invitation.

Source: AI Town, agent.ts and aiTown/agentOperations.ts (January 2026). There whoever is first among
those one may invite is asked, since all distances are computed as 0; here the nearest is.
"""

from collections.abc import Sequence

from genagents_env.actions import Action, Idle, Move
from genagents_env.cognition.names import find_owner_names
from genagents_env.cognition.query import Moment
from genagents_env.cognition.routine import is_in_bed
from genagents_env.percept import SeenPerson
from genagents_env.rng import draw_bits, draw_index
from genagents_env.scenario.plan import Hours

from . import groups, signs
from .mind import AiTownMind, TalkState

_EMOJI = {"reading a book": "📖", "daydreaming": "💭", "gardening": "🌱"}
_WALKING, _ANY, _THINKING = "🚶", "🙂", "🤔"


def advance(mind: AiTownMind, moment: Moment) -> None:
    """Begin, go on with or end what one does by oneself; a talk is begun here, too."""
    bedtime = mind.config.sleep and is_in_bed(mind.profile, moment.percept.time.time())
    if mind.talk is not None or moment.percept.me.asleep or bedtime:
        return
    if mind.pursuit.heading and not _is_on_the_way(mind, moment):
        mind.pursuit.heading, mind.ignored = "", []  # the walk is over
    if mind.config.meet == "collision":
        _meet(mind, moment)
        if mind.talk is None and not mind.pursuit.heading:
            _set_out(mind, moment)
        return
    if mind.pursuit.activity:
        if moment.now < mind.pursuit.until:
            return
        mind.end_activity(moment.now)
    if mind.pursuit.heading:
        _invite(mind, moment)
    elif _has_just_left(mind, moment.now):
        _set_out(mind, moment)
    else:
        _begin_activity(mind, moment)


def choose_action(mind: AiTownMind) -> Action:
    """Return the next step of what one does by oneself."""
    pursuit = mind.pursuit
    if mind.is_busy("reflect"):
        return Idle("lost in thought", _THINKING)
    if pursuit.heading:
        return Move(pursuit.heading, signs.STROLLING, _WALKING)
    if pursuit.activity:
        return Idle(pursuit.activity, _EMOJI.get(pursuit.activity, _ANY))
    return Idle("looking round", _ANY)


def sets_out_alone(mind: AiTownMind, moment: Moment) -> bool:
    """Return True if one has just come to the end of a walk or an activity, with nobody near."""
    resting = mind.pursuit.activity and moment.now < mind.pursuit.until
    if mind.talk is not None or resting or _is_on_the_way(mind, moment):
        return False
    return not list_people_in_reach(mind, moment)


def list_people_in_reach(mind: AiTownMind, moment: Moment) -> list[SeenPerson]:
    """List the people awake, in the same room and in earshot, the nearest first."""
    percept, most = moment.percept, mind.config.reach_tiles
    return [
        seen
        for seen in percept.people
        if not seen.asleep and seen.distance <= most and seen.place == percept.me.place
    ]


def find_invitee(mind: AiTownMind, moment: Moment) -> str:
    """Find the nearest free person to invite; empty for nobody, or where others are faster.

    Of those who are seen walking, as one does when one invites, only one invites at a tick: in AI
    Town the engine asks them one after another.
    """
    reach = list_people_in_reach(mind, moment)
    free = [
        seen.name
        for seen in reach
        if not signs.is_engaged(seen.doing) and not groups.is_resting(mind, seen.name, moment.now)
    ]
    rivals = [seen.name for seen in moment.percept.people if seen.doing == signs.STROLLING]
    if not free or not _is_first(mind, rivals, moment.tick):
        return ""
    return min(free) if mind.config.invite_first_in_list else free[0]


def _is_first(mind: AiTownMind, rivals: Sequence[str], tick: int) -> bool:
    def draw(name: str) -> int:
        return draw_bits(mind.services.seed, "invites", tick, name)

    return all(draw(name) < draw(mind.name) for name in rivals)


def _invite(mind: AiTownMind, moment: Moment) -> None:
    now, config = moment.now, mind.config
    if now - mind.left < config.talk_cooldown or now - mind.tried < config.invite_cooldown:
        return
    if moment.percept.conversation is not None or not (name := find_invitee(mind, moment)):
        return
    mind.tried = now
    mind.begin_talk(TalkState([name], "inviting", now, mine=True))


def _meet(mind: AiTownMind, moment: Moment) -> None:
    """Be in the group that stands near one another, where there is one."""
    if moment.percept.conversation is not None or not (group := groups.find_group(mind, moment)):
        return
    leads = groups.find_leader(mind, group) == mind.name
    talk = TalkState(group, "talking", moment.now, mine=leads, started=moment.now)
    mind.begin_talk(talk)


def _is_on_the_way(mind: AiTownMind, moment: Moment) -> bool:
    """Return True if the agent is walking, and neither there nor kept from going on."""
    pursuit, result = mind.pursuit, moment.percept.result
    if not pursuit.heading:
        return False
    walked = mind.step.kind == "move" and mind.step.place == pursuit.heading
    over = walked and (result.arrived or not result.ok)
    return not over and moment.now - pursuit.since < mind.config.wander_seconds


def _has_just_left(mind: AiTownMind, now: int) -> bool:
    config = mind.config
    return now - mind.rested < config.activity_cooldown or now - mind.left < config.talk_cooldown


def _set_out(mind: AiTownMind, moment: Moment) -> None:
    """Set out for a place by chance."""
    if around := list_goals(mind, moment):
        at = draw_index(mind.services.seed, len(around), "wanders", moment.tick, mind.agent)
        mind.pursuit.heading, mind.pursuit.since = around[at], moment.now


def list_goals(mind: AiTownMind, moment: Moment) -> list[str]:
    """List the rooms one may walk to: open ones that bear nobody else's name."""
    percept, own = moment.percept, {place.id: place for place in mind.profile.town}
    clock = percept.time
    minute = 60 * clock.hour + clock.minute
    closed = {
        id_ for id_, place in own.items() if not (place.admits and _is_open(place.hours, minute))
    }
    wholes = {id_.split("/")[0] for id_ in percept.known if "/" in id_}
    mine = set(mind.name.split())
    closed |= {
        id_
        for id_ in percept.known
        if (names := find_owner_names(mind.profile, id_)) and not names & mine
    }
    places = percept.exits if mind.config.wander == "near" else ()
    return [
        place
        for place in places or percept.known
        if place != percept.me.place and place not in closed and place not in wholes
    ]


def _is_open(hours: Sequence[Hours], minute: int) -> bool:
    return not hours or any(span.contains(minute) for span in hours)


def _begin_activity(mind: AiTownMind, moment: Moment) -> None:
    several = mind.config.activities
    at = draw_index(mind.services.seed, len(several), "does", moment.tick, mind.agent)
    mind.pursuit.activity = several[at]
    mind.pursuit.until = moment.now + mind.config.activity_seconds
