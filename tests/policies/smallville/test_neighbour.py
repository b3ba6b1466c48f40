import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest

from genagents_env.llm.calls import CompletionRequest, Message
from genagents_env.llm.scripted.prompt import Prompt, read_prompt
from genagents_env.policies.smallville.scripted import company, neighbour, steps
from genagents_env.run.policies import find_policy_class
from genagents_env.scenario import list_scenario_names, load_scenario

NOW = ("now", "Monday 13 February 2023, 12:20")
AT = ("you are at", "Hobbs Cafe/cafe")
CAFE = (
    *("place", "Hobbs Cafe/cafe", "open 08:00-20:00"),
    "counter: clear / being served at; espresso machine: off / heating / brewing; piano: silent",
)
KITCHEN = ("place", "Hobbs Cafe/kitchen", "oven: off / baking; refrigerator: closed / open")
HOME = ("place", "Birch house/room", "Bea's bed: made / slept in; desk: tidy / in use")


def ask(
    words: str, *lines: tuple[str, ...], schema: Mapping[str, Any] | None = None, seed: int = 0
) -> Prompt:
    """Return the prompt that asks Bea Birch this, as a scripted model reads it."""
    fenced = "\n".join(json.dumps(line) for line in lines)
    user = (
        "You are Bea Birch, 30. She is kind.\nHome: Birch house/room. Work: Hobbs Cafe.\n\n"
        f"<<<DATA f\n{fenced}\nf END>>>\n\n{words}"
    )
    messages = (Message("system", "Task."), Message("user", user))
    return read_prompt(CompletionRequest(messages, schema or {}, "Reply", seed=seed))


def list_of(name: str, least: int, most: int, **fields: object) -> dict[str, Any]:
    items = {"type": "object", "properties": fields}
    return {
        "properties": {name: {"type": "array", "minItems": least, "maxItems": most, "items": items}}
    }


def cut(*lines: tuple[str, ...], seed: int = 0) -> list[dict[str, Any]]:
    minutes = {"type": "integer", "minimum": 5, "maximum": 15}
    prompt = ask(
        "Take 12:00 to 13:00 (60 minutes) apart into steps.",
        *lines,
        schema=list_of("pieces", 4, 9, minutes=minutes),
        seed=seed,
    )
    found: Any = neighbour.take_apart(prompt)["pieces"]
    return list(found)


@pytest.mark.parametrize("seed", range(5))
def test_an_hour_is_several_different_steps_of_five_to_fifteen_minutes(seed: int) -> None:
    pieces = cut(("11:00 to 14:00", "baking for lunch, Hobbs Cafe"), seed=seed)
    assert sum(piece["minutes"] for piece in pieces) == 60
    assert all(5 <= piece["minutes"] <= 15 for piece in pieces)
    names = [piece["what"] for piece in pieces]
    assert len(set(names)) >= 4
    assert all(name.endswith(", Hobbs Cafe") for name in names)
    assert all(one != other for one, other in pairwise(names))


def test_sleep_is_one_thing() -> None:
    assert {piece["what"] for piece in cut(("00:00 to 23:00", "asleep in bed, home"))} == {
        "asleep in bed, home"
    }


def test_steps_are_those_of_the_block_that_has_begun() -> None:
    pieces = cut(("12:00", "eating lunch, Hobbs Cafe"), ("12:30", "composing, home"))
    at = 0
    for piece in pieces:
        assert piece["what"].endswith(", Hobbs Cafe" if at < 30 else ", home")
        at += piece["minutes"]


def test_no_step_needs_a_thing_that_the_building_does_not_have() -> None:
    bare = ("in town", "Hobbs Cafe, open 08:00-20:00: cafe (counter, sink).")
    all_steps = {
        p["what"]
        for seed in range(8)
        for p in cut(("12:00", "having lunch, Hobbs Cafe"), bare, seed=seed)
    }
    assert not any("espresso" in step or "notice board" in step for step in all_steps)
    assert any("counter" in step for step in all_steps)


