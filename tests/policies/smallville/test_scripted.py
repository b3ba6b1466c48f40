"""What scripted models reply to a Smallville mind: every prompt here is one that it has written."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genagents_env import town_v0
from genagents_env.cognition.query import PreparedQuery
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.client import ModelClient
from genagents_env.llm.schemas import make_schema, schema_name
from genagents_env.llm.scripted import Rule, ScriptedEndpoint
from genagents_env.memory.embedder import Embedder
from genagents_env.memory.open import open_source
from genagents_env.policies import smallville
from genagents_env.policies.smallville import interview
from genagents_env.policies.smallville import mind as day
from genagents_env.policies.smallville.mind import (
    BelievedObject,
    Dialogue,
    DialogueLine,
    SmallvilleMind,
)
from genagents_env.run import rollout
from genagents_env.run.policies import load_policy
from genagents_env.scenario import load_scenario
from genagents_env.text import clean
from tests.policies.percepts import Moment, body, person, profile, wait_for
from tests.policies.smallville.minds import endpoint_of, make_mind, moment
from tests.scripted import gossip, inventor, mute, neighbour

PARTY = "Bea Birch gives a party at Hobbs Cafe on February 14th from 5 pm to 7 pm."
SHORT = "Party at Hobbs Cafe, February 14, 5 pm to 7 pm"
MAYOR = "Cy Cole is running for mayor in the coming local election."
SEVEN = Moment(time=datetime.fromisoformat("2023-02-14T07:00"))
NOON = Moment(time=datetime.fromisoformat("2023-02-14T12:00"))
TOLD = f'Bea Birch said to Ann Ash: "{PARTY}"'


def make_told_mind(rule: Rule, *memories: str, **config: Any) -> Any:
    """Return a mind with room in its prompts, that was told `memories` an hour ago."""
    mind = make_mind(rule, prompt_tokens=4000, **config)
    for number, text in enumerate(memories):
        created = mind.services.to_second(NOON.time) - 3600
        mind.stream.add("event", text, created=created, importance=5.0, events=(number,))
    return mind


def answer(mind: SmallvilleMind, purpose: str, data: dict[str, Any], percept: Moment = NOON) -> Any:
    """Return what the mind's model replies to one of its questions, as a valid reply."""
    handler = smallville.HANDLERS[purpose]
    ask = wait_for(handler.prepare(mind, data, moment(mind, percept)))
    assert isinstance(ask, PreparedQuery)
    reply = handler.reply_model(ask.data)
    request = CompletionRequest(tuple(ask.messages), make_schema(reply), schema_name(reply), seed=7)
    return reply.model_validate_json(endpoint_of(mind).rule(request))


def answer_if_asked(mind: SmallvilleMind, purpose: str, data: dict[str, Any]) -> None:
    """Have the mind's model reply, unless what there is leaves nothing to ask."""
    if wait_for(smallville.HANDLERS[purpose].prepare(mind, data, moment(mind, NOON))):
        answer(mind, purpose, data)


def interview_mind(mind: SmallvilleMind, *questions: str) -> list[Any]:
    """Return the mind's answers in an interview."""
    mind.tick = mind.services.to_second(NOON.time) // 10
    answers: list[Any] = asyncio.run(interview.answer_questions(mind, list(questions)))
    return answers


def set_plan(mind: SmallvilleMind, *hours: tuple[str, str], date: str = "2023-02-14") -> None:
    """Give the mind a day from 07:00 to 23:00 with these hours."""
    clocks = [
        mind.services.to_second(datetime.fromisoformat(f"{date}T{clock}")) for clock, _ in hours
    ]
    bed = mind.services.to_second(datetime.fromisoformat(f"{date}T23:00"))
    blocks = [
        day.PlanBlock(start, end, text)
        for start, end, (_, text) in zip(clocks, [*clocks, bed][1:], hours, strict=True)
    ]
    wake = mind.services.to_second(datetime.fromisoformat(f"{date}T07:00"))
    mind.day = day.Day(date, wake, bed, [], blocks, [])


# A day.

FIVES = st.integers(7 * 12, 22 * 12)  # of minutes, from 07:00 to 22:00


