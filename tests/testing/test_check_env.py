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
from genagents_env.testing.compare import find_difference, find_shared_memory, overwrite, to_plain
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


class OneArrayForEver(Toy):
    def vector(self, agent: str) -> npt.NDArray[np.float32]:
        held: dict[str, npt.NDArray[np.float32]] = self.__dict__.setdefault("held", {})
        array = held.setdefault(agent, np.zeros(4, dtype=np.float32))
        array[:] = super().vector(agent)
        return array


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


class ReturnsItsState(Toy):
    """Writing into what it returned moves its people."""

    def reset(self, *given: Any, **more: Any) -> tuple[Values, Values]:
        self.weather = np.zeros(4, dtype=np.float32)
        return super().reset(*given, **more)

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


class ShrinksAgentsInPlace(Toy):
    def step(self, actions: Values) -> Step:
        held = self.agents
        result = super().step(actions)
        held[:] = self.agents
        return result


class CopiesHoldHands(Toy):
    def __deepcopy__(self, memo: dict[int, Any]) -> Toy:
        twin = type(self)()
        twin.__dict__.update(self.__dict__)
        return twin


def after_step(change: Callable[[Any, list[Any]], Any]) -> Values:
    """Return a `step` after which a function changes the five dicts."""

    def step(toy: Toy, actions: Values) -> Step:
        five = list(Toy.step(toy, actions))
        change(toy, five)
        return tuple(five)

    return {"step": step}


def after_observing(change: Callable[[Toy, Values], object]) -> Values:
    """Return what changes the observations that were made."""

    def observe(toy: Toy, live: list[str]) -> tuple[Values, Values]:
        observations, infos = Toy._observe(toy, live)
        for held in observations.values():
            change(toy, held)
        return observations, infos

    return {"_observe": observe}


def take_actions(toy: Toy, actions: Values) -> Step:
    result = Toy.step(toy, actions)
    actions.pop("bob", None)
    return result


def blow_at_random(toy: Toy) -> None:
    Toy._blow(toy)
    toy.wind = random.random() if toy.tick > 1 else toy.wind  # noqa: S311


def linger(toy: Toy, seed: int | None = None, options: Values | None = None) -> Any:
    """Begin where Bob was at the end of the last episode."""
    kept = toy.__dict__.get("place")
    Toy.reset(toy, seed)
    toy.place["bob"] = min(kept["bob"], 4) if kept else 3
    return toy._observe(toy.agents)


def forget_the_leaver(toy: Toy, five: list[Any]) -> None:
    if len(toy.agents) > 1:
        five[:] = ({agent: part[agent] for agent in toy.agents} for part in five)


def revive_the_dead(toy: Toy, five: list[Any]) -> None:
    if len(toy.agents) == 2 and toy.tick % 5 == 0:
        toy.agents = list(toy.possible_agents)


def favour_the_first(toy: Toy, actions: Values) -> Step:
    result = Toy.step(toy, actions)
    for held in (result[0][agent] for agent in [*actions][:1] if agent in result[0]):
        held["text"] += " you won."
    return result


def begin_with_a_function(toy: Any, seed: int | None = None, options: Values | None = None) -> Any:
    toy.stream = lambda: 0
    return Toy.reset(toy, seed)


def see_through_walls(toy: Toy, agent: str) -> npt.NDArray[np.float32]:
    array = Toy.vector(toy, agent)
    array[1] = sum(toy.place.values()) % WIDTH
    return array


