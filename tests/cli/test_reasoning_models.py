import json

import pytest

from genagents_env.record import RunReader, canonical_hash
from genagents_env.testing.fault_server import ThinkingPlace, reasoning
from tests.cli.conftest import Run, Serve

GIVEN = ("thinking=2500", "reasoning_effort=low", "timeout=60")


RUN = ("run", "tiny", "--policy", "reactive", "--model", "town-model", "--quiet")


@pytest.mark.parametrize("place", ["field", "content"])
def test_a_reasoning_model_runs_tiny_without_a_fallback_and_to_one_record_by_any_options(
    place: ThinkingPlace, genagents: Run, serve: Serve
) -> None:
    bare, given = serve(always=reasoning(2000, place)), "given.sqlite"
    code, out, err = genagents(*RUN)
    server = serve(always=reasoning(2000, place))
    options = [word for one in GIVEN for word in ("--endpoint", one)]
    assert genagents(*RUN, *options, "--out", given)[::2] == (code, err) == (0, "")
    assert canonical_hash("run.sqlite") == canonical_hash(given)
    with RunReader("run.sqlite") as one, RunReader(given) as other:
        totals, thought = one.sum_calls(), one.sum_thinking()
        assert other.sum_calls().retries == 0
    assert (totals.calls, totals.fallbacks, totals.reasks) == (9, 0, 0)
    assert thought.reasoning_tokens >= 9 * 1990
    assert 0 < thought.calls == totals.retries
    for said in ("Fallbacks: 0 of 9", "made again with more room for the reply"):
        assert said in out
    assert f"Thinking: {thought.reasoning_tokens:,} of the tokens written" in out
    asked = [json.loads(body) for body in bare.requests]
    assert {one["max_tokens"] for one in asked} == {128, 128 + 4096, 256, 256 + 4096}
    asked = [json.loads(body) for body in server.requests]
    assert {(one["max_tokens"], one["reasoning_effort"]) for one in asked} == {
        (128 + 2500, "low"),
        (256 + 2500, "low"),
    }
