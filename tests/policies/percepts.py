"""Hand-made percepts and profiles, so that policies are tested without a world."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from typing import Any, TypeAlias, TypeVar

from genagents_env.llm.client import ModelClient
from genagents_env.percept import (
    Body,
    Conversation,
    HeardWords,
    OwnGoal,
    Percept,
    Result,
    SeenObject,
    SeenPerson,
)
from genagents_env.policy import Context, Infos, Profile
from genagents_env.scenario.schema import Fact, RoutineEntry

Value: TypeAlias = Any  # of an option of a policy, or of a field of a dataclass
T = TypeVar("T")

START = datetime.fromisoformat("2023-02-13T08:00")
STANDING = Body("Ann Ash", "Cafe", (1, 1), "standing around", "🧍", False, 0)
NOTHING = Result(True, "")
PARTY = Fact(id="party", statement="Ann gives a party at the Cafe on Tuesday.", patterns=("party",))


@dataclass(frozen=True)
class Moment:
    """A percept as plain data."""

    agent: str = "Ann Ash"
    tick: int = 0
    time: datetime = START
    me: Body = STANDING
    exits: tuple[str, ...] = ()
    people: tuple[SeenPerson, ...] = ()
    objects: tuple[SeenObject, ...] = ()
    heard: tuple[HeardWords, ...] = ()
    result: Result = NOTHING
    conversation: Conversation | None = None
    known: tuple[str, ...] = ("Cafe", "Park", "Ann's house", "Ann's house/bedroom")
    goals: tuple[OwnGoal, ...] = ()
    text: str = ""

    def later(self, seconds: int = 10, **changes: Value) -> "Moment":
        """Return a percept `seconds` later, with nothing heard unless given."""
        fresh: dict[str, Value] = {"heard": (), "result": NOTHING}
        moved = {"tick": self.tick + seconds // 10, "time": self.time + timedelta(seconds=seconds)}
        return replace(self, **(fresh | moved | changes))


def body(place: str = "Cafe", doing: str = "standing around", asleep: bool = False) -> Body:
    return Body("Ann Ash", place, (1, 1), doing, "🧍", asleep, 0)


def person(
    name: str, distance: int = 2, doing: str = "reading", asleep: bool = False
) -> SeenPerson:
    return SeenPerson(name, "Cafe", (2, 2), distance, doing, "📖", asleep, 0)


def thing(ref: str, state: str, next_states: tuple[str, ...], usable: bool = False) -> SeenObject:
    return SeenObject(
        ref, ref.split("/")[-1], (3, 3), 1 if usable else 4, state, next_states, False, usable, 0
    )


def speech(
    speaker: str, text: str, facts: tuple[str, ...] = (), addressed: bool = True
) -> HeardWords:
    return HeardWords("speech", speaker, text, addressed, False, facts, 7)


def profile(**changes: Value) -> Profile:
    ann = Profile(
        agent="Ann Ash",
        name="Ann Ash",
        age=34,
        traits=("friendly", "outgoing"),
        persona="Ann Ash runs the Cafe; Ann loves guests",
        goal="",
        bed=time(23),
        wake=time(7),
        home="Ann's house",
        workplace="Cafe",
        relationships={},
        routine=(
            RoutineEntry(at=time(7), place="Cafe", doing="serving coffee", emoji="☕"),
            RoutineEntry(
                at=time(12),
                place="Park",
                doing="feeding ducks",
                use="Park/lawn/bench",
                state="taken",
            ),
        ),
        memories=(),
        facts=(PARTY,),
        vision_radius=8,
        attention_bandwidth=8,
        retention=8,
    )
    return replace(ann, **changes)


def context(model: ModelClient | None = None) -> Context:
    return Context("Town", START, 10, model)


def infos(percept: Percept) -> Infos:
    return {percept.agent: {"percept": percept}}


def wait_for(awaitable: Awaitable[T]) -> T:
    """Return what `awaitable` gives, in an event loop of its own."""

    async def wait() -> T:
        return await awaitable

    return asyncio.run(wait())
