"""`check_policy`: whether a policy keeps its contract."""

import copy
import json
from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeAlias, get_args

from genagents_env.actions import Action
from genagents_env.errors import PolicyError
from genagents_env.llm.calls import CallKey
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import NeighbourRule, ScriptedEndpoint
from genagents_env.memory.embed import HashedSource
from genagents_env.memory.embedder import Embedder
from genagents_env.policy import (
    INTERVIEW_CALLS,
    Answer,
    Infos,
    Observations,
    Policy,
    RecalledMemory,
)
from genagents_env.testing.compare import find_difference, to_plain
from genagents_env.town_v0 import parallel_env

MakeModel: TypeAlias = Callable[[], ModelClient]

_QUESTIONS = ("What are you doing today?", "Do you know of {name}?", "Is there any news?")
_REPEATS = 2

__all__ = ["PolicyContractError", "check_policy"]


class PolicyContractError(AssertionError):
    """A policy breaks the contract; the text says where and how, in one sentence."""


def check_policy(
    make_policy: Callable[[], Policy],
    scenario: str = "tiny",
    *,
    steps: int = 40,
    seed: int = 0,
    make_model: MakeModel | None = None,
) -> None:
    """Check that a policy keeps the contract; return quietly if it does.

    It decides for everybody in `scenario` for `steps` steps, twice, once more from a state saved
    half-way, and once for one person alone. Checked: it has a name; only actions of
    `genagents_env.actions` or of the action space, and only for agents it was given; the same
    decisions from the same seed; `state` holds JSON values only, and a fresh policy continues from
    it as the first one did; observations are not changed; interviews, of a policy that `remembers`,
    answer every question from events that happened, change nothing, can be repeated at the same
    moment, and make calls of their own purpose, moment and numbers; its memories are words and
    events that happened; `close` twice.

    Args:
        make_policy: returns a new policy, the same at each call.
        scenario: name or path of a scenario.
        steps: at least 2.
        seed: of the env and the policy.
        make_model: returns a new client of a model that answers the same to the same; a policy
            with `needs_model` has without it a scripted one, with its own `scripted_replies`.

    Raises:
        PolicyContractError: in one sentence, what is wrong and at which tick.
    """
    try:
        _check(lambda alone: _Run(make_policy, scenario, seed, make_model, alone=alone), steps)
    except AttributeError as error:
        if error.obj is None and error.name == "ask":
            raise PolicyContractError(
                "it asks context.model, which is None where no policy says that it asks one; set "
                "needs_model = True"
            ) from error
        raise


