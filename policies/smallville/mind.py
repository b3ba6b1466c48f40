"""What an agent carries from tick to tick: the memory stream and everything around it."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import ClassVar

from genagents_env.cognition.mind import Mind, Services
from genagents_env.cognition.query import PendingQuery
from genagents_env.memory.stream import MemoryStream
from genagents_env.policy import Profile
from genagents_env.scenario.past import PastMemory
from genagents_env.text import split_sentences

from .commitments import Commitment
from .config import SmallvilleConfig
from .day import Day

SEED, PAST = "seed", "past"  # causes of what the profile says, and of what was lived before it
_SEED_IMPORTANCE = 5.0  # of 10: what the agent is does not compete with what happens today
_FACT_IMPORTANCE = 8.0


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


def make_mind(services: Services[SmallvilleConfig], profile: Profile) -> SmallvilleMind:
    """Return a mind that remembers the profile: what was lived before, nature, knowledge."""
    mind = SmallvilleMind(services, profile, status=first_status(profile))
    for memory in profile.dated:
        add_past_memory(mind, memory)
    add_seeds(mind)
    return mind


def add_seeds(mind: SmallvilleMind, known: Collection[str] = ()) -> None:
    """Remember what the profile says, but for the texts in `known`."""
    profile = mind.profile
    knows = (profile.name, "knows")
    seeds: list[tuple[str, float, tuple[str, ...]]] = [
        *((text, _SEED_IMPORTANCE, ()) for text in profile.memories),
        *(
            (f"{profile.name} knows {other}: {about}", _SEED_IMPORTANCE, (*knows, other))
            for other, about in profile.relationships.items()
        ),
        *((fact.statement, _FACT_IMPORTANCE, ()) for fact in profile.facts),
    ]
    for text, importance, about in seeds:
        if text not in known:
            mind.stream.add(
                "thought", text, created=0, importance=importance, about=about, cause=SEED
            )


def add_past_memory(mind: SmallvilleMind, memory: PastMemory) -> None:
    """Remember something lived before the start; its evidence are ids of the stream."""
    to_second = mind.services.to_second
    id_ = mind.stream.add(
        memory.kind,
        memory.text,
        created=to_second(memory.time),
        importance=memory.importance,
        evidence=memory.evidence,
        about=memory.about,
        place=memory.place,
        start=None if memory.begins is None else to_second(memory.begins),
        duration=memory.seconds,
        expires=None if memory.expires is None else to_second(memory.expires),
        cause=SEED if memory.seed else memory.cause or PAST,
    )
    if memory.accessed is not None:
        mind.stream.touch([id_], to_second(memory.accessed))


def first_status(profile: Profile) -> str:
    """Return what one is up to at the start: what the profile says of it, else the goal."""
    return "; ".join(split_sentences(profile.currently)) or profile.goal
