"""Recorded runs as chats to learn from: a row for each decision, with what it earned."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from genagents_env.errors import ConfigError
from genagents_env.files import find_inside, guard_files, replace_file
from genagents_env.llm.calls import Message
from genagents_env.llm.event_loop import run_sync
from genagents_env.policy import AgentID
from genagents_env.record import RunReader
from genagents_env.record.rows import CallRow, encode
from genagents_env.run.replay import RunReplay, open_replay
from genagents_env.run.spec import RunOptions
from genagents_env.run.trajectory import StepResult
from genagents_env.train.language.turn import ChatTurn

_INTERVIEW = "interview"  # the first word of the purpose of calls that decide nothing


def export_chats(
    runs: Sequence[Path],
    folder: Path,
    *,
    best: int | None = None,
    success: bool = False,
    options: RunOptions | None = None,
) -> Path:
    """Write `chat.jsonl`: the decisions of recorded runs, by run, agent and tick.

    Args:
        runs: the run files.
        folder: made where it is missing; the file is replaced only once its successor is complete.
        best: keep so many episodes of a scenario and an agent, those of the highest return.
        success: keep only episodes in which the task was done.
        options: whether the policies of the runs are trusted.

    Raises:
        ConfigError: `best` is not at least 1.
        DivergenceError: policy, prompts or package have changed since a run.
        FileError: the folder cannot be written.
        RecordError: a run file is damaged.
    """
    if best is not None and best < 1:
        raise ConfigError(f"best: {best} is not allowed; at least 1")
    with guard_files(folder):
        folder.mkdir(parents=True, exist_ok=True)
    episodes = [e for run in runs for e in read_episodes(run, options or RunOptions())]
    if success:
        episodes = [turns for turns in episodes if turns[0].success]
    with replace_file(find_inside(folder, "chat.jsonl")) as file:
        for turn in _choose_best(episodes, best):
            file.write(f"{encode(turn.to_json())}\n".encode("ascii"))
    return folder / "chat.jsonl"


def read_episodes(path: Path, options: RunOptions) -> list[list[ChatTurn]]:
    """Return the decisions of each agent that asked a model, in order, without interviews.

    Of several calls of one tick the last has the reward; all have the same reward-to-go.
    """
    with RunReader(path) as run:
        calls: dict[AgentID, list[tuple[CallRow, list[Message]]]] = defaultdict(list)
        for call, messages in run.prompts():
            if call.purpose.split(".")[0] != _INTERVIEW:
                calls[call.agent].append((call, messages))
        if not calls:
            return []
        sums, success = _replay_rewards(run, options)
        return [
            list(_list_turns(run, agent, calls[agent], sums[agent], success=success))
            for agent in run.meta.names
            if agent in calls
        ]


def _list_turns(
    run: RunReader,
    agent: AgentID,
    calls: Sequence[tuple[CallRow, list[Message]]],
    earned: Sequence[float],
    *,
    success: bool,
) -> Iterator[ChatTurn]:
    meta, last = run.meta, len(earned) - 1
    moments = [min(max(call.tick, 0), last) for call, _ in calls]
    for (call, messages), now, then in zip(calls, moments, (*moments[1:], last), strict=True):
        yield ChatTurn(
            scenario=meta.scenario.name,
            seed=meta.seed,
            agent=agent,
            policy=meta.find_policy(agent, call.tick),
            model=call.model,
            purpose=call.purpose,
            tick=call.tick,
            prompt=tuple(messages),
            reply=call.reply,
            reward=earned[then] - earned[now],
            reward_to_go=earned[last] - earned[now],
            fallback=call.outcome == "fallback",
            episode_return=earned[last],
            success=success,
            run=run.path.name,
        )


def _choose_best(episodes: Sequence[Sequence[ChatTurn]], best: int | None) -> Iterable[ChatTurn]:
    """Yield the turns of the best episodes, in the order given."""
    rank: dict[tuple[str, AgentID], list[int]] = defaultdict(list)
    for at, turns in enumerate(episodes):
        rank[turns[0].scenario, turns[0].agent].append(at)
    kept = {
        at
        for group in rank.values()
        for at in sorted(group, key=lambda at: -episodes[at][0].episode_return)[:best]
    }
    return (turn for at, turns in enumerate(episodes) if at in kept for turn in turns)


def _replay_rewards(
    run: RunReader, options: RunOptions
) -> tuple[Mapping[AgentID, Sequence[float]], bool]:
    """Replay a recorded run for the rewards, which its file does not hold.

    No model is asked, and nothing is written. Returned are the return of each agent up to each
    tick, from tick 0, and whether the task was done.

    Raises:
        DivergenceError: policy, prompts or package have changed since the run.
        PolicyError: a policy given by path was not trusted.
    """
    meta = run.meta
    earned: dict[AgentID, list[float]] = {agent: [0.0] for agent in meta.names}
    if meta.scenario.reward.name == "none" or run.last_tick < 1:
        ticks = max(0, run.last_tick)
        return {agent: [0.0] * (ticks + 1) for agent in meta.names}, False

    def note(actions: Mapping[AgentID, object], step: StepResult) -> None:
        for agent, sums in earned.items():
            sums.append(sums[-1] + step[1].get(agent, 0.0))

    async def replay_all(replay: RunReplay) -> bool:
        async with replay.open_at(run.last_tick, note):
            return replay.env.parts.reward.is_achieved()

    with open_replay(run, options) as replay:
        return earned, run_sync(replay_all(replay))
