"""What a scene of a run is: some people, a place, a time, and lines about what happened."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

from genagents_env.record.rows import JSON

SceneKind: TypeAlias = Literal["intervention", "gathering", "talk", "activity", "sleep"]
LineKind: TypeAlias = Literal[
    "come",
    "say",
    "learn",
    "doing",
    "visit",
    "sleep",
    "wake",
    "news",
    "whisper",
    "put",
    "join",
    "part",
    "object",
]


@dataclass(frozen=True, slots=True)
class SceneLine:
    """One thing that happened in a scene.

    Attributes:
        tick: when.
        agent: who did it, or to whom it happened; None for nobody in particular.
        kind: as the record's events; `come`: to the scene, from that of the scene before;
            `visit`: to a gathering.
        text: of `say`, `news` and `whisper` the words as they were said; else what happened, to
            be read after the agent's name.
        event: the id of the record's event; -1 where there is none.
        facts: of `say` those recognised in it, of `learn` that heard for the first time; ids.
        other: of `say` whom the speaker chose to address, of `learn` who said it, of `come` the
            place from which one came; empty where there is none.
        phone: said by telephone.
        unheard: said, and nobody heard it.
    """

    tick: int
    agent: str | None
    kind: LineKind
    text: str
    event: int = -1
    facts: tuple[str, ...] = ()
    other: str = ""
    phone: bool = False
    unheard: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """What happened at one place among the same people, or to the town from outside.

    Attributes:
        kind: `talk`: a conversation, or words said in none. `gathering`: one of the scenario's;
            the talks held there then are scenes of their own. `activity`: what people did who
            were at one place, alone or side by side. `sleep`: those who slept at overlapping
            times. `intervention`: news, a thought given, somebody put, come or gone, an object
            changed.
        first: the tick with which it began.
        last: the tick at which it was over, or the run's last.
        place: the id of the place; empty where it has none, or several.
        people: in the order of their coming; of news who heard it.
        title: one line on it.
        lines: what happened, in order; walking is folded into `come`.
        gathering: the id of the gathering that it is, or that it was part of.
    """

    kind: SceneKind
    first: int
    last: int
    place: str
    people: tuple[str, ...]
    title: str
    lines: tuple[SceneLine, ...]
    gathering: str | None = None

    def of_kind(self, kind: LineKind) -> tuple[SceneLine, ...]:
        """Return its lines of one kind."""
        return tuple(line for line in self.lines if line.kind == kind)

    def as_indices(self, agents: Mapping[str, int], facts: Mapping[str, int]) -> dict[str, JSON]:
        """Return it as JSON values, people and facts by their places in lists; nobody is -1."""
        return {
            **asdict(self),
            "people": [agents[name] for name in self.people if name in agents],
            "lines": [
                {
                    "tick": line.tick,
                    "agent": agents.get(line.agent or "", -1),
                    "kind": line.kind,
                    "text": line.text,
                    "event": line.event,
                    "facts": [facts[fact] for fact in line.facts if fact in facts],
                    "other": line.other,
                }
                for line in self.lines
            ],
        }
