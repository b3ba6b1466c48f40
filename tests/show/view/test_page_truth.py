"""What the page shows at any tick is the world as a replay of the run has it."""

import random
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from genagents_env.config import TownConfig
from genagents_env.env import TownEnv
from genagents_env.llm.event_loop import run_sync
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.run.replay import RunReplay, open_replay
from genagents_env.scenario import load_scenario
from genagents_env.scenario.schema import ScheduledEvent
from tests.show.view.browser import OpenPage

TICKS = 50


def play_with_interventions(path: Path, policy: str) -> Path:
    """Record an hour of a town into which is interfered in every way there is."""
    scenario = load_scenario("murder_mystery")
    first, second = (person.name for person in scenario.people[:2])
    place, thing = scenario.people[2].home, "Sakuramachi Hotel/lobby/guest book"
    told: list[dict[str, Any]] = [
        {"kind": "leave", "agent": first},
        {"kind": "news", "text": "A storm is coming."},
        {"kind": "whisper", "agent": second, "text": "I left the oven on."},
        {"kind": "move", "agent": second, "place": place},
        {"kind": "object", "object": thing, "state": "open"},
        {"kind": "join", "agent": first, "place": place},
    ]
    start = scenario.start
    events = tuple(
        ScheduledEvent(at=start + timedelta(minutes=5 * n), **one) for n, one in enumerate(told, 1)
    )
    town = TownConfig(scenario.model_copy(update={"events": events}), hours=0.75)
    run(
        RunSpec(town, policy=PolicySpec(policy), seed=4),
        path,
        RunOptions(model="scripted:neighbour", embedder="hashed", interviews=False),
    )
    return path


def describe(env: TownEnv) -> dict[str, Any]:
    world = env.world
    state, people = world.state, world.town.people
    return {
        "positions": world.positions.tolist(),
        "doing": list(state.doing),
        "emoji": list(state.emoji),
        "present": state.present.tolist(),
        "asleep": state.asleep.tolist(),
        "objectStates": dict(zip(world.town.places.object_ids, state.objects.states, strict=True)),
        "knows": [
            [fact for k, fact in enumerate(people.fact_ids) if known >> k & 1]
            for known in state.facts
        ],
    }


def rebuild(path: Path, ticks: set[int]) -> dict[int, dict[str, Any]]:
    """Return the world at these ticks, replayed from the record."""
    found: dict[int, dict[str, Any]] = {}

    async def replay_all(replay: RunReplay, last: int) -> None:
        def keep(actions: object, step: object) -> None:
            if replay.env.world.tick in ticks:
                found[replay.env.world.tick] = describe(replay.env)

        async with replay.open_at(last, keep):
            pass

    with RunReader(path) as reader, open_replay(reader, RunOptions()) as replay:
        run_sync(replay_all(replay, max(ticks)))
    return found


def compare(path: Path, open_page: OpenPage) -> None:
    with RunReader(path) as reader:
        ticks = set(random.Random(16).sample(range(1, reader.last_tick + 1), TICKS))  # noqa: S311
    watched = open_page(path)
    shown = watched.page.evaluate(
        "ticks => ticks.map((tick) => window.town.at(tick))",
        random.Random(5).sample(sorted(ticks), TICKS),  # noqa: S311
    )
    truth = rebuild(path, ticks)
    for one in shown:
        expected = truth[one["tick"]]
        assert {key: one[key] for key in expected} == expected
    watched.check()


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["smallville", "random"])
def test_whoever_comes_goes_and_is_moved_is_shown_where_they_were(
    policy: str, open_page: OpenPage, tmp_path: Path
) -> None:
    path = play_with_interventions(tmp_path / "run.sqlite", policy)
    with RunReader(path) as reader:
        assert {"join", "part", "put", "news", "whisper"} <= {e.kind for e in reader.events()}
    compare(path, open_page)
