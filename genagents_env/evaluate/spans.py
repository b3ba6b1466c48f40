"""How long conversations last: from joining one to leaving it, for every member.

Lyfe Agents (Kaiya et al. 2023), appendix A.1, gives 70.348 +- 13.189 s (n = 9) for its agents and
23.802 +- 1.463 s (n = 4) for those that choose anew at every step, where the length is the time for
which one goes on choosing to talk. Theirs are seconds of their simulation; ours are of game time.

Here a conversation in which nobody speaks any more lasts until the town's rules end it, and that
silence is part of a member's time. So the time until the last word is told beside it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import fmean, stdev

from genagents_env.evaluate.labels import policy_label
from genagents_env.record import RunReader
from genagents_env.record.rows import JSON
from genagents_env.world.events import Event


@dataclass(frozen=True, slots=True)
class Membership:
    """One agent's time in one conversation.

    Attributes:
        agent: the member.
        conversation: its id in the record.
        first: the tick of joining.
        end: the tick of leaving; None where the record ends before.
        reason: of leaving, as the record has it; None where nobody left.
        last_word: the tick of the last utterance in it while one was a member; None without one.
    """

    agent: str
    conversation: int
    first: int
    end: int | None
    reason: str | None
    last_word: int | None = None


@dataclass(frozen=True, slots=True)
class Lengths:
    """The lengths of the conversations of all agents of one policy.

    Attributes:
        policy: see `policy_label`.
        seconds: of game time, one for each membership that ended, in the order of joining.
        censored: memberships that the end of the record cut off: not among `seconds`.
        spoken: seconds until the last word, for each of `seconds`; 0 where nobody said one.
        silences: how many of `seconds` ended by silence.
    """

    policy: str
    seconds: tuple[float, ...]
    censored: int
    spoken: tuple[float, ...] = ()
    silences: int = 0

    @property
    def count(self) -> int:
        """Memberships that ended."""
        return len(self.seconds)

    @property
    def mean(self) -> float | None:
        """Mean seconds; None where none ended."""
        return fmean(self.seconds) if self.seconds else None

    @property
    def sem(self) -> float | None:
        """Standard error of the mean, each membership taken as independent; None below two."""
        return standard_error(self.seconds)

    @property
    def mean_spoken(self) -> float | None:
        """Mean seconds until the last word; None where no membership ended."""
        return fmean(self.spoken) if self.spoken else None

    @property
    def sem_spoken(self) -> float | None:
        """Standard error of `mean_spoken`; None below two."""
        return standard_error(self.spoken)

    def as_json(self) -> dict[str, JSON]:
        """Return count, mean and standard error as JSON values."""
        return {
            "policy": self.policy,
            "count": self.count,
            "mean_seconds": self.mean,
            "sem_seconds": self.sem,
            "mean_seconds_to_last_word": self.mean_spoken,
            "sem_seconds_to_last_word": self.sem_spoken,
            "ended_by_silence": self.silences,
            "censored": self.censored,
        }


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
        return self.utterances / self.conversations if self.conversations else None

    def as_json(self) -> dict[str, JSON]:
        """Return everything as JSON values."""
        return {
            "lengths": [one.as_json() for one in self.lengths],
            "conversations": self.conversations,
            "utterances": self.utterances,
            "utterances_per_conversation": self.utterances_per_conversation,
        }


def memberships(events: Iterable[Event]) -> tuple[Membership, ...]:
    """Return everyone's time in every conversation, in the order of joining."""
    found: list[Membership] = []
    inside: dict[tuple[str, int], int] = {}  # who is in which conversation: the place in `found`
    for event in events:
        if event.agent is None or event.kind not in ("converse", "leave", "say"):
            continue
        conversation = event.data["conversation"]
        key = event.agent, conversation
        if event.kind == "converse":
            inside[key] = len(found)
            found.append(Membership(event.agent, conversation, event.tick, None, None))
        elif event.kind == "say":
            for at in [at for (_, there), at in inside.items() if there == conversation]:
                found[at] = replace(found[at], last_word=event.tick)
        elif key in inside:
            at = inside.pop(key)
            found[at] = replace(found[at], end=event.tick, reason=str(event.data["reason"]))
    return tuple(found)


def spans(run: RunReader) -> Spans:
    """Return the conversation lengths of `run` as far as it is recorded."""
    events = [event for event in run.events() if event.kind in ("converse", "leave", "say")]
    times = memberships(events)
    by_agent = {agent: policy_label(spec) for agent, spec in run.meta.policies.items()}
    second = run.meta.seconds_per_tick
    return Spans(
        tuple(
            _lengths(policy, [one for one in times if by_agent.get(one.agent) == policy], second)
            for policy in sorted(set(by_agent.values()))
        ),
        len({one.conversation for one in times}),
        sum(e.kind == "say" and e.data["conversation"] is not None for e in events),
    )


def pooled(several: Iterable[Spans]) -> tuple[Lengths, ...]:
    """Return the lengths of several runs as if they were one, by policy."""
    found = [one for spans in several for one in spans.lengths]
    return tuple(
        _pooled(policy, [one for one in found if one.policy == policy])
        for policy in sorted({one.policy for one in found})
    )


def standard_error(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation over the root of the number; None below two values."""
    return stdev(values) / sqrt(len(values)) if len(values) > 1 else None


def _lengths(policy: str, times: Sequence[Membership], second: int) -> Lengths:
    ended = [one for one in times if one.end is not None]
    return Lengths(
        policy,
        tuple(float((one.end or 0) - one.first) * second for one in ended),
        len(times) - len(ended),
        tuple(float((one.last_word or one.first) - one.first) * second for one in ended),
        sum(one.reason == "silence" for one in ended),
    )


def _pooled(policy: str, several: Sequence[Lengths]) -> Lengths:
    return Lengths(
        policy,
        tuple(seconds for one in several for seconds in one.seconds),
        sum(one.censored for one in several),
        tuple(seconds for one in several for seconds in one.spoken),
        sum(one.silences for one in several),
    )
