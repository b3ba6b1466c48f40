"""Upcoming: what the agent is doing and what comes next, as other faculties show it in prompts."""

from collections.abc import Sequence

from genagents_env.cognition.query import Moment
from genagents_env.cognition.sections import REMEMBERED, Section
from genagents_env.llm.calls import JSONValue

from .agenda import describe_commitments
from .day import Piece, PlanBlock
from .mind import SmallvilleMind
from .turns import TALKING

_BLOCKS = 4  # of the plan that are shown


def describe_upcoming(
    mind: SmallvilleMind, moment: Moment, without: Sequence[JSONValue] = ()
) -> list[Section]:
    """Return what the agent is doing, what is planned next, and what it has promised.

    Args:
        mind: whose.
        moment: now.
        without: lines on promises that the prompt has already.
    """
    doing = mind.activity.text or moment.percept.me.doing
    now: list[JSONValue] = [] if doing.startswith(TALKING) else [["you are", doing]]
    return [
        Section("doing", now),
        Section("plan", list_next(mind, moment.now)),
        describe_commitments(mind, moment, without),
    ]


def rank_last(sections: Sequence[Section], *, besides: str = "") -> list[Section]:
    """Return `sections` as those that give way to what is said, where a prompt is short."""
    return [
        each if each.name == besides else Section(each.name, each.lines, REMEMBERED, each.keep)
        for each in sections
    ]


def list_next(mind: SmallvilleMind, now: int) -> list[JSONValue]:
    """Return the next piece of the plan and the hours after it, as lines with their clocks."""
    pieces: list[Piece | PlanBlock] = [piece for piece in mind.day.pieces if piece.start > now]
    first = pieces[:1]
    later = [block for block in mind.day.hours if block.start > max(now, _find_end(first, now))]
    parts = [*first, *later][:_BLOCKS]
    return [[f"planned {mind.services.to_time(part.start):%H:%M}", part.text] for part in parts]


def _find_end(parts: list[Piece | PlanBlock], now: int) -> int:
    return parts[-1].start if parts else now
