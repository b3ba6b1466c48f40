"""The pasts of people of a recorded run, with which another run begins."""

from collections.abc import Sequence
from pathlib import Path

from genagents_env.errors import ConfigError, PolicyError
from genagents_env.files import find_inside
from genagents_env.llm.event_loop import run_sync
from genagents_env.memory.embedder import EmbeddingSource
from genagents_env.memory.vector_file import TextVectors, read_vectors
from genagents_env.name_search import find_person
from genagents_env.policy import AgentID
from genagents_env.record import RunReader, RunWriter, canonical_hash
from genagents_env.run.policy_groups import PolicyGroups
from genagents_env.run.replay import RunReplay, check_tick_number, open_replay
from genagents_env.run.spec import RunOptions
from genagents_env.scenario import Scenario
from genagents_env.scenario.schema import Past

Pasts = dict[AgentID, Past]
VECTORS = "vectors.npz"  # beside the files of the people


def collect_run_pasts(
    path: str | Path,
    agents: Sequence[AgentID] = (),
    tick: int | None = None,
    options: RunOptions | None = None,
) -> tuple[Pasts, TextVectors]:
    """Return the pasts of people of a recorded run at `tick`, and the vectors of their memories.

    The run is replayed up to there with its stored calls; no model is asked, nothing is written.

    Args:
        path: of the run file.
        agents: the people; empty is everybody whose policy has a past.
        tick: a recorded one; None is the last.
        options: `watch` and trusted policies; others are ignored.

    Raises:
        ConfigError: no such agent or tick.
        PolicyError: somebody's policy keeps no past.
        DivergenceError: policy, prompts or package have changed since the run.
        RecordError: the file is missing, foreign, damaged or newer.
    """
    with RunReader(path) as run:
        at = check_tick_number(run, tick)
        with open_replay(run, options or RunOptions()) as replay:
            people = _choose_people(replay, agents)
            pasts = run_sync(_collect(replay, people, at))
        texts = list({memory.text: None for past in pasts.values() for memory in past.memories})
        model = run.meta.embedder or ""
        return pasts, TextVectors(model, run.embeddings.get(model, texts))


def check_pasts(scenario: Scenario, groups: PolicyGroups) -> None:
    """Raise PolicyError if somebody has a past, but a policy that would ignore it."""
    lost = [
        person.name
        for person in scenario.people
        if person.past is not None and not groups.has_past(person.name)
    ]
    if lost:
        raise PolicyError(
            f"the policy of {', '.join(lost)} begins with no memories of an earlier run; choose "
            "another one, or leave --memories out"
        )


def put_past_vectors(
    writer: RunWriter, folder: str | Path | None, source: EmbeddingSource | None
) -> str:
    """Store the vectors of people's memories in a new run, if its embedder made them.

    Returns:
        A sentence on the memories that people begin with; empty without pasts.
    """
    pasts = [person.past for person in writer.meta.scenario.people if person.past is not None]
    if not pasts:
        return ""
    note = (
        f"{len(pasts)} people begin with {sum(len(past.memories) for past in pasts):,} memories "
        f"of up to {max(past.until for past in pasts):%a %d %b %H:%M}"
    )
    if source is None or not source.stored:
        return note
    texts = {memory.text for past in pasts for memory in past.memories}
    path = None if folder is None else find_inside(Path(folder), VECTORS)
    kept = TextVectors("") if path is None or not path.exists() else read_vectors(path)
    if kept.model == source.name:
        writer.embeddings.put(kept.model, {t: v for t, v in kept.vectors.items() if t in texts})
        missing = len(texts - kept.vectors.keys())
        why = "had no vector"
    else:
        missing, why = len(texts), f"have vectors by {kept.model or 'nobody'} alone"
    return f"{note}; {missing:,} texts {why} and are embedded by {source.name}" if missing else note


def _choose_people(replay: RunReplay, agents: Sequence[AgentID]) -> list[AgentID]:
    run = replay.run
    named = dict.fromkeys(find_person(agent, run.meta.names) for agent in agents)
    people = list(named) or [a for a in run.meta.names if replay.groups.has_past(a)]
    if not people:
        raise ConfigError(
            f"{run.path}: nobody in this run has a policy that keeps memories to begin another "
            "run with"
        )
    return people


async def _collect(replay: RunReplay, people: Sequence[AgentID], at: int) -> Pasts:
    async with replay.open_at(at):
        return collect_pasts(replay, people)


def collect_pasts(replay: RunReplay, people: Sequence[AgentID]) -> Pasts:
    """Return the pasts of people whose policies support them, at the tick a replay is open at.

    Raises:
        PolicyError: a policy fails.
    """
    run, world = replay.run, replay.env.world
    source = f"run {canonical_hash(run.path)[:16]}, {world.time:%Y-%m-%d %H:%M:%S}"
    town, known = world.town, world.state
    pasts: Pasts = {}
    for agent in people:
        i = town.people.index[agent]
        facts, places = known.facts[i], known.known[i]
        pasts[agent] = replay.groups.collect_past(agent, source).model_copy(
            update={
                "facts": tuple(f for k, f in enumerate(town.people.fact_ids) if facts >> k & 1),
                "places": tuple(p for k, p in enumerate(town.places.ids) if places >> k & 1),
            }
        )
    return pasts
