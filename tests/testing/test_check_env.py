"""check_env passes a small env that keeps the contract, and each way of breaking it is caught."""

import random
from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from gymnasium import spaces
from pettingzoo import ParallelEnv

from genagents_env.rng import draw_unit
from genagents_env.testing import EnvContractError, check_env
from genagents_env.testing.legal import Env, Space

IDLE, LEFT, RIGHT, LEAVE = range(4)
WIDTH, DOOR = 10, 5
CHARSET = "abcdefghijklmnopqrstuvwxyz ,.:0123456789"

Values: TypeAlias = dict[str, Any]  # by agent
Step: TypeAlias = tuple[Any, ...]


class Toy(ParallelEnv[str, Any, Any]):  # type: ignore[misc]
    """Ann, Bob and Cy walk on tiles 0..9; a wall between 4 and 5 hides them from each other.

    Cy may leave, which ends the episode for Cy. Everybody feels the same random wind.
    """

    metadata: ClassVar[Values] = {"name": "toy_v0", "render_modes": []}
    render_mode = None

    def __init__(self, max_cycles: int = 40) -> None:
        self.max_cycles = max_cycles
        self.possible_agents = ["ann", "bob", "cy"]
        self.agents: list[str] = []
        self._seed = 0
        self._observation = spaces.Dict(
            observation=spaces.Box(-1.0, float(WIDTH), (4,), np.float32),
            text=spaces.Text(80, min_length=0, charset=CHARSET),
            action_mask=spaces.MultiBinary(4),
        )
        self._action = spaces.Discrete(4)

    def observation_space(self, agent: str) -> Space:
        return self._observation

    def action_space(self, agent: str) -> Space:
        return self._action

    def reset(
        self, seed: int | None = None, options: Values | None = None
    ) -> tuple[Values, Values]:
        self._seed = self._seed + 1 if seed is None else seed
        self.agents = list(self.possible_agents)
        self.tick = 0
        self.place = {"ann": 1, "bob": 3, "cy": 7}
        self.illegal = dict.fromkeys(self.agents, 0)
        self._blow()
        return self._observe(self.agents)

    def step(self, actions: Values) -> Step:
        live = self.agents
        self.tick += 1
        gone = {agent: self._act(agent, actions.get(agent, IDLE)) for agent in live}
        over = self.tick >= self.max_cycles
        self._blow()
        self.agents = [a for a in live if not gone[a] and not over]
        observations, infos = self._observe(live)
        rewards = {a: float(self.place[a] == 0) for a in live}
        return observations, rewards, gone, {a: over and not gone[a] for a in live}, infos

    def mask(self, agent: str) -> npt.NDArray[np.int8]:
        x = self.place[agent]
        return np.array([1, x > 0, x < WIDTH - 1, agent == "cy" and x == 9], dtype=np.int8)

    def _blow(self) -> None:
        self.wind = draw_unit(self._seed, self.tick, "wind")

    def _act(self, agent: str, action: object) -> bool:
        choice = int(action) if isinstance(action, int | np.integer) else -1
        legal = 0 <= choice < 4 and bool(self.mask(agent)[choice])
        self.illegal[agent] = int(not legal)
        if legal and choice in (LEFT, RIGHT):
            self.place[agent] += 1 if choice == RIGHT else -1
        return legal and choice == LEAVE

    def seen(self, agent: str) -> list[str]:
        side = self.place[agent] < DOOR
        return [a for a in self.agents if a != agent and (self.place[a] < DOOR) == side]

    def vector(self, agent: str) -> npt.NDArray[np.float32]:
        x, seen = self.place[agent], self.seen(agent)
        nearest = float(self.place[seen[0]]) if seen else -1.0
        return np.array([x, nearest, len(seen), self.wind], dtype=np.float32)

    def text(self, agent: str) -> str:
        return f"you are at {self.place[agent]}. here: {', '.join(self.seen(agent)) or 'nobody'}."

    def _observe(self, live: list[str]) -> tuple[Values, Values]:
        observations = {
            a: {"observation": self.vector(a), "text": self.text(a), "action_mask": self.mask(a)}
            for a in live
        }
        return observations, {a: {"illegal": self.illegal[a]} for a in live}


def disturb(env: Env, agent: str) -> bool:
    """Move somebody on the other side of the wall, out of `agent`'s sight."""
    town = env.unwrapped
    for other in town.agents:
        beyond = (town.place[other] < DOOR) != (town.place[agent] < DOOR)
        if other != agent and beyond:
            town.place[other] = {0: 1, DOOR: DOOR + 1}.get(town.place[other], town.place[other] - 1)
            return True
    return False


# The six defects of which PettingZoo's own tests catch one.


class OutsideItsSpace(Toy):
    def vector(self, agent: str) -> npt.NDArray[np.float32]:
        return super().vector(agent) + np.float32(100 * (self.tick == 9))


