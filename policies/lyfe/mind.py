"""What an agent carries from tick to tick: the internal states, and the memory around them.

Source: Lyfe Agents (Kaiya et al. 2023), section 3.1. Everything in words; times are game seconds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, TypeAlias

from genagents_env.cognition import names
from genagents_env.cognition.mind import Mind, Services, list_known_texts
from genagents_env.cognition.query import PendingQuery, QueryHandler
from genagents_env.memory.forgetting import ForgettingMemory
from genagents_env.policy import Profile
from genagents_env.text import quote

from .config import LyfeConfig

OptionKind = Literal["decide", "talk", "go", "find", "reflect", "wait"]


@dataclass(slots=True)
class WorkItem:
    """Something that just came to mind: words heard, a thought, or news of itself.

    `speaker`: who said it; empty for what nobody said. `event`: its id in the record, -1 for what
    is in none, such as the agent's own thoughts and words; these rest on the events `behind` them.
    """

    text: str
    at: int
    speaker: str = ""
    event: int = -1
    behind: list[int] = field(default_factory=list)

    def list_sources(self) -> list[int]:
        """Return the ids of the record's events that it is or rests on."""
        return [self.event] if self.event >= 0 else self.behind

    def format_text(self) -> str:
        """Return it as it is remembered and searched for."""
        return f"{self.speaker} said: {quote(self.text)}" if self.speaker else self.text


@dataclass(slots=True)
class LyfeOption:
    """What the agent is doing. `decide`: nothing yet; the controller is to be asked.

    `target`: the place or the person; `subgoal`: what for. `only`: what the controller may choose
    from, everything where it is empty. `ended`: the kind of the option before, which the controller
    seldom chooses again; `before`: what that was for; `outcome`: what it came to, in words.
    `heading`: where the agent looks for the person to be found; `looked`: the places where it has
    looked. `leaving`: words of parting were said, and the talk only goes on for an answer.
    `refusals`: how many choices in a row named nothing that there is. `found`: how often the
    person was found, and walked on before a word was said.
    """

    kind: OptionKind = "decide"
    target: str = ""
    subgoal: str = ""
    begun: int = 0
    only: list[str] = field(default_factory=list)
    ended: str = ""
    before: str = ""
    outcome: str = ""
    heading: str = ""
    looked: list[str] = field(default_factory=list)
    leaving: bool = False
    refusals: int = 0
    found: int = 0


@dataclass(slots=True)
class OpenQuestion:
    """A question that is not answered yet, as all who heard it know.

    `asked`: who has still to answer, `each` of them, or else any; `at`: the second at which the
    words have sounded.
    """

    asker: str
    asked: list[str]
    each: bool
    at: int


@dataclass(slots=True)
class SummarySentence:
    """A sentence, and the ids of the record's events that it rests on, ascending."""

    text: str
    events: list[int] = field(default_factory=list)


@dataclass(slots=True)
class LyfeSummary:
    """The narrative of what goes on, and its sentences with what they rest on.

    `updates`: how often it was written; `stored`: how many of these went to recent memory.
    `seen`: what it was made of last, so that it is not made of the same again.
    """

    text: str = ""
    parts: list[SummarySentence] = field(default_factory=list)
    updates: int = 0
    stored: int = 0
    seen: str = ""


@dataclass(slots=True)
class LyfeOutlook:
    """What the agent is after and what it is like; when that was `considered` last."""

    goal: str = ""
    traits: list[str] = field(default_factory=list)
    considered: int = 0


@dataclass(slots=True)
class SpeakingTurn:
    """Whose turn it is to speak, as far as the agent can hear.

    `event`: of the utterance heard last, -1 before any; `speaker`: whose it was; `until`: the
    second at which the last words have sounded; `delay`: the seconds after that which it leaves to
    others; `mine`: the last words were its own; `passed`: how many utterances it still lets pass,
    having had nothing to say; `owed`: who was named and has not answered yet, in turn. `questions`:
    those that nobody has answered yet. `unsaid`: words decided on but not said yet, which rest on
    the events `behind` them; `kept`: they were lost once, since somebody else was speaking.
    """

    event: int = -1
    speaker: str = ""
    until: int = -1
    delay: int = 0
    mine: bool = False
    passed: int = 0
    owed: list[str] = field(default_factory=list)
    questions: list[OpenQuestion] = field(default_factory=list)
    unsaid: str = ""
    behind: list[int] = field(default_factory=list)
    kept: bool = False


