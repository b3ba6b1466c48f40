"""Recorded runs as chats to learn from: a row for each decision, with what it earned."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from genagents_env.errors import ConfigError
from genagents_env.files import find_inside, guard_files, replace_file
from genagents_env.llm.calls import Message
from genagents_env.policy import AgentID
from genagents_env.record import RunReader
from genagents_env.record.rows import CallRow, encode
from genagents_env.run.spec import RunOptions
from genagents_env.train.language.replayed_rewards import ReplayedRewards, replay_rewards
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
        best: of the episodes of a scenario and an agent only so many, those of the highest return.
        success: only episodes in which the task was done.
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
    """Return for each agent of a run that asked a model its decisions, in order.

    Interviews are none. Several calls of one tick share what follows it: the last of them has the
    reward, all have the same reward-to-go.
    """
    with RunReader(path) as run:
        calls: dict[AgentID, list[tuple[CallRow, list[Message]]]] = defaultdict(list)
        for call, messages in run.prompts():
            if call.purpose.split(".")[0] != _INTERVIEW:
                calls[call.agent].append((call, messages))
        if not calls:
            return []
        rewards = replay_rewards(run, options)
        return [list(_list_turns(run, a, calls[a], rewards)) for a in run.meta.names if a in calls]


def _list_turns(
    run: RunReader,
    agent: AgentID,
    calls: Sequence[tuple[CallRow, list[Message]]],
    rewards: ReplayedRewards,
) -> Iterator[ChatTurn]:
    meta, earned = run.meta, rewards.earned[agent]
    last = len(earned) - 1
    moments = [min(max(call.tick, 0), last) for call, _ in calls]
    for (call, messages), now, then in zip(calls, moments, (*moments[1:], last), strict=True):
        yield ChatTurn(
            scenario=meta.scenario.name,
            seed=meta.seed,
            agent=agent,
            policy=str(meta.policies[agent]["name"]),
            model=call.model,
            purpose=call.purpose,
            tick=call.tick,
            prompt=tuple(messages),
            reply=call.reply,
            reward=earned[then] - earned[now],
            reward_to_go=earned[last] - earned[now],
            fallback=call.outcome == "fallback",
            episode_return=earned[last],
            success=rewards.success,
            run=run.path.name,
        )


def _choose_best(episodes: Sequence[Sequence[ChatTurn]], best: int | None) -> Iterable[ChatTurn]:
    """Yield the turns of the episodes that are kept, in the order in which they were given."""
    rank: dict[tuple[str, AgentID], list[int]] = defaultdict(list)
    for at, turns in enumerate(episodes):
        rank[turns[0].scenario, turns[0].agent].append(at)
    kept = {
        at
        for group in rank.values()
        for at in sorted(group, key=lambda at: -episodes[at][0].episode_return)[:best]
    }
    return (turn for at, turns in enumerate(episodes) if at in kept for turn in turns)
