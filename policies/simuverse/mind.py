"""What an agent carries from tick to tick: the last messages, the tool under way, the strikes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from genagents_env.cognition.mind import Mind, Services, list_known_texts
from genagents_env.cognition.query import PendingQuery, QueryHandler
from genagents_env.memory.forgetting import ForgettingMemory
from genagents_env.policy import Profile

from .config import SimuverseConfig

TO_OTHERS = "said, to others"  # what was overheard is headed by that
StepKind = Literal["", "walk", "open", "say", "leave", "call", "scan", "idle", "restart"]


@dataclass(slots=True)
class HistoryLine:
    """A message: what was said or chosen, or what came of it.

    `head`: whose it is, in words of the prompt, such as "you chose" or "Ben Carver said". `event`:
    its id in the record, -1 for what is in none.
    """

    at: int
    head: str
    text: str
    event: int = -1


@dataclass(slots=True)
class ToolStep:
    """What the agent does at a tick.

    `target`: the place, or the person spoken to. `words`: said with it. `leave`: and then one goes.
    `since`: when it was begun. `about`: the place of an invitation.
    """

    kind: StepKind = ""
    target: str = ""
    words: str = ""
    leave: bool = False
    since: int = 0
    about: str = ""


@dataclass(slots=True)
class TalkSession:
    """The conversation that the agent is in.

    `members`: the others in it, in the order of joining. `to_join`: whom the agent still wants in
    it. `said`: its own utterances; `spoken`: those of all; `speaker`: of the last one, and `at`
    when. `silent`: its empty replies in a row. `ending`: why it is about to leave: it has `left`,
    or the conversation was too `long`.
    """

    id: int = -1
    members: list[str] = field(default_factory=list)
    to_join: list[str] = field(default_factory=list)
    said: int = 0
    spoken: int = 0
    speaker: str = ""
    at: int = 0
    silent: int = 0
    ending: Literal["", "left", "long"] = ""


@dataclass(slots=True)
class MeetingInvitation:
    """Who invited the agent, in what words, and when; `place`: where to, empty where not known."""

    who: str
    words: str
    place: str
    at: int
    event: int


@dataclass(slots=True)
class LastSighting:
    """Where somebody was when the agent saw them last, what they did, and when that was."""

    at: int
    place: str
    doing: str


@dataclass
class SimuverseMind(Mind[SimuverseConfig]):
    """The mind of one agent. Everything but `services` and `profile` is state.

    Attributes:
        input: the last input, in lines: what came of the last tool.
        introduced: whether the introduction was answered; until then it is the input.
        strikes: invalid replies in a row; `failures`: tools in a row that came to nothing.
        history: the last messages, the oldest first.
        step: what the agent did at the last tick; `plan`: what it means to do at this one.
        chosen: the reply with which the tool under way was chosen.
        going: the place to which it walks, and since when; `then`: where it walks once it has left
            the conversation.
        talk: the conversation that it is in, if any; `opening`: whom it asked into one.
        invitations: that stand, the oldest first.
        calls: invitations that did not get through, which are tried again; `called_at`: when last.
        chosen_at: when a tool was chosen last; `due`: the next choice does not wait its time.
        people: whom it knows by name, in the order of knowing; `seen`: where it saw them last.
        memory: all that it remembers; unused where `memory` is off.
        last: the kind of the last action.
        numbers: how often each purpose was asked at tick `counted`.
    """

    stores: ClassVar[tuple[str, ...]] = ("memory",)

    services: Services[SimuverseConfig]
    profile: Profile
    input: list[str] = field(default_factory=list)
    introduced: bool = False
    strikes: int = 0
    failures: int = 0
    history: list[HistoryLine] = field(default_factory=list)
    step: ToolStep = field(default_factory=ToolStep)
    plan: ToolStep = field(default_factory=ToolStep)
    chosen: str = ""
    going: str = ""
    going_since: int = 0
    then: str = ""
    talk: TalkSession = field(default_factory=TalkSession)
    opening: list[str] = field(default_factory=list)
    invitations: list[MeetingInvitation] = field(default_factory=list)
    calls: list[ToolStep] = field(default_factory=list)
    called_at: int = 0
    chosen_at: int = -1
    due: bool = True
    people: list[str] = field(default_factory=list)
    seen: dict[str, LastSighting] = field(default_factory=dict)
    memory: ForgettingMemory = field(default_factory=lambda: ForgettingMemory(10_000, None))
    pending: list[PendingQuery] = field(default_factory=list)
    last: str = ""
    tick: int = -1
    counted: int = -1
    numbers: dict[str, int] = field(default_factory=dict)

    def report(self, *lines: str) -> None:
        """Add lines to the next input."""
        self.input += lines

    def shelve_input(self, at: int) -> None:
        """Put the last input into the history: it was answered, or something else came."""
        if self.input:
            self.note(at, "it came to", " ".join(self.input))
        self.input = []

    def note(self, at: int, head: str, text: str, event: int = -1) -> None:
        """Add a message to the history, which keeps but the last few that were overheard."""
        kept = [*self.history, HistoryLine(at, head, text, event)]
        overheard = [line for line in kept if line.head.endswith(TO_OTHERS)]
        if len(overheard) > self.config.overheard:
            kept.remove(overheard[0])
        self.history = kept[-self.config.history :] if self.config.history else []


Handlers: TypeAlias = Mapping[str, QueryHandler[SimuverseMind]]


def make_mind(services: Services[SimuverseConfig], profile: Profile) -> SimuverseMind:
    """Return a mind that remembers what its profile says."""
    mind = SimuverseMind(services, profile, people=list(profile.relationships))
    mind.memory = ForgettingMemory(services.config.memory_items, None)
    if services.config.memory == "rag":
        for text in list_known_texts(profile):
            mind.memory.seed(text)
        for past in profile.dated:
            mind.memory.seed(past.text, at=services.to_second(past.time))
    return mind
