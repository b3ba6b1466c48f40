"""What a scenario folder may say: the typed form of `scenario.toml` and `people/*.toml`.

Every text has passed `clean`; every reference is checked by the loader, which lists all faults.
Places are written as ids: `sector`, `sector/arena` or `sector/arena/object`.
"""

from datetime import date, time
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Discriminator, Field, Tag

from genagents_env.scenario.fields import (
    Later,
    Line,
    LocalTime,
    Model,
    Name,
    OpenHours,
    Paragraph,
    Patterns,
    Radius,
    Ref,
    check_years,
    clean_to,
)
from genagents_env.scenario.past import Past, PastMemory

SIDE_LIMIT = 512  # tiles, the longest side of a town
FEW = 100  # facts, questions and the like
TILES = 1000  # of one object
MAP_LIMIT = SIDE_LIMIT * (SIDE_LIMIT + 2)


Names = Annotated[tuple[Name, ...], Field(min_length=1)]


Tile = tuple[int, int]
Symbol = Annotated[str, Field(min_length=1, max_length=1)]


class ObjectSpec(Model):
    """A thing in an arena. Without a tile by map, `at`, `tiles` or `symbol` the layout finds one.

    `at` is its one tile, `tiles` are several. `solid`: nobody can stand on them; one uses it from
    beside.

    In a file without `state` it starts in the first of `states`, or `idle` where none are declared.
    `lasting`: the states that stay when the activity that made them is over, such as a laid table;
    a mind ends every other state with its activity. The one it starts in always does.
    """

    name: Name
    state: Line = "idle"
    states: tuple[Line, ...] = ()
    free_text: bool = False
    next: dict[str, tuple[Line, ...]] = Field(default_factory=dict)
    users: tuple[Name, ...] = ()
    sleep_state: Line | None = None
    lasting: tuple[Line, ...] = ()
    at: Tile | None = None
    tiles: Later[Annotated[tuple[Tile, ...], Field(max_length=TILES)]] = ()
    symbol: Symbol | None = None
    solid: Later[bool] = False


class SpawnSpec(Model):
    """A tile of an arena with a name, for `start` of people; its id is `sector/arena/name`."""

    name: Name
    at: Tile | None = None
    symbol: Symbol | None = None


class ArenaSpec(Model):
    """A room. `size` (width, height in tiles, walls excluded) guides the automatic layout."""

    name: Name
    size: tuple[Annotated[int, Field(ge=2, le=40)], Annotated[int, Field(ge=2, le=40)]] = (5, 4)
    symbol: Symbol | None = None
    open_air: bool = False
    hours: tuple[OpenHours, ...] = ()
    users: tuple[Name, ...] = ()
    capacity: Annotated[int, Field(ge=1)] | None = None
    objects: tuple[ObjectSpec, ...] = ()
    spawns: Later[tuple[SpawnSpec, ...]] = ()


class SectorSpec(Model):
    """A building or park. `common`: everyone knows it. `users`: who may enter; empty for all.

    `symbol`: in a map.txt, its ground outside its arenas, such as a corridor.
    """

    name: Name
    symbol: Later[Symbol | None] = None
    common: bool = False
    hours: tuple[OpenHours, ...] = ()
    users: tuple[Name, ...] = ()
    capacity: Annotated[int, Field(ge=1)] | None = None
    arenas: Annotated[tuple[ArenaSpec, ...], Field(min_length=1)]


class Lifestyle(Model):
    """When one goes to bed and gets up, clock times; bed may be past midnight."""

    bed: time = time(23)
    wake: time = time(7)


class RoutineEntry(Model):
    """From `at` on: be at `place`, doing `doing`; `use` puts an object there into `state`."""

    at: time
    place: Ref
    doing: Line
    emoji: Annotated[str, clean_to(8)] = ""
    use: Ref | None = None
    state: Line | None = None


class Relationship(Model):
    """Someone this person knows at the start, and what of them, in this person's words."""

    to: Name
    about: Line


WORDS, TABLE = "(words)", "(table)"  # how a memory is written; pydantic puts it into places


def _find_memory_tag(value: object) -> str:
    return TABLE if isinstance(value, dict | PastMemory) else WORDS


SomeMemory = Annotated[
    Annotated[Paragraph, Tag(WORDS)] | Annotated[PastMemory, Tag(TABLE)],
    Discriminator(_find_memory_tag),
]


