import asyncio
import json
from datetime import time

import pytest

from genagents_env.cognition.query import PreparedQuery, QueryData, QueryReply
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule, always_invalid, sample_schema
from genagents_env.policies import smallville
from genagents_env.policies.smallville import ground as ground_module
from genagents_env.policies.smallville import places as places_module
from genagents_env.policies.smallville.day import Day, Piece
from genagents_env.policies.smallville.mind import BelievedObject, Dialogue, SmallvilleMind
from tests.policies.percepts import Moment, Value, body, profile, wait_for
from tests.policies.smallville.days import UNUSABLE
from tests.policies.smallville.minds import (
    by_fields,
    fields_of,
    is_golden,
    length,
    list_requests,
    make_mind,
    moment,
    think,
)
from tests.policies.smallville.transcripts import FOREIGN, transcript

KNOWN = ("Cafe", "Cafe/bar", "Cafe/kitchen", "Park", "Ann's house", "Ann's house/bedroom")
HERE = Moment(me=body("Cafe/kitchen"), known=KNOWN)


def mind_with(pieces: list[str], rule: Rule = sample_schema, **config: Value) -> SmallvilleMind:
    mind = make_mind(rule, **config)
    piece = Piece
    mind.day = Day("2023-02-13", 0, 54_000)
    mind.day.pieces = [piece(600 * k, 600 * (k + 1), text) for k, text in enumerate(pieces)]
    knows(mind, "Cafe/kitchen/stove", "off")
    knows(mind, "Cafe/kitchen/espresso machine", "off")
    knows(mind, "Cafe/bar/piano", "silent")
    return mind


def knows(mind: SmallvilleMind, object_id: str, state: str) -> None:
    mind.objects[object_id] = BelievedObject(object_id.split("/")[-1], state, 0)


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
        fields = fields_of(request)
        name = fields[0]
        enum = schema["properties"][name].get("enum")
        wanted = next((o for o in enum if any(w == o for w in ways.values())), enum[0])
        reply = {name: wanted}
        if name == "thing":
            reply |= {"state": ways.get("state", ""), "emoji": "☕"}
        return json.dumps(reply)

    return rule


def choices(request: CompletionRequest) -> list[str]:
    schema: Value = request.schema
    options: list[str] = schema["properties"][fields_of(request)[0]]["enum"]
    return options


# All at once.


def test_all_pieces_are_placed_in_one_call() -> None:
    rule = spots(("Cafe/kitchen", "espresso machine", "on"), ("Park", "nothing", ""))
    mind = mind_with(["making coffee", "resting"], rule)
    ground(mind)
    assert len(list_requests(mind)) == 1
    assert list_spots(mind) == [
        ("Cafe/kitchen", "Cafe/kitchen/espresso machine", "on"),
        ("Park", "", ""),
    ]
    assert [p.grounded for p in mind.day.pieces] == [True, True]
    assert mind.day.pieces[0].about == ("Ann Ash", "making", "espresso machine")


def test_objects_are_known_by_some_of_their_words_and_unknown_ones_by_all() -> None:
    rule = spots(("Cafe/kitchen", "the machine", "on"), ("Cafe/bar", "jukebox", "playing"))
    mind = mind_with(["making coffee", "dancing"], rule)
    ground(mind)
    assert list_spots(mind) == [
        ("Cafe/kitchen", "Cafe/kitchen/espresso machine", "on"),
        ("Cafe/bar", "jukebox", "playing"),
    ]


def test_the_current_place_comes_first_and_is_kept_when_no_other_is_named() -> None:
    mind = mind_with(["juggling", "whistling"], always_invalid)
    ground(mind)
    assert list_spots(mind) == [("Cafe/kitchen", "", "")] * 2
    data = asyncio.run(prepare_data(mind, "ground.pieces", {"start": 0, "end": 1200}))
    assert data["places"][0] == "Cafe/kitchen"


async def prepare_data(
    mind: SmallvilleMind, purpose: str, data: QueryData, percept: Moment = HERE
) -> QueryData:
    ask = smallville.HANDLERS[purpose].prepare
    asking = await ask(mind, data, moment(mind, percept))
    assert isinstance(asking, PreparedQuery)
    return asking.data


def test_where_the_model_fails_what_is_done_by_routine_is_done_where_it_always_is() -> None:
    mind = mind_with(["feeding ducks", "whistling"], always_invalid)
    ground(mind)
    assert list_spots(mind) == [("Park", "bench", "taken"), ("Cafe/kitchen", "", "")]


