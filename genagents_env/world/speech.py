"""Speech: hearers, opening and ending conversations, news, and small talk."""

from collections.abc import Iterable

import numpy as np

from genagents_env.world.conversations import OpenConversation
from genagents_env.world.resolved import ResolvedSpeak
from genagents_env.world.snapshot import ActionOutcome, Sound
from genagents_env.world.state import WorldState

TALK_EMOJI = "💬"
TOO_LONG = (
    "You have been in this conversation too long and were removed from it. Choose what to do next."
)
TAKEN = "someone else was speaking"
ENGAGED = "is talking to somebody and does not answer the telephone"


def find_hearers(state: WorldState, i: int) -> list[int]:
    """Return the people near enough to hear `i` (asleep or not), ascending."""
    return state.earshot.find_hearers(i, state.tile, state.present)


def find_refusal(state: WorldState, i: int, j: int, near: list[int]) -> str | None:
    """Return the reason why `i` may not speak to `j`, or None; `near` are those in earshot."""
    if i == j:
        return "one does not address oneself"
    if not _can_reach(state, i, j, near):
        return f"{state.town.names[j]} is out of earshot"
    if j not in near and _is_engaged(state, i, j):
        return f"{state.town.names[j]} {ENGAGED}"
    return state.conversations.find_refusal(i, j, state.tick)


def speak(state: WorldState, i: int, act: ResolvedSpeak) -> None:
    """Speak, if allowed; hearers hear it at the end of this tick."""
    if act.leave and not act.text:
        if state.conversations.of[i] < 0:
            state.fail(i, "talk", "you are in no conversation")
        else:
            leave(state, i, "said_so")
            state.outcomes[i] = ActionOutcome(True, "You left the conversation.")
        return
    near = find_hearers(state, i)
    reason = _find_objection(state, i, act, near)
    if reason is not None:
        state.fail(i, "talk", reason)
        return
    talk = _enter(state, i, act.to, near)
    last = state.conversations.count_utterance(i, state.tick) if talk is not None else False
    _utter(state, i, act, near, talk)
    partner = "those around" if act.to is None else state.town.names[act.to]
    state.show(i, act.doing or f"talking to {partner}", act.emoji or TALK_EMOJI)
    if talk is not None and act.leave:
        leave(state, i, "said_so")
    elif last:
        event = leave(state, i, "limit")
        state.hear(i, Sound("notice", None, TOO_LONG, True, False, (), event))


def leave(state: WorldState, i: int, reason: str) -> int:
    """Take `i` out of the conversation, and anyone left alone in it; return the event's id."""
    talk = state.conversations.remove(i, state.tick)
    event = state.log.emit("leave", i, conversation=talk.id, reason=reason)
    if len(talk.members) == 1:
        other = talk.members[0]
        state.conversations.remove(other, state.tick)
        state.log.emit("leave", other, conversation=talk.id, reason="alone")
    return event


def end_conversations(state: WorldState) -> None:
    """End memberships that walking off, sleep or silence have ended."""
    state.conversations.expire(state.tick)
    for talk in list(state.conversations.open.values()):
        silent = state.tick - talk.last >= state.conversations.idle
        for i in list(talk.members):
            if i not in talk.members:
                continue
            if not state.all_awake and state.asleep[i]:
                leave(state, i, "asleep")
            elif not talk.remote and not set(find_hearers(state, i)) & set(talk.members):
                leave(state, i, "walked_away")
            elif silent:
                leave(state, i, "silence")


def spread_news(state: WorldState, text: str, place: str | None) -> None:
    """Let everyone awake in `place` (everywhere if None) hear `text`."""
    arenas = None if place is None else state.town.places.find_arenas(place)
    hearers = [
        i
        for i in np.flatnonzero(state.present & ~state.asleep).tolist()
        if arenas is None or int(state.arena[i]) in arenas
    ]
    facts = state.town.people.find_facts(text)
    names = [state.town.names[i] for i in hearers]
    event = state.log.emit("news", None, text=text, place=place, heard_by=names)
    ids = tuple(state.town.people.fact_ids[f] for f in facts)
    for i in hearers:
        state.hear(i, Sound("news", None, text, False, False, ids, event))
        for fact in facts:
            state.learn_fact(i, fact, event, None)


def make_small_talk(state: WorldState, i: int, j: int) -> str:
    """Greet `j`, with a fact that `i` knows and has not yet passed on to `j`, if any.

    Never a secret one: a choice from the menu is not meant to reveal it.
    """
    hello = f"Hello {state.town.names[j].split(' ')[0]}."
    for fact, statement in enumerate(state.town.people.statements):
        if state.town.people.secret[fact]:
            continue
        if state.facts[i] >> fact & 1 and (i, j, fact) not in state.told:
            return f"{hello} {statement}"
    return hello


