import asyncio
import json

import pytest

from genagents_env.llm.scripted import Rule
from genagents_env.percept import Result
from genagents_env.policies.lyfe import act, controller, options, places, senses
from genagents_env.policies.lyfe.mind import LyfeMind, LyfeOption
from tests.policies.harness import list_requests, moment, think
from tests.policies.lyfe.minds import make_mind
from tests.policies.percepts import Moment, Value, speech

BEN, CAT = "Ben Birch", "Cat Cole"


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
            make_choice_rule("wait"), Moment(tick=tick), near=[BEN], ended="talk", preset="release"
        )
        hidden += "talk" not in possible(mind)
    assert 44 <= hidden < 60


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
