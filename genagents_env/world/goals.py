"""The goals of agents, as arrays that observations, menus, texts and rewards read."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genagents_env.percept import OwnGoal
from genagents_env.rng import draw_bits
from genagents_env.scenario.schema import GOAL_KINDS, Goal, Reward
from genagents_env.world.events import JSON
from genagents_env.world.tiles import Ints
from genagents_env.world.world import World

GOAL_SLOTS = 2  # goals of one agent at most
NONE = -1
_ELSEWHERE = ("bring", "tell", "keep")  # kinds that may end where their agent does not see it


class GoalBoard:
    """The goals of the N agents of one world, in two slots each.

    All arrays have the shape (N, GOAL_SLOTS) and hold NONE where a goal has no such part. They stay
    the same objects for the life of the board; `version` grows whenever anything in them changes.
    Place and times of a `be` with a fact are NONE as long as the agent has no word of it.

    Attributes:
        kind: 0 where there is no goal, else 1 + the index in GOAL_KINDS.
        place: the place of `be`, `bring`, `meet` and `tell`, and that in which the object of
            `use`, `accuse` and `escape` is.
        object: the object of `use`, `accuse` and `escape`.
        state: the index of the wanted state among the object's; NONE for `accuse`, too.
        person: the person of `meet`, `bring`, `tell` and `keep`; NONE for `accuse`, which hides it.
        fact: the fact of `tell` and `keep`, and of a `be` that one has to have word of.
        start: the tick from which on `be` counts.
        end: the tick at which `be` ends.
        targets: the tile to which it leads, whether the agent knows of it or not.
        done: whether it is achieved, or lost.
        noticed: whether the agent can know that it is, which is all that is shown of it.
        goals: the goal in each slot, by agent.
        owners: those who have any, ascending.
    """

    def __init__(self, world: World) -> None:
        shape = (world.count, GOAL_SLOTS)
        self.kind: Ints = np.zeros(shape, dtype=np.int64)
        self.place, self.object, self.state = self._blank(), self._blank(), self._blank()
        self.person, self.fact = self._blank(), self._blank()
        self.start, self.end = self._blank(), self._blank()
        self.done: npt.NDArray[np.bool_] = np.zeros(shape, dtype=np.bool_)
        self.noticed: npt.NDArray[np.bool_] = np.zeros(shape, dtype=np.bool_)
        self.goals: list[list[Goal]] = [[] for _ in range(world.count)]
        self.version = 0
        self.targets = self._blank()
        self._hidden: dict[tuple[int, int], bool] = {}  # of each `be` with a fact
        self._unnoticed: list[tuple[int, int]] = []  # agent and slot of ends yet to be noticed
        self._bundles: dict[int, list[Goal]] = {}
        self._numbers: dict[Goal, GoalNumbers] = {}
        for goal in world.scenario.reward.list_goals():
            self._bundles.setdefault(world.town.people.index[goal.agent], []).append(goal)
        self.owners = sorted(self._bundles)
        self._based_on: tuple[object, int] = (None, -1)
        self._own: tuple[int, tuple[tuple[OwnGoal, ...], ...]] = (-1, ())
        self._reachable = self._blank()
        self._write(world, self.owners)

    def __bool__(self) -> bool:
        return bool(self.owners)

    def reset(self, world: World) -> None:
        """Begin an episode: nothing is done, and goals are dealt where the scenario says so."""
        self.done[:] = self.noticed[:] = False
        self._unnoticed = []
        givers = list(self.owners)
        if world.scenario.reward.deal:
            seed = world.state.seed
            givers.sort(key=lambda i: draw_bits(seed, world.names[i], "goals"))
            self._write(world, givers)
        self.version += 1
        self.refresh(world)

    def refresh(self, world: World) -> None:
        """Reveal goals of which agents have had word, and ends that they noticed."""
        for (i, slot), hidden in list(self._hidden.items()):
            word = bool(world.state.facts[i] >> int(self.fact[i, slot]) & 1)
            if hidden == word:
                self._write_goal(world, i, slot, self.goals[i][slot], word=word)
                self.version += 1
        for i, slot in self._unnoticed:
            if self._can_notice(world, i, slot):
                self.noticed[i, slot] = True
                self.version += 1
        if self._unnoticed:
            self._unnoticed = [at for at in self._unnoticed if not self.noticed[at]]

    def read(self, world: World, goal: Goal) -> "GoalNumbers":
        """Return one of the goals in numbers, as one who has word of it knows it."""
        numbers = self._numbers.get(goal)
        if numbers is None:
            numbers = self._numbers[goal] = _read_goal(world, goal)
        return numbers

    def is_hidden(self, i: int, slot: int) -> bool:
        """Return True if `i` has had no word yet of that goal's place and time."""
        return self._hidden.get((i, slot), False)

    def finish(self, i: int, slot: int) -> None:
        """Note that a goal is achieved, or lost."""
        self.done[i, slot] = True
        self.noticed[i, slot] = self.goals[i][slot].kind not in _ELSEWHERE
        if not self.noticed[i, slot]:
            self._unnoticed.append((i, slot))
        self.version += 1

    def fits(self, done: JSON) -> bool:
        """Return True if these are values of `done` of such a board, as JSON holds them."""
        return (
            isinstance(done, list)
            and len(done) == len(self.goals)
            and all(isinstance(row, list) and len(row) == GOAL_SLOTS for row in done)
            and all(isinstance(value, bool) for row in done for value in row)
        )

    def load_done(self, done: list[list[bool]], noticed: list[list[bool]] | None = None) -> None:
        """Resume from the values of `done` and, where they may differ, of `noticed`."""
        self.done[:] = done
        self.noticed[:] = done if noticed is None else noticed
        rows, slots = (self.done & ~self.noticed).nonzero()
        self._unnoticed = list(zip(rows.tolist(), slots.tolist(), strict=True))
        self.version += 1

    def list_own(self) -> tuple[tuple[OwnGoal, ...], ...]:
        """Return the goals of each agent, as its percepts show them."""
        if self._own[0] != self.version:
            own = tuple(
                tuple(
                    _show(goal, done=self.noticed[i, slot].item(), hidden=self.is_hidden(i, slot))
                    for slot, goal in enumerate(goals)
                )
                for i, goals in enumerate(self.goals)
            )
            self._own = (self.version, own)
        return self._own[1]

    def locate(self, world: World) -> Ints:
        """Return the tile of each goal's target as far as its agent knows, NONE elsewhere, (N, 2).

        A place or an object counts where the agent knows the place; a person without a place is
        where the agent saw them last.
        """
        known = world.state.known
        if self._based_on[0] is not known or self._based_on[1] != self.version:
            self._based_on = (known, self.version)
            self._reachable = np.where(self._find_known(known), self.targets, NONE)
        moving = (self.person >= 0) & (self.place < 0)
        if not moving.any():
            return self._reachable
        tiles = self._reachable.copy()
        viewer, slot = moving.nonzero()
        tiles[viewer, slot] = world.state.sightings.list_last(viewer, self.person[viewer, slot])
        return tiles

    def _can_notice(self, world: World, i: int, slot: int) -> bool:
        """Return True if `i` sees the person, or has exchanged that fact with all concerned."""
        j, fact, told = int(self.person[i, slot]), int(self.fact[i, slot]), world.state.told
        if self.goals[i][slot].kind == "bring":
            viewer, seen, _ = world.pairs
            return bool(((viewer == i) & (seen == j)).any())
        others = [k for k in range(world.count) if k != i] if j < 0 else [j]
        return all((i, k, fact) in told or (k, i, fact) in told for k in others)

    def _blank(self) -> Ints:
        return np.full((len(self.kind), GOAL_SLOTS), NONE, dtype=np.int64)

    def _find_known(self, known: tuple[int, ...]) -> npt.NDArray[np.bool_]:
        return np.array(
            [
                [place >= 0 and bool(bits >> place & 1) for place in own]
                for bits, own in zip(known, self.place.tolist(), strict=True)
            ]
        )

    def _write(self, world: World, givers: list[int]) -> None:
        """Give each of the owners the goals of one of `givers`, in this order."""
        self._hidden = {}
        for i, giver in zip(self.owners, givers, strict=True):
            own = self.goals[i] = self._bundles[giver]
            for slot, goal in enumerate(own):
                self._write_goal(world, i, slot, goal)
            for part in (self.kind, self.place, self.object, self.state, self.person, self.fact):
                part[i, len(own) :] = 0 if part is self.kind else NONE
            for part in (self.start, self.end, self.targets):
                part[i, len(own) :] = NONE

    def _write_goal(
        self, world: World, i: int, slot: int, goal: Goal, *, word: bool = False
    ) -> None:
        """Write a goal into the arrays; `word`: the agent has word of it, where that is needed."""
        numbers, at = self.read(world, goal), (i, slot)
        self.kind[at] = 1 + GOAL_KINDS.index(goal.kind)
        self.person[at], self.fact[at] = numbers.person, numbers.fact
        if goal.kind == "be" and goal.fact is not None:
            self._hidden[at] = not word
            if not word:
                numbers = _NO_WORD
        self.place[at], self.object[at], self.state[at] = numbers[:3]
        self.targets[at], self.start[at], self.end[at] = numbers[3:6]


