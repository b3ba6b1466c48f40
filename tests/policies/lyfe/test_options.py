"""What one chooses to do, how that ends, and how goal and traits change after a thought."""

import asyncio
import json
from dataclasses import replace

import pytest

from genagents_env.actions import Idle, Move
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule
from genagents_env.percept import Conversation, Result
from genagents_env.policies.lyfe import act, controller, options, places, reflect, senses
from genagents_env.policies.lyfe.mind import LyfeMind, LyfeOption, OptionKind, WorkItem
from tests.policies.harness import fields_of, list_first_fields, list_requests, moment, think
from tests.policies.lyfe.minds import make_mind
from tests.policies.percepts import Moment, Value, person, profile, speech

BEN = "Ben Birch"
TALK = Conversation(1, ("Ann Ash", BEN), None, True, 99)


def talking(seconds: int) -> Moment:
    return Moment().later(seconds, conversation=TALK)


def at(kind: OptionKind, percept: Moment, **fields: Value) -> LyfeMind:
    """Return a mind at an option, after it has seen whether that is over."""
    config, work = fields.pop("config", {}), fields.pop("work", [])
    mind = make_mind(**config)
    mind.option = LyfeOption(kind, **fields)
    mind.fresh, mind.unthought, mind.work = False, 2 if work else 0, list(work)
    mind.near = [BEN] if percept.conversation is not None else []
    mind.last = "Move" if kind in ("go", "find") else "Idle"
    options.settle(mind, moment(mind, percept))
    return mind


LONG, BARRED = Moment().later(600), Moment(result=Result(False, "Park is closed"))
HOME = Moment(result=Result(True, "", arrived=True))
SAID = [WorkItem("Well.", 60, BEN, 3)]


@pytest.mark.parametrize(
    ("kind", "percept", "work", "then"),
    [
        pytest.param("talk", talking(110), SAID, ("talk", ""), id="a talk goes on"),
        pytest.param("talk", talking(120), SAID, ("reflect", "talk"), id="its time is over"),
        pytest.param("talk", talking(120), [], ("decide", "talk"), id="one took no part"),
        pytest.param("go", HOME, [], ("wait", ""), id="one arrives"),
        pytest.param("go", replace(HOME, conversation=TALK), [], ("decide", "go"), id="people"),
        pytest.param("go", BARRED, [], ("decide", "go"), id="the way is barred"),
        pytest.param("go", LONG, [], ("decide", "go"), id="gives up"),
        pytest.param("find", LONG, [], ("decide", "find"), id="gives up the search"),
        pytest.param("reflect", LONG, [], ("reflect", ""), id="waits for the model"),
    ],
)
def test_what_one_does_ends_by_what_happens(
    kind: OptionKind, percept: Moment, work: list[WorkItem], then: tuple[str, str]
) -> None:
    mind = at(kind, percept, work=work, target="Park", subgoal="feed the ducks")
    assert (mind.option.kind, mind.option.ended) == then
    assert mind.option.subgoal == "feed the ducks" or then[0] != "wait"
    if percept is BARRED:
        assert "Park is closed" in mind.work[-1].text
        assert mind.feedback


def test_waiting_goes_on_until_something_happens() -> None:
    never = {"boredom_per_second": 0.0}
    mind = at("wait", Moment().later(3000), config=never)
    kinds = [mind.option.kind]
    mind.fresh = True
    options.settle(mind, moment(mind, Moment()))
    assert [*kinds, mind.option.kind] == ["wait", "decide"]
    assert at("wait", Moment(), config={"boredom_per_second": 1.0}).option.ended == "wait"


def test_who_is_found_and_walks_on_is_followed_then_the_mind_is_asked() -> None:
    mind, there = make_mind(), Moment(people=(person(BEN),))
    mind.option = LyfeOption("find", target=BEN, subgoal="ask Ben of the river")
    mind.last, mind.fresh, mind.people = "Move", False, [BEN]
    asyncio.run(senses.perceive(mind, moment(mind, there)))
    options.settle(mind, moment(mind, there))
    seen: list[tuple[str, str]] = []
    for step in range(1, 5):
        mind.near = []
        options.settle(mind, moment(mind, Moment().later(20 * step)))
        seen.append((mind.option.kind, mind.option.subgoal or mind.option.before))
        mind.near = [BEN]
        options.settle(mind, moment(mind, Moment().later(20 * step + 10)))
    assert seen == [*[("find", "ask Ben of the river")] * 3, ("decide", "ask Ben of the river")]
    assert mind.fresh
    assert "not here any more" in mind.option.outcome


