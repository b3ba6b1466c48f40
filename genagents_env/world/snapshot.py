"""One tick of the town, immutable: the source of percepts, texts, pictures and the record."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from genagents_env.world.conversations import ConversationView
from genagents_env.world.tiles import Bools, Ints


class Sound(NamedTuple):
    """Words that reached someone. `speaker` is an index, None for news, thoughts and notices."""

    kind: str
    speaker: int | None
    text: str
    addressed: bool
    phone: bool
    facts: tuple[str, ...]
    event_id: int


class ActionOutcome(NamedTuple):
    """The result of an action, where there is one to show. `illegal`: it was never possible."""

    ok: bool
    text: str
    illegal: bool = False


class Snapshot(NamedTuple):
    """The N people and O objects at `tick`. Arrays have shape (N,) and are never written again.

    `tile`: tile number, `y * width + x`; `arena`: index; `known`: place bits by person;
    `doing_event`, `object_events`: event ids; `heard`, `outcomes`, `talks`: by person index,
    absent where there is nothing; `spoken`: (speaker, text) of this tick, in order;
    `pairs`: (viewer, seen, distance), each shape (M,), by viewer and then nearest first;
    `first`: where those whom each sees begin in `pairs`, and M, shape (N + 1,);
    `all_here`: nobody is out of town; `all_awake`: and nobody sleeps either.
    """

    tick: int
    time: datetime
    width: int
    tile: Ints
    arena: Ints
    asleep: Bools
    present: Bools
    arrived: Bools
    doing: tuple[str, ...]
    emoji: tuple[str, ...]
    doing_event: tuple[int, ...]
    object_states: tuple[str, ...]
    object_events: tuple[int, ...]
    known: tuple[int, ...]
    heard: Mapping[int, tuple[Sound, ...]]
    outcomes: Mapping[int, ActionOutcome]
    talks: Mapping[int, ConversationView]
    spoken: tuple[tuple[int, str], ...]
    pairs: tuple[Ints, Ints, Ints]
    first: Ints
    all_here: bool
    all_awake: bool

    @property
    def x(self) -> Ints:
        """Columns of everyone."""
        return self.tile % self.width

    @property
    def y(self) -> Ints:
        """Rows of everyone."""
        return self.tile // self.width
