"""A whole scenario: every key of `scenario.toml`, the rules of the world; its arenas, in order."""

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Annotated, Generic, Literal, NamedTuple, TypeVar

from pydantic import AfterValidator, Field

from genagents_env.scenario.faults import Loc
from genagents_env.scenario.fields import (
    Id,
    Later,
    Line,
    LocalTime,
    Model,
    Name,
    Paragraph,
    Radius,
    check_years,
)
from genagents_env.scenario.plan import OUTSIDE, name_arena
from genagents_env.scenario.schema.people import Person
from genagents_env.scenario.schema.places import (
    SIDE_LIMIT,
    ArenaSpec,
    ObjectSpec,
    SectorSpec,
    SpawnSpec,
)
from genagents_env.scenario.schema.plot import Fact, Gathering, Reward, ScheduledEvent
from genagents_env.scenario.schema.success import Check, Question, Success

Spec = TypeVar("Spec", bound=ObjectSpec | SpawnSpec)

MAP_LIMIT = SIDE_LIMIT * (SIDE_LIMIT + 2)  # characters
_FEW = 100  # facts, questions and the like
_SWAP_SECONDS = 10  # a step's time at the usual speed of walking; ours


class ConversationRules(Model):
    """Physics of talk. An exchange is one utterance of a member; times in simulated seconds.

    Attributes:
        max_members: How many may be in one conversation.
        max_exchanges: After how many utterances of one's own one is taken out of it.
        turn_taking: `free`: all may speak in a tick. `one_speaker`: one may. `round_robin`: in
            turn.
        turn_seconds: After which a turn that was not taken passes on, with `round_robin`.
        cooldown_seconds: Before the same two may begin to talk again.
        idle_seconds: Of silence, after which a conversation is over.
    """

    max_members: Annotated[int, Field(ge=2, le=100)] = 4
    max_exchanges: Annotated[int, Field(ge=1, le=1000)] = 10
    turn_taking: Literal["free", "one_speaker", "round_robin"] = "one_speaker"
    turn_seconds: Annotated[int, Field(ge=1, le=3600)] = 60
    cooldown_seconds: Annotated[int, Field(ge=0, le=86400)] = 600
    idle_seconds: Annotated[int, Field(ge=1, le=86400)] = 300


class Rules(Model):
    """Rules of the world; radii are in tiles, across or down, whichever is more.

    Attributes:
        walk_speed: Tiles a second.
        paths: How shortest paths are found: `fields`, directions to each goal for all who go there,
            or `astar`, one by one. They are equally long.
        cut_through_houses: Paths may lead through a building on the way to another, as those of
            Park et al. 2023 do.
        bodies_block: Nobody enters a tile on which somebody is; people go round one another, wait,
            change places or move up.
        swap_seconds: For how long one waits before two who face each other change places, or who
            stands in the way makes way.
        vision_radius: How far people see, within a room or outdoors.
        hearing_radius: How far words carry.
        line_of_sight: Walls and corners hide what is behind them.
        overhear: Those in earshot hear what is said to others, too.
        claims: Facts pass on from those who know them alone. Whoever says one that they do not know
            makes a claim, which is recorded as theirs and lets nobody know it.
        phone: People can talk over any distance, if both have a telephone.
        restart: The action `Restart` puts one back to one's start.
        max_utterance: Characters; what is longer is cut.
        conversation: Those of talk.
    """

    walk_speed: Annotated[float, Field(gt=0, le=10)] = 0.1
    paths: Annotated[Literal["fields", "astar"], Field(exclude_if="fields".__eq__)] = "fields"
    cut_through_houses: Later[bool] = False
    bodies_block: Later[bool] = False
    swap_seconds: Annotated[int, Field(ge=0, le=3600, exclude_if=_SWAP_SECONDS.__eq__)] = (
        _SWAP_SECONDS
    )
    vision_radius: Radius = 8
    hearing_radius: Radius = 8
    line_of_sight: bool = False
    overhear: bool = True
    claims: Later[bool] = False
    phone: bool = False
    restart: bool = False
    max_utterance: Annotated[int, Field(ge=1, le=500)] = 500
    conversation: ConversationRules = ConversationRules()


