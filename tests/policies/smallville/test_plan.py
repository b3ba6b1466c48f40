import json
from dataclasses import replace
from datetime import datetime, time
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from genagents_env.actions import Idle, Interact
from genagents_env.cognition.query import Query
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import sample_schema
from genagents_env.memory.stream import Memory
from genagents_env.policies.smallville.mind import Commitment, Day, SmallvilleMind
from genagents_env.policies.smallville.pieces import PieceReply, _lay_out
from genagents_env.policy import Profile
from tests.policies.harness import by_fields, fields_of, moment
from tests.policies.percepts import Value, profile
from tests.policies.smallville.days import BED, Alone

HOUR = 3600
TODAY, TOMORROW = "2023-02-13", "2023-02-14"


def someone(bed: time = time(23), wake: time = time(7), **changes: Value) -> Profile:
    return profile(bed=bed, wake=wake, sleeps_in=BED, **changes)


def at(clock: str, day: int = 13) -> datetime:
    return datetime.fromisoformat(f"2023-02-{day:02}T{clock}")


def faults_of(day: Day, now: int) -> list[str]:
    """Return what is wrong with a day: a gap in its hours or its pieces, or one too long."""
    faults = []
    if day.hours:
        edges = [block.start for block in day.hours] + [day.hours[-1].end]
        joined = all(a.end == b.start for a, b in pairwise(day.hours))
        faults += [] if joined and edges == sorted(edges) else [f"hours {day.hours}"]
        faults += [] if day.hours[-1].end == day.bed else ["hours end before bedtime"]
        faults += [] if day.hours[0].start <= max(now, day.wake) else ["hours begin late"]
    faults += [f"gap between {a} and {b}" for a, b in pairwise(day.pieces) if a.end != b.start]
    # A way that is shorter than was planned leaves its time to what follows; so may two in a row,
    # and more within the hour that is planned together, with what was left of the one before.
    for piece in day.pieces:
        together = (piece.start + 600) // HOUR == (piece.end - 1) // HOUR
        fits = 0 < piece.end - piece.start <= (HOUR + 600 if together else 45 * 60)
        faults += [] if fits else [f"odd piece {piece}"]
    return faults


def starts(memory: Memory) -> int:
    assert memory.start is not None
    return memory.start


def plans(mind: SmallvilleMind, now: int) -> list[Memory]:
    """Return the plans of hours that still hold, in order of their beginning."""
    held = [mind.stream[id_] for id_ in mind.stream.recent(200, kinds=["plan"], now=now)]
    return sorted((m for m in held if " plans for " in m.text and m.importance > 1), key=starts)


# Days.


@pytest.mark.parametrize("start", ["00:00", "08:10"])
def test_a_first_day_is_planned_at_once_from_waking_or_now_to_bed(start: str) -> None:
    alone = Alone(start=at(start), who=someone())
    asleep = start == "00:00"
    alone.percept = replace(alone.percept, me=replace(alone.percept.me, asleep=asleep))
    alone.step()
    day, purposes = alone.mind.day, alone.purposes()
    assert (purposes["plan.day"], purposes["plan.hours"]) == (1, 1)
    assert (day.date, day.bed, day.hours[-1].end) == (TODAY, day.hours[-1].end, day.bed)
    assert day.hours[0].start == day.wake
    assert not faults_of(day, 0)
    if asleep:
        assert 5 * HOUR <= day.wake <= 9 * HOUR
        assert (day.bed, day.pieces) == (23 * HOUR, [])
    else:
        assert day.wake == day.pieces[0].start == 0
        assert all((block.start + 600) % HOUR == 0 for block in day.hours[1:])


def test_a_new_day_starts_from_yesterday_and_renews_what_it_needs() -> None:
    renewal = {
        "yesterday": "It rained all day.",
        "status": "glad of the sun",
        "requirements": ["buy eggs", "call Bob"],
    }
    alone = Alone(by_fields({"yesterday": renewal}), who=someone()).until("00:01")
    assert alone.purposes()["plan.renew"] == 1
    mind = alone.mind
    assert (mind.status, mind.requirements) == ("glad of the sun", ["buy eggs", "call Bob"])
    assert mind.day.date == TOMORROW
    (yesterday,) = [memory for memory in mind.stream if "yesterday" in memory.text]
    assert yesterday.text == "Ann Ash's yesterday: It rained all day."
    assert yesterday.evidence
    assert yesterday.cause == "plan.renew #0 at tick 960"
    outline = next(r for r in alone.endpoint.requests[::-1] if "outline" in fields_of(r))
    assert '["today needs", "buy eggs"]' in outline.messages[-1].content