@pytest.mark.parametrize(
    ("activity", "parts"),
    [
        ("eating lunch, Hobbs Cafe", ("eating lunch", "Hobbs Cafe")),
        ("party at Hobbs Cafe", ("party", "Hobbs Cafe")),
        ("having a coffee, at Hobbs Cafe, with Cal", ("having a coffee, with Cal", "Hobbs Cafe")),
        ("sitting at the desk, home", ("sitting at the desk", "home")),
        ("looking at the pond", ("looking at the pond", "")),
        ("", ("", "")),
    ],
)
def test_the_place_is_parted_from_what_is_done(activity: str, parts: tuple[str, str]) -> None:
    assert steps.split_place(activity) == parts


def choose(*activities: str) -> list[dict[str, Any]]:
    numbered = [(f"#{k}", "12:00", text) for k, text in enumerate(activities, 1)]
    where = {"enum": ["Hobbs Cafe/cafe", "Hobbs Cafe/kitchen", "Birch house/room"]}
    schema = list_of("spots", len(activities), len(activities), where=where)
    prompt = ask("Where?", NOW, AT, *numbered, CAFE, KITCHEN, HOME, schema=schema)
    found: Any = neighbour.choose_spots(prompt)["spots"]
    return list(found)


def test_a_step_is_done_with_the_thing_that_it_needs_where_that_stands() -> None:
    spots = choose(
        "brewing coffee at the espresso machine, Hobbs Cafe",
        "putting a tray into the oven, Hobbs Cafe",
        "making notes at the desk, home",
        "muttering, Hobbs Cafe",
        "playing the piano, Hobbs Cafe",
    )
    assert [(spot["where"], spot["thing"], spot["state"]) for spot in spots] == [
        ("Hobbs Cafe/cafe", "espresso machine", "brewing"),
        ("Hobbs Cafe/kitchen", "oven", "baking"),
        ("Birch house/room", "desk", "in use"),
        ("Hobbs Cafe/cafe", "nothing", ""),
        ("Hobbs Cafe/cafe", "nothing", ""),  # a piano that can only be silent is not played
    ]


@pytest.mark.parametrize("name", list_scenario_names())
def test_every_routine_has_steps(name: str) -> None:
    for person in load_scenario(name).people:
        for entry in person.routine:
            assert entry.doing in " ".join(steps.list_steps(entry.doing, ""))


def converse(opening: str = "Good morning, Cal!") -> list[str]:
    """Return the talk of two who answer one another until one leaves."""
    said: list[str] = [opening]
    while len(said) < 30:
        mine = len(said) % 2
        lines = [
            ("you" if k % 2 == mine else "Bea Birch", "said", text) for k, text in enumerate(said)
        ]
        plan = (("you are", "eating lunch, Hobbs Cafe"), ("planned 13:00", "reading, home"))
        seen = ("#1", "Mon 13 Feb 08:10", "Dan Dell is counting ripples, Johnson Park")
        reply = company.speak_at_length(
            ask("You are talking with Bea Birch.", NOW, AT, *plan, *lines, seen, seed=len(said))
        )
        said.append(str(reply["say"]))
        if reply["end"]:
            return said
    raise AssertionError("nobody left")


@pytest.mark.parametrize("opening", ["Hello!", "Good day.", "Ah, there you are.", "Well?", "Hm."])
def test_talks_have_four_to_eleven_utterances_and_end_with_farewells(opening: str) -> None:
    said = converse(opening)
    assert 4 <= len(said) <= 13
    assert "See you" in said[-1]
    assert len(set(said)) == len(said)


def test_one_tells_what_one_is_at_and_what_comes_next() -> None:
    told = " ".join(" ".join(converse(f"Hello {k}!")) for k in range(6))
    assert "I am eating lunch at Hobbs Cafe just now." in told
    assert "At 13:00 I will be reading." in told