@pytest.mark.parametrize(
    ("subgoal", "kind"), [("tell Ben what I saw", "decide"), ("feed the ducks", "wait")]
)
def test_one_who_came_for_a_person_is_asked_again_after_a_minute(subgoal: str, kind: str) -> None:
    mind = make_mind(boredom_per_second=0.0)
    mind.people, mind.fresh = [BEN], False
    mind.option = LyfeOption("wait", target="Park", subgoal=subgoal)
    options.settle(mind, moment(mind, Moment().later(50)))
    kinds = [mind.option.kind]
    options.settle(mind, moment(mind, Moment().later(60)))
    assert [*kinds, mind.option.kind] == ["wait", kind]
    assert (mind.fresh, "nobody is here" in mind.option.outcome) == (kind == "decide",) * 2


@pytest.mark.parametrize("kind", ["wait", "go", "find"])
def test_what_one_does_is_seen_what_for_is_not(kind: OptionKind) -> None:
    mind = make_mind()
    mind.people = [BEN]
    target = {"go": "Park", "find": BEN}.get(kind, "")
    mind.option = LyfeOption(kind, target=target, subgoal="hide the knife")
    step = act.choose_action(mind, moment(mind, Moment()))
    expected = {"go": "going to Park", "find": "looking for Ben Birch"}.get(kind, "waiting")
    assert isinstance(step, Idle | Move)
    assert step.doing == expected


CAT = "Cat Cole"


def make_choice_rule(option: str, target: str = "nobody", subgoal: str = "see the ducks") -> Rule:
    return lambda request: json.dumps({"option": option, "target": target, "subgoal": subgoal})


def decide(rule: Rule, percept: Moment | None = None, **fields: Value) -> LyfeMind:
    """Return a mind that has just chosen; `near` and `people` as given."""
    near, people = fields.pop("near", []), fields.pop("people", [])
    ended, only = fields.pop("ended", ""), fields.pop("only", [])
    mind = make_mind(rule, **fields)
    mind.near, mind.people = near, [*near, *people]
    mind.option = LyfeOption("decide", ended=ended, only=only)
    percept = percept or Moment()
    think(mind, controller.make_queries(mind, moment(mind, percept)), percept)
    return mind


def possible(mind: LyfeMind) -> list[str]:
    schema: Value = list_requests(mind)[0].schema
    choices = schema["properties"]["option"]
    return list(choices.get("enum", [choices.get("const")]))


def test_talking_is_possible_only_where_somebody_is_near_finding_only_of_the_absent() -> None:
    assert possible(decide(make_choice_rule("wait"))) == ["go", "reflect", "wait"]
    near = decide(make_choice_rule("wait"), near=[BEN])
    assert possible(near) == ["talk", "go", "reflect", "wait"]
    both = decide(make_choice_rule("wait"), near=[BEN], people=[CAT])
    assert possible(both) == ["talk", "go", "find", "reflect", "wait"]


def test_with_the_releases_preset_what_just_ended_is_hidden_nine_times_in_ten() -> None:
    hidden = 0
    for tick in range(60):
        mind = decide(
            make_choice_rule("wait"),
            Moment(tick=tick),
            near=[BEN],
            ended="talk",
            preset="release",
        )
        hidden += "talk" not in possible(mind)
    assert 44 <= hidden < 60


def test_only_what_is_asked_for_is_possible() -> None:
    mind = decide(make_choice_rule("go", "Park"), near=[BEN], only=["go", "find"])
    assert possible(mind) == ["go"]


@pytest.mark.parametrize(("option", "words"), [("go", "9"), ("find", "Francesco Bianchi")])
def test_what_fits_nothing_well_is_refused_in_words(option: str, words: str) -> None:
    mind = decide(make_choice_rule(option, words), people=["Richard Smith"])
    assert mind.option.kind == "decide"
    assert words in mind.option.outcome
    assert words in mind.work[-1].text
    (note,) = mind.services.notes.take()
    assert (note.kind, note.call.purpose) == ("wish", "controller.choose")
    assert words in note.text
    percept = Moment().later()
    think(mind, controller.make_queries(mind, moment(mind, percept)), percept)
    kinds = [mind.option.kind]  # one thinks again, but once
    later = Moment().later(20)
    options.settle(mind, moment(mind, later))
    assert [*kinds, mind.option.kind] == ["wait", "wait"]


