import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import Limits, PolicySpec, RunSpec, resume, run
from genagents_env.scenario import load_scenario
from genagents_env.scenario.questions import When, list_questions
from genagents_env.scenario.schema import ScheduledEvent
from tests.run.towns import FOUR, WITNESS, Value, failing_from, make_options, make_spec

ADA, BEN = "Ada Brook", "Ben Carver"


def town(ticks: int = 30, **changes: object) -> RunSpec:
    """Return four people of Smallville who remember what they hear."""
    given = {"people": FOUR, "policy": PolicySpec(WITNESS), **changes}
    return make_spec("valentines_party", ticks, **given)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "run.sqlite"
    assert run(town(), path, make_options()).status == "finished"
    return path


def test_everyone_is_asked_everything_in_order(whole: Path) -> None:
    with RunReader(whole) as record:
        rows, scenario = record.interviews(), record.meta.scenario
        names, last = record.meta.names, record.last_tick
        calls = [call for call in record.calls() if call.purpose == "interview"]

    def expected(tick: int, when: When) -> list[tuple[int, str, str]]:
        return [(tick, one.agent, one.text) for one in list_questions(scenario, names, when)]

    assert [(row.tick, row.agent, row.question) for row in rows] == [
        *expected(0, "before"),
        *expected(last, "after"),
    ]
    assert {call.tick for call in calls} == {0, last}
    assert len(calls) == len(rows)


def test_interviews_change_no_event_and_a_run_without_is_resumed_without(
    whole: Path, path: Path
) -> None:
    assert run(town(), path, make_options(interviews=False, limits=Limits(calls=9))).exit_code == 3
    assert resume(path, make_options(no_limit=True)).status == "finished"
    with RunReader(whole) as one, RunReader(path) as other:
        assert list(one.events()) == list(other.events())
        assert (other.interviews(), other.memories()) == ([], [])
        lived = [call for call in one.calls() if call.purpose != "interview"]
        assert [replace(call, latency_seconds=0, started_at=0) for call in lived] == [
            replace(call, latency_seconds=0, started_at=0) for call in other.calls()
        ]


PATIENT = "return [Answer('so') for _ in questions]"


def live_plain(path: Path, answer: str, memories: str, **how: Value) -> None:
    """Run Ben by a policy whose methods have these bodies."""
    policy = path.with_name("plain.py")
    recall = f"    def memories(self, agent):\n        {memories}\n" if memories else ""
    policy.write_text(POLICY.format(answer=answer or PATIENT) + recall)
    spec = make_spec(ticks=3, policy=PolicySpec("scripted"), policy_for={BEN: str(policy)})
    assert run(spec, path, make_options(**how)).status == "finished"


def test_answers_are_cleaned_and_cut_and_memories_of_different_texts_and_not_too_many(
    path: Path,
) -> None:
    answer = "return [Answer('\\x1b[31mred\\ud800 ' + 'o' * 9000)]"
    cups = "[RecalledMemory(f'Tea in the kitchen, cup {k % 25}', (k, 2)) for k in range(50)]"
    live_plain(path, answer, f"return {cups} + [RecalledMemory('No cups.')]")
    with RunReader(path) as record:
        rows = [row for row in record.memories() if (row.tick, row.agent) == (0, BEN)]
        assert {row.answer for row in record.interviews()} == {"red " + "o" * 1996}
    assert [row.text for row in rows] == [f"Tea in the kitchen, cup {k}" for k in range(20)]
    assert rows[7].events == (2, 7, 32)


def test_a_longer_run_is_asked_at_its_new_end_only(path: Path) -> None:
    def hours(much: float) -> RunSpec:  # an eighth of an hour is exact in binary
        spec = town()
        return replace(spec, town=replace(spec.town, hours=much))

    long = path.with_name("long.sqlite")
    run(hours(0.125), long, make_options())
    assert run(hours(0.0625), path, make_options()).tick == 22
    assert resume(path, make_options(), hours=0.0625).tick == 45
    assert canonical_hash(path) == canonical_hash(long)
    with RunReader(path) as record:
        assert {row.tick for row in record.interviews()} == {0, 45}


