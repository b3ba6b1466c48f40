"""An interview: one model call a question, from what is remembered of the talk of the town."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, Field

from genagents_env.llm.calls import JSONValue, Message
from genagents_env.llm.prompts import fence
from genagents_env.llm.schemas import ReplyModel
from genagents_env.llm.tokens import bound_prompt_tokens, bound_tokens
from genagents_env.policy import Answer, Profile, RecalledMemory
from genagents_env.text import clean

from .mind import ReactiveMind, RememberedLine
from .prompt import ReactivePrompts, format_line

PURPOSE = "interview"
UNKNOWN = "I cannot say."
ANSWER_LIMIT = 240
_QUESTION_LIMIT = 240  # characters of a question that are shown
_QUESTION_SHARE = 0.2  # of the prompt at most for the question
_WORDS = 140  # characters of a line that are shown
_NAMED = 8  # lines an answer may name
_SHORT = 3  # letters of a word, not a name, that says little of what a text is about


class ReactiveAnswer(ReplyModel):
    """An answer, and the numbers of the lines it rests on."""

    wire_name = "Told"

    answer: Annotated[
        str,
        BeforeValidator(lambda v: clean(v, ANSWER_LIMIT) if isinstance(v, str) else v),
        Field(min_length=1, max_length=ANSWER_LIMIT),
    ]
    because: Annotated[list[int], Field(max_length=_NAMED)]


@dataclass(frozen=True, slots=True)
class InterviewPrompt:
    """A question as it is put to the model, and the lines it was shown, numbered from 1."""

    messages: tuple[Message, ...]
    lines: tuple[RememberedLine, ...]

    def answer(self, reply: ReactiveAnswer) -> Answer:
        """Return the answer with the events it rests on; numbers that name no line are nothing."""
        named = {self.lines[n - 1].event for n in reply.because if 1 <= n <= len(self.lines)}
        return Answer(reply.answer, tuple(sorted(named - {-1})))


def make_prompt(
    prompts: ReactivePrompts, profile: Profile, mind: ReactiveMind, question: str
) -> InterviewPrompt:
    """Return the prompt for a question; at most `config.prompt_tokens` long.

    It holds what is remembered, in order, as much as fits: first what shares words with the
    question, then what is newest.
    """
    system = Message("system", prompts.format_system(profile, asked=True))
    limit = prompts.config.prompt_tokens
    memories = _list_lines(profile, mind)
    wanted = _find_words(question)
    texts = [f"{line.source} {line.text}" for line in memories]
    ranked = sorted(range(len(memories)), key=lambda k: (-len(_find_words(texts[k]) & wanted), -k))
    asked = clean(question, _QUESTION_LIMIT)
    while bound_tokens(asked) > limit * _QUESTION_SHARE:
        asked = asked[:-8]
    for kept in range(len(ranked), -1, -1):
        lines = tuple(memories[k] for k in sorted(ranked[:kept]))
        messages = (system, _format_user(prompts, lines, asked))
        if bound_prompt_tokens(list(messages)) <= limit:
            break
    return InterviewPrompt(messages, lines)


def list_memories(profile: Profile, mind: ReactiveMind) -> list[RecalledMemory]:
    """Return everything remembered in words, with the event of the record where there is one."""
    memories = [RecalledMemory(fact.statement) for fact in profile.facts]
    for line in _list_lines(profile, mind):
        events = () if line.event < 0 else (line.event,)
        memories.append(RecalledMemory(f"{line.source}: {line.text}", events))
    return memories


def _format_user(
    prompts: ReactivePrompts, lines: Sequence[RememberedLine], question: str
) -> Message:
    data: list[JSONValue] = [[n, *format_line(line, _WORDS)] for n, line in enumerate(lines, 1)]
    text = prompts.question.render(data=fence(data, prompts.mark), question=question)
    return Message("user", text.strip())


def _list_lines(profile: Profile, mind: ReactiveMind) -> list[RememberedLine]:
    """List the lines to answer from, oldest first: ties, facts heard, the last lines."""
    known = [
        RememberedLine(f"you, of {name}", about) for name, about in profile.relationships.items()
    ]
    facts = [line for _, line in mind.facts if line not in mind.lines]
    return [*known, *facts, *mind.lines]


def _find_words(text: str) -> set[str]:
    words = re.findall(r"\w+", text)
    return {word.casefold() for word in words if len(word) > _SHORT or word[0].isupper()}
