"""An evening of a shipped scenario: an occasion that a few know of, and a small cast.

Everybody wants to be there, which counts once they have heard of it; those who know are to tell
everybody. The seed draws who takes part, and where each begins.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import numpy as np

from genagents_env.actions import Action, Idle, Move, Talk
from genagents_env.errors import ScenarioError
from genagents_env.percept import Percept
from genagents_env.policy import AgentID, Context
from genagents_env.profile import Profile
from genagents_env.scenario import Person, Scenario
from genagents_env.scenario.people_selection import select_people
from genagents_env.train.tasks.solution import PerceptSolution, list_open
from genagents_env.train.tasks.task import Task, change, set_clock

PEOPLE, KNOWERS = 8, 2
SQUARE = "Johnson Park/lawn"  # in the middle of the town of both scenarios
SECONDS = 30  # of a tick: three tiles of walking
_BEFORE = timedelta(minutes=30)  # from the start of an episode to the occasion
_WALK = timedelta(minutes=8)  # from one end of the town to about the other
_COOLDOWN = 60  # seconds until two may talk again; the scenarios' own is half an hour


@dataclass(frozen=True, slots=True)
class Occasion:
    """The parts of a shipped scenario that make an evening.

    Attributes:
        scenario: its name.
        gathering: the id of the gathering; its fact is to be told.
        facts: what else the host knows, and is to tell in place of it.
    """

    scenario: str
    gathering: str
    facts: tuple[str, ...] = ()


def _make_task(name: str, occasion: Occasion, *, horizon: int, summary: str, lesson: str) -> Task:
    return Task(
        name=name,
        summary=summary,
        lesson=lesson,
        people=PEOPLE,
        horizon=horizon,
        assign=partial(assign_evening, occasion),
        make_solution=partial(EveningSolution, SQUARE),
        bounds=(0.0, 2.0),
        town=occasion.scenario,
    )


def assign_evening(occasion: Occasion, town: Scenario, rng: np.random.Generator) -> Scenario:
    """Return the last stretch before an occasion, and it, for the host and others who are drawn.

    Raises:
        ScenarioError: the town has no such gathering.
    """
    gathering = next((g for g in town.gatherings if g.id == occasion.gathering), None)
    if gathering is None or gathering.host is None or gathering.fact is None:
        text = f"no gathering {occasion.gathering} with host and fact; {occasion.scenario} has one"
        raise ScenarioError([f"{town.name}: {text}"])
    start = gathering.start - _BEFORE
    seconds = (gathering.end - start).total_seconds()
    others = [person.name for person in town.people if person.name != gathering.host]
    drawn = [others[i] for i in rng.permutation(len(others))[: PEOPLE - 1]]
    names = (gathering.host, *drawn)
    knowers, facts = names[:KNOWERS], (*occasion.facts, gathering.fact)
    be: dict[str, object] = {"kind": "be", "place": gathering.place, "fact": gathering.fact}
    be |= {"start": gathering.start, "end": gathering.end}
    goals: list[dict[str, object]] = [{"agent": name} | be for name in names]
    for turn, name in enumerate(knowers):
        goals.append({"agent": name, "kind": "tell", "fact": facts[min(turn, len(facts) - 1)]})
    cast = select_people(town, names)
    known = {gathering.fact: knowers} | dict.fromkeys(occasion.facts, knowers[:1])
    rules = cast.rules.model_dump()
    rules["conversation"]["cooldown_seconds"], rules["claims"] = _COOLDOWN, True
    return change(
        cast,
        start=start,
        rules=rules,
        people=[_place(person, start) for person in cast.people],
        facts=[
            fact.model_dump() | {"known_by": known[fact.id]}
            for fact in cast.facts
            if fact.id in known
        ],
        reward={"name": "goals", "goals": goals},
        gatherings=[gathering.model_dump()],
        **dict.fromkeys(("events", "questions", "checks", "success"), ()),
        **set_clock(round(seconds / SECONDS), SECONDS),
    )


def _place(person: Person, start: datetime) -> dict[str, object]:
    """Return a person who stands where the usual day has them at that time."""
    day = sorted(person.routine, key=lambda entry: entry.at)
    places = [entry.place for entry in day if entry.at <= start.time()]
    return person.model_dump() | {"start": places[-1] if places else person.home}


class EveningSolution(PerceptSolution):
    """Keeps to a convention: who has heard nothing goes to one place, and who knows comes there.

    In time for the occasion those who know go there, and tell whoever comes. Wherever they are they
    go round rooms and things until nobody is left to tell, or nothing to hear.

    Args:
        square: the place.
    """

    name = "evening_solution"

    def __init__(self, square: str) -> None:
        self._square = square

    def reset(self, profiles: Mapping[AgentID, Profile], seed: int, context: Context) -> None:
        """Begin with nobody having told anything."""
        self._guests = {a: _Guest(profile, self._square) for a, profile in profiles.items()}

    def decide(self, agent: AgentID, percept: Percept) -> Action:
        """Return the next action of an agent."""
        return self._guests[agent].decide(percept)


class _Guest:
    """Somebody who takes part: what it can say, whom it has told, and where it has looked."""

    def __init__(self, profile: Profile, square: str) -> None:
        self._words = {fact.id: fact.statement for fact in profile.facts}
        self._square = square
        self._told: set[tuple[str, str]] = set()
        self._tried: set[tuple[str, str]] = set()
        self._visits: dict[str, int] = {}  # the tick of the last visit to each room and thing

    def decide(self, percept: Percept) -> Action:
        """Tell, go where one should be, or look round there."""
        if percept.result.ok:
            self._told |= self._tried
        self._tried = set()
        owed = list_open(percept, "tell")
        talk = percept.conversation
        for fact in (goal.fact or "" for goal in owed):
            new = {(person.name, fact) for person in percept.people} - self._told
            if new and fact in self._words and (talk is None or talk.may_speak):
                self._tried = new
                return Talk(None, self._words[fact])
        place = self._choose_place(percept, owed=bool(owed))
        if not f"{percept.me.place}/".startswith(f"{place}/"):
            return Move(place)
        known = any(goal.place is not None for goal in percept.goals)
        return Idle() if known and not owed else self._look_round(percept, place)

    def _choose_place(self, percept: Percept, *, owed: bool) -> str:
        """Return the occasion's place for those who know it, as long as they need not be elsewhere.

        Places and times of goals are shown to those who know of them alone.
        """
        goal = next((goal for goal in percept.goals if goal.place is not None), None)
        if goal is None or goal.place is None or goal.start is None:
            return self._square
        return self._square if owed and percept.time < goal.start - _WALK else goal.place

    def _look_round(self, percept: Percept, place: str) -> Action:
        """Go to that part of the place in which one was longest ago."""
        for name in (*percept.known, *(thing.id for thing in percept.objects)):
            if name.startswith(f"{place}/"):
                self._visits.setdefault(name, -1)
        here = {name: k for name, k in self._visits.items() if name.startswith(f"{place}/")}
        if not here:
            return Idle()
        stop = min(here, key=lambda name: here[name])
        if percept.result.arrived or stop == percept.me.place:
            self._visits[stop] = here[stop] = percept.tick
            stop = min(here, key=lambda name: here[name])
        return Move(stop)


VALENTINES_EVENING = _make_task(
    "valentines_evening",
    Occasion("valentines_party", "party"),
    horizon=300,
    summary="Be at the party at Hobbs Cafe from when you have heard of it, and tell of it.",
    lesson="Two of eight know, in a large town; nobody is paid before word comes.",
)
ELECTION_AFTERNOON = _make_task(
    "election_afternoon",
    Occasion("mayoral_election", "speech", facts=("candidacy",)),
    horizon=180,
    summary="Be at the talk in Johnson Park from when you have heard of it, and tell of it.",
    lesson="The candidate tells who he is, one other tells of the talk: two words, one audience.",
)
