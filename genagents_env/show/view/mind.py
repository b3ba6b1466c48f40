"""The content of a mind over the whole run: the resource `person/AGENT` of a page.

Memories and plans are read from the state in the last checkpoint, by the policy's own reading of
it; code of policies that did not come with the package is never run. Acquaintances come from the
scenario, the record and the mind; interviews from the record, and later ones from a file beside it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path

from genagents_env.errors import FileError
from genagents_env.memory.content import (
    AskedCall,
    ContentMemory,
    ContentPlanLine,
    MindContent,
    SavedMind,
    State,
)
from genagents_env.record import RunReader
from genagents_env.record.calls import parse_messages
from genagents_env.record.rows import JSON
from genagents_env.run.policies import find_policy_class, is_shipped
from genagents_env.study.judge.kept_answers import KeptAnswer, read_own_answers
from genagents_env.world.events import Event

_NO_STATE = "This run has no checkpoint (yet), so its memories are not to be had."
_FAULTS = (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class MindReading:
    """The content of a mind, and the tick of the state that it was read from; -1 for none."""

    until: int
    content: MindContent


def make_mind(run: RunReader, number: int, kept: Path | None = None) -> JSON:
    """Return the content of an agent's mind for the page.

    Answers of another run, and a file that cannot be read, are left out, and its note says so.

    Args:
        run: the record.
        number: of the agent among the run's names.
        kept: the file of answers given after the run, which need not be there.
    """
    agent = run.meta.names[number]
    reading = read_mind(run, agent)
    later, fault = _find_later(run, agent, kept)
    events = _find_events(run, reading.content.memories)
    index = {name: number for number, name in enumerate(run.meta.names)}
    return {
        "until": reading.until,
        "note": f"{reading.content.note} {fault}".strip(),
        "memories": sorted(
            (_format_memory(one, events, reading.until) for one in reading.content.memories),
            key=lambda memory: (memory["tick"], memory["id"]),
        ),
        "plans": [
            {
                "made": plan.made,
                "title": plan.title,
                "items": [asdict(line) for line in plan.lines],
            }
            for plan in sorted(reading.content.plans, key=lambda plan: plan.made)
        ],
        "acquaintances": [
            {"agent": index[name], "since": since, "text": text}
            for name, since, text in _list_acquaintances(run, agent, reading.content)
            if name in index
        ],
        "interviews": [
            {
                "tick": row.tick,
                "question": row.question,
                "answer": row.answer,
                "evidence": list(row.evidence),
                "note": "",
            }
            for row in run.interviews()
            if row.agent == agent
        ]
        + later,
    }


def read_mind(run: RunReader, agent: str) -> MindReading:
    """Return the content of the mind of `agent`, as far as the file has it.

    Raises:
        KeyError: nobody is called so.
        RecordError: the file is damaged.
    """
    policy = str(run.meta.policies[agent]["name"])
    if not is_shipped(policy):
        note = f"The policy {policy} did not come with this package; its code is not run here."
        return MindReading(-1, MindContent(note=note))
    until, state = _find_state(run, agent)
    saved = SavedMind(
        agent,
        run.meta.names,
        state,
        list_calls(run, agent),
        datetime.fromisoformat(run.meta.start),
        run.meta.seconds_per_tick,
        run.last_tick,
        _list_routine(run, agent),
    )
    try:
        content = find_policy_class(policy).describe_mind(saved)
        _check_content(content)
    except _FAULTS as error:
        note = f"The saved state of this mind cannot be read ({type(error).__name__}: {error})."
        return MindReading(until, MindContent(note=note))
    notes = [content.note]
    if state is None:
        notes.insert(0, _NO_STATE)
    elif until < run.last_tick - 1:  # the last tick of a run has no checkpoint
        notes.append(
            f"Memories and plans are as of {run.time(until):%A %H:%M}, the last checkpoint."
        )
    return MindReading(until, replace(content, note=" ".join(filter(None, notes))))


def _list_routine(run: RunReader, agent: str) -> tuple[ContentPlanLine, ...]:
    person = next((person_ for person_ in run.meta.scenario.people if person_.name == agent), None)
    entries = person.routine if person is not None else ()
    return tuple(ContentPlanLine(entry.doing, f"{entry.at:%H:%M}") for entry in entries)


def _check_content(content: MindContent) -> None:
    """Raise ValueError where what a forged state holds is no words and numbers."""
    for memory in content.memories:
        numbers = (memory.tick or 0, memory.importance or 0, *memory.evidence, *memory.events)
        if not isinstance(memory.text, str) or not all(isinstance(n, int | float) for n in numbers):
            raise ValueError(f"memory {memory.id} is none")
    texts = [tie.text for tie in content.ties]
    texts += [line.text for plan in content.plans for line in plan.lines]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("what somebody plans or thinks is no text")


def list_calls(run: RunReader, agent: str) -> tuple[AskedCall, ...]:
    """Return the model calls of an agent, ordered by tick, purpose and number."""
    calls = []
    for row in run.list_calls(0, run.meta.horizon, agent):
        messages = parse_messages(run.path, row)
        prompt = messages[-1].content if messages else ""
        calls.append(AskedCall(row.tick, row.purpose, row.number, prompt, row.reply))
    return tuple(calls)


def _find_state(run: RunReader, agent: str) -> tuple[int, State | None]:
    """Return the last saved state of a mind, and its tick; -1 and None where there is none."""
    saved = run.last_state()
    if saved is None:
        return -1, None
    key = run.meta.policies[agent], run.meta.find_since(agent)
    states = saved.policies[run.meta.list_groups().index(key)]
    state = states.get(agent) if isinstance(states, dict) else None
    return saved.tick, state if isinstance(state, dict) else None


def _find_events(run: RunReader, memories: Iterable[ContentMemory]) -> Mapping[int, Event]:
    """Return the events that memories of no tick of their own come from."""
    wanted = {id_ for one in memories if one.tick is None for id_ in one.events}
    found = (run.event(id_) for id_ in sorted(wanted))
    return {event.id: event for event in found if event is not None}


def _format_memory(memory: ContentMemory, events: Mapping[int, Event], until: int) -> JSON:
    made = memory.tick
    if made is None:  # perceived at the end of a tick, taken in as the next is decided
        ticks = [events[id_].tick + 1 for id_ in memory.events if id_ in events]
        made = max(ticks, default=until)
    call = (
        dict(zip(("tick", "purpose", "number"), memory.call, strict=True)) if memory.call else None
    )
    return asdict(memory) | {"tick": made, "call": call}


def _list_acquaintances(
    run: RunReader, agent: str, content: MindContent
) -> Iterator[tuple[str, int, str]]:
    """Yield whom one knows, since when, and how; of the same person the latest holds."""
    knows = [(tie.name, tie.since, tie.text) for tie in content.ties]
    person = next((one for one in run.meta.scenario.people if one.name == agent), None)
    if person is not None:
        knows += [(tie.to, 0, tie.about) for tie in person.relationships]
    known = {name for name, _, _ in knows}
    for name, tick in _find_first_talks(run, agent).items():
        if name not in known:
            knows.append((name, tick, "they have talked"))
    yield from sorted(knows, key=lambda one: one[1])


def _find_first_talks(run: RunReader, agent: str) -> Mapping[str, int]:
    """Map each person the agent has talked with to the tick of the first time."""
    first: dict[str, int] = {}
    for event in run.events(kind="converse"):
        if agent in (members := event.data["members"]):
            for name in members:
                if name != agent:
                    first.setdefault(name, event.tick)
    return first


_OTHERS = "Answers kept beside it are of another run, or of this one before it went on."


def _find_later(run: RunReader, agent: str, kept: Path | None) -> tuple[list[JSON], str]:
    """Return the answers of an agent given after the run, and what is wrong with their file."""
    if kept is None:
        return [], ""
    try:
        own, others = read_own_answers(kept, run.path, agent)
    except FileError as error:
        return [], f"Answers kept beside the run are left out: {error}."
    return [_format(answer) for answer in own], _OTHERS if others else ""


def _format(answer: KeptAnswer) -> JSON:
    asker = f", asked by {answer.interviewer}" if answer.interviewer else ""
    condition = "" if answer.said.condition == "full" else f", condition {answer.said.condition}"
    return {
        "tick": answer.tick,
        "question": answer.said.question,
        "answer": answer.said.text,
        "evidence": list(answer.evidence),
        "note": f"asked after the run, answered by {answer.by}{asker}{condition}",
    }
