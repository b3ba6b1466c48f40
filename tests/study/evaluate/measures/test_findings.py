"""The measures that tell what the report of a run tells: their keys, and where they have none."""

from datetime import timedelta
from pathlib import Path

import pytest

from genagents_env.config import TownConfig
from genagents_env.record import InterviewRow, RunReader
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run
from genagents_env.scenario import Scenario, load_scenario
from genagents_env.scenario.schema import Fact, Gathering, Question
from genagents_env.show.outcomes import format_findings
from genagents_env.study.evaluate.measures.findings import Findings, compute_findings
from genagents_env.study.evaluate.measures.gatherings import Coordination, compute_coordinations
from genagents_env.study.evaluate.run_data import RunData
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAFE,
    CAT,
    gathering,
    goes,
    record_street,
    street,
    value,
)
from tests.study.evaluate.suspects import at, learn, make_data
from tests.study.report.planted import cake

VALUES: dict[str, object] = {
    "heard": {"crumbs": 1.0},
    "verified": {},  # no question asks for the fact
    "received": {"crumbs": 1.0},
    "stored": {"crumbs": 1.0},
    "retrieved": {"crumbs": 0.0},
    "success": {"solved": 1.0, "equal": 1.0},
    "success_majority": {"solved": 1.0, "equal": 1.0},
    "changed": {"suspect": 1.0},
    "hallucinated": None,
    "uncited": None,
    "acquainted": None,
    "calls_per_hour": pytest.approx(12),
    "tokens_per_hour": pytest.approx(1320),
    "dollars_per_hour": pytest.approx(0.00048 * 3),
    "dollars_per_human_hour": pytest.approx(0.00048 * 30),
    "fallbacks": 0,
    "policy_errors": 0,
    "wall_seconds": None,  # nobody noted it
}


def test_a_run_with_something_of_everything(tmp_path: Path) -> None:
    with RunReader(cake(tmp_path / "run.sqlite")) as run:
        record = RunData(run)
        for name, expected in VALUES.items():
            assert value(record, name) == expected, name


def test_no_model_costs_nothing_and_no_price_is_not_nothing(tmp_path: Path) -> None:
    with record_street(tmp_path, last=60, model=None, price=None) as record:
        for name in ("calls_per_hour", "tokens_per_hour", "dollars_per_human_hour"):
            assert value(record, name) == 0
        assert value(record, "fallbacks") is None
    with RunReader(cake(tmp_path / "cake.sqlite", price=None)) as run:
        assert value(RunData(run), "dollars_per_hour") is None
        assert value(RunData(run), "calls_per_hour") == pytest.approx(12)


def test_who_came_to_the_cake(tmp_path: Path) -> None:
    """Ada hosts; Ben heard of it before and comes for ten minutes; Cat passes by for five."""
    scenario = street(gatherings=(gathering(),))
    happenings = [
        (5, "learn", BEN, {"fact": "cake", "cause": 0, "source": ADA}),
        goes(40, BEN, CAFE),
        goes(50, BEN, "Brook house/kitchen"),
        goes(55, CAT, CAFE),
    ]
    with record_street(
        tmp_path, happenings, last=60, names=(ADA, BEN, CAT), scenario=scenario
    ) as record:
        assert value(record, "invited") == {"treat": 1.0}
        assert value(record, "came") == {"treat": 1.0}
        assert value(record, "attendance") == {"treat": 2.0}


@pytest.mark.parametrize(("last", "invited"), [(20, None), (60, 0.0)])
def test_before_a_gathering_nothing_is_told_and_nobody_invited_is_nobody_to_come(
    last: int, invited: float | None, tmp_path: Path
) -> None:
    with record_street(tmp_path, last=last, scenario=street(gatherings=(gathering(),))) as record:
        assert value(record, "invited") == {"treat": invited}
        assert value(record, "came") == {"treat": None}
        assert value(record, "attendance") == {"treat": invited}


TINY = load_scenario("tiny")


def _make_scenario() -> Scenario:
    """Tiny without an end before time, with one question of each kind."""
    (heard,) = TINY.questions
    (tea,) = TINY.gatherings
    soon: Gathering = tea.model_copy(update={"start": TINY.start + timedelta(minutes=4)})
    reward = TINY.reward.model_copy(update={"ends": False})
    questions = (
        heard.model_copy(update={"to": (ADA, BEN)}),
        Question(id="knows", text="Do you know of {person}?", when="both", about="everyone"),
        Question(id="why", text="If you missed the tea, why?", gathering=tea.id),
    )
    changes = {"questions": questions, "gatherings": (soon,), "reward": reward}
    return TINY.model_copy(update=changes)


def _run_findings(
    path: Path, scenario: Scenario, policy: str = "scripted", hours: float | None = None
) -> Findings:
    run(RunSpec(TownConfig(scenario, hours=hours), policy=PolicySpec(policy)), path, RunOptions())
    with RunReader(path) as record:
        return compute_findings(record)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.sqlite"


