"""The interview: questions put one after the other to a copy of the mind, which leaves no trace.

A summary is made for the occasion of the memories nearest the first question. Each answer is given
from the summary, from work memory and from what the question brings to mind; between questions the
summary is brought up to date. An answer names the lines of the prompt that it rests on; their
events in the record are its evidence.
Source: Lyfe Agents (Kaiya et al. 2023), appendix D.1; how much is recalled, the public release.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel

from genagents_env.cognition.interview import (
    QUESTION_LIMIT,
    TimedEvidence,
    make_default_reply,
    make_interview_model,
    number_evidence,
)
from genagents_env.cognition.prompts import SPOKEN, FilledPrompt, Section, describe_now
from genagents_env.llm.calls import CallKey
from genagents_env.memory.forgetting import MemoryItem
from genagents_env.policy import INTERVIEW_CALLS, Answer
from genagents_env.text import clean

from . import narrative, states
from .memory import recall
from .mind import LyfeMind, LyfeOption, WorkItem, make_mind
from .monitor import SummaryUpdate

BEGIN, ANSWER, UPDATE = "interview.begin", "interview.answer", "interview.update"
INTERVIEWER = "the interviewer"
_SIFTED = 15  # long memories that the summary is made of; paper, D.1
_EVIDENCE = 24  # events it may rest on
_MAX_TOKENS = 480  # a summary; an answer in a script of a token a character

_WORD = re.compile(r"\w{3,}")
_TOLD = 0.75  # of its words in the summary, from which on a memory says nothing more (ours)

R = TypeVar("R", bound=BaseModel)


async def answer_questions(
    mind: LyfeMind, questions: Sequence[str], repeat: int = 0, asker: str = INTERVIEWER
) -> list[Answer]:
    """Return an answer to each question, asked in this order; `mind.state()` stays as it is.

    Asked of the moment after the one perceived last, or of the start before there was one.

    Args:
        mind: who is asked.
        questions: the words of the interviewer; they are data to the mind, like all others' words.
        repeat: which of several interviews at this moment: each begins from the same state, and
            calls of the n-th are numbered from n * `INTERVIEW_CALLS` on.
        asker: who asks, by name.

    Returns:
        Answers with the ids of the record's events they rest on, ascending. Where the model gives
        no usable reply: that the agent does not know, resting on nothing.

    Raises:
        BudgetExceeded: a call does not fit the budget.
        ModelOutage: several calls in a row failed.
    """
    asked = [clean(question, QUESTION_LIMIT) for question in questions]
    interview = _Interview(_copy(mind), repeat, asker)
    if asked:
        await interview.begin(asked[0])
    given: list[Answer] = []
    for number, question in enumerate(asked):
        if number:
            await interview.update(number - 1)
        given.append(await interview.answer(question, number))
    return given


def _copy(mind: LyfeMind) -> LyfeMind:
    copy = make_mind(mind.services, mind.profile)
    copy.load_state(mind.state())
    copy.option = LyfeOption("talk", INTERVIEWER, "answer the interviewer's questions")
    return copy


class _Interview:
    """One interview with a mind of its own.

    Args:
        mind: changes from question to question.
        repeat: which interview of this moment it is.
        asker: who asks, by name.
    """

    def __init__(self, mind: LyfeMind, repeat: int, asker: str) -> None:
        self.mind, self.repeat, self.asker = mind, repeat, asker
        self.tick = mind.tick + 1  # the moment after the last step, which no other call has had
        self.now = self.tick * mind.services.seconds_per_tick
        self.said: list[WorkItem] = []

    async def begin(self, question: str) -> None:
        """Make the summary of the long memories nearest the first question."""
        if not self.mind.config.self_monitor:
            return
        near = await recall(self.mind, question or None, _SIFTED)
        sections = [_describe_question(question), *states.describe_states(self.mind)]
        await self._sum_up(BEGIN, 0, sections, number_evidence(_to_parts(near)))

    async def answer(self, question: str, number: int) -> Answer:
        """Return the answer; question and answer go to work memory."""
        before = _list_at_hand(self.mind)
        self.said = [self._note(question, self.asker)]
        parts = [part.text for part in self.mind.summary.parts]
        shown_anyway = [*parts, *self.mind.profile.sentences]
        recalled = await recall(self.mind, question or None, shown=shown_anyway)
        near = [one for one in recalled if not _is_told(one[1].text, parts)]
        grounds = _list_sources(self.mind, near, before)
        *purpose, summary = states.describe_states(self.mind)
        numbered = summary.lines if not self.mind.config.self_monitor else []
        sections = [_describe_question(question), *purpose, Section(summary.name, numbered)]
        shown = self._fill_prompt(ANSWER, sections, grounds)
        fallback = make_default_reply()
        reply, usable = await self._ask(
            ANSWER, number, shown, make_interview_model(len(shown.memories)), fallback
        )
        self.said.append(self._note(reply.answer, self.mind.name))
        named = [grounds[id_][1].events for id_ in shown.find_ids(reply.because)]
        events = dict.fromkeys(event for several in named for event in several)
        return Answer(reply.answer, tuple(sorted(list(events)[:_EVIDENCE])), not usable)

    async def update(self, number: int) -> None:
        """Bring the summary up to date with what was asked and answered last."""
        if not self.mind.config.self_monitor:
            return
        parts = [part.text for part in self.mind.summary.parts]
        near = await recall(self.mind, shown=parts)
        said = [states.format_item(self.mind, item) for item in self.said]
        sections = [*states.describe_states(self.mind), Section("talk", said, SPOKEN, "last")]
        await self._sum_up(UPDATE, number, sections, number_evidence(_to_parts(near)))

    async def _sum_up(
        self,
        purpose: str,
        number: int,
        sections: Sequence[Section],
        grounds: Sequence[TimedEvidence],
    ) -> None:
        """Ask for a summary; it rests on what it was made of. Without a reply the old one stays."""
        shown = self._fill_prompt(purpose, sections, grounds)
        reply, usable = await self._ask(
            purpose, number, shown, SummaryUpdate, SummaryUpdate(summary="-")
        )
        if usable:
            before = [(part.text, part.events) for part in self.mind.summary.parts]
            numbered = [grounds[id_][1] for id_ in shown.memories]
            made_of = [*before, *((ground.text, ground.events) for ground in numbered)]
            parts = await narrative.trace_sentences(self.mind, reply.summary, made_of)
            self.mind.summary = replace(self.mind.summary, text=reply.summary, parts=parts)

    def _fill_prompt(
        self, purpose: str, sections: Sequence[Section], grounds: Sequence[TimedEvidence]
    ) -> FilledPrompt:
        now = describe_now(self.mind.services.to_time(self.now), "")
        return self.mind.fill(purpose.replace(".", "_"), [now, *sections], grounds)

    async def _ask(
        self, purpose: str, number: int, shown: FilledPrompt, reply: type[R], fallback: R
    ) -> tuple[R, bool]:
        """Return the reply, and whether it is the model's."""
        key = CallKey(self.mind.agent, self.tick, purpose, self.repeat * INTERVIEW_CALLS + number)
        self.mind.services.notes.add_cuts(key, shown.cuts)
        answered = await self.mind.services.model.ask(
            key,
            shown.messages,
            reply,
            fallback=fallback,
            max_tokens=_MAX_TOKENS,
            temperature=self.mind.config.temperature,
        )
        return answered.value, not answered.fallback

    def _note(self, words: str, speaker: str) -> WorkItem:
        """Let words enter work memory, and the buffer of an agent without a self-monitor."""
        mind = self.mind
        item = WorkItem(words, self.now, speaker)
        mind.work = [*mind.work, item][-mind.config.work_items :]
        if not mind.config.self_monitor:
            mind.buffer = [*mind.buffer, item][-mind.config.buffer_items :]
        return item


