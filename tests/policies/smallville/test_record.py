"""No memory without its cause: whatever a mind remembers leads back to the run's record."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from genagents_env.config import TownConfig
from genagents_env.llm.scripted import ScriptedEndpoint, sample_schema
from genagents_env.memory.stream import MemoryStream
from genagents_env.record import RunReader
from genagents_env.record.rows import CallRow
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from tests.policies.percepts import Value
from tests.run.towns import FOUR, make_spec
from tests.scripted import neighbour

CONFIG: dict[str, Value] = {"rate_minutes": 2, "reflect_at": 25, "latency_ticks": {"reflect": 3}}


@pytest.fixture(scope="module", params=["neighbour", "sample"])
def record(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a run of an hour and a half, with a checkpoint of its end."""
    path = tmp_path_factory.mktemp("causes") / "run.sqlite"
    rule = neighbour if request.param == "neighbour" else sample_schema
    engine = RunOptions(endpoint=ScriptedEndpoint(rule), embedder="hashed", checkpoint_every=539)
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
        perceivable = {event.id for event in run.events()}
        kinds = set()
        for agent, stream in read_streams(run):
            for memory in stream:
                assert memory.events or memory.evidence or memory.cause
                assert set(memory.events) <= perceivable
                if memory.cause not in ("", "seed"):
                    assert (agent, memory.cause) in calls
                    kinds.add(memory.cause.split(" ")[0])
                if memory.cause.startswith("reflect."):
                    assert memory.evidence
                    assert all(evidence < memory.id for evidence in memory.evidence)
        assert {"plan.day", "plan.hours", "converse.memo", "reflect.insights"} <= kinds


def test_what_was_heard_leads_to_words_that_reached_one(record: Path) -> None:
    with RunReader(record) as run:
        said = {event.id: event for event in run.events() if event.kind == "say"}
        heard = 0
        for agent, stream in read_streams(run):
            for memory in stream:
                if memory.kind == "event" and " said to " in memory.text:
                    heard += 1
                    (cause,) = memory.events
                    assert agent in said[cause].data["heard_by"]
                    assert said[cause].data["text"] in memory.text
        assert heard


# Prompts of a small model.


FENCE = re.compile(r"<<<DATA (\S*)\n(.*?)\n?\1 END>>>", re.DOTALL)


class SmallEndpoint(ScriptedEndpoint):
    """A model that says of itself that it is a small one."""

    small = True
    context_tokens: int | None = 2048


def list_heads(row: CallRow) -> Counter[str]:
    """Return how many lines of a prompt's data begin with each head; memories are `#`."""
    fenced = FENCE.search(json.loads(row.messages)[1]["content"])
    assert fenced is not None
    lines = [json.loads(line) for line in fenced[2].splitlines()]
    return Counter("#" if line[0].startswith("#") else line[0] for line in lines)


def live(path: Path, endpoint: ScriptedEndpoint) -> list[CallRow]:
    """Return the calls of a noon of three people, of whose prompts nothing is cut."""
    spec = make_spec(
        "valentines_party",
        180,
        people=FOUR[:3],
        start="12:00",
        place="Hobbs Cafe/cafe",
        policy=PolicySpec("smallville"),
        seed=1,
    )
    run(spec, path, RunOptions(endpoint=endpoint, embedder="hashed"))
    with RunReader(path) as reader:
        cut = [note for note in reader.notes() if note.kind == "cut"]
        assert not cut or isinstance(endpoint, SmallEndpoint)
        return list(reader.calls())


def test_a_small_model_is_told_date_place_and_goal_in_every_prompt(tmp_path: Path) -> None:
    aimless = ("ground.", "perceive.", "converse.relate")  # what one is up to has no part in these
    for row in live(tmp_path / "run.sqlite", SmallEndpoint(model="small")):
        heads = list_heads(row)
        assert heads["now"] == 1, row.purpose
        assert heads["you are at"] == 1 or row.purpose == "interview", row.purpose
        goal = heads["these days"] or heads["your goal"]
        assert goal or row.purpose.startswith(aimless), row.purpose