def _find_objection(state: WorldState, i: int, act: ResolvedSpeak, near: list[int]) -> str | None:
    talks, j = state.conversations, act.to
    if j is not None:
        reason = find_refusal(state, i, j, near)
    else:
        reason = talks.check_turn(i) if talks.of[i] >= 0 else None
    if reason is not None:
        return reason
    # The conversation in which `i` speaks, if it is open already.
    talk = talks.of[i] if j is None or talks.of[j] < 0 else talks.of[j]
    return TAKEN if talks.is_taken(talk, state.tick) else None


def _can_reach(state: WorldState, i: int, j: int, near: list[int]) -> bool:
    talks = state.conversations
    mine = talks.of[i]
    if j in near or (mine >= 0 and mine == talks.of[j] and talks.open[mine].remote):
        return True
    people = state.town.scenario.people
    return bool(
        state.town.scenario.rules.phone
        and people[i].phone
        and people[j].phone
        and state.present[j]
        and state.is_acquainted(i, j)
    )


def _is_engaged(state: WorldState, i: int, j: int) -> bool:
    """Return True if `j` is in a conversation that `i`, who is far off, would not be heard in."""
    talk = state.conversations.open.get(state.conversations.of[j])
    return talk is not None and not talk.remote and state.conversations.of[i] != talk.id


def _enter(state: WorldState, i: int, j: int | None, near: list[int]) -> OpenConversation | None:
    """Open or join the conversation that speaking to `j` means; None for open speech."""
    mine = state.conversations.of[i]
    if j is None:
        return state.conversations.open.get(mine)
    theirs = state.conversations.of[j]
    if mine >= 0 and theirs >= 0 and mine != theirs:
        leave(state, i, "said_so")
        mine = -1
    if mine < 0 and theirs < 0:
        talk = state.conversations.begin(i, j, state.tick, remote=j not in near)
        _announce_member(state, talk, i)
        _announce_member(state, talk, j)
    elif mine == theirs:
        talk = state.conversations.open[mine]
    else:
        talk = state.conversations.open[max(mine, theirs)]
        joiner = i if mine < 0 else j
        state.conversations.add(talk, joiner)
        _announce_member(state, talk, joiner)
    if state.asleep[j]:
        state.wake(j, "speech")
    return talk


def _announce_member(state: WorldState, talk: OpenConversation, i: int) -> None:
    members = [state.town.names[m] for m in talk.members]
    state.log.emit("converse", i, conversation=talk.id, members=members)


def _utter(
    state: WorldState, i: int, act: ResolvedSpeak, near: list[int], talk: OpenConversation | None
) -> None:
    members = [m for m in talk.members if m != i] if talk is not None else []
    remote = talk is not None and talk.remote
    awake = near if state.all_awake else [j for j in near if not state.asleep[j]]
    if talk is None:
        addressed = awake
    else:
        addressed = sorted(members if remote else set(members).intersection(near))
    overhear = state.town.scenario.rules.overhear and addressed is not awake
    hearers = sorted({*addressed, *awake}) if overhear else addressed
    names = state.town.names
    facts = state.town.people.find_facts(act.text)
    claims: dict[str, list[str]] = {}
    if state.town.scenario.rules.claims:
        held = state.facts[i]
        claims["claims"] = _name_facts(state, [f for f in facts if not held >> f & 1])
        facts = tuple(f for f in facts if held >> f & 1)
    ids = tuple(_name_facts(state, facts))
    event = state.log.emit(
        "say",
        i,
        text=act.text,
        to=None if act.to is None else names[act.to],
        addressed=[names[j] for j in addressed],
        heard_by=[names[j] for j in hearers],
        conversation=None if talk is None else talk.id,
        phone=remote,
        facts=list(ids),
        **claims,
    )
    state.spoken.append((i, act.text))
    state.outcomes[i] = ActionOutcome(True, "" if hearers else "Nobody heard you.")
    addressed_words = Sound("speech", i, act.text, True, remote, ids, event)
    overheard = Sound("speech", i, act.text, False, False, ids, event)
    reached = set(addressed)
    for j in hearers:
        state.hear(j, addressed_words if j in reached else overheard)
        for fact in facts:
            state.told.add((i, j, fact))
            state.learn_fact(j, fact, event, names[i])


def _name_facts(state: WorldState, facts: Iterable[int]) -> list[str]:
    return [state.town.people.fact_ids[fact] for fact in facts]