def _list_at_hand(mind: LyfeMind) -> list[WorkItem]:
    """List the items of work memory, and for those without a summary of the buffer.

    One event comes once. The oldest is first, as it is read; the newest where a small prompt may
    have no room for all.
    """
    buffered = mind.buffer if not mind.config.self_monitor else []
    items = sorted([*mind.work[::-1], *buffered[::-1]], key=lambda item: -item.at)
    items_once = list({(item.speaker, item.text, item.event): item for item in items}.values())
    return items_once if mind.services.prompts.small else items_once[::-1]


def _is_told(text: str, parts: Sequence[str]) -> bool:
    """Return True if the sentences of a summary hold what a memory says, in nearly its words."""
    known = {word for part in parts for word in _WORD.findall(part.casefold())}
    words = set(_WORD.findall(text.casefold()))
    return bool(words) and len(words & known) >= _TOLD * len(words)


def _list_sources(
    mind: LyfeMind, near: Sequence[tuple[str, MemoryItem]], at_hand: Sequence[WorkItem]
) -> list[TimedEvidence]:
    """Number what an answer may rest on, in the order in which it is shown."""
    summary = mind.summary
    parts = summary.parts if mind.config.self_monitor else []
    return number_evidence(
        [
            *(("summary", part.text, tuple(part.events)) for part in parts),
            *_to_parts(near),
            *(
                (_format_when(mind, item), item.text, tuple(item.list_sources()))
                for item in at_hand
            ),
        ]
    )


def _describe_question(question: str) -> Section:
    return Section("question", [["question", question]])


def _to_parts(near: Iterable[tuple[str, MemoryItem]]) -> list[tuple[str, str, tuple[int, ...]]]:
    return [(when, kept.text, kept.events) for when, kept in near]


def _format_when(mind: LyfeMind, item: WorkItem) -> str:
    who = "you" if item.speaker == mind.name else item.speaker
    return f"{who} just said" if who else "just now"
