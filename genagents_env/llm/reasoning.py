"""Models that think before they speak: known by name or by what they do, given room, read past."""

import re
from dataclasses import replace

from genagents_env.errors import LLMUnavailable
from genagents_env.llm.calls import Completion, CompletionRequest, NothingSaid

DEFAULT_THINKING = 4096  # tokens; what models known to reason begin with
MOST_THINKING = 32_768  # tokens; a longer thought is given up

# Families whose models think unless they are told not to, by the words of their names.
_REASONING = re.compile(
    r"(?:^|[/:_.-])(?:o\d|gpt-5|gpt-oss|qwq|qwen3|r1|magistral)(?:$|[/:_.-])|reason|think"
)
_BLOCKS = (("<think>", "</think>"), ("<thinking>", "</thinking>"), ("[THINK]", "[/THINK]"))
# Some templates write the opening mark into the prompt. On a line of its own the closing mark is
# in no JSON text, which holds no line breaks.
_LONE_END = re.compile(r"^[ \t]*</think(?:ing)?>[ \t]*$", re.MULTILINE)
_ANALYSIS, _FINAL = "<|channel|>analysis<|message|>", "<|channel|>final<|message|>"


def is_reasoning_model(name: str) -> bool:
    """Return whether a model of that name is known to think before it speaks."""
    return _REASONING.search(name.lower()) is not None


class ThinkingAllowance:
    """Tokens that a model may think in each call, beside those of its reply.

    It is learned: once a reply needed more room, later calls begin with as much.

    Args:
        model: its name, which decides where none are given.
        tokens: to begin with; None is 4,096 for models known to reason, else 0.
    """

    def __init__(self, model: str, tokens: int | None = None) -> None:
        known = DEFAULT_THINKING if is_reasoning_model(model) else 0
        self.tokens = known if tokens is None else tokens

    def learn(self, enough: int) -> None:
        """Begin later calls with at least `enough` tokens."""
        self.tokens = max(self.tokens, enough)


def grow_allowance(tokens: int) -> int:
    """Return twice `tokens` (4,096 after none), at most 32,768: the room of the next attempt."""
    return min(2 * tokens, MOST_THINKING) if tokens else DEFAULT_THINKING


def separate_thinking(completion: Completion) -> Completion:
    """Return `completion` without the thinking in its text, which is counted as reasoning tokens.

    Where the endpoint does not tell how many those are, they are reckoned by their characters.
    """
    text = _cut_thinking(completion.text)
    if len(text) == len(completion.text):
        return completion
    share = 1 - len(text) / len(completion.text)
    reckoned = round(completion.completion_tokens * share)
    return replace(
        completion, text=text, reasoning_tokens=max(completion.reasoning_tokens, reckoned)
    )


def check_words(completion: Completion, request: CompletionRequest) -> None:
    """Raise where thinking used up the room, and the reply found none or too little of it.

    Blanks up to the limit are none of this: more room would not help.

    Raises:
        NothingSaid: with more room it may reply.
        LLMUnavailable: it had all the room there is.
    """
    thought, allowance = completion.reasoning_tokens, request.thinking_tokens
    if completion.finish_reason != "length" or (completion.text and thought <= allowance):
        return
    text = (
        f"the model was cut off at {completion.completion_tokens:,} tokens before it had replied "
        f"(thinking {thought:,}, allowance {allowance:,}); --thinking N allows more, "
        "--reasoning-effort low makes some models think less"
    )
    raise NothingSaid(text) if allowance < MOST_THINKING else LLMUnavailable(text)


def _cut_thinking(text: str) -> str:
    """Return `text` without its blocks of thinking; an unclosed one goes to the end."""
    if "<" not in text and "[" not in text:
        return text
    if text.lstrip().startswith(_ANALYSIS):
        return text.rpartition(_FINAL)[2] if _FINAL in text else ""
    rest = text
    while (cut := _cut_block(rest.lstrip())) is not None:
        rest = cut
    end = _LONE_END.search(rest)
    return rest[end.end() :] if end else rest


def _cut_block(text: str) -> str | None:
    """Return what follows the block that `text` begins with, or None where it begins with none."""
    for begin, end in _BLOCKS:
        if text.startswith(begin):
            return text.partition(end)[2]
    return None
