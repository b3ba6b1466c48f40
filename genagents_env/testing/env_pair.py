"""Two envs stepped side by side with the same seed and actions, one read early, the other late."""

import copy
from collections.abc import Callable

import numpy as np

from genagents_env.testing.compare import find_shared_memory, overwrite, to_plain
from genagents_env.testing.contract import (
    EnvContractError,
    StepResult,
    check_reset,
    check_same,
    check_step,
)
from genagents_env.testing.legal import Env, Mask, legal_mask, sample_legal

REPLAYED = 25  # steps of the first episode that are repeated


class EnvPair:
    """Env `one` is checked at every call; env `two` gets careless callers and must not differ.

    What `two` returns is overwritten at once, its percepts are read only after the next call, its
    actions come in reverse order, with one for everybody who has ended, and are emptied later.
    """

    def __init__(self, make_env: Callable[[], Env], seed: int) -> None:
        self.one, self.two = make_env(), make_env()
        self.seed = seed
        self.episode = -1
        self.tick = 0
        self._rng = np.random.default_rng(seed)
        self._first: list[tuple[dict[str, object], object]] = []
        self._ended: set[str] = set()
        self._returned = StepResult({}, {}, {}, {}, {})
        self._before: tuple[str, StepResult, object] | None = None
        self._late: tuple[str, list[object], list[object]] | None = None
        self._acted: tuple[dict[str, object], object] | None = None

    def reset(self) -> None:
        """Begin the next episode of both."""
        self.episode += 1
        self.tick = 0
        self._ended = set()
        seed = self.seed + self.episode
        returned = check_reset(self.one, seed)
        observations, infos = self.two.reset(seed=seed, options=None)
        other = StepResult(observations, {}, {}, {}, infos)
        self._compare(f"reset(seed={seed})", returned, other)
        if self.episode == 0:
            self._first.append(({}, to_plain(returned)))

    def step(self) -> None:
        """Step both once, with legal actions."""
        self.tick += 1
        when = f"step {self.tick} of episode {self.episode} (seed {self.seed + self.episode})"
        before = self._returned
        masks = {agent: _copy_mask(before, agent) for agent in before.observations}
        actions = sample_legal(self.one, before.observations, before.infos, self._rng)
        rude = self._make_rude(actions)
        plain = to_plain(actions)
        live = list(self.one.agents)
        returned = check_step(self.one, actions, self._ended, when)
        self._check_actions(actions, plain, when)
        other = StepResult(*self.two.step(rude))
        overwrite(rude)
        self._compare(when, returned, other)
        for agent, info in returned.infos.items():
            if info.get("illegal", 0) and masks.get(agent) is not None:
                raise EnvContractError(
                    f"{when}: {agent!r} chose {actions[agent]!r}, which its mask allowed, "
                    "and infos says it was illegal"
                )
        self._ended |= set(live) - set(self.one.agents)
        if self.episode == 0 and self.tick <= REPLAYED:
            self._first.append((copy.deepcopy(actions), to_plain(returned)))

    def replay(self) -> None:
        """Repeat the beginning in `one`, from a reset in mid-episode.

        Raises:
            EnvContractError: it differs from the first time.
        """
        observations, infos = self.one.reset(seed=self.seed)
        returned = StepResult(observations, {}, {}, {}, infos)
        problem = f"a second reset(seed={self.seed}) does not give the same episode"
        for k, (actions, expected) in enumerate(self._first):
            if k > 0:
                returned = StepResult(*self.one.step(copy.deepcopy(actions)))
            when = f"step {k}" if k else "the reset"
            check_same(expected, to_plain(returned), f"{problem}: {when} differs at")

    def _make_rude(self, actions: dict[str, object]) -> dict[str, object]:
        """Return a copy of `actions` in reverse order, with one for each agent that has ended."""
        some = next(iter(actions.values()), 0)
        gone = {agent: copy.deepcopy(some) for agent in sorted(self._ended)}
        return {**gone, **copy.deepcopy(dict(reversed(actions.items())))}

    def _check_actions(self, actions: dict[str, object], plain: object, when: str) -> None:
        check_same(plain, to_plain(actions), f"{when} changed the caller's actions at")
        if self._acted is not None:
            former, then = self._acted
            check_same(then, to_plain(former), f"{when} changed the actions of the step before at")
        self._acted = (actions, plain)

    def _compare(self, when: str, returned: StepResult, other: StepResult) -> None:
        self._check_alias(when, returned)
        mine: list[object] = []
        theirs: list[object] = []
        check_same(
            to_plain(returned, later=mine),
            to_plain(other, later=theirs),
            f"{when}: two envs with the same seed and actions differ at",
        )
        if self._late is not None:
            name, then, percepts = self._late
            problem = f"{name}: a percept read only after the next call differs at"
            check_same(then, [to_plain(percept) for percept in percepts], problem)
        for part in other:
            overwrite(part)
        self._late = (when, [to_plain(percept) for percept in mine], theirs)
        self._before = (when, returned, to_plain(returned))
        self._returned = returned

    def _check_alias(self, when: str, returned: StepResult) -> None:
        """Check the call before once more: unchanged, and no memory shared with this one."""
        groups = _group(when, returned)
        if self._before is not None:
            name, former, then = self._before
            check_same(then, to_plain(former), f"what {name} returned was changed by {when}, at")
            groups |= _group(name, former)
        shared = find_shared_memory(groups)
        if shared is not None:
            raise EnvContractError(f"writeable memory is shared between {shared}")


def _group(when: str, returned: StepResult) -> dict[object, object]:
    return {
        f"{when}, {agent!r}": (observation, returned.infos[agent])
        for agent, observation in returned.observations.items()
    }


def _copy_mask(returned: StepResult, agent: str) -> Mask | None:
    mask = legal_mask(returned.observations[agent], returned.infos[agent])
    return None if mask is None else mask.copy()
