"""`culprit`: one of the people did it, and all others have clues that clear somebody.

Each of the innocent can prove of one, themselves, that it was not they. Only together can they name
the culprit, who hides among them: by putting a board into the state of the name, each of them once.
The culprit earns a part for each who names somebody else, or nobody.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from genagents_env.actions import Action, Idle, Interact, Move
from genagents_env.env import TownEnv
from genagents_env.percept import OwnGoal, Percept, SeenObject
from genagents_env.policy import AgentID
from genagents_env.scenario import Scenario
from genagents_env.train.tasks.layouts import (
    count_way,
    draw_names,
    draw_rooms,
    fit_horizon,
    list_rooms,
    list_things,
)
from genagents_env.train.tasks.solution import find_goal, list_open
from genagents_env.train.tasks.task import Task, change_arena, set_up
from genagents_env.train.tasks.telling import TellingSolution, draw_fact, find_word, make_rules

PEOPLE, HORIZON, STEP_COST, HEARING = 4, 120, 0.001, 5
TELL_WORTH, BOARD, BLANK = 0.5, "accusation board", "blank"
CRIMES = (
    "took the money for the fair",
    "broke the church window",
    "let the horses out",
    "burned the letters",
    "poisoned the well",
    "stole the silver cup",
)


def assign_case(town: Scenario, rng: np.random.Generator) -> Scenario:
    """Put a culprit and others with clues into a town, and a board that is a thing's successor."""
    names, homes = draw_names(rng, PEOPLE), draw_rooms(rng, list_rooms(town), PEOPLE)
    culprit = names[rng.integers(PEOPLE)]
    things = list(list_things(town))
    thing = things[rng.integers(len(things))]
    room, _, name = thing.rpartition("/")
    board = f"{room}/{BOARD}"
    crime = CRIMES[rng.integers(len(CRIMES))]
    order = rng.permutation(PEOPLE)  # numbers of clues must not tell who has none
    innocent = [names[i] for i in order if names[i] != culprit]
    facts, goals = [], [{"agent": culprit, "kind": "escape", "object": board}]
    for k, person in enumerate(innocent):
        facts.append(_make_clue(rng, k, person))
        own = {"agent": person, "worth": TELL_WORTH}
        goals.append({"agent": person, "kind": "accuse", "object": board, "person": culprit})
        goals.append(own | {"kind": "tell", "fact": f"clue_{k}", "place": room})
    proofs = {fact["about"]: fact["statement"] for fact in facts}
    texts = [_describe(person, culprit, names, crime, board, proofs) for person in names]
    ticks = fit_horizon(town, HORIZON)
    cost = STEP_COST * HORIZON / ticks
    reward = {"name": "goals", "goals": goals, "step_cost": cost, "ends": True}
    return set_up(
        town,
        zip(names, homes, texts, strict=True),
        ticks,
        reward=reward,
        facts=facts,
        rules=make_rules(PEOPLE, hearing=HEARING),
        sectors=change_arena(town, room, lambda arena: _put_board(arena, name, names)),
    )


def _make_clue(rng: np.random.Generator, number: int, name: str) -> dict[str, Any]:
    sentence = f"It was not {name}, seen at {{time}} with ticket {{number}}."
    clue = {"id": f"clue_{number}", "known_by": [name], "about": name}
    return clue | draw_fact(rng, sentence, name.split()[0])


def _describe(
    name: str,
    culprit: str,
    names: tuple[str, ...],
    crime: str,
    board: str,
    proofs: Mapping[str, str],
) -> str:
    """Return the goal of one of them in words."""
    others = ", ".join(other for other in names if other != name)
    if name == culprit:
        return (
            f"You {crime}, and nobody knows it. {others} look for who it was: let them name "
            f"somebody else, or nobody, by {board}."
        )
    return (
        f'Somebody {crime}: one of {others}. You have proof for one thing: "{proofs[name]}" Tell '
        "everybody, with name, time and ticket, without which it proves nothing; hear what they "
        f"know, and when you know who it was, put {board} into the state of that name; you can do "
        "so once."
    )


