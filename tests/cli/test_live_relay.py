"""What the page of a run asks for is done or refused in a sentence, whatever it is."""

import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from genagents_env.cli.live_relay import LiveRelay
from genagents_env.llm.budget import Limits
from genagents_env.record import RunReader, RunWriter
from genagents_env.run import PolicySpec, RunOptions, run
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


def test_a_fork_from_the_page_has_what_is_left_of_the_limits(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.sqlite"
    limits = Limits(calls=500, dollars=Decimal("0.5"))
    run(
        make_spec(ticks=12, policy=PolicySpec("reactive")),
        path,
        RunOptions(model="scripted", limits=limits, interviews=False),
    )
    with RunReader(path) as record:
        assert record.spending is not None
        spent = record.spending.total
    relay = LiveRelay(path)
    told = order(relay, do="fork", at="09:01")
    assert "said" in told, told
    relay.end_forks()
    with RunReader(tmp_path / "run.fork1.sqlite") as fork:
        left = fork.meta.limits
    assert spent.calls > 0
    assert (left.calls, left.dollars) == (500 - spent.calls, Decimal("0.5") - spent.dollars)


def test_where_a_limit_is_used_up_nothing_is_forked(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    run_town(path, ticks=12, limits=Limits(calls=2))
    assert "limit of calls is used up" in order(LiveRelay(path), do="fork", at="09:00:10")["fault"]
    assert not list(tmp_path.glob("*.fork*"))


def test_forks_that_go_on_end_with_the_command() -> None:
    relay = LiveRelay(Path("run.sqlite"))
    fork = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, text=True)
    relay._forks.append(fork)
    relay.end_forks()
    assert fork.poll() is not None
