"""The cognitive controller: one call chooses what to do next, and what for.

What just ended is seldom among the choices, talking only where somebody is near. Asked only when
an option has ended, and something has been heard or thought since it was asked last, or one has
come to people or is bored; without options, at every tick. Source: Lyfe Agents, section 3.2.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, cast

from pydantic import Field

from genagents_env.cognition import aims
from genagents_env.cognition.prompts import Section
from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.cognition.replies import Sentence, narrow, one_of
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel
from genagents_env.rng import draw_unit

from . import options, places, questions, reflect, senses, talk
from .mind import Handlers, LyfeMind, OptionKind
from .prompt import fill_prompt
from .states import describe_tie

NOBODY = "nobody"
STRANGER = "a name only; perhaps not in town"
MISSED = "not found"
_THINGS = 4  # of a place
_REFUSALS = 1  # after which the agent waits
_MEANING: Mapping[str, str] = {
    "talk": "talk (to those near)",
    "go": "go (to a place)",
    "find": "find (look for a person, then talk)",
    "reflect": "reflect (think)",
    "wait": "wait",
}


class OptionChoice(ReplyModel):
    """What to be at next, where or with whom, and what for."""

    wire_name = "Choice"

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


async def _prepare(mind: LyfeMind, data: QueryData, moment: Moment) -> Prepared:
    kinds = _list_possible(mind, moment)
    near = mind.near if "talk" in kinds else []
    known = places.list_destinations(mind, moment) if "go" in kinds else []
    people = places.list_people_to_find(mind) if "find" in kinds else []
    outcome: list[JSONValue] = [["it came to", mind.option.outcome]] if mind.option.outcome else []
    shown, _ = await fill_prompt(
        mind,
        "controller_choose",
        moment,
        [
            Section("outcome", outcome),
            Section("near", [_describe_near(mind, name) for name in near]),
            Section("places", [_describe_place(mind, name, moment) for name in known]),
            Section("people", [_describe_absent(mind, name) for name in people]),
        ],
        options=[_MEANING[kind] for kind in kinds],
    )
    data = {
        "options": kinds,
        "near": near,
        "places": known[: shown.shown["places"]],
        "people": people[: shown.shown["people"]],
    }
    return mind.ask_filled(shown, data)


def _list_possible(mind: LyfeMind, moment: Moment) -> list[str]:
    """Return the options there are, without the one that just ended, unless by chance."""
    kinds = ["talk"] if mind.near else []
    if places.list_destinations(mind, moment):
        kinds.append("go")
    if places.list_people_to_find(mind):
        kinds.append("find")
    kinds += ["reflect", "wait"] if mind.unthought else ["wait"]
    if kept := [kind for kind in kinds if kind in mind.option.only]:
        return kept
    again = draw_unit(mind.services.seed, "again", moment.tick, mind.agent) < mind.config.again
    if again:
        return kinds
    addressed = questions.is_addressed(mind, moment)
    return [kind for kind in kinds if kind != mind.option.ended or (kind == "talk" and addressed)]


# What one chooses from: each line begins with a name, as a reply gives it back.


def _describe_near(mind: LyfeMind, name: str) -> JSONValue:
    """Return the line of somebody who is near."""
    return _join("near", name, [describe_tie(mind, name)])


def _describe_place(mind: LyfeMind, name: str, moment: Moment) -> JSONValue:
    """Return the line of a place: what it is to the agent, its hours, its rooms, things in it."""
    if mind.services.prompts.small:
        return ["place", name]
    parts = [place for place in mind.profile.town if f"{place.id}/".startswith(f"{name}/")]
    hours = dict.fromkeys(str(one) for place in parts for one in place.hours)
    things = dict.fromkeys(thing.name for place in parts for thing in place.things)
    rooms = [room for room in places.list_rooms(moment).get(name, ()) if room != name]
    return _join(
        "place",
        name,
        [
            _describe_own("your work", mind.profile.workplace, name),
            _describe_own("your home", mind.profile.home, name),
            f"open {', '.join(hours)}" if hours else "",
            f"rooms: {', '.join(rooms)}" if rooms else "",
            ", ".join(list(things)[:_THINGS]),
        ],
    )


def _describe_absent(mind: LyfeMind, name: str) -> JSONValue:
    """Return the line of somebody absent: who it is, where last seen, whether sought in vain."""
    stranger = _describe_stranger(mind, name)
    if mind.services.prompts.small:
        return _join("person", name, [stranger])
    tie = describe_tie(mind, name)
    seen, missed = mind.seen.get(name), mind.missed.get(name)
    return _join(
        "person",
        name,
        [
            tie,
            stranger,
            f"last seen {mind.services.format_clock(seen[1])} at {seen[0]}" if seen else "",
            f"{MISSED} {mind.services.format_clock(missed)}" if missed is not None else "",
        ],
    )


def _describe_stranger(mind: LyfeMind, name: str) -> str:
    """Describe how the agent knows a mere name; empty for people whom it knows."""
    if name not in mind.named:
        return ""
    speaker = mind.named_by.get(name, "")
    return f"{STRANGER}; heard from {speaker}" if speaker else STRANGER


def _join(head: str, name: str, parts: list[str]) -> JSONValue:
    about = "; ".join(part for part in parts if part)
    return [head, name, about] if about else [head, name]


def _describe_own(what: str, place: str | None, name: str) -> str:
    """Describe a place that is the agent's own: "your home is flat 5" of that house."""
    if place is None or _find_sector(place) != _find_sector(name):
        return ""
    room = place.removeprefix(name).strip("/")
    return f"{what} is {room}" if room else what


