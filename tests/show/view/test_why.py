"""Why somebody did something: the calls whose replies say so, and what stood in their prompts."""

import json
from pathlib import Path
from typing import Any

import pytest

from genagents_env.memory.content import AskedCall, CallCause
from genagents_env.record import RunReader
from genagents_env.show.view.causes import find_causes
from genagents_env.show.view.mind import make_mind
from genagents_env.show.view.why import make_why, make_whys
from genagents_env.text import fold
from genagents_env.world.events import Event
from tests.show.view.conftest import RUNS, VALENTINES
from tests.show.view.test_mind import play

SHIPPED = [VALENTINES, RUNS / "murder_mystery.sqlite.xz"]
KLAUS = "Klaus Mueller"


def ask(run: RunReader, agent: str, tick: int) -> Any:
    return make_why(run, run.meta.names.index(agent), tick)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_each_utterance_comes_of_the_call_whose_reply_has_its_words(path: Path) -> None:
    with RunReader(path) as run:
        replies = {(c.agent, c.tick, c.purpose, c.number): c.reply for c in run.calls()}
        said = [event for event in run.events() if event.kind == "say"]
        for event in said:
            assert event.agent is not None
            why = ask(run, event.agent, event.tick)
            assert why["tick"] == event.tick - 1
            assert all(call["tick"] < event.tick for call in why["calls"])
            told = [
                replies[event.agent, call["tick"], call["purpose"], call["number"]]
                for call in why["calls"]
            ]
            texts = [fold(" ".join(map(str, json.loads(one).values()))) for one in told if one]
            assert any(fold(event.data["text"]) in text for text in texts)
            assert all(id_ < event.id for id_ in why["events"])
    assert len(said) > 10


def test_what_was_recalled_stands_in_the_prompts_and_was_made_before() -> None:
    with RunReader(VALENTINES) as run:
        why = ask(run, KLAUS, 216)
        mind = make_mind(run, run.meta.names.index(KLAUS))
        prompts = " ".join(
            json.loads(row.messages)[-1]["content"]
            for row in run.list_calls(0, 400, KLAUS)
            if {"tick": row.tick, "purpose": row.purpose, "number": row.number} in why["calls"]
        )
    purposes = [call["purpose"] for call in why["calls"]]
    assert purposes == ["react.decide", "converse.relate", "converse.speak"]
    recalled = [memory for memory in mind["memories"] if memory["id"] in why["recalled"]]
    assert len(recalled) == len(why["recalled"]) > 10
    for memory in recalled:
        assert json.dumps(memory["text"], ensure_ascii=False) in prompts
        assert memory["tick"] <= 216
    assert set(why["events"]) >= {id_ for memory in recalled for id_ in memory["events"]}


def test_no_model_is_said_only_of_a_run_that_has_none(tmp_path: Path, own_run: Path) -> None:
    with RunReader(play(tmp_path / "run.sqlite", "scripted", ticks=30)) as run:
        assert make_why(run, 0, 20)["asked"].startswith("No model was asked in this run: ")
    with RunReader(own_run) as run:
        whys = [make_why(run, number, tick) for number in (0, 1) for tick in range(1, 12)]
    assert not any("No model was asked in this run" in why["asked"] for why in whys)


def test_who_passes_on_a_fact_by_rule_remembers_where_it_is_from(tmp_path: Path) -> None:
    path = play(tmp_path / "run.sqlite", "scripted")
    with RunReader(path) as run:
        learned = {(e.agent, e.data["fact"]): e for e in run.events() if e.kind == "learn"}
        told = next(
            (event, learned[event.agent, fact])
            for event in run.events(kind="say")
            for fact in event.data["facts"]
            if (event.agent, fact) in learned and learned[event.agent, fact].tick < event.tick
        )
        why = ask(run, str(told[0].agent), told[0].tick)
    assert why["calls"] == []
    assert len(why["recalled"]) == 1
    assert why["events"] == [told[1].data["cause"]]


def test_a_decision_about_others_is_no_cause() -> None:
    causes = {"say": (CallCause(("react.",), names=True),)}
    calls = [
        AskedCall(1, "react.decide", 0, "", '{"choice":"talk to Ben"}'),
        AskedCall(2, "react.decide", 0, "", '{"choice":"talk to Cleo"}'),
    ]
    said = Event(7, 4, "say", "Ada", {"text": "Hm", "to": "Ben", "heard_by": ["Ben", "Cleo"]})
    found = find_causes([said], calls, causes, ["Ada", "Ben", "Cleo"])
    assert [call.tick for call in found] == [1]


def test_an_exported_page_has_the_causes_of_every_act() -> None:
    with RunReader(VALENTINES) as run:
        number = run.meta.names.index(KLAUS)
        whys = make_whys(run, number)["whys"]
        acts = {e.tick for e in run.events() if e.agent == KLAUS and e.kind in ("say", "doing")}
        for tick in (108, 216, 220):
            assert whys[str(tick)] == make_why(run, number, tick)
    assert acts - {0} <= {int(tick) for tick in whys}
