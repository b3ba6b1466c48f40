"""What a person carries along from an earlier run: memories, and what was made of them."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from genagents_env.scenario.fields import Line, LocalTime, Model, Name, Paragraph, Ref

MOST_MEMORIES = 200_000  # of one person
_MANY = 10_000  # people, objects, places, blocks of a day
Word = Annotated[str, Field(min_length=1, max_length=40)]
Day = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class PastMemory(Model):
    """A memory, with its times on the town's clock.

    Attributes:
        time: When it was made.
        kind: What it is a memory of.
        text: The memory, as a sentence.
        importance: How poignant it is.
        accessed: When it was last recalled, where that is known.
        expires: From when it is recalled no more.
        begins: Of a plan: from when it is to be done.
        seconds: Of a plan: how long it takes.
        place: Where it was.
        about: Subject, predicate and object of it.
        evidence: Of a thought: the memories that it was inferred from, by their places in the list,
            from 0; all before its own.
        cause: The purpose of the model call that made it, such as `reflect.insights`; empty for
            what was perceived.
        seed: It was known from the start, and has no hour.
    """

    time: LocalTime
    kind: Literal["event", "thought", "chat", "plan"] = "event"
    text: Paragraph
    importance: Annotated[float, Field(ge=1, le=10)] = 5.0
    accessed: LocalTime | None = None
    expires: LocalTime | None = None
    begins: LocalTime | None = None
    seconds: Annotated[int, Field(ge=0, le=10**9)] | None = None
    place: Paragraph = ""
    about: Annotated[tuple[Paragraph, ...], Field(max_length=8)] = ()
    evidence: tuple[Annotated[int, Field(ge=0, lt=MOST_MEMORIES)], ...] = ()
    cause: Annotated[str, Field(max_length=60)] = ""
    seed: bool = False


class PastObject(Model):
    """What a person believed of an object.

    Attributes:
        id: Its id.
        name: How it is called.
        state: Its state when it was last seen.
        time: When that was.
    """

    id: Ref
    name: Line
    state: Line
    time: LocalTime


class PastBlock(Model):
    """A stretch of the day that was planned.

    Attributes:
        begins: From when.
        ends: Until when.
        text: What was to be done.
    """

    begins: LocalTime
    ends: LocalTime
    text: Paragraph


class PastDay(Model):
    """The plan of the last day; what lies after `until` is of use where the run begins before.

    Attributes:
        date: Which day, as `2023-02-13`.
        wakes: When one meant to get up.
        beds: When one meant to go to bed.
        outline: The day in broad strokes.
        blocks: What it was made of.
    """

    date: Day
    wakes: LocalTime
    beds: LocalTime
    outline: Annotated[tuple[Paragraph, ...], Field(max_length=_MANY)] = ()
    blocks: Annotated[tuple[PastBlock, ...], Field(max_length=_MANY)] = ()


class PastTie(Model):
    """What somebody was to one.

    Attributes:
        text: What one thought of them.
        time: When one thought so.
        stale: There was news of them since.
    """

    text: Paragraph
    time: LocalTime
    stale: bool = False


class PastCommitment(Model):
    """Something promised.

    Attributes:
        date: For which day, as `2023-02-13`.
        clock: For which hour, as `17:00`; empty where only the day is known.
        what: What was promised.
        where: Where.
        with_whom: With whom.
    """

    date: Day
    clock: Annotated[str, Field(pattern=r"^(\d{2}:\d{2})?$")] = ""
    what: Paragraph
    where: Paragraph = ""
    with_whom: Paragraph = ""


class Past(Model):
    """What somebody knew, was and meant to do at `until`, as a mind had it.

    Attributes:
        until: When the earlier run stopped.
        source: Where it comes from.
        memories: What one remembered.
        status: What one was up to.
        requirements: What a day has to hold.
        summary: Of oneself, by the name that the mind has for each part.
        importance: Of what was observed since one last reflected, summed up.
        commitments: What one had promised.
        ties: What others were to one.
        people: Whom one knew by name.
        talks: When one last talked with whom.
        objects: What one believed of objects.
        facts: Those of the scenario that one knew.
        places: Those that one had come to know.
        day: The plan of the last day.
    """

    until: LocalTime
    source: Line
    memories: Annotated[tuple[PastMemory, ...], Field(max_length=MOST_MEMORIES)] = ()
    status: Paragraph = ""
    requirements: Annotated[tuple[Paragraph, ...], Field(max_length=100)] = ()
    summary: dict[Word, Paragraph] = Field(default_factory=dict)
    importance: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    commitments: Annotated[tuple[PastCommitment, ...], Field(max_length=_MANY)] = ()
    ties: dict[Name, PastTie] = Field(default_factory=dict)
    people: Annotated[tuple[Name, ...], Field(max_length=_MANY)] = ()
    talks: dict[Name, LocalTime] = Field(default_factory=dict)
    objects: Annotated[tuple[PastObject, ...], Field(max_length=_MANY)] = ()
    facts: Annotated[tuple[Word, ...], Field(max_length=100)] = ()
    places: Annotated[tuple[Ref, ...], Field(max_length=_MANY)] = ()
    day: PastDay | None = None

    @model_validator(mode="after")
    def _evidence_comes_first(self) -> "Past":
        for number, memory in enumerate(self.memories):
            if any(place >= number for place in memory.evidence):
                raise ValueError(f"memories[{number}]: its evidence comes after it")
            if memory.time > self.until:
                raise ValueError(f"memories[{number}]: it was made after `until`")
        return self
