"""The days of the scripted neighbour: steps fill a stretch, things are used where they stand."""

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from genagents_env.llm.calls import CompletionRequest, Message
from genagents_env.llm.scripted.prompt import Prompt, read_prompt
from genagents_env.policies.smallville.scripted import day, draw_insights, rate_lines, write_memo
from genagents_env.scenario import list_scenario_names, load_scenario

NOW = ("now", "Monday 13 February 2023, 12:20")
CAFE = "counter: clear / being served at; espresso machine: off / heating / brewing; piano: silent"
PARTY = "Bea Birch gives a party at Hobbs Cafe on February 14th from 5 pm to 7 pm."


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


def test_a_step_is_done_with_the_thing_that_it_needs_where_that_stands() -> None:
    activities = (
        "brewing coffee, Hobbs Cafe",
        "putting a tray into the oven, Hobbs Cafe",
        "idling",
    )
    numbered = [(f"#{k}", "12:00", text) for k, text in enumerate(activities, 1)]
    where = {"enum": ["Hobbs Cafe/cafe", "Hobbs Cafe/kitchen", "Ash house/room"]}
    places = (
        ("place", "Hobbs Cafe/cafe", "open 08:00-20:00", CAFE),
        ("place", "Hobbs Cafe/kitchen", "oven: off / baking"),
    )
    schema = list_of("spots", 3, 3, where=where)
    reply: Any = day.choose_spots(ask("Where?", NOW, *numbered, *places, schema=schema))
    spots = [(spot["where"], spot["thing"], spot["state"]) for spot in reply["spots"]]
    assert spots == [
        ("Hobbs Cafe/cafe", "espresso machine", "brewing"),
        ("Hobbs Cafe/kitchen", "oven", "baking"),
        ("Hobbs Cafe/cafe", "nothing", ""),
    ]


def test_an_invitation_is_remembered_and_has_its_hour_in_the_plan() -> None:
    memo = write_memo(ask("You have just talked with Bea Birch.", ("Bea Birch", "said", PARTY)))
    assert (memo["remember"], memo["changes_plan"]) == (PARTY, True)
    words = "Plan Tuesday 14 February for these hours: 16:00, 17:00, 19:00"
    told = ("#1", "Mon", f'Bea Birch said to Ann Ash: "{PARTY}"')
    planned: Any = day.plan_hours(ask(words, ("usually 07:00", "reading, home"), told))
    assert planned["hours"] == ["reading, home", "party at Hobbs Cafe", "reading, home"]
    outlined: Any = day.outline_day(ask("Plan Tuesday 14 February; you get up at 6.", told))
    assert any("17:00-19:00 party at Hobbs Cafe" in stroke for stroke in outlined["outline"])
    assert 5 <= len(outlined["outline"]) <= 8


def test_news_matters_sights_hardly_do_and_insights_name_the_lines_they_rest_on() -> None:
    texts = ("Bea Birch is eating lunch", f'Bea Birch said to Ann Ash: "{PARTY}"')
    numbered = [(f"#{k}", text) for k, text in enumerate(texts, 1)]
    schema = {"properties": {"ratings": {"type": "array", "minItems": 2}}}
    assert rate_lines(ask("Rate.", *numbered, schema=schema)) == {"ratings": [1, 5]}
    lines = [(f"#{k}", "Mon", f"Dan Dell is counting {k} ripples") for k in (1, 2, 3)]
    schema = {"properties": {"insights": {"type": "array", "maxItems": 3}}}
    reply: Any = draw_insights(ask("Conclude.", *lines, schema=schema))
    assert [insight["because"] for insight in reply["insights"]] == [[1, 2, 3]]
