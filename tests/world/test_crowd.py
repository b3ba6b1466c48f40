"""People who are in one another's way: nobody enters a taken tile, and nobody is stuck."""

import json
import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence

import pytest

from genagents_env.actions import Action, Idle, Interact, Move, Restart
from genagents_env.env import TownEnv
from genagents_env.scenario import Scenario
from genagents_env.world.events import Event
from genagents_env.world.interventions import Join, Part, Put
from tests.world.conftest import MakeTown
from tests.world.mazes import draw_corridor, draw_maze, make_scenario

BLOCK = {"bodies_block": True}
COUNTED = ("swap", "detour", "aside")


class Walkers:
    """A town whose people walk to a goal each, and idle once they are there.

    Attributes:
        arrived: who has come to their goal.
        events: all that happened.
    """

    def __init__(self, scenario: Scenario, goals: Mapping[str, str], seed: int = 0) -> None:
        self.env = TownEnv(scenario, percepts=True)
        self.world = self.env.world
        self.env.reset(seed=seed)
        self.goals, self.arrived, self.events = dict(goals), set[str](), list[Event]()
        self.told: dict[str, str] = {}
        self.check_floor()

    def step(self) -> None:
        """Advance one tick; assert that no two stand on one tile."""
        walking = {name: Move(goal) for name, goal in self.goals.items()}
        acts: dict[str, Action] = {
            name: Idle() if name in self.arrived else walking.get(name, Idle())
            for name in self.env.agents
        }
        self.env.step(acts)
        self.check_floor()
        self.events += self.env.events
        self.told = {e.agent or "": e.data["reason"] for e in self.env.events if e.kind == "fail"}
        here = self.world.state.arrived.nonzero()[0].tolist()
        self.arrived |= {self.world.names[i] for i in here}

    def run(self, most: int) -> int:
        """Step until all have arrived who walk, or for `most` ticks; return how many it took."""
        for tick in range(most):
            if len(self.arrived) == len(self.goals):
                return tick
            self.step()
        return most

    def check_floor(self) -> None:
        state = self.world.state
        here = state.tile[state.present].tolist()
        assert len(set(here)) == len(here)
        assert self.world.town.ground.free[here].all()

    def counts(self) -> dict[str, int]:
        kinds = Counter(event.kind for event in self.events)
        return {kind: kinds[kind] for kind in COUNTED}

    def column(self, name: str) -> int:
        return int(self.world.positions[self.world.names.index(name), 0])


def crossing(width: int, seed: int, **rules: object) -> Walkers:
    """Return fifty people, half of them at either end of a corridor, who go to the other end."""
    starts = "a" * 25 + "b" * 25
    scenario = make_scenario(draw_corridor(width), starts, rules={**BLOCK, **rules})
    goals = {f"P{i}": "Room b" if start == "a" else "Room a" for i, start in enumerate(starts)}
    return Walkers(scenario, goals, seed)


CROSSINGS = [(1, 0, "fields"), (1, 1, "astar"), (2, 0, "astar"), (2, 1, "fields")]


@pytest.mark.parametrize(("width", "seed", "paths"), CROSSINGS)
def test_fifty_people_cross_a_corridor_both_ways_and_all_arrive(
    width: int, seed: int, paths: str
) -> None:
    walkers = crossing(width, seed, paths=paths)
    ticks = walkers.run(300)
    assert len(walkers.arrived) == 50
    assert ticks < 100
    assert walkers.counts()["swap"] > 0
    assert walkers.world.state.arena.tolist() == [2] * 25 + [1] * 25  # nobody was pushed out again


def line(people: str, rows: Sequence[str], **rules: object) -> Walkers:
    return Walkers(make_scenario(rows, people, rules={**BLOCK, **rules}), {})