class Person(Model):
    """One of the people. `persona` is split at semicolons into the first memories.

    `start`: a place, or with a map one tile: a spawn's id, or `across,down` ("73,14").
    `currently`: what the person is up to as the scenario starts, and what holds only for a while
    ("has told nobody yet"), split like the persona. A mind whose status changes replaces it.
    `recency_decay`: by which recency falls from rank to rank where a mind recalls as the public
    code of Park et al. 2023 does, which has one for each agent.
    `past`: what the person carries along from an earlier run; see `genagents import-memories`.
    """

    name: Name
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
    emoji: Annotated[str, clean_to(8)] = "🙂"
    vision_radius: Radius | None = None
    hearing_radius: Radius | None = None
    attention_bandwidth: Annotated[int, Field(ge=1, le=100)] = 8
    retention: Annotated[int, Field(ge=0, le=1000)] = 8
    phone: bool = True
    present: bool = True
    past: Past | None = None


class Fact(Model):
    """Something that can spread. Hearing it is recognised where any of `patterns` matches.

    Patterns are regular expressions, case-insensitive, searched in what was said; what may stand in
    them says `genagents_env.patterns`. `secret`: those who know it from the start keep it to
    themselves: neither the menu's small talk nor the scripted policy passes it on.
    """

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    statement: Line
    known_by: tuple[Name, ...] = ()
    patterns: Annotated[Patterns, Field(min_length=1)]
    secret: bool = False


class Gathering(Model):
    """An occasion whose attendance is counted: who was at `place` between `start` and `end`."""

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    place: Ref
    start: LocalTime
    end: LocalTime
    host: Name | None = None
    fact: str | None = None


class ScheduledEvent(Model):
    """Something that happens to the town at a time, written into the record like an intervention.

    whisper: inner thought `text` to `agent`; news: `text` heard at `place` (everywhere if none);
    object: `object` changes to `state`; move: `agent` is put at `place`; join / leave: `agent`.
    """

    at: LocalTime
    kind: Literal["whisper", "news", "object", "move", "join", "leave"]
    agent: Name | None = None
    place: Ref | None = None
    object: Ref | None = None
    state: Line | None = None
    text: Line | None = None


class Question(Model):
    """Asked of `to` (everyone if empty) in interviews `before` or `after` the run, or `both`.

    fact: the one that a knowing answer shows. gathering: the one that the answer is about: where
    one was, or why one did not come. about `everyone`: asked once for every other person, whose
    name takes the place of `{person}` in `text`; the answer tells whether one knows them.
    """

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    text: Line
    to: tuple[Name, ...] = ()
    when: Literal["before", "after", "both"] = "after"
    about: Literal["nobody", "everyone"] = "nobody"
    fact: str | None = None
    gathering: str | None = None


Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]


class AnswerCheck(Model):
    """Whether every answer to `question` does what `ask` asks of it: yes or no.

    By rule: yes where a pattern of `yes` is found in the answer and none of `no` is; without any
    pattern the rule has no opinion. By model: `ask` is put to a judge with question and answer.
    """

    kind: Literal["answer"]
    id: Id
    question: Id
    ask: Line
    yes: Patterns = ()
    no: Patterns = ()


class Value(Model):
    """One of the values that an answer may have, and the words by which a rule knows it.

    It has it where any of `patterns` is found and none of `no` is.
    """

    value: Line
    patterns: Patterns = ()
    no: Patterns = ()


class ValueCheck(Model):
    """Which of `values` an answer to `question` has; `otherwise` where it has none.

    By rule: the value one of whose patterns is found; of several the one found `first` in the
    answer, or `otherwise`. What a pattern finds stands where its group `at` does, if it has one.
    Without any pattern the rule has no opinion. By model: `ask` is put to a judge with question,
    answer and the values to choose from.
    """

    kind: Literal["value"]
    id: Id
    question: Id
    ask: Line
    values: Annotated[tuple[Value, ...], Field(min_length=1, max_length=30)]
    otherwise: Line = "none"
    several: Literal["first", "otherwise"] = "otherwise"


class PlaceCheck(Model):
    """Whether one is at `place` at the time `at`; at the end of the run where no time is given."""

    kind: Literal["place"]
    id: Id
    place: Ref
    at: LocalTime | None = None