def test_the_street_is_no_place_to_do_anything_in() -> None:
    mind = mind_with(["resting"])
    outside = Moment(me=body("outside"), known=KNOWN)
    data = asyncio.run(prepare_data(mind, "ground.pieces", {"start": 0, "end": 600}, outside))
    assert "outside" not in data["places"]
    nowhere = Moment(me=body("outside"), known=())
    data = asyncio.run(prepare_data(mind, "ground.pieces", {"start": 0, "end": 600}, nowhere))
    assert data["places"] == ["outside"]


def test_only_rooms_that_are_known_and_open_are_offered() -> None:
    mind = mind_with(["resting"])
    mind.blocked["Park"] = 300
    data = asyncio.run(prepare_data(mind, "ground.pieces", {"start": 0, "end": 600}))
    assert sorted(data["places"]) == ["Ann's house/bedroom", "Cafe/bar", "Cafe/kitchen"]


def test_places_of_the_routine_and_those_that_are_named_are_offered_and_no_halls() -> None:
    known = (*(f"Hall {k}" for k in range(20)), *KNOWN)
    mind = mind_with(["playing the piano at the bar", "feeding ducks"])
    percept = Moment(me=body("Cafe/kitchen"), known=known)
    data = asyncio.run(prepare_data(mind, "ground.pieces", {"start": 0, "end": 1200}, percept))
    assert {"Cafe/bar", "Park", "Cafe/kitchen"} <= set(data["places"])
    assert not [place for place in data["places"] if place.startswith("Hall")]


def test_where_little_has_to_do_with_an_activity_some_others_are_offered() -> None:
    mind = mind_with(["flying a kite"])
    percept = Moment(me=body("Hall 1"), known=tuple(f"Hall {k}" for k in range(20)))
    data = asyncio.run(prepare_data(mind, "ground.pieces", {"start": 0, "end": 1200}, percept))
    assert data["places"][0] == "Hall 1"
    assert len(data["places"]) == 4


def test_pieces_that_changed_before_the_answer_came_are_left_alone() -> None:
    mind = mind_with(["making coffee", "resting"], latency_ticks={"ground": 2})
    data = asyncio.run(prepare_data(mind, "ground.pieces", {"start": 0, "end": 1200}))
    mind.day.pieces = [Piece(0, 900, "something else")]
    reply = QueryReply(smallville.HANDLERS["ground.pieces"].fallback(data), True, "")
    take = smallville.HANDLERS["ground.pieces"].apply
    wait_for(take(mind, data, moment(mind, HERE), reply))
    assert list_spots(mind) == [("", "", "")]


@pytest.mark.parametrize("limit", [400, 500, 2000])
def test_what_a_prompt_does_not_hold_is_asked_about_afterwards(limit: int) -> None:
    texts = [f"{k} {FOREIGN[k : k + 50]}"[:60].strip() for k in range(12)]
    mind = mind_with(texts, prompt_tokens=limit)
    ground(mind)
    assert all(piece.grounded for piece in mind.day.pieces)
    assert all(length(request) <= limit for request in list_requests(mind))
    for request in list_requests(mind):
        schema: Value = request.schema
        count = schema["properties"]["spots"]["minItems"]
        lines = request.messages[-1].content.splitlines()
        assert sum(line.startswith('["#') for line in lines) == count
    assert (len(list_requests(mind)) == 1) == (limit == 2000)


@pytest.mark.parametrize("grounding", ["one_call", "recursive"])
def test_prompts_stay_within_their_budget_in_a_town_of_long_names(grounding: str) -> None:
    long = [f"{k} House of the {'Very ' * 9}Long Name"[:60].strip() for k in range(30)]
    known = tuple(place for name in long for place in (name, f"{name}/{name}x", f"{name}/room"))
    for limit in (400, 500, 2000):
        mind = mind_with(["resting at home"] * 6, grounding=grounding, prompt_tokens=limit)
        for name in long:
            for k in range(30):
                knows(mind, f"{name}/room/{k} thing of the {'very ' * 9}"[:90].strip(), "in order")
        ground(mind, Moment(me=body(f"{long[3]}/room"), known=known))
        assert list_requests(mind)
        assert all(length(request) <= limit for request in list_requests(mind))
        assert all(piece.grounded for piece in mind.day.pieces)


# Down the tree.


def recursive(pieces: list[str], rule: Rule = sample_schema) -> SmallvilleMind:
    return mind_with(pieces, rule, grounding="recursive")


