"""What an agent carries from tick to tick: the talk it is in, what it is about to do, memories."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, TypeAlias

from genagents_env.cognition.mind import Mind, Services, format_tie, list_untold_facts
from genagents_env.cognition.query import PendingQuery, QueryHandler
from genagents_env.memory.stream import MemoryStream
from genagents_env.policy import Profile
from genagents_env.text import split_sentences

from .config import AiTownConfig

Stage = Literal["inviting", "invited", "walking", "talking"]
StepKind = Literal["", "invite", "accept", "refuse", "words", "leave", "move", "other"]
SEED = "seed"  # the cause of a memory that the profile holds
LONG_AGO = -(10**9)  # a second before everything


@dataclass(slots=True)
class SaidLine:
    """Words of a talk. `event`: their id in the record, -1 for the agent's own; `at`: a second."""

    speaker: str
    text: str
    event: int
    at: int


@dataclass(slots=True)
class TalkState:
    """The talk that the agent is in.

    `others`: the first is whom it began with, the one of two. `stage`: how far it has come.
    `mine`: the agent invited, or leads. `begun`: when it was invited to; `started`: when both had
    come together, -1 before. `unsaid`: words to be said as soon as one may; `leaving`: they are the
    last, or there are none and one just leaves. `passed`: when the agent last had nothing to say.
    `typing`: since when the other is seen to think of words, -1 where it is not. `by_phone`: they
    need not come together. `turn`: of a group: who was looked at by the speaker, and is to speak.
    `gaze`: of a group: at whom the agent will look with its words. `failed`: the town did not let
    it say its words. `members`: the others whom the town counted among it at the moment before.
    `mutual`: each invited the other.
    """

    others: list[str]
    stage: Stage
    begun: int
    mine: bool
    started: int = -1
    lines: list[SaidLine] = field(default_factory=list)
    unsaid: str = ""
    leaving: bool = False
    passed: int = LONG_AGO
    typing: int = -1
    by_phone: bool = False
    turn: str = ""
    gaze: str = ""
    failed: bool = False
    members: list[str] = field(default_factory=list)
    mutual: bool = False

    @property
    def other(self) -> str:
        """Whom one talks with; of a group the first."""
        return self.others[0] if self.others else ""


@dataclass(slots=True)
class FinishedTalk:
    """A talk that is still to be remembered."""

    others: list[str]
    lines: list[SaidLine]
    ended: int


@dataclass(slots=True)
class LastStep:
    """What the agent did last: `text` are its words, `place` where it went, `action` its class."""

    kind: StepKind = ""
    text: str = ""
    place: str = ""
    action: str = ""


@dataclass(slots=True)
class Pursuit:
    """What the agent does by itself: an activity until a second, or a walk since one."""

    activity: str = ""
    until: int = 0
    heading: str = ""
    since: int = 0


@dataclass
class AiTownMind(Mind[AiTownConfig]):
    """The mind of one agent. Everything but `services` and `profile` is state.

    Attributes:
        identities: what others are, where the prompts tell that; empty otherwise.
        stream: of memories; their importance is one more than what the model rated.
        talk: that it is in, or is invited to.
        remembers: talks that are not remembered yet, the oldest first.
        pursuit: what it does meanwhile.
        step: what it did last.
        left: when its last talk ended; `tried`: when it last invited; `rested`: when its last
            activity ended.
        talked: when it last talked with whom; `declined`: when whom it invited last did not come.
        spacing: seconds that the town, as far as is known, wants between two talks of a pair.
        ignored: with whom it talked last, until its next walk has ended.
        reflected: when it last reflected.
        review: a talk has been remembered since it last looked whether to reflect.
        numbers: how often each purpose was asked at tick `counted`.
    """

    stores: ClassVar[tuple[str, ...]] = ("stream",)

    services: Services[AiTownConfig]
    profile: Profile
    identities: dict[str, str] = field(default_factory=dict)
    stream: MemoryStream = field(default_factory=MemoryStream)
    talk: TalkState | None = None
    remembers: list[FinishedTalk] = field(default_factory=list)
    pursuit: Pursuit = field(default_factory=Pursuit)
    step: LastStep = field(default_factory=LastStep)
    left: int = LONG_AGO
    tried: int = LONG_AGO
    rested: int = LONG_AGO
    talked: dict[str, int] = field(default_factory=dict)
    declined: dict[str, int] = field(default_factory=dict)
    spacing: int = 0
    ignored: list[str] = field(default_factory=list)
    reflected: int = LONG_AGO
    review: bool = False
    pending: list[PendingQuery] = field(default_factory=list)
    tick: int = -1
    counted: int = -1
    numbers: dict[str, int] = field(default_factory=dict)

    @property
    def plan(self) -> str:
        """The plan sentence; empty where there is nothing to make it of."""
        return find_plan(self.profile, self.config.plans)

    def begin_talk(self, talk: TalkState) -> None:
        """Enter a talk: whatever else the agent was doing is over."""
        self.talk = talk
        self.pursuit.heading = ""
        self.end_activity(talk.begun)

    def end_activity(self, now: int) -> None:
        """End the activity, if there is one."""
        if self.pursuit.activity:
            self.pursuit.activity, self.rested = "", now

    def finish_talk(self, now: int) -> None:
        """Be in no talk any more; one in which something was said is to be remembered.

        The pair leaves each other alone for a while, also where one of them declined.
        """
        talk = self.talk
        if talk is None:
            return
        self.talk, self.left = None, now
        came_to_be = talk.members or talk.lines
        for name in dict.fromkeys((*talk.others, *talk.members)):
            (self.talked if came_to_be else self.declined)[name] = now
        self.ignored = list(talk.others)
        if talk.lines:
            self.remembers.append(FinishedTalk(talk.others, talk.lines, now))


Handlers: TypeAlias = Mapping[str, QueryHandler[AiTownMind]]


def find_plan(profile: Profile, plans: Mapping[str, str]) -> str:
    """Return somebody's plan: as configured, else by goal, doings or persona."""
    persona = split_sentences(profile.persona)
    given = plans.get(profile.name, "")
    return given or profile.goal or profile.currently.strip() or (persona[-1] if persona else "")


def make_mind(
    services: Services[AiTownConfig], profile: Profile, identities: dict[str, str] | None = None
) -> AiTownMind:
    """Return a mind that remembers its ties and what else its profile knows.

    Args:
        services: of the run.
        profile: whose persona is the identity, unless the options give another.
        identities: what others are, by name, where the prompts are to tell it.
    """
    identity = services.config.identities.get(profile.name, profile.persona)
    mind = AiTownMind(services, replace(profile, persona=identity), identities or {})
    persona = split_sentences(profile.persona)
    known = [text for text in profile.memories if text not in persona]
    ties = [format_tie(other, about) for other, about in profile.relationships.items()]
    for text in dict.fromkeys([*ties, *known, *list_untold_facts(profile)]):
        _add_seed(mind, text, 0)
    for past in profile.dated:
        _add_seed(mind, past.text, services.to_second(past.time))
    return mind


def _add_seed(mind: AiTownMind, text: str, at: int) -> None:
    rated = mind.config.default_importance
    mind.stream.add("event", text, created=at, importance=to_importance(rated), cause=SEED)


def to_importance(rated: float) -> float:
    """Return a rating from 0 to 9 as the stream keeps it, from 1 to 10: ranks stay the same."""
    return rated + 1.0


def to_rating(importance: float) -> float:
    """Return the rating, from 0 to 9, of an importance that the stream keeps."""
    return importance - 1.0
