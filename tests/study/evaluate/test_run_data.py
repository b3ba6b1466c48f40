from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from genagents_env.record import RunReader, RunWriter
from genagents_env.run import resume
from genagents_env.scenario.schema import Fact, Gathering, Person, Relationship
from genagents_env.show.story.scenes import index_scenes
from genagents_env.show.summary import run_as_json
from genagents_env.show.transcript import format_transcript
from genagents_env.study.evaluate.measures import list_measures
from genagents_env.study.evaluate.measures.acquaintance import compute_densities
from genagents_env.study.evaluate.measures.diffusion import Hearing, trace_run_facts
from genagents_env.study.evaluate.measures.gatherings import find_gathering_visits
from genagents_env.study.evaluate.measures.talk import TalkCounts, count_talk
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.world.events import Event
from tests.run.towns import make_options, run_town
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAFE,
    HOME,
    begins,
    goes,
    joins,
    leaves,
    make_utterance,
    record_street,
    street,
    take_all,
)
from tests.study.evaluate.suspects import TINY, at, learn, make_data, say
from tests.study.report.planted import cake, meta


def test_a_record_tells_what_its_reader_tells(tmp_path: Path) -> None:
    with RunReader(cake(tmp_path / "run.sqlite")) as run:
        record = RunData(run)
        assert run_as_json(record) == run_as_json(run)
        assert list(record.events) == list(run.events())
        assert list(record.calls) == list(run.calls())
        assert list(record.interviews) == run.interviews()
        assert list(record.judgements) == run.judgements()
        assert record.last_tick == run.last_tick == record.ticks
        assert record.people[0].name == record.names[0]


def test_a_run_that_grows_meanwhile_is_read_as_far_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    run_town(path)
    with RunReader(path) as run:
        record = RunData(run)
        assert record.last_tick == 40
        resume(path, make_options(), hours=10 / 360)
        assert run.last_tick == 50
        assert record.positions.shape[0] == record.awake.shape[1] == 41
        assert max(event.tick for event in record.events) <= 40
        assert index_scenes(record)["until"] == 40


def test_a_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: Counter[str] = Counter()
    for name in ("events", "calls", "interviews", "judgements"):
        inner = getattr(RunReader, name)

        def counting(
            self: RunReader, *given: int, name: str = name, inner: object = inner
        ) -> object:
            read[name] += 1
            return inner(self, *given)  # type: ignore[operator]  # the method it stands for

        monkeypatch.setattr(RunReader, name, counting)
    with RunReader(cake(tmp_path / "run.sqlite")) as run:
        _, faults = take_all(RunData(run), list_measures())
    assert faults == ()
    assert read == {"events": 1, "calls": 1, "interviews": 1, "judgements": 1}


def test_whereabouts_waking_and_talking(tmp_path: Path) -> None:
    happenings = [
        begins(ADA),
        begins(BEN, asleep=True),
        goes(2, ADA, CAFE),
        (3, "wake", BEN, {"cause": "hour"}),
        (4, "part", ADA, {}),
        (6, "join", ADA, begins(ADA)[3]),
        *(*joins(1, 0, ADA, "Eve"), leaves(3, 0, ADA), *joins(2, 1, BEN)),
        *(make_utterance(1, "Zed", "Hello"), make_utterance(1, ADA, "Hello")),
    ]
    with record_street(tmp_path, happenings, last=6) as record:
        assert record.arenas == (HOME, CAFE)
        assert record.whereabouts.tolist() == [[0, 0, 1, 1, -1, -1, 0], [0] * 7]
        assert record.awake.astype(int).tolist() == [[1, 1, 1, 1, 0, 0, 1], [0, 0, 0, 1, 1, 1, 1]]
        assert record.hours == pytest.approx(6 / 60)
        assert record.agent_hours == pytest.approx(10 / 60)  # Ada is away for two
        assert record.waking_hours == pytest.approx((4 + 3) / 60)
        assert record.row == {ADA: 0, BEN: 1}
        assert [event.agent for event in record.utterances] == [ADA]  # Zed is not of the run
        talking = record.talking.astype(int).tolist()
        assert talking == [[0, 1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1, 1]]


