"""What is asked at one end of a run: the scenario's questions, and what is remembered of facts."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from genagents_env.memory.testimony import FactFinder, Statement
from genagents_env.policy import AgentID, Answer
from genagents_env.record.rows import FaultRow, InterviewRow, RememberedRow
from genagents_env.run.concurrency import collect_results
from genagents_env.run.policy_groups import Answers, PolicyGroups
from genagents_env.scenario.questions import PosedQuestion
from genagents_env.text import clean

ANSWER_LIMIT = 2000  # characters of an answer or a memory that are kept
MEMORIES = 20  # of one fact that are kept of one agent


@dataclass(frozen=True, slots=True)
class InterviewRound:
    """The result of asking: answers, memories, and the faults of those who gave none."""

    rows: tuple[InterviewRow, ...] = ()
    faults: tuple[FaultRow, ...] = ()
    remembered: tuple[RememberedRow, ...] = ()


async def interview_all(
    groups: PolicyGroups,
    questions: Sequence[PosedQuestion],
    tick: int,
    on_answer: Callable[[], None],
    repeats: int = 1,
) -> InterviewRound:
    """Interview everyone in `questions` at once, each about all questions put to them.

    Everyone is interviewed `repeats` times, all at once and each time from the same state of mind.

    Args:
        groups: of the run, at a tick boundary.
        questions: in the order in which they are recorded; all those of one agent differ.
        tick: of the moment.
        on_answer: called as somebody has answered.
        repeats: at least 1.

    Raises:
        GenagentsError: a policy met an outage, the budget's end, or another end of the run.
    """
    own: dict[AgentID, list[str]] = {}
    for asked in questions:
        own.setdefault(asked.agent, []).append(asked.text)

    async def one(agent: AgentID, repeat: int) -> Answers:
        answers = await groups.interview(agent, own[agent], tick, repeat)
        on_answer()
        return answers

    put = [(repeat, agent) for repeat in range(repeats) for agent in own]
    asking = (one(agent, repeat) for repeat, agent in put)
    held = collect_results(await asyncio.gather(*asking, return_exceptions=True))
    rows: list[InterviewRow] = []
    faults: list[FaultRow] = []
    for (repeat, agent), (answers, failed) in zip(put, held, strict=True):
        faults += failed
        rows += [
            _make_row(tick, agent, text, answer, repeat)
            for text, answer in zip(own[agent], answers, strict=not failed)
        ]
    return InterviewRound(tuple(rows), tuple(faults))


async def collect_memories(
    groups: PolicyGroups,
    agents: Sequence[AgentID],
    tick: int,
    facts_in: Callable[[str], Sequence[str]],
    finder: FactFinder | None = None,
) -> InterviewRound:
    """Return what these agents remember in which a fact is found.

    Of each agent and fact the first memories of different texts, `MEMORIES` at most; a text held
    several times goes back to the events of all.

    Args:
        groups: of the run, at a tick boundary.
        agents: of the groups.
        tick: of the moment.
        facts_in: the ids of the facts recognised in a text.
        finder: knows those that are told in other words as well.
    """
    rows: list[RememberedRow] = []
    faults: list[FaultRow] = []
    for agent in agents:
        memories, failed = await groups.memories(agent, tick)
        faults += failed
        found: dict[str, dict[str, set[int]]] = {}
        texts_of = [clean(memory.text, ANSWER_LIMIT) for memory in memories]
        known = {text: dict.fromkeys(facts_in(text)) for text in texts_of}
        if finder is not None:
            told = await finder.find([Statement(text, agent) for text in known])
            for text, own in zip(known, told, strict=True):
                known[text] |= dict.fromkeys(one.fact for one in own)
        for memory, text in zip(memories, texts_of, strict=True):
            for fact in known[text]:
                texts = found.setdefault(fact, {})
                if text in texts or len(texts) < MEMORIES:
                    texts.setdefault(text, set()).update(memory.events)
        rows += [
            RememberedRow(tick, agent, fact, text, tuple(sorted(events)))
            for fact, texts in found.items()
            for text, events in texts.items()
        ]
    return InterviewRound(faults=tuple(faults), remembered=tuple(rows))


def _make_row(tick: int, agent: AgentID, text: str, answer: Answer, repeat: int) -> InterviewRow:
    said = clean(answer.text, ANSWER_LIMIT)
    return InterviewRow(tick, agent, text, said, answer.evidence, repeat)
