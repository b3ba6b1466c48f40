"""Brief: names and places as they stand in a prompt's own sentences, short in any script.

What stands in the fence is cut to length by `Prompts.fill`; names and places may stand outside
it, and one of sixty Chinese characters would take a third of a prompt.
"""

from collections.abc import Sequence

from genagents_env.llm.bound import bound

_NAME, _PLACE = 24, 36  # tokens at most
_NAMED = 3  # people


def shorten_name(words: str) -> str:
    """Return a person's name, or as much of it as is short."""
    return _cut(words, _NAME)


def shorten_names(several: Sequence[str]) -> str:
    """Return the first few of several names, as a list in words."""
    return ", ".join(shorten_name(words) for words in several[:_NAMED])


def shorten_place(words: str) -> str:
    """Return the id of a place, or as much of it as is short."""
    return _cut(words, _PLACE)


def _cut(words: str, most: int) -> str:
    while bound(words) > most:
        words = words[: len(words) * 3 // 4]
    return words
