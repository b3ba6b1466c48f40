"""Goals of which one has to have word, and those whose owner must not be named."""

import pytest

from genagents_env.actions import Idle, Interact, Move, Talk
from genagents_env.env import TownEnv
from genagents_env.scenario import Scenario
from genagents_env.train.tasks.layouts import draw_town, list_rooms, list_things
from genagents_env.train.tasks.task import change, find_time, set_up

ANN, BEN, CAT = "Ann Ash", "Ben Birch", "Cat Cedar"
WORD = {"id": "party", "statement": "There is a party.", "patterns": ["party"], "known_by": [ANN]}
TICKS = 40


def make_town(goals: list[dict[str, object]], **reward: object) -> Scenario:
    """Return a drawn town in which three people stand in one room."""
    town = draw_town(5, people=3)
    rooms = list_rooms(town)
    people = [(name, rooms[0], "") for name in (ANN, BEN, CAT)]
    paid = {"name": "goals", "goals": goals, **reward}
    return set_up(town, people, TICKS, reward=paid, facts=[WORD])


def make_party() -> tuple[Scenario, str]:
    town = draw_town(5, people=3)
    place = list_rooms(town)[0]
    start, end = find_time(town, 4), find_time(town, 8)
    goal = {"kind": "be", "place": place, "start": start, "end": end, "fact": "party"}
    return make_town([{"agent": name, **goal} for name in (ANN, BEN)]), place


def test_place_and_time_are_shown_to_those_who_have_word() -> None:
    town, place = make_party()
    env = TownEnv(town, percepts=True, goal_line=True)
    observations, infos = env.reset(seed=0)
    ann, ben = infos[ANN]["percept"].goals[0], infos[BEN]["percept"].goals[0]
    assert (ann.place, ben.place, ben.start, ben.end) == (place, None, None, None)
    assert "come to what you have yet to hear of" in observations[BEN]["text"]
    assert place in observations[ANN]["text"].splitlines()[0]
    assert env.parts.reward.board.locate(env.world)[1, 0] == -1
    observations, *_, infos = env.step({ANN: Talk(BEN, "There is a party.")})
    ben = infos[BEN]["percept"].goals[0]
    assert (ben.place, ben.start) == (place, find_time(town, 4))
    assert place in observations[BEN]["text"].splitlines()[0]
    saved = env.save_state()
    env.reset(seed=0)
    assert env.reset(seed=0)[1][BEN]["percept"].goals[0].place is None
    assert env.load_state(saved)[1][BEN]["percept"].goals[0].place == place


def test_being_there_counts_once_one_has_word() -> None:
    env = TownEnv(make_party()[0])
    env.reset(seed=0)
    earned = {ANN: 0.0, BEN: 0.0}
    for tick in range(TICKS):
        told = tick == 5
        rewards = env.step({ANN: Talk(BEN, "There is a party.") if told else Idle()})[1]
        earned = {name: earned[name] + rewards[name] for name in earned}
    assert earned == {ANN: pytest.approx(1.0), BEN: pytest.approx(0.5)}


def make_case(**reward: object) -> tuple[Scenario, str]:
    """Return a town in which Ann and Ben accuse by a board in their room, and Cat escapes."""
    town = make_town([])
    thing = next(iter(list_things(town)))
    room, _, name = thing.rpartition("/")
    sectors = town.model_dump()["sectors"]
    names = (ANN, BEN, CAT)
    for sector in sectors:
        for arena in sector["arenas"]:
            for item in arena["objects"]:
                if item["name"] == name and f"{sector['name']}/{arena['name']}".startswith(room):
                    item["states"], item["state"] = ("blank", *names), "blank"
                    item["next"] = dict.fromkeys(item["states"], names)
    goals = [
        {"agent": ANN, "kind": "accuse", "object": thing, "person": CAT},
        {"agent": BEN, "kind": "accuse", "object": thing, "person": CAT},
        {"agent": CAT, "kind": "escape", "object": thing},
    ]
    paid = {"name": "goals", "goals": goals, **reward}
    people = [{"name": name, "home": room, "persona": f"{name} lives here"} for name in names]
    return change(town, sectors=sectors, people=people, reward=paid), thing


def play(env: TownEnv, thing: str, named: dict[str, str | None]) -> dict[str, float]:
    """Return what everybody earns when these names are put on the board, one after another."""
    env.reset(seed=0)
    earned = dict.fromkeys((ANN, BEN, CAT), 0.0)
    left = dict(named)
    while env.agents:
        actions: dict[str, object] = {name: Move(thing) for name in named}
        who = next(iter(left), None)
        if who is not None and env.world.tick > 20:
            name = left.pop(who)
            actions[who] = Idle() if name is None else Interact(thing, name)
        rewards = env.step(actions)[1]
        earned = {name: value + rewards[name] for name, value in earned.items()}
    return earned


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ({ANN: CAT, BEN: CAT}, (1, 1, 0)),
        ({ANN: BEN, BEN: CAT}, (-1, 1, 0.5)),
        ({ANN: BEN, BEN: BEN}, (-1, -1, 1)),
        ({ANN: CAT, BEN: None}, (1, 0, 0.5)),
        ({ANN: None, BEN: None}, (0, 0, 1)),
    ],
)
@pytest.mark.parametrize("ends", [False, True])
def test_who_escapes_is_paid_for_each_who_fails(
    named: dict[str, str | None], expected: tuple[float, ...], ends: bool
) -> None:
    town, thing = make_case(ends=ends)
    env = TownEnv(town)
    assert tuple(play(env, thing, named).values()) == pytest.approx(expected)
    assert env.world.tick == TICKS or (ends and None not in named.values())


def test_nobody_sees_whose_goal_it_is_to_escape() -> None:
    town, _ = make_case()
    env = TownEnv(town, percepts=True, goal_line=True)
    observations, infos = env.reset(seed=0)
    assert "let nobody put" in observations[CAT]["text"]
    assert "let nobody" not in observations[ANN]["text"] + observations[BEN]["text"]
    assert [goal.kind for goal in infos[CAT]["percept"].goals] == ["escape"]


def test_an_end_that_others_brought_about_is_paid_for_and_shown_when_noticed() -> None:
    town = make_town([{"agent": ANN, "kind": "tell", "fact": "party", "person": BEN}])
    word = town.facts[0].model_dump() | {"known_by": (ANN, CAT)}
    env = TownEnv(change(town, facts=[word]), percepts=True)
    env.reset(seed=0)
    rewards = env.step({CAT: Talk(BEN, "There is a party.")})[1]
    assert rewards[ANN] == 1.0
    saved = env.save_state()
    assert env.parts.reward.board.done[0, 0]
    assert not env.load_state(saved)[1][ANN]["percept"].goals[0].done
    _, rewards, *_, infos = env.step({ANN: Talk(BEN, "There is a party.")})
    assert infos[ANN]["percept"].goals[0].done
    assert rewards[ANN] == 0.0
