"""The people of a town, `[[people]]`: who they are, what they do and what they carry along."""

from datetime import time
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from genagents_env.scenario.faults import TABLE, WORDS
from genagents_env.scenario.fields import (
    Emoji,
    Later,
    Line,
    LocalTime,
    Model,
    Name,
    Paragraph,
    PersonName,
    Radius,
    Ref,
)

SPRITE_LIMIT = 32_768  # bytes of a picture
SPRITE_MARK = "data:image/png;base64,"
MOST_MEMORIES = 200_000  # of one person
_MANY = 10_000  # people, objects, places, blocks of a day

Word = Annotated[str, Field(min_length=1, max_length=40)]
Day = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class Lifestyle(Model):
    """When one goes to bed and gets up, by the clock.

    Attributes:
        bed: When one goes to bed; may be past midnight.
        wake: When one gets up.
    """

    bed: time = time(23)
    wake: time = time(7)


class RoutineEntry(Model):
    """A part of the usual day, from a time until the next entry's.

    Attributes:
        at: From when on.
        place: Where one is then.
        doing: What one does there, in words that others read.
        emoji: What stands for it in the picture.
        use: An object that one uses for it.
        state: The state into which one puts that object.
    """

    at: time
    place: Ref
    doing: Line
    emoji: Emoji = ""
    use: Ref | None = None
    state: Line | None = None


class Relationship(Model):
    """Someone this person knows at the start.

    Attributes:
        to: Whom.
        about: What of them, in this person's words.
    """

    to: Name
    about: Line


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
    def _evidence_comes_first(self) -> Self:
        for number, memory in enumerate(self.memories):
            if any(place >= number for place in memory.evidence):
                raise ValueError(f"memories[{number}]: its evidence comes after it")
            if memory.time > self.until:
                raise ValueError(f"memories[{number}]: it was made after `until`")
        return self


def _find_memory_tag(value: object) -> str:
    return TABLE if isinstance(value, dict | PastMemory) else WORDS


SomeMemory = Annotated[
    Annotated[Paragraph, Tag(WORDS)] | Annotated[PastMemory, Tag(TABLE)],
    Discriminator(_find_memory_tag),
]


def _check_sprite(value: str) -> str:
    """Return the text of a picture, which the loader puts where the file's name was."""
    if not value.startswith(SPRITE_MARK):
        raise ValueError(f"{value[:40]!r} is no picture; the name of a PNG file is wanted")
    return value


Sprite = Annotated[str, Field(max_length=2 * SPRITE_LIMIT), AfterValidator(_check_sprite)]


class Person(Model):
    """One of the people.

    Attributes:
        name: First and last name; the agent's id. It stands before what one says and does, so that
            it has no quotation marks, commas, colons, brackets, nor words such as "said" and "and".
        age: In years.
        traits: What one is like, in a word or two each.
        persona: What lasts: sentences about the person by name, split at semicolons into the first
            memories.
        lifestyle: When one goes to bed and gets up.
        home: Where one lives, and sleeps where there is a bed.
        workplace: Where one works; opening hours there do not bind one.
        start: Where one stands as the scenario starts; at home where it is left out. With a map it
            may be one tile: a spawn's id, or `"across,down"`.
        known_places: Places one knows from the start, beside the common ones, home, workplace and
            those of the routine.
        relationships: Whom one knows from the start, and what of them.
        routine: The usual day; policies without a model follow it, a mind may.
        goal: What one is after, in words.
        recent_memories: What one lately went through, in sentences, beside the first memories.
        memories: What was lived before the start: sentences, or tables, which keep their time.
        currently: What one is up to as the scenario starts, and what holds only for a while
            ("has told nobody yet"); split as the persona is. A mind whose status changes replaces
            it.
        recency_decay: By which recency falls from rank to rank, for a mind that recalls as the
            public code of Park et al. 2023 does.
        emoji: What stands for the person in the picture.
        sprite: The file of a PNG in the scenario's folder that stands for the person in the
            picture, in place of the initials.
        vision_radius: How far one sees, in tiles; else as the rules say.
        hearing_radius: How far one hears, in tiles; else as the rules say.
        attention_bandwidth: How many of the things in sight a mind takes notice of at a tick.
        retention: How many things lately noticed a mind does not take for new.
        phone: Whether one has a telephone, where the rules know them.
        present: Whether one is in town at the start; an event `join` brings one later.
        past: What one carries along from an earlier run; written by `genagents import-memories`.
    """

    name: PersonName
    age: Annotated[int, Field(ge=0, le=130)] | None = None
    traits: tuple[Line, ...] = ()
    persona: Paragraph
    lifestyle: Lifestyle = Lifestyle()
    home: Ref
    workplace: Ref | None = None
    start: Ref | None = None
    known_places: tuple[Ref, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    routine: tuple[RoutineEntry, ...] = ()
    goal: Paragraph = ""
    recent_memories: tuple[Paragraph, ...] = ()
    memories: tuple[SomeMemory, ...] = ()
    currently: Paragraph = ""
    recency_decay: Annotated[float, Field(gt=0, le=1)] | None = None
    emoji: Emoji = "🙂"
    sprite: Later[Sprite | None] = None
    vision_radius: Radius | None = None
    hearing_radius: Radius | None = None
    attention_bandwidth: Annotated[int, Field(ge=1, le=100)] = 8
    retention: Annotated[int, Field(ge=0, le=1000)] = 8
    phone: bool = True
    present: bool = True
    past: Past | None = None
