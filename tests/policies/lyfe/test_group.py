"""Groups of people in one room: who speaks when, and how talk ends, with no model to preside."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule
from genagents_env.llm.tokens import bound_tokens
from genagents_env.policies.lyfe.config import LyfeConfig
from genagents_env.record import RunReader
from genagents_env.rng import draw_index
from genagents_env.world.events import Event
from tests.policies.lyfe.circle import (
    NAMES,
    SECONDS,
    events,
    run_circle,
    sayings,
    stints,
    vary_words,
)
from tests.policies.percepts import Value

ENDLESS = {"option_seconds": 3600, "repetition_times": 1000}
BY_THE_CLOCK = {"again": 0, "answer_seconds": 0, "reflect_after": 0}  # as in the paper
SLOW = {"latency_ticks": {"monitor": 2, "talk": 1}}

Said = tuple[Event, tuple[str, ...]]  # an utterance, and who was in its conversation before it


def with_members(happened: Sequence[Event]) -> Iterator[Said]:
    """Yield each utterance with those who were in its conversation when the tick began."""
    members: dict[int, list[str]] = {}
    before: dict[int, tuple[str, ...]] = {}
    tick = -1
    for event in happened:
        if event.tick != tick:
            tick, before = event.tick, {talk: tuple(own) for talk, own in members.items()}
        talk = event.data.get("conversation", -1)
        if event.kind == "converse":
            members[talk] = list(event.data["members"])
        elif event.kind == "leave":
            members[talk].remove(event.agent or "")
        elif event.kind == "say":
            yield event, before.get(talk, ())


def sounds(words: str) -> int:
    return min(20, math.ceil(bound_tokens(words) / LyfeConfig().tokens_per_second))


def make_naming_words(size: int) -> Rule:
    """Return words that name nobody, one or two of the first `size` people."""

    def words(request: CompletionRequest) -> str:
        named = draw_index(request.seed, 3, "named")
        draws = [draw_index(request.seed, size, "names", k) for k in range(named)]
        firsts = dict.fromkeys(NAMES[k].split()[0] for k in draws)
        return f"{', '.join(firsts)}: {vary_words(request)}" if firsts else vary_words(request)

    return words


def check_turns(happened: Sequence[Event]) -> None:
    """Check that nobody speaks beside or into the words of another, nor twice in a row."""
    spoken: dict[tuple[int, int], str] = {}
    latest: dict[int, list[tuple[int, str]]] = {}
    said: list[Event] = []
    for event, members in with_members(happened):
        talk, who = event.data["conversation"], event.agent or ""
        before = [one for one in latest.get(talk, []) if one[0] < event.tick]
        assert (talk, event.tick) not in spoken, "two speak in one tick"
        spoken[talk, event.tick] = who
        if who in members:
            alone = before and {name for tick, name in before if tick == before[-1][0]} == {who}
            assert not alone, f"{who} speaks twice, and nobody between"
        for other in said:
            over = other.tick * SECONDS + sounds(other.data["text"])
            if other.tick < event.tick and who in other.data["heard_by"]:
                assert event.tick * SECONDS >= over, f"{who} speaks into {other.data['text']!r}"
        latest.setdefault(talk, []).append((event.tick, who))
        said = [*said[-20:], event]
    assert len(spoken) > 5


@settings(
    max_examples=4,
    phases=[Phase.generate],  # an example takes seconds; a smaller one is not worth a hundred
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(size=st.integers(3, 9), seed=st.integers(0, 99), slow=st.booleans())
def test_nobody_speaks_beside_or_into_the_words_of_another(
    tmp_path: Path, size: int, seed: int, slow: bool
) -> None:
    config = {**ENDLESS, **(SLOW if slow else {})}
    path = tmp_path / f"{size}-{seed}.sqlite"
    path.unlink(missing_ok=True)
    check_turns(events(run_circle(tmp_path, size, vary_words, ticks=36, seed=seed, **config)))


def check_ends(path: Path, most: int) -> None:
    """Check that every talk ended within `most` seconds, and that nobody was asked whether to.

    What one is asked when it ends is to think about it, and that comes after the end.
    """
    happened = events(path)
    with RunReader(path) as record:
        asked = Counter((call.agent, call.tick, call.purpose) for call in record.calls())
        last = record.last_tick
    ended = [(who, since, until) for who, since, until in stints(happened) if until is not None]
    assert len(ended) >= 4
    for who, since, until in stints(happened):
        assert (last if until is None else until) - since <= most / SECONDS + 3, who
    for (agent, tick, purpose), _ in asked.items():
        if purpose == "reflect.think":
            assert not asked[agent, tick, "controller.choose"]
            assert not asked[agent, tick, "talk.speak"]
    ends = sum(1 for _, _, purpose in asked if purpose == "reflect.think")
    assert ends >= len({who for who, *_ in ended})


@pytest.fixture(scope="module")
def naming(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a talk of five who name one another."""
    folder = tmp_path_factory.mktemp("naming")
    return run_circle(folder, 5, make_naming_words(5), ticks=108, seed=5, **ENDLESS)


def test_all_who_are_named_answer_in_turn_before_anybody_else(naming: Path) -> None:
    happened = events(naming)
    together = 12 + max(event.tick for event in happened if event.kind == "converse")
    owed: dict[int, list[str]] = {}
    answered = several = 0
    for event, members in with_members(happened):
        talk, who = event.data["conversation"], event.agent or ""
        left = owed.get(talk, [])
        if left and event.tick > together:  # from when on all have heard the same
            assert who == left[0], f"{who} goes before {left} at {event.tick}"
            answered += 1
        head = event.data["text"].partition(":")[0] if ":" in event.data["text"] else ""
        named = [name for first in head.split(", ") for name in members if name.split()[0] == first]
        several += len(named) > 1
        owed[talk] = [name for name in dict.fromkeys([*left, *named]) if name != who]
    assert answered > 5
    assert several


def test_an_utterance_costs_one_call(naming: Path) -> None:
    with RunReader(naming) as record:
        asked = sum(call.purpose == "talk.speak" for call in record.calls())
    said = len(sayings(events(naming)))
    assert said > 20
    assert said <= asked <= 1.05 * said + 5


@pytest.mark.parametrize(
    ("words", "config"),
    [
        (lambda request: "Good day to you all.", {"option_seconds": 3600}),
        (vary_words, {"option_seconds": 60, "repetition_times": 1000}),
    ],
)
def test_talk_ends_by_repetition_alone_and_by_time_alone(
    tmp_path: Path, words: Rule, config: dict[str, Value]
) -> None:
    check_ends(run_circle(tmp_path, 4, words, **config, **BY_THE_CLOCK), most=60)
