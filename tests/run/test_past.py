"""A run whose people begin with what they remember of another."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from genagents_env.config import TownConfig
from genagents_env.errors import ConfigError, PolicyError
from genagents_env.memory.vector_file import TextVectors, write_vectors
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, RunOptions, RunSpec, interview, run
from genagents_env.run.past import VECTORS, collect_run_pasts
from genagents_env.scenario.past import read_pasts, write_pasts
from tests.run.test_embedder import Counted

ISABELLA, MARIA = "Isabella Rodriguez", "Maria Lopez"


class First:
    """A finished run of two people, and what was imported of it."""

    def __init__(self, folder: Path) -> None:
        self.path, self.memories = folder / "first.sqlite", folder / "memories"
        live(self.path, Counted(), start="2023-02-13T10:00", place="Hobbs Cafe", hours=0.4)
        self.pasts, self.vectors = collect_run_pasts(self.path, options=make_options(Counted()))
        write_pasts(self.memories, self.pasts)
        write_vectors(self.memories / VECTORS, self.vectors)


def make_options(source: Counted, **changes: Any) -> RunOptions:
    return RunOptions(model="scripted:neighbour", source=source, checkpoint_every=50, **changes)


def live(path: Path, source: Counted, policy: str = "smallville", **town: Any) -> str:
    """Run, and return with what memories people began."""
    config = TownConfig("valentines_party", people=(ISABELLA, MARIA), **town)
    return run(RunSpec(config, policy=PolicySpec(policy)), path, make_options(source)).note


def get_state(path: Path, agent: str, tick: int | None = None) -> Mapping[str, Any]:
    with RunReader(path) as record:
        state = record.checkpoint(2**40 if tick is None else tick)
        assert state is not None
        return dict(state.policies[0][agent])


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> First:
    return First(tmp_path_factory.mktemp("first"))


def test_a_past_has_all_memories_of_a_person(first: First) -> None:
    state = get_state(first.path, ISABELLA)
    past = first.pasts[ISABELLA]
    stream = state["stream"]
    count = len(stream["text"])
    assert count > 20
    handed = past.memories[:count]  # a tick was lived after the checkpoint
    assert [memory.text for memory in handed] == stream["text"]
    assert [memory.kind for memory in handed] == stream["kind"]
    assert [list(memory.evidence) for memory in handed] == stream["evidence"]
    assert {memory.kind for memory in past.memories} >= {"event", "thought", "plan"}
    assert any(memory.seed for memory in past.memories)
    assert past.summary
    assert past.status == state["status"]
    assert [one.id for one in past.objects] == list(state["objects"])
    assert past.day is not None
    assert past.day.date == "2023-02-13"
    assert "party" in past.facts


def test_a_run_begins_where_another_ended(first: First, tmp_path: Path) -> None:
    second, source = tmp_path / "second.sqlite", Counted()
    note = live(*(second, source), memories=first.memories, start="2023-02-14T16:00", hours=0.1)
    total = sum(len(past.memories) for past in first.pasts.values())
    assert note == f"2 people begin with {total} memories of up to Mon 13 Feb 10:24"
    pasts, _ = collect_run_pasts(second, tick=0, options=make_options(Counted()))
    for name, before in first.pasts.items():
        after = pasts[name]
        assert after.memories == before.memories, name
        assert (after.status, after.talks) == (before.status, before.talks)
        assert (after.summary, after.importance) == (before.summary, before.importance)
        assert after.objects == before.objects
        assert after.commitments == before.commitments
        assert after.day == before.day
    assert {*first.vectors.vectors}.isdisjoint(source.texts)  # each text embedded once


@pytest.mark.parametrize(
    ("start", "asked", "unasked"),
    [
        ("2023-02-14T08:00", {"plan.renew"}, set()),
        ("2023-02-13T11:00", {"plan.pieces"}, {"plan.renew", "plan.day", "plan.hours"}),
    ],
)
def test_a_new_day_is_renewed_from_the_one_before_and_one_that_goes_on_is_not_planned_again(
    first: First, tmp_path: Path, start: str, asked: set[str], unasked: set[str]
) -> None:
    second = tmp_path / "second.sqlite"
    live(second, Counted(), memories=first.memories, start=start, hours=0.05)
    with RunReader(second) as record:
        purposes = {call.purpose for call in record.calls()}
    assert asked <= purposes
    assert not purposes & unasked


def test_memories_are_part_of_what_a_run_is(first: First, tmp_path: Path) -> None:
    town: dict[str, Any] = {"start": "2023-02-14T16:00", "hours": 0.05}
    hashes = []
    for number, memories in enumerate((first.memories, first.memories, None)):
        path = tmp_path / f"{number}.sqlite"
        live(path, Counted(), memories=memories, **town)
        hashes.append(canonical_hash(path))
    assert hashes[0] == hashes[1] != hashes[2]
    answered = interview(tmp_path / "0.sqlite", [MARIA], ["Any news?"], 9, make_options(Counted()))
    assert answered[MARIA][0][1].text  # replayed from its file alone


def test_another_embedder_embeds_anew_and_says_so(first: First, tmp_path: Path) -> None:
    texts = {memory.text for past in first.pasts.values() for memory in past.memories}
    source = Counted("other")
    town: dict[str, Any] = {"memories": first.memories, "start": "2023-02-14T16:00"}
    note = live(tmp_path / "a.sqlite", source, hours=0.02, **town)
    assert note.endswith(
        f"; {len(texts)} texts have vectors by counted alone and are embedded by other"
    )
    assert texts <= {*source.texts}
    bare = tmp_path / "memories"
    write_pasts(bare, read_pasts(first.memories))
    few = dict(list(first.vectors.vectors.items())[3:])
    write_vectors(bare / VECTORS, TextVectors("counted", few))
    note = live(
        tmp_path / "b.sqlite", Counted(), memories=bare, start="2023-02-14T16:00", hours=0.02
    )
    assert "; 3 texts had no vector and are embedded by counted" in note


def test_a_policy_that_would_forget_it_is_refused(first: First, tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with pytest.raises(PolicyError, match="Isabella Rodriguez, Maria Lopez begins with no"):
        live(path, Counted(), "scripted", memories=first.memories, start="2023-02-14T16:00")
    assert not path.exists()
    live(path, Counted(), "scripted", start="10:00", hours=0.02)
    with pytest.raises(ConfigError, match="nobody in this run has a policy that keeps memories"):
        collect_run_pasts(path)
    with pytest.raises(ConfigError, match="nobody is called 'Bob'"):
        collect_run_pasts(first.path, ["Bob"])


def test_an_earlier_moment_is_remembered_as_far_as_it_had_come(first: First) -> None:
    pasts, _ = collect_run_pasts(first.path, [MARIA], 3, make_options(Counted()))
    assert [*pasts] == [MARIA]
    assert f"{pasts[MARIA].until:%H:%M:%S}" == "10:00:30"
    early = pasts[MARIA].memories
    assert 0 < len(early) < len(first.pasts[MARIA].memories)