@dataclass
class LyfeMind(Mind[LyfeConfig]):
    """The mind of one agent. Everything but `services` and `profile` is state.

    Attributes:
        outlook: its goal and traits, at first those of the profile.
        option: what the agent is doing.
        summary: of what goes on.
        work: work memory, the oldest first.
        buffer: the latest observations, the oldest first; used by those without a self-monitor.
        stored: what of the buffer has gone to memory.
        recent: recent memory; unused where `saf_memory` is off.
        long: long memory, which begins with what the agent knows of itself; the only one where
            `saf_memory` is off.
        turn: of speaking.
        fresh: something happened since the controller was asked last that calls for a decision.
        news: what came to mind since the summary was begun last, the oldest first; `feedback`:
            some of it is that a step of its own came to nothing.
        unthought: how much was heard or noticed that neither summary nor thought has taken in.
        heard: words heard lately, the oldest first; `sights` the same of what was seen.
        uttered: utterances that repetition is looked for in, the oldest first; `repeats`: how many
            of them repeat an earlier one.
        near: who is near enough to talk to, the nearest first.
        people: whom it knows by name, in the order of knowing; `met` those of them it has seen;
            `named`: whole names that it only knows from words, of those heard `named_by` whom
            (empty: by nobody in particular); `missed`: whom it looked for in
            vain, and when that was; `seen`: where and when it saw somebody last; `seekers`: who
            is seen to look for the agent, and since when.
        last: the kind of the agent's last action; `going`: where it led.
        numbers: how often each purpose was asked at tick `counted`.
    """

    stores: ClassVar[tuple[str, ...]] = ("recent", "long")

    services: Services[LyfeConfig]
    profile: Profile
    outlook: LyfeOutlook = field(default_factory=LyfeOutlook)
    option: LyfeOption = field(default_factory=LyfeOption)
    summary: LyfeSummary = field(default_factory=LyfeSummary)
    work: list[WorkItem] = field(default_factory=list)
    buffer: list[WorkItem] = field(default_factory=list)
    stored: list[WorkItem] = field(default_factory=list)
    recent: ForgettingMemory = field(default_factory=lambda: ForgettingMemory(10, 0.9))
    long: ForgettingMemory = field(default_factory=lambda: ForgettingMemory(10_000, 0.9))
    turn: SpeakingTurn = field(default_factory=SpeakingTurn)
    fresh: bool = True
    news: list[WorkItem] = field(default_factory=list)
    feedback: bool = False
    unthought: int = 1
    heard: list[str] = field(default_factory=list)
    sights: list[str] = field(default_factory=list)
    uttered: list[str] = field(default_factory=list)
    repeats: list[bool] = field(default_factory=list)
    near: list[str] = field(default_factory=list)
    people: list[str] = field(default_factory=list)
    met: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    named_by: dict[str, str] = field(default_factory=dict)
    missed: dict[str, int] = field(default_factory=dict)
    seen: dict[str, tuple[str, int]] = field(default_factory=dict)
    seekers: dict[str, int] = field(default_factory=dict)
    pending: list[PendingQuery] = field(default_factory=list)
    last: str = ""
    going: str = ""
    tick: int = -1
    counted: int = -1
    numbers: dict[str, int] = field(default_factory=dict)

    @property
    def goal(self) -> str:
        """What the agent is after; empty where that is nothing in particular."""
        return self.outlook.goal

    @property
    def me(self) -> Profile:
        """Who the agent is by now."""
        return replace(self.profile, goal=self.outlook.goal, traits=tuple(self.outlook.traits))

    def list_roles(self, name: str) -> tuple[str, ...]:
        """List somebody's roles, such as "police officer", as far as the agent knows."""
        about = self.profile.persona if name == self.name else self.profile.relationships.get(name)
        return names.list_roles(about or "")


Handlers: TypeAlias = Mapping[str, QueryHandler[LyfeMind]]


def make_mind(services: Services[LyfeConfig], profile: Profile) -> LyfeMind:
    """Return a mind that remembers the profile's life, knowledge and ties.

    What is recent goes to recent memory, where there is one; a fact of the scenario that a memory
    tells already is no memory of its own.
    """
    config = services.config
    forget = config.forget_above if config.saf_memory else None
    mind = LyfeMind(services, profile, people=list(profile.relationships))
    mind.outlook = LyfeOutlook(profile.goal, list(profile.traits))
    mind.recent, mind.long = (
        ForgettingMemory(config.recent_items, forget),
        ForgettingMemory(config.long_items, forget),
    )
    texts = list_known_texts(profile)
    recent = profile.recent_memories[-config.recent_items + 1 :] if config.saf_memory else ()
    for text in texts:
        (mind.recent if text in recent else mind.long).seed(text)
    for past in profile.dated:
        mind.long.seed(past.text, at=services.to_second(past.time))
    known = [mind.name, services.town, *mind.people, *(place.id for place in profile.town)]
    mind.named = names.list_full_names("\n".join(texts), known)
    return mind
