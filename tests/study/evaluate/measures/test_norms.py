import json
from pathlib import Path

import pytest

from genagents_env.actions import Move
from genagents_env.env import TownEnv
from genagents_env.record import RunMeta, RunReader, RunWriter
from genagents_env.scenario import Scenario, load_scenario
from genagents_env.show.summary import describe_run, run_as_json
from genagents_env.study.evaluate.measures.doors import (
    find_attempts,
    find_noon_guests,
    find_waits,
)
from genagents_env.study.evaluate.measures.grain import Crowding, compute_crowding
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.town_v0 import parallel_env
from genagents_env.world.access import Access
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAFE,
    CAT,
    HOME,
    WASH,
    begins,
    does,
    fails,
    goes,
    record_street,
    street,
    value,
)
from tests.world.mazes import draw_corridor, make_scenario

CLOSED = "Cafe/cafe is closed; open 08:00 to 10:00"


def test_attempts_against_a_rule(tmp_path: Path) -> None:
    """The same refusal within five minutes of the last is one attempt, however long it goes on."""
    happenings = [
        *(fails(tick, BEN, CLOSED) for tick in range(1, 20)),
        fails(30, BEN, CLOSED),
        fails(30, ADA, "Shop is private"),
        fails(31, ADA, "Cafe/washroom is full"),
        fails(32, ADA, "the lamp is not yours to use"),
        fails(33, ADA, "Ben Carver is out of earshot"),
        fails(34, ADA, "you do not know a place called Shop is private business"),
        (35, "fail", ADA, {"action": "talk", "reason": "that conversation is full"}),
    ]
    with record_street(tmp_path, happenings, last=60) as record:
        found = find_attempts(record)
        assert [(one.agent, one.tick, one.kind) for one in found] == [
            (BEN, 1, "closed"),
            (BEN, 30, "closed"),
            (ADA, 30, "private"),
            (ADA, 31, "full"),
            (ADA, 32, "anothers"),
        ]
        assert value(record, "broken_norms") == pytest.approx(5 / 2)
        assert value(record, "failed_actions") == pytest.approx(26 / 2)
        assert value(record, "refused_closed") == {CAFE: 2.0, WASH: 0.0}
        assert value(record, "refused_full") == {WASH: 1.0}


def test_being_where_one_must_not(tmp_path: Path) -> None:
    """Eleven to twelve: the cafe is closed for Ben, not for Ada who works there; from half past on
    the two share a washroom for one.
    """
    happenings = [begins(ADA, CAFE), begins(BEN, CAFE), goes(30, ADA, WASH), goes(30, BEN, WASH)]
    with record_street(tmp_path, happenings, last=60, start="2023-02-13T11:00:00") as record:
        assert value(record, "after_hours") == {CAFE: 30.0, WASH: 30.0}  # Ben's alone
        assert value(record, "overcrowded") == {WASH: 30.0}


def test_closing_time_by_the_clock(tmp_path: Path) -> None:
    """Ten o'clock is 1780 s after the start: the tick 36, at 1800 s, is the first after it."""
    happenings = [begins(BEN, CAFE), begins(ADA, CAFE)]
    with record_street(
        tmp_path, happenings, last=60, start="2023-02-13T09:30:20", seconds=50
    ) as record:
        assert value(record, "after_hours")[CAFE] == 24 * 50 / 60


def test_the_refusals_of_the_town_are_known(tmp_path: Path) -> None:
    """The words are the town's own: should they change there, this tells."""
    env = parallel_env(scenario="valentines_party", start="03:00", hours=0.1)
    env.reset(seed=0)
    world = env.unwrapped.world
    access: Access = world.state.access
    shop = next(
        a for a in range(len(world.plan.arenas)) if "market" in world.plan.arena_id(a).lower()
    )
    stranger = next(
        i for i, p in enumerate(world.scenario.people) if "Market" not in (p.workplace or "")
    )
    told = access.explain_refusal(stranger, shop)
    with record_street(tmp_path, [fails(1, ADA, told)], last=2) as record:
        assert [one.kind for one in find_attempts(record)] == ["closed"]


NAMES = (ADA, BEN, CAT)


def with_bar() -> Scenario:
    """Return the street with a bar in place of the cafe, which is Ada's."""
    cafe = next(sector for sector in street().sectors if sector.name == "Cafe")
    arenas = tuple(
        arena.model_copy(update={"name": "bar" if arena.name == "cafe" else arena.name})
        for arena in cafe.arenas
    )
    bar = cafe.model_copy(update={"hours": (), "arenas": arenas})
    others = [sector for sector in street().sectors if sector.name != "Cafe"]
    return street(sectors=(bar, *others))