class GoalNumbers(NamedTuple):
    """A goal in numbers: see `GoalBoard`; `target` is the tile to which it leads."""

    place: int = NONE
    object: int = NONE
    state: int = NONE
    target: int = NONE
    start: int = NONE
    end: int = NONE
    person: int = NONE
    fact: int = NONE


_NO_WORD = GoalNumbers()


def _read_goal(world: World, goal: Goal) -> GoalNumbers:
    town, place, o, state, target = world.town, NONE, NONE, NONE, NONE
    if goal.object is not None:
        o = town.places.find_object(goal.object)
        item = town.plan.objects[o]
        place, target = town.places.of_arena[item.arena], town.ground.around(item)[0]
        if goal.state in item.states:
            state = item.states.index(goal.state)
    if goal.place is not None:
        place = town.places.find_place(goal.place)
        target = town.ground.find_middle(town.ground.tiles_of(town.places.find_arenas(goal.place)))
    person = NONE
    if goal.person is not None and goal.kind != "accuse":
        person = town.people.index[goal.person]
    fact = NONE if goal.fact is None else town.people.fact_ids.index(goal.fact)
    return GoalNumbers(place, o, state, target, *find_ticks(world, goal), person, fact)


def _show(goal: Goal, *, done: bool, hidden: bool) -> OwnGoal:
    person = None if goal.kind == "accuse" else goal.person
    place, start, end = (None, None, None) if hidden else (goal.place, goal.start, goal.end)
    return OwnGoal(goal.kind, goal.object, goal.state, place, person, goal.fact, start, end, done)