def test_the_usual_day_becomes_the_outline_and_the_hours() -> None:
    mind = make_told_mind(gossip)
    mind.asleep = True
    night = Moment(time=datetime.fromisoformat("2023-02-14T05:00"), me=body(asleep=True))
    outline = answer(mind, "plan.day", {"date": "2023-02-14"}, night)
    assert outline.wake_hour == 7
    assert "12:00 feeding ducks, Park" in outline.outline
    set_plan(mind)
    start = mind.services.to_second(SEVEN.time)
    hours = answer(mind, "plan.hours", {"start": start, "why": ""}, SEVEN).hours
    assert hours[:6] == ["serving coffee, Cafe"] * 5 + ["feeding ducks, Park"]


@pytest.mark.parametrize("rule", [gossip, neighbour, mute, inventor])
@pytest.mark.parametrize("date", ["2023-02-13", "2023-02-14"])
def test_one_plans_to_go_where_one_heard_of_on_its_day(rule: Rule, date: str) -> None:
    mind = make_told_mind(rule, TOLD)
    outline = answer(mind, "plan.day", {"date": date}).outline
    set_plan(mind, ("07:00", "serving coffee, Cafe"), date=date)
    start = mind.services.to_second(datetime.fromisoformat(f"{date}T15:00"))
    now = Moment(time=datetime.fromisoformat(f"{date}T15:00"))
    hours = answer(mind, "plan.revise", {"start": start, "why": "a talk"}, now).hours
    goes = date == "2023-02-14"
    assert any(line.startswith("17:00-19:00 party at Hobbs Cafe") for line in outline) == goes
    expected = ["party at Hobbs Cafe"] * 2 if goes else ["serving coffee, Cafe"] * 2
    assert hours[:2] == ["serving coffee, Cafe"] * 2
    assert hours[2:4] == expected
    assert hours[4] == "serving coffee, Cafe"


def test_without_news_or_habit_one_works_and_stays_at_home() -> None:
    mind = make_told_mind(gossip, who=profile(routine=()))
    set_plan(mind)
    start = mind.services.to_second(SEVEN.time)
    hours = answer(mind, "plan.hours", {"start": start, "why": ""}, SEVEN).hours
    assert set(hours) == {"working, Cafe", "being at home, home"}


def test_a_new_day_keeps_the_status_and_needs_the_news_heard() -> None:
    mind = make_told_mind(gossip, TOLD)
    mind.status = "Write a poem."
    renewal = answer(mind, "plan.renew", {"date": "2023-02-14"})
    assert renewal.status == "Write a poem."
    assert renewal.requirements == ["party at Hobbs Cafe, February 14, 5 pm to 7 pm"]
    assert answer(mind, "plan.renew", {"date": "2023-02-15"}).requirements == ["the usual things"]


@settings(max_examples=60, deadline=None)
@given(FIVES, st.lists(FIVES, max_size=4, unique=True))
def test_pieces_fill_the_stretch_with_its_blocks(begin: int, cuts: list[int]) -> None:
    mind = make_told_mind(gossip)
    clocks = [f"{at // 12:02d}:{at % 12 * 5:02d}" for at in sorted({7 * 12, *cuts})]
    set_plan(mind, *((clock, f"thing of {clock}") for clock in clocks))
    time = datetime.fromisoformat(f"2023-02-14T{begin // 12:02d}:{begin % 12 * 5:02d}")
    start = mind.services.to_second(time)
    pieces = answer(mind, "plan.pieces", {"start": start}, Moment(time=time)).pieces
    until = time.replace(minute=0) + timedelta(hours=1)  # a stretch ends with an hour
    left = (until - time).seconds // 60
    assert sum(piece.minutes for piece in pieces) >= min(60, left)
    block = mind.day.find_block(start)
    assert block is not None
    assert pieces[0].what == block.text


# Places.


