"""A vector of towns beside the same towns by themselves, which are given the same choices."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from genagents_env.env import TownEnv
from genagents_env.scenario import Scenario
from genagents_env.train.wrappers import VectorTown

Choices = npt.NDArray[np.int64]


def draw_legal(masks: npt.NDArray[np.int8], rng: np.random.Generator) -> Choices:
    chosen: Choices = (masks * rng.random(masks.shape)).argmax(axis=1)
    return chosen


class Pair:
    """Steps both, and compares all that comes of it.

    Args:
        scenario: by name, or loaded; or several that are loaded.
        towns: how many of each.
        legal: the part of choices that are possible.
        watch: compare events at every tick, for which the towns of the vector repeat each at once.
        all_stay: nobody leaves before the end.
        options: of both.
    """

    def __init__(
        self,
        scenario: str | Scenario | Sequence[Scenario],
        towns: int,
        *,
        legal: float = 0.96,
        watch: bool = False,
        all_stay: bool = True,
        **options: Any,
    ) -> None:
        drawn = [scenario] if isinstance(scenario, str | Scenario) else scenario
        self.vector = VectorTown(scenario, towns, **options)
        given = {"text": False, **options, "actions": "menu"}
        self.envs = [TownEnv(one, **given) for one in drawn for _ in range(towns)]
        self.agents = self.envs[0].possible_agents
        self.rng = np.random.default_rng(0)
        self.legal, self.watch, self.all_stay = legal, watch, all_stay
        self.ends = 0

    def reset(self, seed: int) -> None:
        self.seen: list[Mapping[str, Any]] = [
            env.reset(seed=seed + t)[0] for t, env in enumerate(self.envs)
        ]
        one = self.seen[0][self.agents[0]]
        nobody = {name: np.zeros_like(one[name]) for name in ("observation", "action_mask")}
        nobody["action_mask"][0] = 1
        self.nobody: Mapping[str, Any] = {**nobody, "text": ""}  # who has left may idle
        self.compare(self.vector.reset(seed=seed)[0])

    def compare(self, got: Mapping[str, Any]) -> None:
        for name, part in got.items():
            wanted = [own.get(a, self.nobody)[name] for own in self.seen for a in self.agents]
            if name == "text":
                assert part == tuple(wanted)
            else:
                assert part.dtype == wanted[0].dtype
                np.testing.assert_array_equal(part, np.stack(wanted))

    def draw(self) -> Choices:
        """Draw choices: mostly possible ones, a few that are not, or none at all."""
        masks = self.vector.action_masks()
        rank = (self.rng.random(len(masks)) * masks.sum(axis=1)).astype(np.int64)
        legal = (masks.cumsum(axis=1) > rank[:, None]).argmax(axis=1)
        wild = self.rng.integers(-1, masks.shape[1] + 1, len(masks))
        return np.where(self.rng.random(len(masks)) < self.legal, legal, wild)

    def step(self, chosen: Choices | None = None) -> tuple[Any, ...]:
        """Step both with the same choices; return what the vector does."""
        chosen = self.draw() if chosen is None else chosen
        own = chosen.reshape(len(self.envs), -1).tolist()
        rewards, ends, illegal, final = [], [], [], list[tuple[Mapping[str, Any], int]]()
        for t, env in enumerate(self.envs):
            given = {a: c for a, c in zip(self.agents, own[t], strict=True) if a in env.agents}
            self.seen[t], earned, over, cut, infos = env.step(given)
            rewards += [earned.get(agent, 0.0) for agent in self.agents]
            ends += [(over.get(agent), cut.get(agent)) for agent in self.agents]
            told = [infos.get(agent, {"illegal": 0})["illegal"] for agent in self.agents]
            last = [self.seen[t].get(agent, self.nobody) for agent in self.agents]
            final += zip(last, told, strict=True)
            if not env.agents:
                self.seen[t], told = env.reset()[0], [0] * len(told)
                self.ends += 1
            illegal += told
        step = self.vector.step(chosen)
        got, paid, over_all, cut_all, about = step
        self.compare(got)
        assert paid.tolist() == rewards
        assert not self.all_stay or [*zip(over_all, cut_all, strict=True)] == ends
        assert about["illegal"].tolist() == illegal
        assert about["present"].tolist() == [a in e.agents for e in self.envs for a in self.agents]
        for slot in (over_all | cut_all).nonzero()[0].tolist():
            seen, was_illegal = final[slot]
            for name in ("observation", "action_mask"):
                np.testing.assert_array_equal(about["final_obs"][slot][name], seen[name])
            assert about["final_info"]["illegal"][slot] == was_illegal
        if self.watch:
            for mine, alone in zip(self.vector.envs, self.envs, strict=True):
                assert (mine.events, mine.agents) == (alone.events, alone.agents)
        return step

    def compare_towns(self) -> None:
        """Compare the towns themselves, which repeat what the arrays did."""
        for mine, alone in zip(self.vector.envs, self.envs, strict=True):
            assert mine.events == alone.events
            assert mine.save_state() == alone.save_state()
            np.testing.assert_array_equal(mine.state(), alone.state())
