import asyncio
import json
from dataclasses import replace

import pytest

from genagents_env.actions import Idle, Move, Talk
from genagents_env.llm.calls import CompletionRequest
from genagents_env.percept import Conversation, Result
from genagents_env.policies.lyfe import act, options, repetition, senses, talk
from genagents_env.policies.lyfe.mind import LyfeMind, LyfeOption, OptionKind, WorkItem
from tests.policies.harness import moment, think
from tests.policies.lyfe.minds import make_mind
from tests.policies.percepts import Moment, Value, person

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


def test_a_talk_ends_when_words_repeat_themselves() -> None:
    mind = make_mind()
    mind.option, mind.near = LyfeOption("talk"), [BEN]
    mind.work = [WorkItem("yes", 0, BEN, 3)]
    mind.unthought = 2
    mind.uttered, mind.repeats = ["yes"] * 4, [False, True, True, True]
    options.settle(mind, moment(mind, Moment(conversation=TALK)))
    assert mind.option.kind == "reflect"
    assert not repetition.is_repetitive(mind)


def test_waiting_goes_on_until_something_happens() -> None:
    never = {"boredom_per_second": 0.0}
    mind = at("wait", Moment().later(3000), config=never)
    kinds = [mind.option.kind]
    mind.fresh = True
    options.settle(mind, moment(mind, Moment()))
    assert [*kinds, mind.option.kind] == ["wait", "decide"]
    assert at("wait", Moment(), config={"boredom_per_second": 1.0}).option.ended == "wait"


def walk_past(kind: OptionKind, target: str, percept: Moment) -> LyfeMind:
    """Return a mind on its way that has just perceived and settled."""
    mind = make_mind()
    mind.option = LyfeOption(kind, target=target, subgoal="ask Ben of the river")
    mind.last, mind.fresh, mind.people = "Move", False, [BEN]
    asyncio.run(senses.perceive(mind, moment(mind, percept)))
    options.settle(mind, moment(mind, percept))
    return mind


def test_who_is_found_is_spoken_to_in_the_same_step() -> None:
    def rule(request: CompletionRequest) -> str:
        return json.dumps({"say": "Ben, a word."})

    for tick in range(6):  # in whichever tick: there is no lot about who begins
        mind = make_mind(rule)
        mind.option = LyfeOption("find", target=BEN, subgoal="ask Ben of the river")
        mind.near = [BEN]
        percept = Moment(people=(person(BEN),)).later(10 * tick)
        options.settle(mind, moment(mind, percept))
        option = mind.option
        assert (option.kind, option.target, option.subgoal) == ("talk", BEN, "ask Ben of the river")
        think(mind, talk.make_queries(mind, moment(mind, percept)), percept)
        step = act.choose_action(mind, moment(mind, percept))
        assert isinstance(step, Talk)
        assert (step.to, step.text) == (BEN, "Ben, a word.")


def test_who_is_found_and_walks_on_is_followed_then_the_mind_is_asked() -> None:
    mind = walk_past("find", BEN, Moment(people=(person(BEN),)))
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
    ("kind", "target", "distance"), [("go", "Park", 2), ("find", "Cat Cole", 7)]
)
def test_one_stands_still_for_somebody_who_is_looking_for_one(
    kind: OptionKind, target: str, distance: int
) -> None:
    seeker = Moment(people=(person(BEN, distance, doing="looking for Ann Ash"),))
    mind = walk_past(kind, target, seeker)
    assert mind.option.kind == kind  # nobody is asked what to do
    assert mind.work[-1].text == "Ben Birch is looking for you."
    assert act.choose_action(mind, moment(mind, seeker)) == Idle("stopping for Ben Birch", "🙂")
    # Who has not come by then is not coming, nor who is gone.
    for later in (seeker.later(90), Moment().later(10)):
        asyncio.run(senses.perceive(mind, moment(mind, later)))
        assert isinstance(act.choose_action(mind, moment(mind, later)), Move)


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
