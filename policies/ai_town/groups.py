"""Groups, in the preset of 2023: those who come near one another talk, whoever they are.

A group is everybody who is near somebody of it. The first by name leads: they speak first. A
speaker looks at whom the model chose to speak next, and that one sees it. Nobody presides: all
compute the group from what they see.
Source: AI Town, agent.ts and conversation.ts (September 2023), where the engine moderates.
"""

from collections.abc import Sequence

from genagents_env.cognition.prompts import find_person
from genagents_env.cognition.query import Moment
from genagents_env.percept import SeenPerson
from genagents_env.rng import draw_index

from . import signs
from .mind import LONG_AGO, AiTownMind, TalkState

_PATIENCE = 30  # seconds for which one who was near waits for the others to speak, or to go on
_RETRY = 60  # seconds after the town refused for the first time
_ALONE = 2  # ticks after its last words for which a group is taken to be together


def find_group(mind: AiTownMind, moment: Moment) -> list[str]:
    """Return with whom the agent forms a group now, the nearest first; nobody while asleep."""
    if moment.percept.me.asleep:
        return []
    free = [seen for seen in moment.percept.people if _is_free(mind, seen, moment.now)]
    places = {seen.name: seen.tile for seen in free if seen.place == moment.percept.me.place}
    reached, group = [moment.percept.me.tile], list[str]()
    while reached:
        x, y = reached.pop(0)
        for name, (other_x, other_y) in places.items():
            apart = abs(x - other_x) + abs(y - other_y)
            if name not in group and apart < mind.config.group_tiles:
                group.append(name)
                reached.append((other_x, other_y))
    return group


def find_leader(mind: AiTownMind, group: Sequence[str]) -> str:
    """Return the leader of a group, who speaks first: the first by name."""
    return min(mind.name, *group)


def _is_free(mind: AiTownMind, seen: SeenPerson, now: int) -> bool:
    if seen.asleep or seen.name in mind.ignored or signs.is_engaged(seen.doing):
        return False
    return not is_resting(mind, seen.name, now)


def is_resting(mind: AiTownMind, name: str, now: int) -> bool:
    """Return True if the agent leaves somebody alone for now: they talked, or may not yet."""
    wait = mind.config.pair_seconds
    lately = now - mind.talked.get(name, LONG_AGO) < wait
    return (
        lately
        or must_wait(mind, name, now)
        or now - mind.declined.get(name, LONG_AGO) < (wait or _RETRY)
    )


def must_wait(mind: AiTownMind, name: str, now: int) -> bool:
    """Return True if the town would not let the two talk again yet, as far as the agent knows."""
    return now - mind.talked.get(name, LONG_AGO) < mind.spacing


def note_refusal(mind: AiTownMind, name: str, now: int) -> None:
    """Learn that the town did not let the agent talk to somebody: wait for twice as long.

    It does not say for how long two have to leave each other alone, which depends on the town.
    """
    mind.declined[name] = now
    if name in mind.talked:
        mind.spacing = max(mind.spacing, _RETRY, 2 * (now - mind.talked[name]))


def note_members(
    mind: AiTownMind, talk: TalkState, others: Sequence[str], gone: Sequence[str]
) -> None:
    """Note who is in the talk; where one has walked away it is over for everyone."""
    talk.others = list(dict.fromkeys([*talk.others, *others]))
    over = mind.config.ends_for_all and any(line.speaker in gone for line in talk.lines)
    # Of the last two the first by name leaves: the other is then alone, and in no talk either.
    if over and (len(others) > 1 or mind.name < others[0]):
        talk.leaving, talk.unsaid = True, ""


def is_together(mind: AiTownMind, talk: TalkState, moment: Moment) -> bool:
    """Return True if an agent who only listens so far is still in a group that talks.

    The town knows it as a member once it has spoken, or was spoken to by name.
    """
    if any(line.speaker == mind.name for line in talk.lines):
        return False
    since_begun = moment.now - talk.begun
    if talk.leaving or since_begun > mind.config.talk_seconds + _PATIENCE:
        return False
    if not talk.lines and since_begun < _PATIENCE:
        return True
    second = mind.services.seconds_per_tick
    if talk.lines and moment.now - talk.lines[-1].at <= _ALONE * second:
        return True
    members = [person for person in moment.percept.people if person.name in talk.others]
    return any(signs.is_engaged(person.doing) for person in members)


def is_mine(mind: AiTownMind, talk: TalkState) -> bool:
    """Return True if it is the agent's turn to speak: it leads, or was looked at."""
    return talk.turn == mind.name if talk.lines else talk.mine


def is_over(mind: AiTownMind, talk: TalkState, now: int) -> bool:
    """Return True if it is for the agent to end a talk that has lasted for long enough.

    Whose turn it is does; where that one does not, everybody a little later.
    """
    if not talk.lines:
        return False
    lasted = now - talk.started - mind.config.talk_seconds
    late = _ALONE * mind.services.seconds_per_tick
    return lasted > late or (lasted >= 0 and is_mine(mind, talk))


def find_turn(mind: AiTownMind, talk: TalkState, speaker: str, moment: Moment) -> str:
    """Find the next speaker: whom the last person looks at, else the first by name."""
    seen = find_person(moment.percept, speaker)
    gaze = signs.find_gaze(seen.doing) if seen is not None else ""
    if gaze:
        return gaze
    names = sorted(name for name in (mind.name, *talk.others) if name != speaker)
    return names[0]


def draw_next(mind: AiTownMind, talk: TalkState) -> str:
    """Draw who is to speak after the agent, where the model chooses nobody."""
    names = sorted(talk.others)
    seed = mind.services.seed
    return names[draw_index(seed, len(names), "next", mind.tick, mind.agent)] if names else ""
