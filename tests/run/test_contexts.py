"""Prompts are as long as the model's context allows, also after a resume."""

import json
from pathlib import Path

import pytest

from genagents_env.llm.calls import Message
from genagents_env.llm.tokens import bound_prompt_tokens
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, RunOptions, resume, run
from genagents_env.testing.fault_server import FaultServer
from tests.run.towns import FOUR, make_spec

CONTEXT = 1600
SPEC = make_spec(
    "valentines_party", 6, people=FOUR[:1], policy=PolicySpec("smallville", {"retrieval": False})
)
OPTIONS = RunOptions(embedder="hashed", preflight=False, checkpoint_every=2)


def list_lengths(path: Path) -> list[int]:
    with RunReader(path) as reader:
        messages = [json.loads(row.messages) for row in reader.calls()]
    return [
        bound_prompt_tokens([Message(one["role"], one["content"]) for one in each])
        for each in messages
    ]


def test_prompts_follow_a_short_context_and_a_resumed_run_keeps_their_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.sqlite"
    with FaultServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "key")
        server.models = {"town-model": {"max_model_len": CONTEXT}}
        run(SPEC, path, OPTIONS)
        with RunReader(path) as reader:
            assert reader.meta.contexts == {"town-model": CONTEXT}
        assert max(list_lengths(path)) <= CONTEXT - 1000
        before = canonical_hash(path)
        server.models = {"town-model": {"max_model_len": 32_768}}
        resume(path, OPTIONS, hours=0.02)
    assert max(list_lengths(path)) <= CONTEXT - 1000
    assert canonical_hash(path) != before
