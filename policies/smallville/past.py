"""The past: what a mind hands on to another run, and how one begins with what it was handed.

Times go through the town's clock, since the seconds of another run count from another start. The
events of the record that memories go back to stay behind: they are in that run's record.
"""

from dataclasses import fields

from genagents_env.cognition.mind import Services
from genagents_env.memory.stream import Memory
from genagents_env.policy import Profile
from genagents_env.scenario.past import (
    Past,
    PastBlock,
    PastCommitment,
    PastDay,
    PastMemory,
    PastObject,
    PastTie,
)

from .commitments import Commitment
from .config import SmallvilleConfig
from .day import Day, PlanBlock
from .mind import (
    PAST,
    SEED,
    BelievedObject,
    SelfSummary,
    SmallvilleMind,
    Tie,
    add_past_memory,
    add_seeds,
    first_status,
)

_SUMMARY = tuple(part.name for part in fields(SelfSummary) if part.name != "made")


def collect_past(mind: SmallvilleMind, source: str) -> Past:
    """Return what the agent remembers, is and means to do, as of the end of the last tick."""
    services = mind.services
    now = (mind.tick + 1) * services.seconds_per_tick
    stream = mind.stream
    return Past(
        until=services.to_time(now),
        source=source,
        memories=tuple(_to_past(mind, stream[id_]) for id_ in range(len(stream))),
        status=mind.status,
        requirements=tuple(mind.requirements),
        summary={name: text for name in _SUMMARY if (text := getattr(mind.summary, name))},
        importance=mind.attention.importance,
        commitments=tuple(
            PastCommitment(
                date=one.date,
                clock=one.time,
                what=one.what,
                where=one.where,
                with_whom=one.with_whom,
            )
            for one in mind.commitments
        ),
        ties={
            name: PastTie(text=tie.text, time=services.to_time(tie.made), stale=tie.stale)
            for name, tie in mind.ties.items()
        },
        people=tuple({**mind.profile.relationships, **mind.attention.talked}),
        talks={name: services.to_time(at) for name, at in mind.attention.talked.items()},
        objects=tuple(
            PastObject(id=id_, name=one.name, state=one.state, time=services.to_time(one.seen))
            for id_, one in mind.objects.items()
        ),
        day=_describe_day(mind),
    )


def _to_past(mind: SmallvilleMind, memory: Memory) -> PastMemory:
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
    day, to_time = mind.day, mind.services.to_time
    if not day.date:
        return None
    return PastDay(
        date=day.date,
        wakes=to_time(day.wake),
        beds=to_time(day.bed),
        outline=tuple(day.outline),
        blocks=tuple(
            PastBlock(begins=to_time(one.start), ends=to_time(one.end), text=one.text)
            for one in day.hours
        ),
    )


def make_mind_after(
    services: Services[SmallvilleConfig], profile: Profile, past: Past
) -> SmallvilleMind:
    """Return a mind that begins with `past`, and knows of its profile what is not in there.

    A fact that was known is in its memories in the words in which it was heard.
    """
    mind = SmallvilleMind(services, profile, status=first_status(profile))
    _add_past(mind, past)
    facts = (fact.statement for fact in profile.facts if fact.id in past.facts)
    add_seeds(mind, known={*facts, *(memory.text for memory in past.memories)})
    return mind


def _add_past(mind: SmallvilleMind, past: Past) -> None:
    services = mind.services
    for memory in past.memories:
        add_past_memory(mind, memory)
    mind.status = past.status or mind.status
    mind.requirements = list(past.requirements)
    told = past.summary
    mind.summary = SelfSummary(
        told.get("core", ""), told.get("occupation", ""), told.get("progress", "")
    )
    mind.attention.importance = past.importance
    mind.attention.scanned = len(mind.stream)  # the status has taken these into account
    mind.attention.talked = {name: services.to_second(at) for name, at in past.talks.items()}
    mind.commitments = [
        Commitment(one.date, one.clock, one.what, one.where, one.with_whom)
        for one in past.commitments
    ]
    mind.ties = {
        name: Tie(tie.text, services.to_second(tie.time), tie.stale)
        for name, tie in past.ties.items()
    }
    mind.objects = {
        one.id: BelievedObject(one.name, one.state, services.to_second(one.time))
        for one in past.objects
    }
    if past.day is not None:
        mind.day = _make_day(mind, past.day)


def _make_day(mind: SmallvilleMind, day: PastDay) -> Day:
    """Return the day's plan; its finest pieces are made anew."""
    to_second = mind.services.to_second
    return Day(
        date=day.date,
        wake=to_second(day.wakes),
        bed=to_second(day.beds),
        outline=list(day.outline),
        hours=[
            PlanBlock(to_second(one.begins), to_second(one.ends), one.text) for one in day.blocks
        ],
    )
