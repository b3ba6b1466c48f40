"""Counts tokens without ever going to the network."""

import os
import tempfile
from collections.abc import Callable
from hashlib import sha1
from pathlib import Path

import tiktoken.model

# Tokenizers look at so many characters at once; of a megabyte of blanks tiktoken's stack overflows.
_MOST_AT_ONCE = 10_000
_SOURCE = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"


class TokenCounter:
    """Counts tokens as `model` does; exactly where its encoding is installed, else an upper bound.

    In this order: tiktoken, if the encoding was downloaded before; quicktok, which ships the
    common ones; the number of UTF-8 bytes, of which no tokenizer makes more tokens.
    """

    def __init__(self, model: str) -> None:
        self.model = model
        self._count: Callable[[str], int] | None = None

    @property
    def exact(self) -> bool:
        """Whether counts are the model's own, not upper bounds."""
        return self._counter() is not byte_count

    def count(self, text: str) -> int:
        """Return the tokens of `text`; a lone surrogate counts as three bytes.

        A text of over 10,000 characters is counted in parts, which may give one more for each.
        """
        if not text:
            return 0
        try:
            text.encode()
        except UnicodeEncodeError:
            return byte_count(text)
        count = self._counter()
        return sum(
            count(text[at : at + _MOST_AT_ONCE]) for at in range(0, len(text), _MOST_AT_ONCE)
        )

    def _counter(self) -> Callable[[str], int]:
        if self._count is None:
            self._count = _tiktoken(self.model) or _quicktok(self.model) or byte_count
        return self._count


def byte_count(text: str) -> int:
    """Return the UTF-8 bytes of `text`: an upper bound of its tokens."""
    return len(text.encode("utf-8", "surrogatepass"))


def _tiktoken(model: str) -> Callable[[str], int] | None:
    try:
        name = tiktoken.model.encoding_name_for_model(model)
    except KeyError:
        return None
    if not _is_cached(name):
        return None
    encoding = tiktoken.get_encoding(name)
    return lambda text: len(encoding.encode_ordinary(text))


def _is_cached(name: str) -> bool:
    """Return whether tiktoken holds the encoding on disk, so that loading it asks no network."""
    given = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if given == "":  # tiktoken's way to say: do not cache
        return False
    folder = Path(given) if given else Path(tempfile.gettempdir()) / "data-gym-cache"
    address = _SOURCE.format(name)
    return (folder / sha1(address.encode(), usedforsecurity=False).hexdigest()).is_file()


def _quicktok(model: str) -> Callable[[str], int] | None:
    try:
        import quicktok
    except ImportError:
        return None
    try:
        name = tiktoken.model.encoding_name_for_model(model)
        encoding = quicktok.get_encoding(name)
    except (KeyError, RuntimeError):
        try:
            encoding = quicktok.encoding_for_model(model)
        except (KeyError, RuntimeError):
            return None
    return lambda text: len(encoding.encode_ordinary(text))