def find_ticks(world: World, goal: Goal) -> tuple[int, int]:
    """Return the ticks at which a goal begins to count and ends, NONE without a time."""
    seconds, first = world.town.clock.seconds_per_tick, world.scenario.start
    start, end = (
        NONE if moment is None else max(0, int((moment - first).total_seconds() // seconds))
        for moment in (goal.start, goal.end)
    )
    return start, end


def describe_goal(world: World, board: GoalBoard, i: int, slot: int) -> str:
    """Describe a goal of `i` in words, with no more than the agent may know."""
    goal, people = board.goals[i][slot], world.town.people
    fact = int(board.fact[i, slot])
    word = "what there is to tell"
    if fact >= 0 and world.state.facts[i] >> fact & 1:
        word = f'that "{people.statements[fact]}"'
    if goal.kind == "use":
        text = f'put {goal.object} into the state "{goal.state}"'
    elif board.is_hidden(i, slot):
        text = "come to what you have yet to hear of"
    elif goal.kind == "be":
        text = f"be at {goal.place}"
        if goal.start is not None and goal.end is not None:
            text += f" from {goal.start:%H:%M} to {goal.end:%H:%M}"
        text += _explain_presence(world.scenario.reward, goal)
    elif goal.kind == "meet":
        text = f"stand beside {goal.person}"
        if goal.place is not None:
            text += f", who is to be found at {goal.place}"
    elif goal.kind == "bring":
        text = f"bring {goal.person} to {goal.place}"
    elif goal.kind == "tell":
        where = "" if goal.place is None else f", to be found at {goal.place},"
        text = f"see to it that {goal.person or 'everybody'}{where} knows {word}"
    elif goal.kind == "keep":
        text = f"keep from {goal.person} {word}"
    elif goal.kind == "escape":
        text = f"let nobody put {goal.object} into the state of your name"
    else:
        text = f"find out who it was and put {goal.object} into the state of that name, once"
    return f"{text} (over)" if board.noticed[i, slot] else text


def _explain_presence(reward: Reward, goal: Goal) -> str:
    """Describe the terms on which presence is paid for, if any."""
    if reward.name == "company":
        return ", where the others are; one of your places is enough"
    if reward.name == "occupancy":
        return f" for {reward.need} ticks, longer for little"
    if reward.name == "public_goods":
        return ", for the good of all" if goal.place == reward.common else ", for your own good"
    return ""