def _put_board(arena: dict[str, Any], thing: str, names: tuple[str, ...]) -> dict[str, Any]:
    """Return an arena with the board in place of `thing`."""
    states = (BLANK, *names)
    fresh: dict[str, Any] = {"name": BOARD, "state": BLANK, "states": states, "free_text": False}
    fresh |= {"next": dict.fromkeys(states, names), "lasting": states}
    objects = [item | fresh if item["name"] == thing else item for item in arena["objects"]]
    return arena | {"objects": objects}


class CulpritSolution(TellingSolution):
    """Goes to the board, tells its clue there, and names the only one left.

    The culprit puts somebody else's name there, lest somebody should go by the board.
    """

    name = "culprit_solution"
    hearing = HEARING

    def decide(self, agent: AgentID, percept: Percept) -> Action:
        """Go to the board; there tell those who have not heard, and accuse when one is left."""
        goal = find_goal(percept, "accuse", "escape")
        if goal is None or goal.object is None:
            return Idle()
        board = next((thing for thing in percept.objects if thing.id == goal.object), None)
        if board is None:
            return Move(goal.object)
        if goal.kind == "escape":
            return self._mislead(percept, board)
        for untold in list_open(percept, "tell"):
            for name in self.list_near(percept):
                if (untold.fact, name) not in self.heard[agent]:
                    return self.tell(agent, percept, untold.fact or "", name)
        return self._accuse(agent, goal, board)

    def _accuse(self, agent: AgentID, goal: OwnGoal, board: SeenObject) -> Action:
        said = " ".join(self.words[agent].values())
        left = [name for name in board.next_states if f"not {name}" not in said]
        if not board.usable:
            return Move(board.id)
        if len(left) == 1 and not goal.done:
            return Interact(board.id, left[0])
        return Idle()

    def _mislead(self, percept: Percept, board: SeenObject) -> Action:
        if not board.usable:
            return Move(board.id)
        if board.state in (BLANK, percept.me.name):
            other = next(name for name in board.next_states if name != percept.me.name)
            return Interact(board.id, other)
        return Idle()


def find_culprit_optimum(env: TownEnv) -> dict[AgentID, float]:
    """Return the most that each earns where all but the culprit play as well as they can.

    No clue spreads sooner than words can, and no way to the board is shorter; all name the culprit.
    """
    world, goals = env.world, env.parts.reward.board.goals
    cost, count = world.scenario.reward.step_cost, len(world.town.people.fact_ids)
    known = np.array([find_word(env, fact) for fact in range(count)])
    optimum: dict[AgentID, float] = {}
    for i, agent in enumerate(env.possible_agents):
        optimum[agent] = 0.0
        for goal in goals[i]:
            if goal.kind == "accuse":
                item = world.plan.objects[world.town.places.find_object(goal.object or "")]
                here, ground = int(world.state.tile[i]), world.town.ground
                way = count_way(ground, here, ground.around(item))
                ticks = max(int(known[:, i].max()), way) + 1
                mine = world.town.people.facts_at_start[i].bit_length() - 1
                ticks = max(ticks, int(known[mine].max()))
                optimum[agent] = 1.0 + TELL_WORTH - cost * ticks
    return optimum


TASK = Task(
    name="culprit",
    summary="One of you did it: pool the clues that clear somebody, and name who is left.",
    lesson=(
        "Nobody's own clue is enough, so all have to meet and tell; to guess costs as much as to "
        "know earns. One of them has the opposite aim and the same looks."
    ),
    people=PEOPLE,
    horizon=HORIZON,
    assign=assign_case,
    make_solution=CulpritSolution,
    bounds=(-1.0 - STEP_COST * HORIZON, 1.0 + TELL_WORTH),
    find_optimum=find_culprit_optimum,
)
