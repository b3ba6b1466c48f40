import pytest

from genagents_env.percept import Conversation, Result
from genagents_env.policies.lyfe import options, repetition
from genagents_env.policies.lyfe.mind import LyfeMind, LyfeOption, OptionKind, WorkItem
from tests.policies.lyfe.minds import make_mind, moment
from tests.policies.percepts import Moment, Value

BEN = "Ben Birch"
TALK = Conversation(1, ("Ann Ash", BEN), None, True, 99)


def at(kind: OptionKind, percept: Moment, begun: int = 0, **fields: Value) -> LyfeMind:
    """Return a mind at an option, after it has seen whether that is over."""
    config, said = fields.pop("config", {}), fields.pop("said", False)
    mind = make_mind(**config)
    mind.option = LyfeOption(kind, begun=begun, **fields)
    mind.fresh = False
    mind.unthought = 2
    if said:
        mind.work = [WorkItem("Well.", 60, BEN, 3)]
    mind.near = [BEN] if percept.conversation is not None else []
    mind.last = "Move" if kind in ("go", "find") else "Idle"
    options.settle(mind, moment(mind, percept))
    return mind


def test_a_talk_ends_by_time_and_one_reflects() -> None:
    early, late = Moment(conversation=TALK).later(110), Moment(conversation=TALK).later(120)
    early, late = early.later(0, conversation=TALK), late.later(0, conversation=TALK)
    assert at("talk", early, said=True).option.kind == "talk"
    option = at("talk", late, said=True).option
    assert (option.kind, option.ended) == ("reflect", "talk")


def test_one_who_took_no_part_has_nothing_to_reflect_on() -> None:
    mind = make_mind()
    mind.option, mind.near = LyfeOption("talk"), [BEN]
    mind.work = [WorkItem("Well.", 60, "Cat Cole", 3)]
    options.settle(mind, moment(mind, Moment().later(120)))
    assert (mind.option.kind, mind.option.ended) == ("decide", "talk")


def test_a_talk_ends_when_words_repeat_themselves() -> None:
    mind = make_mind()
    mind.option, mind.near = LyfeOption("talk"), [BEN]
    mind.work = [WorkItem("yes", 0, BEN, 3)]
    mind.unthought = 2
    mind.uttered, mind.repeats = ["yes"] * 4, [False, True, True, True]
    options.settle(mind, moment(mind, Moment(conversation=TALK)))
    assert mind.option.kind == "reflect"
    assert not repetition.is_repetitive(mind)


def test_a_talk_with_nobody_is_over() -> None:
    assert at("talk", Moment()).option.kind == "decide"


def test_one_who_arrives_where_nobody_is_waits_for_what_one_came_for() -> None:
    arrival = Moment(result=Result(True, "", arrived=True))
    option = at("go", arrival, target="Park", subgoal="feed the ducks").option
    assert (option.kind, option.subgoal) == ("wait", "feed the ducks")


def test_one_who_comes_to_people_thinks_anew() -> None:
    arrival = Moment(conversation=TALK, result=Result(True, "", arrived=True))
    option = at("go", arrival, target="Park").option
    assert (option.kind, option.ended) == ("decide", "go")


def test_a_way_that_is_barred_ends_with_its_reason() -> None:
    mind = at("go", Moment(result=Result(False, "Park is closed")), target="Park")
    assert mind.option.kind == "decide"
    assert "Park is closed" in mind.work[-1].text
    assert mind.feedback


def test_who_is_found_is_talked_to_without_a_thought() -> None:
    mind = make_mind()
    mind.option = LyfeOption("find", target=BEN, subgoal="ask Ben of the river")
    mind.near = [BEN]
    options.settle(mind, moment(mind, Moment()))
    option = mind.option
    assert (option.kind, option.target, option.subgoal) == ("talk", BEN, "ask Ben of the river")


@pytest.mark.parametrize("kind", ["go", "find"])
def test_one_gives_up_after_so_long(kind: OptionKind) -> None:
    assert at(kind, Moment().later(600), target="Nowhere").option.kind == "decide"


def test_waiting_goes_on_until_something_happens() -> None:
    never = {"boredom_per_second": 0.0}
    mind = at("wait", Moment().later(3000), config=never)
    kinds = [mind.option.kind]
    mind.fresh = True
    options.settle(mind, moment(mind, Moment()))
    assert [*kinds, mind.option.kind] == ["wait", "decide"]
    assert at("wait", Moment(), config={"boredom_per_second": 1.0}).option.ended == "wait"


def test_boredom_comes_about_as_often_as_it_is_said_to() -> None:
    mind = make_mind(preset="release")
    bored = 0
    for tick in range(4000):  # of ten seconds
        mind.option, mind.fresh = LyfeOption("wait"), False
        options.settle(mind, moment(mind, Moment(tick=tick)))
        bored += mind.option.kind == "decide"
    assert 0.014 < bored / 4000 < 0.022


def test_without_options_everything_is_decided_at_every_tick() -> None:
    mind = at("go", Moment(), target="Park", config={"option_action": False})
    assert mind.option.kind == "decide"
    assert mind.option.target == "Park"


def test_reflecting_and_deciding_wait_for_the_model() -> None:
    for kind in ("reflect", "decide"):
        assert at(kind, Moment().later(5000)).option.kind == kind
