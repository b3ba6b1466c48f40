"""check_policy passes policies that keep the contract and names what others break."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

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
from genagents_env.run.policies import load_policy
from genagents_env.testing import PolicyContractError, check_policy
from genagents_env.town_v0 import parallel_env


class Word(BaseModel):
    word: str


class Wanderer(Policy):
    """Walks somewhere at random and counts its steps."""

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


class ForgetsItsState(Wanderer):
    def state(self) -> dict[str, object]:
        return {}

    def load_state(self, state: State) -> None:
        return


class KeepsATuple(Wanderer):
    def state(self) -> dict[str, object]:
        return {"count": self.count, "pair": (1, 2)}


class KeepsAnObject(Wanderer):
    def state(self) -> dict[str, object]:
        return {"count": self.count, "last": Idle()}


class RemembersAcrossInstances(Wanderer):
    seen: ClassVar[list[int]] = []

    def decide(self, agent: str, percept: Percept) -> Action:
        self.seen.append(1)
        return Talk(None, f"I spoke {len(self.seen)} times")


class SpeaksForOthers(Wanderer):
    def act(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        return {**super().act(observations, infos), "Nobody": Idle()}


class ChoosesNumbers(Wanderer):
    def decide(self, agent: str, percept: Percept) -> Any:
        return 3


class ReturnsAList(Wanderer):
    def act(self, observations: Observations, infos: Infos) -> Any:
        return [Idle()]


class WritesIntoObservations(Wanderer):
    def act(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        for held in observations.values():
            held["observation"][0] = 0.5
        return {}


class EmptiesInfos(Wanderer):
    def act(self, observations: Observations, infos: Any) -> dict[str, Action]:
        actions = super().act(observations, infos)
        for info in infos.values():
            info.pop("action_mask")
        return actions


class Tells(Wanderer):
    """Counts its steps when asked."""

    remembers: ClassVar[bool] = True

    def interview(self, agent: str, questions: Sequence[str], repeat: int = 0) -> list[Answer]:
        return [Answer(f"I took {self.count} steps", (0,)) for _ in questions]


class TellsLater(Tells):
    async def interview_async(
        self, agent: str, questions: Sequence[str], repeat: int = 0
    ) -> list[Answer]:
        return super().interview(agent, questions, repeat)


class RemembersBeingAsked(Tells):
    def interview(self, agent: str, questions: Sequence[str], repeat: int = 0) -> list[Answer]:
        self.count += 1
        return super().interview(agent, questions, repeat)


class DrawsWhenAsked(Tells):
    """Keeps what it was asked out of its state, and acts on it."""

    asked = 0

    def interview(self, agent: str, questions: Sequence[str], repeat: int = 0) -> list[Answer]:
        self.asked += 1
        return super().interview(agent, questions, repeat)

    def decide(self, agent: str, percept: Percept) -> Action:
        return Talk(None, f"I was asked {self.asked} times")


class AnswersOnce(Tells):
    def interview(self, agent: str, questions: Sequence[str], repeat: int = 0) -> list[Answer]:
        return super().interview(agent, questions[:1], repeat)


class AnswersInWords(Tells):
    def interview(self, agent: str, questions: Sequence[str], repeat: int = 0) -> Any:
        return ["yes"] * len(questions)


class TellsOnce(Wanderer):
    """Knows nothing of repeats."""

    remembers: ClassVar[bool] = True

    def interview(self, agent: str, questions: Sequence[str]) -> Any:  # type: ignore[override]
        return [Answer("so") for _ in questions]


class Recalls(Tells):
    def memories(self, agent: str) -> Any:
        return [RecalledMemory("I began.", (0,)), RecalledMemory("I am Ada.")]


class RecallsInWords(Tells):
    def memories(self, agent: str) -> Any:
        return ["I began."]


class RecallsOneWord(Tells):
    def memories(self, agent: str) -> Any:
        return "so"


class RecallsNumbers(Tells):
    def memories(self, agent: str) -> Any:
        return (RecalledMemory(7),)  # type: ignore[arg-type]


class RecallsTheFuture(Tells):
    def memories(self, agent: str) -> Any:
        return (RecalledMemory("so it will be", (10**6,)),)


class ForgetsByRecalling(Tells):
    def memories(self, agent: str) -> Any:
        self.count -= 1
        return ()


class KnowsTheFuture(Tells):
    def interview(self, agent: str, questions: Sequence[str], repeat: int = 0) -> list[Answer]:
        return [Answer("so it will be", (10**6,)) for _ in questions]


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


class AsksTheSameAgain(AsksWhenAsked):
    def first(self, repeat: int) -> int:
        return 0


class AsksAsSomethingElse(AsksWhenAsked):
    purpose = "interviews"


class AsksTooLate(AsksWhenAsked):
    late = 1


def model() -> ModelClient:
    return ModelClient(ScriptedEndpoint(), run_seed=0)


def test_calls_of_an_interview_have_a_purpose_and_moment_of_their_own() -> None:
    check_policy(AsksWhenAsked, make_model=model)
    for broken in (AsksAsSomethingElse, AsksTooLate):
        with pytest.raises(
            PolicyContractError, match=r"interview at tick 0 made the call .* its tick"
        ):
            check_policy(broken, make_model=model)
    with pytest.raises(
        PolicyContractError, match=r"interview 1 .* number must be from 1000 to 1999"
    ):
        check_policy(AsksTheSameAgain, make_model=model)


class Thinker(Wanderer):
    """Goes where a model says."""

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


class ThinkerInSecret(Thinker):
    needs_model = False


def test_a_policy_that_asks_a_model_has_a_scripted_one() -> None:
    check_policy(Thinker)


def test_a_policy_that_asks_undeclared_is_refused_with_what_to_set() -> None:
    with pytest.raises(PolicyContractError, match=r"asks context\.model, .* needs_model"):
        check_policy(ThinkerInSecret)


def test_an_episode_of_a_policy_that_asks_needs_a_model() -> None:
    with pytest.raises(PolicyError, match="policy 'thinker' asks a language model; give `model`"):
        rollout(parallel_env(), Thinker(), max_ticks=1)


def test_a_policy_that_keeps_the_contract_passes() -> None:
    for seed in range(5):
        check_policy(Wanderer, steps=70, seed=seed)


@pytest.mark.parametrize("telling", [Tells, TellsLater, Recalls])
def test_a_policy_that_can_be_interviewed_passes(telling: type[Policy]) -> None:
    check_policy(telling)


@pytest.mark.parametrize("name", ["idle", "random", "scripted"])
def test_the_shipped_policies_without_a_model_pass(name: str) -> None:
    check_policy(lambda: load_policy(name))


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (ForgetsItsState, "after load_state decides otherwise at tick 20"),
        (KeepsATuple, "does not survive JSON"),
        (KeepsAnObject, "is not JSON"),
        (RemembersAcrossInstances, "a second run with the same seed decides otherwise at tick 0"),
        (SpeaksForOthers, "whom it was not given"),
        (ChoosesNumbers, "neither an Action nor in"),
        (ReturnsAList, "not a dict"),
        (WritesIntoObservations, "changed the observations"),
        (EmptiesInfos, "changed the observations or infos"),
        (RemembersBeingAsked, "interview at tick 0 changed the state, at .*count"),
        (DrawsWhenAsked, "a second run with the same seed decides otherwise at tick 0"),
        (AnswersOnce, "not a list of 3 answers"),
        (AnswersInWords, "'yes' is not an Answer"),
        (KnowsTheFuture, "no events that happened"),
        (TellsOnce, "at tick 0: TellsOnce.interview.* takes 3 positional arguments"),
        (RecallsInWords, "memories of 'Ada Brook' at tick 0: 'I began.' is not a RecalledMemory"),
        (RecallsOneWord, "'so' is not a list of memories"),
        (RecallsNumbers, "is not a RecalledMemory with a text"),
        (RecallsTheFuture, "no events that happened"),
        (ForgetsByRecalling, "changed the state, at .*count"),
    ],
)
def test_a_broken_policy_is_caught(broken: type[Policy], says: str) -> None:
    with pytest.raises(PolicyContractError, match=says):
        check_policy(broken)
