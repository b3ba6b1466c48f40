import json

import pytest

from genagents_env.cognition.query import PreparedQuery, QueryData, QueryReply
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule, always_invalid, sample_schema
from genagents_env.policies import smallville
from genagents_env.policies.smallville import ground as ground_module
from genagents_env.policies.smallville.mind import (
    BelievedObject,
    Day,
    Piece,
    PlanBlock,
    SmallvilleActivity,
    SmallvilleMind,
)
from genagents_env.policy import Profile
from genagents_env.scenario.plan import parse_hours
from genagents_env.scenario.profiles import TownPlace
from tests.policies.harness import (
    FOREIGN,
    by_fields,
    fields_of,
    is_golden,
    length,
    list_first_fields,
    list_requests,
    moment,
    think,
    transcript,
)
from tests.policies.percepts import Moment, Value, body, profile, wait_for
from tests.policies.smallville.minds import make_mind

KNOWN = ("Cafe", "Cafe/bar", "Cafe/kitchen", "Park", "Ann's house", "Ann's house/bedroom")
HERE = Moment(me=body("Cafe/kitchen"), known=KNOWN)
NEAR_PUB = Moment(me=body("Park"), known=("Pub", *KNOWN))


def mind_with(
    pieces: list[str], rule: Rule = sample_schema, *, who: Profile | None = None, **config: Value
) -> SmallvilleMind:
    mind = make_mind(rule, who=who, **config)
    piece = Piece
    mind.day = Day("2023-02-13", 0, 54_000)
    mind.day.pieces = [piece(600 * k, 600 * (k + 1), text) for k, text in enumerate(pieces)]
    knows(mind, "Cafe/kitchen/stove", "off", "on")
    knows(mind, "Cafe/kitchen/espresso machine", "off", "on", "brewing")
    knows(mind, "Cafe/bar/piano", "silent", "loud")
    return mind


def knows(mind: SmallvilleMind, object_id: str, *states: str, free_text: bool = False) -> None:
    name = object_id.split("/")[-1]
    mind.objects[object_id] = BelievedObject(name, states[0], 0, states[0], [*states], free_text)


def ground(mind: SmallvilleMind, percept: Moment = HERE) -> None:
    thoughts = ground_module.query_pieces(mind, 0, 600 * len(mind.day.pieces))
    think(mind, thoughts, percept)


def spots(*spots: tuple[str, str, str]) -> Rule:
    """Return a rule that puts activities there, and goes down the tree the same way."""
    written = [{"where": w, "thing": t, "state": s, "emoji": "☕"} for w, t, s in spots]
    return by_fields({"spots": {"spots": written}})


def list_spots(mind: SmallvilleMind) -> list[tuple[str, str, str]]:
    return [(p.place, p.object, p.use) for p in mind.day.pieces]


def walks(**ways: str) -> Rule:
    """Return a rule that at each step picks the option that contains the word for its field."""

    def rule(request: CompletionRequest) -> str:
        schema: Value = request.schema
        name = fields_of(request)[0]
        enum = schema["properties"][name].get("enum")
        wanted = next((o for o in enum if any(w == o for w in ways.values())), enum[0])
        extra = {"state": ways.get("state", ""), "emoji": "☕"} if name == "thing" else {}
        return json.dumps({name: wanted} | extra)

    return rule


HOME = "Ann's house/bedroom"
LOUD = {"a": "Cafe", "b": "Cafe/bar", "c": "piano", "state": "loud"}
BAKE = {"a": "stove", "state": "on"}


# All at once.


def list_wishes(mind: SmallvilleMind) -> list[str]:
    return [note.text for note in mind.services.notes.take() if note.kind == "wish"]


