"""Reduce a scenario to some of its people, or start everybody in one place."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from genagents_env.errors import ScenarioError
from genagents_env.name_search import search_people, search_places
from genagents_env.scenario.faults import choices, quote, suggest
from genagents_env.scenario.fields import Model
from genagents_env.scenario.schema import (
    GOAL_REWARDS,
    ArenaSpec,
    Check,
    ObjectCheck,
    ObjectSpec,
    Person,
    Question,
    RecordCheck,
    Reward,
    Scenario,
    SectorSpec,
    Success,
)
from genagents_env.scenario.truth import list_decidable

M = TypeVar("M", bound=Model)
U = TypeVar("U", SectorSpec, ArenaSpec, ObjectSpec)
NOBODY = "nobody"  # the only user of what belonged to people who are not there


def select_people(scenario: Scenario, people: Sequence[str] | str) -> Scenario:
    """Return the scenario with only the people of these names, in this order.

    References to others are dropped: relationships, knowers of facts, hosts, events, errands and
    goals, questions to them alone with their checks, successes of absent people alone and those
    built on them, and casts with absent people. The reward becomes `none` if it pays for nothing
    that is left. Places and things of absent people stay locked: their one user is `nobody`.

    Args:
        scenario: with everybody in it.
        people: names, or the name of one of the scenario's casts; in one text they are separated
            by commas. Words of a name are enough where it is the only one with them.

    Raises:
        ScenarioError: nobody has such a name, a name comes twice, or there is none.
    """
    known = {person.name: person for person in scenario.people}
    faults: list[str] = []
    names: list[str] = []
    given = _list_names(scenario, people)
    for name in given:
        matches = search_people(name, list(known))
        names.append(matches[0] if len(matches) == 1 else name)
        if len(matches) != 1:
            faults.append(_reject(scenario, "person", name, matches, list(known)))
    if faults and len(given) == 1 and scenario.casts:
        casts = choices(scenario.casts)
        faults = [f"people: no cast {quote(given[0])} in {scenario.name}; casts: {casts}", *faults]
    if not names or len(set(names)) < len(names):
        faults.append("people: name at least one person, and nobody twice")
    if faults:
        raise ScenarioError(faults)
    cast = frozenset(names)
    questions = _questions(scenario.questions, cast)
    checks = _checks(scenario.checks, questions, cast)
    selected = _with(
        scenario,
        people=tuple(_person(known[name], cast) for name in names),
        sectors=tuple(_sector(sector, cast) for sector in scenario.sectors),
        facts=tuple(_with(f, known_by=_here(f.known_by, cast)) for f in scenario.facts),
        gatherings=tuple(
            _with(g, host=g.host if g.host in cast else None) for g in scenario.gatherings
        ),
        events=tuple(e for e in scenario.events if e.agent is None or e.agent in cast),
        questions=questions,
        checks=checks,
        success=_success(scenario.success, checks, cast),
        casts={name: of for name, of in scenario.casts.items() if cast.issuperset(of)},
        reward=_reward(scenario.reward, cast),
    )
    if selected.reward.name == "success" and not list_decidable(selected):
        return _with(selected, reward=_with(selected.reward, name="none"))
    return selected


def describe_left_out(whole: Scenario, selected: Scenario) -> str:
    """Describe what the absence of people takes from a scenario; empty if it takes nothing."""
    keys = ("events", "questions", "checks", "success")
    gone = {key: len(getattr(whole, key)) - len(getattr(selected, key)) for key in keys}
    gone |= {
        name: len(getattr(whole.reward, name)) - len(getattr(selected.reward, name))
        for name in ("errands", "goals")
    }
    parts = [f"{key} ({count})" for key, count in gone.items() if count]
    parts += [
        f"the host of {g.id}"
        for g, now in zip(whole.gatherings, selected.gatherings, strict=True)
        if g.host != now.host
    ]
    facts = zip(whole.facts, selected.facts, strict=True)
    unknown = [fact.id for fact, now in facts if fact.known_by and not now.known_by]
    if unknown:
        parts.append(f"all who know {', '.join(unknown)} at the start")
    if whole.reward.name != selected.reward.name:
        parts.append(f"the reward {whole.reward.name}")
    return ", ".join(parts)


def start_all_at(scenario: Scenario, place: str) -> Scenario:
    """Return the scenario with everyone starting at `place`, a sector or an arena.

    Words of its name are enough where it is the only one with them.

    Those who do not live there are awake, whatever the hour.

    Raises:
        ScenarioError: there is no such place.
    """
    sectors = [sector.name for sector in scenario.sectors]
    arenas = [f"{s.name}/{arena.name}" for s in scenario.sectors for arena in s.arenas]
    known = [*sectors, *arenas]
    matches = search_places(place, known)
    if len(matches) != 1:
        raise ScenarioError([_reject(scenario, "place", place, matches, known)])
    return _with(scenario, people=tuple(_with(p, start=matches[0]) for p in scenario.people))


def _reject(
    scenario: Scenario, what: str, said: str, matches: Sequence[str], known: Sequence[str]
) -> str:
    """Word the fault of a name that nobody has, or several have."""
    key = "people" if what == "person" else what
    if matches:
        return f"{key}: {quote(said)} may be {choices(matches)}; say which"
    return f"{key}: no {what} {quote(said)} in {scenario.name}; {suggest(said, known)}"


def _list_names(scenario: Scenario, people: Sequence[str] | str) -> Sequence[str]:
    """Return the names of a cast where its name is all that is given, else those given."""
    if isinstance(people, str):
        people = [name for name in (part.strip() for part in people.split(",")) if name]
    everyone = [person.name for person in scenario.people]
    if len(people) == 1 and people[0] in scenario.casts and people[0] not in everyone:
        return scenario.casts[people[0]]
    return people


def _with(model: M, **changes: object) -> M:
    return model.model_copy(update=changes)


def _here(names: Iterable[str], cast: frozenset[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name in cast)


def _users(place: U, cast: frozenset[str]) -> tuple[str, ...]:
    return _here(place.users, cast) or ((NOBODY,) if place.users else ())


def _person(person: Person, cast: frozenset[str]) -> Person:
    return _with(person, relationships=tuple(r for r in person.relationships if r.to in cast))


def _questions(questions: Iterable[Question], cast: frozenset[str]) -> tuple[Question, ...]:
    return tuple(
        _with(question, to=_here(question.to, cast))
        for question in questions
        if not question.to or _here(question.to, cast)
    )


def _checks(
    checks: Iterable[Check], questions: Iterable[Question], cast: frozenset[str]
) -> tuple[Check, ...]:
    asked = {question.id for question in questions}
    kept = (c for c in checks if isinstance(c, RecordCheck) or c.question in asked)
    return tuple(
        _with(c, unseen_by=_here(c.unseen_by, cast)) if isinstance(c, ObjectCheck) else c
        for c in kept
    )


def _success(
    successes: Iterable[Success], checks: Iterable[Check], cast: frozenset[str]
) -> tuple[Success, ...]:
    """Return the successes that still have all they depend on, for the people who are there."""
    checked, kept = {check.id for check in checks}, list[Success]()
    for success in successes:
        of, built_on = _here(success.of, cast), (*success.all, *success.any, *success.none)
        if success.check is not None and (success.check not in checked or (success.of and not of)):
            continue
        if {other.id for other in kept}.issuperset(built_on):
            kept.append(_with(success, of=of))
    return tuple(kept)


def _reward(reward: Reward, cast: frozenset[str]) -> Reward:
    errands = tuple(errand for errand in reward.errands if errand.agent in cast)
    goals = tuple(
        goal for goal in reward.goals if goal.agent in cast and goal.person in (None, *cast)
    )
    left = errands or goals or reward.name not in GOAL_REWARDS
    return _with(reward, errands=errands, goals=goals, name=reward.name if left else "none")


def _sector(sector: SectorSpec, cast: frozenset[str]) -> SectorSpec:
    arenas = tuple(_arena(arena, cast) for arena in sector.arenas)
    return _with(sector, users=_users(sector, cast), arenas=arenas)


def _arena(arena: ArenaSpec, cast: frozenset[str]) -> ArenaSpec:
    objects = tuple(_with(item, users=_users(item, cast)) for item in arena.objects)
    return _with(arena, users=_users(arena, cast), objects=objects)
