from collections.abc import Sequence
from pathlib import Path

import pytest

from genagents_env.record import RememberedRow, RunReader
from genagents_env.scenario.patterns import finds_any
from genagents_env.scenario.questions import PosedQuestion
from genagents_env.study.evaluate.interviews import InterviewReply
from genagents_env.study.evaluate.measures.diffusion import trace_facts
from genagents_env.study.evaluate.measures.flow import (
    AgentFlow,
    Flow,
    compute_flows,
    find_held_memories,
    trace_flows,
)
from genagents_env.world.events import Event
from tests.study.evaluate.suspects import LAST, PAIN, TESTIMONY, WHO, make_answers, mystery, write
from tests.study.evaluate.talks import learn, say

SEVEN = ("Ada", "Ben", "Cy", "Dot", "Eve", "Fay", "Gus")
SHOWN = "Franco had a knife."
HEARD = [
    learn(3, "Ben", "testimony", 1, "Ada"),
    learn(5, "Cy", "testimony", 4, "Ben"),
    learn(6, "Dot", "testimony", 4, "Ben"),
    learn(7, "Eve", "gossip", 4, "Ben"),
    learn(8, "Fay", "testimony", 4),
]
HELD = {("testimony", name) for name in ("Ada", "Ben", "Cy", "Gus")} | {("gossip", "Dot")}


def _reply(agent: str, repeat: int, text: str, question: str = "who") -> InterviewReply:
    return InterviewReply(PosedQuestion(agent, question, question, None), text, (), LAST, repeat)


AFTER = [
    *(_reply("Ben", k, text) for k, text in enumerate((SHOWN, "No.", "FRANCO and his KNIFE"))),
    _reply("Cy", 0, "No."),
    _reply("Cy", 0, SHOWN, "other"),  # one answer of an interview is enough
    _reply("Cy", 1, "Franco."),
    _reply("Dot", 0, SHOWN),  # told it without having kept it
    _reply("Gus", 0, SHOWN),  # kept it without having heard it
    _reply("Ada", 0, "No."),
]


def flows(
    events: Sequence[Event],
    after: Sequence[InterviewReply],
    held: set[tuple[str, str]] | None,
    names: Sequence[str] = SEVEN,
) -> tuple[Flow, ...]:
    """Return the flow, with answers that state the fact where they show its pattern."""
    spreads = trace_facts((TESTIMONY,), names, events)
    showing = [one for one in after if finds_any(TESTIMONY.patterns, one.text)]
    stated = {(TESTIMONY.id, one.asked.agent, one.text) for one in showing}
    return trace_flows((TESTIMONY,), names, spreads, after, held, stated)


def test_each_step_is_counted_among_those_who_took_the_one_before() -> None:
    again = [learn(2, "Ada", "testimony", 1), learn(9, "Ben", "testimony", 8)]
    (flow,) = flows([*HEARD, *again], AFTER[::-1], HELD)
    assert flow == Flow(
        "testimony",
        (
            AgentFlow("Ada", True, 2, True, 0.0),
            AgentFlow("Ben", False, 3, True, 2 / 3),
            AgentFlow("Cy", False, 5, True, 1 / 2),
            AgentFlow("Dot", False, 6, False, 1.0),
            AgentFlow("Eve", False, None, False, None),
            AgentFlow("Fay", False, 8, False, None),
            AgentFlow("Gus", False, None, True, 1.0),
        ),
        p_receive=4 / 6,
        p_store=2 / 4,
        p_retrieve=(2 / 3 + 1 / 2) / 2,
    )
    assert [one.agent for one in flow.receivers] == ["Ben", "Cy", "Dot", "Fay"]
    assert [one.agent for one in flow.keepers] == ["Ben", "Cy"]