def test_what_is_said_of_a_thing_is_mapped_to_what_it_allows_or_refused_and_noted() -> None:
    rule = spots(
        ("Cafe/kitchen", "the machine", "brewing coffee"),
        ("Cafe/bar", "jukebox", "playing"),
        ("Cafe/kitchen", "stove", "full of flowers"),
        ("Cafe/kitchen", "nothing", "whatever"),
    )
    mind = mind_with(["making coffee", "dancing", "decorating", "resting"], rule)
    ground(mind)
    assert len(list_requests(mind)) == 1
    assert list_spots(mind) == [
        ("Cafe/kitchen", "Cafe/kitchen/espresso machine", "brewing"),
        ("Cafe/bar", "", ""),
        ("Cafe/kitchen", "Cafe/kitchen/stove", ""),
        ("Cafe/kitchen", "", ""),
    ]
    assert mind.day.pieces[0].about == ("Ann Ash", "making", "espresso machine")
    assert list_wishes(mind) == [
        "Cafe/bar: 'jukebox'; there are: piano, stove, espresso machine",
        "Cafe/kitchen/stove: 'full of flowers'; allowed: off, on",
    ]


@pytest.mark.parametrize(
    ("said", "place", "noted"),
    [
        ("the Cafe", "Cafe/kitchen", False),
        ("cafe/BAR", "Cafe/bar", False),
        ("my bedroom", "Ann's house/bedroom", False),
        ("the moon", "Park", True),  # where the hour is meant to be
    ],
)
def test_a_place_may_be_named_in_other_words_and_one_that_is_none_is_noted(
    said: str, place: str, noted: bool
) -> None:
    mind = mind_with(["juggling"], spots((said, "nothing", "")))
    mind.day.hours = [PlanBlock(0, 3600, "showing tricks at the Park")]
    ground(mind)
    assert list_spots(mind) == [(place, "", "")]
    wishes = list_wishes(mind)
    assert [wish[:36] for wish in wishes] == ["place: 'the moon'; allowed: Cafe/kit"] * noted


def prepare_data(mind: SmallvilleMind, percept: Moment = HERE) -> QueryData:
    """Return the data of the query that places all pieces."""
    ask = smallville.HANDLERS["ground.pieces"].prepare
    data = {"start": 0, "end": 600 * len(mind.day.pieces)}
    asking = wait_for(ask(mind, data, moment(mind, percept)))
    assert isinstance(asking, PreparedQuery)
    return asking.data


def list_offered(mind: SmallvilleMind, percept: Moment = HERE) -> list[str]:
    """Return the places to choose from."""
    places: list[str] = prepare_data(mind, percept)["places"]
    return places


def test_where_the_model_fails_what_is_done_by_routine_is_done_where_it_always_is() -> None:
    mind = mind_with(["feeding ducks", "whistling"], always_invalid)
    ground(mind)
    assert list_spots(mind) == [("Park", "", ""), ("Cafe/kitchen", "", "")]
    knows(mind, "Park/bench", "free", "taken")
    ground(mind)
    assert list_spots(mind)[0] == ("Park", "Park/bench", "taken")


def test_only_rooms_that_are_known_and_open_are_offered_and_not_the_street() -> None:
    mind = mind_with(["resting"])
    assert "outside" not in list_offered(mind, Moment(me=body("outside"), known=KNOWN))
    assert list_offered(mind, Moment(me=body("outside"), known=())) == ["outside"]
    mind.blocked["Park"] = 300
    assert sorted(list_offered(mind)) == ["Ann's house/bedroom", "Cafe/bar", "Cafe/kitchen"]
    hours = (parse_hours("17:00-22:00"),)  # she works in the kitchen of the Cafe
    town = tuple(TownPlace(name, True, True, True, hours) for name in ("Pub", "Cafe/kitchen"))
    places = list_offered(mind_with(["drinking"], who=profile(town=town)), NEAR_PUB)
    assert ("Pub" in places, "Cafe/kitchen" in places) == (False, True)


def test_pieces_that_changed_before_the_answer_came_are_left_alone() -> None:
    mind = mind_with(["making coffee", "resting"], latency_ticks={"ground": 2})
    data = prepare_data(mind)
    mind.day.pieces = [Piece(0, 900, "something else")]
    reply = QueryReply(smallville.HANDLERS["ground.pieces"].fallback(data), True, "", data)
    take = smallville.HANDLERS["ground.pieces"].apply
    wait_for(take(mind, moment(mind, HERE), reply))
    assert list_spots(mind) == [("", "", "")]


