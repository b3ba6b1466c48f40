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
SWAP_SECONDS = 10  # a step's time at the usual speed of walking; ours
MAP_LIMIT = SIDE_LIMIT * (SIDE_LIMIT + 2)


Names = Annotated[tuple[Name, ...], Field(min_length=1)]


Tile = tuple[int, int]
Symbol = Annotated[str, Field(min_length=1, max_length=1)]


class ObjectSpec(Model):
    """A thing in an arena. Without a tile by map, `at`, `tiles` or `symbol` the layout finds one.

    Attributes:
        name: How it is called; the last part of its id.
        state: The one that it starts in; in a file that leaves it out the first of `states`, or
            `idle` where none are declared.
        states: Those that it can be in.
        free_text: It may be put into any other state, in words, too.
        next: What may follow a state: `{ dry = ["wet"] }`; a state that is not named may become any
            of `states`.
        users: Who alone may use it; everybody where none are named, `["nobody"]` locks it.
        sleep_state: Of a bed: the state in which its user sleeps.
        lasting: The states that stay when the activity that made them is over, such as a laid
            table; a mind ends every other state with its activity.
        at: Its tile, as `[across, down]` from the top left, where a map is drawn.
        tiles: Its tiles, each as `at`, where there are several.
        symbol: The character that stands for it in map.txt.
        solid: Nobody can stand on its tiles; one uses it from beside.
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
    """A tile of an arena with a name, for `start` of people; its id is `sector/arena/name`.

    Attributes:
        name: How it is called.
        at: Which tile, as `[across, down]` from the top left.
        symbol: The character that stands for it in map.txt, in place of `at`.
    """

    name: Name
    at: Tile | None = None
    symbol: Symbol | None = None


class ArenaSpec(Model):
    """A room. The first of a sector is the way in to the others.

    Attributes:
        name: How it is called; one arena of its sector's name is written as the sector alone.
        size: Width and height in tiles, walls excluded, for the automatic layout.
        symbol: The character that stands for its floor in map.txt, where there is one.
        open_air: It has no walls: to sight and hearing all open air is one room.
        hours: When it is open: `["08:00-12:00", "17:00-02:00"]`; always where none are given. They
            do not bind those who live or work in the sector.
        users: Who alone may enter; everybody where none are named, `["nobody"]` locks it.
        capacity: How many people may be in it at once; no limit where it is left out.
        objects: The things in it.
        spawns: Tiles with a name, for people to start on.
    """

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
    """A building or park.

    Attributes:
        name: How it is called; the first part of the ids of what is in it.
        symbol: The character that stands in map.txt for its ground outside its arenas, such as a
            corridor.
        common: Everybody knows it from the start.
        hours: When it is open, as of an arena.
        users: Who alone may enter, as of an arena.
        capacity: How many people may be in it at once; no limit where it is left out.
        arenas: Its rooms.
    """

    name: Name
    symbol: Later[Symbol | None] = None
    common: bool = False
    hours: tuple[OpenHours, ...] = ()
    users: tuple[Name, ...] = ()
    capacity: Annotated[int, Field(ge=1)] | None = None
    arenas: Annotated[tuple[ArenaSpec, ...], Field(min_length=1)]


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
    emoji: Annotated[str, clean_to(8)] = ""
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


WORDS, TABLE = "(words)", "(table)"  # how a memory is written; pydantic puts it into places


def _find_memory_tag(value: object) -> str:
    return TABLE if isinstance(value, dict | PastMemory) else WORDS


SomeMemory = Annotated[
    Annotated[Paragraph, Tag(WORDS)] | Annotated[PastMemory, Tag(TABLE)],
    Discriminator(_find_memory_tag),
]


SPRITE_LIMIT = 32_768  # bytes of a picture
SPRITE_MARK = "data:image/png;base64,"


def _check_sprite(value: str) -> str:
    """Return the text of a picture, which the loader puts where the file's name was."""
    if not value.startswith(SPRITE_MARK):
        raise ValueError(f"{value[:40]!r} is no picture; the name of a PNG file is wanted")
    return value


Sprite = Annotated[str, Field(max_length=2 * SPRITE_LIMIT), AfterValidator(_check_sprite)]


