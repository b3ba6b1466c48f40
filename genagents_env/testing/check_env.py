"""`check_env`: what PettingZoo's own tests do not ask of a ParallelEnv."""

import copy
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from genagents_env.testing.compare import to_plain
from genagents_env.testing.contract import (
    EnvContractError,
    StepResult,
    check_reset,
    check_same,
    check_spaces,
    check_step,
)
from genagents_env.testing.env_pair import EnvPair
from genagents_env.testing.leaks import CAUSES, Disturb, advance, check_leaks
from genagents_env.testing.legal import Env, legal_mask

__all__ = ["EnvContractError", "check_env"]

_SHORT = 12
NOBODY = "nobody of this town"
WRONG: tuple[tuple[str, Any], ...] = (
    ("None", None),
    ("a string", "nonsense"),
    ("a negative number", -1),
    ("a huge number", 10**9),
    ("a fraction", 0.5),
    ("NaN", float("nan")),
    ("an object", object()),
    ("a list", [1, 2]),
    ("an empty dict", {}),
    ("a dict of other keys", {"verb": "fly"}),
    ("a dict with a huge choice", {"choice": 10**9, "message": "hello"}),
    ("a dict of None", {"choice": None, "message": 5}),
    ("an array of three", np.arange(3)),
    ("a NaN scalar", np.float32("nan")),
    ("bytes", b"0"),
)


def check_env(
    make_env: Callable[[], Env],
    *,
    steps: int = 500,
    seed: int = 0,
    disturb: Disturb | None = None,
) -> None:
    """Check that an env keeps the contract; return quietly if it does.

    Two envs take `steps` steps side by side from a reset, with random legal actions; at every
    step it checks that observations are in their spaces (dtype included), that the five dicts
    have the keys of the live agents, rewards are finite floats and flags bools; that nothing
    returned earlier changes or shares memory, and writing into it changes nothing; that the
    two envs return the same bytes, whatever the order of the action dict; that actions are not
    changed, and that what a mask allows is executed. Then: a reset in mid-episode starts the same
    episode again; a deep copy and a pickle continue like the original; `step` takes missing, wrong,
    forbidden and unknown actions as idle; what an agent cannot perceive does not reach it;
    `close` can be called twice.

    Args:
        make_env: returns a new env, the same at each call.
        steps: steps of the paired run, over as many episodes as that takes; at least 1.
        seed: of the first reset and of the actions.
        disturb: changes something in the env that the agent does not perceive and returns
            whether it found anything; without it, our own env has an unseen person and unseen
            things changed, and what others want and know.

    Raises:
        EnvContractError: in one sentence, what is wrong and at which step.
    """
    check_spaces(make_env())
    _check_reproducible(make_env, steps, seed)
    _check_copies(make_env, seed)
    _check_wrong_actions(make_env, seed)
    check_leaks(make_env, seed, disturb)
    _check_close(make_env, seed)


def _check_reproducible(make_env: Callable[[], Env], steps: int, seed: int) -> None:
    pair = EnvPair(make_env, seed)
    one = pair.one
    before = {a: (one.observation_space(a), one.action_space(a)) for a in one.possible_agents}
    for _ in range(steps):
        if pair.episode < 0 or not one.agents:
            pair.reset()
        pair.step()
    for agent, (observing, acted) in before.items():
        if one.observation_space(agent) is not observing or one.action_space(agent) is not acted:
            raise EnvContractError(f"the spaces of {agent!r} are other objects after {steps} steps")
    pair.replay()
    one.close()
    pair.two.close()


