from pathlib import Path

import pytest

from genagents_env.study.evaluate.measures.norms import find_attempts, find_trespass
from genagents_env.town_v0 import parallel_env
from genagents_env.world.access import Access
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAFE,
    CAT,
    HOME,
    SHOP,
    WASH,
    begins,
    fails,
    goes,
    record_street,
    value,
)

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
    """Eleven to twelve: the cafe is closed for Ben, not for Ada who works there; Cat is in Ben's
    shop; and from half past on two share a washroom for one.
    """
    happenings = [
        begins(ADA, CAFE),
        begins(BEN, CAFE),
        begins(CAT, SHOP),
        goes(30, ADA, WASH),
        goes(30, BEN, WASH),
        goes(45, CAT, HOME),
    ]
    with record_street(
        tmp_path, happenings, last=60, names=(ADA, BEN, CAT), start="2023-02-13T11:00:00"
    ) as record:
        assert find_trespass(record).sum(axis=1).tolist() == [30, 60, 45]
        assert value(record, "trespass") == pytest.approx(135 / 180)
        assert value(record, "after_hours") == {CAFE: 30.0, WASH: 30.0}  # Ben's alone
        assert value(record, "overcrowded") == {WASH: 30.0}


def test_closing_time_by_the_clock(tmp_path: Path) -> None:
    happenings = [begins(BEN, CAFE), begins(ADA, CAFE)]
    with record_street(
        tmp_path, happenings, last=60, start="2023-02-13T09:30:20", seconds=50
    ) as record:
        # Ten o'clock is 1780 s after the start: the tick 36, at 1800 s, is the first after it.
        assert find_trespass(record)[1].tolist() == [False] * 36 + [True] * 24


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
