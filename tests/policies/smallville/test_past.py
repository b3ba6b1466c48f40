"""The past: a mind that begins with what another handed on is as that one was, at its own times."""

from dataclasses import replace

from genagents_env.policies.smallville import past as past_module
from genagents_env.policies.smallville.mind import (
    BelievedObject,
    Commitment,
    Day,
    PlanBlock,
    SelfSummary,
    SmallvilleMind,
    Tie,
)
from genagents_env.policies.smallville.past import collect_past
from genagents_env.scenario.schema import Past
from tests.policies.smallville.minds import make_mind

HOUR = 3600


def make_old() -> SmallvilleMind:
    mind = make_mind()
    mind.tick = 2 * HOUR // 10 - 1
    mind.status, mind.requirements = "writing a cookbook", ["cook at noon"]
    mind.stream.add("thought", "Ada is kind", created=0, importance=5, cause="seed")
    seen = mind.stream.add(
        "event",
        "the oven is on",
        created=600,
        importance=2,
        events=(7,),
        about=("oven", "is", "on"),
    )
    mind.stream.add(
        "thought",
        "Ada bakes",
        created=900,
        importance=6.5,
        evidence=(0, seen),
        expires=9 * HOUR,
        cause="reflect.insights #0 at tick 90",
    )
    mind.stream.add(
        "plan", "bread", created=900, start=HOUR, duration=600, place="Hobbs Cafe", cause="plan.day"
    )
    mind.stream.add("chat", "Talked with Ben", created=1800, events=(9,), place="Hobbs Cafe")
    mind.stream.touch([seen], 2000)
    mind.summary = SelfSummary("kind", "bakes", "content", made=60)
    mind.attention.importance, mind.attention.talked = 42.0, {"Ben Carver": 1800}
    mind.commitments = [Commitment("2023-02-14", "17:00", "coming", "Hobbs Cafe", "Ben Carver")]
    mind.ties = {"Ben Carver": Tie("a friend", 1800, stale=True)}
    mind.objects = {"kitchen/oven": BelievedObject("oven", "on", 600)}
    mind.day = Day("2023-02-13", 0, 15 * HOUR, ["bake"], [PlanBlock(0, HOUR, "baking")])
    return mind


def begin_later(old: SmallvilleMind, past: Past, seconds: int) -> SmallvilleMind:
    start = old.services.to_time(seconds)
    return past_module.make_mind(
        replace(old.services, start=start), replace(old.profile, past=past)
    )


def test_all_of_it_comes_back_at_the_same_times_of_town() -> None:
    old = make_old()
    past = collect_past(old, "a test")
    assert past.until == old.services.to_time(2 * HOUR)
    new = begin_later(old, past, 33 * HOUR)
    new.tick = -1
    for id_ in range(len(old.stream)):
        before, after = old.stream[id_], new.stream[id_]
        assert (after.kind, after.text, after.about) == (before.kind, before.text, before.about)
        assert (after.importance, after.depth) == (before.importance, before.depth)
        assert (after.evidence, after.place) == (before.evidence, before.place)
        assert (after.created, after.accessed) == (
            before.created - 33 * HOUR,
            before.accessed - 33 * HOUR,
        )
        assert after.events == ()  # these are in another record
        made_by = "seed" if before.cause == "seed" else before.cause.split(" ")[0]
        assert after.cause == (made_by or "past")
    assert new.stream[2].expires == 9 * HOUR - 33 * HOUR
    assert (new.stream[3].start, new.stream[3].duration) == (HOUR - 33 * HOUR, 600)
    assert (new.status, new.requirements) == (old.status, old.requirements)
    assert (new.summary.core, new.summary.progress) == ("kind", "content")
    assert new.commitments == old.commitments
    assert new.ties == {"Ben Carver": Tie("a friend", 1800 - 33 * HOUR, stale=True)}
    assert new.attention.talked == {"Ben Carver": 1800 - 33 * HOUR}
    assert new.attention.importance == 42.0
    assert new.attention.scanned == len(past.memories)
    assert new.objects["kitchen/oven"] == BelievedObject("oven", "on", 600 - 33 * HOUR)
    assert new.day.hours == [PlanBlock(-33 * HOUR, -32 * HOUR, "baking")]
    assert (new.day.date, new.day.outline) == ("2023-02-13", ["bake"])


def test_of_the_profile_only_what_is_new_is_added() -> None:
    old = make_old()
    profile = replace(old.profile, memories=("Ada is kind", "Ada sings"), relationships={})
    facts = tuple(fact.id for fact in profile.facts)
    past = collect_past(old, "a test").model_copy(update={"facts": facts})
    new = past_module.make_mind(old.services, replace(profile, past=past))
    added = [new.stream[id_].text for id_ in range(len(past.memories), len(new.stream))]
    assert added == ["Ada sings"]
