"""How scripted people talk: a greeting, the facts they know, an answer, and good-bye."""

from datetime import time

from genagents_env.actions import Action, Idle, Talk
from genagents_env.percept import HeardWords, Percept
from genagents_env.rng import draw_index, draw_unit

from .state import Chat, ScriptedConfig, ScriptedState

OPENING = "Have you heard? "
QUOTED_AT_MOST = 300  # characters of someone's own words that are passed on
REPLY_SECONDS = 30  # silence after the agent's own words before it goes
BUSY_SECONDS = 30  # after someone was heard talking to others they are not interrupted
STAGGER_SECONDS = 10  # apart from each other, members answer what was said to another
MOST_SAID = 6  # utterances in one conversation, so that routines go on
BETWEEN_SECONDS = 60  # from one conversation to the next greeting


def listen(memory: ScriptedState, percept: Percept, now: int) -> None:
    """Take in what came of the agent's last words, and what was heard."""
    chat, talk = memory.chat, percept.conversation
    if talk is None:
        if chat.id >= 0:
            memory.quiet_until = now + BETWEEN_SECONDS
            chat.id = -1
    elif talk.id != chat.id:
        memory.chat = chat = Chat(talk.id, last=now, telling=chat.telling)
    if memory.last == "Talk":
        _confirm(memory, percept, now)
    for words in percept.heard:
        _hear(memory, percept, words, now)


def converse(
    memory: ScriptedState, percept: Percept, now: int, config: ScriptedConfig, seed: int
) -> Action | None:
    """Return the action in the agent's conversation; None where there is none."""
    talk, chat = percept.conversation, memory.chat
    if talk is None:
        return None
    others = [name for name in talk.members if name != percept.me.name]
    memory.met.update(dict.fromkeys(others, now))
    waited = now - chat.last
    if config.mute or not others or chat.said >= MOST_SAID or waited > 4 * REPLY_SECONDS:
        return Talk(None, "", leave=True)
    if not talk.may_speak or now < chat.turn or (chat.mine and waited < REPLY_SECONDS):
        return Idle(f"talking to {' and '.join(others)}", "💬")
    if chat.mine:
        return Talk(None, "", leave=True)
    to = next((name for name in others if _list_untold(memory, percept, name, config, seed)), None)
    if to is not None:
        opening = (
            "" if chat.said else f"{choose_greeting(percept.time.time())}, {_find_first_name(to)}! "
        )
        return _tell(memory, percept, to, opening, config, seed)
    return Talk(
        others[0], _say_goodbye(chat, _find_first_name(others[0]), percept.time.time()), leave=True
    )


def greet(
    memory: ScriptedState, percept: Percept, now: int, config: ScriptedConfig, seed: int
) -> Action | None:
    """Return a greeting where someone stands near who was not met lately; otherwise None."""
    if config.mute or percept.conversation is not None or now < memory.quiet_until:
        return None
    for person in percept.people:
        if person.distance > config.near:
            break
        if person.asleep or now - memory.busy.get(person.name, -BUSY_SECONDS) < BUSY_SECONDS:
            continue
        if not _is_due(memory, percept, person.name, now, config, seed):
            continue
        if not _is_first_to_speak(percept.me.name, person.name, now, seed):
            continue
        memory.met[person.name] = now
        memory.quiet_until = now + BETWEEN_SECONDS
        hello = f"{choose_greeting(percept.time.time())}, {_find_first_name(person.name)}! "
        if _list_untold(memory, percept, person.name, config, seed):
            return _tell(memory, percept, person.name, hello, config, seed)
        return Talk(person.name, hello.strip())
    return None


def choose_greeting(clock: time) -> str:
    """Return the words for the time of day."""
    if 4 <= clock.hour < 12:
        return "Good morning"
    return "Good afternoon" if 12 <= clock.hour < 18 else "Good evening"


def _say_goodbye(chat: Chat, name: str, clock: time) -> str:
    if chat.thanks:
        return f"Thank you for telling me, {name}. See you!"
    return f"See you, {name}!" if chat.said else f"{choose_greeting(clock)}, {name}! I must get on."


