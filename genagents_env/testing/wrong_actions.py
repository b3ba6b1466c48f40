"""Wrong actions: after each the env must be as if that agent had idled."""

import copy
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
    check_step,
)
from genagents_env.testing.leaks import CAUSES, advance
from genagents_env.testing.legal import Env, legal_mask

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


def check_wrong_actions(make_env: Callable[[], Env], seed: int) -> None:
    """Give one agent a wrong action, beside an env where nobody acts.

    Raises:
        EnvContractError: `step` raised, or more differs than what that agent perceives of its act.
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
