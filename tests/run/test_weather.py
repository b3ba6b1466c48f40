"""What the network's weather does to a run: it waits, and comes to the record of a calm day."""

import asyncio
import signal
from pathlib import Path

import pytest

from genagents_env.errors import ModelOutage
from genagents_env.llm.calls import CompletionRequest, PromptRefused
from genagents_env.llm.scripted import ScriptedEndpoint, sample_schema
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, RunResult, RunSpec, interview, resume, run
from genagents_env.testing.kill_hook import kill_at
from tests.campaigns import body_faults
from tests.run.kills import stretch
from tests.run.towns import CURIOUS, FOUR, failing_from, make_options, make_spec

BEN = "Ben Carver"


ALL_ASK = PolicySpec(CURIOUS, {"every": 1})


def town(ticks: int) -> RunSpec:
    return make_spec(ticks=ticks, policy=ALL_ASK)


FIVE = make_spec("valentines_party", 20, people=(*FOUR, "Sam Moore"), policy=ALL_ASK)


def hash_of(spec: RunSpec, path: Path) -> str:
    run(spec, path.with_name("calm.sqlite"), make_options(ScriptedEndpoint()))
    return canonical_hash(path.with_name("calm.sqlite"))


def assert_paused(result: RunResult) -> None:
    assert (result.status, result.exit_code) == ("paused", 75)
    assert "gone for lunch" in result.message
    assert f"genagents resume {result.path}" in result.message


@pytest.mark.parametrize(
    ("spec", "answered", "said", "again"),
    [
        pytest.param(town(2), 0, "4 of all its model calls got no answer", 4, id="all"),
        pytest.param(town(10), 17, "3 of the last model calls of the run", 3, id="the last"),
        pytest.param(FIVE, 5 * 17, "", 5 * 3, id="from some moment on"),
    ],
)
def test_a_run_in_which_nobody_answers_any_more_pauses_and_asks_again(
    path: Path, spec: RunSpec, answered: int, said: str, again: int
) -> None:
    down = ScriptedEndpoint(failing_from(answered))
    result = run(spec, path, make_options(down, concurrency=1))
    assert_paused(result)
    assert said in result.message
    with RunReader(path) as record:
        assert (record.status, record.sum_calls().fallbacks) == ("paused", 0)
    endpoint = ScriptedEndpoint()
    assert resume(path, make_options(endpoint)).status == "finished"
    assert len(endpoint.requests) == again
    assert canonical_hash(path) == hash_of(spec, path)


def test_calls_made_together_in_an_outage_are_made_again(path: Path) -> None:
    """Of calls that begin at once, those that fail end last: none of them stays a fallback."""
    spec = town(ticks=4)
    down = failing_from(5)

    async def late(request: CompletionRequest) -> None:
        await asyncio.sleep(0.02 if request.seed % 2 else 0.0)

    result = run(spec, path, make_options(ScriptedEndpoint(down, delay=late)))
    assert_paused(result)
    assert resume(path, make_options(ScriptedEndpoint())).status == "finished"
    assert canonical_hash(path) == hash_of(spec, path)


def test_a_refused_prompt_at_the_end_keeps_no_run_from_finishing(path: Path) -> None:
    endpoint = ScriptedEndpoint(failing_from(17, PromptRefused))
    assert run(town(ticks=10), path, make_options(endpoint)).status == "finished"
    with RunReader(path) as record:
        assert record.sum_calls().fallbacks == 3
    nobody = ScriptedEndpoint(failing_from(0, PromptRefused))
    other = path.with_name("other.sqlite")
    assert_paused(run(town(ticks=2), other, make_options(nobody)))


def test_a_run_killed_while_nobody_answers_asks_again(path: Path) -> None:
    """The fallbacks that it had stored by then are no part of what happened."""
    spec, down = town(ticks=6), ScriptedEndpoint(failing_from(1))
    how = make_options(down, concurrency=1, on_phase=kill_at(2, "boundary"))
    assert stretch(lambda: run(spec, path, how), None) == signal.SIGKILL
    assert resume(path, make_options(ScriptedEndpoint())).status == "finished"
    assert canonical_hash(path) == hash_of(spec, path)


def test_a_run_whose_model_turns_useless_pauses_and_asks_it_again(path: Path) -> None:
    """All calls of a row without a usable reply are made again, whatever their tick."""
    left = [13]

    def rule(request: CompletionRequest) -> str:
        left[0] -= 1
        return sample_schema(request) if left[0] >= 0 else "I'm sorry, I can't help with that."

    spec = town(ticks=20)
    result = run(spec, path, make_options(ScriptedEndpoint(rule)))
    assert (result.status, result.exit_code) == ("paused", 75)
    assert "10 calls in a row to scripted had no usable reply" in result.message
    assert "holds no JSON object" in result.message
    assert f"genagents resume {result.path}" in result.message
    with RunReader(path) as record:
        assert (record.status, record.sum_calls().fallbacks) == ("paused", 0)
    assert resume(path, make_options(ScriptedEndpoint())).status == "finished"
    assert canonical_hash(path) == hash_of(spec, path)


def test_an_interview_that_nobody_answers_makes_nothing_up(path: Path) -> None:
    run(make_spec(ticks=2, policy=PolicySpec("reactive")), path, make_options(ScriptedEndpoint()))
    options = make_options(ScriptedEndpoint(failing_from(0)))
    with pytest.raises(ModelOutage, match=r"got no answer.*gone for lunch"):
        interview(path, [BEN], ["Who are you?"], options=options)


@pytest.mark.slow
def test_no_body_in_place_of_completions_ends_a_run() -> None:
    assert body_faults.main(tenth=True) == []
