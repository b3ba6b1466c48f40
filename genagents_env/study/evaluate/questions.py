"""The interview of 25 questions: five kinds of five, as in Park et al. 2023, section 6.1."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files

from genagents_env.errors import ScenarioError
from genagents_env.scenario import Person, Scenario
from genagents_env.scenario.faults import quote, suggest

CATEGORIES = ("self-knowledge", "memory", "plans", "reactions", "reflections")


def make_standard_questions(name: str, scenario: Scenario) -> dict[str, tuple[str, ...]]:
    """Return the questions for one person: five of each of `CATEGORIES`, in that order.

    The slots are filled from the scenario alone, so they are the same in every run: the person is
    the first of one's ties, the stranger the first after oneself, in the scenario's order, who is
    not among them, the event what the first fact says.

    Raises:
        ScenarioError: nobody in the scenario has this name.
    """
    people = {person.name: person for person in scenario.people}
    if name not in people:
        known = suggest(name, list(people))
        raise ScenarioError([f"people: no person {quote(name)} in {scenario.name}; {known}"])
    text = files(__package__).joinpath("questions.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    words = data["nobody"] | _find_slots(people[name], scenario)
    return {
        category: tuple(_fill(question, words) for question in data["questions"][category])
        for category in CATEGORIES
    }


def _find_slots(person: Person, scenario: Scenario) -> dict[str, str]:
    names = [other.name for other in scenario.people]
    here = names.index(person.name)
    ties = [tie.to for tie in person.relationships]
    strangers = [n for n in names[here + 1 :] + names[:here] if n not in ties]
    slots = {"town": scenario.town}
    if ties:
        slots["person"] = ties[0]
    if strangers:
        slots["stranger"] = strangers[0]
    if scenario.facts:
        slots["event"] = scenario.facts[0].statement
    return slots


def _fill(question: str, words: Mapping[str, str]) -> str:
    for slot, word in words.items():
        question = question.replace(f"{{{slot}}}", word)
    return question
