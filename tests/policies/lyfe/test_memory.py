"""Summarize-and-Forget, with an embedder that puts texts where their numbers say."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genagents_env.cognition.query import PreparedQuery
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule, always_invalid
from genagents_env.llm.tokens import bound_prompt_tokens
from genagents_env.memory.embedder import Embedder
from genagents_env.memory.forgetting import MemoryItem
from genagents_env.percept import HeardWords
from genagents_env.policies.lyfe import memory, monitor, narrative, senses
from genagents_env.policies.lyfe import mind as mind_module
from genagents_env.policies.lyfe.mind import LyfeMind, SummarySentence
from tests.policies.harness import Compass, list_requests, make_scheduler, moment, think
from tests.policies.lyfe.minds import make_mind
from tests.policies.percepts import Moment, Value, profile, wait_for


def merge_by_angle(request: CompletionRequest) -> str:
    """Answer a merge by where its first member lies."""
    first = re.search(r'"memory".*?(@\d+)', request.messages[-1].content)
    return json.dumps({"memory": f"I know all that {first[1] if first else ''}"})


def mind_of(
    rule: Rule = merge_by_angle, *, memories: Sequence[str] = (), **config: Value
) -> LyfeMind:
    """Return a mind that embeds by the compass and knows only `memories`."""
    who = profile(memories=tuple(memories), facts=(), relationships={})
    mind = make_mind(rule, who=who, **config)
    mind.services = replace(mind.services, embedder=Embedder(Compass()))
    return mind


def at(tick: int) -> Moment:
    return Moment().later(10 * tick) if tick else Moment()


def sum_up(mind: LyfeMind, tick: int, *angles: float, events: Sequence[int] = ()) -> None:
    """Rewrite the summary: a sentence for each direction; then live the rest of the tick."""
    text = " ".join(f"Thing {tick} is @{angle}." for angle in angles)
    rewrite(mind, text, events)
    live(mind, tick)


def rewrite(mind: LyfeMind, text: str, events: Sequence[int]) -> None:
    """Take a new summary, all of whose sentences rest on these events and those before."""
    told = narrative.split_sentences(text)
    mind.summary.text, mind.summary.updates = text, mind.summary.updates + 1
    behind = sorted({*events, *(event for old in mind.summary.parts for event in old.events)})
    mind.summary.parts = [SummarySentence(sentence, behind) for sentence in told]


def live(mind: LyfeMind, tick: int) -> None:
    """Apply what is due, remember, and ask what follows, as the policy does."""
    think(mind, (), at(tick))
    thoughts = asyncio.run(memory.remember(mind, moment(mind, at(tick))))
    think(mind, thoughts, at(tick))


def recall(mind: LyfeMind, **options: Value) -> list[tuple[str, MemoryItem]]:
    found = asyncio.run(memory.recall(mind, **options))
    return found


def reload_mind(mind: LyfeMind) -> LyfeMind:
    make_scheduler(mind).store_replies(mind)
    other = mind_module.make_mind(mind.services, mind.profile)
    other.load_state(json.loads(json.dumps(mind.state())))
    return other


# Sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["I met Ann.", "She knows!", "Does Bob?"],
        ["Dr. Patel saw me at 11:30 p.m. in St. Ives."],
        ["I met J. Smith.", "He left."],
        ['Ann said "Go away!"', "Bob left."],
        ["नमस्ते।", "वह गया।"],
    ],
)
def test_a_summary_is_split_into_its_sentences(sentences: list[str]) -> None:
    assert narrative.split_sentences(" ".join(sentences)) == sentences
    assert narrative.split_sentences("她说「走吧。」他走了。") == ["她说「走吧。」", "他走了。"]


@settings(max_examples=40)
@given(st.text(max_size=300) | st.just(" ".join(f"Sentence {k} is here." for k in range(40))))
def test_splitting_loses_no_word(text: str) -> None:
    found = narrative.split_sentences(text)
    letters = [c for c in text if re.match(r"\w", c)]
    assert [c for part_ in found for c in part_ if re.match(r"\w", c)] == letters
    assert len(found) <= 12
    assert all(part_ and part_ == part_.strip() for part_ in found)


# From the summary to recent memory


def test_the_sentences_of_a_new_summary_go_to_recent_memory_once() -> None:
    mind = mind_of()
    sum_up(mind, 1, 0, 60, events=[4, 7])
    expected = [("Thing 1 is @0.", (4, 7), 10), ("Thing 1 is @60.", (4, 7), 10)]
    assert [(kept.text, kept.events, kept.at) for kept in mind.recent] == expected
    assert {kept.origin for kept in mind.recent} == {"summary"}
    assert mind.summary.stored == mind.summary.updates == 1
    before = mind.state()
    live(mind, 2)
    assert mind.state() == before
    assert not len(mind.long)
    assert not list_requests(mind)


def test_what_a_summary_says_again_makes_the_old_be_forgotten() -> None:
    mind = mind_of()
    sum_up(mind, 1, 0, 60, events=[4])
    sum_up(mind, 2, 5, 120, events=[9])
    assert mind.recent.texts == ["Thing 1 is @60.", "Thing 2 is @5.", "Thing 2 is @120."]
    assert [kept.events for kept in mind.recent] == [(4,), (4, 9), (4, 9)]


# From recent to long memory


def test_each_cluster_becomes_one_memory_and_recent_memory_is_empty() -> None:
    mind = mind_of(recent_items=6)
    sum_up(mind, 1, 0, 27, 120, events=[3])
    sum_up(mind, 2, 54, 200, 227, events=[5])
    assert not len(mind.recent)
    expected = [
        ("Thing 1 is @120.", (3,), 10, "summary"),
        ("I know all that @0", (3, 5), 20, "merged"),
        ("I know all that @200", (3, 5), 20, "merged"),
    ]
    assert [(k.text, k.events, k.at, k.origin) for k in mind.long] == expected
    prompts = [request.messages[-1].content for request in list_requests(mind)]
    assert len(prompts) == 2
    assert '["memory", "Mon 13 Feb 08:00", "Thing 1 is @0."]' in prompts[0]
    assert '["memory", "Mon 13 Feb 08:00", "Thing 2 is @54."]' in prompts[0]
    assert not any(
        "@120" in line for text in prompts for line in text.splitlines() if '"memory"' in line
    )
    assert [row.purpose for row in mind.services.model.ledger.rows()] == ["memory.merge"]


ANGLES = st.lists(st.lists(st.integers(0, 359), max_size=6), max_size=8)


@settings(deadline=None, max_examples=10)
@given(ANGLES, st.integers(0, 2), st.sampled_from([merge_by_angle, always_invalid]), st.booleans())
def test_a_mind_loaded_at_every_tick_remembers_the_same(
    ticks: list[list[int]], latency: int, rule: Rule, saf_memory: bool
) -> None:
    options = {"recent_items": 4, "saf_memory": saf_memory, "latency_ticks": {"memory": latency}}
    lived, resumed = (mind_of(rule, memories=["I am @45.", "No"], **options) for _ in range(2))
    for tick, angles in enumerate([*ticks, [], [], []], start=1):
        resumed = reload_mind(resumed)
        for each in (lived, resumed):
            if angles:
                sum_up(each, tick, *angles, events=[tick])
            else:
                live(each, tick)
        assert lived.state() == resumed.state()
        found = [recall(each, query=f"@{tick}", k=3) for each in (lived, resumed)]
        assert found[0] == found[1]


@settings(deadline=None, max_examples=10)
@given(ANGLES, st.integers(0, 2))
def test_nothing_but_what_is_said_again_is_lost(ticks: list[list[int]], latency: int) -> None:
    late = {"memory": latency}
    mind = mind_of(always_invalid, recent_items=4, forget_above=1.0, latency_ticks=late)
    for tick, angles in enumerate([*ticks, [], [], []], start=1):
        if angles:
            sum_up(mind, tick, *angles)
        else:
            live(mind, tick)
    held = re.findall(r"@(\d+)", " ".join([*mind.long.texts, *mind.recent.texts]))
    assert {int(angle) for angle in held} == {angle for angles in ticks for angle in angles}


# What comes to mind


def make_mind_with_memories(**config: Value) -> LyfeMind:
    mind = mind_of(memories=[f"Long @{angle}" for angle in (0, 90, 180, 270)], **config)
    sum_up(mind, 3, 45, 135, 225, events=[8])
    return mind


def texts(found: Sequence[tuple[str, MemoryItem]]) -> list[str]:
    return [kept.text for _, kept in found]


def test_the_nearest_come_to_mind_whatever_their_age() -> None:
    mind = make_mind_with_memories(preset="release")
    found = recall(mind, query="@100")
    assert texts(found) == ["Long @90", "Long @180", "Long @0", "Thing 3 is @135."]
    then = "Mon 13 Feb 08:00"
    assert [when for when, _ in found] == [*[f"before {then}"] * 3, then]


def test_what_says_the_same_or_is_shown_anyway_does_not_come_to_mind() -> None:
    mind = mind_of(memories=["I was @0.", "Ann was @30.", "Ann is @90."])
    assert texts(recall(mind, query="@0")) == ["I was @0.", "Ann is @90."]
    assert texts(recall(mind, query="@0", shown=["It was @20."])) == ["Ann is @90."]


# The call


SCRIPTS = st.sampled_from(
    ["Ann saw Bob at the hotel ", "我昨天晚上看见他离开了酒店", "مرحبا بك في ", "🎉🔪 "]
)


@settings(deadline=None, max_examples=15)
@given(SCRIPTS, st.integers(1, 12), st.integers(2, 10), st.sampled_from([400, 400, 640]))
def test_what_finds_no_room_in_the_prompt_is_not_lost(
    words: str, times: int, members: int, tokens: int
) -> None:
    mind = mind_of(recent_items=members, prompt_tokens=tokens, forget_above=1.0)
    summary = [f"@{k} {words * times}" for k in range(members)]
    data = {
        "ids": [*range(members)],
        "texts": summary,
        "events": [[k] for k in range(members)],
        "at": [0] * members,
        "origins": ["summary"] * members,
    }
    asking = memory.HANDLERS["memory.merge"].prepare(mind, data, moment(mind, at(1)))
    ask = wait_for(asking)
    merged = list(ask.data["texts"]) if isinstance(ask, PreparedQuery) else []
    assert [*mind.long.texts, *merged] == summary
    assert len(merged) != 1
    assert not isinstance(ask, PreparedQuery) or bound_prompt_tokens(list(ask.messages)) <= tokens


def test_a_sentence_that_only_refers_back_stays_with_the_one_before() -> None:
    mind = mind_of()
    rewrite(mind, "Ben Birch told me @0 of the knife. I believe him. Cat Cole is @180.", [4])
    live(mind, 1)
    assert mind.recent.texts == [
        "Ben Birch told me @0 of the knife. I believe him.",
        "Cat Cole is @180.",
    ]


SUMMARY = "I heard that the bridge is closed. I want to know why."


def reply_summary(request: CompletionRequest) -> str:
    return json.dumps({"summary": SUMMARY})


def hear_words(mind: LyfeMind, said: Mapping[int, str], tick: int = 0) -> Moment:
    """Let the mind hear words, by their event, and return the percept."""
    words = (
        HeardWords("speech", "Ben Birch", text, True, False, (), at) for at, text in said.items()
    )
    percept = Moment(tick=tick, heard=tuple(words))
    asyncio.run(senses.perceive(mind, moment(mind, percept)))
    return percept


def hear_numbered(mind: LyfeMind, *numbers: int, tick: int = 0) -> Moment:
    return hear_words(mind, {number: f"Word {number}." for number in numbers}, tick)


def update_summary(mind: LyfeMind, percept: Moment) -> bool:
    """Let the mind bring its summary up to date where it is due; return whether it was."""
    thoughts = monitor.make_queries(mind, moment(mind, percept))
    think(mind, thoughts, percept)
    return bool(thoughts)


def quiet(rule: Rule = reply_summary, **config: Value) -> LyfeMind:
    """Return a mind of which nothing is new; its monitor answers at once."""
    mind = make_mind(rule, **{"latency_ticks": {}, **config})
    mind.feedback = False
    return mind


def test_five_new_events_make_a_summary_that_rests_on_them() -> None:
    mind = quiet()
    assert not update_summary(mind, hear_numbered(mind, 1, 2, 3, 4))
    assert update_summary(mind, hear_numbered(mind, 5))
    assert mind.summary.text == SUMMARY
    shown = list_requests(mind)[0].messages[-1].content
    assert all(f"Word {number}." in shown for number in (1, 2, 3, 4, 5))
    assert mind.news == []


def test_it_is_never_made_of_the_same_again() -> None:
    mind = quiet()
    senses.notice_oneself(mind, "I could not go to the park.", 0, feedback=True)
    assert update_summary(mind, Moment())
    mind.feedback = True
    assert not update_summary(mind, Moment().later())
    assert len(list_requests(mind)) == 1


def test_each_sentence_rests_on_what_it_is_most_like() -> None:
    def rule(request: CompletionRequest) -> str:
        return json.dumps({"summary": "I hear that the bridge is closed. My boat leaks."})

    mind = quiet(rule)
    said = {40: "The bridge is closed.", 41: "What a day!", 42: "Nobody likes turnips."}
    percept = hear_words(mind, said)
    mind.feedback = True
    update_summary(mind, percept)
    first, second = mind.summary.parts
    assert (first.text, first.events) == ("I hear that the bridge is closed.", [40])
    assert (second.text, second.events) == ("My boat leaks.", [])
