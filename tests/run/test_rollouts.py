"""Episodes for training equal those played alone, however many are played together."""

import asyncio
import subprocess
import sys
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.vector import AutoresetMode

from genagents_env.actions import Action, Idle
from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError, PolicyError
from genagents_env.llm.calls import Completion, CompletionRequest
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import ScriptedEndpoint, always_invalid
from genagents_env.policy import Context, Infos, Observations, Policy, Profile
from genagents_env.run import rollout, rollouts, segments
from genagents_env.run.policies import load_policy
from genagents_env.train.tasks import get_task
from genagents_env.train.wrappers import VectorTown
from genagents_env.train.wrappers.vector_town import Observation


class Counted(ScriptedEndpoint):
    """Answers after a pause, and records how many wait at once, and how often it was closed."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.most = self.closed = 0

    async def complete(self, request: CompletionRequest) -> Completion:
        self.now += 1
        self.most = max(self.most, self.now)
        for _ in range(300):  # other towns come to ask meanwhile
            await asyncio.sleep(0)
        self.now -= 1
        return await super().complete(request)

    async def aclose(self) -> None:
        self.closed += 1


class Short(Policy):
    """Idles; raises in the episode of one seed."""

    name = "short"

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        self.seed = seed

    def act(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        if self.seed == 2:
            raise RuntimeError("not this one")
        return {}


@pytest.mark.parametrize("together", [3, 8])
def test_an_episode_is_what_its_seed_alone_gives(together: int) -> None:
    seeds = [5, 0, 9, 3, 5]
    lived = rollouts("tiny", "random", seeds, together=together, keep_events=True)
    for seed, episode in zip(seeds, lived, strict=True):
        assert episode.seed == seed
        assert episode.rollout == rollout(TownEnv("tiny"), "random", seed, keep_events=True)


def test_model_calls_of_all_towns_are_in_flight_together() -> None:
    endpoint, seeds = Counted(), range(64)
    lived = list(
        rollouts(
            "tiny", "reactive", seeds, together=64, model=endpoint, max_ticks=2, keep_events=True
        )
    )
    assert [episode.seed for episode in lived] == list(seeds)
    assert endpoint.most == 64
    assert endpoint.closed == 0
    for episode in lived[::21]:
        client = ModelClient(ScriptedEndpoint(), run_seed=episode.seed)
        alone = rollout(
            TownEnv("tiny"), "reactive", episode.seed, model=client, max_ticks=2, keep_events=True
        )
        assert episode.rollout == alone


def test_trajectories_say_what_was_seen_done_and_earned() -> None:
    def menu() -> TownEnv:
        return TownEnv("tiny", actions="menu")

    (episode,) = rollouts(menu, "random", [4], collect=True)
    for agent, lived in episode.trajectories.items():
        steps = episode.rollout.ticks
        assert lived.observations.shape[0] == len(lived.masks) == len(lived.actions) == steps
        assert lived.rewards.sum() == pytest.approx(episode.rollout.returns[agent])
        assert lived.masks[np.arange(steps), lived.choices].all()
        assert lived.dones.tolist() == [False] * (steps - 1) + [True]
        env = menu()
        seen = env.reset(seed=4)[0][agent]["observation"]
        assert np.array_equal(lived.observations[0], seen)
    (words,) = rollouts("tiny", "random", [4], collect=True, max_ticks=3)
    assert (words.trajectories["Ada Brook"].choices >= 0).all()


def test_an_error_is_raised_in_its_turn_unless_it_is_isolated() -> None:
    lived = rollouts("tiny", Short, range(4), max_ticks=3)
    assert [next(lived).seed, next(lived).seed] == [0, 1]
    with pytest.raises(RuntimeError, match="not this one"):
        next(lived)
    faults = [
        len(episode.rollout.faults)
        for episode in rollouts("tiny", Short, range(4), max_ticks=3, isolate=True)
    ]
    assert faults == [0, 0, 6, 0]


class ActsForAda(Policy):
    name = "acts_for_ada"

    def act(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        return {"Ada Brook": Idle("grabbed")}


def test_what_a_policy_decides_for_the_agent_of_another_is_refused() -> None:
    def make() -> dict[str, Policy]:
        return {"Ada Brook": load_policy("idle"), "Ben Carver": ActsForAda()}

    with pytest.raises(PolicyError, match="decided for 'Ada Brook', who is not its agent"):
        list(rollouts("tiny", make, [0], max_ticks=2))
    (episode,) = rollouts("tiny", make, [0], max_ticks=2, isolate=True, keep_events=True)
    assert [fault.agent for fault in episode.rollout.faults] == ["Ben Carver"] * 2
    assert not any(e.data.get("doing") == "grabbed" for e in episode.rollout.events)


def test_policies_by_name_are_offered_the_menu_that_one_of_them_needs() -> None:
    seed = 1_000_003
    errand = get_task("errand").draw(seed)
    (alone,) = rollouts(errand, "learned", [seed])
    assert min(alone.rollout.returns.values()) > 0
    names = [person.name for person in errand.people]
    mixed = dict(zip(names, ("learned", "random", "scripted"), strict=True))
    (episode,) = rollouts(errand, mixed, [seed])
    assert episode.rollout.returns[names[0]] == alone.rollout.returns[names[0]] > 0


def test_what_cannot_be_shared_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="one town at a time"):
        rollouts("tiny", load_policy("idle"))  # type: ignore[arg-type]  # that is the point
    with pytest.raises(ConfigError, match="together: 0"):
        rollouts("tiny", together=0)
    client = ModelClient(ScriptedEndpoint(), run_seed=0)
    with pytest.raises(ConfigError, match="max_in_flight"):
        rollouts("tiny", model=client, max_in_flight=2)
    with pytest.raises(ConfigError, match="steps: 0"):
        segments(VectorTown("tiny", 1), lambda seen: np.zeros(2, np.int64), 0)
    later = VectorTown("tiny", 1, autoreset=AutoresetMode.NEXT_STEP)
    with pytest.raises(ConfigError, match="SAME_STEP"):
        segments(later, lambda seen: np.zeros(2, np.int64), 1)


def test_segments_continue_where_the_last_one_ended() -> None:
    def act(seen: Observation) -> npt.ArrayLike:
        mask: npt.NDArray[np.int8] = seen["action_mask"]
        from_the_end: npt.NDArray[np.int64] = mask[:, ::-1].argmax(axis=1)
        return int(mask.shape[1]) - 1 - from_the_end

    first, second = islice(segments(VectorTown("tiny", 3, max_cycles=5), act, 4, seed=2), 2)
    (both,) = islice(segments(VectorTown("tiny", 3, max_cycles=5), act, 8, seed=2), 1)
    for name in ("observations", "masks", "actions", "rewards", "truncations", "successors"):
        halves = getattr(first, name), getattr(second, name)
        assert np.array_equal(np.concatenate(halves), getattr(both, name))
    assert both.observations.shape[:2] == (8, 6)
    assert both.present.all()
    assert both.truncations[4].all()
    assert np.array_equal(both.successors[2], both.observations[3])
    assert not np.array_equal(both.successors[4], both.observations[5])
    assert both.successors[4, 0, 2] == 5 / 60


@pytest.mark.slow
def test_the_example_learns() -> None:
    example = Path(__file__).parents[2] / "examples" / "rollouts.py"
    assert len(example.read_text("utf-8").splitlines()) < 50
    done = subprocess.run(
        [sys.executable, str(example), "3"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    learned = [float(line.split(": ")[1]) for line in done.stdout.splitlines() if "Ben" in line]
    assert learned[-1] > learned[0] + 0.3


def test_calls_and_fallbacks_are_those_of_the_episode_and_of_the_client_which_all_share() -> None:
    endpoint = Counted()
    endpoint.rule = always_invalid
    client = ModelClient(endpoint, run_seed=77, max_in_flight=1)
    played = rollouts("tiny", "reactive", range(2), model=client, max_ticks=20, together=2)
    made = [(e.rollout.calls, e.rollout.fallbacks) for e in played]
    assert all(calls == fallbacks > 0 for calls, fallbacks in made)
    assert client.ledger.totals().fallbacks == sum(fallbacks for _, fallbacks in made)
    assert client.budget.spent.calls == len(endpoint.requests)
    assert (endpoint.most, client.run_seed) == (1, 77)
    alone = ModelClient(ScriptedEndpoint(always_invalid), run_seed=0)
    again = rollout(TownEnv("tiny"), "reactive", 0, model=alone, max_ticks=20)
    assert (again.calls, again.fallbacks) == made[0]


def test_seeds_may_be_endless_the_iteration_end_early_and_a_loop_run_already() -> None:
    async def notebook() -> list[int]:
        lived = rollouts("tiny", "idle", together=4, max_ticks=2)
        seeds = [episode.seed for episode in islice(lived, 9)]
        lived.close()  # type: ignore[attr-defined]  # a generator
        return seeds

    assert asyncio.run(notebook()) == list(range(9))
