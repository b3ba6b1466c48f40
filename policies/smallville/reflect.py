"""Reflect: once enough has happened, ask what it means, and keep the insights with their evidence.

When the importance of what was observed adds up, a person asks some questions of the latest
memories, and for each of them draws insights from what it brings to mind. An insight is kept only
with the memories it rests on, which may be insights themselves: so reflections grow into trees.
Source: Park et al. 2023, section 4.2. The public code keeps an insight however often it recurs,
which feeds the next reflection with itself; here one that repeats a thought is let go.
"""

from collections.abc import Sequence
from functools import cache

from genagents_env.cognition.prompts import FilledPrompt, Section
from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.cognition.replies import (
    Importance,
    Sentence,
    list_of,
    list_of_numbers,
    list_up_to,
    narrow,
)
from genagents_env.llm.schemas import ReplyModel
from genagents_env.memory.columns import compare
from genagents_env.memory.embed import HashedNgrams
from genagents_env.memory.stream import Kind
from genagents_env.text import fold

from .mind import Handlers, SmallvilleMind
from .retrieve import recall, recall_latest, reduce_words
from .summary import describe_situation

# What happened and thoughts about it. Intentions say nothing about either, and there are many.
_LOOKED_AT: tuple[Kind, ...] = ("event", "thought", "chat")
_COMPARED = 400  # latest thoughts that a new one is held against
_NAMED = 8  # numbers of memories an insight may name
_ITEM = 200  # tokens of an insight at most, even in a script of a token a character
_FRAME = 32  # tokens around the items of a reply


class Questions(ReplyModel):
    """What a person asks of the latest memories."""

    questions: list[Sentence]


class Insight(ReplyModel):
    """A conclusion, how much it matters, and the numbers in the prompt of what it rests on."""

    insight: Sentence
    importance: Importance
    because: list[int]


class Insights(ReplyModel):
    """What a person concludes from what a question brought to mind."""

    insights: list[Insight]


def make_queries(mind: SmallvilleMind, moment: Moment) -> Sequence[Query]:
    """Begin to reflect when what was observed adds up to enough, and count anew from zero."""
    if mind.attention.importance < mind.config.reflect_at or not mind.config.reflection:
        return ()
    if mind.asleep or mind.dialogue is not None or mind.is_busy("reflect."):
        return ()
    mind.attention.importance = 0.0
    return [Query("reflect.questions", {})]


# The questions.


async def _prepare_questions(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask for salient questions about the latest memories (section 4.2)."""
    latest = recall_latest(
        mind, mind.config.reflect_over, moment.now, kinds=_LOOKED_AT, touch=False
    )
    count = mind.config.questions
    situation = describe_situation(mind, moment)
    shown = mind.fill("reflect_questions", situation, latest, count=count)
    return mind.ask_filled(shown, {"count": count}) if shown.memories else None


async def _apply_questions(mind: SmallvilleMind, moment: Moment, reply: QueryReply) -> list[Query]:
    """Ask for insights on each question, unless the agent fell asleep."""
    if reply.fallback or mind.asleep:
        return []
    questions = {fold(question): question for question in reply.value.questions}
    return [Query("reflect.insights", {"question": q}) for q in questions.values()]


# The insights.


async def _prepare_insights(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask for insights from what the question recalls, which is numbered."""
    question, count = data["question"], mind.config.insights
    asked = Section("question", [["question", question]])
    sections = [asked, *describe_situation(mind, moment)]
    memories = await recall(mind, [question], moment.now)
    shown = mind.fill("reflect_insights", sections, memories, count=count)
    if not shown.memories:
        return None
    return mind.ask_filled(shown, {**data, "count": count, "memories": list(shown.memories)})


async def _apply_insights(mind: SmallvilleMind, moment: Moment, reply: QueryReply) -> list[Query]:
    """Keep each insight that names evidence and is new."""
    shown = FilledPrompt((), tuple(reply.data["memories"]))
    known = _KnownThoughts(mind, moment.now)
    for insight in reply.value.insights:
        evidence = shown.find_ids(insight.because)
        if not evidence or known.repeats(insight.insight):
            continue
        known.add(insight.insight)
        mind.add_thought(insight.insight, moment.now, insight.importance, evidence, reply.call)
    return []


class _KnownThoughts:
    """The thoughts of a mind that are not forgotten, against which a new one is held."""

    def __init__(self, mind: SmallvilleMind, now: int) -> None:
        ids = mind.stream.recent(_COMPARED, kinds=["thought"], now=now)
        self._texts = [memory.text for memory in mind.stream.select(ids)]
        self._name, self._alike = mind.name, mind.config.alike
        self._words = {reduce_words(text, mind.name) for text in self._texts}

    def repeats(self, text: str) -> bool:
        """Return True if a known thought says the same in the same or nearly the same words."""
        if reduce_words(text, self._name) in self._words:
            return True
        embed = _load_ngrams()
        return bool((compare(embed(self._texts), embed([text])) >= self._alike).any())

    def add(self, text: str) -> None:
        """Know `text` from now on."""
        self._texts.append(text)
        self._words.add(reduce_words(text, self._name))


@cache
def _load_ngrams() -> HashedNgrams:
    # One for all minds: it keeps the vectors of the texts it has seen, which depend on them alone.
    return HashedNgrams()


def _limit_insights(data: QueryData) -> type[Insights]:
    """Offer the numbers of the memories shown as evidence."""
    because = list_of_numbers(_NAMED, len(data["memories"]), least=1)
    insight = narrow(Insight, because=because)
    return narrow(Insights, insights=list_up_to(insight, data["count"], least=1))


HANDLERS: Handlers = {
    "reflect.questions": handle(
        _prepare_questions,
        _apply_questions,
        lambda data: Questions(questions=["-"] * data["count"]),
        lambda data: _FRAME + _ITEM * data["count"],
        lambda data: narrow(Questions, questions=list_of(Sentence, data["count"], cut=True)),
    ),
    "reflect.insights": handle(
        _prepare_insights,
        _apply_insights,
        Insights(insights=[]),
        lambda data: _FRAME + (_ITEM + 5 * _NAMED) * data["count"],
        _limit_insights,
    ),
}
