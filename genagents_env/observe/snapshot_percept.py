"""The lazy percept: one agent's view of a tick's immutable snapshot."""

from datetime import datetime

from genagents_env.observe.percept_cache import PerceptCache
from genagents_env.percept import (
    Body,
    Conversation,
    HeardWords,
    OwnGoal,
    Result,
    SeenObject,
    SeenPerson,
)
from genagents_env.world.snapshot import Snapshot


class SnapshotPercept:
    """One agent's percept. Implements `genagents_env.percept.Percept`."""

    __slots__ = ("_cache", "_i", "_snapshot", "goals", "text")

    def __init__(
        self,
        cache: PerceptCache,
        snapshot: Snapshot,
        i: int,
        text: str,
        goals: tuple[OwnGoal, ...] = (),
    ) -> None:
        self._cache, self._snapshot, self._i = cache, snapshot, i
        self.text, self.goals = text, goals

    @property
    def agent(self) -> str:
        """The agent's id."""
        return self._cache.agents[self._i]

    @property
    def tick(self) -> int:
        """Ticks since the start of the episode."""
        return self._snapshot.tick

    @property
    def time(self) -> datetime:
        """Local town time."""
        return self._cache.clock.time(self._snapshot.tick)

    @property
    def me(self) -> Body:
        """One's own body."""
        return self._cache.read(self._snapshot).show_body(self._i)

    @property
    def exits(self) -> tuple[str, ...]:
        """The other arenas whose entrance or inside is in sight; none while asleep."""
        if self._snapshot.asleep[self._i]:
            return ()
        arenas = self._cache.around[self._i].exits(int(self._snapshot.tile[self._i]))
        return tuple(self._cache.plan.arena_id(a) for a in arenas)

    @property
    def people(self) -> tuple[SeenPerson, ...]:
        """The people in sight, nearest first."""
        return self._cache.read(self._snapshot).list_people(self._i)

    @property
    def objects(self) -> tuple[SeenObject, ...]:
        """The objects in sight, nearest first; none while asleep."""
        if self._snapshot.asleep[self._i]:
            return ()
        return self._cache.list_objects(self._snapshot, self._i)

    @property
    def heard(self) -> tuple[HeardWords, ...]:
        """What was heard since the last percept, in order."""
        return self._cache.read(self._snapshot).list_words(self._i)

    @property
    def result(self) -> Result:
        """What came of one's last action; who has arrived reads who else is there."""
        outcome = self._snapshot.outcomes.get(self._i)
        arrived = bool(self._snapshot.arrived[self._i])
        if outcome is None:
            return Result(True, "", arrived)
        text = self._tell_company(outcome.text) if arrived and outcome.ok else outcome.text
        return Result(outcome.ok, text, arrived)

    @property
    def conversation(self) -> Conversation | None:
        """The conversation one is in, if any."""
        talk = self._snapshot.talks.get(self._i)
        if talk is None:
            return None
        names, rules = self._cache.names, self._cache.rules
        return Conversation(
            talk.id,
            tuple(names[m] for m in talk.members),
            None if talk.turn is None else names[talk.turn],
            talk.turn is None or talk.turn == self._i,
            rules.max_exchanges - talk.said[talk.members.index(self._i)],
        )

    @property
    def known(self) -> tuple[str, ...]:
        """The places one knows of, in the scenario's order."""
        return self._cache.list_places(self._snapshot.known[self._i])

    def data(self) -> dict[str, object]:
        """Return everything at once, for comparing and storing."""
        names = "agent tick time me exits people objects heard result conversation known goals text"
        return {name: getattr(self, name) for name in names.split()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SnapshotPercept) and self.data() == other.data()

    def __hash__(self) -> int:
        return hash((self.agent, self.tick, self.text))

    def __repr__(self) -> str:
        return f"<Percept of {self.agent} at {self.time:%Y-%m-%d %H:%M:%S}>"

    def _tell_company(self, text: str) -> str:
        """Return the confirmation of a move with those in sight who are in the same room."""
        arena = self._snapshot.arena
        seen, _ = self._cache.read(self._snapshot).list_near(self._i)
        *most, last = [""] + [self._cache.names[j] for j in seen if arena[j] == arena[self._i]]
        if not last:
            return text
        here = f"{', '.join(most[1:])} and {last} are" if most[1:] else f"{last} is"
        return f"{text.removesuffix('.')}; {here} here."
