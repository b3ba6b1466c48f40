"""A run as data frames: flat, a line each event, utterance, person and tick, model call, answer.

Texts are pandas' `string`; numbers, flags and texts that may be missing are `Int64`, `boolean` and
`string` with `NA`; what holds several names or ids is a tuple. `time` is `datetime64[s]`, the time
of the town as the tick ends, without a time zone.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from genagents_env.record.reader import RunReader
from genagents_env.show.snapshots import RunSnapshots
from genagents_env.study.stats.extra import import_extra
from genagents_env.world.events import Event

if TYPE_CHECKING:
    from pandas import DataFrame

Row = tuple[Any, ...]  # of values as their columns have them

_WHEN = {"tick": "int64", "time": "datetime64[s]"}
# Keys of the data of events (`world.events`). What waking came of is a word, what learning came of
# the id of an event: `cause` and `cause_event`.
_DATA = {
    **{"doing": "string", "emoji": "string", "asleep": "boolean", "object": "string"},
    **{"state": "string", "text": "string", "to": "string", "heard_by": "object"},
    **{"addressed": "object", "conversation": "Int64", "phone": "boolean", "facts": "object"},
    **{"fact": "string", "cause": "string", "cause_event": "Int64", "source": "string"},
    **{"members": "object", "reason": "string", "action": "string", "around": "string"},
    **{"longer": "Int64", "with": "string", "waited": "Int64", "moved": "object"},
}
EVENTS = {
    **{"event": "int64", **_WHEN, "kind": "string", "agent": "string", "place": "string"},
    **_DATA,
}
UTTERANCES = {
    **{"event": "int64", **_WHEN, "agent": "string", "text": "string", "to": "string"},
    **{"addressed": "object", "heard_by": "object", "conversation": "Int64", "phone": "bool"},
    **{"facts": "object", "place": "string"},
}
POSITIONS = {
    **{**_WHEN, "agent": "category", "x": "int16", "y": "int16", "place": "category"},
    **{"present": "bool", "asleep": "bool", "doing": "category", "emoji": "category"},
}
CALLS = {
    **{**_WHEN, "agent": "string", "purpose": "string", "faculty": "string", "number": "int64"},
    **{"model": "string", "outcome": "string", "reply": "string", "fault": "string"},
    **{"prompt_tokens": "int64", "completion_tokens": "int64", "reasoning_tokens": "int64"},
    **{"attempts": "int64", "reasks": "int64", "truncated": "int64"},
    **{"latency_seconds": "float64", "dollars": "float64"},
}
INTERVIEWS = {
    **{**_WHEN, "agent": "string", "question": "string", "answer": "string"},
    **{"evidence": "object", "repeat": "int64"},
}


def make_events(run: RunReader, snapshots: RunSnapshots) -> "DataFrame":
    """Return every event, in order: the columns of `EVENTS`.

    `place` is that of the event or of its object, else where its agent stands as the tick ends.
    """
    places = _Places(snapshots)
    events = run.events(0, places.last_tick)
    return _make_frame(run, EVENTS, (_list_values(event, places) for event in events))


def _list_values(event: Event, places: "_Places") -> Row:
    data = dict(event.data)
    if event.kind == "learn":
        data["cause_event"] = data.pop("cause")
    if event.kind == "object":
        data.setdefault("place", event.data["object"].rpartition("/")[0])
    place = data["place"] if "place" in data else places.find(event.tick, event.agent)
    values = (_freeze(data.get(key)) for key in _DATA)
    return (event.id, event.tick, event.tick, event.kind, event.agent, place, *values)


def make_utterances(run: RunReader, snapshots: RunSnapshots) -> "DataFrame":
    """Return all that was said, in order: the columns of `UTTERANCES`; `place` is the speaker's."""
    places, keys = _Places(snapshots), list(UTTERANCES)[4:-1]
    rows = (
        (
            *(event.id, event.tick, event.tick, event.agent),
            *(_freeze(event.data[key]) for key in keys),
            places.find(event.tick, event.agent),
        )
        for event in run.events(0, places.last_tick, "say")
    )
    return _make_frame(run, UTTERANCES, rows)


def make_positions(run: RunReader, snapshots: RunSnapshots) -> "DataFrame":
    """Return a line for each person at each tick, tick by tick: the columns of `POSITIONS`."""
    names, plan = run.meta.names, snapshots.plan
    rows = (
        (one.tick, one.tick, name, x, y, plan.arena_id(arena), *more)
        for one in snapshots.read()
        for name, x, y, arena, *more in zip(
            names,
            *(one.x.tolist(), one.y.tolist(), one.arena.tolist()),
            *(one.present.tolist(), one.asleep.tolist(), one.doing, one.emoji),
            strict=True,
        )
    )
    return _make_frame(run, POSITIONS, rows)


def make_calls(run: RunReader) -> "DataFrame":
    """Return every model call, by agent, tick, purpose and number: the columns of `CALLS`."""
    keys = list(CALLS)[5:-1]
    rows = []
    for call in run.calls():
        price = run.find_price(call.model)
        dollars = np.nan if price is None else float(call.cost(price))
        faculty = call.purpose.partition(".")[0]
        values = (getattr(call, key) for key in keys)
        rows.append((call.tick, call.tick, call.agent, call.purpose, faculty, *values, dollars))
    return _make_frame(run, CALLS, rows)


def make_interviews(run: RunReader) -> "DataFrame":
    """Return every answer, by tick, then as they were asked: the columns of `INTERVIEWS`."""
    keys = list(INTERVIEWS)[2:]
    rows = ((row.tick, row.tick, *(getattr(row, key) for key in keys)) for row in run.interviews())
    return _make_frame(run, INTERVIEWS, rows)


class _Places:
    """Where everyone stood as each tick ended, up to the last that is recorded now."""

    def __init__(self, snapshots: RunSnapshots) -> None:
        run, plan = snapshots.run, snapshots.plan
        self.last_tick = run.last_tick
        self._rows = {name: row for row, name in enumerate(run.meta.names)}
        self._ids = [plan.arena_id(index) for index in range(len(plan.arenas))]
        self._arenas = [one.arena for one in snapshots.read(0, self.last_tick)]

    def find(self, tick: int, agent: str | None) -> str | None:
        """Return the id of the arena; None for nobody."""
        if agent not in self._rows:
            return None
        return self._ids[int(self._arenas[tick][self._rows[agent]])]


def _make_frame(run: RunReader, columns: Mapping[str, str], rows: Iterable[Row]) -> "DataFrame":
    """Return a frame of rows whose `time` is given as a tick."""
    pandas = import_extra("pandas")
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    series = {}
    for (name, dtype), column in zip(columns.items(), values, strict=True):
        if name == "time":
            series[name] = pandas.Series(_find_times(run, np.array(column, np.int64)))
        else:
            series[name] = pandas.Series(list(column), dtype=dtype)
    return pandas.DataFrame(series)


def _find_times(run: RunReader, ticks: npt.NDArray[np.int64]) -> npt.NDArray[np.datetime64]:
    start = np.datetime64(run.meta.start, "s")
    return start + (ticks * run.meta.seconds_per_tick).astype("timedelta64[s]")


def _freeze(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
