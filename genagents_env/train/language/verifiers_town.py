"""A verifiers (v1) environment: episodes of a town, with each learner as an agent.

Needs verifiers, which nothing else here imports. `examples/verifiers_town` makes it a package that
verifiers finds by name.
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Literal

import verifiers.v1 as vf
from pydantic import Field

from genagents_env.policy import AgentID
from genagents_env.train.language.seeds import list_seeds
from genagents_env.train.language.shared_session import SharedSession
from genagents_env.train.language.towns import open_town, play_town, solve_town
from genagents_env.train.language.turn import LearnerPrompt

ROLES = 8  # learners at most, each a role of its own
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


class VerifiersTownConfig(vf.EnvConfig):
    """Learners, and the policy of everybody else. `resident_k` is the k-th agent of the town."""

    resident_0: vf.AgentConfig = _CHAT
    resident_1: vf.AgentConfig = _CHAT
    resident_2: vf.AgentConfig = _CHAT
    resident_3: vf.AgentConfig = _CHAT
    resident_4: vf.AgentConfig = _CHAT
    resident_5: vf.AgentConfig = _CHAT
    resident_6: vf.AgentConfig = _CHAT
    resident_7: vf.AgentConfig = _CHAT
    learners: list[int] | None = None
    """Agents with a role, by place; None is everybody, up to eight."""
    trainable: list[int] | None = None
    """Learners whose traces are training data; None is all."""
    others: str | None = None
    """The policy of everybody else; None is `scripted`, in a task `solution`."""
    mind: str = "direct"
    """The policy in whose form learners are asked."""
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
            max_ticks=config.max_ticks,
        )
        try:
            await session.begin(data.seed)
            places = session.env.possible_agents
            async with asyncio.TaskGroup() as players:
                for agent in session.learners:
                    role = getattr(agents, f"resident_{places.index(agent)}")
                    players.create_task(_play(session, agent, role, data))
        finally:
            await session.close()


async def _play(session: SharedSession, agent: AgentID, role: vf.Agent, data: TownTaskData) -> None:
    first = await session.ask(agent)
    system = None if first is None else first.system
    own = TownTask(data.model_copy(update={"system_prompt": system}))
    async with role.interaction(own) as interaction:

        async def answer(prompt: LearnerPrompt) -> str | None:
            segment = await interaction.turn(prompt.user)
            return None if segment.terminated else segment.last_reply  # out of turns or tokens

        stopped = await session.play(agent, answer)
        trace = interaction.trace
        trace.record_metric("success", float(session.is_successful))
        trace.record_metric("unusable", float(session.count_unusable(agent)))
        trace.record_metric("illegal", float(session.count_illegal(agent)))
        turns = session.transcript(agent)
        trace.info["town"] = {
            "town": data.town,
            "seed": data.seed,
            "agent": agent,
            "return": session.returns[agent],
            "rewards": [turn.reward for turn in turns],
            "rewards_to_go": [turn.reward_to_go for turn in turns],
            "stopped": stopped,
        }


def _choose(learners: Sequence[int] | None, town: str) -> list[int]:
    count = len(open_town(town).possible_agents)
    chosen = list(range(min(count, ROLES))) if learners is None else list(learners)
    wrong = [k for k in chosen if not 0 <= k < min(count, ROLES)]
    if wrong or not chosen:
        raise ValueError(f"learners: {wrong or 'nobody'}; this town has 0 to {count - 1}")
    return chosen
