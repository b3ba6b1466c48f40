"""Find typed names among known ones: `Klaus`, `lena`, `ada brook`.

A name is understood if it is unique; nothing is guessed. Readers of stored data (files,
experiments) compare whole names; this is for input that people type.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from operator import eq
from typing import TypeVar
from unicodedata import combining, normalize

from genagents_env.errors import ConfigError
from genagents_env.text import clean, fold

T = TypeVar("T")

_JOINTS = re.compile(r"[-\u2010'\u2019]")  # of double names
_MOST_LISTED = 8  # names in a message; of more only how many there are besides
_MOST_ALIKE = 3  # suggestions
_LIKE, _LIKE_WORD = 0.6, 0.75  # of difflib: its own default; of one word of a name, more


def find_person(said: str, names: Iterable[str]) -> str:
    """Find the one of `names` that `said` is, or some words of it, in any case.

    Raises:
        ConfigError: nobody is called so, or several are; the message names them.
    """
    known = list(dict.fromkeys(names))
    return _take_one(said, search_people(said, known), known, "nobody is called", "people")


def find_people(options: Mapping[str, T], names: Iterable[str]) -> dict[str, T]:
    """Replace the names of people in `options` by their whole names.

    Raises:
        ConfigError: nobody is called so, several are, or one is named twice.
    """
    known, by_name = list(names), dict[str, T]()
    for said, value in options.items():
        name = find_person(said, known)
        if name in by_name:
            raise ConfigError(f"{clean(name, 80)} is named twice")
        by_name[name] = value
    return by_name


def shorten_names(names: Sequence[str]) -> list[str]:
    """Return the first word of each name where nobody else's begins with it, else the name."""
    first = Counter(name.split()[0] for name in names)
    return [name.split()[0] if first[name.split()[0]] == 1 else name for name in names]


def search_people(said: str, names: Sequence[str]) -> list[str]:
    """Return the matching `names`: one if it is clear, none, or several.

    The parts of a name with a hyphen or an apostrophe are words of it, and accents may be missing.
    """
    return _find(said, names, (eq, _has_words, _has_parts))


def find_place(said: str, places: Iterable[str]) -> str:
    """Find the one of `places` (a sector, `sector/arena`) that `said` names.

    A room may be named without its house, and any place by some words of its name; a house comes
    before rooms.

    Raises:
        ConfigError: there is no such place, or there are several; the message names them.
    """
    known = list(dict.fromkeys(places))
    matches = search_places(said, known)
    return _take_one(said, matches, known, "there is no place called", "places")


def search_places(said: str, places: Sequence[str]) -> list[str]:
    """Return the matching `places`: one if it is clear, none, or several."""
    asked = "/".join(part.strip() for part in said.replace(", ", "/").split("/"))
    houses = [place for place in places if "/" not in place]
    return (
        _find(asked, places, (eq, _ends_with))
        or _find(asked, houses, (_has_words,))
        or _find(asked, places, (_has_words_at_the_end,))
    )


def find_word(said: str, words: Iterable[str], what: str) -> str:
    """Find `said` among `words`, in any case; `what` they are, such as `fact`.

    Raises:
        ConfigError: there is none of this name.
    """
    known = list(dict.fromkeys(words))
    matches = _find(said, known, (eq,))
    return _take_one(said, matches, known, f"no {what} is called", f"{what}s")


def suggest_names(said: str, names: Iterable[str], what: str) -> str:
    """Return `did you mean ...?`, or what there is, of many not all: `there are 25 people, ...`."""
    known = list(dict.fromkeys(names))
    if not known:
        return f"there are no {what}"
    near = [clean(name, 80) for name in find_alike(said, known)]
    if near:
        return f"did you mean {' or '.join(near)}?"
    listed = ", ".join(clean(name, 80) for name in known[:_MOST_LISTED])
    if len(known) <= _MOST_LISTED:
        return f"there are {listed}"
    return f"there are {len(known)} {what}, among them {listed}"


def find_alike(said: str, names: Sequence[str]) -> list[str]:
    """Return the name that is spelt like what was said, as a whole, else those in one word."""
    asked = _take_apart(fold(said)[:300])
    whole = {_take_apart(fold(name)): name for name in reversed(names)}
    near = get_close_matches(asked, list(whole), n=1, cutoff=_LIKE)
    if near:
        return [whole[near[0]]]
    words: dict[str, list[str]] = {}
    for name in names:
        for word in _take_apart(fold(name).replace("/", " ")).split():
            words.setdefault(word, []).append(name)
    near = get_close_matches(asked, list(words), n=1, cutoff=_LIKE_WORD)
    return words[near[0]][:_MOST_ALIKE] if near else []


def _find(said: str, known: Sequence[str], ways: Iterable[Callable[[str, str], bool]]) -> list[str]:
    """Return the matches of the first of `ways` that has any; a whole name by itself."""
    if said in known:
        return [said]
    asked = fold(said)
    for is_meant in ways:
        matches = [name for name in known if asked and is_meant(asked, fold(name))]
        if matches:
            return matches
    return []


def _take_one(said: str, matches: Sequence[str], known: Sequence[str], none: str, what: str) -> str:
    if len(matches) == 1:
        return matches[0]
    shown = repr(clean(said, 80))
    if not matches:
        raise ConfigError(f"{none} {shown}; {suggest_names(said, known, what)}")
    listed = ", ".join(clean(name, 80) for name in matches[:_MOST_LISTED])
    more = f" and {len(matches) - _MOST_LISTED} more" if len(matches) > _MOST_LISTED else ""
    raise ConfigError(f"{shown} may be {listed}{more}; say which")


def _has_parts(asked: str, name: str) -> bool:
    return _has_words(_take_apart(asked), _take_apart(name))


def _take_apart(name: str) -> str:
    bare = "".join(c for c in normalize("NFD", name) if not combining(c))
    return " ".join(_JOINTS.sub(" ", bare).split())


def _has_words(asked: str, name: str) -> bool:
    return f" {asked} " in f" {name} "


def _ends_with(asked: str, name: str) -> bool:
    return name.endswith("/" + asked)


def _has_words_at_the_end(asked: str, name: str) -> bool:
    return _has_words(asked, name.rpartition("/")[2])