def test_what_was_not_asked_or_not_written_down_is_not_nothing() -> None:
    (flow,) = flows(HEARD, [], None)
    assert (flow.p_receive, flow.p_store, flow.p_retrieve) == (4 / 6, None, None)
    assert {(one.stored, one.retrieved) for one in flow.agents} == {(None, None)}
    (unasked,) = flows(HEARD, [], HELD)
    assert (unasked.p_store, unasked.p_retrieve) == (0.5, None)
    (known,) = flows([], [], set(), ["Ada"])
    assert (known.p_receive, known.p_store, known.p_retrieve) == (None, None, None)
    (unheard,) = flows([], [], set())
    assert (unheard.p_receive, unheard.p_store) == (0.0, None)


def _make_testimony(agent: str, tick: int) -> RememberedRow:
    return RememberedRow(tick, agent, "testimony", SHOWN, ())


@pytest.mark.parametrize(
    ("rows", "asked", "held"),
    [
        ([], True, None),  # an older file, or minds without words
        ([_make_testimony("Ada", 0)], False, None),  # it is not over
        ([_make_testimony("Ada", 0)], True, set()),  # all was forgotten
        ([_make_testimony("Ada", 0), _make_testimony("Ben", LAST)], True, {("testimony", "Ben")}),
        ([_make_testimony("Ben", LAST), _make_testimony("Cy", 30)], False, {("testimony", "Ben")}),
    ],
)
def test_memories_of_the_end_are_those_of_its_tick(
    rows: list[RememberedRow], asked: bool, held: set[tuple[str, str]] | None
) -> None:
    assert find_held_memories(rows, LAST, asked) == held
    assert find_held_memories([_make_testimony("Ada", 0)], 0, False) is None  # no time has passed


def test_the_flow_of_a_run_is_read_from_its_record(tmp_path: Path) -> None:
    asked = say(2, "Ada", ["Ben", "Cy"], "Did Franco run off with a knife?")
    learned = learn(3, "Ben", "testimony", 2, "Ada")
    told = say(4, "Ada", ["Ben"], f"Listen, Ben. {SHOWN}")
    answers = [
        *make_answers("Ben", "No.", "No.", question=PAIN),
        *make_answers("Ben", SHOWN, "Franco"),
    ]
    answers += make_answers("Ben", SHOWN, question=WHO, tick=0)
    memories = [
        _make_testimony("Ada", 0),
        _make_testimony("Ada", LAST),
        _make_testimony("Ben", LAST),
    ]
    said = [asked, learned, told]
    path = write(tmp_path / "a.sqlite", mystery(), said, answers, remembered=memories)
    with RunReader(path) as run:
        (flow,) = compute_flows(run)
    assert flow.agents == (
        AgentFlow("Ada", True, None, True, None),
        AgentFlow("Ben", False, 4, True, 0.5, SHOWN),
        AgentFlow("Cy", False, None, False, None),
    )
    assert (flow.p_receive, flow.p_store, flow.p_retrieve) == (0.5, 1.0, 0.5)
    with RunReader(write(tmp_path / "b.sqlite", mystery())) as run:
        (empty,) = compute_flows(run)
    assert (empty.p_receive, empty.p_store, empty.p_retrieve) == (0.0, None, None)


@pytest.mark.parametrize(("addressed", "told"), [(["Ben"], 1), (["Ben", "Cy"], 0)])
def test_he_is_not_who_alone_is_addressed(tmp_path: Path, addressed: list[str], told: int) -> None:
    words = "I saw Franco Bay, Ben. He had a knife."
    heard = say(4, "Ada", ["Ben"], words).data
    said = Event(4, 4, "say", "Ada", {**heard, "to": None, "addressed": addressed})
    strict = TESTIMONY.model_copy(
        update={
            "statement": "Franco Bay had a knife.",
            "patterns": (r"\bfranco\b[^.]*\bknife\b",),
        }
    )
    with RunReader(write(tmp_path / "a.sqlite", mystery(facts=(strict,)), [said])) as run:
        (flow,) = compute_flows(run)
    assert len(flow.receivers) == told
