"""The internal states as a prompt shows them: where one is, goal, summary, and what came to mind.

Goal, subgoal and summary stand in every prompt before anything else is given room. What just came
to mind is work memory and whatever the summary does not hold yet.
"""

from collections.abc import Sequence

from genagents_env.cognition import names
from genagents_env.cognition.mind import format_tie
from genagents_env.cognition.prompts import SPOKEN, Section
from genagents_env.llm.calls import JSONValue

from .mind import LyfeMind, WorkItem

NO_SUBGOAL = "none yet"
_PAUSE = 60  # seconds after which words belong to another talk (ours)


def describe_states(mind: LyfeMind) -> list[Section]:
    """Describe goal, subgoal and summary, which every prompt has room for."""
    option = mind.option
    subgoal = option.subgoal or option.before or NO_SUBGOAL
    return [
        Section("goal", [["goal", mind.goal]] if mind.goal else []),
        Section("subgoal", [["subgoal", subgoal]]),
        Section("summary", format_summary(mind)),
    ]


def describe_company(mind: LyfeMind) -> Section:
    """Describe the agent's ties to those who are near, the nearest first."""
    known = {name: describe_tie(mind, name) for name in mind.near}
    return Section("ties", [["you know", name, tie] for name, tie in known.items() if tie])


def describe_tie(mind: LyfeMind, name: str) -> str:
    """Describe somebody's tie to the agent: "a friend, the postman", or only "Officer"."""
    tie = mind.profile.relationships.get(name, "")
    if tie:
        return tie
    said = (item.text for item in mind.work[::-1])
    remembered = [mind.summary.text, *mind.recent.texts, *mind.long.texts]
    return next(
        (title for text in (*said, *remembered) if (title := names.find_title(name, text))), ""
    )


def list_shown(mind: LyfeMind) -> list[str]:
    """List the texts that a prompt shows anyway, in the words of memories."""
    ties = mind.profile.relationships
    return [
        *mind.profile.sentences,
        *(part.text for part in mind.summary.parts),
        *(item.format_text() for item in list_items(mind)),
        *(format_tie(name, ties[name]) for name in mind.near if name in ties),
    ]


def describe_talk(mind: LyfeMind) -> Section:
    """Describe what just came to mind; where not all of it fits, the latest.

    One who talks is shown which of it was said before this talk, or to others.
    """
    items = list_items(mind)
    begun = _find_beginning(mind, items) if mind.option.kind == "talk" else 0
    lines = [format_item(mind, item, at < begun) for at, item in enumerate(items)]
    return Section("talk", lines, SPOKEN, "last")


def _find_beginning(mind: LyfeMind, items: Sequence[WorkItem]) -> int:
    """Return from which item on they belong to the talk that the agent is in."""
    begun = len(items)
    following, heard = mind.option.begun, False
    for at, item in reversed(list(enumerate(items))):
        if not item.speaker:
            continue
        own = item.speaker == mind.name
        to_others = own and not heard and item.at < mind.option.begun
        if to_others or not (own or item.speaker in mind.near) or following - item.at > _PAUSE:
            break
        begun, following, heard = at, item.at, heard or not own
    return begun


def list_items(mind: LyfeMind) -> list[WorkItem]:
    """List the items of work memory and those not in the summary yet, the oldest first."""
    if not mind.config.self_monitor:
        return mind.work
    return [*(item for item in mind.work if item not in mind.news), *mind.news]


def format_summary(mind: LyfeMind) -> list[JSONValue]:
    """Return the summary; without a self-monitor the latest observations in its place."""
    if mind.config.self_monitor:
        return [["summary", mind.summary.text]] if mind.summary.text else []
    return [format_item(mind, item) for item in mind.buffer if item not in mind.work]


def format_item(mind: LyfeMind, item: WorkItem, earlier: bool = False) -> JSONValue:
    """Return an item as a line: when who said what, or when the agent noticed what.

    `earlier`: it was said in another talk than the one now.
    """
    clock = mind.services.format_clock(item.at)
    if not item.speaker:
        return [clock, "you notice", item.text]
    before: list[JSONValue] = ["earlier"] if earlier else []
    who = "you" if item.speaker == mind.name else item.speaker
    return [clock, *before, who, "said", item.text]
