from collections.abc import Iterable, Sequence

import pytest

from genagents_env.record import InterviewRow, RememberedRow
from genagents_env.study.evaluate.measures.flow import AgentFlow, Flow, compute_flows
from genagents_env.world.events import Event
from tests.study.evaluate.suspects import (
    LAST,
    PAIN,
    TESTIMONY,
    WHO,
    make_answers,
    make_data,
    mystery,
    news,
    say,
)

SEVEN = ("Ada", "Ben", "Cy", "Dot", "Eve", "Fay", "Gus")
SHOWN = "Franco had a knife."
HEARD = [
    say(1, "Ada", ["Eve"], "Did Franco run off with a knife?"),
    say(2, "Ben", ["Ada"], SHOWN),
    say(3, "Ada", ["Ben"], f"Listen, Ben. {SHOWN}"),
    say(5, "Ben", ["Cy"], SHOWN),
    say(6, "Ben", ["Dot", "Cy"], SHOWN),
    say(7, "Ben", ["Eve"], "It rains."),
    news(8, ["Fay", "Ben"], SHOWN),
]
AFTER = [
    *make_answers("Ben", SHOWN, "No.", "FRANCO and his KNIFE"),
    *make_answers("Cy", "No.", "Franco."),
    *make_answers("Cy", SHOWN, question=PAIN),  # one answer of an interview is enough
    *make_answers("Dot", SHOWN),  # told it without having kept it
    *make_answers("Gus", SHOWN),  # kept it without having heard it
    *make_answers("Ada", "No."),
    *make_answers("Ada", SHOWN, question=WHO, tick=0),
]


def remember(agent: str, tick: int = LAST, fact: str = "testimony") -> RememberedRow:
    return RememberedRow(tick, agent, fact, SHOWN, ())


HELD = [
    *(remember(name) for name in ("Ada", "Ben", "Cy", "Gus")),
    remember("Dot", fact="gossip"),
    RememberedRow(LAST, "Fay", "testimony", "It rained.", ()),
]


def flow(
    events: Iterable[Event] = (),
    after: Iterable[InterviewRow] = (),
    held: Sequence[RememberedRow] = (),
    names: Sequence[str] = SEVEN,
    last: int = LAST,
) -> Flow:
    """Return the flow of the one fact of the mystery."""
    data = make_data(mystery(), after, last=last, names=names, events=events, memories=held)
    (found,) = compute_flows(data)
    return found


def test_each_step_is_counted_among_those_who_took_the_one_before() -> None:
    found = flow(HEARD, AFTER[::-1], HELD)
    assert found == Flow(
        "testimony",
        (
            AgentFlow("Ada", True, None, True, 0.0),
            AgentFlow("Ben", False, 3, True, 2 / 3, SHOWN),
            AgentFlow("Cy", False, 5, True, 1 / 2, SHOWN),
            AgentFlow("Dot", False, 6, False, 1.0, SHOWN),
            AgentFlow("Eve", False, None, False, None),
            AgentFlow("Fay", False, 8, False, None, SHOWN),
            AgentFlow("Gus", False, None, True, 1.0),
        ),
    )
    steps = found.p_receive, found.p_store, found.p_retrieve
    assert steps == (4 / 6, 2 / 4, (2 / 3 + 1 / 2) / 2)
    assert [one.agent for one in found.receivers] == ["Ben", "Cy", "Dot", "Fay"]
    assert [one.agent for one in found.keepers] == ["Ben", "Cy"]


def test_what_was_not_asked_or_not_written_down_is_not_nothing() -> None:
    for found, steps in (
        (flow(HEARD), (4 / 6, None, None)),
        (flow(HEARD, held=HELD), (4 / 6, 0.5, None)),
        (flow(held=[remember("Ada")], names=["Ada"]), (None, None, None)),
        (flow(held=[remember("Ada")]), (0.0, None, None)),
    ):
        assert (found.p_receive, found.p_store, found.p_retrieve) == steps
    assert {(one.stored, one.retrieved) for one in flow(HEARD).agents} == {(None, None)}


@pytest.mark.parametrize(
    ("rows", "asked", "stored"),
    [
        ([], True, None),  # minds without words
        ([remember("Ada", 0)], False, None),  # it is not over
        ([remember("Ada", 0)], True, False),  # all was forgotten
        ([remember("Ada", 0), remember("Ben")], True, True),
        ([remember("Ben"), remember("Cy", 30)], False, True),
    ],
)
def test_memories_of_the_end_are_those_of_its_tick(
    rows: list[RememberedRow], asked: bool, stored: bool | None
) -> None:
    answers = make_answers("Ben", "No.") if asked else ()
    assert flow(HEARD, answers, rows).agents[1].stored is stored
    assert flow(HEARD[:0], (), [remember("Ben", 0)], last=0).agents[1].stored is None


@pytest.mark.parametrize(("addressed", "told"), [(["Ben"], 1), (["Ben", "Cy"], 0)])
def test_he_is_not_who_alone_is_addressed(addressed: list[str], told: int) -> None:
    words = "I saw Franco Bay, Ben. He had a knife."
    heard = say(4, "Ada", ["Ben"], words).data
    said = Event(4, 4, "say", "Ada", {**heard, "to": None, "addressed": addressed})
    strict = TESTIMONY.model_copy(
        update={"statement": "Franco Bay had a knife.", "patterns": (r"\bfranco\b[^.]*\bknife\b",)}
    )
    (found,) = compute_flows(make_data(mystery(facts=(strict,)), events=[said]))
    assert len(found.receivers) == told