def test_of_the_same_it_is_not_asked_again_but_one_waits() -> None:
    mind = decide(make_choice_rule("reflect"), near=[BEN])
    mind.option.subgoal = "ask Ben of the river"
    options.end(mind, 20, ended="reflect")
    now = moment(mind, Moment().later(20))
    assert not controller.make_queries(mind, now)
    assert (mind.option.kind, mind.option.subgoal) == ("wait", "ask Ben of the river")
    options.end(mind, 30)
    senses.notice_oneself(mind, "I thought of something.", 30)
    assert controller.make_queries(mind, now)


def test_names_that_were_heard_may_be_looked_for_but_not_the_dead() -> None:
    mind = make_mind(make_choice_rule("find", "Francesco Bianchi"))
    words = "Francesco Bianchi quarrelled with Salim Khan, and Salim Khan was murdered."
    percept = Moment(heard=(speech(BEN, words),))
    asyncio.run(senses.perceive(mind, moment(mind, percept)))
    think(mind, controller.make_queries(mind, moment(mind, percept)), percept)
    shown = list_requests(mind)[0].messages[-1].content
    assert '["person", "Francesco Bianchi"' in shown
    assert '["person", "Salim Khan"' not in shown
    assert (mind.option.kind, mind.option.target) == ("find", "Francesco Bianchi")


def test_a_mere_name_is_looked_for_in_three_places_then_not_again_that_day() -> None:
    mind = make_mind(make_choice_rule("wait"))
    mind.named, percept = ["Zed Zorn"], Moment(known=tuple(f"Corner {n}" for n in range(9)))
    shown = places.list_people_to_find(mind)
    options.begin(mind, "find", moment(mind, percept), target="Zed Zorn", subgoal="ask Zed")
    for _ in range(9):
        act.choose_action(mind, moment(mind, percept))
        percept = percept.later(10, result=Result(True, "", arrived=True))
        mind.tick = percept.tick
        if mind.option.kind == "decide":
            break
    assert mind.option.kind == "decide"
    assert mind.work[-1].text.count("Corner") == 3
    assert (mind.fresh, mind.option.before) == (True, "ask Zed")
    assert [shown, places.list_people_to_find(mind)] == [["Zed Zorn"], []]
    mind.tick += 8640  # ticks of ten seconds: a day
    assert places.list_people_to_find(mind) == ["Zed Zorn"]


ANN = profile(goal="Find out who took the boat.", traits=("patient", "kind"))
HOUR = 3600
NEW = {"goal": "Get the boat back from Cid.", "traits": ["resolute", "bitter", "kind"]}


def make_thinker(outlook: object = NEW, after: int = HOUR, **config: Value) -> LyfeMind:
    """Return a mind that has just thought, so many seconds after the start."""

    def rule(request: CompletionRequest) -> str:
        if fields_of(request)[0] == "thought":
            return json.dumps({"thought": "It was Cid who took the boat."})
        return json.dumps(outlook)

    mind = make_mind(rule, who=ANN, **config)
    return think_at(mind, after)


def think_at(mind: LyfeMind, second: int) -> LyfeMind:
    now = Moment().later(second)
    mind.option = LyfeOption("reflect", begun=second)
    think(mind, reflect.make_queries(mind, moment(mind, now)), now)
    return mind


def test_after_a_thought_goal_and_traits_are_considered_and_then_shown() -> None:
    mind = make_thinker()
    assert list_first_fields(mind) == ["thought", "goal"]
    assert "It was Cid who took the boat." in list_requests(mind)[1].messages[1].content
    assert (mind.goal, list(mind.me.traits)) == (NEW["goal"], NEW["traits"])
    assert (mind.profile.goal, mind.profile.traits) == (ANN.goal, ANN.traits)
    think_at(mind, HOUR + 60)
    shown = list_requests(mind)[-1].messages[1].content
    assert '["goal", "Get the boat back from Cid."]' in shown
    assert "resolute, bitter, kind" in shown
    assert "patient" not in shown


@pytest.mark.parametrize(
    ("times", "config", "considered"),
    [
        ([HOUR - 10], {}, [False]),
        ([HOUR], {"preset": "release"}, [False]),
        ([HOUR, 2 * HOUR - 10, 2 * HOUR], {}, [True, False, True]),
    ],
)
def test_they_are_considered_once_in_a_while_only(
    times: list[int], config: dict[str, Value], considered: list[bool]
) -> None:
    mind = make_thinker(after=times[0], **config)
    for second in times[1:]:
        think_at(mind, second)
    expected = [["thought", "goal"][: 1 + also] for also in considered]
    assert list_first_fields(mind) == [field for fields in expected for field in fields]


def test_a_small_model_keeps_what_the_profile_says() -> None:
    mind = make_mind(who=ANN)
    mind.services.prompts.small = True
    assert list_first_fields(think_at(mind, HOUR)) == ["thought"]