class Person(Model):
    """One of the people.

    Attributes:
        name: First and last name; the agent's id.
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
    sprite: Later[Sprite | None] = None
    vision_radius: Radius | None = None
    hearing_radius: Radius | None = None
    attention_bandwidth: Annotated[int, Field(ge=1, le=100)] = 8
    retention: Annotated[int, Field(ge=0, le=1000)] = 8
    phone: bool = True
    present: bool = True
    past: Past | None = None


class Fact(Model):
    """Something that can spread.

    Attributes:
        id: By which questions, gatherings, rewards and reports name it.
        statement: The fact as a sentence; policies without a model say it in these words.
        known_by: Who knows it from the start.
        patterns: Hearing it is recognised where any of them is found in what was said: regular
            expressions, in any case; what may stand in them says scenarios/README.md.
        secret: Those who know it from the start keep it to themselves: neither the menu's small
            talk nor the policy `scripted` passes it on.
    """

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    statement: Line
    known_by: tuple[Name, ...] = ()
    patterns: Annotated[Patterns, Field(min_length=1)]
    secret: bool = False


class Gathering(Model):
    """An occasion whose attendance is counted.

    Attributes:
        id: By which questions, rewards and reports name it.
        place: Where one has to be.
        start: From when on being there counts.
        end: Until when.
        host: Who gives it, and does not count as invited.
        fact: The fact that is word of it: whoever knows it is invited.
    """

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    place: Ref
    start: LocalTime
    end: LocalTime
    host: Name | None = None
    fact: str | None = None


class ScheduledEvent(Model):
    """Something that happens to the town at a time, recorded like an intervention.

    Attributes:
        at: When.
        kind: `news`: `text` is heard at `place`, everywhere without one. `whisper`: `text` is a
            thought of `agent`. `object`: `object` changes to `state`. `move`: `agent` is put at
            `place`. `join`: `agent` comes to the town, at `place` or the own start. `leave`:
            `agent` leaves it.
        agent: To whom it happens.
        place: Where.
        object: Which object changes.
        state: The state it changes to.
        text: The words of news, or of a thought.
    """

    at: LocalTime
    kind: Literal["whisper", "news", "object", "move", "join", "leave"]
    agent: Name | None = None
    place: Ref | None = None
    object: Ref | None = None
    state: Line | None = None
    text: Line | None = None


class Question(Model):
    """A question put to people in interviews, which leave no trace in them.

    Attributes:
        id: By which checks and reports name it.
        text: Its words; with `about = "everyone"` a name takes the place of `{person}`.
        to: Who is asked; everybody where nobody is named.
        when: Before the run, after it, or both.
        about: `everyone`: it is asked once for every other person, and tells whether one knows
            them.
        fact: The fact that a knowing answer shows.
        gathering: The gathering that the answer is about: where one was, or why one did not come.
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
    """Whether every answer to a question does what is asked of it: yes or no.

    By rule: yes where a pattern of `yes` is found in the answer and none of `no` is; without any
    pattern the rule has no opinion. By model: `ask` is put to a judge with question and answer.

    Attributes:
        kind: Which kind of check this is.
        id: By which successes and reports name it.
        question: Whose answers are looked at.
        ask: What is asked of each answer, in words for a judge that is a model.
        yes: Any of them in the answer says yes.
        no: Any of them in the answer says no, whatever else is in it.
    """

    kind: Literal["answer"]
    id: Id
    question: Id
    ask: Line
    yes: Patterns = ()
    no: Patterns = ()


class Value(Model):
    """One of the values that an answer may have, and the words by which a rule knows it.

    Attributes:
        value: What it is called.
        patterns: An answer has it where any of them is found.
        no: But not where any of these is found.
    """

    value: Line
    patterns: Patterns = ()
    no: Patterns = ()