def _find_sector(place: str | None) -> str:
    return (place or "").split("/")[0]


# What is chosen.


async def _apply(mind: LyfeMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    if mind.option.kind != "decide":
        return ()
    choice: OptionChoice = reply.value
    kind = cast(OptionKind, choice.option)
    target = _find_target(mind, kind, choice.target, reply.data, moment)
    if kind in ("talk", "go", "find") and not target:
        _refuse(mind, kind, choice, reply.data, moment)
        return ()
    options.begin(mind, kind, moment, target=target, subgoal=choice.subgoal)
    if kind == "talk":
        return talk.make_queries(mind, moment)
    return reflect.make_queries(mind, moment)


def _refuse(
    mind: LyfeMind, kind: OptionKind, choice: OptionChoice, data: QueryData, moment: Moment
) -> None:
    """Let the agent know that nothing it knows is called so; it decides again, but only once."""
    again = mind.option.refusals < _REFUSALS
    allowed = {"go": data["places"], "find": data["people"], "talk": data["near"]}[kind]
    mind.note_wish(f"to {kind}: {choice.target!r}; allowed: {', '.join(allowed) or 'nobody'}")
    what = "place" if kind == "go" else "person"
    words = f"I know of no {what} called {choice.target}."
    senses.notice_oneself(mind, words, moment.now)
    if again:
        options.end(
            mind, moment.now, outcome=f"There is no {what} you know called {choice.target}."
        )
        mind.option.refusals += 1
    else:
        mind.fresh = False
        options.begin(mind, "wait", moment, subgoal=choice.subgoal)


def _find_target(
    mind: LyfeMind, kind: OptionKind, words: str, data: QueryData, moment: Moment
) -> str:
    """Return the place or person that a choice names, however it is spelled; empty where none."""
    if kind == "go":
        rooms = places.list_rooms(moment)
        return aims.find_target(words, data["places"], rooms)
    people: list[str] = data["near"] if kind == "talk" else data["people"]
    person = aims.find_target(words, people, {name: mind.list_roles(name) for name in people})
    if kind == "talk" and not person and people:
        return people[0]
    return person


def _limit_choice(data: QueryData) -> type[OptionChoice]:
    """Return `Choice` among these options; targets are a hint for who writes by the schema."""
    targets = (*data["near"], *data["places"], *data["people"], NOBODY)
    return narrow(OptionChoice, option=one_of(tuple(data["options"])), target=_suggest(targets))


@lru_cache(maxsize=512)
def _suggest(values: tuple[str, ...]) -> Any:
    return Annotated[str, Field(max_length=300, json_schema_extra={"enum": list(values)})]


HANDLERS: Handlers = {
    "controller.choose": handle(
        _prepare,
        _apply,
        OptionChoice(option="wait", target=NOBODY, subgoal="see what happens"),
        260,
        _limit_choice,
    )
}
