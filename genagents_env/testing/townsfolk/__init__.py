"""Townsfolk: models without a network that live sensibly and have one habit each.

They answer what the minds of this package ask: plan by the routine, go where their plans name,
find news important, and remember it; secrets they keep to themselves. They differ in what they do
with news, so that what is measured of a run can be held against its cause:

- `gossip` speaks to everyone it may, passes on the news it knows, goes to what it hears of, and
  answers interviews honestly, naming what it rests on;
- `chatty` does the same and is never at a loss: with no news to tell, it tells what it remembers;
- `mute` does as `gossip`, but never says a word, so that nothing spreads by talk;
- `inventor` is as mute, and in interviews affirms whatever it is asked, out of nothing.

Each is a pure function of the request. What is asked is told by the fields of the reply's schema;
a schema that is not known gets a sample.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from genagents_env.llm.calls import CompletionRequest
from genagents_env.testing.sample import sample_schema
from genagents_env.testing.townsfolk import day, interview, judge, lyfe, mind, place, talk
from genagents_env.testing.townsfolk.news import PATTERN, Taste
from genagents_env.testing.townsfolk.prompt import Prompt, read

__all__ = [
    "PATTERN",
    "chatty",
    "chatty_rule",
    "gossip",
    "gossip_rule",
    "inventor",
    "inventor_rule",
    "mute",
    "mute_rule",
]

Rule: TypeAlias = Callable[[CompletionRequest], str]
Habit: TypeAlias = Callable[[Prompt, Taste], Mapping[str, Any]]
Habits: TypeAlias = Mapping[frozenset[str], Habit]

_REACTION = frozenset(("choice", "what", "minutes"))
_UTTERANCE = frozenset(("say", "end"))
_ANSWER = frozenset(("answer", "because"))
_OPTION = frozenset(("option", "target", "subgoal"))
_WORDS = frozenset(("say",))

_GOSSIP: Habits = {
    frozenset(("yesterday", "status", "requirements")): day.renewal,
    frozenset(("wake_hour", "outline")): day.outline,
    frozenset(("hours",)): day.hours,
    frozenset(("pieces",)): day.pieces,
    frozenset(("spots",)): place.spots,
    frozenset(("where",)): place.choice,
    frozenset(("thing", "state", "emoji")): place.use,
    frozenset(("ratings",)): mind.ratings,
    frozenset(("core", "occupation", "progress")): mind.description,
    frozenset(("questions",)): mind.questions,
    frozenset(("insights",)): mind.insights,
    _REACTION: talk.talkative,
    frozenset(("relationship",)): talk.relation,
    _UTTERANCE: talk.utterance,
    frozenset(("remember", "plan", "importance", "changes_plan")): talk.memo,
    _ANSWER: interview.honest,
    _OPTION: lyfe.sociable,
    _WORDS: lyfe.words,
    frozenset(("thought",)): lyfe.thought,
    frozenset(("summary",)): lyfe.summary,
    frozenset(("memory",)): lyfe.memory,
    frozenset(("why", "verdict")): judge.verdict,
}
_CHATTY: Habits = {**_GOSSIP, _UTTERANCE: talk.chat, _WORDS: lyfe.chat}
_MUTE: Habits = {
    **_GOSSIP,
    _REACTION: talk.reserved,
    _UTTERANCE: talk.silence,
    _OPTION: lyfe.reserved,
    _WORDS: lyfe.silence,
}
_INVENTOR: Habits = {**_MUTE, _ANSWER: interview.inventive}


def gossip_rule(pattern: str = PATTERN) -> Rule:
    """Return the model that passes on what matches `pattern`, in any case."""
    return _rule(_GOSSIP, pattern)


def chatty_rule(pattern: str = PATTERN) -> Rule:
    """Return the gossip that also tells of itself."""
    return _rule(_CHATTY, pattern)


def mute_rule(pattern: str = PATTERN) -> Rule:
    """Return the model that never says a word; `pattern` is what it finds important."""
    return _rule(_MUTE, pattern)


def inventor_rule(pattern: str = PATTERN) -> Rule:
    """Return the mute model that claims in interviews to know whatever it is asked."""
    return _rule(_INVENTOR, pattern)


def _rule(habits: Habits, pattern: str) -> Rule:
    taste = re.compile(pattern, re.IGNORECASE)

    def rule(request: CompletionRequest) -> str:
        prompt = read(request)
        habit = habits.get(prompt.fields())
        if habit is None:
            return sample_schema(request)
        return json.dumps(habit(prompt, taste), ensure_ascii=False)

    return rule


gossip: Rule = gossip_rule()
chatty: Rule = chatty_rule()
mute: Rule = mute_rule()
inventor: Rule = inventor_rule()
