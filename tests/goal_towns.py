"""Towns whose people have goals."""

from typing import Any

from genagents_env.scenario import lay_out, load_scenario
from genagents_env.scenario.schema import Fact, Goal, Reward, Scenario

ADA, BEN = "Ada Brook", "Ben Carver"


def make_tiny(*goals: Goal, facts: tuple[Fact, ...] | None = None) -> Scenario:
    tiny = load_scenario("tiny")
    changes: dict[str, Any] = {"reward": Reward(name="goals" if goals else "none", goals=goals)}
    if facts is not None:
        changes |= {"facts": facts, "questions": (), "gatherings": ()}
    return tiny.model_copy(update=changes)


def change_lamp(scenario: Scenario, **changes: Any) -> Scenario:
    cottage = scenario.sectors[0]
    kitchen, study = cottage.arenas
    lamp = study.objects[0].model_copy(update=changes)
    study = study.model_copy(update={"objects": (lamp, *study.objects[1:])})
    cottage = cottage.model_copy(update={"arenas": (kitchen, study)})
    return scenario.model_copy(update={"sectors": (cottage,)})


def make_fact(number: int, about: str | None = None, *known_by: str) -> Fact:
    return Fact(
        id=f"fact_{number}",
        statement=f"There are {number} cups.",
        patterns=(f"{number} cups",),
        known_by=known_by,
        about=about,
    )


def give_goals(name: str, **options: Any) -> Scenario:
    """Return a shipped scenario in which everybody has two goals, of all kinds in turn."""
    scenario = load_scenario(name, **options)
    people, facts = scenario.people, scenario.facts
    plan = lay_out(scenario)
    arenas = [plan.arena_id(a) for a, arena in enumerate(plan.arenas) if a and not arena.ground]
    things = [
        (plan.object_id(o), item.states[-1])
        for o, item in enumerate(plan.objects)
        if len(item.states) > 1
    ]
    goals: list[Goal] = []
    for k, person in enumerate(people):
        other, me = people[(k + 1) % len(people)].name, person.name
        thing, state = things[k % len(things)]
        place = arenas[(2 * k) % len(arenas)]
        kinds = [
            Goal(agent=me, kind="use", object=thing, state=state),
            Goal(agent=me, kind="meet", person=other),
            Goal(agent=me, kind="be", place=place),
            Goal(agent=me, kind="bring", person=other, place=place),
        ]
        if facts:
            kinds.append(Goal(agent=me, kind="tell", fact=facts[k % len(facts)].id))
        goals += [kinds[k % len(kinds)], kinds[(k + 1) % len(kinds)]]
    return scenario.model_copy(update={"reward": Reward(name="goals", goals=tuple(goals))})
