"""A mind: the memory stream, the day's plan, and all else that an agent carries from tick to tick.

All of it is saved, under the names of the fields. Times are seconds of game time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import ClassVar, TypeAlias

from genagents_env.cognition.mind import Mind, Services
from genagents_env.cognition.query import PendingQuery, QueryHandler
from genagents_env.memory.stream import MemoryStream
from genagents_env.policy import Profile
from genagents_env.text import split_sentences

from .config import SmallvilleConfig

MINUTE, HOUR, DAY = 60, 3600, 86_400  # seconds
SEED, PAST = "seed", "past"  # causes of what the profile says, and of memories of another run


@dataclass(slots=True)
class SmallvilleActivity:
    """What the agent is doing. `kind`: do, sleep or wait.

    `place`: the arena; `object`: its id where one is used, `use` the words for its new state;
    `until`: the second of game time at which it ends. `used`: the object needs no more doing, or
    the agent has slept; `arrived`: it is where it happens. `reaction`: not of the plan.
    """

    kind: str = "do"
    text: str = ""
    emoji: str = ""
    place: str = ""
    object: str = ""
    use: str = ""
    until: int = 0
    begun: int = 0
    arrived: bool = False
    used: bool = False
    reaction: bool = False


@dataclass(slots=True)
class PlanBlock:
    """A stretch of the day with one activity; seconds of game time, `end` excluded.

    `memory`: the id of what is remembered of it, -1 for nothing.
    """

    start: int
    end: int
    text: str
    memory: int = -1


@dataclass(slots=True)
class Piece:
    """A piece of a block: some minutes of one activity, and where it happens once grounded.

    `place`: arena id; `object`: object id or empty; `use`: words for the state the object gets;
    `about`: subject, predicate and object of the activity; `memory`: the id of what is remembered
    of it, -1 for nothing.
    """

    start: int
    end: int
    text: str
    place: str = ""
    object: str = ""
    use: str = ""
    emoji: str = ""
    about: tuple[str, ...] = ()
    memory: int = -1


@dataclass(slots=True)
class Day:
    """The plan of one day. Times are seconds of game time; empty where there is none yet.

    `date`: the calendar day, ISO 8601. `wake` to `bed` is the time up; what lies after `bed` is
    sleep. `pieces` reach as far as the day is taken apart.
    """

    date: str = ""
    wake: int = 0
    bed: int = 0
    outline: list[str] = field(default_factory=list)
    hours: list[PlanBlock] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)

    def find_block(self, now: int) -> PlanBlock | None:
        """Return the block in force at `now`."""
        return next((block for block in self.hours if block.start <= now < block.end), None)

    def find_piece(self, now: int) -> Piece | None:
        """Return the piece in force at `now`."""
        return next((piece for piece in self.pieces if piece.start <= now < piece.end), None)

    def find_reach(self, now: int) -> int:
        """Find the second up to which the day has pieces without a gap from `now` on."""
        reached = now
        for piece in self.pieces:
            if piece.start <= reached < piece.end:
                reached = piece.end
        return reached

    def drop_pieces(self, start: int) -> list[int]:
        """Forget the pieces from `start` on, and the part after it of one under way.

        Returns:
            The memories of those forgotten.
        """
        dropped = [piece.memory for piece in self.pieces if piece.start >= start]
        self.pieces = [piece for piece in self.pieces if piece.start < start]
        if self.pieces:
            self.pieces[-1].end = min(self.pieces[-1].end, start)
        return dropped

    def replace_hours(self, start: int, blocks: list[PlanBlock]) -> list[int]:
        """Put `blocks` in place of everything from `start` on.

        Returns:
            The memories of the blocks that are replaced whole.
        """
        dropped = [block.memory for block in self.hours if block.start >= start]
        kept = [block for block in self.hours if block.start < start]
        if kept:
            kept[-1].end = min(kept[-1].end, start)
        self.hours = [*kept, *blocks]
        return dropped


@dataclass(slots=True)
class Commitment:
    """Something promised. `date` is ISO 8601, `time` is HH:MM, empty where only the day is known.

    `where` and `with_whom` are in the words they were said in, empty where nothing was said.
    """

    date: str
    time: str
    what: str
    where: str = ""
    with_whom: str = ""

    @property
    def begin(self) -> datetime:
        """The town time at which it begins: midnight where only the day is known."""
        clock = time.fromisoformat(self.time) if self.time else time(0)
        return datetime.combine(date.fromisoformat(self.date), clock)


@dataclass(slots=True)
class DialogueLine:
    """An utterance of a conversation; `event`: its id in the record, -1 for the agent's words."""

    speaker: str
    text: str
    event: int


@dataclass(slots=True)
class Dialogue:
    """The conversation the agent is in, or goes up to somebody for. `id` is -1 until it is open.

    Attributes:
        id: of the conversation.
        begun: the second at which the agent took part, or made up its mind to.
        others: who else is in it.
        lines: what was said since.
        before: what was said in its hearing before it came.
        unsaid: words decided on but not yet heard by anyone.
        meant: words decided on that something else was said before.
        leaving: with `unsaid` it leaves.
        place: where.
        reason: why the agent wanted to talk.
        activities: what each of the others was doing before.
        phone: it calls, or was called.
        since: the second at which it began to walk up to the other, -1 if it does not.
        reach: tiles from which it speaks.
        turned: the tick at which it turned to those whom it joins.
        heard: the tick at which the last line was said.
        passed: how many lines there were when it last had nothing to say.
    """

    id: int
    begun: int
    others: list[str]
    lines: list[DialogueLine] = field(default_factory=list)
    before: list[DialogueLine] = field(default_factory=list)
    unsaid: str = ""
    meant: str = ""
    leaving: bool = False
    place: str = ""
    reason: str = ""
    activities: dict[str, str] = field(default_factory=dict)
    phone: bool = False
    since: int = -1
    reach: int = 0
    turned: int = -2
    heard: int = -1
    passed: int = -1