class ValueCheck(Model):
    """Which value an answer to a question has.

    By rule: the value one of whose patterns is found. What a pattern finds stands where its group
    `at` does, if it has one. Without any pattern the rule has no opinion. By model: `ask` is put to
    a judge with question, answer and the values to choose from.

    Attributes:
        kind: Which kind of check this is.
        id: By which successes and reports name it.
        question: Whose answers are looked at.
        ask: What a judge that is a model is asked.
        values: Those that it may have.
        otherwise: What it has where it has none of them.
        several: Where several are found it has the one found first, or none of them.
    """

    kind: Literal["value"]
    id: Id
    question: Id
    ask: Line
    values: Annotated[tuple[Value, ...], Field(min_length=1, max_length=30)]
    otherwise: Line = "none"
    several: Literal["first", "otherwise"] = "otherwise"


class PlaceCheck(Model):
    """Whether one is at a place at a time.

    Attributes:
        kind: Which kind of check this is.
        id: By which successes and reports name it.
        place: Where one has to be.
        at: When; the end of the run where it is left out.
    """

    kind: Literal["place"]
    id: Id
    place: Ref
    at: LocalTime | None = None


class FactCheck(Model):
    """Whether one knows a fact at a time, from the start or since one heard it, by its patterns.

    Attributes:
        kind: Which kind of check this is.
        id: By which successes and reports name it.
        fact: Which fact.
        at: When; the end of the run where it is left out.
    """

    kind: Literal["fact"]
    id: Id
    fact: Id
    at: LocalTime | None = None


class ObjectCheck(Model):
    """Whether an object is in a state at a time, and it was one who put it so.

    Where it was in that state already, it is whoever brought it there.

    Attributes:
        kind: Which kind of check this is.
        id: By which successes and reports name it.
        object: Which object.
        state: The state that it has to be in.
        at: When; the end of the run where it is left out.
        unseen_by: None of these people may have been awake in the same arena as it was done.
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
    """What counts as success, of one check or of other successes.

    Exactly one of `check`, `all`, `any` and `none` is given.

    Attributes:
        id: By which further successes and reports name it.
        title: What it says, as a sentence for reports.
        check: The check whose verdicts are put together.
        of: The people whose verdicts count; all who have one where nobody is named.
        over: How they are put together: all of them, any, none, or `equal`: all have the same
            value, which is not the check's `otherwise`.
        value: Of a value check: the value that counts as yes.
        all: Successes before this one that must all hold.
        any: Successes before this one of which one must hold.
        none: Successes before this one of which none may hold.
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
    """One agent's task for the reward `errand`.

    Attributes:
        agent: Who has to do it.
        object: The object.
        state: The state into which it has to be put.
    """

    agent: Name
    object: Ref
    state: Line


class Reward(Model):
    """What trained policies are rewarded with; see `genagents_env.rewards` for each formula.

    Attributes:
        name: `none`: 0. `attendance`: hours spent at a gathering while it goes on.
            `knowledge_spread`: how many people heard a fact first from one. `errand`: 1 when one's
            object gets into its state by one's own hand.
        fact: Of `knowledge_spread`: which fact; any where it is left out.
        gathering: Of `attendance`: which gathering; any where it is left out.
        errands: Of `errand`: what has to be done.
        step_cost: Of `errand`: taken off at each tick until it is done.
        ends: The episode is over when all errands are done.
    """

    name: Literal["none", "attendance", "knowledge_spread", "errand"] = "none"
    fact: str | None = None
    gathering: str | None = None
    errands: tuple[Errand, ...] = ()
    step_cost: Annotated[float, Field(ge=0, le=1)] = 0.0
    ends: bool = False


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
        phone: People can talk over any distance, if both have a telephone.
        restart: The action `Restart` puts one back to one's start.
        max_utterance: Characters; what is longer is cut.
        conversation: Those of talk.
    """

    walk_speed: Annotated[float, Field(gt=0, le=10)] = 0.1
    paths: Annotated[Literal["fields", "astar"], Field(exclude_if="fields".__eq__)] = "fields"
    cut_through_houses: Later[bool] = False
    bodies_block: Later[bool] = False
    swap_seconds: Annotated[int, Field(ge=0, le=3600, exclude_if=SWAP_SECONDS.__eq__)] = (
        SWAP_SECONDS
    )
    vision_radius: Radius = 8
    hearing_radius: Radius = 8
    line_of_sight: bool = False
    overhear: bool = True
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
