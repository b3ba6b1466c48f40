"""Counts of tokens: bounds without a tokenizer, or counts by the model's own."""

import os
import re
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import sha1
from pathlib import Path

from genagents_env.llm.calls import Message

MESSAGE_TOKENS = 6  # of a chat template around a message
_PIECES = re.compile(r"[A-Za-z]+|\d|\s+|[^\x00-\x7f]|[^A-Za-z\d\s]")
# Characters tokenized at once; a megabyte of blanks overflows tiktoken's stack.
_MOST_AT_ONCE = 10_000
_SOURCE = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"


def bound_tokens(text: str) -> int:
    """Return a rough upper bound of the tokens of `text` in a small vocabulary.

    A word counts one token per five letters begun, digits and punctuation one each, and other
    characters one per byte. No tokenizer is used: if prompts depended on which one is installed, a
    resumed run could ask something else.
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


def byte_count(text: str) -> int:
    """Count the UTF-8 bytes of `text`, three for a lone surrogate: an upper bound of tokens."""
    return len(text.encode("utf-8", "surrogatepass"))


class TokenCounter:
    """Counts tokens as `model` does; exactly where its encoding is installed, else an upper bound.

    In this order: tiktoken, if the encoding was downloaded before; quicktok, which ships the
    common ones; the number of UTF-8 bytes.
    """

    def __init__(self, model: str) -> None:
        self.model = model

    def count(self, text: str) -> int:
        """Count the tokens of `text`; above 10,000 characters a few too many."""
        try:
            text.encode()
        except UnicodeEncodeError:
            return byte_count(text)
        parts = (text[at : at + _MOST_AT_ONCE] for at in range(0, len(text), _MOST_AT_ONCE))
        return sum(map(self._tokenize_and_count, parts))

    @cached_property
    def _tokenize_and_count(self) -> Callable[[str], int]:
        return _load_counter(self.model)


def _load_counter(model: str) -> Callable[[str], int]:
    import tiktoken.model  # slow, and needed only for an endpoint that sends no usage

    try:
        name = tiktoken.model.encoding_name_for_model(model)
    except KeyError:
        name = ""
    if name and _is_cached(name):
        return _count_by(tiktoken.get_encoding(name).encode_ordinary)
    try:
        import quicktok
    except ImportError:  # of an extra
        return byte_count
    for load, key in ((quicktok.get_encoding, name), (quicktok.encoding_for_model, model)):
        with suppress(KeyError, RuntimeError):
            return _count_by(load(key).encode_ordinary)
    return byte_count


def _count_by(encode: Callable[[str], Sequence[int]]) -> Callable[[str], int]:
    return lambda text: len(encode(text))


def _is_cached(name: str) -> bool:
    """Return True if tiktoken has the encoding on disk, and so loads it without network."""
    given = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if given == "":  # which disables tiktoken's cache
        return False
    folder = Path(given) if given else Path(tempfile.gettempdir()) / "data-gym-cache"
    address = _SOURCE.format(name)
    return (folder / sha1(address.encode(), usedforsecurity=False).hexdigest()).is_file()