@dataclass(slots=True)
class HeardLine:
    """Words heard of late; `speaker` is empty for news. `at`: the second."""

    speaker: str
    text: str
    event: int
    at: int


@dataclass(slots=True)
class Tie:
    """What somebody is to the agent, in a sentence; `made`: when. `stale`: to be thought over."""

    text: str
    made: int
    stale: bool = False


@dataclass(slots=True)
class Focus:
    """Something noticed that may make the agent do something else; `since`: the second.

    `kind`: person, object, speech, news, thought or notice. `subject`: a person's name or an
    object's id. `named`: it names the agent, as one who is served or spoken of.
    """

    kind: str
    subject: str
    text: str
    since: int
    named: bool = False


@dataclass(slots=True)
class BelievedObject:
    """What the agent believes of an object: its state when last seen, which may be stale.

    `rest`: the state in which it was found first. `states`: those it can have, as far as the agent
    has seen; `free_text`: any words will do. Both are empty where it may not use the object.
    """

    name: str
    state: str
    seen: int
    rest: str = ""
    states: list[str] = field(default_factory=list)
    free_text: bool = False


@dataclass(slots=True)
class TemporaryUse:
    """What the agent did to an object for the time of an activity: the state before, and since."""

    before: str
    since: str


@dataclass(slots=True)
class SelfSummary:
    """The summary description of the agent, and when it was made (-1: never)."""

    core: str = ""
    occupation: str = ""
    progress: str = ""
    made: int = -1


@dataclass(slots=True)
class Attention:
    """What perceiving remembers of what was perceived.

    `events`: for each person or object in sight the event last noticed of them. `recent`: the
    last so many observations, for the retention window. `idle`: things lately seen to be idle.
    `ratings`: importance by the words of a text.
    `unrated`: memories that wait for their importance, with the second since when.
    `changes`: memories that may have changed what the agent is up to, looked for up to `scanned`;
    `renewed`: when that was asked last. `considered`: when each person or object was last reacted
    to. `talked`: when the last conversation with someone ended. `importance`: of what was observed
    since the last reflection.
    `focus`: what waits to be reacted to; `news`: what goes before it, oldest first.
    """

    events: dict[str, int] = field(default_factory=dict)
    recent: list[str] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)
    ratings: dict[str, float] = field(default_factory=dict)
    unrated: list[int] = field(default_factory=list)
    unrated_since: int = 0
    considered: dict[str, int] = field(default_factory=dict)
    talked: dict[str, int] = field(default_factory=dict)
    importance: float = 0.0
    changes: list[int] = field(default_factory=list)
    scanned: int = 0
    renewed: int = 0
    focus: Focus | None = None
    news: list[Focus] = field(default_factory=list)


@dataclass
class SmallvilleMind(Mind[SmallvilleConfig]):
    """An agent's mind. Everything but `services` and `profile` is state; times are game seconds.

    `status`: what it is up to these days, the paper's "currently"; `requirements`: what a day has
    to hold; `commitments`: what it has promised, in the order of time. `objects`: what it believes
    of the objects it has seen, by id. `blocked`: until when a place or object is not tried again;
    `refused`: why it last could not get into one, and when. `uses`: what it has put into another
    state for the time of an activity, by id. `ties`: what others are to it. `heard`: words of the
    last minutes. `place`: where it is. `last`, `going`: its last action and where it led.
    `numbers`: how often each purpose was asked at tick `counted`.
    """

    stores: ClassVar[tuple[str, ...]] = ("stream",)

    services: Services[SmallvilleConfig]
    profile: Profile
    stream: MemoryStream = field(default_factory=MemoryStream)
    attention: Attention = field(default_factory=Attention)
    objects: dict[str, BelievedObject] = field(default_factory=dict)
    summary: SelfSummary = field(default_factory=SelfSummary)
    day: Day = field(default_factory=Day)
    activity: SmallvilleActivity = field(default_factory=SmallvilleActivity)
    dialogue: Dialogue | None = None
    ties: dict[str, Tie] = field(default_factory=dict)
    heard: list[HeardLine] = field(default_factory=list)
    pending: list[PendingQuery] = field(default_factory=list)
    status: str = ""
    requirements: list[str] = field(default_factory=list)
    commitments: list[Commitment] = field(default_factory=list)
    blocked: dict[str, int] = field(default_factory=dict)
    refused: str = ""
    refused_at: int = 0
    uses: dict[str, TemporaryUse] = field(default_factory=dict)
    asleep: bool = False
    place: str = ""
    last: str = ""
    going: str = ""
    tick: int = -1
    counted: int = -1
    numbers: dict[str, int] = field(default_factory=dict)

    def add_thought(
        self, text: str, now: int, importance: float, evidence: Sequence[int], cause: str
    ) -> None:
        """Remember a thought that rests on other memories, for as many days as thoughts last."""
        self.stream.add(
            "thought",
            text,
            created=now,
            importance=importance,
            evidence=evidence,
            expires=now + self.config.thought_days * DAY,
            cause=cause,
        )

    def drop_plan(self, memories: Sequence[int], now: int) -> None:
        """Forget these memories of plans; -1 is none."""
        for memory in memories:
            if memory >= 0:
                self.stream.expire(memory, now)


Handlers: TypeAlias = Mapping[str, QueryHandler[SmallvilleMind]]


def first_status(profile: Profile) -> str:
    """Return the status at the start: as the profile says, else the goal."""
    return "; ".join(split_sentences(profile.currently)) or profile.goal
