"""The interview: questions answered from memory at any moment, leaving no trace.

An answer names the memories, and the words of the conversation under way, that it rests on; their
events in the record are its evidence. What the agent knew from the start leads to no event. Without
access to some of its memory the agent answers as if they had never been made: the paper asks so
without reflections, then without plans, then without observations. Source: Park et al. 2023,
sections 6.1 and 6.2.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from genagents_env.cognition.interview import (
    TimedEvidence,
    answer_from,
    number_evidence,
    number_questions,
)
from genagents_env.cognition.policy import gather_all
from genagents_env.cognition.prompts import Section, describe_now
from genagents_env.llm.calls import CallKey, JSONValue
from genagents_env.memory.stream import Memory, MemoryStream
from genagents_env.policy import (
    Answer,
    InterviewTerms,
    MemoryAccess,
    RecalledMemory,
)
from genagents_env.text import clean

from .agenda import format_commitments, list_ahead
from .mind import (
    SEED,
    Day,
    SelfSummary,
    SmallvilleActivity,
    SmallvilleMind,
    first_status,
)
from .retrieve import embed_new, recall
from .summary import describe_self

_NAME = 60  # characters of the interviewer's name
_USUAL = InterviewTerms()
_UTTERANCES = 3  # of the conversation under way


async def answer_questions(
    mind: SmallvilleMind,
    questions: Sequence[str],
    *,
    repeat: int = 0,
    terms: InterviewTerms = _USUAL,
) -> list[Answer]:
    """Return an answer to each question, asked together; `mind.state()` stays as it is.

    Asked of the moment that was perceived last, or of the start before there was one.

    Args:
        mind: who is asked.
        questions: the words of the interviewer; they are data to the mind, like all others' words.
        repeat: which of several interviews at this tick; each has numbers of its own for calls.
        terms: who asks, and what the answers have no access to.

    Returns:
        Answers with the ids of the record's events they rest on, ascending. Where the model gives
        no usable reply: that the agent does not know, resting on nothing.

    Raises:
        BudgetExceeded: a call does not fit the budget.
        ModelOutage: several calls in a row failed.
    """
    await embed_new(mind)
    mind = limit_access(mind, terms.without)
    asker = clean(terms.interviewer, _NAME)
    numbered = number_questions(mind, questions, repeat)
    # All are awaited before an error is raised: what was answered is then in the cassette.
    return await gather_all(_answer(mind, asker, question, key) for key, question in numbered)


def list_memories(mind: SmallvilleMind) -> list[RecalledMemory]:
    """List what is in the stream and has not expired, each with the events it goes back to."""
    stream, now = mind.stream, (mind.tick + 1) * mind.services.seconds_per_tick
    return [
        RecalledMemory(memory.text, stream.sources([memory.id]))
        for memory in stream
        if memory.expires is None or now < memory.expires
    ]


async def _answer(mind: SmallvilleMind, asker: str, question: str, key: CallKey) -> Answer:
    """Answer one question from who the agent is, its plan and what the question recalls."""
    now = key.tick * mind.services.seconds_per_tick
    time = mind.services.to_time(now)
    doing = "asleep" if mind.asleep else mind.activity.text
    promised = format_commitments(list_ahead(mind.commitments, time))
    plan: list[JSONValue] = [
        ["your plan", mind.services.format_clock(block.start), block.text]
        for block in mind.day.hours
        if block.end > now
    ]
    sections = [
        describe_now(time, mind.place),
        Section("question", [[f"{asker} asks you" if asker else "question", question]]),
        *describe_self(mind),
        Section("commitments", promised),
        Section("plan", plan),
        Section("doing", [["you are", doing]] if doing else []),
    ]
    evidence = await _list_evidence(mind, asker, question, now)
    shown = mind.fill("interview_answer", sections, evidence)
    return await answer_from(mind, key, shown, evidence)


async def _list_evidence(
    mind: SmallvilleMind, asker: str, question: str, now: int
) -> list[TimedEvidence]:
    """List the last words of the talk under way, then what the question brings to mind."""
    said = mind.dialogue.lines[-_UTTERANCES:] if mind.dialogue is not None else []
    lines = [
        (
            f"{'you' if line.speaker == mind.name else line.speaker} just said",
            line.text,
            (line.event,) if line.event >= 0 else (),
        )
        for line in said
    ]
    if not question:
        return number_evidence(lines)
    queries = [question, *([f"{mind.name}'s relationship with {asker}"] if asker else [])]
    heard = {line.event for line in said}
    recalled = await recall(mind, queries, now, touch=False, without=heard)
    known = [(when, memory.text, mind.stream.sources([memory.id])) for when, memory in recalled]
    return number_evidence([*lines, *known])


# Access to memory.


def limit_access(mind: SmallvilleMind, without: Collection[MemoryAccess]) -> SmallvilleMind:
    """Return a mind of its own that remembers all of `mind` but these memories.

    What the profile says is always remembered, and where one is and what time it is. What is built
    on memories (the summary, a status that was renewed) has been made with all of them, so it goes
    with the first kind that goes.
    """
    if not without:
        return mind
    limited = replace(
        mind,
        stream=_filter_stream(mind.stream, without),
        summary=SelfSummary(),
        status=first_status(mind.profile),
        pending=[],
    )
    if "planning" in without:
        limited.day, limited.requirements, limited.commitments = Day(), [], []
        limited.activity = SmallvilleActivity()
    if "observation" in without:
        limited.dialogue, limited.activity, limited.objects = None, SmallvilleActivity(), {}
        limited.ties = {}
    return limited


def classify(memory: Memory) -> MemoryAccess | None:
    """Classify a memory by the faculty that made it; None where it was known from the start."""
    if memory.cause == SEED:
        return None
    if memory.kind in ("event", "chat"):
        return "observation"
    faculty = memory.cause.split(".")[0]  # of a talk's memo: what one means to do after it
    if memory.kind == "plan" or faculty in ("plan", "converse"):
        return "planning"
    return "reflection" if faculty == "reflect" else "observation"


def _filter_stream(stream: MemoryStream, without: Collection[MemoryAccess]) -> MemoryStream:
    """Return the memories that are left, each with the events it goes back to."""
    kept = MemoryStream()
    for memory in stream:
        if classify(memory) in without:
            continue
        new = kept.add(
            memory.kind,
            memory.text,
            created=memory.created,
            importance=memory.importance,
            events=stream.sources([memory.id]),
            about=memory.about,
            place=memory.place,
            start=memory.start,
            duration=memory.duration,
            expires=memory.expires,
            cause=memory.cause or "perceive",
        )
        kept.touch([new], memory.accessed)
        vector = stream.find_vector(memory.id)
        if vector is not None:
            kept.embed([new], vector[None])
    return kept
