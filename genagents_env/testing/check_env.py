"""`check_env`: what PettingZoo's own tests do not ask of a ParallelEnv."""

import copy
import pickle
from collections.abc import Callable

import numpy as np

from genagents_env.testing.compare import to_plain
from genagents_env.testing.contract import (
    EnvContractError,
    StepResult,
    check_reset,
    check_same,
    check_spaces,
)
from genagents_env.testing.env_pair import EnvPair
from genagents_env.testing.leaks import Disturb, advance, check_leaks
from genagents_env.testing.legal import Env
from genagents_env.testing.wrong_actions import check_wrong_actions

__all__ = ["EnvContractError", "check_env"]

_SHORT = 12


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
    check_wrong_actions(make_env, seed)
    check_leaks(make_env, seed, disturb)
    _check_close(make_env, seed)


def _check_reproducible(make_env: Callable[[], Env], steps: int, seed: int) -> None:
    pair = EnvPair(make_env, seed)
    one = pair.one
    spaces = {a: (one.observation_space(a), one.action_space(a)) for a in one.possible_agents}
    for _ in range(steps):
        if pair.episode < 0 or not one.agents:
            pair.reset()
        pair.step()
    for agent, (seen, acted) in spaces.items():
        if one.observation_space(agent) is not seen or one.action_space(agent) is not acted:
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
