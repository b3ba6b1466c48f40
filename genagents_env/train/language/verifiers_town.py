"""A verifiers (v1) environment: episodes of a town, with each learner as an agent.

Needs verifiers, which nothing else here imports. `examples/verifiers_town` makes it a package that
verifiers finds by name.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any, Literal

import verifiers.v1 as vf
from pydantic import Field, create_model

from genagents_env.llm.calls import Message
from genagents_env.policy import AgentID
from genagents_env.train.language.seeds import list_seeds
from genagents_env.train.language.shared_session import SharedSession
from genagents_env.train.language.towns import open_town, play_town, solve_town
from genagents_env.train.language.turn import LearnerPrompt

ROLES = 25  # learners at most, each a role of its own
_CHAT = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class TownTaskData(vf.TaskData):
    """One episode: a town and its seed."""

    town: str = "tiny"
    seed: int = 0


class TownTask(vf.Task[TownTaskData]):
    """An episode, or the part of one agent in it, whose reward is what it earned in the town."""

    @vf.reward
    async def town(self, trace: vf.Trace) -> float:
        """Return the return of the agent of the trace; 0 before anybody has acted."""
        return float(trace.info.get("town", {}).get("return", 0.0))

    async def validate(self, runtime: object) -> bool:
        """Return True if the task's own policy earns more than idling does."""
        town, seed = self.data.town, self.data.seed
        earned = [
            sum((await asyncio.to_thread(play_town, town, policy, seed)).values())
            for policy in (solve_town(town), "idle")
        ]
        return earned[0] > earned[1]


class TownTasksetConfig(vf.TasksetConfig):
    """A town, and a split of its episodes."""

    town: str = "tiny"
    """A scenario or a task."""
    split: Literal["training", "held_out"] = "training"
    """Episodes to learn from, or those kept for measuring."""


class TownTaskset(vf.Taskset[TownTask, TownTasksetConfig]):
    """The episodes of a town, by seed."""

    def load(self) -> Iterator[TownTask]:
        """Yield an episode for each seed."""
        for index, seed in enumerate(list_seeds(self.config.split)):
            data = TownTaskData(
                idx=index, name=f"{self.config.town}#{seed}", town=self.config.town, seed=seed
            )
            yield TownTask(data, self.config.task)


_roles: dict[str, Any] = {f"resident_{k}": (vf.AgentConfig, _CHAT) for k in range(ROLES)}
_Roles: Any = create_model("_Roles", __base__=vf.EnvConfig, **_roles)


class VerifiersTownConfig(_Roles):
    """Learners, and the policy of everybody else. `resident_k` is the k-th agent of the town."""

    learners: list[int] | None = None
    """Agents with a role, by place; None is everybody."""
    trainable: list[int] | None = None
    """Learners whose traces are training data; None is all."""
    others: str | None = None
    """The policy of everybody else; None is `scripted`, in a task `solution`."""
    model: str | None = None
    """The model of everybody else, where that policy asks one."""
    mind: str = "direct"
    """The policy in whose form learners are asked."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Of that policy: with the same it is deployed by `--policy-config`."""
    response_format: bool = True
    """Whether requests ask for replies by their schema; not where a trainer's server cannot."""
    max_ticks: int | None = Field(None, ge=1)


class VerifiersTown(vf.Env[VerifiersTownConfig]):
    """All learners share one town, with one interaction and one trace each."""

    async def setup(self, agents: vf.Agents) -> None:
        """Set whose traces are training data."""
        trainable = self.config.trainable
        for k in range(ROLES):
            getattr(agents, f"resident_{k}").trainable = trainable is None or k in trainable

    async def run(self, task: TownTask, agents: vf.Agents) -> None:
        """Play the episode; each agent's return is the reward of its trace."""
        config, data = self.config, task.data
        session = SharedSession(
            data.town,
            _choose(config.learners, data.town),
            config.others,
            mind=config.mind,
            options=config.options,
            model=config.model,
            max_ticks=config.max_ticks,
        )
        try:
            await session.begin(data.seed)
            places = session.env.possible_agents
            async with asyncio.TaskGroup() as players:
                for agent in session.learners:
                    role = getattr(agents, f"resident_{places.index(agent)}")
                    chat = _Chat(role, data, by_schema=config.response_format)
                    players.create_task(_play(session, agent, chat))
        finally:
            await session.close()


class _Chat:
    """The chat of one agent: every request is, message by message, the prompt of its mind.

    A trace is a chat that only grows. Where the mind has cut its chat, or shows no earlier turns,
    another trace begins.
    """

    def __init__(self, role: vf.Agent, data: TownTaskData, *, by_schema: bool) -> None:
        self._role, self._data, self._by_schema = role, data, by_schema
        self._said: tuple[Message, ...] = ()
        self._open: vf.Interaction | None = None
        self.traces: list[vf.Trace] = []
        self.stack = AsyncExitStack()

    async def answer(self, prompt: LearnerPrompt) -> str | None:
        """Return the reply to a prompt; None if the agent is out of turns or tokens."""
        if self._by_schema and prompt.schema is not None:
            asked = {"response_format": prompt.response_format}
            sampling = self._role.ctx.sampling.model_copy(update=asked)
            self._role.ctx = replace(self._role.ctx, sampling=sampling)
        if self._open is not None and prompt.messages[:-1] == self._said:
            segment = await self._open.turn(prompt.user)
        else:
            segment = await self._begin(prompt.messages)
        if segment.terminated:
            return None
        reply: str = segment.last_reply
        self._said = (*prompt.messages, Message("assistant", reply))
        return reply

    async def _begin(self, messages: Sequence[Message]) -> vf.Segment:
        """Begin a trace with the prompt as it is, and return the reply to it."""
        system = messages[0].content if messages[0].role == "system" else None
        rest = messages if system is None else messages[1:]
        own = TownTask(self._data.model_copy(update={"system_prompt": system}))
        opened = await self.stack.enter_async_context(self._role.interaction(own))
        self._open = opened
        self.traces.append(opened.trace)
        return await opened.turn([{"role": m.role, "content": m.content} for m in rest])


async def _play(session: SharedSession, agent: AgentID, chat: _Chat) -> None:
    async with chat.stack:
        stopped = await session.play(agent, chat.answer)
        turns = session.transcript(agent)
        told = {
            "town": session.env.world.scenario.name,
            "seed": session.seed,
            "agent": agent,
            "return": session.returns[agent],
            "rewards": [turn.reward for turn in turns],
            "rewards_to_go": [turn.reward_to_go for turn in turns],
            "stopped": stopped,
        }
        for trace in chat.traces:
            trace.record_metric("success", float(session.is_successful))
            trace.record_metric("unusable", float(session.count_unusable(agent)))
            trace.record_metric("illegal", float(session.count_illegal(agent)))
            trace.info["town"] = told


def _choose(learners: Sequence[int] | None, town: str) -> list[int]:
    count = min(ROLES, len(open_town(town).possible_agents))
    chosen = list(range(count)) if learners is None else list(learners)
    wrong = [k for k in chosen if not 0 <= k < count]
    if wrong or not chosen:
        raise ValueError(f"learners: {wrong or 'nobody'}; this town has 0 to {count - 1}")
    return chosen