@pytest.mark.parametrize(
    ("seconds", "speed", "waits"), [(10, 0.1, 1), (0, 0.1, 0), (30, 0.1, 3), (10, 0.2, 2)]
)
def test_two_who_face_each_other_in_a_passage_swap_after_the_stated_wait(
    seconds: int, speed: float, waits: int
) -> None:
    rules = {"swap_seconds": seconds, "walk_speed": speed}
    walkers = line("ab", ["############", "#a........b#", "############"], **rules)
    walkers.goals = {"P0": "Room b", "P1": "Room a"}
    steps = round(10 * speed)
    ticks = walkers.run(50)
    swaps = [event for event in walkers.events if event.kind == "swap"]
    assert [event.data["waited"] for event in swaps] == [seconds]
    assert {swaps[0].agent, swaps[0].data["with"]} == {"P0", "P1"}
    assert ticks == -(-(9 + waits) // steps)  # nine tiles to walk
    assert walkers.counts() == {"swap": 1, "detour": 0, "aside": 0}


WIDE = ["############", "#a........b#", "##........##", "############"]
ROUND = ["###########", "#a.......b#", *["##.#####.##"] * 10, "##.......##", "###########"]


def test_where_there_is_room_one_of_two_goes_round_and_that_is_counted() -> None:
    walkers = line("ab", WIDE)
    walkers.goals = {"P0": "Room b", "P1": "Room a"}
    ticks = walkers.run(50)
    assert walkers.counts() == {"swap": 0, "detour": 1, "aside": 0}
    detour = next(event for event in walkers.events if event.kind == "detour")
    assert detour.data == {"around": "P1" if detour.agent == "P0" else "P0", "longer": 2}
    assert ticks == 11
    walkers = line("ab", ROUND)  # much longer
    walkers.goals = {"P0": "Room b", "P1": "Room a"}
    walkers.run(50)
    assert walkers.counts() == {"swap": 1, "detour": 0, "aside": 0}


def test_on_a_taken_tile_one_has_arrived_beside_it_and_moves_up_when_it_is_free() -> None:
    walkers = line("abc", ["#######", "#a.c.b#", "#.....#", "#######"])
    walkers.goals = {"P0": "3,2", "P1": "3,2"}
    walkers.run(10)
    assert walkers.arrived == {"P0", "P1"}
    first, second = sorted(("P0", "P1"), key=lambda name: abs(walkers.column(name) - 3))
    assert walkers.column(first) == 3
    walkers.arrived.clear()
    walkers.goals = {first: "1,1" if walkers.column(second) > 3 else "5,1", second: "3,2"}
    walkers.run(10)
    assert walkers.column(second) == 3


def test_sleepers_are_not_moved_and_blocked_walkers_get_a_reason() -> None:
    rows = ["##########", "#a..b...c#", "##########"]
    scenario = make_scenario(rows, "ab")
    bed = {"name": "bed", "state": "made", "states": ["made", "slept in"], "at": [4, 1]}
    data = json.loads(scenario.model_dump_json())
    data["sectors"][1]["arenas"][0]["objects"] = [{**bed, "sleep_state": "slept in"}]
    walkers = Walkers(Scenario.model_validate_json(json.dumps(data)), {"P0": "Room c"})
    walkers.env.step({"P0": Idle(), "P1": Interact("bed", "slept in")})
    walkers.run(8)
    assert walkers.told == {"P0": "P1 sleeps in the way"}
    assert walkers.column("P1") == 4
    assert walkers.column("P0") == 3


def test_the_same_seed_walks_the_same_and_another_does_not() -> None:
    def walk(seed: int) -> list[Event]:
        walkers = crossing(2, seed)
        walkers.run(30)
        return walkers.events

    assert walk(1) == walk(1) != walk(2)


@pytest.mark.parametrize("rules", [BLOCK, {"paths": "astar"}])
def test_a_saved_town_goes_on_as_it_would_have(rules: Mapping[str, object]) -> None:
    scenario = crossing(2, 0).world.scenario
    scenario = scenario.model_copy(update={"rules": type(scenario.rules).model_validate(rules)})
    env = TownEnv(scenario)
    env.reset(seed=4)
    move = {f"P{i}": Move("Room b" if i < 25 else "Room a") for i in range(50)}
    for _ in range(9):
        env.step(dict(move))
    saved = json.loads(json.dumps(env.save_state()))
    other = TownEnv(scenario)
    other.reset(seed=0)
    other.load_state(saved)
    for _ in range(12):
        env.step(dict(move))
        other.step(dict(move))
        assert env.events == other.events
    assert env.save_state() == other.save_state()


def check_maze(seed: int) -> None:
    """Assert that all who walk in a maze arrive or are told why not, two never on one tile."""
    draw = random.Random(seed)  # noqa: S311 (errands)
    rows = draw_maze(seed)
    floor = [(x, y) for y, row in enumerate(rows) for x, tile in enumerate(row) if tile != "#"]
    count = draw.randint(2, max(2, min(40, len(floor) * 2 // 3)))
    speed, wait = draw.choice([0.05, 0.1, 0.25, 0.5]), draw.choice([0, 10, 40])
    rules = {
        **{"bodies_block": True, "walk_speed": speed, "swap_seconds": wait},
        **{"paths": draw.choice(["fields", "astar"]), "cut_through_houses": draw.random() < 0.5},
    }
    starts = "".join(draw.choice("ab") for _ in range(count))
    tiles = [f"{x},{y}" for x, y in floor]
    goals = {f"P{i}": draw.choice(["Room a", "Room b", draw.choice(tiles)]) for i in range(count)}
    walkers = Walkers(make_scenario(rows, starts, rules=rules), goals, seed)
    # A whole way through, a step past everybody else, and a wait for each of them, twice.
    steps = 2 * (len(floor) + count + count * math.ceil(wait * speed))
    walkers.run(math.ceil(steps / (10 * speed)))
    told: dict[str, str] = {}
    for _ in range(20):  # some are told in one tick, and move up in another
        told |= walkers.told
        walkers.run(1)
    missing, ground = set(goals) - walkers.arrived, walkers.world.town.ground
    assert all("there is no room left at" in told.get(name, "") for name in missing)
    taken = set(walkers.world.state.tile.tolist())
    for name in missing:
        goal = goals[name]
        inside = [ground.tile(x, y) for x, y in floor if rows[y][x] == goal[-1]]
        assert taken.issuperset(inside)


@pytest.mark.parametrize("seeds", [range(5), pytest.param(range(5, 65), marks=pytest.mark.slow)])
def test_in_any_maze_all_arrive_or_say_why(seeds: range) -> None:
    for seed in seeds:
        check_maze(seed)


def test_three_or_more_who_follow_each_other_in_a_ring_all_get_on() -> None:
    rows = ["####", "#aa#", "#aa#", "####"]
    walkers = line("aaaa", rows)
    at = {tuple(xy): f"P{i}" for i, xy in enumerate(walkers.world.positions.tolist())}
    ring = [(1, 1), (2, 1), (2, 2), (1, 2)]
    ahead = dict(zip(ring, [*ring[1:], ring[0]], strict=True))
    walkers.goals = {at[here]: f"{x},{y}" for here, (x, y) in ahead.items()}
    walkers.step()
    for here, there in ahead.items():
        assert tuple(walkers.world.positions[int(at[here][1])].tolist()) == there
    assert walkers.counts() == {"swap": 0, "detour": 0, "aside": 0}


def test_a_full_room_stays_shut_and_one_who_leaves_makes_room(make_town: MakeTown) -> None:
    town = make_town(rules={**BLOCK, "walk_speed": 0.1})
    for name, x in (("Ann", 15), ("Bob", 13), ("Cem", 12)):
        town.place(name, x, 3)
    for _ in range(8):
        town.step(Ann=Move("House/closet"), Bob=Move("House/closet"), Cem=Move("House/closet"))
    closet = [n for n in ("Ann", "Bob", "Cem") if town.percept(n).me.place == "House/closet"]
    assert closet == ["Ann"]
    assert town.percept("Bob").result.text == "House/closet is full"
    for _ in range(30):
        town.step(Ann=Move("House/hall"), Bob=Move("House/closet"), Cem=Move("House/hall"))
    assert town.percept("Bob").me.place == "House/closet"
    assert town.percept("Ann").me.place == "House/hall"


def test_people_are_put_beside_a_taken_tile(make_town: MakeTown) -> None:
    town = make_town(rules={**BLOCK, "restart": True})
    start = town.percept("Ann").me.tile
    town.place("Ann", 12, 1)
    town.place("Bob", *start)
    town.step(Ann=Restart())
    near = town.percept("Ann").me.tile
    assert sum(abs(a - b) for a, b in zip(near, start, strict=True)) == 1
    town.env.intervene(Part("Cem Cedar"))
    town.step()
    at = town.world.state.tile[2]
    town.place("Dee", *town.world.town.ground.xy(int(at)))
    town.env.intervene(Join("Cem Cedar"))
    town.step()
    assert len(set(town.world.state.tile.tolist())) == 4
    for name in ("Ann Ash", "Bob Birch", "Cem Cedar"):
        town.env.intervene(Put(name, "House/closet"))
    town.step()
    assert len(set(town.world.state.tile.tolist())) == 4
