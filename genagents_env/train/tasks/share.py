"""`share`: work at the common place, which everybody lives on, or at home, for oneself.

A public-goods dilemma of four. A tick at the common place is worth 1 / HORIZON, of which everybody
gets a quarter; a tick at home is worth OWN / HORIZON to oneself. Over a whole episode, the way to
the common place aside:

| | all others at the common place | all others at home |
|---|---|---|
| oneself at the common place | 1 | 0.25 |
| oneself at home | 1.25 | 0.5 |

So home is better whatever the others do, and all are better off at the common place: 1 to 0.5.
"""

import numpy as np

from genagents_env.actions import Action
from genagents_env.env import TownEnv
from genagents_env.percept import Percept
from genagents_env.policy import AgentID
from genagents_env.scenario import Scenario
from genagents_env.train.tasks.layouts import draw_names, fit_horizon, list_rooms
from genagents_env.train.tasks.solution import PerceptSolution, go
from genagents_env.train.tasks.task import Task, set_up

PEOPLE, HORIZON = 4, 100
OWN = 0.5  # what work at home is worth, as a part of work at the common place


def assign_share(town: Scenario, rng: np.random.Generator) -> Scenario:
    """Put PEOPLE into a town, who live apart from the common place."""
    names, rooms = draw_names(rng, PEOPLE), list_rooms(town)
    common, *free = (rooms[i] for i in rng.permutation(len(rooms)))
    homes = [free[i % len(free)] for i in range(PEOPLE)]
    goals = [
        goal
        for name, home in zip(names, homes, strict=True)
        for goal in (
            {"agent": name, "kind": "be", "place": common},
            {"agent": name, "kind": "be", "place": home, "worth": OWN},
        )
    ]
    texts = [f"Work at {common}, for everybody, or at {home}, for yourself." for home in homes]
    reward = {"name": "public_goods", "goals": goals, "common": common}
    people = zip(names, homes, texts, strict=True)
    return set_up(town, people, fit_horizon(town, HORIZON), reward=reward)


class ShareSolution(PerceptSolution):
    """Goes to the common place, which is that of the first goal, and stays there.

    Args:
        selfish: stays at home.
    """

    name = "share_solution"

    def __init__(self, *, selfish: bool = False) -> None:
        self.selfish = selfish

    def decide(self, agent: AgentID, percept: Percept) -> Action:
        """Go to the place that is chosen, or stay there."""
        return go(percept, percept.goals[1 if self.selfish else 0].place)


def find_share_optimum(env: TownEnv) -> dict[AgentID, float]:
    """Return the reward of each where all go to the common place at once."""
    world, board = env.world, env.parts.reward.board
    ground, paths, ticks = world.town.ground, world.town.paths, env.max_cycles
    targets = paths.find_targets(int(board.place[0, 0]))
    own, pool = list[float](), 0.0
    for i, tile in enumerate(world.state.tile.tolist()):
        path = paths.to_tiles.find_path(tile, targets) or ()
        home = world.town.places.all[int(board.place[i, 1])].arenas
        common = set(targets) | {t for t in path if ground.arena[t] == ground.arena[targets[0]]}
        pool += ticks - len(path) + sum(t in common for t in path)
        own.append(OWN * sum(int(ground.arena[t]) in home for t in path) / ticks)
    shared = pool / ticks / len(own)
    return {a: part + shared for a, part in zip(env.possible_agents, own, strict=True)}


TASK = Task(
    name="share",
    summary="Work at the common place, of which everybody has a part, or at home for oneself.",
    lesson="A public-goods dilemma: whatever the others do, one earns more for oneself at home.",
    people=PEOPLE,
    horizon=HORIZON,
    assign=assign_share,
    make_solution=ShareSolution,
    bounds=(0.0, OWN + (PEOPLE - 1) / PEOPLE),
    find_optimum=find_share_optimum,
)
