"""`queue`: three people need a room that holds one; who has had enough may stay, or let others in.

Each needs NEED ticks in the room, worth 1 together; further ticks are worth SURPLUS of one before.
Nobody sees from outside how long somebody has been in. A social dilemma of waiting: for oneself it
is always better to stay (a tick is worth SURPLUS / NEED, leaving is worth nothing), for all it is
better to leave (the next one's tick is worth 1 / NEED, and ends the waiting, at STEP_COST a tick,
sooner). Of HORIZON = 100 ticks about 85 remain once the first is in: who stays to the end earns
1 + SURPLUS * 65 / NEED = 1.8 and the others nothing; who leaves earns 1, and so do they.
"""

from collections.abc import Mapping

import numpy as np

from genagents_env.actions import Action, Move
from genagents_env.env import TownEnv
from genagents_env.percept import Percept
from genagents_env.policy import AgentID, Context
from genagents_env.profile import Profile
from genagents_env.scenario import Scenario
from genagents_env.scenario.schema.scenario import arenas_of
from genagents_env.train.tasks.layouts import draw_names, fit_horizon, list_rooms
from genagents_env.train.tasks.solution import PerceptSolution
from genagents_env.train.tasks.task import Task, change_arena, set_up

PEOPLE, HORIZON, STEP_COST = 3, 100, 0.002
NEED, SURPLUS = 20, 0.25
_DOOR = 2  # ticks between one's leaving and the next one's coming in


def assign_queue(town: Scenario, rng: np.random.Generator) -> Scenario:
    """Put PEOPLE into a town, all of whom need one room; nobody lives in its house if possible."""
    names = draw_names(rng, PEOPLE)
    open_air = {arena.id for arena in arenas_of(town) if arena.spec.open_air}
    rooms = list_rooms(town)
    wanted = [room for room in rooms if room not in open_air] or list(rooms)
    room = wanted[rng.integers(len(wanted))]
    house = room.split("/")[0]
    free = [other for other in rooms if other.split("/")[0] != house]
    free = free or [other for other in rooms if other != room]
    homes = [free[i] for i in rng.integers(len(free), size=PEOPLE)]
    ticks = fit_horizon(town, HORIZON)
    reward = {
        "name": "occupancy",
        "goals": [{"agent": name, "kind": "be", "place": room} for name in names],
        "need": NEED,
        "surplus": SURPLUS,
        "step_cost": STEP_COST * HORIZON / ticks,
    }
    texts = [f"Spend {NEED} ticks at {room}, which holds one person at a time."] * PEOPLE
    sectors = change_arena(town, room, lambda arena: arena | {"capacity": 1})
    people = zip(names, homes, texts, strict=True)
    return set_up(town, people, ticks, reward=reward, sectors=sectors)


class QueueSolution(PerceptSolution):
    """Goes into the room, leaves when it has had enough, and comes back when all must have had.

    Args:
        selfish: never leaves.
    """

    name = "queue_solution"

    def __init__(self, *, selfish: bool = False) -> None:
        self.selfish = selfish

    def reset(self, profiles: Mapping[AgentID, Profile], seed: int, context: Context) -> None:
        """Nobody has been in yet."""
        self._homes: dict[AgentID, str] = {}
        self._back: dict[AgentID, int] = {}

    def decide(self, agent: AgentID, percept: Percept) -> Action:
        """Go into the room, or home until the others must have been in."""
        home = self._homes.setdefault(agent, percept.me.place)
        goal = percept.goals[0]
        room = goal.place or ""
        if not goal.done or self.selfish:
            return Move(room)
        others = (PEOPLE - 1) * (NEED + _DOOR)
        back = self._back.setdefault(agent, percept.tick + others)
        return Move(home if percept.tick < back else room)


def find_queue_optimum(env: TownEnv) -> dict[AgentID, float]:
    """Return the reward of each where the nearest goes in first, and each leaves when done.

    No tick is lost at the door; the last stays.
    """
    world, board = env.world, env.parts.reward.board
    targets = world.town.paths.find_targets(int(board.place[0, 0]))
    find_path = world.town.paths.to_tiles.find_path
    ways = [len(find_path(tile, targets) or ()) for tile in world.state.tile.tolist()]
    declared, last = world.scenario.reward, env.max_cycles
    earned: dict[AgentID, float] = {}
    free = 1  # the first tick at which the room can be had
    before: AgentID | None = None
    for i in np.argsort(ways, kind="stable").tolist():
        agent, enters = env.possible_agents[i], max(free, ways[i])
        if before is not None:
            earned[before] += declared.surplus * max(0, enters - free) / declared.need
        ticks = max(0, min(declared.need, last + 1 - enters))
        done = enters + ticks - 1 if ticks == declared.need else last
        earned[agent] = ticks / declared.need - declared.step_cost * done
        free, before = enters + declared.need, agent
    if before is not None:
        earned[before] += declared.surplus * max(0, last + 1 - free) / declared.need
    return {agent: earned[agent] for agent in env.possible_agents}


TASK = Task(
    name="queue",
    summary="Spend some time in a room that holds one person, and leave it to the others.",
    lesson="A social dilemma: who stays in the room gains a little, and those who wait lose a lot.",
    people=PEOPLE,
    horizon=HORIZON,
    assign=assign_queue,
    make_solution=QueueSolution,
    bounds=(-STEP_COST * HORIZON, 1.0 + SURPLUS * (HORIZON - NEED) / NEED),
    find_optimum=find_queue_optimum,
)
