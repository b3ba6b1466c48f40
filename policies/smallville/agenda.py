"""What a plan is made from: the sections that prompts of planning share."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import time

from genagents_env.cognition.query import Moment
from genagents_env.cognition.routine import format_usual_day
from genagents_env.cognition.sections import Section
from genagents_env.llm.calls import JSONValue

from .commitments import format_commitments, list_ahead
from .day import PlanBlock, is_sleep
from .mind import SmallvilleMind


def describe_commitments(mind: SmallvilleMind, moment: Moment) -> Section:
    """Return what the agent has promised for today and later."""
    return Section(
        "promised", format_commitments(list_ahead(mind.commitments, moment.percept.time))
    )


def describe_outline(mind: SmallvilleMind) -> Section:
    """Return the day in broad strokes."""
    return Section("outline", [["today", what] for what in mind.day.outline])


def describe_routine(mind: SmallvilleMind, first: time, last: time) -> Section:
    """Return the routine between two clock times, without its sleep: one plans while one is up."""
    awake = replace(
        mind.profile, routine=tuple(e for e in mind.profile.routine if not is_sleep(e.doing))
    )
    return Section("routine", format_usual_day(awake, first, last))


def describe_hours(mind: SmallvilleMind, blocks: Sequence[PlanBlock]) -> Section:
    """Return what is planned, a stretch of time a line."""
    return Section("hours", [[_format_span(mind, b.start, b.end), b.text] for b in blocks])


def describe_under_way(mind: SmallvilleMind, moment: Moment, start: int) -> Section:
    """Return what the agent is doing, and what it will have done by the second `start`."""
    lines: list[JSONValue] = []
    activity = mind.activity
    if activity.text and activity.kind != "sleep" and moment.now < activity.until:
        until = f"{mind.services.to_time(activity.until):%H:%M}"
        at = f", at {activity.place}" if activity.place else ""
        going = "" if activity.arrived else " (still on the way there)"
        lines.append(["under way", f"until {until}", f"{activity.text}{at}{going}"])
    for piece in mind.day.pieces:
        if moment.now < piece.start < start:
            at = f", at {piece.place}" if piece.place else ""
            lines.append(
                ["before that", _format_span(mind, piece.start, piece.end), f"{piece.text}{at}"]
            )
    if mind.refused and moment.now - mind.refused_at < 600:
        lines.append(["just now", f"you could not get in: {mind.refused}"])
    return Section("under way", lines)


def _format_span(mind: SmallvilleMind, start: int, end: int) -> str:
    return f"{mind.services.to_time(start):%H:%M} to {mind.services.to_time(end):%H:%M}"
