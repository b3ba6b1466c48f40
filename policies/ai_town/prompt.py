"""A prompt of this mind: here and now, its plan, and what the purpose adds."""

from collections.abc import Sequence

from genagents_env.cognition.mind import format_tie
from genagents_env.cognition.prompts import (
    SPOKEN,
    FilledPrompt,
    Section,
    describe_here_and_now,
    describe_now,
    shorten_name,
    shorten_names,
)
from genagents_env.cognition.query import Moment, PreparedQuery, QueryData
from genagents_env.llm.calls import JSONValue
from genagents_env.memory.stream import Memory

from .mind import AiTownMind, FinishedTalk, SaidLine, TalkState
from .retrieve import TimedMemory

_LATEST = 100  # memories among which the last talk with somebody is looked for


def fill_prompt(
    mind: AiTownMind,
    prompt: str,
    moment: Moment,
    sections: Sequence[Section] = (),
    memories: Sequence[TimedMemory] = (),
    **fields: object,
) -> FilledPrompt:
    """Fill the prompt `prompt`.jinja with date, company and plan before `sections`."""
    percept = moment.percept
    perceives = mind.config.here_and_now
    here = describe_here_and_now(percept) if perceives else [describe_now(percept.time, "")]
    return mind.fill(prompt, [*here, describe_plan(mind), *sections], memories, **fields)


def ask_about_talk(
    mind: AiTownMind,
    prompt: str,
    data: QueryData,
    moment: Moment,
    talk: TalkState | FinishedTalk,
    memories: Sequence[TimedMemory] = (),
    *,
    names: Sequence[str] = (),
    unsaid: str = "",
    **fields: object,
) -> PreparedQuery:
    """Return the query about a talk, which the prompt shows with ties to its members.

    Args:
        mind: whose.
        prompt: name of the file.
        data: of the query.
        moment: now.
        talk: under way or over.
        memories: that it brings to mind.
        names: whom the question is about, where these are not all others in their order.
        unsaid: words the agent is about to say, shown as said.
        fields: what else the template names.
    """
    own = [SaidLine(mind.name, unsaid, -1, moment.now)] if unsaid else []
    sections = [describe_others(mind, talk.others), describe_lines(mind, [*talk.lines, *own])]
    others = shorten_names(names or talk.others)
    shown = fill_prompt(mind, prompt, moment, sections, memories, others=others, **fields)
    return mind.ask_filled(shown, data)


def describe_plan(mind: AiTownMind) -> Section:
    """Describe the plan sentence, which stands in every prompt."""
    return Section("plan", [["your plan", mind.plan]] if mind.plan else [])


def describe_others(mind: AiTownMind, others: Sequence[str]) -> Section:
    """Describe the agent's ties to others, and when they last talked."""
    lines: list[JSONValue] = []
    for name in others:
        about, short = mind.profile.relationships.get(name, ""), shorten_name(name)
        if about:
            lines.append([f"about {short}", about])
        if name in mind.identities:
            lines.append([f"about {short}", mind.identities[name]])
        if (latest := find_latest_talk(mind, name)) is not None:
            when = mind.services.format_moment(latest.created)
            lines.append([f"last talk with {short}", when, latest.text])
    return Section("ties", lines)


def list_shown(mind: AiTownMind, others: Sequence[str]) -> list[str]:
    """List the memories that `describe_others` shows, in their own words."""
    ties = mind.profile.relationships
    talks = (find_latest_talk(mind, name) for name in others)
    return [
        *(format_tie(name, ties[name]) for name in others if name in ties),
        *(talk.text for talk in talks if talk is not None),
    ]


def find_latest_talk(mind: AiTownMind, other: str) -> Memory | None:
    """Return the memory of the latest talk with somebody, if there was one."""
    now = mind.tick * mind.services.seconds_per_tick
    chats = mind.stream.select(mind.stream.recent(_LATEST, kinds=["chat"], now=now))
    return next((memory for memory in chats if other in memory.about[1:]), None)


def describe_lines(mind: AiTownMind, lines: Sequence[SaidLine]) -> Section:
    """Describe the lines of a talk; where not all of them fit, the latest."""
    shown: list[JSONValue] = [
        [
            mind.services.format_clock(line.at),
            "you" if line.speaker == mind.name else line.speaker,
            "said",
            line.text,
        ]
        for line in lines
    ]
    return Section("talk", shown, SPOKEN, "last")