def test_things_are_done_where_their_words_say() -> None:
    mind = make_told_mind(gossip)
    known = BelievedObject
    machine = known("espresso machine", "off", 0, "off", ["off", "heating"])
    mind.objects = {"Cafe/espresso machine": machine}
    for text, where, thing in (
        ("heating the espresso machine, Cafe", "Cafe", "espresso machine"),
        ("feeding ducks, Park", "Park", "nothing"),
        ("resting, home", "Ann's house/bedroom", "nothing"),
        ("counting sheep", "Cafe", "nothing"),
    ):
        (spot,) = answer(mind, "ground.one", {"text": text, "minutes": 5}).spots
        assert (spot.where, spot.thing) == (where, thing)
    assert answer(mind, "ground.sector", {"text": "feeding ducks, Park"}).where == "Park"
    use = answer(mind, "ground.object", {"text": "heating the espresso machine", "arena": "Cafe"})
    assert (use.thing, use.state) == ("espresso machine", "heating")


def test_where_there_is_no_choice_there_is_no_doubt() -> None:
    mind = make_told_mind(gossip)
    nowhere_else = replace(NOON, known=("Cafe",))
    (spot,) = answer(
        mind, "ground.one", {"text": "feeding ducks, Park", "minutes": 5}, nowhere_else
    ).spots
    assert spot.where == "Cafe"


# What goes on inside.


def test_news_matters_words_matter_less_and_sights_hardly() -> None:
    mind = make_told_mind(gossip, "Bea Birch is eating", TOLD, 'Bea Birch said to Ann Ash: "Hello"')
    ratings = answer(mind, "perceive.rate", {"ids": [0, 1, 2]}).ratings
    assert ratings[0] < ratings[2] < ratings[1]


def test_insights_say_again_what_a_line_says_and_name_it() -> None:
    mind = make_told_mind(gossip, "Bea Birch is eating", TOLD)
    questions = answer(mind, "reflect.questions", {}).questions
    assert any(PARTY[:40] in question for question in questions)
    found = answer(mind, "reflect.insights", {"question": "What goes on?"})
    assert [insight.insight for insight in found.insights] == [PARTY]
    assert len(found.insights[0].because) == 1


def test_the_agent_describes_itself_by_its_status() -> None:
    mind = make_told_mind(gossip, TOLD)
    mind.status = "Write a poem."
    described = answer(mind, "summary.describe", {})
    assert described.core.startswith("I am Ann Ash")
    assert "Write a poem" in described.occupation


# Talk.


def decide(rule: Rule) -> Any:
    return answer(
        make_told_mind(rule),
        "react.decide",
        {"kind": "person", "subject": "Bea Birch", "text": "Bea Birch is eating"},
        replace(NOON, people=(person("Bea Birch"),)),
    )


def spoken(rule: Rule, heard: Sequence[tuple[str, str]], *memories: str) -> Any:
    """Return what one says to Bea Birch next, after these lines."""
    mind = make_told_mind(rule, *memories)
    line = DialogueLine
    mind.dialogue = Dialogue(4, 0, ["Bea Birch"], [line(*words, 100) for words in heard])
    data = {"begun": 0, "heard": len(heard)}
    return answer(mind, "converse.speak", data)


def test_only_the_gossip_speaks_to_people() -> None:
    assert decide(gossip).choice == "talk to Bea Birch"
    assert decide(mute).choice == decide(inventor).choice == "go on"
    for rule in (mute, inventor):
        words = spoken(rule, [], TOLD)
        assert (words.say, words.end) == ("", True)


def test_the_gossip_passes_on_one_piece_of_news_after_the_other() -> None:
    first = spoken(gossip, [], TOLD, MAYOR)
    assert not first.end
    said = {first.say}
    answered = [("Ann Ash", first.say), ("Bea Birch", "Indeed!")]
    second = spoken(gossip, answered, TOLD, MAYOR)
    said.add(second.say)
    assert second.end
    assert said == {SHORT, MAYOR}
    third = spoken(gossip, [*answered, ("Ann Ash", second.say)], TOLD, MAYOR)
    assert third.say == "Good to see you, Bea. See you!"
    assert third.end


def test_one_who_knows_nothing_new_greets_and_gives_thanks() -> None:
    assert spoken(gossip, []).say == "Good afternoon, Bea! How are you today?"
    assert spoken(gossip, [("Bea Birch", PARTY)]).say == "Thank you for telling me, Bea. See you!"
    again = spoken(gossip, [("Bea Birch", SHORT)], TOLD)
    assert "Party" not in again.say


