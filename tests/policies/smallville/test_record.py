"""No memory without its cause: whatever a mind remembers leads back to the run's record."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from genagents_env.config import TownConfig
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.memory.stream import MemoryStream
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from tests.policies.percepts import Value
from tests.run.towns import FOUR
from tests.scripted import neighbour

CONFIG: dict[str, Value] = {"rate_minutes": 2, "reflect_at": 25, "latency_ticks": {"reflect": 3}}


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a run of an hour and a half, with a checkpoint of its end."""
    path = tmp_path_factory.mktemp("causes") / "run.sqlite"
    endpoint = ScriptedEndpoint(neighbour)
    engine = RunOptions(endpoint=endpoint, embedder="hashed", checkpoint_every=539)
    town = TownConfig("valentines_party", start="10:30", hours=1.5, people=list(FOUR))
    spec = RunSpec(town, 5, policy=PolicySpec("smallville", CONFIG))
    assert run(spec, path, engine).status == "finished"
    return path


def read_streams(run: RunReader) -> Iterator[tuple[str, MemoryStream]]:
    """Yield what everyone remembered at the last checkpoint."""
    checkpoint = run.checkpoint(run.last_tick)
    assert checkpoint is not None
    for agent, mind in checkpoint.policies[0].items():
        stream = MemoryStream()
        stream.load_state(mind["stream"])
        yield agent, stream


def test_every_memory_is_perceived_seeded_or_made_by_a_stored_call(record: Path) -> None:
    with RunReader(record) as run:
        calls = {(c.agent, f"{c.purpose} #{c.number} at tick {c.tick}") for c in run.calls()}
        perceivable = {event.id: event for event in run.events()}
        kinds, heard = set(), 0
        for agent, stream in read_streams(run):
            for memory in stream:
                assert memory.events or memory.evidence or memory.cause
                assert set(memory.events) <= set(perceivable)
                if memory.cause not in ("", "seed"):
                    assert (agent, memory.cause) in calls
                    kinds.add(memory.cause.split(" ")[0])
                if memory.cause.startswith("reflect."):
                    assert memory.evidence
                    assert all(evidence < memory.id for evidence in memory.evidence)
                if memory.kind == "event" and " said to " in memory.text:
                    heard += 1
                    said = perceivable[memory.events[0]]
                    assert (len(memory.events), said.kind) == (1, "say")
                    assert agent in said.data["heard_by"]
                    assert said.data["text"] in memory.text
        assert heard
        assert {"plan.day", "plan.hours", "converse.memo", "reflect.insights"} <= kinds