class Scenario(Model):
    """A whole scenario, as loaded and valid.

    Attributes:
        name: By which run files and reports name it.
        title: One line for people.
        description: A paragraph for people; minds do not read it.
        town: What the town is called, by those who live in it, too.
        outside: What the open ground between the buildings is called.
        start: When it begins, in local time of the town, without a zone.
        hours: How long it lasts, in hours of the town.
        seconds_per_tick: One step of the town, in which everybody decides once.
        rules: Rules of the world.
        sectors: The buildings and parks.
        people: Those who live there; usually in files of their own, people/*.toml.
        facts: What can spread.
        gatherings: Occasions whose attendance is counted.
        events: What happens to the town from outside.
        questions: What people are asked in interviews.
        interview_repeats: How often everyone is interviewed at each end, each time from the same
            state of mind.
        checks: What turns answers, whereabouts and deeds into verdicts.
        success: What counts as success, from the verdicts.
        casts: Choices of people by name, for `--people NAME`: `{ 3 = ["Ann", "Bob", "Cem"] }`.
        measures: What of it is worth measuring, for its readers; reports measure all they can.
        reward: What trained policies are rewarded with.
        map: The file of a map drawn in Tiled, `"town.tmj"`, in the scenario's folder. A map.txt or
            map.grid there is found without it.
    """

    name: Id
    title: Line
    description: Paragraph = ""
    town: Name
    outside: Name = "outside"
    start: Annotated[LocalTime, AfterValidator(check_years)]
    hours: Annotated[float, Field(gt=0, le=24 * 366)]
    seconds_per_tick: Annotated[int, Field(ge=1, le=3600)] = 10
    rules: Rules = Rules()
    sectors: Annotated[tuple[SectorSpec, ...], Field(min_length=1)]
    people: Annotated[tuple[Person, ...], Field(min_length=1, max_length=4000)]
    facts: Annotated[tuple[Fact, ...], Field(max_length=_FEW)] = ()
    gatherings: Annotated[tuple[Gathering, ...], Field(max_length=_FEW)] = ()
    events: Annotated[tuple[ScheduledEvent, ...], Field(max_length=1000)] = ()
    questions: Annotated[tuple[Question, ...], Field(max_length=_FEW)] = ()
    interview_repeats: Annotated[int, Field(ge=1, le=20)] = 1
    checks: Annotated[tuple[Check, ...], Field(max_length=_FEW)] = ()
    success: Annotated[tuple[Success, ...], Field(max_length=_FEW)] = ()
    casts: dict[Name, Annotated[tuple[Name, ...], Field(min_length=1)]] = Field(
        default_factory=dict
    )
    measures: tuple[Literal["knowledge", "attendance", "density", "conversation"], ...] = ()
    reward: Reward = Reward()
    map: Annotated[str, Field(max_length=MAP_LIMIT)] | None = None

    @property
    def horizon(self) -> int:
        """The number of ticks of the scenario, at least 1."""
        return max(1, round(self.hours * 3600 / self.seconds_per_tick))

    @property
    def first_day(self) -> date:
        """The calendar day on which it starts."""
        return self.start.date()


class ArenaContent(NamedTuple, Generic[Spec]):
    """An object or a spawn; `arena` is the number of its arena."""

    id: str
    arena: int
    loc: Loc
    spec: Spec


class ArenaPart(NamedTuple):
    """An arena of a scenario; `number` is its index in `TownPlan.arenas`."""

    id: str
    number: int
    loc: Loc
    sector: SectorSpec
    spec: ArenaSpec

    def list_parts(self, key: str, specs: Iterable[Spec]) -> list[ArenaContent[Spec]]:
        """List what is in it under a key of its table."""
        return [
            ArenaContent(f"{self.id}/{spec.name}", self.number, (*self.loc, key, k), spec)
            for k, spec in enumerate(specs)
        ]


def arenas_of(scenario: Scenario) -> Iterator[ArenaPart]:
    """Yield every arena in the order of `TownPlan.arenas`, which puts the outside before them."""
    number = OUTSIDE
    for i, sector in enumerate(scenario.sectors):
        for j, arena in enumerate(sector.arenas):
            number += 1
            loc: Loc = ("sectors", i, "arenas", j)
            yield ArenaPart(name_arena(sector.name, arena.name), number, loc, sector, arena)


def objects_of(scenario: Scenario) -> list[ArenaContent[ObjectSpec]]:
    """List every object in the order of `TownPlan.objects`."""
    arenas = arenas_of(scenario)
    return [item for arena in arenas for item in arena.list_parts("objects", arena.spec.objects)]


def spawns_of(scenario: Scenario) -> list[ArenaContent[SpawnSpec]]:
    """List every spawn."""
    arenas = arenas_of(scenario)
    return [spawn for arena in arenas for spawn in arena.list_parts("spawns", arena.spec.spawns)]