def test_findings_of_a_run_that_was_asked(path: Path) -> None:
    found = _run_findings(path, _make_scenario())
    before, after = found.facts["tea"]
    assert before is not None
    assert after is not None
    assert before.verified == (ADA,)
    assert after.asked == after.verified == (ADA, BEN)
    network, _ = found.networks
    assert network is not None
    assert network.asked == network.pairs * 2 == 2
    (gathering,) = found.gatherings
    assert gathering.host == ADA
    assert gathering.invited == (BEN,)
    assert found.asked
    told = list(format_findings(found))
    assert told[0] == "Knows tea: before 1 of 2 (50%); after 2 of 2 (100%)"
    assert told[1].startswith("Mutual knowledge: before density ")
    assert told[2].startswith("Came to tea_time: 1 of 1 invited")
    assert told[3].startswith("Hallucinated: ")
    values = found.as_json()
    assert values["facts"]["tea"]["after"]["verified_share"] == 1.0
    assert values["gatherings"]["tea_time"]["came"] == [BEN]


def test_nobody_asked_is_told_as_such_and_is_not_nothing(path: Path) -> None:
    found = _run_findings(path, _make_scenario(), policy="idle", hours=2 / 60)
    assert not found.asked
    assert found.gatherings == ()  # none has begun
    assert list(format_findings(found))[:2] == [
        "Knows tea: before not asked; after not asked",
        "Mutual knowledge: before not asked; after not asked",
    ]
    assert list(format_findings(found))[-1] == "Hallucinated: not asked"
    values = found.as_json()
    assert values["facts"] == {"tea": {"before": None, "after": None}}
    assert values["acquaintance"] == {"before": None, "after": None}
    assert values["claims"] is None
    assert values["hallucinated"] is None


def test_those_who_stayed_away_unasked_are_told_so(path: Path) -> None:
    scenario = _make_scenario().model_copy(update={"questions": ()})
    (tea,) = scenario.gatherings
    elsewhere = tea.model_copy(update={"place": "outside"})
    found = _run_findings(path, scenario.model_copy(update={"gatherings": (elsewhere,)}))
    assert found.facts == {}
    (told,) = [line for line in format_findings(found) if line.startswith("Came")]
    assert told == "Came to tea_time: 0 of 1 invited; of 1 who stayed away 1 not asked why"


def coordinate(host: str | None, begin: int, *answers: tuple[str, str, str]) -> Coordination:
    """Return how tea went that two know of from the start and four hear of from tick 97 on."""
    start = TINY.start + timedelta(seconds=TINY.seconds_per_tick * begin)
    tea = {"id": "tea", "place": "h", "start": start, "end": start + timedelta(hours=1)}
    fact = Fact(id="tea", statement="There is tea.", known_by=("Ada", "Ben"), patterns=("tea",))
    asked = [Question(id=id_, text=id_, gathering="tea") for id_ in ("q", "r")]
    changes = {
        "facts": (fact,),
        "gatherings": (Gathering.model_validate({**tea, "host": host, "fact": "tea"}),),
        "questions": (*asked, Question(id="another", text="another")),
    }
    names = ("Ada", "Ben", "Cy", "Dot", "Eve", "Fay", "Gus")
    heard = [learn(tick, who, "tea", tick, "Ada") for tick, who in enumerate(names[2:6], 97)]
    came = [
        at(200 + k, 100, "start", who, "h") for k, who in enumerate(("Gus", "Ada", "Cy", "Fay"))
    ]
    rows = [InterviewRow(300, who, question, text, ()) for who, question, text in answers]
    data = make_data(
        TINY.model_copy(update=changes), rows, last=300, names=names, events=(*heard, *came)
    )
    (found,) = compute_coordinations(data)
    return found


def test_the_invited_come_or_stay_away_for_a_reason_and_others_pass_by() -> None:
    found = coordinate(
        *("Ada", 100, ("Ben", "q", "I had to work."), ("Eve", "q", "I wanted to come.")),
        *(("Cy", "q", "I had to work."), ("Dot", "another", "I forgot.")),
    )
    assert found.invited == ("Ben", "Cy", "Dot", "Eve")  # Fay heard of it when it had begun
    assert found.came == ("Cy",)
    assert found.passers_by == ("Fay", "Gus")
    assert found.reasons == {"Ben": "conflict", "Eve": "meant well"}
    assert found.unasked == ("Dot",)
    assert found.gave("conflict") == ("Ben",)


def test_without_a_host_all_who_knew_are_invited_and_several_answers_are_read_together() -> None:
    found = coordinate(None, 0, ("Ben", "q", "I was at home."), ("Ben", "r", "I had to work."))
    assert (found.invited, found.came) == (("Ada", "Ben"), ("Ada",))
    assert found.reasons == {"Ben": "conflict"}
