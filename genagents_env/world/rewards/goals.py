"""What agents earn by their goals.

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

from genagents_env.errors import ConfigError
from genagents_env.scenario.schema import Goal
from genagents_env.world.events import JSON, Event
from genagents_env.world.goals import GoalBoard, find_ticks
from genagents_env.world.rewards.reward import divide
from genagents_env.world.rewards.shaping import Shaping
from genagents_env.world.world import World

_LASTING = ("keep", "escape")  # kinds that are never achieved before the end


class GoalsReward:
    """Pays agents for the goals of their scenario's reward, errands included."""

    def __init__(self, world: World) -> None:
        self.board = GoalBoard(world)
        declared = world.scenario.reward
        self._cost, self._shared = declared.step_cost, declared.shared
        self._owners = self.board.owners
        self._shaping = Shaping(world, self.board)
        self._told: list[int] = []
        self._rooms: dict[str, frozenset[int]] = {}

    def reset(self, world: World) -> None:
        """Deal the goals; nothing is achieved yet."""
        self.board.reset(world)
        self._told = [0] * world.count
        self._shaping.begin(world)

    def __call__(self, world: World, events: Sequence[Event], *, over: bool) -> Mapping[str, float]:
        """Return what was achieved in this tick, less the cost of the tick."""
        board, out = self.board, dict[str, float]()
        accusers = self._list_open("accuse")
        for i in self._owners:
            owed = [k for k, goal in enumerate(board.goals[i]) if not board.done[i, k]]
            waits = any(board.goals[i][k].kind not in _LASTING for k in owed)
            earned = -self._cost if waits else 0.0
            for slot in owed:
                earned += self._judge(world, events, i, slot)
            out[world.names[i]] = earned
        ended = over or (world.scenario.reward.ends and self.is_done())
        for i, slot in self._list_open("escape"):
            failed = [at for at in accusers if self._has_failed(world, events, at, ended=ended)]
            out[world.names[i]] += self._judge_escape(i, slot, failed)
        self._shaping.add(world, out, ended=ended)
        return divide(out) if self._shared else out

    def is_done(self) -> bool:
        """Return whether nobody has a goal left to achieve."""
        return all(
            done or goal.kind in _LASTING
            for i in self._owners
            for done, goal in zip(self.board.done[i].tolist(), self.board.goals[i], strict=False)
        )

    def state(self) -> JSON:
        """Return what is done, what has been told, and the potentials."""
        return {
            "done": self.board.done.tolist(),
            "noticed": self.board.noticed.tolist(),
            "told": list(self._told),
            "potential": self._shaping.state(),
        }

    def load_state(self, state: JSON) -> None:
        """Resume from `state`."""
        fits = self.board.fits
        match state:
            case {"done": done, "noticed": noticed, "told": [*told], "potential": [*before]}:
                counted = len(told) == len(self.board.goals) and _are_whole(told)
                if fits(done) and fits(noticed) and counted and self._shaping.fits(before):
                    self.board.load_done(done, noticed)
                    self._shaping.load_state(before)
                    self._told = told
                    return
        raise ConfigError("reward: this is no saved state of the scenario's goals")

    def _judge(self, world: World, events: Sequence[Event], i: int, slot: int) -> float:
        """Return what one goal earns in this tick, and note when it is done."""
        goal = self.board.goals[i][slot]
        if goal.kind == "use":
            return self._pay(i, slot, _has_put(world, events, i, goal, goal.state))
        if goal.kind == "accuse":
            return self._judge_accusation(world, events, i, slot, goal)
        if goal.kind == "escape":
            return 0.0  # paid when all others are judged
        if goal.kind == "be":
            return self._judge_presence(world, i, slot, goal)
        if goal.kind == "meet":
            j = int(self.board.person[i, slot])
            return self._pay(i, slot, _is_beside(world, i, j))
        if goal.kind == "bring":
            j = int(self.board.person[i, slot])
            return self._pay(i, slot, self._is_at(world, j, goal))
        return self._judge_knowledge(world, i, slot, goal)

    def _pay(self, i: int, slot: int, achieved: bool) -> float:
        if not achieved:
            return 0.0
        self.board.finish(i, slot)
        return self.board.goals[i][slot].worth

    def _judge_accusation(
        self, world: World, events: Sequence[Event], i: int, slot: int, goal: Goal
    ) -> float:
        right = _has_put(world, events, i, goal, goal.person)
        if right or _has_put(world, events, i, goal, None):
            self.board.finish(i, slot)
            return goal.worth if right else -goal.worth
        return 0.0

    def _list_open(self, kind: str) -> list[tuple[int, int]]:
        """Return agent and slot of the goals of a kind that are not done."""
        board = self.board
        return [
            (i, slot)
            for i in self._owners
            for slot, goal in enumerate(board.goals[i])
            if goal.kind == kind and not board.done[i, slot]
        ]

    def _has_failed(
        self, world: World, events: Sequence[Event], at: tuple[int, int], *, ended: bool
    ) -> bool:
        """Return whether an accusation that was open has named the wrong one, or nobody."""
        i, slot = at
        goal = self.board.goals[i][slot]
        over = ended or bool(self.board.done[i, slot])
        return over and not _has_put(world, events, i, goal, goal.person)

    def _judge_escape(self, i: int, slot: int, failed: Sequence[tuple[int, int]]) -> float:
        goal, goals = self.board.goals[i][slot], self.board.goals
        by = [g.object for own in goals for g in own if g.kind == "accuse"].count(goal.object)
        mine = sum(goals[k][s].object == goal.object for k, s in failed)
        return goal.worth * mine / max(1, by)

    def _judge_presence(self, world: World, i: int, slot: int, goal: Goal) -> float:
        there = self._is_at(world, i, goal) and not self.board.is_hidden(i, slot)
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
        told = sum(bits >> fact & 1 for bits in world.state.facts) - at_start
        new, self._told[i] = told - self._told[i], told
        if told + at_start == world.count:
            self.board.finish(i, slot)
        return goal.worth * new / max(1, world.count - at_start)

    def _is_at(self, world: World, i: int, goal: Goal) -> bool:
        place = goal.place or ""
        arenas = self._rooms.get(place)
        if arenas is None:
            arenas = self._rooms[place] = world.town.places.find_arenas(place)
        return bool(world.state.present[i]) and int(world.state.arena[i]) in arenas


def _are_whole(values: Sequence[JSON]) -> bool:
    return all(isinstance(value, int) and not isinstance(value, bool) for value in values)


def _has_put(world: World, events: Sequence[Event], i: int, goal: Goal, state: str | None) -> bool:
    """Return whether `i` has just put the goal's object into `state`, any if None."""
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
