"""How much is said, how evenly turns are shared, and who talks to whom."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

import networkx as nx
import numpy as np
import numpy.typing as npt

from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.phrases import straighten
from genagents_env.study.evaluate.run_data import RunData

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TalkCounts:
    """Counts over a run.

    `by_phone` and `alone` (nobody heard it) are parts of `utterances`; `unended` are the
    memberships in conversations that the end of the record cut off, which are in no mean length.
    """

    conversations: int
    utterances: int
    by_phone: int
    alone: int
    unended: int


def count_talk(data: RunData) -> TalkCounts:
    """Return the counts, those of strangers to the run with them."""
    said = data.of_kind("say")
    return TalkCounts(
        len({event.data["conversation"] for event in data.of_kind("converse")}),
        len(said),
        sum(bool(event.data["phone"]) for event in said),
        sum(not event.data["heard_by"] for event in said),
        sum(one.end is None for one in data.memberships),
    )


_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def split_words(text: str) -> list[str]:
    """Return the words of `text`, in small letters: runs of letters and digits.

    Apostrophes inside a word belong to it and are made straight.
    """
    return _WORD.findall(straighten(text).casefold())


def count_turns(data: RunData) -> dict[int, Counter[str]]:
    """Return for each conversation in which something was said how often each agent spoke."""
    found: dict[int, Counter[str]] = {}
    for event in data.utterances:
        conversation = event.data["conversation"]
        if conversation is not None and event.agent is not None:
            found.setdefault(conversation, Counter())[event.agent] += 1
    return found


def count_partners(data: RunData) -> Counts:
    """Return who talked to whom: shape (N, N), in the order of the names.

    How many utterances of the row's agent the column's agent heard as one of those addressed, in a
    conversation or out of it.
    """
    counts: Counts = np.zeros((len(data.names), len(data.names)), dtype=np.int64)
    for event in data.utterances:
        speaker = data.row[event.agent or ""]
        for name in event.data["addressed"]:
            hearer = data.row.get(name, speaker)
            if hearer != speaker and name in event.data["heard_by"]:
                counts[speaker, hearer] += 1
    return counts


_OURS = "descriptive; ours"


@measure("Conversations", "per agent and game hour", _OURS)
def conversations(data: RunData) -> float | None:
    """Conversations joined per agent and game hour lived, asleep or awake. None before any time has
    passed.
    """
    return ratio(len(data.memberships), data.agent_hours)


@measure("Utterances", "per agent and game hour", _OURS)
def utterances(data: RunData) -> float | None:
    """Utterances per agent and game hour lived, in conversations or not, heard or not. None before
    any time has passed.
    """
    return ratio(len(data.utterances), data.agent_hours)


@measure("Utterances in a conversation", "utterances", _OURS)
def turns(data: RunData) -> float | None:
    """Utterances per conversation. None where there was no conversation."""
    spoken = sum(event.data["conversation"] is not None for event in data.of_kind("say"))
    return ratio(spoken, len({one.conversation for one in data.memberships}))


@measure("Words in an utterance", "words", _OURS)
def words(data: RunData) -> float | None:
    """The mean number of words of an utterance; a word is a run of letters and digits, apostrophes
    inside it. None where nothing was said.
    """
    said = data.utterances
    return ratio(sum(len(split_words(str(event.data["text"]))) for event in said), len(said))


def list_lengths(data: RunData) -> list[float]:
    """Return the game seconds of each membership in a conversation that ended."""
    ended = ((one, one.end) for one in data.memberships if one.end is not None)
    second = data.meta.seconds_per_tick
    return [float((end - one.first) * second) for one, end in ended if one.agent in data.row]


@measure("Conversation length", "game seconds", "Lyfe Agents (Kaiya et al. 2023), appendix A.1")
def conversation_seconds(data: RunData) -> float | None:
    """The mean time from joining a conversation to leaving it, over all memberships that ended.
    None where none ended.
    """
    seconds = list_lengths(data)
    return fmean(seconds) if seconds else None


@measure("Time in conversations", "share", "ours")
def talking_time(data: RunData) -> float | None:
    """Of the time in which agents were awake, the share in which they were in a conversation. None
    where nobody was awake.
    """
    return ratio((data.waking & data.talking[:, : data.ticks]).sum(), data.waking.sum())


_NETWORK = "Wasserman and Faust 1994, chapters 4 and 13"
_SHANNON = "normalised entropy (Shannon 1948; Pielou 1966)"


@measure("Balance of turns", "0..1", _SHANNON)
def turn_balance(data: RunData) -> float | None:
    """For each conversation the entropy of who speaks, over the logarithm of the number of its
    members: 1 where all speak equally often, 0 where one alone does; the mean over the
    conversations with two members or more in which anything was said. None without one.
    """
    members = Counter(talk for talk, _ in {(m.conversation, m.agent) for m in data.memberships})
    told = (
        compute_evenness(counts.values(), members.get(id_, len(counts)))
        for id_, counts in count_turns(data).items()
    )
    found = [one for one in told if one is not None]
    return fmean(found) if found else None


@measure("Partners", "agents", "degree; " + _NETWORK)
def partners(data: RunData) -> float | None:
    """The mean over all agents of how many others one spoke to who, addressed, heard it, or was
    spoken to by. None for a single agent, and before any time has passed.
    """
    edges = count_partners(data) > 0
    if len(edges) < 2 or not data.ticks:
        return None
    return ratio((edges | edges.T).sum(), len(edges))


@measure("Reciprocity", "share", _NETWORK)
def reciprocity(data: RunData) -> float | None:
    """Of the ordered pairs in which the first spoke to the second, the share in which the second
    also spoke to the first, at any time. None where nobody spoke to anybody.
    """
    edges = count_partners(data) > 0
    return ratio((edges & edges.T).sum(), edges.sum())


@measure("Clustering", "share", "Watts and Strogatz 1998, as networkx computes it")
def clustering(data: RunData) -> float | None:
    """The mean over all agents of the share of the pairs of one's partners who are partners of one
    another, of an agent with fewer than two partners 0. None for fewer than three agents, and
    before any time has passed.
    """
    edges = count_partners(data) > 0
    if len(edges) < 3 or not data.ticks:
        return None
    return float(nx.average_clustering(nx.from_numpy_array(edges | edges.T)))


def compute_evenness(amounts: Iterable[float], of: int) -> float | None:
    """Return the entropy of `amounts` over log(of), in 0..1; None where that has no meaning.

    `of` is their number, or more where some have none; entropy normalised as in Pielou 1966.
    """
    given = np.array([one for one in amounts if one > 0], dtype=np.float64)
    if not given.size or of < 2:
        return None
    shares = given / given.sum()
    entropy = float(-(shares * np.log(shares)).sum())
    return min(1.0, max(0.0, entropy / math.log(max(of, len(given)))))
