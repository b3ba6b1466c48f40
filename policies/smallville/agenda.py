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
from .places import is_within


def describe_commitments(
    mind: SmallvilleMind, moment: Moment, without: Sequence[JSONValue] = ()
) -> Section:
    """Return what the agent has promised for today and later, but for the lines in `without`."""
    lines = format_commitments(list_ahead(mind.commitments, moment.percept.time))
    return Section("promised", [line for line in lines if line not in without])


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
    """Return what the agent is doing, and what it will have done by the second `start`.

    What begins at this very moment is under way, although no step of it was taken yet.
    """
    lines = _format_current(mind, moment)
    for piece in mind.day.pieces:
        if moment.now < piece.start < start:
            at = f", at {piece.place}" if piece.place else ""
            lines.append(["then", _format_span(mind, piece.start, piece.end), f"{piece.text}{at}"])
    if mind.refused and moment.now - mind.refused_at < 600:
        lines.append(["just now", f"you could not get in: {mind.refused}"])
    return Section("under way", lines)


def _format_current(mind: SmallvilleMind, moment: Moment) -> list[JSONValue]:
    """Return a line on what is done now: a reaction, else what is planned, else what goes on."""
    activity, now = mind.activity, moment.now
    goes_on = bool(activity.text) and activity.kind != "sleep" and now < activity.until
    piece = None if goes_on and activity.reaction else mind.day.find_piece(now)
    if piece is not None and not is_sleep(piece.text):
        text, place, end = piece.text, piece.place, piece.end
    elif piece is None and goes_on:
        text, place, end = activity.text, activity.place, activity.until
    else:
        return []
    there = is_within(moment.percept.me.place, place)
    at = f", at {place}" if place else ""
    going = "" if there else " (still on the way there)"
    return [["under way", f"until {mind.services.to_time(end):%H:%M}", f"{text}{at}{going}"]]


def _format_span(mind: SmallvilleMind, start: int, end: int) -> str:
    return f"{mind.services.to_time(start):%H:%M} to {mind.services.to_time(end):%H:%M}"
