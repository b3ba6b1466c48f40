"""check_policy passes policies that keep the contract and names what others break."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import pytest
from pydantic import BaseModel

from genagents_env.actions import Action, Idle, Move, Talk
from genagents_env.errors import PolicyError
from genagents_env.llm.calls import CallKey, Message
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.percept import Percept
from genagents_env.policy import (
    INTERVIEW_CALLS,
    Answer,
    Context,
    Infos,
    Observations,
    Policy,
    Profile,
    RecalledMemory,
    State,
)
from genagents_env.rng import draw_index
from genagents_env.run import rollout
from genagents_env.testing import PolicyContractError, check_policy
from genagents_env.town_v0 import parallel_env

Methods: TypeAlias = dict[str, Any]


class Word(BaseModel):
    word: str


class Wanderer(Policy):
    name: ClassVar[str] = "wanderer"

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        self.seed, self.count = seed, 0

    def act(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        self.count += 1
        return {agent: self.decide(agent, infos[agent]["percept"]) for agent in observations}

    def decide(self, agent: str, percept: Percept) -> Action:
        place = percept.known[draw_index(self.seed, len(percept.known), self.count, agent)]
        return Move(place)

    def state(self) -> dict[str, object]:
        return {"count": self.count}

    def load_state(self, state: State) -> None:
        self.count = state["count"]


class Tells(Wanderer):
    remembers: ClassVar[bool] = True

    def interview(self, agent: str, questions: Sequence[str], repeat: int = 0) -> list[Answer]:
        return [Answer(f"I took {self.count} steps", (0,)) for _ in questions]


class AsksWhenAsked(Tells):
    """Asks a model for its answers, under a key that may be wrong."""

    needs_model: ClassVar[bool] = True
    purpose, late = "interview.own", 0

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        super().reset(profiles, seed, context)
        assert context.model is not None
        self.model: Any = context.model

    async def interview_async(
        self, agent: str, questions: Sequence[str], repeat: int = 0
    ) -> list[Answer]:
        for number, text in enumerate(questions, self.first(repeat)):
            key = CallKey(agent, self.count - self.late, self.purpose, number)
            await self.model.ask(key, [Message("user", text)], Word, fallback=Word(word=""))
        return [Answer("so") for _ in questions]

    def first(self, repeat: int) -> int:
        return repeat * INTERVIEW_CALLS


def model() -> ModelClient:
    return ModelClient(ScriptedEndpoint(), run_seed=0)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"purpose": "interviews"}, "interview at tick 0 made the call .* its tick"),
        ({"late": 1}, "interview at tick 0 made the call .* its tick"),
        ({"first": lambda policy, repeat: 0}, "interview 1 .* number must be from 1000 to 1999"),
    ],
)
def test_calls_of_an_interview_have_a_purpose_and_moment_of_their_own(
    changes: Methods, says: str
) -> None:
    check_policy(AsksWhenAsked, make_model=model)
    with pytest.raises(PolicyContractError, match=says):
        check_policy(type("Broken", (AsksWhenAsked,), changes), make_model=model)


class Thinker(Wanderer):
    name = "thinker"
    needs_model = True

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        super().reset(profiles, seed, context)
        self.model: Any = context.model

    async def act_async(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        actions: dict[str, Action] = {}
        for agent in observations:
            tick = infos[agent]["percept"].tick
            key = CallKey(agent, tick, "go", 0)
            asked = self.model.ask(key, [Message("user", "?")], Word, fallback=Word(word=""))
            actions[agent] = Move((await asked).value.word)
        return actions

    def act(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        return self._run(self.act_async(observations, infos))


def test_a_policy_that_asks_a_model_has_a_scripted_one_where_it_says_so() -> None:
    check_policy(Thinker)
    with pytest.raises(PolicyError, match="policy 'thinker' asks a language model; give `model`"):
        rollout(parallel_env(), Thinker(), max_ticks=1)
    with pytest.raises(PolicyContractError, match=r"asks context\.model, .* needs_model"):
        check_policy(type("InSecret", (Thinker,), {"needs_model": False}))


class Recalls(Tells):
    def memories(self, agent: str) -> list[RecalledMemory]:
        return [RecalledMemory("I began.", (0,)), RecalledMemory("I am Ada.")]


@pytest.mark.parametrize("policy", [Wanderer, Tells, Recalls])
def test_a_policy_that_keeps_the_contract_passes(policy: type[Policy]) -> None:
    check_policy(policy, steps=70, seed=1)


SPOKEN: list[int] = []


def count_speeches(policy: Policy, agent: str, percept: Percept) -> Action:
    SPOKEN.append(1)
    return Talk(None, f"I spoke {len(SPOKEN)} times")


def write_into_observations(policy: Policy, observations: Observations, infos: Infos) -> Methods:
    for held in observations.values():
        held["observation"][0] = 0.5
    return {}


def empty_infos(policy: Policy, observations: Observations, infos: Any) -> Methods:
    for info in infos.values():
        info.pop("action_mask")
    return {}


class CountsQuestions(Tells):
    """Keeps what it was asked out of its state, and acts on it."""

    asked = 0

    def interview(self, agent: str, questions: Sequence[str], repeat: int = 0) -> list[Answer]:
        self.asked += 1
        return super().interview(agent, questions, repeat)

    def decide(self, agent: str, percept: Percept) -> Action:
        return Talk(None, f"I was asked {self.asked} times")


class ChangedByQuestions(Tells):
    def interview(self, agent: str, questions: Sequence[str], repeat: int = 0) -> list[Answer]:
        self.count += 1
        return super().interview(agent, questions, repeat)


class ChangedByRecalling(Tells):
    def memories(self, agent: str) -> list[RecalledMemory]:
        self.count -= 1
        return []


def decide_for_both(policy: Policy, seen: Observations, infos: Infos) -> dict[str, Action]:
    return dict.fromkeys(("Ada Brook", "Ben Carver"), Idle())


SOON = 10**6  # the number of an event that has not happened
FORGETS = {"state": lambda policy: {}, "load_state": lambda policy, state: None}
ACTING: list[tuple[Methods, str]] = [
    (FORGETS, "after load_state decides otherwise at tick 20"),
    ({"state": lambda policy: {"count": policy.count, "pair": (1, 2)}}, "does not survive JSON"),
    ({"state": lambda policy: {"count": policy.count, "last": Idle()}}, "is not JSON"),
    ({"decide": count_speeches}, "a second run with the same seed decides otherwise at tick 0"),
    ({"act": lambda policy, seen, infos: {"Nobody": Idle()}}, "whom it was not given"),
    ({"decide": lambda policy, agent, percept: "3"}, "neither an Action nor in"),
    ({"act": decide_for_both}, "acted for .*, whom it was not given"),
    ({"name": ""}, "Broken.name: text is needed"),
    ({"act": lambda policy, seen, infos: [Idle()]}, "not a dict"),
    ({"act": write_into_observations}, "changed the observations"),
    ({"act": empty_infos}, "changed the observations or infos"),
]
TELLING: list[tuple[Methods, str]] = [
    ({"interview": lambda policy, agent, asked, repeat: [Answer("so")]}, "not a list of 3 answers"),
    (
        {"interview": lambda policy, agent, asked, repeat: ["yes"] * len(asked)},
        "'yes' is not an Answer",
    ),
    (
        {"interview": lambda policy, agent, asked, repeat: [Answer("", (SOON,)) for _ in asked]},
        "no events that happened",
    ),
    ({"interview": lambda policy, agent, asked: []}, "at tick 0: .* takes 3 positional arguments"),
    (
        {"memories": lambda policy, agent: ["I began."]},
        "memories of 'Ada Brook' at tick 0: 'I began.' is not a RecalledMemory",
    ),
    ({"memories": lambda policy, agent: "so"}, "'so' is not a list of memories"),
    (
        {"memories": lambda policy, agent: [RecalledMemory(7)]},  # type: ignore[arg-type]
        "is not a RecalledMemory with a text",
    ),
    (
        {"memories": lambda policy, agent: [RecalledMemory("so", (SOON,))]},
        "no events that happened",
    ),
]


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        *((type("Broken", (Wanderer,), changes), says) for changes, says in ACTING),
        *((type("Broken", (Tells,), changes), says) for changes, says in TELLING),
        (ChangedByQuestions, "interview at tick 0 changed the state, at .*count"),
        (CountsQuestions, "a second run with the same seed decides otherwise at tick 0"),
        (ChangedByRecalling, "changed the state, at .*count"),
    ],
)
def test_a_broken_policy_is_caught(broken: type[Policy], says: str) -> None:
    with pytest.raises(PolicyContractError, match=says):
        check_policy(broken)
