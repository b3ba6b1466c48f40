"""The words that drawn towns are made of: names, rooms, and things with their states."""

import tomllib
from functools import cache
from pathlib import Path
from typing import TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict

from genagents_env.errors import ConfigError

T = TypeVar("T")
Things = dict[str, tuple[str, ...]]


class TownWords(BaseModel):
    """What `words.toml` holds.

    Attributes:
        towns: names of towns.
        streets: names of the open ground.
        house_names: first words of the names of houses.
        house_kinds: last words of the names of houses.
        green_names: first words of the names of greens; their kind is the last one.
        first_names: of people.
        surnames: of people.
        rooms: kinds of rooms, with the states of the things in them.
        greens: kinds of greens, likewise.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    towns: tuple[str, ...]
    streets: tuple[str, ...]
    house_names: tuple[str, ...]
    house_kinds: tuple[str, ...]
    green_names: tuple[str, ...]
    first_names: tuple[str, ...]
    surnames: tuple[str, ...]
    rooms: dict[str, Things]
    greens: dict[str, Things]


@cache
def read_words() -> TownWords:
    """Return the words, read once."""
    text = Path(__file__).with_suffix(".toml").read_text("utf-8")
    return TownWords.model_validate(tomllib.loads(text))


def draw_names(rng: np.random.Generator, count: int) -> tuple[str, ...]:
    """Return `count` names of people; no two share a first name, or a surname as long as they last.

    Raises:
        ConfigError: there are not so many first names.
    """
    words = read_words()
    if count > len(words.first_names):
        text = f"{count} people; at most {len(words.first_names)} names can be drawn"
        raise ConfigError(text)
    first, last = rng.permutation(len(words.first_names)), rng.permutation(len(words.surnames))
    return tuple(
        f"{words.first_names[first[i]]} {words.surnames[last[i % len(last)]]}" for i in range(count)
    )
