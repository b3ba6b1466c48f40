"""People as agents: a queue of what they enter, without any transport, and how it is recorded."""

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from time import monotonic

from pydantic import TypeAdapter, ValidationError

from genagents_env.actions import Action, Idle, Interact, Move, Restart, Talk
from genagents_env.errors import ConfigError, DivergenceError, RecordError
from genagents_env.percept import Percept
from genagents_env.policy import AgentID
from genagents_env.profile import ActionSource, Profile
from genagents_env.record.inputs import RecordedInput, SqliteInputs
from genagents_env.record.rows import encode

MOST_WAITING = 8  # entries of a person that are not yet done
_POLL = 0.02  # seconds between two looks whether somebody has entered something
_ACTIONS: dict[str, type[Action]] = {
    kind.__name__.lower(): kind for kind in (Move, Talk, Interact, Idle, Restart)
}


@dataclass
class _Seat:
    """Of one agent: whether its person is here, what was entered, and what goes on."""

    here: bool = True
    asked: bool = False
    entries: deque[tuple[Action, int]] = field(default_factory=deque)
    current: Action | None = None
    left: int = 0  # further ticks of what goes on


class ActionQueue:
    """Actions that people enter for their agents, which the policy `human` takes, one a tick.

    A walk goes on until it arrives and an idle as long as it was meant to, unless the person is
    spoken to, or hears news or a thought. Every method may be called in any thread but `decide`,
    which the policy calls.

    Attributes:
        profiles: of the agents that people play, which is what these know of themselves.

    Args:
        turn_seconds: for which the town waits for a person; 0 is not at all; None is until
            something is entered, or the person goes away while others are here.
        on_turn: called as each turn of an agent begins, with the agent, its percept, and whether
            the town waits for its person.
    """

    def __init__(
        self,
        turn_seconds: float | None = None,
        on_turn: Callable[[AgentID, Percept, bool], None] | None = None,
    ) -> None:
        self.turn_seconds, self.on_turn = turn_seconds, on_turn
        self.profiles: Mapping[AgentID, Profile] = {}
        self._seats: dict[AgentID, _Seat] = {}

    def begin(self, profiles: Mapping[AgentID, Profile]) -> None:
        """Begin an episode, in which people play these agents."""
        self.profiles = profiles

    def put(self, agent: AgentID, action: Action, ticks: int = 1) -> None:
        """Enter an action.

        Args:
            agent: whose person enters it.
            action: is done once those entered before are done.
            ticks: for which an idle goes on, and at most a walk.

        Raises:
            ConfigError: too many wait already.
        """
        seat = self._find(agent)
        if len(seat.entries) >= MOST_WAITING:
            raise ConfigError(f"{MOST_WAITING} actions of {agent} wait already")
        seat.entries.append((action, ticks))

    def clear(self, agent: AgentID) -> None:
        """Drop what waits and what goes on."""
        seat = self._find(agent)
        seat.entries.clear()
        seat.left = 0

    def set_here(self, agent: AgentID, here: bool) -> None:
        """Say that a person is here or away; everybody is here at first."""
        self._find(agent).here = here

    def list_asked(self) -> list[AgentID]:
        """Return the agents for whose people the town waits now."""
        return [agent for agent, seat in self._seats.items() if seat.asked]

    async def decide(self, agent: AgentID, percept: Percept) -> Action | None:
        """Return the next action of `agent`; None if nothing is entered in time."""
        seat = self._find(agent)
        goes_on = not seat.entries and seat.left > 0 and _goes_on(seat.current, percept)
        if self.on_turn is not None:
            self.on_turn(agent, percept, not goes_on and not seat.entries)
        if goes_on:
            seat.left -= 1
            return seat.current
        seat.left = 0
        if not await self._await_entry(seat):
            return None
        seat.current, ticks = seat.entries.popleft()
        seat.left = ticks - 1
        return seat.current

    def _find(self, agent: AgentID) -> _Seat:
        return self._seats.setdefault(agent, _Seat())

    async def _await_entry(self, seat: _Seat) -> bool:
        begun, seat.asked = monotonic(), True
        try:
            while not seat.entries:
                away = not seat.here and any(other.here for other in list(self._seats.values()))
                seconds = self.turn_seconds
                if away or (seconds is not None and monotonic() - begun >= seconds):
                    return False
                await asyncio.sleep(_POLL)
        finally:
            seat.asked = False
        return True


