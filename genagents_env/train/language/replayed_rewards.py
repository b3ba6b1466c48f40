"""What everybody earned in a recorded run: its rewards, computed again by replaying it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from genagents_env.llm.event_loop import run_sync
from genagents_env.policy import AgentID
from genagents_env.record import RunReader
from genagents_env.run.replay import RunReplay, open_replay
from genagents_env.run.spec import RunOptions
from genagents_env.run.trajectory import StepResult


@dataclass(frozen=True)
class ReplayedRewards:
    """What each agent had earned by the end of each tick, the first being 0; nobody earns before.

    Attributes:
        earned: by agent.
        success: whether the task was done at the end.
    """

    earned: Mapping[AgentID, Sequence[float]]
    success: bool


def replay_rewards(run: RunReader, options: RunOptions) -> ReplayedRewards:
    """Return the rewards of a recorded run.

    A run file holds none, since they follow from all that it holds: the run is lived again with
    its stored calls and compared with its record; no model is asked, and nothing is written.

    Raises:
        DivergenceError: policy, prompts or package have changed since the run.
        PolicyError: a policy given by path was not trusted.
    """
    meta = run.meta
    earned: dict[AgentID, list[float]] = {agent: [0.0] for agent in meta.names}
    if meta.scenario.reward.name == "none" or run.last_tick < 1:
        ticks = max(0, run.last_tick)
        return ReplayedRewards({agent: [0.0] * (ticks + 1) for agent in meta.names}, False)

    def note(actions: Mapping[AgentID, object], step: StepResult) -> None:
        for agent, sums in earned.items():
            sums.append(sums[-1] + step[1].get(agent, 0.0))

    async def replay_all(replay: RunReplay) -> bool:
        async with replay.open_at(run.last_tick, note):
            return replay.env.parts.reward.is_done()

    with open_replay(run, options) as replay:
        return ReplayedRewards(earned, run_sync(replay_all(replay)))