class NotANumberReward(Toy):
    def step(self, actions: Values) -> Step:
        observations, rewards, *rest = super().step(actions)
        return observations, {**rewards, "ann": float("nan")}, *rest


class RandomAfterStepOne(Toy):
    def _blow(self) -> None:
        super()._blow()
        if self.tick > 1:
            self.wind = random.random()  # noqa: S311


class RandomReset(Toy):
    def reset(
        self, seed: int | None = None, options: Values | None = None
    ) -> tuple[Values, Values]:
        super().reset(seed)
        self.place["bob"] = random.randrange(WIDTH)  # noqa: S311
        return self._observe(self.agents)


class OneArrayForEver(Toy):
    def vector(self, agent: str) -> npt.NDArray[np.float32]:
        held: dict[str, npt.NDArray[np.float32]] = self.__dict__.setdefault("held", {})
        array = held.setdefault(agent, np.zeros(4, dtype=np.float32))
        array[:] = super().vector(agent)
        return array


class TakesTheActions(Toy):
    def step(self, actions: Values) -> Step:
        result = super().step(actions)
        actions.pop("bob", None)
        return result


# More ways to be wrong.


class WideNumbers(Toy):
    def vector(self, agent: str) -> Any:
        return super().vector(agent).astype(np.float64)


class TextTooLong(Toy):
    def text(self, agent: str) -> str:
        return super().text(agent) + " and so on" * 9 * (self.tick == 7)


class StrangeLetters(Toy):
    def text(self, agent: str) -> str:
        return super().text(agent).replace("nobody", "NOBODY")


class NumpyReward(Toy):
    def step(self, actions: Values) -> Step:
        observations, rewards, *rest = super().step(actions)
        return observations, {a: np.float64(r) for a, r in rewards.items()}, *rest


class NumpyFlags(Toy):
    def step(self, actions: Values) -> Step:
        *rest, truncations, infos = super().step(actions)
        return *rest, {a: np.bool_(t) for a, t in truncations.items()}, infos


class ForgetsTheLeaver(Toy):
    def step(self, actions: Values) -> Step:
        return tuple(
            {a: part[a] for a in part if a in self.agents or len(self.agents) < 2}
            for part in super().step(actions)
        )


class CommonInfos(Toy):
    def step(self, actions: Values) -> Step:
        *rest, infos = super().step(actions)
        return *rest, {**infos, "common": {}}


class RevivesTheDead(Toy):
    def step(self, actions: Values) -> Step:
        result = super().step(actions)
        if len(self.agents) == 2 and self.tick % 5 == 0:
            self.agents = list(self.possible_agents)
        return result


class ShrinksAgentsInPlace(Toy):
    def step(self, actions: Values) -> Step:
        held = self.agents
        result = super().step(actions)
        held[:] = self.agents
        return result


class FreshSpaces(Toy):
    def action_space(self, agent: str) -> Space:
        return spaces.Discrete(4)


class SpacesAfterReset(Toy):
    def observation_space(self, agent: str) -> Any:
        return self._observation if self.agents else None


class ReturnsItsState(Toy):
    """Writing into what it returned moves its people."""

    def reset(
        self, seed: int | None = None, options: Values | None = None
    ) -> tuple[Values, Values]:
        self.weather = np.zeros(4, dtype=np.float32)
        return super().reset(seed, options)

    def vector(self, agent: str) -> npt.NDArray[np.float32]:
        if agent != "ann":
            return super().vector(agent)
        self.weather = self.weather + np.float32(0.01)
        return self.weather


class SharedRows(Toy):
    """Everybody's mask is one array."""

    def mask(self, agent: str) -> npt.NDArray[np.int8]:
        if agent != "cy":
            self.common = super().mask("ann") & super().mask("bob")
            self.common[IDLE] = 1
        return super().mask(agent) if agent == "cy" else self.ann_mask()

    def ann_mask(self) -> npt.NDArray[np.int8]:
        held: npt.NDArray[np.int8] = self.__dict__.setdefault("held", self.common)
        return held


class SharedBetweenEnvs(Toy):
    gusts: ClassVar[list[int]] = []

    def _blow(self) -> None:
        super()._blow()
        self.gusts.append(1)
        self.wind = len(self.gusts) % 7 / 7


class OrderDecides(Toy):
    def step(self, actions: Values) -> Step:
        self.first = next(iter(actions), "")
        return super().step(actions)

    def text(self, agent: str) -> str:
        return super().text(agent) + (" you won." if getattr(self, "first", "") == agent else "")


class DeadHandsMove(Toy):
    def _blow(self) -> None:
        super()._blow()
        self.wind = (self.wind + self.__dict__.get("hands", 0)) % 1

    def step(self, actions: Values) -> Step:
        self.hands = 0.1 * len(actions)
        return super().step(actions)