def test_news_is_told_once_to_each() -> None:
    """After a talk, by which the other knows it, one speaks of something else."""
    told = ("#1", "before", "Isabella Rodriguez gives a party at Hobbs Cafe on February 14.")
    said = ("Cal Crow", "said", "Well.")
    before = ("latest talk with Cal Crow", "Mon 13 Feb 08:10", "Talked with Cal Crow: a good day")
    words = "You are talking with Cal Crow."
    whole = (told[0], told[1], told[2].replace("14.", "14 from 5 pm to 7 pm."))
    assert "party" in str(company.speak_at_length(ask(words, NOW, AT, whole, said))["say"])
    again = company.speak_at_length(ask(words, NOW, AT, before, whole, said))
    assert "party" not in str(again["say"])


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ("Bea is saving for a boat; Bea has a plan", "I am saving for a boat these days."),
        ("Save for a boat.", "I have this in mind these days: Save for a boat."),
        ("Bea saves for a boat, and has told nobody", ""),
        ("Bea is giving a party at Hobbs Cafe on February 14", ""),  # news, told in its own words
    ],
)
def test_one_tells_what_one_is_up_to_but_no_secret(status: str, told: str) -> None:
    said = ("Cal Crow", "said", "What is new?")
    words = "You are talking with Cal Crow."
    reply = company.speak_at_length(ask(words, NOW, AT, ("these days", status), said))
    if told:
        assert reply["say"] == told
    else:
        assert "boat" not in str(reply["say"])
        assert "I am giving" not in str(reply["say"])


def test_what_was_agreed_is_promised_and_what_was_only_proposed_is_not() -> None:
    fields: dict[str, Any] = {"properties": {"commitments": {}, "remember": {}}}
    talk = (("you", "said", "Shall we meet at Hobbs Cafe tomorrow at 12:00?"),)
    yes = ("Cal Crow", "said", "With pleasure, 12:00 tomorrow at Hobbs Cafe.")
    words = "You have just talked with Cal Crow."
    memo: Any = company.write_memo(ask(words, NOW, *talk, yes, schema=fields))
    (promise,) = memo["commitments"]
    assert promise == {
        "day": "tomorrow",
        "time": "12:00",
        "what": "having a coffee together",
        "where": "Hobbs Cafe",
        "with_whom": "Cal Crow",
    }
    no = company.write_memo(ask(words, NOW, *talk, schema=fields))
    assert not no.get("commitments")


def test_ratings_tell_news_from_small_talk_and_sights() -> None:
    texts = (
        "Bea Birch is eating lunch",
        "the teapot is brewing",
        'Dan Dell said to Bea Birch: "It is windy."',
        'Dan Dell said to Bea Birch: "Sam Moore is running for mayor."',
        'Dan Dell said to Cal Crow: "Sam Moore is running for mayor."',
    )
    numbered = [(f"#{k}", text) for k, text in enumerate(texts, 1)]
    schema = {"properties": {"ratings": {"type": "array", "minItems": 5}}}
    assert neighbour.rate_lines(ask("Rate.", *numbered, schema=schema)) == {
        "ratings": [1, 1, 1, 5, 3]
    }


def test_insights_name_the_lines_that_they_rest_on() -> None:
    lines = [(f"#{k}", "Mon", f"Dan Dell is counting {k} ripples") for k in (1, 2, 3)]
    schema = {"properties": {"insights": {"type": "array", "maxItems": 3}}}
    reply: Any = neighbour.draw_insights(ask("Conclude.", *lines, schema=schema))
    (found,) = reply["insights"]
    assert found["because"] == [1, 2, 3]
    assert "Dan Dell" in found["insight"]


def test_the_shipped_mind_has_rules_of_its_own_and_others_chat() -> None:
    assert "neighbour" in find_policy_class("smallville").scripted_replies
    assert "neighbour" not in find_policy_class("lyfe").scripted_replies
