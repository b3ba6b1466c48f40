"""The attempts of everybody, tick by tick: rows of a table, outside the canonical hash.

A town can be stepped again by them without its minds. A row has those agents whose attempt differs
from that of the tick before; the first row after a start or a checkpoint has everybody.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from genagents_env.observe.decode import Attempt
from genagents_env.record.connection import RunConnection
from genagents_env.record.rows import JSON, encode
from genagents_env.record.tables import ACTIONS
from genagents_env.world.resolved import (
    RefusedAct,
    ResolvedAct,
    ResolvedMove,
    ResolvedRestart,
    ResolvedSpeak,
    ResolvedStay,
    ResolvedUse,
)
from genagents_env.world.world import World

_KINDS: Mapping[str, type[ResolvedAct]] = {
    "move": ResolvedMove,
    "speak": ResolvedSpeak,
    "use": ResolvedUse,
    "stay": ResolvedStay,
    "restart": ResolvedRestart,
    "refused": RefusedAct,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
# An act; or the number of the place of the menu to walk to, -1 for no action.
Deed: TypeAlias = ResolvedAct | int


class ActionWriter:
    """Writes the attempts of each tick; after `forget` the next row has everybody."""

    def __init__(self, connection: RunConnection) -> None:
        self._connection = connection
        self._before: list[Deed | None] = []

    def forget(self) -> None:
        """Write everybody into the next row: for a start, and after a checkpoint or a rewind."""
        self._before = []

    def put(self, tick: int, attempt: Attempt) -> None:
        """Write a tick, within the caller's transaction."""
        acts = attempt.acts
        deeds = [acts.get(i, goal) for i, goal in enumerate(attempt.goals.tolist())]
        before = self._before or [None] * len(deeds)
        changed = {
            str(i): _encode(deed)
            for i, (deed, old) in enumerate(zip(deeds, before, strict=True))
            if deed is not old and (type(deed) is not type(old) or deed != old)
        }
        ACTIONS.put(self._connection, [(tick, encode(changed))])
        self._before = list(deeds)


def find_changes(
    connection: RunConnection, first: int, last: int
) -> Iterator[tuple[int, dict[int, JSON]]]:
    """Yield the recorded ticks from `first` to `last`, each with the attempts that changed in it.

    Raises:
        ValueError: a row holds something else.
        RecordError: a row has changed.
    """
    for tick, body in ACTIONS.find(connection, "tick BETWEEN ? AND ?", first, last):
        yield tick, _parse(body)


def read_changes(connection: RunConnection) -> Iterator[tuple[int, dict[int, JSON]]]:
    """Yield every recorded tick, as `find_changes` does.

    Raises:
        ValueError: a row holds something else.
        RecordError: a row has changed; at the end, where one is missing or was added.
    """
    for tick, body in ACTIONS.read(connection, "tick"):
        yield tick, _parse(body)


def decode(value: JSON, world: World) -> Deed:
    """Return the attempt that a stored value stands for.

    Raises:
        ValueError: nobody can attempt that in this town.
    """
    if type(value) is int and -1 <= value < len(world.town.places.all):
        return value
    if not (isinstance(value, list) and value and value[0] in _KINDS):
        raise ValueError(f"{value!r:.60} is no action")
    name, fields = value[0], value[1:]
    if name == "move":
        fields = [_unpack(fields[0], world.town.ground.count), *fields[1:]]
    try:
        act: Any = _adapter(name).validate_python(fields)
    except ValidationError:
        raise ValueError(f"{value!r:.60} is no action") from None
    indices = {"speak": ("to", world.count), "use": ("item", len(world.plan.objects))}
    field, count = indices.get(name, ("", 0))
    number = getattr(act, field, None)
    if number is not None and not 0 <= number < count:
        raise ValueError(f"{value!r:.60} names nobody and nothing of this town")
    return act  # type: ignore[no-any-return]  # of the kind that it says


def _encode(deed: Deed) -> JSON:
    if isinstance(deed, int):
        return deed
    fields: list[JSON] = list(deed)
    if isinstance(deed, ResolvedMove):
        fields[0] = _pack(deed.targets)
    return [_NAMES[type(deed)], *fields]


def _parse(body: str) -> dict[int, JSON]:
    changed = json.loads(body)
    if not isinstance(changed, dict):
        raise ValueError(f"{body:.60} is no row of actions")
    return {int(number): value for number, value in changed.items()}


def _pack(tiles: tuple[int, ...]) -> list[list[int]]:
    """Return tiles as runs, each a first tile and a length."""
    runs: list[list[int]] = []
    for tile in tiles:
        if runs and tile == sum(runs[-1]):
            runs[-1][1] += 1
        else:
            runs.append([tile, 1])
    return runs


def _unpack(runs: JSON, count: int) -> tuple[int, ...]:
    """Return the tiles of `runs` on a map of `count` tiles."""
    if any(start < 0 or length < 1 or start + length > count for start, length in runs):
        raise ValueError("an action goes to tiles that the map does not have")
    if sum(length for _, length in runs) > count:
        raise ValueError("an action goes to more tiles than the map has")
    return tuple(chain.from_iterable(range(start, start + length) for start, length in runs))


@cache
def _adapter(name: str) -> TypeAdapter[ResolvedAct]:
    return TypeAdapter(_KINDS[name])