def test_a_fact_is_heard_when_from_whom_and_through_which_event() -> None:
    fact = Fact(id="party", statement="a party", known_by=("Ada", "Zoe"), patterns=("party",))
    told, news = learn(4, "Ben", "party", 3, "Ada"), learn(6, "Cy", "party", 5)
    town = TINY.model_copy(update={"facts": (fact,)})
    (spread,) = trace_run_facts(make_data(town, events=[told, news]))
    assert spread.at_start == ("Ada",)
    assert spread.heard == (Hearing("Ben", 4, "Ada", 3), Hearing("Cy", 6, None, 5))


@pytest.mark.parametrize(
    ("place", "first", "end", "came"),
    [
        ("cafe", 6, 13, [("Ada", 6, 6), ("Ben", 6, 6)]),
        ("cafe/hall", 13, 20, [("Ben", 13, 2)]),
        ("cafe", 20, 30, []),
    ],
)
def test_attendance_counts_the_time_within_the_gathering(
    place: str, first: int, end: int, came: list[tuple[str, int, int]]
) -> None:
    events = [
        at(0, 0, "start", "Ada", "cafe/hall"),
        at(1, 0, "start", "Ben", "cafe two/room"),
        at(2, 5, "arrive", "Ben", "cafe/kitchen"),
        at(3, 8, "arrive", "Ben", "cafe two/room"),
        at(4, 9, "put", "Ben", "cafe/hall"),
        Event(5, 12, "part", "Ada", {}),
    ]
    start, over = (TINY.start + timedelta(seconds=TINY.seconds_per_tick * n) for n in (first, end))
    held = Gathering(id="g", place=place, start=start, end=over)
    town = TINY.model_copy(update={"gatherings": (held,)})
    found = [
        v for g in find_gathering_visits(make_data(town, last=14, events=events)) for v in g.visits
    ]
    assert [(one.agent, one.first, one.ticks) for one in found] == came


def test_mutual_knowledge_needs_both_at_the_start_and_one_talk_later() -> None:
    def person(name: str, *knows: str) -> Person:
        known = tuple(Relationship(to=other, about="a friend") for other in knows)
        return Person(name=name, persona="someone", home="h", relationships=known)

    people = (person("Ada", "Ben"), person("Ben", "Ada", "Cy"), person("Cy"))
    said = [say(0, "Cy", ["Ada"]), say(1, "Ben", []), say(2, "Ada", ["Cy", "Ada"])]
    data = make_data(TINY.model_copy(update={"people": people}), events=said)
    assert compute_densities(data) == (1 / 3, 2 / 3)
    assert compute_densities(make_data(TINY, names=["Ada Brook"])) == (None, None)


def test_talk_counts_conversations_and_utterances() -> None:
    events = [
        Event(0, 0, "converse", "Ada", {"conversation": 3, "members": ["Ada"]}),
        Event(1, 0, "converse", "Ben", {"conversation": 3, "members": ["Ada", "Ben"]}),
        say(2, "Ada", ["Ben"]),
        say(3, "Ben", ["Ada"], phone=True),
        say(4, "Ben", []),
    ]
    assert count_talk(make_data(TINY, events=events)) == TalkCounts(
        conversations=1, utterances=3, by_phone=1, alone=1, unended=2
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


@pytest.mark.parametrize("ticks", [0, 1])
def test_a_run_that_has_hardly_begun_has_no_number(ticks: int, tmp_path: Path) -> None:
    head = meta(scenario=street(), names=(ADA, BEN))
    with RunWriter.create(tmp_path / "run.sqlite", head) as writer:
        if ticks:
            writer.commit_tick(0, np.zeros((2, 2), dtype=np.int16), [])
    with RunReader(tmp_path / "run.sqlite") as run:
        record = RunData(run)
        assert (record.ticks, record.hours, record.agent_hours, record.waking_hours) == (0, 0, 0, 0)
        values, faults = take_all(record, list_measures())
    assert faults == ()
    assert set(values.values()) == {None}
