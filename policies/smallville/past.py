"""The past: what a mind begins with, from its profile or another run, and what it hands on to one.

Times go through the town's clock, since the seconds of another run count from another start. The
events of the record that memories go back to stay behind: they are in that run's record.
"""

from collections.abc import Collection
from dataclasses import fields

from genagents_env.cognition.mind import Services
from genagents_env.memory.stream import Memory
from genagents_env.policy import Profile
from genagents_env.scenario.schema import (
    Past,
    PastBlock,
    PastCommitment,
    PastDay,
    PastMemory,
    PastObject,
    PastTie,
)

from .config import SmallvilleConfig
from .mind import (
    PAST,
    SEED,
    BelievedObject,
    Commitment,
    Day,
    PlanBlock,
    SelfSummary,
    SmallvilleMind,
    Tie,
    first_status,
)

_SEED_IMPORTANCE = 5.0  # of 10: what the agent is does not compete with what happens today
_FACT_IMPORTANCE = 8.0
_SUMMARY = tuple(part.name for part in fields(SelfSummary) if part.name != "made")


def make_mind(services: Services[SmallvilleConfig], profile: Profile) -> SmallvilleMind:
    """Return a mind that remembers the profile: dated memories, nature, knowledge.

    With `profile.past` it begins with that, and knows of its profile what is not in there. A fact
    that was known is in its memories in the words in which it was heard.
    """
    mind, past = SmallvilleMind(services, profile, status=first_status(profile)), profile.past
    if past is None:
        for memory in profile.dated:
            _add_memory(mind, memory)
        _add_seeds(mind)
        return mind
    _add_past(mind, past)
    facts = (fact.statement for fact in profile.facts if fact.id in past.facts)
    _add_seeds(mind, known={*facts, *(memory.text for memory in past.memories)})
    return mind


def _add_seeds(mind: SmallvilleMind, known: Collection[str] = ()) -> None:
    """Remember what the profile says, but for the texts in `known`."""
    profile = mind.profile
    knows = (profile.name, "knows")
    seeds: list[tuple[str, float, tuple[str, ...]]] = [
        *((text, _SEED_IMPORTANCE, ()) for text in profile.memories),
        *(
            (f"{profile.name} knows {other}: {about}", _SEED_IMPORTANCE, (*knows, other))
            for other, about in profile.relationships.items()
        ),
        *((fact.statement, _FACT_IMPORTANCE, ()) for fact in profile.facts),
    ]
    for text, importance, about in seeds:
        if text not in known:
            mind.stream.add(
                "thought", text, created=0, importance=importance, about=about, cause=SEED
            )


def _add_memory(mind: SmallvilleMind, memory: PastMemory) -> None:
    """Remember something from before the start; its evidence are ids of the stream."""
    to_second = mind.services.to_second
    id_ = mind.stream.add(
        memory.kind,
        memory.text,
        created=to_second(memory.time),
        importance=memory.importance,
        evidence=memory.evidence,
        about=memory.about,
        place=memory.place,
        start=None if memory.begins is None else to_second(memory.begins),
        duration=memory.seconds,
        expires=None if memory.expires is None else to_second(memory.expires),
        cause=SEED if memory.seed else memory.cause or PAST,
    )
    if memory.accessed is not None:
        mind.stream.touch([id_], to_second(memory.accessed))


def _add_past(mind: SmallvilleMind, past: Past) -> None:
    """Begin with memories, summary, ties and plans of another run."""
    services = mind.services
    for memory in past.memories:
        _add_memory(mind, memory)
    mind.status = past.status or mind.status
    mind.requirements = list(past.requirements)
    mind.summary = SelfSummary()
    for name in _SUMMARY:
        setattr(mind.summary, name, past.summary.get(name, ""))
    mind.attention.importance = past.importance
    mind.attention.scanned = len(mind.stream)  # the status has taken these into account
    mind.attention.talked = {name: services.to_second(at) for name, at in past.talks.items()}
    mind.commitments = [
        Commitment(promise.date, promise.clock, promise.what, promise.where, promise.with_whom)
        for promise in past.commitments
    ]
    mind.ties = {
        name: Tie(tie.text, services.to_second(tie.time), tie.stale)
        for name, tie in past.ties.items()
    }
    mind.objects = {
        thing.id: BelievedObject(thing.name, thing.state, services.to_second(thing.time))
        for thing in past.objects
    }
    if past.day is not None:
        mind.day = _make_day(mind, past.day)


def _make_day(mind: SmallvilleMind, day: PastDay) -> Day:
    """Return the day's plan; its pieces are planned again."""
    to_second = mind.services.to_second
    return Day(
        date=day.date,
        wake=to_second(day.wakes),
        bed=to_second(day.beds),
        outline=list(day.outline),
        hours=[
            PlanBlock(to_second(block.begins), to_second(block.ends), block.text)
            for block in day.blocks
        ],
    )


def collect_past(mind: SmallvilleMind, source: str) -> Past:
    """Collect memories, summary, status and plans as of the end of the last tick."""
    services = mind.services
    now = (mind.tick + 1) * services.seconds_per_tick
    return Past(
        until=services.to_time(now),
        source=source,
        memories=tuple(_to_past(mind, memory) for memory in mind.stream),
        status=mind.status,
        requirements=tuple(mind.requirements),
        summary={name: text for name in _SUMMARY if (text := getattr(mind.summary, name))},
        importance=mind.attention.importance,
        commitments=tuple(
            PastCommitment(
                date=promise.date,
                clock=promise.time,
                what=promise.what,
                where=promise.where,
                with_whom=promise.with_whom,
            )
            for promise in mind.commitments
        ),
        ties={
            name: PastTie(text=tie.text, time=services.to_time(tie.made), stale=tie.stale)
            for name, tie in mind.ties.items()
        },
        people=tuple({**mind.profile.relationships, **mind.attention.talked}),
        talks={name: services.to_time(at) for name, at in mind.attention.talked.items()},
        objects=tuple(
            PastObject(id=id_, name=item.name, state=item.state, time=services.to_time(item.seen))
            for id_, item in mind.objects.items()
        ),
        day=_describe_day(mind),
    )


def _to_past(mind: SmallvilleMind, memory: Memory) -> PastMemory:
    """Return a memory with the town's times in place of seconds."""
    to_time = mind.services.to_time
    return PastMemory(
        time=to_time(memory.created),
        kind=memory.kind,
        text=memory.text,
        importance=memory.importance,
        accessed=to_time(memory.accessed) if memory.accessed > memory.created else None,
        expires=None if memory.expires is None else to_time(memory.expires),
        begins=None if memory.start is None else to_time(memory.start),
        seconds=memory.duration,
        place=memory.place,
        about=memory.about,
        evidence=memory.evidence,
        cause="" if memory.cause in (SEED, PAST) else memory.cause.split(" ")[0],
        seed=memory.cause == SEED,
    )


def _describe_day(mind: SmallvilleMind) -> PastDay | None:
    """Return the day's outline and hours; None before the first plan."""
    day, to_time = mind.day, mind.services.to_time
    if not day.date:
        return None
    return PastDay(
        date=day.date,
        wakes=to_time(day.wake),
        beds=to_time(day.bed),
        outline=tuple(day.outline),
        blocks=tuple(
            PastBlock(begins=to_time(block.start), ends=to_time(block.end), text=block.text)
            for block in day.hours
        ),
    )
