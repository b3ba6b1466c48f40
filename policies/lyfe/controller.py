"""The cognitive controller: one call chooses what to do next, and what for.

What just ended is seldom among the choices, talking only where somebody is near. Asked only when
an option has ended, and something has been heard or thought since it was asked last, or one has
come to people or is bored; without options, at every tick. Source: Lyfe Agents, section 3.2.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import Annotated, ClassVar, cast

from pydantic import Field, create_model

from genagents_env.cognition.query import (
    Moment,
    PreparedQuery,
    Query,
    QueryData,
    QueryHandler,
    QueryReply,
)
from genagents_env.cognition.replies import Sentence, one_of
from genagents_env.cognition.sections import Section
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel
from genagents_env.rng import draw_unit

from . import options, places, reflect, states, talk
from .mind import LyfeMind, OptionKind

NOBODY = "nobody"
_ALIKE = 0.2  # of difflib: as little as names may resemble (release)
_MEANING: Mapping[str, str] = {
    "talk": "talk (to those near)",
    "go": "go (to a place)",
    "find": "find (look for a person, then talk)",
    "reflect": "reflect (think)",
    "wait": "wait",
}


class OptionChoice(ReplyModel):
    """What to be at next, where or with whom, and what for."""

    wire_name: ClassVar[str] = "Choice"
    wire_description: ClassVar[str] = "What to be at next, where or with whom, and what for."

    option: str
    target: str
    subgoal: Sentence


def make_queries(mind: LyfeMind, moment: Moment) -> Sequence[Query]:
    """Ask what to be at, where that is open; where nothing is new, wait without asking."""
    if mind.option.kind != "decide" or mind.is_busy("controller") or moment.percept.me.asleep:
        return ()
    if mind.config.option_action and not (mind.fresh or mind.option.only):
        options.begin(mind, "wait", moment)
        return ()
    mind.fresh = False
    return (Query("controller.choose", {}),)


async def _prepare(mind: LyfeMind, data: QueryData, moment: Moment) -> PreparedQuery | None:
    kinds = _list_possible(mind, moment)
    near, away = mind.near, [name for name in mind.people if name not in mind.near]
    known = places.list_destinations(mind, moment) if "go" in kinds else []
    people = places.list_people_to_find(mind, away) if "find" in kinds else []
    named = {"place": known, "person": people, "near": near}
    lines: list[JSONValue] = [[kind, name] for kind, names in named.items() for name in names]
    shown, _ = await states.fill_prompt(
        mind,
        "controller_choose",
        moment,
        [Section("choices", lines)],
        options=[_MEANING[kind] for kind in kinds],
    )
    targets = [*near, *known, *people, NOBODY]
    data = {"options": kinds, "targets": targets, "near": near}
    return PreparedQuery(shown.messages, data, shown.cuts)


def _list_possible(mind: LyfeMind, moment: Moment) -> list[str]:
    """Return the options there are, without the one that just ended, unless by chance."""
    found: list[str] = ["reflect", "wait"]
    if mind.near:
        found.insert(0, "talk")
    if places.list_destinations(mind, moment):
        found.insert(-2, "go")
    if any(name not in mind.near for name in mind.people):
        found.insert(-2, "find")
    if kept := [kind for kind in found if kind in mind.option.only]:
        return kept
    again = draw_unit(mind.services.seed, "again", moment.tick, mind.agent) < mind.config.again
    return found if again else [kind for kind in found if kind != mind.option.ended]


async def _apply(
    mind: LyfeMind, data: QueryData, moment: Moment, reply: QueryReply
) -> Sequence[Query]:
    if mind.option.kind != "decide":
        return ()
    choice: OptionChoice = reply.value
    kind = cast(OptionKind, choice.option)
    target = _find_target(kind, choice.target, data, moment)
    if kind in ("talk", "go", "find") and not target:
        kind = "wait"
    options.begin(mind, kind, moment, target=target, subgoal=choice.subgoal)
    if kind == "talk":
        return talk.make_queries(mind, moment)
    return reflect.make_queries(mind, moment)


def _find_target(kind: OptionKind, words: str, data: QueryData, moment: Moment) -> str:
    """Return the place or person that a choice names, however it is spelled; empty where none."""
    near, others = list(data["near"]), [t for t in data["targets"] if t != NOBODY]
    places_known = [target for target in others if target in moment.percept.known]
    people = [target for target in others if target not in places_known]
    if kind == "talk":
        return (_find_closest(words, near) or near[0]) if near else ""
    if kind == "go":
        return _find_closest(words, places_known)
    if kind == "find":
        return _find_closest(words, [name for name in people if name not in near])
    return ""


def _find_closest(words: str, names: Sequence[str]) -> str:
    if words in names:
        return words
    folded = {name.casefold(): name for name in names}
    found = get_close_matches(words.casefold(), list(folded), 1, _ALIKE)
    return folded[found[0]] if found else ""


@lru_cache(maxsize=512)
def _make_choice_model(kinds: tuple[str, ...], targets: tuple[str, ...]) -> type[OptionChoice]:
    """Return `Choice` among these options; targets are a hint for who writes by the schema."""
    hint = Annotated[str, Field(max_length=300, json_schema_extra={"enum": list(targets)})]
    return cast(
        type[OptionChoice],
        create_model(
            "Choice",
            __base__=OptionChoice,
            option=(one_of(kinds), ...),
            target=(hint, ...),
            subgoal=(Sentence, ...),
        ),
    )


HANDLERS: Mapping[str, QueryHandler[LyfeMind]] = {
    "controller.choose": QueryHandler(
        prepare=_prepare,
        reply_model=lambda data: _make_choice_model(tuple(data["options"]), tuple(data["targets"])),
        fallback=lambda data: OptionChoice(
            option="wait", target=NOBODY, subgoal="see what happens"
        ),
        apply=_apply,
        max_tokens=lambda data: 260,
    )
}
