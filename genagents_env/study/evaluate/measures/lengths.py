"""How long conversations last: from joining one to leaving it, for every member.

Lyfe Agents (Kaiya et al. 2023), appendix A.1, gives 70.348 +- 13.189 s (n = 9) for its agents and
23.802 +- 1.463 s (n = 4) for those that choose anew at every step, where the length is the time for
which one keeps choosing to talk. Theirs are seconds of their simulation; ours are of game time.
"""

from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from genagents_env.record.rows import JSON
from genagents_env.study.evaluate.labels import format_policy
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.results import as_json
from genagents_env.study.evaluate.run_data import RunData, once_per_run


@dataclass(frozen=True, slots=True)
class Lengths:
    """The lengths of the conversations of all agents of one policy.

    Attributes:
        policy: its label, see `study.evaluate.labels.format_policy`.
        seconds: of game time, one for each membership that ended, in the order of joining.
        censored: memberships that the end of the record cut off: not among `seconds`.
    """

    policy: str
    seconds: tuple[float, ...]
    censored: int

    @property
    def count(self) -> int:
        """Memberships that ended."""
        return len(self.seconds)

    @property
    def mean_seconds(self) -> float | None:
        """None where none ended."""
        return fmean(self.seconds) if self.seconds else None

    @property
    def sem_seconds(self) -> float | None:
        """Standard error of the mean, each membership taken as independent; None below two."""
        return stdev(self.seconds) / sqrt(self.count) if self.count > 1 else None


@dataclass(frozen=True, slots=True)
class Spans:
    """Conversation length by policy, and how much was said in conversations.

    Attributes:
        lengths: by policy, sorted by it; one for each policy that has an agent.
        conversations: how many there were.
        utterances: said in them; what is said to nobody in particular is none.
    """

    lengths: tuple[Lengths, ...]
    conversations: int
    utterances: int

    @property
    def utterances_per_conversation(self) -> float | None:
        """None where there was no conversation."""
        return ratio(self.utterances, self.conversations)

    def as_json(self) -> dict[str, JSON]:
        """Return everything as JSON values."""
        return as_json(self) | {"lengths": [as_json(one, "seconds") for one in self.lengths]}


@once_per_run
def compute_spans(data: RunData) -> Spans:
    """Return the conversation lengths of a run as far as it is recorded."""
    by_agent = {agent: format_policy(spec) for agent, spec in data.meta.policies.items()}
    lengths: list[Lengths] = []
    for policy in sorted(set(by_agent.values())):
        mine = [one for one in data.memberships if by_agent.get(one.agent) == policy]
        ticks = [one.end - one.first for one in mine if one.end is not None]
        seconds = tuple(float(n * data.meta.seconds_per_tick) for n in ticks)
        lengths.append(Lengths(policy, seconds, len(mine) - len(ticks)))
    return Spans(
        tuple(lengths),
        len({one.conversation for one in data.memberships}),
        sum(event.data["conversation"] is not None for event in data.of_kind("say")),
    )


_LYFE = "Lyfe Agents (Kaiya et al. 2023), appendix A.1"


@measure("Conversation length", "game seconds", _LYFE)
def conversation_seconds(data: RunData) -> float | None:
    """The mean time from joining a conversation to leaving it, over all memberships that ended.
    None where none ended.
    """
    seconds = [second for one in compute_spans(data).lengths for second in one.seconds]
    return fmean(seconds) if seconds else None


@measure("Time in conversations", "share", "ours")
def talking_time(data: RunData) -> float | None:
    """Of the time in which agents were awake, the share in which they were in a conversation. None
    where nobody was awake.
    """
    return ratio((data.waking & data.talking[:, : data.ticks]).sum(), data.waking.sum())
