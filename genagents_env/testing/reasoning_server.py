"""An imitation of models that think before they speak, for the fault server.

    with FaultServer(always=reasoning(2000, "content")) as server:

It keeps to the request's limit of tokens as such servers do: thinking comes first, and where it
uses the limit up, nothing is said.
"""

import json
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from genagents_env.testing.fault_server import ServerFault

ThinkingPlace: TypeAlias = Literal["field", "content"]

_TOKEN = 4  # characters of every token but the last


def reasoning(tokens: int, place: ThinkingPlace = "field") -> ServerFault:
    """Return the behaviour of a model that thinks for `tokens` tokens before each good reply.

    Args:
        tokens: of thinking.
        place: in a `field` beside the content, counted in the usage; or in the `content`, between
            `<think>` and `</think>`, without a count.
    """

    def answer(good: str, asked: Mapping[str, Any]) -> bytes:
        limit = asked.get("max_completion_tokens", asked.get("max_tokens", 10**6))
        thought = ("hmm " * tokens)[: _TOKEN * limit]
        said = good[: _TOKEN * max(0, limit - tokens)]
        finish = "stop" if said == good else "length"
        written = min(limit, tokens + -(-len(good) // _TOKEN))
        message: dict[str, object] = {"role": "assistant"}
        usage: dict[str, object] = {"prompt_tokens": 10, "completion_tokens": written}
        if place == "field":
            message |= {"content": said or None, "reasoning_content": thought}
            usage["completion_tokens_details"] = {"reasoning_tokens": min(limit, tokens)}
        else:
            end = "\n</think>\n\n" if limit > tokens else ""
            message["content"] = f"<think>\n{thought}{end}{said}"
        choice = {"index": 0, "finish_reason": finish, "message": message}
        return json.dumps({"id": "fault", "choices": [choice], "usage": usage}).encode()

    return ServerFault(answer=answer)