@pytest.mark.parametrize("limit", [400, 2000])
def test_what_a_prompt_does_not_hold_is_asked_about_afterwards(limit: int) -> None:
    texts = [f"{k} {FOREIGN[k : k + 50]}"[:60].strip() for k in range(12)]
    mind = mind_with(texts, prompt_tokens=limit)
    ground(mind)
    assert all(piece.place for piece in mind.day.pieces)
    for request in list_requests(mind):
        assert length(request) <= limit
        schema: Value = request.schema
        count = schema["properties"]["spots"]["minItems"]
        lines = request.messages[-1].content.splitlines()
        assert sum(line.startswith('["#') for line in lines) == count
    assert (len(list_requests(mind)) == 1) == (limit == 2000)


# Down the tree.


@pytest.mark.parametrize(
    ("ways", "known", "blocked", "asked", "spot"),
    [
        (LOUD, KNOWN, (), ["where", "where", "thing"], ("Cafe/bar", "Cafe/bar/piano", "loud")),
        ({"a": "Ann's house"}, KNOWN, (), ["where"], (HOME, "", "")),
        ({"a": "Park", "b": "bench"}, KNOWN, (), ["where", "thing"], ("Park", "Park/bench", "")),
        (BAKE, ("Cafe/kitchen",), (), ["thing"], ("Cafe/kitchen", "Cafe/kitchen/stove", "on")),
        ({}, ("Hall",), (), [], ("Hall", "", "")),
        ({"a": "Cafe"}, KNOWN, ("Cafe/bar",), ["where", "thing"], ("Cafe/kitchen", "", "")),
        ({}, KNOWN, (HOME, "Cafe/bar"), ["where", "thing"], ("Cafe/kitchen", "", "")),
        ({}, ("Park", "Park/pond"), ("Park/pond",), [], ("Park", "", "")),
    ],
    ids=[
        *("all of it", "one room", "a sector is the room", "one place", "no choice"),
        *("a closed room", "both closed", "a sector named like its room"),
    ],
)
def test_down_the_tree_only_what_leaves_a_choice_is_asked(
    ways: dict[str, str],
    known: tuple[str, ...],
    blocked: tuple[str, ...],
    asked: list[str],
    spot: tuple[str, str, str],
) -> None:
    mind = mind_with(["playing"], walks(**ways), grounding="recursive")
    knows(mind, "Park/bench", "free", "taken")
    mind.blocked = dict.fromkeys(blocked, 300)
    here = "Cafe/kitchen" if "Cafe/kitchen" in known else known[0]
    ground(mind, Moment(me=body(here), known=known))
    assert list_first_fields(mind) == asked
    assert list_spots(mind) == [spot]


# Reactions.


def ground_reaction(mind: SmallvilleMind, percept: Moment = HERE) -> SmallvilleActivity:
    """Return what comes of playing for seven minutes."""
    thought = ground_module.query_reaction(mind, {"text": "playing", "minutes": 7})
    think(mind, [thought], percept)
    return mind.activity


@pytest.mark.parametrize(
    ("grounding", "rule"),
    [
        ("one_call", spots(("Cafe/bar", "piano", "loud"))),
        ("recursive", walks(**LOUD)),
    ],
)
def test_a_reaction_is_grounded_and_begun_at_once(grounding: str, rule: Rule) -> None:
    mind = mind_with([], rule, grounding=grounding)
    activity = ground_reaction(mind, HERE.later(60))
    assert (activity.text, activity.place) == ("playing", "Cafe/bar")
    assert activity.object == "Cafe/bar/piano"
    assert (activity.begun, activity.until, activity.reaction) == (60, 60 + 420, True)
    assert mind.day.pieces == []
    useless = ground_reaction(mind_with([], always_invalid, grounding=grounding))
    assert (useless.text, useless.place, useless.object) == ("playing", "Cafe/kitchen", "")


@pytest.mark.parametrize("grounding", ["one_call", "recursive"])
def test_golden_transcript(grounding: str) -> None:
    mind = mind_with(["making coffee", "feeding the ducks"], grounding=grounding)
    ground(mind)
    effects = [f"{p.text}: {p.place}, {p.object} -> {p.use} {p.emoji}" for p in mind.day.pieces]
    text = transcript(list_requests(mind), sample_schema, effects)
    assert is_golden(f"ground_{grounding}.txt", text)