class FactCheck(Model):
    """Whether one knows `fact` at the time `at`; at the end of the run where no time is given.

    One knows it from the start, or from when one heard it, by the fact's patterns.
    """

    kind: Literal["fact"]
    id: Id
    fact: Id
    at: LocalTime | None = None


class ObjectCheck(Model):
    """Whether `object` is in `state` at the time `at`, or at the end, and it was one who put it so.

    Where it was in that state already, it is whoever brought it there. `unseen_by`: none of these
    people was awake in the same arena as it was done.
    """

    kind: Literal["object"]
    id: Id
    object: Ref
    state: Line
    at: LocalTime | None = None
    unseen_by: tuple[Name, ...] = ()


RecordCheck: TypeAlias = PlaceCheck | FactCheck | ObjectCheck  # nobody is asked: the record tells
Check = Annotated[
    AnswerCheck | ValueCheck | PlaceCheck | FactCheck | ObjectCheck, Field(discriminator="kind")
]


class Success(Model):
    """What counts as success, of one check or of other successes; exactly one of the four is given.

    check: its verdicts `of` these people (of all who have one if empty), put together by `over`:
    `all` of them, `any`, `none`, or `equal`: all have the same value, which is not `otherwise`.
    value: of a value check, the one that counts as yes. all, any, none: ids of successes before
    this one.
    """

    id: Id
    title: Line
    check: Id | None = None
    of: tuple[Name, ...] = ()
    over: Literal["all", "any", "none", "equal"] = "all"
    value: Line | None = None
    all: tuple[Id, ...] = ()
    any: tuple[Id, ...] = ()
    none: tuple[Id, ...] = ()


class Errand(Model):
    """For the reward `errand`: `agent` has to put `object` into `state`."""

    agent: Name
    object: Ref
    state: Line


class Reward(Model):
    """The reward by name; `none` is 0 everywhere. See `genagents_env.rewards` for each formula."""

    name: Literal["none", "attendance", "knowledge_spread", "errand"] = "none"
    fact: str | None = None
    gathering: str | None = None
    errands: tuple[Errand, ...] = ()
    step_cost: Annotated[float, Field(ge=0, le=1)] = 0.0
    ends: bool = False


class ConversationRules(Model):
    """Physics of talk. An exchange is one utterance of a member; all times in simulated seconds."""

    max_members: Annotated[int, Field(ge=2, le=100)] = 4
    max_exchanges: Annotated[int, Field(ge=1, le=1000)] = 10
    turn_taking: Literal["free", "one_speaker", "round_robin"] = "one_speaker"
    turn_seconds: Annotated[int, Field(ge=1, le=3600)] = 60
    cooldown_seconds: Annotated[int, Field(ge=0, le=86400)] = 600
    idle_seconds: Annotated[int, Field(ge=1, le=86400)] = 300


class Rules(Model):
    """Rules of the world. `walk_speed` in tiles a second; radii in tiles (Chebyshev)."""

    walk_speed: Annotated[float, Field(gt=0, le=10)] = 0.1
    vision_radius: Radius = 8
    hearing_radius: Radius = 8
    line_of_sight: bool = False
    overhear: bool = True
    phone: bool = False
    restart: bool = False
    max_utterance: Annotated[int, Field(ge=1, le=500)] = 500
    conversation: ConversationRules = ConversationRules()


class Scenario(Model):
    """A whole scenario, as loaded and valid. `hours` is the horizon; `start` is local town time.

    `interview_repeats`: how often everyone is interviewed, each time from the same state of mind.
    `casts`: named choices of people, such as `3`, for `--people 3`. `map` is the text of `map.txt`
    or `map.grid`, filled by the loader so that the scenario is complete in itself.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
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
    facts: Annotated[tuple[Fact, ...], Field(max_length=FEW)] = ()
    gatherings: Annotated[tuple[Gathering, ...], Field(max_length=FEW)] = ()
    events: Annotated[tuple[ScheduledEvent, ...], Field(max_length=1000)] = ()
    questions: Annotated[tuple[Question, ...], Field(max_length=FEW)] = ()
    interview_repeats: Annotated[int, Field(ge=1, le=20)] = 1
    checks: Annotated[tuple[Check, ...], Field(max_length=FEW)] = ()
    success: Annotated[tuple[Success, ...], Field(max_length=FEW)] = ()
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
