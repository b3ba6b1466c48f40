"""How long a prompt may be at most in tokens, without asking any tokenizer.

The text of a prompt must not depend on which tokenizer is installed, or a resumed run would ask
something else; hence a bound instead of a count.
"""

import re

from genagents_env.llm.calls import Message

MESSAGE_TOKENS = 6  # what a chat template puts around a message
_PIECES = re.compile(r"[A-Za-z]+|\d|\s+|[^\x00-\x7f]|[^A-Za-z\d\s]")


def bound_tokens(text: str) -> int:
    """Return about how many tokens `text` has in a small vocabulary, rather too many.

    A word counts one token for every five letters begun, digits and signs one each, other
    characters as many as they have bytes.
    """
    total = 0
    for piece in _PIECES.findall(text):
        if piece.isspace():
            total += len(piece) - 1
        elif piece.isascii():
            total += -(-len(piece) // 5)
        else:
            total += len(piece.encode())
    return total


def bound_prompt_tokens(messages: list[Message]) -> int:
    """Return the bound for a whole prompt."""
    return MESSAGE_TOKENS + sum(bound_tokens(m.content) + MESSAGE_TOKENS for m in messages)