@pytest.mark.parametrize("status", ["paused", "budget_exhausted"])
def test_interviews_that_an_outage_or_a_limit_stops_go_on_with_what_was_not_asked(
    whole: Path, path: Path, status: str
) -> None:
    with RunReader(whole) as record:
        calls = record.sum_calls().calls
    for answered in (7, calls - 6):
        down = make_options(ScriptedEndpoint(failing_from(answered)))
        how = down if status == "paused" else make_options(limits=Limits(calls=answered))
        result = run(town(), path, how, force=True)
        assert (result.status, result.tick) == (status, 0 if answered == 7 else 30)
        with RunReader(path) as record:
            assert record.sum_calls().fallbacks == 0
            assert len(record.interviews()) == (0 if answered == 7 else 20)
        again = ScriptedEndpoint()
        assert resume(path, make_options(again, no_limit=True)).status == "finished"
        assert len(again.requests) <= calls - answered
        assert canonical_hash(path) == canonical_hash(whole)


def test_a_signal_during_the_interviews_lets_them_end(whole: Path, path: Path) -> None:
    signals = [signal.SIGINT]

    def hook(phase: str, tick: int) -> None:
        if (phase, tick) == ("after-call", 0) and signals:
            os.kill(os.getpid(), signals.pop())

    result = run(town(), path, make_options(on_phase=hook))
    assert (result.status, result.tick) == ("interrupted", 0)
    with RunReader(path) as record:
        assert record.checkpoints() == [0]
        assert len(record.interviews()) == 20
    assert resume(path, make_options()).status == "finished"
    assert canonical_hash(path) == canonical_hash(whole)


POLICY = """
from genagents_env.errors import PolicyError
from genagents_env.policy import Answer, Policy, RecalledMemory
class Plain(Policy):
    name = "plain"
    remembers = True
    def act(self, observations, infos):
        return {{}}
    def interview(self, agent, questions, repeat=0):
        {answer}
"""


@pytest.mark.parametrize(
    ("answer", "memories", "words"),
    [
        ("raise RuntimeError('no words')", "", "RuntimeError: no words"),
        ("raise PolicyError('cannot tell')", "", "PolicyError: cannot tell"),
        ("raise SystemExit(3)", "", "SystemExit: 3"),
        ("return []", "", "expected 1 answers"),
        ("return 'yes'", "", "got str"),
        ("return [Answer('yes', (-1,))]", "", "expected 1 answers"),
        ("return [Answer(None)]", "", "expected 1 answers"),
        ("import time; time.sleep(60)", "", "no answer within 0.5 s"),
        ("", "raise RuntimeError('a blank')", "RuntimeError: a blank"),
        ("", "return 'tea'", "expected memories, got str"),
        ("", "return [Answer('tea')]", "expected memories, got 1 of"),
        ("", "return [RecalledMemory('tea', (-1,))]", "expected memories"),
    ],
)
def test_failing_interviews_and_memories_are_a_fault_and_end_no_run(
    path: Path, answer: str, memories: str, words: str
) -> None:
    live_plain(path, answer, memories, policy_deadline=0.5 if "sleep" in answer else 60.0)
    with RunReader(path) as record:
        kept = record.memories() if memories else record.interviews()
        (failure,) = record.find_degradation().failures
        faults = [fault for fault in record.policy_faults() if fault.tick in (0, 3)]
    assert [row for row in kept if row.agent == BEN] == []
    assert [(f.agent, f.policy, f.kind) for f in faults if f.tick == 0] == [
        (BEN, "plain", "interview")
    ]
    assert words in faults[0].text
    assert faults[-1].tick == 3
    assert failure.interviews == 2
    assert failure.count == 0 or "sleep" in answer  # which hangs its decisions, too


