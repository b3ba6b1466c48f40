import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from genagents_env.evaluate.opinions import Opinion, find_mentions, find_opinions
from genagents_env.record import CallRow, RunReader
from genagents_env.scenario.schema import Value
from tests.evaluate.suspects import SUSPECT, mystery, write
from tests.evaluate.talks import say


def _call(
    tick: int, agent: str, reply: object, purpose: str = "monitor.update", outcome: str = "reply"
) -> CallRow:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    return CallRow(agent, tick, purpose, 0, "", "[]", outcome, text, 1, 1, 1, 0, 0, None, 0.0, 0.0)


EVENTS = [
    say(2, "Ben", ["Ada"], "It rains."),
    say(4, "Ben", [], "I saw Franco, and then Zoe."),
    say(7, "Ada", ["Ben"], "Not FRANCO!"),
    say(9, "Ben", ["Ada"], "The florist did it."),
]
CALLS = [
    _call(3, "Ada", {"summary": "I suspect Zoe."}),
    _call(4, "Ben", {"summary": "It rains and rains."}),
    _call(5, "Ada", {"summary": "I suspect Zoe."}, outcome="fallback"),
    _call(5, "Ada", {"summary": "I suspect Zoe."}, purpose="talk.speak"),
    _call(5, "Ada", {"words": "I suspect Zoe."}),
    _call(5, "Ada", {"summary": None}),
    _call(5, "Ada", "no JSON", outcome="fallback"),
    _call(9, "Ada", {"summary": "Perhaps Franco."}),
]
TIMELINE = [
    ("Ada", 3, "Zoe", "summary"),
    ("Ben", 4, "Franco", "said"),
    ("Ada", 7, "Franco", "said"),
    ("Ada", 9, "Franco", "summary"),
    ("Ben", 9, "Zoe", "said"),
]


def _list_opinions(found: tuple[Opinion, ...]) -> list[tuple[str, int, str, str]]:
    assert {one.check for one in found} <= {"suspect"}
    return [(one.agent, one.tick, one.value, one.source) for one in found]


def test_mentions_in_speech_and_summaries_are_told_in_time() -> None:
    assert _list_opinions(find_mentions(mystery(), EVENTS, CALLS)) == TIMELINE


def test_of_several_in_one_text_the_check_decides() -> None:
    strict = SUSPECT.model_copy(update={"several": "otherwise"})
    told = _list_opinions(find_mentions(mystery(checks=(strict,)), EVENTS, []))
    assert told[0] == ("Ben", 4, "nobody", "said")


def test_without_value_checks_or_patterns_nothing_is_told() -> None:
    bare = SUSPECT.model_copy(update={"values": (Value(value="Franco"),)})
    assert find_mentions(mystery(checks=(bare,)), EVENTS, CALLS) == ()
    assert find_mentions(mystery(checks=()), EVENTS, CALLS) == ()
    assert find_mentions(mystery(), [], []) == ()


@given(st.permutations(CALLS))
def test_the_order_of_calls_is_indifferent(calls: list[CallRow]) -> None:
    assert _list_opinions(find_mentions(mystery(), EVENTS, calls)) == TIMELINE


def test_opinions_are_read_from_a_run(tmp_path: Path) -> None:
    events = [say(id_, "Ben", ["Ada"], text) for id_, text in enumerate(["Zoe?", "Hm.", "Franco!"])]
    with RunReader(write(tmp_path / "a.sqlite", mystery(), events)) as run:
        found = find_opinions(run)
    assert _list_opinions(found) == [("Ben", 0, "Zoe", "said"), ("Ben", 2, "Franco", "said")]
    assert found[0].as_json() == {
        "check": "suspect",
        "agent": "Ben",
        "tick": 0,
        "value": "Zoe",
        "source": "said",
    }
    with RunReader(write(tmp_path / "b.sqlite", mystery(checks=()), events)) as run:
        assert find_opinions(run) == ()
