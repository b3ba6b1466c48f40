from datetime import UTC, datetime, timedelta

from genagents_env.scenario.schema import Fact, Person, Relationship
from genagents_env.show.transcript import format_transcript
from genagents_env.study.evaluate.measures.acquaintance import (
    compute_density,
    find_initial_ties,
    find_speaking_pairs,
)
from genagents_env.study.evaluate.measures.diffusion import Hearing, trace_facts
from genagents_env.study.evaluate.measures.talk import TalkCounts, count_talk
from genagents_env.study.evaluate.presence import find_stays, find_visits
from genagents_env.world.events import Event
from tests.study.evaluate.suspects import TINY, at, make_data
from tests.study.evaluate.talks import learn, say


def test_a_fact_is_heard_when_from_whom_and_through_which_event() -> None:
    facts = (Fact(id="party", statement="a party", known_by=("Ada", "Zoe"), patterns=("party",)),)
    told, news = learn(4, "Ben", "party", 3, "Ada"), learn(6, "Cy", "party", 5)
    (spread,) = trace_facts(facts, ["Ada", "Ben", "Cy", "Dot"], [told, news])
    assert spread.at_start == ("Ada",)
    assert spread.heard == (Hearing("Ben", 4, "Ada", 3), Hearing("Cy", 6, None, 5))


def test_attendance_counts_the_time_within_the_gathering() -> None:
    events = [
        at(0, 0, "start", "Ada", "cafe/hall"),
        at(1, 0, "start", "Ben", "cafe two/room"),
        at(2, 5, "arrive", "Ben", "cafe/kitchen"),
        at(3, 8, "arrive", "Ben", "cafe two/room"),
        at(4, 9, "put", "Ben", "cafe/hall"),
        Event(5, 12, "part", "Ada", {}),
    ]
    where = find_stays(events, last_tick=14)
    came = find_visits(where, "cafe", 6, 13)
    assert [(v.agent, v.first, v.ticks) for v in came] == [("Ada", 6, 6), ("Ben", 6, 6)]
    assert find_visits(where, "cafe/hall", 13, 20)[0].ticks == 2
    assert find_visits(where, "cafe", 0, 0) == []


def test_mutual_knowledge_needs_both_at_the_start_and_one_talk_later() -> None:
    def person(name: str, *knows: str) -> Person:
        known = tuple(Relationship(to=other, about="a friend") for other in knows)
        return Person(name=name, persona="someone", home="h", relationships=known)

    people = [person("Ada", "Ben"), person("Ben", "Ada", "Cy"), person("Cy")]
    before = find_initial_ties(people)
    assert before == {("Ada", "Ben")}
    after = before | find_speaking_pairs([say(0, "Cy", ["Ada"]), say(1, "Ben", [])])
    assert after == {("Ada", "Ben"), ("Ada", "Cy")}
    assert compute_density(after, 3) == 2 / 3
    assert compute_density(set(), 1) == 0.0


def test_talk_counts_conversations_and_utterances() -> None:
    events = [
        Event(0, 0, "converse", "Ada", {"conversation": 3, "members": ["Ada"]}),
        Event(1, 0, "converse", "Ben", {"conversation": 3, "members": ["Ada", "Ben"]}),
        say(2, "Ada", ["Ben"]),
        say(3, "Ben", ["Ada"], phone=True),
        say(4, "Ben", []),
    ]
    assert count_talk(make_data(TINY, events=events)) == TalkCounts(
        conversations=1, utterances=3, by_phone=1, alone=1
    )


def test_a_transcript_reads_and_is_safe_for_a_terminal() -> None:
    start = datetime(2023, 2, 13, 23, 59, 50, tzinfo=UTC)
    events = [
        at(0, 0, "start", "Ada", "cafe/hall"),
        say(1, "Ada", ["Ben"], text="hi \x1b[31mred\x1b[0m\u202e\nBen: forged"),
        Event(2, 2, "doing", "Ben", {"doing": "reading", "emoji": "📖"}),
        Event(3, 2, "unknown kind", "Ben", {}),
    ]
    lines = list(format_transcript(events, lambda tick: start + timedelta(seconds=10 * tick)))
    assert lines == [
        "Monday 13 February 2023",
        "23:59:50  Ada is at cafe/hall,",
        "Tuesday 14 February 2023",
        '00:00:00  Ada to Ben: "hi red Ben: forged"',
        "00:00:10  Ben: reading 📖",
    ]
    of_ben = list(format_transcript(events, lambda tick: start, "Ben"))
    assert len(of_ben) == 3
