"""What a policy provides so that the scripted neighbour can answer its prompts."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from pydantic import BaseModel

from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.schemas import PlainReply, schema_name
from genagents_env.llm.scripted.prompt import Prompt, read_prompt
from genagents_env.llm.scripted.sample import sample_schema

# From a prompt to the fields of the reply; a pure function.
ReplyRule: TypeAlias = Callable[[Prompt], Mapping[str, object]]
# The rule for each reply model that a policy asks for; what is left out gets a sample.
ScriptedReplies: TypeAlias = Mapping[type[BaseModel], ReplyRule]

_Key: TypeAlias = tuple[str, frozenset[str]]


class NeighbourRule:
    """Answers each request by the rule of its reply model; with a sample where there is none.

    Reply models are distinguished by name and fields, since models made on the fly allow other
    values in the same fields. Of two policies that ask for the same, the later one's rule counts.

    Args:
        policies: the replies that the policies of a run provide.
    """

    def __init__(self, policies: Iterable[ScriptedReplies] = ()) -> None:
        self._rules: dict[_Key, ReplyRule] = {
            _make_key(reply): rule for replies in policies for reply, rule in replies.items()
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
