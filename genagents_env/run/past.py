"""What the people of a recorded run carry along into another one."""

from collections.abc import Sequence
from pathlib import Path

from genagents_env.errors import ConfigError
from genagents_env.event_loop import run_sync
from genagents_env.memory.vector_file import TextVectors
from genagents_env.name_search import find_person
from genagents_env.policy import AgentID
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run.policy_groups import PolicyGroups
from genagents_env.run.recorded import choose_recorded, load_policies
from genagents_env.run.replay import RunReplay, check_tick_number, open_replayed
from genagents_env.run.spec import RunOptions
from genagents_env.scenario.past import Past

Pasts = dict[AgentID, Past]


def collect_run_pasts(
    path: str | Path,
    agents: Sequence[AgentID] = (),
    tick: int | None = None,
    options: RunOptions | None = None,
) -> tuple[Pasts, TextVectors]:
    """Return what people of a recorded run remember and are at `tick`, and their vectors.

    The run is replayed up to there with its stored calls; no model is asked, nothing is written.

    Args:
        path: of the run file.
        agents: whose; nobody is everybody whose policy has a past.
        tick: a recorded one; None is the last.
        options: `watch`, and whether its policies are trusted; the rest is of no use here.

    Raises:
        ConfigError: no such agent or tick.
        PolicyError: somebody's policy keeps no past.
        DivergenceError: policy, prompts or package have changed since the run.
        RecordError: the file is missing, foreign, damaged or newer.
    """
    options = options or RunOptions()
    with RunReader(path) as run:
        at = check_tick_number(run, tick)
        groups = load_policies(run.meta, options, choose_recorded(run.path, run.meta, options))
        try:
            whom = _choose_people(run, groups, agents)
            replay = RunReplay(run, groups, options, open_replayed(groups, options, run))
            pasts = run_sync(_collect(replay, whom, at))
        finally:
            groups.close()
        return pasts, _find_vectors(run, pasts)


def _choose_people(
    run: RunReader, groups: PolicyGroups, agents: Sequence[AgentID]
) -> list[AgentID]:
    named = dict.fromkeys(find_person(agent, run.meta.names) for agent in agents)
    whom = list(named) or [a for a in run.meta.names if groups.has_past(a)]
    if not whom:
        raise ConfigError(
            f"{run.path}: nobody in this run has a policy that keeps memories to begin another "
            "run with"
        )
    return whom


async def _collect(replay: RunReplay, whom: Sequence[AgentID], at: int) -> Pasts:
    run = replay.run
    source = f"run {canonical_hash(run.path)[:16]}, {run.time(at):%Y-%m-%d %H:%M:%S}"
    async with replay.open_at(at):
        world = replay.env.world
        town, known = world.town, world.state
        pasts: Pasts = {}
        for agent in whom:
            i = town.people.index[agent]
            facts = town.people.fact_ids
            places = town.places.ids
            pasts[agent] = replay.groups.collect_past(agent, source).model_copy(
                update={
                    "facts": tuple(f for k, f in enumerate(facts) if known.facts[i] >> k & 1),
                    "places": tuple(p for k, p in enumerate(places) if known.known[i] >> k & 1),
                }
            )
        return pasts


def _find_vectors(run: RunReader, pasts: Pasts) -> TextVectors:
    """Return the stored vectors of all texts that are remembered."""
    model = run.meta.embedder or ""
    texts = list({memory.text: None for past in pasts.values() for memory in past.memories})
    return TextVectors(model, run.embeddings.get(model, texts))