def format_fact(words: HeardWords) -> str:
    """Return a fact as it is passed on: the bare sentence, or who said what.

    What another scripted person said comes after the opening, and stays as it is however often
    it is passed on; the words of others are quoted.
    """
    _, opening, rest = words.text.partition(OPENING)
    if opening and rest:
        return rest
    quoted = words.text[:QUOTED_AT_MOST].strip()
    return f"{words.speaker} says: “{quoted}”" if words.speaker else quoted


def _hear(memory: ScriptedState, percept: Percept, words: HeardWords, now: int) -> None:
    for fact in words.facts:
        if fact not in memory.facts:
            memory.facts[fact], memory.sources[fact] = format_fact(words), words.event_id
        if words.speaker is not None:
            memory.tell(fact, words.speaker)
    talk = percept.conversation
    if words.speaker is None or words.kind != "speech":
        return
    memory.voices.setdefault(words.speaker, words.event_id)
    if not words.addressed and (talk is None or words.speaker not in talk.members):
        memory.busy[words.speaker] = now
        return
    memory.met[words.speaker] = now
    memory.chat.mine, memory.chat.last = False, now
    memory.chat.turn = now if words.addressed else now + _count_stagger(percept)
    memory.chat.thanks = bool(words.facts)


def _count_stagger(percept: Percept) -> int:
    """Return the seconds this member waits, so that not all speak at the same moment."""
    talk, me = percept.conversation, percept.me.name
    place = talk.members.index(me) if talk is not None and me in talk.members else 0
    return STAGGER_SECONDS * (1 + place)


def _confirm(memory: ScriptedState, percept: Percept, now: int) -> None:
    """Count the agent's last words as said, and the facts in them as told, where they were."""
    chat, telling = memory.chat, memory.chat.telling
    chat.telling = []
    if not percept.result.ok:
        if percept.conversation is not None:
            chat.turn = now + _count_stagger(percept)
        return
    chat.said, chat.mine, chat.last = chat.said + 1, True, now
    if telling:
        members = percept.conversation.members if percept.conversation is not None else ()
        for name in dict.fromkeys((telling[0], *members)):
            for fact in telling[1:]:
                memory.tell(fact, name)


def _is_first_to_speak(me: str, other: str, now: int, seed: int) -> bool:
    """Return whether, of two who would greet each other at the same moment, this one does."""
    first = draw_index(seed, 2, "greets", min(me, other), max(me, other), now)
    return (me > other) == bool(first)


def _is_due(
    memory: ScriptedState, percept: Percept, name: str, now: int, config: ScriptedConfig, seed: int
) -> bool:
    """Return whether to speak to `name`: not met today, not for long, or there is news."""
    if name not in memory.met:
        return True
    ago = now - memory.met[name]
    clock = percept.time.time()
    today = clock.hour * 3600 + clock.minute * 60 + clock.second
    if ago >= config.greet_again_minutes * 60 or ago > today:
        return True
    return ago >= config.retell_minutes * 60 and bool(
        _list_untold(memory, percept, name, config, seed)
    )


def _list_untold(
    memory: ScriptedState, percept: Percept, name: str, config: ScriptedConfig, seed: int
) -> list[str]:
    """Return the facts the agent would tell `name` and has not."""
    me = percept.me.name
    return [
        fact
        for fact in memory.facts
        if fact not in memory.secrets
        if not memory.knows(fact, name) and draw_unit(seed, "share", fact, me, name) < config.share
    ]


def _tell(
    memory: ScriptedState, percept: Percept, to: str, before: str, config: ScriptedConfig, seed: int
) -> Talk:
    """Return the first fact the agent has for `to`, and remember to count it once it is said."""
    first = _list_untold(memory, percept, to, config, seed)[0]
    words = memory.facts[first]
    together = [fact for fact, text in memory.facts.items() if text == words]
    memory.chat.telling = [to, *together]
    return Talk(to, f"{before}{OPENING}{words}")


def _find_first_name(name: str) -> str:
    return name.split()[0] if name.split() else name