def test_down_the_tree_from_sector_to_arena_to_object() -> None:
    mind = recursive(["playing"], walks(a="Cafe", b="Cafe/bar", c="piano", state="loud"))
    ground(mind)
    assert [choices(request) for request in list_requests(mind)] == [
        ["Cafe", "Park", "Ann's house"],
        ["Cafe/kitchen", "Cafe/bar"],
        ["nothing", "piano"],
    ]
    assert list_spots(mind) == [("Cafe/bar", "Cafe/bar/piano", "loud")]
    assert mind.day.pieces[0].emoji == "☕"


def test_a_single_room_is_not_asked_about_nor_an_object_where_none_is_known() -> None:
    mind = recursive(["sleeping"], walks(a="Ann's house"))
    ground(mind)
    assert [choices(request)[0] for request in list_requests(mind)] == ["Cafe"]
    assert list_spots(mind) == [("Ann's house/bedroom", "", "")]
    assert mind.day.pieces[0].grounded


def test_a_sector_that_is_one_room_leads_to_its_objects_at_once() -> None:
    mind = recursive(["feeding ducks"], walks(a="Park", b="bench"))
    knows(mind, "Park/bench", "free")
    ground(mind)
    assert [fields_of(request)[0] for request in list_requests(mind)] == ["where", "thing"]
    assert mind.day.pieces[0].object == "Park/bench"


def test_with_one_place_in_the_world_only_its_objects_are_asked_about() -> None:
    mind = recursive(["baking"], walks(a="stove", state="on"))
    ground(mind, Moment(me=body("Cafe/kitchen"), known=("Cafe", "Cafe/kitchen")))
    assert [fields_of(request)[0] for request in list_requests(mind)] == ["thing"]
    assert list_spots(mind) == [("Cafe/kitchen", "Cafe/kitchen/stove", "on")]


def test_nothing_is_asked_where_there_is_no_choice_at_all() -> None:
    mind = recursive(["baking"])
    mind.objects.clear()
    ground(mind, Moment(me=body("Cafe/kitchen"), known=()))
    assert list_requests(mind) == []
    assert list_spots(mind) == [("Cafe/kitchen", "", "")]


def test_rooms_that_were_closed_lately_are_not_offered_and_one_stays_if_none_is_left() -> None:
    mind = recursive(["playing"], walks(a="Cafe"))
    mind.blocked = {"Cafe/bar": 300}
    ground(mind)
    assert mind.day.pieces[0].place == "Cafe/kitchen"
    mind = recursive(["playing"], walks(a="Ann's house"))
    mind.blocked = {"Ann's house/bedroom": 300}
    ground(mind)
    assert mind.day.pieces[0].place == "Cafe/kitchen"


def test_a_town_whose_sector_is_named_like_its_room_is_no_endless_way_down() -> None:
    mind = recursive(["resting"])
    mind.blocked = {"Park/pond": 300}
    ground(mind, Moment(me=body("Park"), known=("Park", "Park/pond")))
    assert mind.day.pieces[0].place == "Park"


def test_down_the_tree_one_stays_by_default() -> None:
    mind = recursive(["whistling"], always_invalid)
    ground(mind)
    assert list_spots(mind) == [("Cafe/kitchen", "", "")]


def test_all_pieces_go_down_the_tree_together() -> None:
    mind = recursive(["baking", "resting", "playing"])
    ground(mind)
    first = [fields_of(request)[0] for request in list_requests(mind)[:3]]
    assert first == ["where"] * 3
    assert all(piece.grounded for piece in mind.day.pieces)


# Reactions.


@pytest.mark.parametrize("grounding", ["one_call", "recursive"])
def test_a_reaction_is_grounded_and_begun_at_once(grounding: str) -> None:
    rule = by_fields(
        {
            "spots": {
                "spots": [{"where": "Cafe/bar", "thing": "piano", "state": "loud", "emoji": "🎹"}]
            }
        }
    )
    if grounding == "recursive":
        rule = walks(a="Cafe", b="Cafe/bar", c="piano", state="loud")
    mind = mind_with([], rule, grounding=grounding)
    thought = ground_module.query_reaction(mind, {"text": "playing", "minutes": 7})
    percept = HERE.later(60)
    think(mind, [thought], percept)
    activity = mind.activity
    assert (activity.text, activity.place, activity.object) == (
        "playing",
        "Cafe/bar",
        "Cafe/bar/piano",
    )
    assert (activity.begun, activity.until, activity.reaction) == (60, 60 + 420, True)
    assert mind.day.pieces == []


