import json
from collections.abc import Mapping

import pytest

from genagents_env.cognition.query import PendingQuery
from genagents_env.llm.scripted import Rule, always_invalid
from genagents_env.percept import Percept
from genagents_env.policies.smallville import past, retrieve, summary
from genagents_env.policies.smallville.mind import SelfSummary, SmallvilleMind
from genagents_env.policies.smallville.summary import describe_status
from tests.policies.harness import (
    by_fields,
    endpoint_of,
    is_golden,
    length,
    list_requests,
    moment,
    think,
    transcript,
)
from tests.policies.percepts import Moment, Value, profile, wait_for
from tests.policies.smallville import minds
from tests.policies.smallville.minds import make_isabella, make_mind

NOW = Moment()
SELF = {
    "core": "I am warm and I like company.",
    "occupation": "I run the Cafe.",
    "progress": "I feel that the Cafe does well.",
}


def make_summary_rule(**changes: Value) -> Rule:
    return by_fields({"core": SELF | changes})


def live(mind: SmallvilleMind, percept: Percept = NOW) -> None:
    """Live one tick with the summary alone."""
    think(mind, summary.query_description(mind, moment(mind, percept)), percept)


def test_describes_the_agent_at_first_and_again_when_it_is_old() -> None:
    mind = make_mind(make_summary_rule(), describe_hours=2)
    for hours, calls in ((0, 1), (1, 1), (1.99, 1), (2, 2), (3, 2)):
        live(mind, NOW.later(int(hours * 3600)))
        assert len(list_requests(mind)) == calls
    assert mind.summary == SelfSummary(**SELF, made=7200)


@pytest.mark.parametrize("why", ["asleep", "under way", "switched off"])
def test_does_not_describe_when_it_cannot(why: str) -> None:
    mind = make_mind(make_summary_rule(), describe=why != "switched off")
    mind.asleep = why == "asleep"
    if why == "under way":
        mind.pending.append(PendingQuery("summary.describe", {}, (), 0, 0, 9))
    assert len(summary.query_description(mind, moment(mind, NOW))) == 0


def test_without_a_usable_reply_the_last_description_if_any_serves_again() -> None:
    mind, never = make_mind(make_summary_rule(), describe_hours=2), make_mind(always_invalid)
    live(mind)
    endpoint_of(mind).rule = always_invalid
    live(mind, NOW.later(7200))
    live(mind, NOW.later(7210))
    assert len(list_requests(mind)) == 1 + 2  # asked, asked once again, and then not at every tick
    assert mind.summary == SelfSummary(**SELF, made=7200)
    live(never)
    assert (never.summary, summary.format_lines(never)) == (SelfSummary(made=0), [])


def test_golden_transcript(percepts: Mapping[str, list[Percept]]) -> None:
    rule = make_summary_rule(occupation="I run Hobbs Cafe and prepare a party.")
    mind = make_isabella(rule, percepts["valentines_party"])
    mind.status = mind.profile.goal
    live(mind, percepts["valentines_party"][-1])
    effects = [json.dumps(line) for line in summary.format_lines(mind)]
    assert len(list_requests(mind)) == 1
    assert length(list_requests(mind)[0]) <= 4000
    assert is_golden("summary.txt", transcript(list_requests(mind), rule, effects))


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
