from collections.abc import Mapping

import pytest

from genagents_env.policies.smallville import past, retrieve, summary
from genagents_env.policies.smallville.mind import Dialogue, SmallvilleMind
from genagents_env.policies.smallville.summary import describe_status
from tests.policies.percepts import Moment, Value, profile, wait_for
from tests.policies.smallville import minds
from tests.policies.smallville.minds import by_fields, list_requests, moment, think

TOLD = "I give a party on Tuesday at 17:00 in the Cafe; Bob knows and will come."
CURRENTLY = "Ann plans a party; Ann has told nobody yet"
SAYS = {"status": {"status": TOLD}}


def begin(replies: Mapping[str, Mapping[str, object]] = SAYS, **config: Value) -> SmallvilleMind:
    """Return the mind of somebody who plans a party and has told nobody yet."""
    memories = ("Ann swims at dawn", *CURRENTLY.split("; "))
    who = profile(currently=CURRENTLY, goal="Give a party.", memories=memories)
    services = minds.make_mind(by_fields(replies), who=who, **config).services
    return past.make_mind(services, who)


def talk(mind: SmallvilleMind) -> int:
    """Remember a talk, as a memo does."""
    return mind.stream.add(
        "chat", "Talked with Bob: he will come", created=0, cause="converse.memo"
    )


def ask(mind: SmallvilleMind, percept: Moment) -> list[str]:
    """Ask what is due; return the purposes."""
    queries = summary.query_status(mind, moment(mind, percept))
    think(mind, queries, percept)
    return [query.purpose for query in queries]


def test_a_talk_changes_what_one_is_up_to_within_the_day() -> None:
    mind, percept = begin(), Moment().later(7200)
    assert ask(mind, percept) == []  # nothing but what was known from the start
    assert list(describe_status(mind).lines) == [
        ["your goal", "Give a party."],
        ["these days", CURRENTLY],
    ]
    talk(mind)
    assert ask(mind, percept) == ["summary.status"]
    asked = list_requests(mind)[0].messages[-1].content
    for words in ("Monday 13 February 2023, 10:00", "has told nobody yet", "he will come"):
        assert words in asked
    assert mind.status == TOLD
    assert list(describe_status(mind).lines) == [["these days", TOLD]]
    recalled = wait_for(retrieve.recall(mind, ["party told nobody"], 7200))
    texts = [memory.text for _, memory in recalled]
    assert "Ann has told nobody yet" not in texts
    assert "Ann swims at dawn" in texts


def test_an_insight_may_change_it_too_and_the_plan_may_not() -> None:
    mind, percept = begin(), Moment().later(7200)
    mind.stream.add("plan", "Ann's plan", created=0, cause="plan.day #0 at tick 0")
    assert ask(mind, percept) == []
    mind.stream.add("thought", "Ann likes Bob", created=0, cause="reflect.insights #0 at tick 3")
    assert ask(mind, percept) == ["summary.status"]


def test_it_is_asked_once_in_a_while_and_nothing_that_happened_is_left_out() -> None:
    mind = begin(status_minutes=60)
    talk(mind)
    assert ask(mind, Moment().later(1800)) == []
    assert ask(mind, Moment().later(3600)) == ["summary.status"]
    first, second = talk(mind), talk(mind)
    assert ask(mind, Moment().later(7190)) == []
    (query,) = summary.query_status(mind, moment(mind, Moment().later(7200)))
    assert query.data["changes"] == [first, second]


@pytest.mark.parametrize("why", ["asleep", "talking", "switched off", "each morning", "small"])
def test_there_are_times_when_it_is_not_asked(why: str) -> None:
    mind = begin(describe=why != "switched off", status_minutes=60 * (why != "each morning"))
    mind.asleep = why == "asleep"
    mind.dialogue = Dialogue(1, 0, ["Bob"]) if why == "talking" else None
    mind.services.prompts.small = why == "small"
    talk(mind)
    assert ask(mind, Moment().later(7200)) == []


def test_without_a_usable_reply_the_old_one_stays() -> None:
    mind = begin({"status": {"status": ""}})
    talk(mind)
    assert ask(mind, Moment().later(7200)) == ["summary.status"]
    assert mind.status == CURRENTLY
