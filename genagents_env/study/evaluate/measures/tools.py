"""Tools: how often replies choose none, and what that leads to, in runs of minds that act by tools.

A turn is a reply in which an agent was to choose a tool, as the notes of its mind tell. Source of
tools, strikes and exchanges: the SimuVerse project update of October 2024.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from genagents_env.record.notes import parse_turn
from genagents_env.record.rows import JSON
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.measures.talk import count_turns
from genagents_env.study.evaluate.run_data import RunData, once_per_run

_SIMUVERSE = "ours; of the SimuVerse project update, October 2024"


@dataclass(frozen=True, slots=True)
class ToolUse:
    """What came of the replies in which a tool was to be chosen.

    Attributes:
        replies: their number.
        strikes: of them, those without a tool.
        in_vain: those that named what the town does not have or allow.
        resets: how often two strikes sent an agent back to its start.
        interpreted: those that a model interpreted.
        disagreements: of these, those in which the grammar reads another act.
        faults: replies of which the interpreting model made nothing, which are none of `replies`.
    """

    replies: int
    strikes: int
    in_vain: int
    resets: int
    interpreted: int
    disagreements: int
    faults: int


@once_per_run
def count_tool_use(data: RunData) -> ToolUse:
    """Return the counts of a run; all are 0 where no mind acts by tools."""
    turns = list_turns(data)
    replies = [turn for turn in turns if turn.get("kind") != "fault"]
    kinds = Counter(turn.get("kind") for turn in replies)
    agreed = Counter(turn.get("agrees") for turn in replies)
    return ToolUse(
        replies=len(replies),
        strikes=kinds["strike"],
        in_vain=kinds["failure"],
        resets=sum(turn.get("reset") is True for turn in replies),
        interpreted=len(replies) - agreed[None],
        disagreements=agreed[False],
        faults=len(turns) - len(replies),
    )


def list_turns(data: RunData) -> Sequence[dict[str, JSON]]:
    """Return every turn in order, and the faults of interpreters."""
    return [parse_turn(note.text) for note in data.reader.notes() if note.kind == "turn"]


@measure("Replies without a tool", "share", _SIMUVERSE)
def invalid_replies(data: RunData) -> float | None:
    """Of the replies in which an agent was to choose a tool, the share in which none was found.
    What a tool was asked for in vain is no such reply, nor what the interpreter failed to read.
    None without a reply.
    """
    use = count_tool_use(data)
    return ratio(use.strikes, use.replies)


@measure("Interpreter against grammar", "share", _SIMUVERSE)
def interpreter_disagreement(data: RunData) -> float | None:
    """Of the replies that a model interpreted, the share in which the grammar reads another act:
    another tool, place or person, or none. None where no model interpreted anything.
    """
    use = count_tool_use(data)
    return ratio(use.disagreements, use.interpreted)


@measure("Resets", "per 100 turns", _SIMUVERSE)
def resets(data: RunData) -> float | None:
    """How often two replies without a tool in a row sent an agent back to its start, per 100
    replies in which a tool was to be chosen. None without a reply.
    """
    use = count_tool_use(data)
    return ratio(100 * use.resets, use.replies)


@measure("Exchanges in a conversation", "exchanges", _SIMUVERSE)
def exchanges(data: RunData) -> float | None:
    """How often the member that spoke most spoke, in the mean over the conversations in which more
    than one agent spoke: rounds, of which SimuVerse allows ten. None without one.
    """
    spoken = [max(counts.values()) for counts in count_turns(data).values() if len(counts) > 1]
    return fmean(spoken) if spoken else None


@measure("Left before the limit", "share", _SIMUVERSE)
def early_leaves(data: RunData) -> float | None:
    """Of the times that an agent left a conversation by its own word or was taken out of it at the
    limit of exchanges, the share of the first; of the conversations in which more than one agent
    spoke. None without one.
    """
    mutual = {id_ for id_, counts in count_turns(data).items() if len(counts) > 1}
    reasons = [
        event.data["reason"]
        for event in data.of_kind("leave")
        if event.data["conversation"] in mutual
    ]
    own = reasons.count("said_so")
    return ratio(own, own + reasons.count("limit"))
