"""The model calls that led to an agent's acts at a tick: resource `why/AGENT/TICK` of a page.

A call led to an act where its reply says what was done: the words, the activity, the state of the
thing. Where no reply does, the latest call that decides acts of this kind counts; and each call
has those behind it that a policy names (`Policy.causes`): the plan behind a step, the decision to
talk behind the words. Of a policy that names none, all that it asked at last before the act count.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile

from genagents_env.memory.content import AskedCall, CallCause, Causes
from genagents_env.text import fold
from genagents_env.world.events import Event

# What an agent does by itself, and where its words are in the data of the event.
ACTS: Mapping[str, str] = {
    "say": "text",
    "doing": "doing",
    "object": "state",
    "converse": "",
    "leave": "",
    "arrive": "place",
    "fail": "",
}
_DEEP = 6  # calls behind one another
_LEAST = 4  # letters that a text must have to be found in a reply


def find_acts(events: Sequence[Event], agent: str, tick: int) -> tuple[Event, ...]:
    """Return the acts of `agent` at the last tick, up to `tick`, at which it did something."""
    own = (e for e in reversed(events) if e.agent == agent and e.kind in ACTS and e.tick <= tick)
    last = next(own, None)
    if last is None:
        return ()
    return (last, *takewhile(lambda event: event.tick == last.tick, own))[::-1]


def find_causes(
    acts: Sequence[Event], calls: Sequence[AskedCall], causes: Causes, people: Sequence[str]
) -> tuple[AskedCall, ...]:
    """Return the calls that led to `acts`, the oldest first, of those of a tick causes first.

    Args:
        acts: of one agent at one tick.
        calls: of that agent, ordered by tick.
        causes: of its policy; none where it says nothing, or its code is not run here.
        people: everybody's names.
    """
    before = [call for call in calls if acts and call.tick < acts[0].tick]
    if not causes:
        own = [call for call in before if not call.purpose.startswith("interview")]
        return tuple(call for call in own if call.tick == own[-1].tick)
    depths: dict[AskedCall, int] = {}
    for act in acts:
        concerned = _list_concerned(act, people)
        for call in _find_deciding(act, before, causes, concerned):
            for behind, depth in _list_behind(call, before, causes, concerned):
                depths[behind] = max(depth, depths.get(behind, 0))
    order = sorted(depths, key=lambda call: (call.tick, -depths[call], call.purpose, call.number))
    return tuple(order)


def _find_deciding(
    act: Event, calls: Sequence[AskedCall], causes: Causes, concerned: Sequence[str]
) -> Iterator[AskedCall]:
    """Yield the call whose reply says what was done, else the latest of those that decide such."""
    groups = causes.get(act.kind, ())
    words = fold(str(act.data.get(ACTS[act.kind], "")))
    if len(words) >= _LEAST:
        for call in reversed(calls):
            if any(_is_of(call.purpose, group) for group in groups) and words in _fold(call.reply):
                yield call
                return
    for group in groups:
        if (latest := _find_latest(calls, group, concerned)) is not None:
            yield latest


def _list_behind(
    call: AskedCall,
    calls: Sequence[AskedCall],
    causes: Causes,
    concerned: Sequence[str],
    depth: int = 0,
) -> Iterator[tuple[AskedCall, int]]:
    """Yield a call and those behind it, each with how far behind."""
    yield call, depth
    groups = next((g for p, g in causes.items() if p in _name_families(call.purpose)), ())
    earlier = [family for family in calls if family.tick <= call.tick and family is not call]
    for group in groups:
        latest = _find_latest(earlier, group, concerned)
        if latest is not None and depth < _DEEP:
            rest = [family for family in earlier if family.tick <= latest.tick]
            yield from _list_behind(latest, rest, causes, concerned, depth + 1)


def _find_latest(
    calls: Sequence[AskedCall], group: CallCause, concerned: Sequence[str]
) -> AskedCall | None:
    fitting = (call for call in reversed(calls) if _is_of(call.purpose, group))
    if not group.names:
        return next(fitting, None)
    return next((call for call in fitting if _is_about(call, concerned)), None)


@lru_cache(maxsize=2**10)
def _is_of(purpose: str, group: CallCause) -> bool:
    return any(name in _name_families(purpose) for name in group.purposes)


def _name_families(purpose: str) -> tuple[str, str]:
    """Return a purpose, and with what all of its faculty begin."""
    return purpose, f"{purpose.partition('.')[0]}."


def _is_about(call: AskedCall, concerned: Sequence[str]) -> bool:
    """Return True if a reply, or the question it answers, names one of these people."""
    asked = call.prompt.rstrip().rpartition("\n")[2]
    return any(name in asked or name in call.reply for name in concerned)


def _list_concerned(act: Event, people: Sequence[str]) -> list[str]:
    """Return the others whom an act is about: those spoken to, or in the conversation."""
    to, members = act.data.get("to"), act.data.get("members") or act.data.get("heard_by") or ()
    named = [to] if to else list(members)
    return [name for name in people if name in named and name != act.agent]


@lru_cache(maxsize=2**12)  # the replies of one mind are looked through again and again
def _fold(reply: str) -> str:
    return fold(" ".join(_list_texts(_parse(reply))))


def _parse(reply: str) -> object:
    try:
        return json.loads(reply)
    except (ValueError, RecursionError):
        return reply


def _list_texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _list_texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _list_texts(part)