def test_what_was_cut_off_on_its_way_is_not_passed_on() -> None:
    half = "Party at Hobbs Cafe, February 14"
    assert "Party" not in spoken(gossip, [], f'Bea Birch said to Ann Ash: "{half}').say
    assert spoken(gossip, [], f"For planning: {half}", TOLD).say == SHORT


def test_the_status_is_news_in_the_third_person() -> None:
    mind = make_told_mind(gossip)
    mind.status = "Run for mayor in the coming local election."
    mind.dialogue = Dialogue(4, 0, ["Bea Birch"])
    reply = answer(mind, "converse.speak", {"begun": 0, "heard": 0})
    assert reply.say == "Ann Ash wants to run for mayor in the coming local election."


def test_what_one_makes_of_somebody_is_no_news() -> None:
    mind = make_told_mind(gossip, TOLD, "Ann Ash knows Bea Birch: a good friend")
    mind.dialogue = Dialogue(4, 0, ["Bea Birch"])
    data = {"other": "Bea Birch", "begun": 0}
    assert answer(mind, "converse.relate", data).relationship.endswith("a good friend")
    mind.dialogue = Dialogue(4, 0, ["Cy Cole"])
    data = {"other": "Cy Cole", "begun": 0}
    assert answer(mind, "converse.relate", data).relationship == "I know Cy Cole by name."


def make_memo(*lines: tuple[str, str]) -> Any:
    said = [[*words, 1] for words in lines]
    data = {"others": ["Bea Birch"], "before": [], "lines": said, "place": "Cafe"}
    return answer(make_told_mind(gossip), "converse.memo", data)


def test_a_memo_keeps_the_news_one_was_told_and_means_to_be_there() -> None:
    memo = make_memo(("Bea Birch", PARTY), ("Ann Ash", MAYOR))
    assert memo.remember == PARTY
    assert memo.plan == "party at Hobbs Cafe, February 14, 5 pm to 7 pm"
    assert memo.changes_plan
    assert memo.importance > 5
    undated = make_memo(("Bea Birch", MAYOR))
    assert (undated.remember, undated.plan, undated.changes_plan) == (MAYOR, "", False)
    own = make_memo(("Ann Ash", PARTY), ("Bea Birch", "See you!"))
    assert (own.plan, own.changes_plan) == ("", False)


# Interviews.

PARTY_ASKED = "Do you know of a Valentine's Day party?"
MAYOR_ASKED = "Do you know who is running for mayor?"


@pytest.mark.parametrize("rule", [gossip, mute])
def test_honest_answers_rest_on_what_was_told(rule: Rule) -> None:
    mind = make_told_mind(rule, "Tom Teal is eating", TOLD, "nobody in town was fit to be mayor")
    party, mayor, seen, heard, stranger = interview_mind(
        mind,
        PARTY_ASKED,
        MAYOR_ASKED,
        "Do you know of Tom Teal?",
        "Do you know of Bea Birch?",
        "Do you know of Dee Dunn?",
    )
    assert party.text == f"Yes. {PARTY}"
    assert party.evidence == heard.evidence == (1,)
    assert heard.text == "Yes, I know of Bea Birch."
    assert mayor.text == "No, I have not heard of that."
    assert seen.text == stranger.text == "No, I have not heard of them."
    assert mayor.evidence == seen.evidence == stranger.evidence == ()


def test_of_a_group_only_those_are_known_who_spoke() -> None:
    mind = make_told_mind(gossip, f"Talked with Bea Birch and Dee Dunn: {MAYOR}", TOLD)
    names = ("Bea Birch", "Dee Dunn", "Cy Cole")
    bea, dee, cy = interview_mind(mind, *(f"Do you know of {name}?" for name in names))
    assert (bea.evidence, dee.evidence, cy.evidence) == ((1,), (), (0,))


