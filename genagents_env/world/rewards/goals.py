"""Pay agents for their goals.

Each goal pays its `worth` once, when it is achieved:

| kind | achieved when | paid |
|---|---|---|
| use | the object gets into the state by one's own hand | worth |
| be | one is at the place; with a time, at its end | worth; with a time, its part spent there |
| meet | one stands in the same room, at most one tile away from the person | worth |
| bring | the person is at the place | worth |
| tell | the person knows the fact, or everybody does | worth; a part for each of everybody |
| keep | never; it is lost when the person learns the fact | -worth when it is lost |
| accuse | the object is put into the state of the right name | worth; -worth for another name |
| escape | never | a part for each who accuses by that object, when they fail or at the end |

A `be` with a fact counts only while one knows that fact. Who still has a goal to achieve (other
than `keep` and `escape`) pays `step_cost` a tick. With `shaping`, each tick adds what `Shaping`
says. With `shared`, all this is divided equally among the agents that have goals.
"""

from collections.abc import Mapping, Sequence

from genagents_env.scenario.schema import Goal
from genagents_env.world.events import JSON, Event
from genagents_env.world.goals import find_ticks
from genagents_env.world.rewards.reward import GoalReward
from genagents_env.world.world import World

_LASTING = ("keep", "escape")  # kinds that are never achieved before the end


class GoalsReward(GoalReward):
    """Pays agents for the goals of their scenario's reward, errands included."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._told: list[int] = []
        self._accusers: list[tuple[int, int]] = []

    def begin(self, world: World) -> None:
        """Begin an episode; nothing has been told."""
        self._told = [0] * world.count

    def pay(self, world: World, events: Sequence[Event]) -> Mapping[int, float]:
        """Return each one's pay for this tick, less the cost of the tick."""
        board, out = self.board, dict[int, float]()
        self._accusers = self._list_open("accuse")
        for i in self.owners:
            owed = [k for k, goal in enumerate(board.goals[i]) if not board.done[i, k]]
            waits = any(board.goals[i][k].kind not in _LASTING for k in owed)
            out[i] = -self.cost if waits else 0.0
            for slot in owed:
                out[i] += self._judge(world, events, i, slot)
        return out

    def settle(
        self, world: World, events: Sequence[Event], earned: dict[str, float], *, ended: bool
    ) -> None:
        """Pay those who escape, for the accusations that failed in this tick."""
        board = self.board
        for i, slot in self._list_open("escape"):
            goal = board.goals[i][slot]
            by = [g.object for own in board.goals for g in own if g.kind == "accuse"]
            mine = sum(
                board.goals[k][s].object == goal.object
                and (ended or bool(board.done[k, s]))
                and not _has_put(world, events, k, board.goals[k][s], board.goals[k][s].person)
                for k, s in self._accusers
            )
            earned[world.names[i]] += goal.worth * mine / max(1, by.count(goal.object))

    def is_done(self) -> bool:
        """Return True if nobody has a goal left to achieve."""
        return all(
            done or goal.kind in _LASTING
            for i in self.owners
            for done, goal in zip(self.board.done[i].tolist(), self.board.goals[i], strict=False)
        )

    def save_counts(self) -> dict[str, JSON]:
        """Return the ends that agents know of, and the tellings counted."""
        return {"noticed": self.board.noticed.tolist(), "told": list(self._told)}

    def load_counts(self, done: list[list[bool]], counts: Mapping[object, JSON]) -> bool:
        """Resume from `done` and from `counts`, if those fit; return whether they do."""
        match counts:
            case {"noticed": noticed, "told": [*told]} if self.board.fits(noticed):
                if len(told) == len(self.board.goals) and {int}.issuperset(map(type, told)):
                    self.board.load_done(done, noticed)
                    self._told = told
                    return True
        return False

    def _judge(self, world: World, events: Sequence[Event], i: int, slot: int) -> float:
        """Return the pay of one goal for this tick, and note its end."""
        goal = self.board.goals[i][slot]
        if goal.kind == "use":
            return self._pay(i, slot, _has_put(world, events, i, goal, goal.state))
        if goal.kind == "accuse":
            right = _has_put(world, events, i, goal, goal.person)
            if right or _has_put(world, events, i, goal, None):
                self.board.finish(i, slot)
                return goal.worth if right else -goal.worth
            return 0.0
        if goal.kind == "escape":
            return 0.0  # paid when all others are judged: see `settle`
        if goal.kind == "be":
            return self._judge_presence(world, i, slot, goal)
        if goal.kind == "meet":
            return self._pay(i, slot, _is_beside(world, i, int(self.board.person[i, slot])))
        if goal.kind == "bring":
            return self._pay(i, slot, _is_at(world, int(self.board.person[i, slot]), goal))
        return self._judge_knowledge(world, i, slot, goal)

    def _pay(self, i: int, slot: int, achieved: bool) -> float:
        if not achieved:
            return 0.0
        self.board.finish(i, slot)
        return self.board.goals[i][slot].worth

    def _list_open(self, kind: str) -> list[tuple[int, int]]:
        """Return agent and slot of the goals of a kind that are not done."""
        board = self.board
        return [
            (i, slot)
            for i in self.owners
            for slot, goal in enumerate(board.goals[i])
            if goal.kind == kind and not board.done[i, slot]
        ]

    def _judge_presence(self, world: World, i: int, slot: int, goal: Goal) -> float:
        there = _is_at(world, i, goal) and not self.board.is_hidden(i, slot)
        start, end = find_ticks(world, goal)
        if start < 0 or end < 0:
            return self._pay(i, slot, there)
        # The tick that has just been resolved is the one before `world.tick`.
        counted = start < world.tick <= end
        if world.tick >= end:
            self.board.finish(i, slot)
        return goal.worth / float(max(1, end - start)) if counted and there else 0.0

    def _judge_knowledge(self, world: World, i: int, slot: int, goal: Goal) -> float:
        fact, person = int(self.board.fact[i, slot]), int(self.board.person[i, slot])
        if person >= 0:
            knows = bool(world.state.facts[person] >> fact & 1)
            paid = self._pay(i, slot, knows)
            return paid if goal.kind == "tell" else -paid
        at_start = sum(bits >> fact & 1 for bits in world.town.people.facts_at_start)
        heard = sum(bits >> fact & 1 for bits in world.state.facts) - at_start
        new, self._told[i] = heard - self._told[i], heard
        if heard + at_start == world.count:
            self.board.finish(i, slot)
        return goal.worth * new / max(1, world.count - at_start)


def _is_at(world: World, i: int, goal: Goal) -> bool:
    """Return True if `i` is at the place of a goal."""
    arenas = world.town.places.find_arenas(goal.place or "")
    return bool(world.state.present[i]) and int(world.state.arena[i]) in arenas


def _has_put(world: World, events: Sequence[Event], i: int, goal: Goal, state: str | None) -> bool:
    """Return True if `i` has just put the goal's object into `state`, any if None."""
    name = world.names[i]
    return any(
        event.kind == "object"
        and event.agent == name
        and event.data["object"] == goal.object
        and state in (None, event.data["state"])
        for event in events
    )


def _is_beside(world: World, i: int, j: int) -> bool:
    state, width = world.state, world.town.ground.width
    (y, x), (v, u) = divmod(int(state.tile[i]), width), divmod(int(state.tile[j]), width)
    near = max(abs(x - u), abs(y - v)) <= 1
    return near and bool(state.present[j]) and int(state.arena[i]) == int(state.arena[j])