def test_hours_of_sleep_are_one_piece_and_one_lies_down_and_gets_up_once() -> None:
    hours = ["reading the paper", *["sleeping at home"] * 2, *["reading the paper"] * 12]
    alone = Alone(by_fields({"hours": {"hours": hours}}), who=someone()).until("12:00")
    slept = [second for second, action in alone.actions if isinstance(action, Interact)]
    assert [second // HOUR for second in slept if second < 4 * HOUR] == [1]
    asked = [r for r in alone.endpoint.requests if fields_of(r) == ["pieces"]]
    assert not any("Take 09:" in r.messages[-1].content for r in asked)
    up = [s for s, action in alone.actions if HOUR < s < 4 * HOUR and not isinstance(action, Idle)]
    assert not [s for s in up if 1.1 * HOUR < s < 3 * HOUR]


@pytest.mark.parametrize("keeps", [False, True])
def test_what_is_promised_stands_in_its_hour_even_where_the_model_forgets_it(keeps: bool) -> None:
    kept = "hanging the paper hearts with Bea at the Cafe"  # in words of its own
    hours = [*["reading"] * 9, kept if keeps else "reading", *["reading"] * 5]
    alone = Alone(by_fields({"hours": {"hours": hours}}), who=someone())
    alone.mind.commitments = [
        Commitment(TODAY, "17:30", "hanging paper hearts", "Cafe", "Bea Birch"),
        Commitment(TOMORROW, "17:00", "going to the party", "Cafe"),
    ]
    alone.step()
    held = alone.mind.day.find_block(9 * HOUR + 45 * 60)
    assert held is not None
    if keeps:
        assert [b.text for b in alone.mind.day.hours] == ["reading", kept, "reading"]
    else:
        assert (held.start, held.end) == (9 * HOUR + 30 * 60, 10 * HOUR + 30 * 60)
        assert held.text == "hanging paper hearts, at Cafe, with Bea Birch"
    assert not faults_of(alone.mind.day, 0)
    for fields in (["outline"], ["hours"], ["pieces"]):
        (asked,) = [r for r in alone.endpoint.requests if fields_of(r) == fields]
        assert "hanging paper hearts" in asked.messages[-1].content
        assert "Tuesday 14 February 17:00" in asked.messages[-1].content


@settings(max_examples=5)
@example(seed=0, start=0, bed=time(2, 15), wake=time(4), odd=1)  # up before one went to bed
@example(seed=443, start=0, bed=time(20), wake=time(4), odd=0)  # three short ways in a row
@given(
    seed=st.integers(0, 10_000),
    start=st.integers(0, 23),
    bed=st.sampled_from([time(20), time(21, 30), time(23), time(0), time(1), time(2, 15)]),
    wake=st.sampled_from([time(4), time(6, 45), time(7), time(10)]),
    odd=st.integers(0, 59),
)
@pytest.mark.slow
def test_days_have_no_gap_whatever_the_model_says(
    seed: int, start: int, bed: time, wake: time, odd: int
) -> None:
    alone = Alone(who=someone(bed, wake), start=at(f"{start:02}:{odd:02}"), seed=seed)
    mind = alone.mind
    asleep_since: int | None = None
    for _ in range(30 * 60):
        alone.step()
        now, day = alone.actions[-1][0], mind.day
        assert not faults_of(day, now)
        if day.hours and day.wake <= now < day.bed and not mind.asleep:
            piece = day.find_piece(now)
            assert piece is not None
            assert piece.place
        if alone.percept.me.asleep:
            asleep_since = now if asleep_since is None else asleep_since
        else:
            asleep_since = None
        assert asleep_since is None or now - asleep_since <= 14 * HOUR
    assert alone.fallbacks() == {}


@settings(max_examples=60)
@given(
    parts=st.lists(st.integers(5, 15), min_size=1, max_size=12),
    minutes=st.integers(1, 180),
    seconds=st.integers(0, 59),
)
def test_pieces_fill_their_stretch_and_none_is_too_long_or_too_short(
    parts: list[int], minutes: int, seconds: int
) -> None:
    total = minutes * 60 + seconds
    least = -(-total // (15 * 60))
    parts = (parts * least)[: max(least, len(parts))]
    asked = [PieceReply(what="resting", minutes=m) for m in parts]
    pieces = _lay_out(asked, 100, 100 + total, [5, 15])
    assert (pieces[0].start, pieces[-1].end) == (100, 100 + total)
    assert all(a.end == b.start for a, b in pairwise(pieces))
    lengths = [piece.end - piece.start for piece in pieces]
    if total >= 300:
        assert all(300 <= length <= 900 for length in lengths), lengths


# Planning anew.


def revise(alone: Alone, start: int, why: str = "The Cafe burns.") -> None:
    thought = Query("plan.revise", {"start": start, "why": why})
    now = moment(alone.mind, alone.percept)
    alone.policy._run(alone.policy.scheduler.run(alone.mind, [thought], now))


def answering_hours(request: CompletionRequest) -> str:
    if fields_of(request) != ["hours"]:
        return sample_schema(request)
    schema: Value = request.schema
    count = schema["properties"]["hours"]["minItems"]
    word = "anew" if '"just now"' in request.messages[-1].content else "first"
    return json.dumps({"hours": [f"{word} {k}" for k in range(count)]})


def test_revising_replaces_the_rest_from_a_moment_on_and_keeps_what_lies_before() -> None:
    alone = Alone(answering_hours, who=someone()).until("09:30")
    mind, now = alone.mind, alone.now
    before = [(b.start, b.text) for b in mind.day.hours]
    revise(alone, now + 40 * 60)
    hours = [(b.start, b.end, b.text) for b in mind.day.hours]
    assert [(start, text) for start, _, text in hours[:3]] == before[:3]
    assert hours[2][1] == hours[3][0] == now + 40 * 60
    assert [text for *_, text in hours[3:]] == [f"anew {k}" for k in range(len(hours) - 3)]
    held = plans(mind, now)
    assert [m.text.split(": ")[1] for m in held[:3]] == ["first 0", "first 1", "first 2"]
    assert all("anew" in m.text for m in held[3:])
    for k in range(12):  # again and again, at once
        revise(alone, alone.now, f"why {k}")
        piece = mind.day.find_piece(alone.now)
        assert piece is not None
        assert piece.start == alone.now
        alone.step()
    last = [m for m in plans(mind, alone.now) if starts(m) >= mind.day.hours[-1].start]
    assert len(last) == 1
    assert not faults_of(mind.day, alone.now)


# Replies that are none.


SHORT = [{"what": "resting", "minutes": 4}] * 4


@pytest.mark.parametrize(
    ("purpose", "reply"),
    [
        ("plan.renew", {"yesterday": "It rained.", "status": "resting", "requirements": []}),
        ("plan.day", {"outline": ["resting"] * 4}),
        ("plan.hours", {"hours": ["resting"] * 14}),
        ("plan.hours", {"hours": ["resting"] * 16}),
        ("plan.pieces", {"pieces": SHORT}),
        ("plan.pieces", {"pieces": [{"what": "resting", "minutes": 15}] * 3}),
    ],
)
def test_a_malformed_reply_ends_in_the_routine_and_life_goes_on(
    purpose: str, reply: dict[str, object]
) -> None:
    alone = Alone(by_fields({next(iter(reply)): reply}), who=someone())
    if purpose == "plan.renew":
        alone.mind.day.date, alone.mind.status = "2023-02-12", "as ever"
    alone.step()
    alone.step()
    assert alone.fallbacks() == {purpose: 1}
    day = alone.mind.day
    assert not faults_of(day, 0)
    assert day.find_piece(alone.now) is not None
    kept = {
        "plan.renew": alone.mind.status == "as ever" and not alone.mind.requirements,
        "plan.day": (day.wake, day.outline[0]) == (0, "serving coffee"),
        "plan.hours": [b.text for b in day.hours] == ["serving coffee", "feeding ducks"],
        "plan.pieces": [p.text for p in day.pieces] == [day.hours[0].text] * 4,
    }
    assert kept[purpose]