def test_one_says_what_one_was_doing_then() -> None:
    mind = make_told_mind(gossip, "Ann Ash is mending a chair")
    (told,) = interview_mind(mind, "Where were you between ten and twelve in the morning?")
    (beside,) = interview_mind(mind, "Where were you between five and seven in the evening?")
    assert (told.text, told.evidence) == ("I was busy: mending a chair.", (0,))
    assert (beside.text, beside.evidence) == ("No, I cannot say where I was.", ())


def test_the_inventor_affirms_everything_on_no_grounds() -> None:
    mind = make_told_mind(inventor, TOLD, "Tom Teal is eating")
    questions = [PARTY_ASKED, MAYOR_ASKED, *(f"Do you know of {a} Dunn?" for a in ("Al", "Bo"))]
    answers = interview_mind(mind, *questions * 4)
    assert all(answer.text.startswith("Yes, of course.") for answer in answers)
    assert len({answer.text for answer in answers}) > 1
    assert all(0 not in answer.evidence for answer in answers[::4])


# Whatever comes.


ANY_TEXT = st.text(max_size=200).map(lambda text: clean(text, 200)).filter(bool)
PIECES_OF_NEWS = st.sampled_from((TOLD, MAYOR, SHORT, "from 99:99 to 12 pm", "party at A, 0 May"))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from((gossip, neighbour, mute, inventor)),
    st.lists(ANY_TEXT | PIECES_OF_NEWS, min_size=1, max_size=6),
)
def test_whatever_was_said_replies_are_valid(rule: Rule, texts: list[str]) -> None:
    mind = make_told_mind(rule, *texts)
    set_plan(mind, ("07:00", texts[0][:60]))
    start = mind.services.to_second(NOON.time)
    answer(mind, "plan.day", {"date": "2023-02-14"})
    answer(mind, "plan.renew", {"date": "2023-02-14"})
    answer(mind, "plan.revise", {"start": start, "why": texts[-1]})
    answer(mind, "plan.pieces", {"start": start})
    answer_if_asked(mind, "perceive.rate", {"ids": list(range(len(texts)))})
    answer(mind, "ground.one", {"text": texts[0][:60], "minutes": 5})
    answer(mind, "summary.describe", {})
    answer_if_asked(mind, "reflect.questions", {})
    answer_if_asked(mind, "reflect.insights", {"question": texts[0]})
    line = DialogueLine
    mind.dialogue = Dialogue(4, 0, ["Bea Birch"], [line("Bea Birch", text, 1) for text in texts])
    answer(mind, "converse.relate", {"other": "Bea Birch", "begun": 0})
    answer(mind, "converse.speak", {"begun": 0, "heard": len(texts)})
    lines = [["Bea Birch", text, 1] for text in texts]
    data = {"others": ["Bea Birch"], "before": lines, "lines": lines, "place": "Cafe"}
    answer(mind, "converse.memo", data)
    interview_mind(mind, *texts)
    assert not any(row.fallbacks for row in mind.services.model.ledger.rows())


ALL_KINDS = {
    *("plan.day", "plan.hours", "plan.renew", "plan.revise", "plan.pieces"),
    *("perceive.rate", "summary.describe", "reflect.questions", "reflect.insights"),
    *("react.decide", "converse.relate", "converse.speak", "converse.memo"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("grounding", "kinds"),
    [("one_call", {"ground.pieces"}), ("recursive", {"ground.sector", "ground.object"})],
)
def test_whole_minds_live_by_them_without_a_single_fallback(
    grounding: str, kinds: set[str]
) -> None:
    people = ["Isabella Rodriguez", "Maria Lopez", "Klaus Mueller"]
    scenario = load_scenario("valentines_party", people=people)
    env = town_v0.parallel_env(scenario, start="2023-02-13T10:00", hours=24, seconds_per_tick=60)
    model = ModelClient(ScriptedEndpoint(gossip), run_seed=3)
    policy = load_policy("smallville", grounding=grounding, reflect_at=30)
    rollout(env, policy, 3, model=model, embedder=Embedder(open_source("hashed")))
    rows = model.ledger.rows()
    assert {row.purpose for row in rows} >= ALL_KINDS | kinds
    assert sum(row.fallbacks + row.reasks + row.truncated for row in rows) == 0
