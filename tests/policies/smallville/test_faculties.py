"""Every ablation differs from the whole mind in the faculty that it leaves out, and in no other."""

import json
from collections.abc import Mapping
from functools import cache

import pytest

from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import sample_schema
from genagents_env.percept import Percept
from genagents_env.policies import smallville
from genagents_env.scenario import Scenario, load_scenario
from genagents_env.scenario.schema import ScheduledEvent
from tests.policies.percepts import Value, infos
from tests.policies.smallville.minds import Town

PEOPLE = ("Isabella Rodriguez", "Maria Lopez", "Klaus Mueller", "Ayesha Khan")
START, HOURS = "21:00", 10
EAGER = {
    "talk_again_seconds": 600,
    "react_again_minutes": 5,
    "reflect_at": 20,
    "rate_batch": 2,
    "describe_hours": 4,
}

# Which calls are whose. Places are looked for on behalf of a plan (`ground.pieces`, `ground.sector`
# and so on) or of a reaction (`ground.one`); `plan.revise` is planning, though what is seen or said
# makes it so. Retrieving asks the embedder, not the model.
FACULTIES: Mapping[str, frozenset[str]] = {
    "observation": frozenset({"perceive.rate"}),
    "retrieval": frozenset(),
    "describe": frozenset({"summary.describe", "summary.status"}),
    "planning": frozenset(
        {"plan.day", "plan.renew", "plan.hours", "plan.pieces", "plan.revise", "ground.pieces"}
    ),
    "reaction": frozenset({"react.decide", "ground.one"}),
    "conversation": frozenset({"converse.relate", "converse.speak", "converse.memo"}),
    "reflection": frozenset({"reflect.questions", "reflect.insights"}),
}
RECURSIVE = frozenset({"ground.sector", "ground.arena", "ground.object"})
SUMMARIES = frozenset({"react.context", "converse.context"})  # only with context="summary"
EVERYTHING = frozenset().union(*FACULTIES.values())


def rule(request: CompletionRequest) -> str:
    """Answer by what is asked and by the seed of the call: who asks, what and when, not on words.

    Reactions are something else than was planned or a talk, and every talk changes the plan, so
    that whatever may follow from one of them does.
    """
    schema: Value = request.schema
    fields = schema["properties"]
    if "choice" in fields:
        talks = [one for one in fields["choice"]["enum"] if one.startswith("talk to ")]
        choice = talks[0] if talks and request.seed % 2 else "something else"
        return json.dumps({"choice": choice, "what": "opening a window", "minutes": 2})
    if "changes_plan" in fields:
        memo = {"remember": "a talk", "plan": "to open a window", "importance": 4}
        memo |= {"commitments": [], "relationship": "a neighbour"}
        return json.dumps({**memo, "changes_plan": True})
    return sample_schema(request)


def scenario() -> Scenario:
    """Return the town with four of its people, in whose rooms things change by themselves."""
    town = load_scenario("valentines_party", people=PEOPLE)
    burning = [
        ScheduledEvent(at=town.start.replace(hour=21, second=30), kind="object", object=o, state=s)
        for o, s in (
            ("Isabella Rodriguez's apartment/main room/wardrobe", "open"),
            ("Dorm for Oak Hill College/Klaus Mueller's room/desk", "cluttered"),
        )
    ]
    return town.model_copy(update={"events": (*town.events, *burning)})


@cache
def record_percepts() -> tuple[dict[str, Percept], ...]:
    """Return what four people perceive in an evening, a night and a morning of whole minds.

    Hours in which all of them sleep are passed over but for their first ticks.
    """
    town = Town(scenario(), rule, config=EAGER, start=START, hours=HOURS)
    sequence: list[dict[str, Percept]] = []
    quiet = 0
    for _ in range(HOURS * 360 - 1):
        percepts = {agent: info["percept"] for agent, info in town.infos.items()}
        quiet = quiet + 1 if all(percept.me.asleep for percept in percepts.values()) else 0
        if quiet < 30 or f"{percepts[PEOPLE[0]].time:%M%S}" == "0000":
            sequence.append(percepts)
        town.step()
    return tuple(sequence)


def purposes(config: Mapping[str, object]) -> frozenset[str]:
    """Return the purposes of the calls that minds with this configuration make.

    They are shown the recorded moments, one after the other.
    """
    town = Town(scenario(), rule, config={**EAGER, **config}, start=START, hours=HOURS)
    for percepts in record_percepts():
        seen = {agent: infos(percept)[agent] for agent, percept in percepts.items()}
        town.policy.act({agent: {} for agent in seen}, seen)
    return frozenset(row.purpose for row in town.model.ledger.rows() if row.calls)


@cache
def whole() -> frozenset[str]:
    return purposes({})


def test_every_purpose_belongs_to_one_faculty() -> None:
    assert frozenset(smallville.HANDLERS) == EVERYTHING | RECURSIVE | SUMMARIES
    assert sum(map(len, FACULTIES.values())) == len(EVERYTHING)


# What the queries of all purposes have in their data, for replies to depend on.
DATA: dict[str, Value] = {
    **{"status": "", "wake_hours": [5, 7], "usual": ["rest"] * 5, "slots": [0, 60]},
    **{"habit": ["rest", "work"], "blocks": [["rest", 60]], "minutes": 60, "lengths": [5, 15]},
    **{"count": 3, "memories": [4, 5], "question": "Who?", "ids": [0, 1], "neutral": 3},
    **{"places": ["Park"], "texts": ["rest"], "things": ["nothing"], "states": []},
    **{"choices": ["go on"], "text": "rest", "start": 0, "arena": "Park"},
}


@pytest.mark.parametrize("purpose", smallville.HANDLERS)
def test_a_fallback_is_a_reply_of_its_kind(purpose: str) -> None:
    handler = smallville.HANDLERS[purpose]
    spots = [["Park", "nothing", ""]]
    data = {**DATA, "usual": spots} if purpose.startswith("ground.") else DATA
    words = handler.fallback(data).model_dump_json()
    assert handler.reply_model(data).model_validate_json(words)


@pytest.mark.slow
def test_the_whole_mind_does_everything_and_down_the_tree_the_same() -> None:
    assert whole() == EVERYTHING
    assert purposes({"grounding": "recursive"}) == (
        EVERYTHING - {"ground.pieces", "ground.one"} | RECURSIVE
    )


@pytest.mark.slow
@pytest.mark.parametrize("faculty", FACULTIES)
def test_a_mind_without_a_faculty_lacks_its_calls_and_no_others(faculty: str) -> None:
    assert purposes({faculty: False}) == whole() - FACULTIES[faculty]