class _Run:
    """One policy deciding for everybody in a scenario, or one alone, checked at each step."""

    def __init__(
        self,
        make_policy: Callable[[], Policy],
        scenario: str,
        seed: int,
        make_model: MakeModel | None,
        *,
        alone: bool = False,
    ) -> None:
        self.policy = policy = make_policy()
        named = isinstance(getattr(policy, "name", None), str) and policy.name
        _require(bool(named), f"{type(policy).__name__}.name: text is needed, by which it is known")
        menu = "portable" if policy.needs_portable_menu else "town"
        self.env = parallel_env(scenario=scenario, percepts=True, menu=menu)
        self.seed, self.tick = seed, 0
        self._agents = self.env.possible_agents[: 1 if alone else None]
        self._keep(*self.env.reset(seed=seed))
        self.model = None if make_model is None else make_model()
        if policy.needs_model and make_model is None:
            rule = NeighbourRule([policy.scripted_replies])
            self.model = ModelClient(ScriptedEndpoint(rule), run_seed=seed)
        embedder = Embedder(HashedSource()) if policy.needs_embedder else None
        own = {a: p for a, p in self.env.profiles().items() if a in self._agents}
        policy.reset(own, seed, self.env.context(self.model, embedder))

    def _keep(self, observations: Observations, infos: Infos) -> None:
        """Keep what the policy is given at this moment."""
        self.observations = {a: own for a, own in observations.items() if a in self._agents}
        self.infos = {a: own for a, own in infos.items() if a in self._agents}

    def step(self) -> object:
        """Let the policy act once; return its actions as plain data."""
        when = f"act at tick {self.tick} (seed {self.seed})"
        before = to_plain([self.observations, self.infos])
        actions = self.policy.act(self.observations, self.infos)
        after = to_plain([self.observations, self.infos])
        _check_same(before, after, f"{when} changed the observations or infos it was given, at")
        self._check_actions(actions, when)
        decided = to_plain(actions)
        observations, _, _, _, infos = self.env.step(actions)
        self._keep(observations, infos)
        self.tick += 1
        return decided

    def interview(self) -> None:
        """Ask everybody a few questions, and check that this changes nothing."""
        before = self.copy_state()
        for repeat in range(_REPEATS):
            calls, kept = MemoryCassette(), None
            if self.model is not None:
                kept, self.model.cassette = self.model.cassette, calls
            for agent in self.observations:
                self._ask(agent, repeat)
            if self.model is not None:
                self.model.cassette = kept
            self._check_keys(calls.rows, repeat)
        for agent in self.observations:
            self._check_memories(agent)
        problem = f"interview at tick {self.tick} changed the state, at"
        _check_same(before, self.copy_state(), problem)

    def copy_state(self) -> dict[str, object]:
        """Return the state of the policy, once through JSON."""
        state, when = self.policy.state(), f"state at tick {self.tick}"
        try:
            copied: dict[str, object] = json.loads(json.dumps(state, allow_nan=False))
        except (TypeError, ValueError) as error:
            raise PolicyContractError(f"{when} is not JSON: {error}") from error
        _require(copied == state, f"{when} does not survive JSON (string keys, lists only)")
        return copied

    def move_to(self, other: "_Run") -> "_Run":
        """Return `other`, a fresh run, resumed at this moment from this policy's state."""
        other.policy.load_state(self.copy_state())
        other.env = copy.deepcopy(self.env)
        other.observations, other.infos = copy.deepcopy((self.observations, self.infos))
        other.tick = self.tick
        return other

    def repeat(self, decided: list[object], who: str) -> None:
        """Decide on from here, which has to come out as `decided`."""
        for expected in decided[self.tick :]:
            problem = f"{who} decides otherwise at tick {self.tick}:"
            _check_same(expected, self.step(), problem)

    def _check_actions(self, actions: object, when: str) -> None:
        if not isinstance(actions, dict):
            raise PolicyContractError(
                f"{when} returned a {type(actions).__name__}, not a dict of actions"
            )
        strangers = [agent for agent in actions if agent not in self.observations]
        _require(not strangers, f"{when} acted for {strangers}, whom it was not given")
        for agent, action in actions.items():
            space = self.env.action_space(agent)
            chosen = space.contains(action) or space.contains({"choice": action, "message": ""})
            _require(
                chosen or isinstance(action, get_args(Action)),
                f"{when}: the action of {agent!r} is {action!r}, neither an Action nor in the "
                "action space",
            )

    def _ask(self, agent: str, repeat: int) -> None:
        when = f"interview of {agent!r} at tick {self.tick}"
        questions = [text.format(name=agent) for text in _QUESTIONS]
        asking = self.policy.interview_async
        try:
            answers: object = self.policy._run(asking(agent, questions, repeat))
        except (PolicyError, TypeError) as error:  # a TypeError of one that takes no `repeat`
            raise PolicyContractError(f"{when}: {error}") from error
        count = len(questions)
        if not isinstance(answers, list) or len(answers) != count:
            raise PolicyContractError(f"{when} returned {answers!r}, not a list of {count} answers")
        for answer in answers:
            _require(isinstance(answer, Answer), f"{when}: {answer!r} is not an Answer")
            self._check_events(answer.evidence, f"{when} rests on")

    def _check_keys(self, keys: Iterable[CallKey], repeat: int) -> None:
        numbers = range(repeat * INTERVIEW_CALLS, (repeat + 1) * INTERVIEW_CALLS)
        for key in keys:
            _require(
                key.purpose.split(".")[0] == "interview" and key.tick == self.tick,
                f"interview at tick {self.tick} made the call {key}; its purpose must be "
                "'interview' or begin with 'interview.', its tick that of the moment",
            )
            _require(
                key.number in numbers,
                f"interview {repeat} at tick {self.tick} made the call {key}; its number must be "
                f"from {numbers[0]} to {numbers[-1]}, so that no repeat has it too",
            )

    def _check_memories(self, agent: str) -> None:
        when = f"memories of {agent!r} at tick {self.tick}"
        memories = self.policy.memories(agent)
        is_list = isinstance(memories, list | tuple)
        _require(is_list, f"{when}: {memories!r} is not a list of memories")
        for memory in memories:
            is_worded = isinstance(memory, RecalledMemory) and isinstance(memory.text, str)
            _require(is_worded, f"{when}: {memory!r} is not a RecalledMemory with a text")
            self._check_events(memory.events, f"{when} come from")

    def _check_events(self, ids: Iterable[object], claim: str) -> None:
        last = self.env.world.state.log.next_id
        unknown = [id_ for id_ in ids if not (type(id_) is int and 0 <= id_ < last)]
        _require(not unknown, f"{claim} {unknown}, which are no events that happened")


def _check(make: Callable[[bool], _Run], steps: int) -> None:
    fresh = partial(make, False)
    first = fresh()
    decided: list[object] = []
    resumed: _Run | None = None
    for tick in range(steps):
        if not first.env.agents:
            break
        if tick in (0, steps // 2) and first.policy.remembers:
            first.interview()
        if tick == steps // 2:
            resumed = first.move_to(fresh())
        decided.append(first.step())
    fresh().repeat(decided, "a second run with the same seed")
    if resumed is not None:
        resumed.repeat(decided, "a fresh policy after load_state")
    alone = make(True)
    while alone.observations and alone.tick < steps:
        alone.step()
    for run in (first, resumed, alone):
        if run is not None:
            run.policy.close()
            run.policy.close()


def _require(condition: bool, problem: str) -> None:
    if not condition:
        raise PolicyContractError(problem)


def _check_same(expected: object, got: object, problem: str) -> None:
    why = find_difference(expected, got)
    _require(why is None, f"{problem} {why}")
