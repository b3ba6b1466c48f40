"""The scenario's questions, put to everyone who remembers at one end of a run."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from genagents_env.policy import AgentID
from genagents_env.record.rows import InterviewRow, PolicyFault
from genagents_env.rollout.cast import Answers, Cast
from genagents_env.rollout.group import results
from genagents_env.scenario.questions import Asked
from genagents_env.text import clean

ANSWER_LIMIT = 2000  # characters of an answer that are kept


@dataclass(frozen=True, slots=True)
class Survey:
    """What came of the interviews: the answers, and the faults of those who gave none."""

    rows: tuple[InterviewRow, ...] = ()
    faults: tuple[PolicyFault, ...] = ()


async def survey(
    cast: Cast, questions: Sequence[Asked], tick: int, told: Callable[[], None]
) -> Survey:
    """Interview everyone in `questions` at once, each about all questions put to them.

    Args:
        cast: of the run, at a tick boundary.
        questions: in the order in which they are recorded; all those of one agent differ.
        tick: of the moment.
        told: called as somebody has answered.

    Raises:
        GenagentsError: a policy met an outage, the budget's end, or another end of the run.
    """
    own: dict[AgentID, list[str]] = {}
    for asked in questions:
        own.setdefault(asked.agent, []).append(asked.text)

    async def one(agent: AgentID) -> Answers:
        answers = await cast.interview(agent, own[agent], tick)
        told()
        return answers

    held = results(await asyncio.gather(*map(one, own), return_exceptions=True))
    rows: list[InterviewRow] = []
    faults: list[PolicyFault] = []
    for (agent, texts), (answers, failed) in zip(own.items(), held, strict=True):
        faults += failed
        rows += [
            InterviewRow(tick, agent, text, clean(answer.text, ANSWER_LIMIT), answer.evidence)
            for text, answer in zip(texts, answers, strict=not failed)
        ]
    return Survey(tuple(rows), tuple(faults))
