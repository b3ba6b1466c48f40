"""What people entered for their agents, in the run file; kept on a rewind, as replies are."""

from dataclasses import dataclass

from genagents_env.record.connection import RunConnection, Transaction, guard_reading
from genagents_env.record.tables import INPUTS


@dataclass(frozen=True, slots=True)
class RecordedInput:
    """What a person did in a tick.

    Attributes:
        percept: the SHA-256 of the percept in words, at which it was entered.
        action: as `run.people.encode_action` writes it.
    """

    percept: str
    action: str


class SqliteInputs:
    """The inputs table of an open run file; what is put is durable when `put` returns."""

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
