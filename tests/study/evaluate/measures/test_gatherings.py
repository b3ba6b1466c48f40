from datetime import datetime

from genagents_env.scenario.schema import Gathering
from genagents_env.study.evaluate.measures.diffusion import Hearing, Spread
from genagents_env.study.evaluate.measures.gatherings import compute_coordination
from genagents_env.study.evaluate.presence import Attendance
from tests.study.evaluate.talks import reply

TEA = Gathering(
    id="tea",
    place="h",
    start=datetime.fromisoformat("2023-02-13T17:00:00"),
    end=datetime.fromisoformat("2023-02-13T18:00:00"),
    host="Ada",
    fact="tea",
)
SPREAD = Spread(
    "tea",
    "There is tea.",
    ("Ada", "Ben"),
    tuple(
        Hearing(who, tick, "Ada", tick) for tick, who in enumerate(["Cy", "Dot", "Eve", "Fay"], 97)
    ),
)


def test_the_invited_come_or_stay_away_for_a_reason_and_others_pass_by() -> None:
    visits = [Attendance(who, 100, 5) for who in ("Gus", "Ada", "Cy", "Fay")]
    given = [
        reply("Ben", "I had to work."),
        reply("Eve", "I wanted to come."),
        reply("Cy", "I had to work."),
        reply("Dot", "I forgot.", question="another"),
    ]
    found = compute_coordination(TEA, 100, SPREAD, visits, ["q"], given)
    assert found.invited == ("Ben", "Cy", "Dot", "Eve")  # Fay heard of it when it had begun
    assert found.came == ("Cy",)
    assert found.passers_by == ("Gus", "Fay")
    assert found.reasons == (("Ben", "conflict"), ("Eve", "meant well"))
    assert found.unasked == ("Dot",)
    assert found.gave("conflict") == ("Ben",)
    assert found.as_json()["reasons"] == {"Ben": "conflict", "Eve": "meant well"}


def test_without_a_host_all_who_knew_are_invited_and_several_answers_are_read_together() -> None:
    given = [reply("Ben", "I was at home."), reply("Ben", "I had to work.", question="r")]
    open_to_all = TEA.model_copy(update={"host": None})
    found = compute_coordination(open_to_all, 0, SPREAD, [], ["q", "r"], given)
    assert found.invited == ("Ada", "Ben")
    assert found.reasons == (("Ben", "conflict"),)
    assert found.unasked == ("Ada",)
