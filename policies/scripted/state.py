"""What a scripted person carries from tick to tick."""

from dataclasses import dataclass, field, fields

from genagents_env.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ScriptedConfig:
    """How talkative scripted people are.

    `share`: the probability that a fact is passed on to a listener, drawn once for each.
    `mute`: nobody says a word. `greet_again_minutes`: after how long someone met today is
    greeted again. `retell_minutes`: after how long someone met is approached again with a fact
    they were not told. `near`: at most so many tiles away people are spoken to, and
    never beyond one's own hearing.
    """

    share: float = 1.0
    mute: bool = False
    greet_again_minutes: int = 240
    retell_minutes: int = 40
    near: int = 6

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ConfigError(f"scripted: share is {self.share}, allowed is 0 to 1")
        if min(self.greet_again_minutes, self.retell_minutes, self.near) < 1:
            raise ConfigError("scripted: minutes and tiles are at least 1")


@dataclass(slots=True)
class Chat:
    """The conversation the agent is in; times in seconds.

    `mine`: the last words were the agent's own. `turn`: from when on it may answer them: at once
    where they were addressed to it, later where to another. `thanks`: they brought a fact.
    `telling`: whom it is telling which facts, until that is known to have worked.
    """

    id: int = -1
    said: int = 0
    mine: bool = False
    last: int = 0
    turn: int = 0
    thanks: bool = False
    telling: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ScriptedState:
    """The memory of one agent, JSON values only. Times are seconds since the start.

    `facts`: fact id to the sentence it is passed on in; `sources`: the event by which it was
    heard; `secrets`: those known from the start that it keeps to itself. `voices`: who was heard
    speaking, and the first event in which. `told`: fact id to the people who have it from or with
    it. `met`: when someone was last greeted or talked with; `busy`: when they were last heard
    talking to others. `entry`: index of the routine entry being followed; `arrived`, `used`: how
    far it has come. `bed`: the bed's object id once found; `searched`: where it was looked for
    tonight. `last`: the kind of its last action, to which the percept's result belongs; `going`:
    where to, if it was a Move; `detour`: a room to look into first, on the way to an unknown one.
    """

    facts: dict[str, str] = field(default_factory=dict)
    sources: dict[str, int] = field(default_factory=dict)
    secrets: list[str] = field(default_factory=list)
    voices: dict[str, int] = field(default_factory=dict)
    told: dict[str, list[str]] = field(default_factory=dict)
    met: dict[str, int] = field(default_factory=dict)
    busy: dict[str, int] = field(default_factory=dict)
    chat: Chat = field(default_factory=Chat)
    quiet_until: int = 0
    entry: int = -2
    arrived: bool = False
    used: int = 0
    wait_until: int = 0
    bed: str | None = None
    searched: list[str] = field(default_factory=list)
    last: str = ""
    going: str = ""
    detour: str = ""

    def as_json(self) -> dict[str, object]:
        """Return it as JSON values that do not change with it.

        `dataclasses.asdict` would copy every name of everybody met one by one.
        """
        told = {fact: list(names) for fact, names in self.told.items()}
        return {**_list_fields(self), "told": told, "chat": _list_fields(self.chat)}

    def knows(self, fact: str, name: str) -> bool:
        """Return True if `name` has `fact` from or with this person."""
        return name in self.told.get(fact, ())

    def tell(self, fact: str, name: str) -> None:
        """Remember that `name` has `fact`."""
        if not self.knows(fact, name):
            self.told.setdefault(fact, []).append(name)


def _list_fields(value: "Chat | ScriptedState") -> dict[str, object]:
    """Return the fields by name, their own lists and tables copied."""
    found = {one.name: getattr(value, one.name) for one in fields(value)}
    return {
        name: one.copy() if isinstance(one, dict | list) else one for name, one in found.items()
    }
