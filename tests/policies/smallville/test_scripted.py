"""The days of the scripted neighbour: steps fill a stretch, things are used where they stand."""

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from genagents_env.llm.calls import CompletionRequest, Message
from genagents_env.llm.scripted.prompt import Prompt, read_prompt
from genagents_env.policies.smallville.scripted import day
from genagents_env.scenario import list_scenario_names, load_scenario


def ask(words: str, *lines: tuple[str, ...], schema: Mapping[str, Any] | None = None) -> Prompt:
    fenced = "\n".join(json.dumps(line) for line in lines)
    user = (
        "You are Ann Ash, 30. She is kind.\nHome: Ash house/room. Work: Hobbs Cafe.\n\n"
        f"<<<DATA f\n{fenced}\nf END>>>\n\n{words}"
    )
    return read_prompt(CompletionRequest((Message("user", user),), schema or {}, "Reply", seed=3))


def list_of(name: str, least: int, most: int, **fields: object) -> dict[str, Any]:
    items = {"type": "object", "properties": fields}
    return {
        "properties": {name: {"type": "array", "minItems": least, "maxItems": most, "items": items}}
    }


def cut(begin: int, minutes: int, *lines: tuple[str, ...]) -> list[dict[str, Any]]:
    length = {"type": "integer", "minimum": 5, "maximum": 15}
    first, last = (f"{at // 60 % 24:02d}:{at % 60:02d}" for at in (begin, begin + minutes))
    schema = list_of("pieces", 1, max(1, -(-minutes // 15) + 1), minutes=length)
    reply: Any = day.take_apart(ask(f"Take {first} to {last} apart.", *lines, schema=schema))
    return list(reply["pieces"])


FIVES = st.integers(1, 23 * 12 - 1).map(lambda fives: 5 * fives)


@settings(max_examples=100, deadline=None)
@given(FIVES, st.integers(3, 12).map(lambda n: 5 * n), st.lists(FIVES, max_size=8, unique=True))
@example(20 * 60, 60, [20 * 60 + 5 * k for k in range(1, 12)])  # more blocks than pieces
def test_pieces_fill_the_stretch_whatever_its_blocks(
    begin: int, minutes: int, cuts: list[int]
) -> None:
    blocks = [(f"{at // 60:02d}:{at % 60:02d}", f"thing of {at}") for at in cuts]
    pieces = cut(begin, minutes, *blocks)
    assert sum(piece["minutes"] for piece in pieces) >= minutes
    assert all(5 <= piece["minutes"] <= 15 for piece in pieces)


def test_every_routine_has_steps() -> None:
    people = [person for name in list_scenario_names() for person in load_scenario(name).people]
    assert all(day.list_steps(ask(""), entry.doing) for one in people for entry in one.routine)
