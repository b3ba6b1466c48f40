"""A whole scenario: every key of `scenario.toml`, with its tables."""

from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from genagents_env.scenario.fields import Id, Line, LocalTime, Model, Name, Paragraph, check_years
from genagents_env.scenario.schema.people import Person
from genagents_env.scenario.schema.places import SIDE_LIMIT, SectorSpec
from genagents_env.scenario.schema.plot import Fact, Gathering, Reward, ScheduledEvent
from genagents_env.scenario.schema.rules import Rules
from genagents_env.scenario.schema.success import Check, Question, Success

MAP_LIMIT = SIDE_LIMIT * (SIDE_LIMIT + 2)  # characters
_FEW = 100  # facts, questions and the like


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
