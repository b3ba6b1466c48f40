"""Pay for the scenario's successes, as far as the world decides them.

Each tick pays everybody the change of the share that holds: what comes about is paid, what is
undone is taken back, and over an episode it is the share at its end less the share at its start. A
check `at` a time is what it was then from that time on; until then, and without one, it is as now.

What is found by an interview pays as far as hearing decides it: an answer to a question that names
a `fact` counts as right from when that was heard. Other answers, and what is built on them, pay
nothing: see `list_decidable`.
"""

from collections.abc import Mapping, Sequence

from genagents_env.errors import ConfigError
from genagents_env.scenario.schema import (
    FactCheck,
    ObjectCheck,
    PlaceCheck,
    RecordCheck,
)
from genagents_env.scenario.truth import find_leaf, get_parts, holds, list_decidable
from genagents_env.world.events import JSON, Deed, Event, follow_deed
from genagents_env.world.places import is_within
from genagents_env.world.rewards.reward import EpisodeReward
from genagents_env.world.world import World


class SuccessReward(EpisodeReward):
    """The share of the successes that hold: what it changes by in a tick, to everybody."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._paid = list_decidable(world.scenario)
        leaves = {
            success.id: find_leaf(world.scenario, success)
            for success in self._paid
            if success.check
        }
        self._leaves = {id_: leaf for id_, leaf in leaves.items() if leaf is not None}
        self._row = {name: row for row, name in enumerate(world.names)}
        self._arenas = {check.id: _list_arenas(world, check) for check, _ in self._leaves.values()}
        self._deeds: dict[str, Deed] = {}
        self._fixed: dict[str, list[str]] = {}
        self._share = 0.0

    def reset(self, world: World) -> None:
        """Take the share that holds at the start."""
        super().reset(world)
        self._deeds, self._fixed = {}, {}
        self._share = self._measure(world)

    def __call__(self, world: World, events: Sequence[Event], *, over: bool) -> Mapping[str, float]:
        """Return the change of the share, the same for everybody."""
        for check, _ in self._leaves.values():
            if isinstance(check, ObjectCheck):
                self._follow(world, check, events)
        before, self._share = self._share, self._measure(world)
        change = self._share - before
        return dict.fromkeys(world.names, change) if change else {}

    def find_truths(self, world: World) -> dict[str, bool]:
        """Map each success that is paid for to whether it holds."""
        truths: dict[str, bool] = {}
        for success in self._paid:
            if success.id in self._leaves:
                check, people = self._leaves[success.id]
                yes = self._find_yes(world, check)
                # Only a value check can be `equal`, and of those none is a leaf.
                over = "all" if success.over == "equal" else success.over
                truths[success.id] = bool(holds([name in yes for name in people], over))
            else:
                over, parts = get_parts(success)
                truths[success.id] = bool(holds([truths[part] for part in parts], over))
        return truths

    def state(self) -> JSON:
        """Return the verdicts of checks on the past."""
        deeds = {id_: list(deed) for id_, deed in self._deeds.items()}
        return {"share": self._share, "fixed": dict(self._fixed), "deeds": deeds}

    def load_state(self, state: JSON) -> None:
        """Resume from `state`."""
        match state:
            case {"share": float(share), "fixed": dict(fixed), "deeds": dict(deeds)}:
                self._share, self._fixed = share, fixed
                self._deeds = {id_: Deed(*deed) for id_, deed in deeds.items()}
            case _:
                raise ConfigError("reward: this is no saved state of the reward 'success'")

    def _measure(self, world: World) -> float:
        truths = self.find_truths(world).values()
        return sum(truths) / len(truths)

    def _find_yes(self, world: World, check: RecordCheck) -> Sequence[str]:
        """Return the people of whom a check is true; from its time on, of whom it was true then."""
        if check.id in self._fixed:
            return self._fixed[check.id]
        people = [name for name, row in self._row.items() if self._is_true(world, check, name, row)]
        if check.at is not None and world.tick >= world.town.clock.tick_at(check.at):
            self._fixed[check.id] = people
        return people

    def _is_true(self, world: World, check: RecordCheck, name: str, row: int) -> bool:
        state = world.state
        if isinstance(check, FactCheck):
            return bool(state.facts[row] >> world.town.people.fact_ids.index(check.fact) & 1)
        if isinstance(check, PlaceCheck):
            return bool(state.present[row]) and int(state.arena[row]) in self._arenas[check.id]
        return self._deeds.get(check.id) == (check.state, name)

    def _follow(self, world: World, check: ObjectCheck, events: Sequence[Event]) -> None:
        def was_there(name: str) -> bool:
            row, state = self._row.get(name), world.state
            if row is None or not state.present[row] or state.asleep[row]:
                return False
            return int(state.arena[row]) in self._arenas[check.id]

        for event in events:
            deed = follow_deed(check, self._deeds.get(check.id), event, was_there)
            if deed is not None:
                self._deeds[check.id] = deed


def _list_arenas(world: World, check: RecordCheck) -> frozenset[int]:
    """Return the arenas in which a check of a place is true, or in which its object is."""
    if isinstance(check, FactCheck):
        return frozenset()
    plan = world.plan
    if isinstance(check, ObjectCheck):
        room = check.object.rpartition("/")[0]
        return frozenset(a for a in range(len(plan.arenas)) if plan.arena_id(a) == room)
    return frozenset(a for a in range(len(plan.arenas)) if is_within(plan.arena_id(a), check.place))
