"""The people of a town, `[[people]]`: who they are, what they usually do and what they remember."""

from datetime import time
from typing import Annotated

from pydantic import AfterValidator, Discriminator, Field, Tag

from genagents_env.scenario.faults import TABLE, WORDS
from genagents_env.scenario.fields import (
    Emoji,
    Later,
    Line,
    Model,
    Name,
    Paragraph,
    PersonName,
    Radius,
    Ref,
)
from genagents_env.scenario.past import Past, PastMemory

SPRITE_LIMIT = 32_768  # bytes of a picture
SPRITE_MARK = "data:image/png;base64,"


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
