"""What a policy provides so that scripted models can answer its prompts.

A *behaviour* is a way to answer, the same for every policy. They differ in what is done with news,
so that what is measured of a run can be checked against its cause:

- `gossip` speaks to everyone it may, passes on the news it knows, goes to what it hears of, and
  answers interviews truthfully, naming its evidence;
- `chatty` does the same and, with no news to tell, tells what it remembers;
- `neighbour` lives days of fine grain: steps of some minutes with the things that they need, talks
  of some length, appointments, reflections; a policy that has no rules of its own for it has those
  of `chatty`;
- `mute` does as `gossip`, but never says a word, so that nothing spreads by talk;
- `inventor` is as silent, and in interviews affirms whatever it is asked, without evidence.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, TypeAlias, get_args

from pydantic import BaseModel

from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.schemas import PlainReply, schema_name
from genagents_env.llm.scripted.prompt import Prompt, read_prompt
from genagents_env.llm.scripted.sample import sample_schema

Behaviour: TypeAlias = Literal["gossip", "chatty", "neighbour", "mute", "inventor"]
BEHAVIOURS: tuple[Behaviour, ...] = get_args(Behaviour)

# From a prompt to the fields of the reply; a pure function.
ReplyRule: TypeAlias = Callable[[Prompt], Mapping[str, object]]
# The rule for each reply model that a policy asks for; what is left out gets a sample.
ReplyRules: TypeAlias = Mapping[type[BaseModel], ReplyRule]
ScriptedReplies: TypeAlias = Mapping[Behaviour, ReplyRules]

_Key: TypeAlias = tuple[str, frozenset[str]]


def _find_rules(replies: ScriptedReplies, behaviour: Behaviour) -> ReplyRules:
    """Return a policy's rules for a behaviour; those of the chatty where it has no neighbour."""
    if behaviour == "neighbour" and behaviour not in replies:
        return replies.get("chatty", {})
    return replies.get(behaviour, {})


class BehaviourRule:
    """Answers each request by the rule of its reply model; with a sample where there is none.

    Reply models are distinguished by name and fields, since models made on the fly allow other
    values in the same fields. Of two policies that ask for the same, the later one's rule counts.

    Args:
        behaviour: which of the rules of each policy.
        policies: what the policies of a run provide.
    """

    def __init__(self, behaviour: Behaviour, policies: Iterable[ScriptedReplies] = ()) -> None:
        self._rules: dict[_Key, ReplyRule] = {
            _make_key(reply): rule
            for replies in policies
            for reply, rule in _find_rules(replies, behaviour).items()
        }

    def __call__(self, request: CompletionRequest) -> str:
        """Return the reply to `request`: JSON, or words where no schema asks for it."""
        prompt = read_prompt(request)
        rule = self._rules.get((request.schema_name, prompt.fields))
        if rule is None:
            return sample_schema(request)
        reply = rule(prompt)
        plain = request.schema is None
        return str(reply["text"]) if plain else json.dumps(reply, ensure_ascii=False)


def _make_key(reply: type[BaseModel]) -> _Key:
    """Return what a request for `reply` is known by; one for plain words names no fields."""
    plain = issubclass(reply, PlainReply)
    return schema_name(reply), frozenset() if plain else frozenset(reply.model_fields)