@pytest.mark.parametrize("why", ["asleep", "talking"])
def test_a_reaction_grounded_too_late_is_dropped(why: str) -> None:
    mind = mind_with([])
    mind.asleep = why == "asleep"
    if why == "talking":
        mind.dialogue = Dialogue(1, 0, ["Bob"])
    thought = ground_module.query_reaction(mind, {"text": "playing", "minutes": 7})
    think(mind, [thought], HERE)
    assert mind.activity.text == ""


# Replies that are none.

SPOT = {"where": "Cafe/kitchen", "thing": "stove", "state": "on", "emoji": "☕"}
BAD_SPOTS: list[object] = [
    {},
    {"spots": []},
    {"spots": [SPOT]},
    {"spots": [SPOT] * 3},
    {"spots": [SPOT, {**SPOT, "where": "Atlantis"}]},
    {"spots": [SPOT, {**SPOT, "where": None}]},
    {"spots": [SPOT, "Park"]},
    {"spots": {"0": SPOT, "1": SPOT}},
    {"spots": [SPOT, {"where": "Park"}]},
    {"spots": [SPOT, {**SPOT, "thing": 4}]},
]


@pytest.mark.parametrize("words", [*(json.dumps(bad) for bad in BAD_SPOTS), *UNUSABLE])
def test_a_malformed_reply_ends_in_staying_where_one_is(words: str) -> None:
    mind = mind_with(["juggling", "whistling"], lambda request: words)
    ground(mind)
    assert list_spots(mind) == [("Cafe/kitchen", "", "")] * 2
    (row,) = mind.services.model.ledger.rows()
    assert (row.purpose, row.calls, row.fallbacks) == ("ground.pieces", 1, 1)


@pytest.mark.parametrize(
    "words",
    [
        *UNUSABLE,
        '{"where": "Atlantis"}',
        '{"where": 3}',
        '{"where": ["Cafe"]}',
        '{"thing": "stove"}',
    ],
)
def test_a_malformed_step_ends_in_staying_where_one_is(words: str) -> None:
    mind = recursive(["juggling"], lambda request: words)
    ground(mind)
    assert list_spots(mind) == [("Cafe/kitchen", "", "")]
    assert {row.purpose: row.fallbacks for row in mind.services.model.ledger.rows()} == {
        "ground.sector": 1,
        "ground.arena": 1,
        "ground.object": 1,
    }


def test_long_or_unclean_words_of_a_reply_are_cut_and_cleaned() -> None:
    rule = spots(("Cafe/kitchen", "a\x1b[2Jb " * 40, "on\n\x00" * 40))
    mind = mind_with(["juggling"], rule)
    ground(mind)
    (piece,) = mind.day.pieces
    assert piece.grounded
    assert len(piece.object) <= 24
    assert len(piece.use) <= 24
    assert piece.object.isprintable()
    assert piece.use.isprintable()


def test_a_fallback_of_every_purpose_is_taken() -> None:
    handlers = {k: v for k, v in smallville.HANDLERS.items() if k.startswith("ground.")}
    data = {
        "places": ["Park", "Cafe"],
        "texts": ["resting"],
        "starts": [0],
        "end": 600,
        "usual": [["Park", "nothing", ""]],
        "things": ["nothing", "bench"],
        "text": "resting",
        "start": 0,
        "arena": "Park",
    }
    for purpose, handler in handlers.items():
        mind = mind_with(["resting"])
        reply = QueryReply(handler.fallback(data), True, "")
        asked_data = {**data, "minutes": 5} if purpose == "ground.one" else data
        wait_for(handler.apply(mind, asked_data, moment(mind, HERE), reply))
        words = handler.fallback(data).model_dump_json()
        assert handler.reply_model(data).model_validate_json(words)


@pytest.mark.parametrize("grounding", ["one_call", "recursive"])
def test_golden_transcript(grounding: str) -> None:
    mind = mind_with(["making coffee", "feeding the ducks"], grounding=grounding)
    ground(mind)
    effects = [f"{p.text}: {p.place}, {p.object} -> {p.use} {p.emoji}" for p in mind.day.pieces]
    text = transcript(list_requests(mind), sample_schema, effects)
    assert is_golden(f"ground_{grounding}.txt", text)


def test_the_routine_that_counts_is_that_of_the_time_asked_about() -> None:
    mind = mind_with(["resting"])
    worth = places_module.rank_places
    places = ["Cafe", "Park", "Ann's house"]
    assert worth(mind, places, ["x"], time(8), "")[0] == "Cafe"
    assert worth(mind, places, ["x"], time(13), "")[0] == "Park"
    assert profile().routine[1].place == "Park"
