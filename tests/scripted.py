"""Rules of scripted models that answer all shipped minds, and the judge of a run."""

import json

from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import NeighbourRule
from genagents_env.run.policies import find_policy_class
from genagents_env.study.judge import runs

_SHIPPED = ("smallville", "lyfe", "ai_town", "reactive", "simuverse")
_SILENCE = {"say": "", "end": True}

neighbour = NeighbourRule(
    [
        *(find_policy_class(mind).scripted_replies for mind in _SHIPPED),
        runs.REPLIES,
    ]
)


def mute(request: CompletionRequest) -> str:
    """Reply as the neighbour does, but never say a word."""
    reply = neighbour(request)
    if request.schema is None:
        return reply
    fields = json.loads(reply)
    return json.dumps({key: _SILENCE.get(key, value) for key, value in fields.items()})


def inventor(request: CompletionRequest) -> str:
    """Reply as the mute does, and affirm whatever is asked, without evidence."""
    fields = json.loads(mute(request)) if request.schema else {}
    if {"answer", "because"} <= set(fields):
        return json.dumps({"answer": "Yes, of course. I know all about it.", "because": []})
    return mute(request)
