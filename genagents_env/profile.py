"""What the environment hands to policies at the start: who each agent is, and the setting."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

from .scenario import Person, Scenario, first_memories
from .scenario.schema import Fact, RoutineEntry

AgentID = str


@dataclass(frozen=True, slots=True)
class Profile:
    """What a person knows of themselves at the start: a mind's beginning.

    `memories` are in order: the persona's sentences, long-term, then recent ones.
    `facts` are those of the scenario this person knows at the start.
    """

    agent: AgentID
    name: str
    age: int | None
    traits: tuple[str, ...]
    persona: str
    goal: str
    bed: time
    wake: time
    home: str
    workplace: str | None
    relationships: Mapping[str, str]
    routine: tuple[RoutineEntry, ...]
    memories: tuple[str, ...]
    facts: tuple[Fact, ...]
    vision_radius: int
    attention_bandwidth: int
    retention: int


@dataclass(frozen=True)
class Context:
    """What a policy is given to work with; it opens nothing itself.

    `model` is a `genagents_env.llm.client.ModelClient`, or None where no policy needs one (its
    type is not named here: the environment, which makes contexts, knows no model).
    """

    town: str
    start: datetime
    seconds_per_tick: int
    model: Any = None


def make_profile(agent: AgentID, person: Person, scenario: Scenario) -> Profile:
    """Return the profile of one of a scenario's people."""
    return Profile(
        agent=agent,
        name=person.name,
        age=person.age,
        traits=person.traits,
        persona=person.persona,
        goal=person.goal,
        bed=person.lifestyle.bed,
        wake=person.lifestyle.wake,
        home=person.home,
        workplace=person.workplace,
        relationships={r.to: r.about for r in person.relationships},
        routine=person.routine,
        memories=(*first_memories(person), *person.recent_memories),
        facts=tuple(f for f in scenario.facts if person.name in f.known_by),
        vision_radius=person.vision_radius or scenario.rules.vision_radius,
        attention_bandwidth=person.attention_bandwidth,
        retention=person.retention,
    )