def _check_copies(make_env: Callable[[], Env], seed: int) -> None:
    env = make_env()
    rng = np.random.default_rng(seed)
    at = advance(env, check_reset(env, seed), rng, _SHORT // 3)
    copies = {"deep copy": copy.deepcopy(env), "pickled copy": _pickle_and_load(env)}
    traces = {name: _trace(twin, at, seed) for name, twin in copies.items()}
    original = _trace(env, at, seed)
    for name, trace in traces.items():
        problem = f"a {name} in mid-episode does not go on like the original:"
        check_same(original, trace, problem)


def _pickle_and_load(env: Env) -> Env:
    try:
        twin: Env = pickle.loads(pickle.dumps(env))  # noqa: S301 (bytes made on this line)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise EnvContractError(f"the env cannot be pickled in mid-episode: {error}") from error
    return twin


def _trace(env: Env, at: StepResult, seed: int) -> object:
    trace: list[object] = []
    rng = np.random.default_rng(seed)
    for _ in range(_SHORT):
        at = advance(env, at, rng, 1)
        trace.append([to_plain(at), list(env.agents)])
    return trace


def _check_close(make_env: Callable[[], Env], seed: int) -> None:
    for when in ("before reset", "after reset"):
        env = make_env()
        if when == "after reset":
            env.reset(seed=seed)
        try:
            env.close()
            env.close()
        except Exception as error:
            raise EnvContractError(f"close called twice {when} raised {error!r}") from error


def _check_wrong_actions(make_env: Callable[[], Env], seed: int) -> None:
    """Give one agent a wrong action, beside an env where nobody acts.

    Nothing may differ but what that agent perceives of its act.
    """
    idle, wrong = make_env(), make_env()
    for k in range(len(WRONG) + 2):
        for env in (idle, wrong):
            rng = np.random.default_rng(seed + k)
            at = advance(env, check_reset(env, seed + k), rng, 1 + k % 4)
        if not idle.agents:
            continue
        agent = idle.agents[k % len(idle.agents)]
        if k < len(WRONG):
            name, action = WRONG[k]
            _compare(idle, wrong, agent, action, name)
        elif k == len(WRONG):
            _compare(idle, wrong, NOBODY, 0, "an action")
        else:
            _check_masked_out(idle, wrong, agent, at)


def _check_masked_out(idle: Env, wrong: Env, agent: str, at: StepResult) -> None:
    mask = legal_mask(at.observations[agent], at.infos[agent])
    out = [] if mask is None else np.flatnonzero(mask == 0).tolist()
    if not out:
        return
    structured = isinstance(wrong.action_space(agent), spaces.Dict)
    action = {"choice": out[0], "message": ""} if structured else out[0]
    fresh = copy.deepcopy(wrong)
    got = _step_safely(fresh, {agent: action}, f"step with {action!r}, masked out, for {agent!r}")
    if got.infos[agent].get("illegal", 1) != 1:
        raise EnvContractError(
            f"{agent!r} chose {action!r}, which was masked out; infos says it is legal"
        )
    _compare(idle, wrong, agent, action, f"the masked-out choice {out[0]}")


def _compare(idle: Env, wrong: Env, agent: str, action: object, name: str) -> None:
    """Step both, then both once more with nothing, and compare."""
    when = f"step({{}}) with {name} for {agent!r}"
    expected = _step_safely(idle, {}, "step({})")
    got = _step_safely(wrong, {agent: action}, when)
    _check_apart(expected, got, agent, when)
    if idle.agents:
        after = _step_safely(wrong, {}, f"step({{}}) after {when}")
        _check_apart(_step_safely(idle, {}, "step({})"), after, NOBODY, when)


def _step_safely(env: Env, actions: dict[str, Any], when: str) -> StepResult:
    try:
        return check_step(env, actions, (), when)
    except EnvContractError:
        raise
    except Exception as error:
        raise EnvContractError(f"{when} raised {type(error).__name__}: {error}") from error


def _check_apart(expected: StepResult, got: StepResult, agent: str, when: str) -> None:
    """Compare all but what `agent` itself perceives of its own action."""

    def rest(of: StepResult) -> object:
        own: dict[str, Mapping[str, object]] = {"observations": of.observations, "infos": of.infos}
        others = {n: {k: v for k, v in part.items() if k != agent} for n, part in own.items()}
        return to_plain({**of._asdict(), **others}, skip=CAUSES)

    check_same(rest(expected), rest(got), f"{when} is not as if nobody had acted:")
