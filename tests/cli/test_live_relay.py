"""What the page of a run asks for is done or refused in a sentence, whatever it is."""

import json
from pathlib import Path
from typing import Any

import pytest

from genagents_env.cli.live_relay import LiveRelay
from genagents_env.llm.budget import Limits
from genagents_env.record import RunReader, RunWriter
from genagents_env.run import PolicySpec, run
from tests.run.towns import make_options, make_spec, run_town


def order(relay: LiveRelay, **given: Any) -> dict[str, Any]:
    """Return the reply to a command."""
    told: list[dict[str, Any]] = []
    relay._send = lambda line: told.append(json.loads(line))
    relay._answer({"number": 7, **given})
    (reply,) = told
    assert reply.pop("reply") == 7
    return reply


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"do": "fly"}, "no command 'fly'"),
        ({"do": "event"}, "this is no command: 'event'"),
        ({"do": "event", "event": {"kind": "news"}}, "does not go on"),
        ({"do": "speed", "speed": -1}, "speed: -1 is not allowed"),
        ({"do": "act", "agent": "Ada Brook", "action": {"do": "fly"}}, "do: one of move"),
        ({"do": "act", "agent": "Ada Brook", "action": {"do": "idle", "ticks": 0}}, "ticks:"),
        ({"do": "act", "agent": "Ada Brook", "action": {"do": "idle", "ticks": True}}, "ticks:"),
        ({"do": "ask", "agent": "Ada Brook", "question": " "}, "no words in it"),
    ],
)
def test_what_is_no_command_is_refused(given: dict[str, Any], fault: str) -> None:
    assert fault in order(LiveRelay(Path("run.sqlite")), **given)["fault"]


def test_once_the_run_is_over_nothing_is_done_but_asking(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    run(make_spec(ticks=12, policy=PolicySpec("scripted")), path, make_options())
    relay = LiveRelay(path)
    relay.options = make_options()
    relay.end()
    assert order(relay, do="pause")["fault"] == "the run is over"
    told = order(relay, do="ask", agent="Ada Brook", question="Any news?")
    assert "said" in told, told
    with RunReader(path) as record:
        assert record.last_tick == 12


def test_a_run_with_limits_refuses_a_question_while_it_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    run_town(path, ticks=12, limits=Limits(calls=500))
    relay = LiveRelay(path)
    relay.options = make_options()
    with RunWriter.open(path):
        told = order(relay, do="ask", agent="Ada Brook", question="Any news?")
    assert "this run has limits" in told["fault"]