@pytest.mark.parametrize(
    ("start", "counted"),
    [
        ("2023-02-13T10:59:00", False),
        ("2023-02-13T11:30:00", True),
        ("2023-02-13T13:30:00", True),
        ("2023-02-13T14:00:00", False),
    ],
)
def test_who_comes_to_a_bar_at_noon(start: str, counted: bool, tmp_path: Path) -> None:
    """Cat comes for a tick and has lunch; Ben drinks; Ada works there and drinks, too."""
    happenings = [
        begins(ADA, "Cafe/bar", doing="having a beer"),
        begins(BEN, "Cafe/bar", doing="having a beer"),
        begins(CAT, HOME, doing="having a beer"),
        does(20, CAT, "having lunch"),
        goes(29, CAT, "Cafe/bar"),
        goes(31, CAT, HOME),
    ]
    with record_street(
        tmp_path, happenings, last=60, names=NAMES, start=start, scenario=with_bar()
    ) as record:
        guests = find_noon_guests(record)
        measured = value(record, "bar_at_noon")
    assert guests == ((frozenset({BEN, CAT}), frozenset({BEN})) if counted else None)
    assert measured == ({"came": 2, "drank": 1} if counted else {"came": None, "drank": None})


def with_limits() -> Scenario:
    """Return the cottage with rooms for one; its kitchen begins at (1, 1), its study at (8, 1)."""
    tiny = load_scenario("tiny")
    (cottage,) = tiny.sectors
    arenas = tuple(arena.model_copy(update={"capacity": 1}) for arena in cottage.arenas)
    return tiny.model_copy(update={"sectors": (cottage.model_copy(update={"arenas": arenas}),)})


def test_one_waits_before_a_door_until_one_is_in_or_has_gone(tmp_path: Path) -> None:
    """Both stand at (0, 0): close to the kitchen, far from the study."""
    kitchen, study = "Cottage/kitchen", "Cottage/study"
    happenings = [
        begins(ADA, study),
        begins(BEN, study),
        fails(5, ADA, f"{kitchen} is full"),
        fails(11, ADA, f"{kitchen} is full"),  # she still stands there
        fails(5, BEN, f"{study} is full"),
        fails(20, BEN, f"{kitchen} is full"),
        goes(26, BEN, kitchen),
        goes(30, BEN, study),
        fails(45, BEN, f"{kitchen} is full"),  # and waits to the end
        fails(50, ADA, "Nowhere is full"),
    ]
    steps = [(10, ADA), (11, ADA), (12, ADA)]  # the third leads away
    with record_street(
        tmp_path, happenings, last=60, scenario=with_limits(), steps=steps
    ) as record:
        waits = [(one.agent, one.place, ticks) for one, ticks in find_waits(record)]
        assert value(record, "before_door") == {kitchen: 28.0, study: 0.0}
    assert waits == [(ADA, kitchen, 7), (BEN, kitchen, 6), (BEN, kitchen, 15)]


def record_crossing(file: Path, ticks: int, **rules: object) -> Path:
    """Record six people who pass one another in a corridor."""
    starts = "aaabbb"
    scenario = make_scenario(draw_corridor(1, side=5), starts, rules=rules)
    env = TownEnv(scenario)
    env.reset(seed=1)
    idle = {agent: {"name": "idle", "config": {}} for agent in env.agents}
    begin = env.world.town.clock.start.isoformat()
    meta = RunMeta(env.world.scenario, {}, idle, 1, tuple(env.agents), begin, 10)
    with RunWriter.create(file, meta) as writer:
        writer.commit_tick(0, env.world.positions, env.events)
        for _ in range(ticks):
            goals = {
                a: Move("Room b" if starts[i] == "a" else "Room a")
                for i, a in enumerate(env.agents)
            }
            env.step(goals)
            writer.commit_tick(env.world.tick, env.world.positions, env.events)
    return file


def test_how_people_got_past_one_another_is_counted_and_told(tmp_path: Path) -> None:
    file = record_crossing(tmp_path / "run.sqlite", 40, bodies_block=True)
    with RunReader(file) as reader:
        data = RunData(reader)
        found = compute_crowding(data)
        swaps, asides = data.of_kind("swap"), data.of_kind("aside")
        assert found is not None
        assert found.swaps == len(swaps) >= 3  # every one of three passes every one of three
        assert found == Crowding(
            len(data.of_kind("detour")),
            len(swaps),
            len(asides),
            sum(event.data["waited"] for event in (*swaps, *asides)),
        )
        hours = 6 * 40 * 10 / 3600
        assert value(data, "swaps") == pytest.approx(found.swaps / hours)
        assert value(data, "waits") == pytest.approx(found.waited / hours)
        told, values = "\n".join(describe_run(data)), run_as_json(data)
    assert f"{found.swaps} changes of place" in told
    assert f"{found.waited} game seconds waited" in told
    assert json.loads(json.dumps(values))["crowding"]["swaps"] == found.swaps


def test_where_nobody_is_in_the_way_nothing_is_told_of_it(tmp_path: Path) -> None:
    with RunReader(record_crossing(tmp_path / "run.sqlite", 5)) as reader:
        data = RunData(reader)
        assert value(data, "swaps") is None
        assert "crowding" not in run_as_json(data)
        assert "another's way" not in "\n".join(describe_run(data))
