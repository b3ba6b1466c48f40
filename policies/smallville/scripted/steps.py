"""What people do step by step, and with what: rules by words, read from `steps.toml`."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from genagents_env.llm.scripted.prompt import Prompt, PromptLine

FILE = Path(__file__).with_name("steps.toml")
HOME = "home"
_DOING = "{doing}"
_PLACED = re.compile(r"(.+?)(?:, (?:at )?| at (?!home))(home|[A-Z][^,]*)((?:, with .+)?)$")
_TOWN = ("your home", "your work", "in town")  # what lines begin with that say what is where


@dataclass(frozen=True, slots=True)
class StepKind:
    """A kind of thing that people do, and its steps."""

    name: str
    words: re.Pattern[str]
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UseRule:
    """What is used for a step: the first of `names` that is there, in the first of `states`."""

    verbs: re.Pattern[str]
    names: tuple[str, ...]
    states: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OfferedThing:
    """A thing that a prompt offers, with its states, the one it mostly has first."""

    place: str
    name: str
    states: tuple[str, ...]


@cache
def _load_rules() -> tuple[tuple[StepKind, ...], tuple[UseRule, ...]]:
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    kinds = (
        StepKind(one["name"], re.compile(one["words"], re.IGNORECASE), tuple(one["steps"]))
        for one in data["kinds"]
    )
    uses = (
        UseRule(re.compile(one["verbs"], re.IGNORECASE), tuple(one["names"]), tuple(one["states"]))
        for one in data["things"]
    )
    return tuple(kinds), tuple(uses)


def list_steps(activity: str, things: str) -> list[str]:
    """Return the steps of an activity, each with its place where the activity has one.

    Args:
        activity: as it was planned, such as `eating lunch, Hobbs Cafe`.
        things: the names of what is there; steps with other things are left out, unless empty.
    """
    doing, where = split_place(activity)
    kinds, _ = _load_rules()
    kind = next(kind for kind in kinds if kind.words.search(activity))
    return [
        f"{step.replace(_DOING, doing)}{f', {where}' if where else ''}"
        for step in kind.steps
        if _DOING in step or not things or _is_possible(step, things)
    ]


def _is_possible(step: str, things: str) -> bool:
    rule = find_use(step)
    return rule is None or any(name in things for name in rule.names)


def find_use(step: str) -> UseRule | None:
    """Return what is used for a step; None where no rule knows."""
    _, uses = _load_rules()
    return next((rule for rule in uses if rule.verbs.search(step)), None)


def find_thing(step: str, offers: Iterable[OfferedThing]) -> tuple[OfferedThing, str] | None:
    """Return the thing that a step needs, and the state that it gets; None where there is none."""
    rule, offers = find_use(step), list(offers)
    if rule is None:
        return None
    for name in rule.names:
        for thing in offers:
            state = _choose_state(rule, thing)
            if thing.name.endswith(name) and state:
                return thing, state
    return None


def _choose_state(rule: UseRule, thing: OfferedThing) -> str:
    """Return the first state of the rule that the thing allows, else its second; empty for none."""
    wanted = (state for state in rule.states if state in thing.states)
    return next(wanted, thing.states[1] if rule.states and len(thing.states) > 1 else "")


def split_place(activity: str) -> tuple[str, str]:
    """Return what is done, and where, empty where the words do not say.

    A place follows a comma or `at`, and is the home or begins with a capital letter; behind it
    only company may stand.
    """
    found = _PLACED.match(activity)
    return (found[1] + (found[3] or ""), found[2]) if found else (activity, "")


def list_offers(prompt: Prompt) -> list[OfferedThing]:
    """Return the things that a prompt offers, in its order."""
    return [thing for line in prompt.lines if line.head == "place" for thing in _read_offer(line)]


def _read_offer(line: PromptLine) -> Iterator[OfferedThing]:
    """Yield the things of a line such as `place, Hobbs Cafe/cafe, counter: clear / crowded`."""
    for part in line.text.split("; "):
        name, colon, states = part.partition(": ")
        if colon and len(line.heads) > 1:
            yield OfferedThing(line.heads[1], name, tuple(states.split(" / ")))


def find_things_there(prompt: Prompt, where: str) -> str:
    """Return what a prompt says of the building `where`; empty where it says nothing of it."""
    lines: Mapping[str, Sequence[str]] = {
        head: [line.text for line in prompt.lines if line.head == head] for head in _TOWN
    }
    if where == HOME:
        return next(iter(lines["your home"]), "")
    sector = where.split("/")[0]
    everything = [text for head in _TOWN for text in lines[head]]
    return next((text for text in everything if sector and text.startswith(sector)), "")