def test_only_those_in_town_are_asked(path: Path) -> None:
    tiny = load_scenario("tiny")
    ben = tiny.people[1].model_copy(update={"present": False})
    joins = ScheduledEvent(at=tiny.start + timedelta(seconds=60), kind="join", agent=BEN)
    for events in ((joins,), ()):
        changed = {"people": (tiny.people[0], ben), "events": events}
        spec = make_spec(tiny.model_copy(update=changed), policy=PolicySpec("scripted"))
        run(spec, path, make_options(), force=True)
        with RunReader(path) as record:
            asked = [row.tick for row in record.interviews()]
            assert asked == [record.last_tick] * len(events)


def test_calls_under_way_at_the_end_are_awaited(
    whole: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pondered(of: Path) -> Sequence[int]:
        with RunReader(of) as record:
            return sorted(call.tick for call in record.calls() if call.purpose == "ponder.deep")

    assert pondered(whole) == [8, 8, 8, 8, 17, 17, 17, 17, 26, 26, 26, 26]
    monkeypatch.setenv("PONDER_LONG", "500")
    run(town(), path, make_options())
    assert canonical_hash(path) == canonical_hash(whole)


def test_everyone_is_asked_several_times_from_the_same_state(whole: Path, path: Path) -> None:
    endpoint = ScriptedEndpoint()
    run(town(repeats=3), path, make_options(endpoint))
    with RunReader(whole) as one, RunReader(path) as other:
        once, rows = one.interviews(), other.interviews()
        assert list(one.events()) == list(other.events())
        calls = [call for call in other.calls() if call.purpose == "interview"]
        assert other.meta.scenario.interview_repeats == 3
    assert [row for row in rows if row.repeat == 0] == once
    assert [(row.tick, row.repeat) for row in rows[:: len(once) // 2]] == [
        (tick, repeat) for tick in (0, 30) for repeat in range(3)
    ]
    answers: dict[object, list[str]] = {}
    for row in rows:
        answers.setdefault((row.tick, row.agent, row.question), []).append(row.answer)
    assert all(len(set(several)) > 1 for several in answers.values())
    prompts: dict[object, set[str]] = {}
    for call in calls:
        question = (call.agent, call.tick, call.number % 1000)
        prompts.setdefault(question, set()).add(call.messages)
    assert len(calls) == 3 * len(prompts)
    assert {len(several) for several in prompts.values()} == {1}


def test_memories_of_facts_are_stored_at_both_ends(whole: Path) -> None:
    with RunReader(whole) as record:
        rows, last = record.memories(), record.last_tick
        (party,) = (fact for fact in record.meta.scenario.facts if "Isabella" in fact.statement)
        heard = {row.agent: row.events for row in rows if row.tick == last and row.events}
        said = {event.id for event in record.events() if event.kind in ("say", "notice", "news")}
    at_start = [(row.agent, row.text, row.events) for row in rows if row.tick == 0]
    assert (FOUR[0], party.statement, ()) in at_start
    assert {fact for fact, *_ in at_start} == set(FOUR)
    assert all(events == () for *_, events in at_start)
    assert heard
    assert {event for events in heard.values() for event in events} <= said


def test_notes_are_kept_with_the_calls_they_belong_to(whole: Path) -> None:
    with RunReader(whole) as record:
        notes, last = record.notes(), record.last_tick
        calls = {(c.agent, c.tick, c.purpose, c.number) for c in record.calls()}
    asked = [note for note in notes if note.kind == "cut"]
    assert [(note.tick, note.agent) for note in asked] == [
        (tick, agent) for tick in (0, last) for agent in sorted(FOUR)
    ]
    assert {(n.agent, n.call_tick, n.purpose, n.number) for n in asked} <= calls
    wishes = [note for note in notes if note.kind == "wish"]
    assert {note.tick - note.call_tick for note in wishes} == {1}
    assert [note.tick for note in notes] == sorted(note.tick for note in notes)
