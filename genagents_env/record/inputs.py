"""What people entered for their agents, in the run file; kept on a rewind, as replies are."""

from dataclasses import dataclass
from typing import Protocol

from genagents_env.record.connection import RunConnection, Transaction, guard_reading
from genagents_env.record.tables import INPUTS


@dataclass(frozen=True, slots=True)
class RecordedInput:
    """What a person did in a tick.

    Attributes:
        percept: the SHA-256 of the percept in words, at which it was entered.
        action: as `run.people.encode_action` writes it.
        borrowed: from another run: it holds if the percept is the same.
    """

    percept: str
    action: str
    borrowed: bool = False


class Inputs(Protocol):
    """A store of what people entered; every method is synchronous and durable when it returns."""

    def get(self, agent: str, tick: int) -> RecordedInput | None:
        """Return what the person of `agent` did in `tick`, or None."""

    def put(self, agent: str, tick: int, entered: RecordedInput) -> None:
        """Store what the person of `agent` did in `tick`."""


class SqliteInputs:
    """Implements `Inputs` on the inputs table of an open run file."""

    def __init__(self, connection: RunConnection) -> None:
        self._connection = connection

    def get(self, agent: str, tick: int) -> RecordedInput | None:
        """Return what the person of `agent` did in `tick`, or None."""
        with guard_reading(self._connection.path):
            rows = INPUTS.find(self._connection, "agent = ? AND tick = ?", agent, tick)
        return RecordedInput(rows[0][2], rows[0][3]) if rows else None

    def put(self, agent: str, tick: int, entered: RecordedInput) -> None:
        """Store what the person of `agent` did in `tick`."""
        with Transaction(self._connection):
            INPUTS.put(self._connection, [(agent, tick, entered.percept, entered.action)])
