from dataclasses import replace
from datetime import datetime

import pytest

from genagents_env.actions import Action, Idle, Interact, Move
from genagents_env.cognition.query import Query
from genagents_env.percept import Result, SeenObject
from genagents_env.policies.smallville import act as act_module
from genagents_env.policies.smallville import plan
from genagents_env.policies.smallville.mind import Day, Piece, PlanBlock, SmallvilleMind
from tests.policies.harness import moment
from tests.policies.percepts import Moment, body, person, profile
from tests.policies.smallville.days import BED
from tests.policies.smallville.minds import make_mind

NIGHT = datetime.fromisoformat("2023-02-13T23:30")
AT_HOME = Moment(me=body("Ann's house/bedroom"), time=NIGHT)
ARRIVED, REFUSED = Result(True, "", arrived=True), Result(False, "Park is closed; open 09:00 to 10")


def bed(state: str = "made", usable: bool = True) -> SeenObject:
    return SeenObject(BED[0], "bed", (1, 2), 1, state, (BED[1],), False, usable, 0)


def stove(state: str = "off", *, usable: bool = True, free_text: bool = False) -> SeenObject:
    return SeenObject("Cafe/stove", "stove", (1, 2), 1, state, ("on", "off"), free_text, usable, 0)


def at(
    mind: SmallvilleMind, text: str = "baking", place: str = "Cafe", thing: str = "", use: str = ""
) -> SmallvilleMind:
    """Give `mind` a piece of a plan for the next ten minutes."""
    mind.day = Day("2023-02-13", 0, 54_000, pieces=[])
    mind.day.hours = [PlanBlock(0, 54_000, "the day")]
    mind.day.pieces = [Piece(0, 600, text, place, thing, use, "🍞")]
    return mind


OFF, ON, FAR = (stove(),), (stove("on"),), (stove(usable=False),)
USE, BAKING = Interact("Cafe/stove", "on", "baking", "🍞"), Idle("baking", "🍞")
GO = Move("Cafe/stove", "baking", "🍞")


def act(mind: SmallvilleMind, percept: Moment) -> Action:
    mind.asleep = percept.me.asleep
    action: Action = act_module.choose_action(mind, moment(mind, percept))
    return action


def acts(mind: SmallvilleMind, *percepts: Moment) -> list[Action]:
    return [act(mind, percept) for percept in percepts]


# Walking and doing.


@pytest.mark.parametrize(
    ("seen", "result", "steps"),
    [
        ([OFF, ON, OFF], Result(True, "The stove is now on."), [USE, BAKING, BAKING]),
        ([FAR, OFF], ARRIVED, [GO, USE]),
        ([(), OFF], ARRIVED, [GO, USE]),
        ([FAR, FAR, FAR], ARRIVED, [GO, BAKING, BAKING]),
        ([FAR, FAR, FAR], Result(False, "the way is barred"), [GO, BAKING, BAKING]),
        ([OFF, OFF], Result(False, "someone else got to it first"), [USE, BAKING]),
    ],
    ids=["once", "out of reach", "out of sight", "never in reach", "barred", "taken"],
)
def test_a_thing_is_walked_to_and_used_once_or_given_up(
    seen: list[tuple[SeenObject, ...]], result: Result, steps: list[Action]
) -> None:
    mind = at(make_mind(), thing="Cafe/stove", use="on")
    percepts = [Moment().later(10 * k, objects=objects) for k, objects in enumerate(seen)]
    percepts[1] = replace(percepts[1], result=result)
    assert acts(mind, *percepts) == steps


def test_a_place_that_is_closed_is_given_up_after_one_failure_and_thought_about_again() -> None:
    mind = at(make_mind(), place="Park")
    percept = Moment()
    refused = percept.later(result=REFUSED)
    later = [percept.later(10 * k) for k in range(2, 59)]
    steps = acts(mind, percept, refused, *later)
    assert steps == [Move("Park"), *[Idle("the day", "🙂")] * 58]  # and not baking, here
    assert mind.day.find_piece(20) is None  # so that the next are made
    assert mind.refused == REFUSED.text
    (query,) = plan.make_queries(mind, moment(mind, percept.later(20)))
    assert query == Query("plan.pieces", {"start": 20})


def test_a_closed_place_may_be_tried_again_in_a_while_and_a_private_one_tomorrow() -> None:
    for result, blocked in ((REFUSED, 600), (Result(False, "Park is private"), 10 + 86_400)):
        mind = at(make_mind(), place="Park")
        acts(mind, Moment(), Moment().later(result=result))
        assert mind.blocked == {"Park": blocked}
        act(mind, Moment().later(blocked))
        assert mind.blocked == {}


@pytest.mark.parametrize("why", ["over", "lasting", "changed", "in use"])
def test_what_was_done_to_a_thing_ends_with_the_activity_unless_it_stays(why: str) -> None:
    mind = at(make_mind(), thing="Cafe/stove", use="on")
    lasting = ("on",) if why == "lasting" else ()
    off, on = (replace(stove(state), lasting=lasting) for state in ("off", "on"))
    assert acts(mind, Moment(objects=(off,)), Moment(objects=(on,)).later()) == [USE, BAKING]
    mind.day.pieces = [Piece(600, 1200, "reading", place="Cafe")]
    beside = (replace(person("Bob"), tile=on.tile),) if why == "in use" else ()
    after = Moment(objects=(off if why == "changed" else on,), people=beside).later(600)
    ends = Interact("Cafe/stove", "off", "baking") if why == "over" else Idle("reading", "🙂")
    assert act(mind, after) == ends
    assert act(mind, Moment(objects=(off,)).later(610)) == Idle("reading", "🙂")
    assert mind.uses == {}


# Bed.


def test_one_goes_to_bed_lies_down_and_sleeps_on() -> None:
    mind = make_mind(who=profile(sleeps_in=BED))
    percept = Moment(time=NIGHT)
    there = replace(AT_HOME, objects=(bed(),), result=ARRIVED)
    asleep = AT_HOME.later(me=body("Ann's house/bedroom", "sleeping", asleep=True))
    assert acts(mind, percept, there, asleep) == [
        Move(BED[0], "going to bed", "🌙"),
        Interact(*BED, "asleep in bed", "😴"),
        Idle(),
    ]