# What is changed in the env, and what is said of it.
BROKEN: dict[str, tuple[Values, str]] = {
    "outside its space": (
        {"vector": lambda toy, agent: Toy.vector(toy, agent) + np.float32(100 * (toy.tick == 9))},
        "step 9 of episode 0.*outside its space",
    ),
    "wide numbers": (
        {"vector": lambda toy, agent: Toy.vector(toy, agent).astype(np.float64)},
        "dtype float64",
    ),
    "strange letters": (
        after_observing(lambda toy, held: held.update(text="NOBODY")),
        r"outside its space: \['text'\]",
    ),
    "reward of no number": (
        after_step(lambda toy, five: five[1].update(ann=float("nan"))),
        "reward of 'ann' is nan",
    ),
    "flag of another type": (
        after_step(lambda toy, five: five[3].update({a: np.bool_(t) for a, t in five[3].items()})),
        "not a bool",
    ),
    "infos of nobody": (
        after_step(lambda toy, five: five[4].update(common={})),
        "infos has keys",
    ),
    "the leaver forgotten": (after_step(forget_the_leaver), "the live agents were"),
    "the dead revived": (after_step(revive_the_dead), "in agents again|agents is"),
    "randomness": (
        {"_blow": blow_at_random},
        "step 2 of episode 0.*two envs with the same seed and actions differ",
    ),
    "a reset that remembers": ({"reset": linger}, "does not give the same episode"),
    "actions taken away": ({"step": take_actions}, "step 1 .*changed the caller's actions"),
    "fresh spaces": ({"action_space": lambda toy, agent: spaces.Discrete(4)}, "new object at each"),
    "spaces after a reset": (
        {"observation_space": lambda toy, agent: toy._observation if toy.agents else None},
        "not a Space",
    ),
    "masks that promise too much": (
        after_observing(lambda toy, held: held["action_mask"].fill(1)),
        "its mask allowed",
    ),
    "masks that forbid too much": (
        after_observing(lambda toy, held: held["action_mask"][LEFT:RIGHT].fill(0)),
        "masked out; infos says it is legal",
    ),
    "the first in the dict wins": ({"step": favour_the_first}, "differ at observations"),
    "death of a wrong action": (
        {"_act": lambda toy, agent, action: Toy._act(toy, agent, int(action))},
        "raised",
    ),
    "death of a missing action": (
        {"step": lambda toy, actions: Toy.step(toy, {a: actions[a] for a in toy.agents})},
        "raised KeyError",
    ),
    "wrong actions that walk": (
        {"_act": lambda toy, agent, a: Toy._act(toy, agent, LEFT if isinstance(a, str) else a)},
        "not as if nobody had acted",
    ),
    "a copy that forgets": (
        {"__getstate__": lambda toy: {**toy.__dict__, "tick": 0}},
        "does not go on like the original",
    ),
    "what cannot be pickled": ({"reset": begin_with_a_function}, "cannot be pickled"),
    "sight through walls": ({"vector": see_through_walls}, "notices what it cannot perceive"),
    "a second close": ({"close": lambda toy: toy.__dict__.pop("_seed")}, "close called twice"),
}


def break_toy(name: str, changes: Values) -> type[Toy]:
    """Return a toy with these changes, which can be pickled by its name."""
    globals()[name] = type(name, (Toy,), {**changes, "__module__": __name__})
    made: type[Toy] = globals()[name]
    return made


MUTANTS: list[tuple[type[Toy], str]] = [
    *((break_toy(name, changes), says) for name, (changes, says) in BROKEN.items()),
    (OneArrayForEver, "was changed by"),
    (ShrinksAgentsInPlace, "in place"),
    (ReturnsItsState, "differ at observations"),
    (SharedRows, "writeable memory is shared"),
    (DeadHandsMove, "differ at observations|nobody had acted"),
    (KeepsTheActions, "differ at observations"),
    (CopiesHoldHands, "deep copy in mid-episode"),
]


def test_an_env_that_keeps_the_contract_passes() -> None:
    for seed in range(5):
        check_env(Toy, steps=100, seed=seed, disturb=disturb)


@pytest.mark.parametrize(("mutant", "says"), MUTANTS, ids=[m.__name__ for m, _ in MUTANTS])
def test_a_broken_env_is_caught(mutant: Callable[[], Toy], says: str) -> None:
    with pytest.raises(EnvContractError, match=says):
        check_env(mutant, disturb=disturb)


def same(one: object, two: object) -> bool:
    return find_difference(to_plain(one), to_plain(two)) is None


def test_equal_only_with_the_same_type_dtype_and_bytes() -> None:
    assert same({"a": np.zeros(3), "b": [1, "x", None]}, {"b": [1, "x", None], "a": np.zeros(3)})
    assert not same(1, True)
    assert not same(1, 1.0)
    assert not same(0.0, -0.0)
    assert not same(np.zeros(3), np.zeros(3, dtype=np.float32))
    assert not same(np.zeros(3), np.zeros((3, 1)))
    assert same(float("nan"), float("nan"))


def test_a_difference_is_named_by_its_path() -> None:
    why = find_difference(to_plain({"a": [0, {"b": 1}]}), to_plain({"a": [0, {"b": 2}]}))
    assert why == "['a'][1]['b']: 1 against 2"
    assert (
        find_difference(to_plain({"a": 1}), to_plain({})) == "the value has keys ['a'] against []"
    )


def test_views_of_one_writeable_array_share_memory_and_rows_do_not() -> None:
    base = np.zeros((4, 8))
    assert find_shared_memory({"one": base[0], "two": base[1]}) is None
    assert find_shared_memory({"one": base[:2], "two": base[1]}) is not None
    assert find_shared_memory({"one": base[:, ::2], "two": base[:, 1::2]}) is None
    assert find_shared_memory({"one": [base[0], base[0]]}) is None
    base.flags.writeable = False
    assert find_shared_memory({"one": base, "two": base}) is None


def test_scribbling_spares_what_is_read_only() -> None:
    kept = np.zeros(2)
    kept.flags.writeable = False
    gone = np.zeros(2, dtype=np.int8)
    held = {"a": {"kept": kept, "gone": gone}}
    overwrite(held)
    assert held == {}
    assert kept.tolist() == [0, 0]
    assert gone.tolist() == [97, 97]