def _goes_on(action: Action | None, percept: Percept) -> bool:
    """Return True if a walk has not arrived, or an idle was not disturbed."""
    if any(heard.addressed or heard.kind != "speech" for heard in percept.heard):
        return False
    if isinstance(action, Move):
        return percept.result.ok and not percept.result.arrived
    return isinstance(action, Idle)


class RecordedPeople:
    """People whose entries are in a run file: what was entered once is not asked again.

    Args:
        inputs: of the run file.
        source: the people; None if nobody is there any more.
        parent: of the run that a fork comes from: what was entered there at the same percept holds.
        kept: whether what is entered is stored; a replay stores nothing.
    """

    def __init__(
        self,
        inputs: SqliteInputs,
        source: ActionSource | None,
        parent: SqliteInputs | None = None,
        *,
        kept: bool = True,
    ) -> None:
        self._inputs, self._source, self._parent, self._kept = inputs, source, parent, kept

    def begin(self, profiles: Mapping[AgentID, Profile]) -> None:
        """Begin an episode, in which people play these agents."""
        if self._source is not None:
            self._source.begin(profiles)

    async def decide(self, agent: AgentID, percept: Percept) -> Action | None:
        """Return what the person of `agent` does next, as recorded, or else as entered now.

        Raises:
            DivergenceError: it was entered at another percept.
        """
        tick, digest = percept.tick + 1, sha256(percept.text.encode()).hexdigest()
        known = self._inputs.get(agent, tick)
        if known is not None and known.percept != digest:
            raise DivergenceError(
                f"what {agent} perceived before tick {tick} was not this when their person acted: "
                "policies, scenario or seed have changed since; start a new run"
            )
        if known is not None:
            return decode_action(known.action)
        lent = None if self._parent is None else self._parent.get(agent, tick)
        if lent is not None and lent.percept == digest:
            action = decode_action(lent.action)
        else:
            action = None if self._source is None else await self._source.decide(agent, percept)
        if self._kept:
            self._inputs.put(agent, tick, RecordedInput(digest, encode_action(action)))
        return action


def encode_action(action: Action | None) -> str:
    """Return an action as JSON, `null` for none."""
    if action is None:
        return "null"
    return encode({"do": type(action).__name__.lower(), **asdict(action)})


def decode_action(text: str) -> Action | None:
    """Return the action that `encode_action` wrote.

    Raises:
        RecordError: it is none.
    """
    try:
        value = json.loads(text)
        return None if value is None else make_action(value)
    except (ValueError, RecursionError, ConfigError) as error:
        raise RecordError(f"an entered action is damaged: {error}") from None


def make_action(value: object) -> Action:
    """Return an action from JSON values: `do`, such as `move`, and the fields of that action.

    Raises:
        ConfigError: it is none; says what is wrong.
    """
    kind = _ACTIONS.get(str(value.get("do"))) if isinstance(value, Mapping) else None
    if kind is None or not isinstance(value, Mapping):
        raise ConfigError(f"do: one of {', '.join(_ACTIONS)}")
    fields = {str(key): item for key, item in value.items() if key != "do"}
    if unknown := sorted(set(fields).difference(kind.__dataclass_fields__)):
        raise ConfigError(f"{unknown[0]:.40}: {value['do']} has {', '.join(kind.__match_args__)}")
    try:
        return TypeAdapter(kind).validate_json(encode(fields), strict=True)
    except ValidationError as error:
        fault = error.errors()[0]
        raise ConfigError(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}") from None
