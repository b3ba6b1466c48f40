"""The percept of an agent at one tick, as data. Every item names the event it comes from."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

Tile = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Body:
    """One's own body: where it is and what it is doing."""

    name: str
    place: str
    tile: Tile
    doing: str
    emoji: str
    asleep: bool
    event_id: int


@dataclass(frozen=True, slots=True)
class SeenPerson:
    """Someone in sight. `distance` in tiles (Chebyshev); `event_id`: the event of `doing`."""

    name: str
    place: str
    tile: Tile
    distance: int
    doing: str
    emoji: str
    asleep: bool
    event_id: int


@dataclass(frozen=True, slots=True)
class SeenObject:
    """Something in sight. `next_states`: what one may put it into; `usable`: near enough now.

    `lasting`: the states in which it stays when what one did with it is over, such as *laid*.
    `tile`: its first one; `tiles`: all of them, where it stands on several.
    """

    id: str
    name: str
    tile: Tile
    distance: int
    state: str
    next_states: tuple[str, ...]
    free_text: bool
    usable: bool
    event_id: int
    lasting: tuple[str, ...] = ()
    tiles: tuple[Tile, ...] = ()

    def is_beside(self, tile: Tile) -> bool:
        """Return True if `tile` is one of its tiles or touches one, corners included."""
        return any(
            max(abs(x - tile[0]), abs(y - tile[1])) <= 1 for x, y in self.tiles or (self.tile,)
        )


@dataclass(frozen=True, slots=True)
class HeardWords:
    """Words heard since the last percept.

    `kind`: speech by `speaker`; news; thought (whispered to oneself alone); notice (of the
    world to oneself, such as being removed from a conversation).
    `addressed`: spoken to oneself rather than overheard. `facts`: ids of the scenario's facts
    that were recognised in it.
    """

    kind: Literal["speech", "news", "thought", "notice"]
    speaker: str | None
    text: str
    addressed: bool
    by_phone: bool
    facts: tuple[str, ...]
    event_id: int


@dataclass(frozen=True, slots=True)
class Result:
    """The result of the last action. `arrived`: a Move has nothing left to do.

    The text of an arrival says who is there: "You are at Hobbs Cafe, cafe; Maria Lopez is here."
    """

    ok: bool
    text: str
    arrived: bool = False


@dataclass(frozen=True, slots=True)
class Conversation:
    """The conversation one is in. `may_speak`: the turn-taking rule lets one speak now."""

    id: int
    members: tuple[str, ...]
    turn: str | None
    may_speak: bool
    exchanges_left: int


@dataclass(frozen=True, slots=True)
class OwnGoal:
    """A goal one has been given, as the scenario's reward declares it; see `schema.plot.Goal`.

    `person` is None for `accuse`, which does not say whom. `done`: it is achieved, or lost,
    as far as one can know.
    """

    kind: str
    object: str | None
    state: str | None
    place: str | None
    person: str | None
    fact: str | None
    start: datetime | None
    end: datetime | None
    done: bool


class Percept(Protocol):
    """A frozen, lazy view of one agent's moment; unread, it costs nothing.

    Equal where the content is equal; safe to keep, copy and pickle. Tuples of people and objects
    are nearest first. While asleep one perceives only oneself, the time and what woke one.
    """

    @property
    def agent(self) -> str:
        """The agent's id: a person's name, or `resident_k` with `ids="indexed"`."""

    @property
    def tick(self) -> int:
        """Ticks since the start of the episode."""

    @property
    def time(self) -> datetime:
        """Local town time."""

    @property
    def me(self) -> Body:
        """One's own body."""

    @property
    def exits(self) -> tuple[str, ...]:
        """The other arenas whose entrance or inside is in sight."""

    @property
    def people(self) -> tuple[SeenPerson, ...]:
        """The people in sight, nearest first."""

    @property
    def objects(self) -> tuple[SeenObject, ...]:
        """The objects in sight, nearest first."""

    @property
    def heard(self) -> tuple[HeardWords, ...]:
        """What was heard since the last percept, in order."""

    @property
    def result(self) -> Result:
        """What came of one's last action."""

    @property
    def conversation(self) -> Conversation | None:
        """The conversation one is in, if any."""

    @property
    def known(self) -> tuple[str, ...]:
        """The places (sector and arena ids) one knows of, in the scenario's order."""

    @property
    def goals(self) -> tuple[OwnGoal, ...]:
        """What one is to achieve, where the scenario's reward says so."""

    @property
    def text(self) -> str:
        """The whole percept in words, as in the observation."""
