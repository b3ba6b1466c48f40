"""What the record tells of facts that people knew and of things that they changed."""

from datetime import datetime
from pathlib import Path

import pytest

from genagents_env.scenario import Scenario
from genagents_env.scenario.people_selection import select_people
from genagents_env.scenario.schema import Check, FactCheck, ObjectCheck, Success
from genagents_env.study.evaluate.checks import find_verdicts
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAFE,
    CAT,
    HOME,
    Happening,
    begins,
    goes,
    record_street,
    street,
    uses,
)

OVEN = f"{CAFE}/oven"
LEARNS = {"fact": "cake", "cause": 0, "source": ADA}


def with_checks(*checks: Check, success: tuple[Success, ...] = ()) -> Scenario:
    return street().model_copy(update={"checks": checks, "success": success})


def parse(clock: str) -> datetime:
    return datetime.fromisoformat(clock)


def ask_oven(at: str | None = None, unseen_by: tuple[str, ...] = ()) -> ObjectCheck:
    given = {"kind": "object", "id": "oven", "object": OVEN, "state": "on"}
    return ObjectCheck.model_validate({**given, "at": at and parse(at), "unseen_by": unseen_by})


def ask_cake(at: str | None = None) -> FactCheck:
    return FactCheck.model_validate(
        {"kind": "fact", "id": "knows", "fact": "cake", "at": at and parse(at)}
    )


def judge(tmp_path: Path, check: Check, *happenings: Happening, last: int = 60) -> list[str | None]:
    """Return the verdicts on Ada, Ben and Cat."""
    tmp_path.mkdir(exist_ok=True)
    names = (ADA, BEN, CAT)
    with record_street(
        tmp_path, happenings, last=last, names=names, scenario=with_checks(check)
    ) as data:
        return [verdict.value for verdict in find_verdicts(data)]


def test_one_knows_a_fact_from_the_start_or_once_one_has_heard_it(tmp_path: Path) -> None:
    heard = (20, "learn", BEN, LEARNS)
    assert judge(tmp_path / "a", ask_cake(), heard) == ["yes", "yes", "no"]
    before, then = "2023-02-13T08:19:00", "2023-02-13T08:20:00"
    assert judge(tmp_path / "b", ask_cake(before), heard) == ["yes", "no", "no"]
    assert judge(tmp_path / "c", ask_cake(then), heard) == ["yes", "yes", "no"]
    assert judge(tmp_path / "d", ask_cake("2023-02-13T09:30:00"), heard) == [None] * 3


@pytest.mark.parametrize(
    ("name", "happenings", "verdicts"),
    [
        ("ada", [uses(5, ADA, OVEN, "on")], ["yes", "no", "no"]),
        ("nobody", [], ["no", "no", "no"]),
        ("from the start", [uses(0, None, OVEN, "on")], ["no", "no", "no"]),
        ("by the town", [uses(5, None, OVEN, "on")], ["no", "no", "no"]),
        ("off again", [uses(5, ADA, OVEN, "on"), uses(6, BEN, OVEN, "off")], ["no", "no", "no"]),
        ("on anew", [uses(5, ADA, OVEN, "on"), uses(6, BEN, OVEN, "on")], ["yes", "no", "no"]),
        (
            "again",
            [uses(5, ADA, OVEN, "on"), uses(6, ADA, OVEN, "off"), uses(7, BEN, OVEN, "on")],
            ["no", "yes", "no"],
        ),
    ],
)
def test_it_was_whoever_brought_a_thing_into_its_state(
    name: str, happenings: list[Happening], verdicts: list[str], tmp_path: Path
) -> None:
    assert judge(tmp_path, ask_oven(), *happenings) == verdicts


def test_a_thing_counts_as_it_is_at_the_time_that_the_check_names(tmp_path: Path) -> None:
    happenings = [uses(5, ADA, OVEN, "on"), uses(30, BEN, OVEN, "off")]
    early, late = ask_oven("2023-02-13T08:29:00"), ask_oven("2023-02-13T08:30:00")
    assert judge(tmp_path / "a", early, *happenings) == ["yes", "no", "no"]
    assert judge(tmp_path / "b", late, *happenings) == ["no", "no", "no"]


def test_what_somebody_must_not_see_is_done_while_they_are_elsewhere_or_asleep(
    tmp_path: Path,
) -> None:
    secret = ask_oven(unseen_by=(BEN, ADA))
    done = [begins(ADA, CAFE), uses(5, ADA, OVEN, "on")]
    assert judge(tmp_path / "a", secret, *done, begins(BEN, HOME))[0] == "yes"
    assert judge(tmp_path / "b", secret, *done, begins(BEN, CAFE))[0] == "no"
    assert judge(tmp_path / "c", secret, *done, begins(BEN, CAFE), goes(5, BEN, HOME))[0] == "yes"
    assert judge(tmp_path / "d", secret, *done, begins(BEN, CAFE, asleep=True))[0] == "yes"
    assert judge(tmp_path / "e", secret, *done, begins(CAT, CAFE))[0] == "yes"


def test_a_part_of_the_people_has_such_checks_without_those_who_are_absent() -> None:
    scenario = with_checks(ask_cake(), ask_oven(unseen_by=(ADA, BEN)))
    _, oven = select_people(scenario, [ADA]).checks
    assert isinstance(oven, ObjectCheck)
    assert oven.unseen_by == (ADA,)
