"""Every story lasts long enough, by default, for memory to fill, and for people to change."""

from collections import Counter
from pathlib import Path

import pytest

from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.policies.lyfe import memory
from genagents_env.policies.lyfe.mind import LyfeMind
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, run
from tests.run.towns import compose_spec
from tests.scripted import neighbour

STORIES = ("murder_mystery", "murder_mystery_hard", "activity_fair", "medicine")


@pytest.mark.slow
@pytest.mark.parametrize("story", STORIES)
def test_everybody_moves_memories_to_long_memory_and_somebody_merges_some(
    story: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved: Counter[str] = Counter()
    keep = memory._keep

    async def count(mind: LyfeMind, memories: list[object]) -> None:
        moved[mind.agent] += len(memories)
        await keep(mind, memories)  # type: ignore[arg-type]

    monkeypatch.setattr(memory, "_keep", count)
    path = tmp_path / "run.sqlite"
    engine = RunOptions(endpoint=ScriptedEndpoint(neighbour), embedder="hashed")
    spec = compose_spec(story, policy=PolicySpec("lyfe"), seed=0)
    assert run(spec, path, engine).status == "finished"
    with RunReader(path) as record:
        people = record.meta.names
        purposes = Counter(call.purpose for call in record.calls())
        merged = Counter(call.agent for call in record.calls() if call.purpose == "memory.merge")
    if story != "medicine":  # three people who repeat themselves
        assert merged.total() > 0
        assert purposes["outlook.update"] > 0
    assert {name for name in people if not moved[name]} == set()
