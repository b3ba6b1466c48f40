"""Goal and traits change with what was lived through, once in a while, after a thought."""

import json

import pytest

from genagents_env.llm.calls import CompletionRequest
from genagents_env.policies.lyfe import reflect
from genagents_env.policies.lyfe.mind import LyfeMind, LyfeOption
from tests.policies.harness import fields_of, list_first_fields, list_requests, moment, think
from tests.policies.lyfe.minds import make_mind
from tests.policies.percepts import Moment, Value, profile

ANN = profile(goal="Find out who took the boat.", traits=("patient", "kind"))
HOUR = 3600
NEW = {"goal": "Get the boat back from Cid.", "traits": ["resolute", "bitter", "kind"]}


def make_thinker(outlook: object = NEW, after: int = HOUR, **config: Value) -> LyfeMind:
    """Return a mind that has just thought, so many seconds after the start."""

    def rule(request: CompletionRequest) -> str:
        if fields_of(request)[0] == "thought":
            return json.dumps({"thought": "It was Cid who took the boat."})
        return json.dumps(outlook)

    mind = make_mind(rule, who=ANN, **config)
    return think_at(mind, after)


def think_at(mind: LyfeMind, second: int) -> LyfeMind:
    now = Moment().later(second)
    mind.option = LyfeOption("reflect", begun=second)
    think(mind, reflect.make_queries(mind, moment(mind, now)), now)
    return mind


def test_after_a_thought_goal_and_traits_are_considered_and_then_shown() -> None:
    mind = make_thinker()
    assert list_first_fields(mind) == ["thought", "goal"]
    assert "It was Cid who took the boat." in list_requests(mind)[1].messages[1].content
    assert (mind.goal, list(mind.me.traits)) == (NEW["goal"], NEW["traits"])
    assert (mind.profile.goal, mind.profile.traits) == (ANN.goal, ANN.traits)
    think_at(mind, HOUR + 60)
    shown = list_requests(mind)[-1].messages[1].content
    assert '["goal", "Get the boat back from Cid."]' in shown
    assert "resolute, bitter, kind" in shown
    assert "patient" not in shown


@pytest.mark.parametrize(
    ("times", "config", "considered"),
    [
        ([HOUR - 10], {}, [False]),
        ([HOUR], {"preset": "release"}, [False]),
        ([HOUR, 2 * HOUR - 10, 2 * HOUR], {}, [True, False, True]),
    ],
)
def test_they_are_considered_once_in_a_while_only(
    times: list[int], config: dict[str, Value], considered: list[bool]
) -> None:
    mind = make_thinker(after=times[0], **config)
    for second in times[1:]:
        think_at(mind, second)
    expected = [["thought", "goal"][: 1 + also] for also in considered]
    assert list_first_fields(mind) == [field for fields in expected for field in fields]


@pytest.mark.parametrize("reply", [{"goal": "", "traits": []}, "nothing of the kind"])
def test_what_is_not_said_anew_still_holds(reply: object) -> None:
    mind = make_thinker(reply)
    assert (mind.goal, mind.me.traits) == (ANN.goal, ANN.traits)
