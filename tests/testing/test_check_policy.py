"""check_policy passes policies that keep the contract and names what others break."""

from collections.abc import Mapping
from typing import Any, ClassVar

import pytest

from genagents_env.actions import Action, Idle, Move, Talk
from genagents_env.policy import Context, Observations, Policy, Profile, load_policy
from genagents_env.rng import draw_index
from genagents_env.testing import PolicyFault, check_policy


class Wanderer(Policy):
    """Walks somewhere at random and counts its steps."""

    name: ClassVar[str] = "wanderer"

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        self.seed, self.count = seed, 0

    def act(self, observations: Observations, infos: Any) -> dict[str, Action]:
        self.count += 1
        return {agent: self.decide(agent, infos[agent]["percept"]) for agent in observations}

    def decide(self, agent: str, percept: Any) -> Action:
        place = percept.known[draw_index(self.seed, len(percept.known), self.count, agent)]
        return Move(place)

    def state(self) -> dict[str, Any]:
        return {"count": self.count}

    def load_state(self, state: Mapping[str, Any]) -> None:
        self.count = state["count"]


class ForgetsItsState(Wanderer):
    def state(self) -> dict[str, Any]:
        return {}

    def load_state(self, state: Mapping[str, Any]) -> None:
        return


class KeepsATuple(Wanderer):
    def state(self) -> dict[str, Any]:
        return {"count": self.count, "pair": (1, 2)}


class KeepsAnObject(Wanderer):
    def state(self) -> dict[str, Any]:
        return {"count": self.count, "last": Idle()}


class RemembersAcrossInstances(Wanderer):
    seen: ClassVar[list[int]] = []

    def decide(self, agent: str, percept: Any) -> Action:
        self.seen.append(1)
        return Talk(None, f"I spoke {len(self.seen)} times")


class SpeaksForOthers(Wanderer):
    def act(self, observations: Observations, infos: Any) -> dict[str, Action]:
        return {**super().act(observations, infos), "Nobody": Idle()}


class ChoosesNumbers(Wanderer):
    def decide(self, agent: str, percept: Any) -> Any:
        return 3


class ReturnsAList(Wanderer):
    def act(self, observations: Observations, infos: Any) -> Any:
        return [Idle()]


class WritesIntoObservations(Wanderer):
    def act(self, observations: Observations, infos: Any) -> dict[str, Action]:
        for held in observations.values():
            held["observation"][0] = 0.5
        return {}


class EmptiesInfos(Wanderer):
    def act(self, observations: Observations, infos: Any) -> dict[str, Action]:
        actions = super().act(observations, infos)
        for info in infos.values():
            info.pop("action_mask")
        return actions


def test_a_policy_that_keeps_the_contract_passes() -> None:
    for seed in range(5):
        check_policy(Wanderer, steps=70, seed=seed)


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
    ],
)
def test_a_broken_policy_is_caught(broken: type[Policy], says: str) -> None:
    with pytest.raises(PolicyFault, match=says):
        check_policy(broken)