class KeepsTheActions(Toy):
    """Holds on to the caller's dict and reads it at the next step."""

    def step(self, actions: Values) -> Step:
        last, self.last = self.__dict__.get("last", {}), actions
        self.idle_before = not last
        return super().step(actions)

    def text(self, agent: str) -> str:
        return super().text(agent) + (" again." if not self.__dict__.get("idle_before") else "")


class LastEpisodeLingers(Toy):
    def reset(
        self, seed: int | None = None, options: Values | None = None
    ) -> tuple[Values, Values]:
        kept = self.__dict__.get("place")
        super().reset(seed, options)
        self.place["bob"] = min(kept["bob"], 4) if kept else 3
        return self._observe(self.agents)


class MasksPromiseTooMuch(Toy):
    def _observe(self, live: list[str]) -> tuple[Values, Values]:
        observations, infos = super()._observe(live)
        for held in observations.values():
            held["action_mask"][:] = 1
        return observations, infos


class MasksForbidTooMuch(Toy):
    def _observe(self, live: list[str]) -> tuple[Values, Values]:
        observations, infos = super()._observe(live)
        for held in observations.values():
            held["action_mask"][LEFT:RIGHT] = 0
        return observations, infos


class DiesOfAWrongAction(Toy):
    def _act(self, agent: str, action: Any) -> bool:
        return super()._act(agent, int(action))


class DiesOfAMissingAction(Toy):
    def step(self, actions: Values) -> Step:
        return super().step({a: actions[a] for a in self.agents})


class WrongActionsWalk(Toy):
    def _act(self, agent: str, action: object) -> bool:
        return super()._act(agent, LEFT if isinstance(action, str) else action)


class ForgetsWhenCopied(Toy):
    def __getstate__(self) -> Values:
        return {**self.__dict__, "tick": 0}


class CopiesHoldHands(Toy):
    def __deepcopy__(self, memo: dict[int, Any]) -> Toy:
        twin = type(self)()
        twin.__dict__.update(self.__dict__)
        return twin


class CannotBePickled(Toy):
    def reset(
        self, seed: int | None = None, options: Values | None = None
    ) -> tuple[Values, Values]:
        self.stream = lambda: 0
        return super().reset(seed, options)


class SeesThroughWalls(Toy):
    def vector(self, agent: str) -> npt.NDArray[np.float32]:
        array = super().vector(agent)
        array[1] = sum(self.place.values()) % WIDTH
        return array


class ClosesOnce(Toy):
    def close(self) -> None:
        del self._seed


MUTANTS: list[tuple[type[Toy], str]] = [
    (OutsideItsSpace, "step 9 of episode 0.*outside its space"),
    (NotANumberReward, "reward of 'ann' is nan"),
    (RandomAfterStepOne, "step 2 of episode 0.*two envs with the same seed and actions differ"),
    (RandomReset, "two envs with the same seed and actions differ|same episode"),
    (OneArrayForEver, "was changed by"),
    (TakesTheActions, "step 1 .*changed the caller's actions"),
    (WideNumbers, "dtype float64"),
    (TextTooLong, "step 7 .*outside its space"),
    (StrangeLetters, r"outside its space: \['text'\]"),
    (NumpyReward, "float64"),
    (NumpyFlags, "not a bool"),
    (ForgetsTheLeaver, "the live agents were"),
    (CommonInfos, "infos has keys"),
    (RevivesTheDead, "in agents again|agents is"),
    (ShrinksAgentsInPlace, "in place"),
    (FreshSpaces, "new object at each call"),
    (SpacesAfterReset, "not a Space"),
    (ReturnsItsState, "differ at observations"),
    (SharedRows, "writeable memory is shared"),
    (SharedBetweenEnvs, "differ"),
    (OrderDecides, "differ at observations"),
    (DeadHandsMove, "differ at observations|nobody had acted"),
    (KeepsTheActions, "differ at observations"),
    (LastEpisodeLingers, "does not give the same episode|differ at observations"),
    (MasksPromiseTooMuch, "its mask allowed"),
    (MasksForbidTooMuch, "masked out; infos says it is legal"),
    (DiesOfAWrongAction, "raised"),
    (DiesOfAMissingAction, "raised KeyError"),
    (WrongActionsWalk, "not as if nobody had acted"),
    (ForgetsWhenCopied, "does not go on like the original"),
    (CopiesHoldHands, "deep copy in mid-episode"),
    (CannotBePickled, "cannot be pickled"),
    (SeesThroughWalls, "notices what it cannot perceive"),
    (ClosesOnce, "close called twice"),
]


def test_an_env_that_keeps_the_contract_passes() -> None:
    for seed in range(20):
        check_env(Toy, steps=100, seed=seed, disturb=disturb)


@pytest.mark.parametrize(("mutant", "says"), MUTANTS, ids=[m.__name__ for m, _ in MUTANTS])
def test_a_broken_env_is_caught(mutant: Callable[[], Toy], says: str) -> None:
    with pytest.raises(EnvContractError, match=says):
        check_env(mutant, disturb=disturb)
