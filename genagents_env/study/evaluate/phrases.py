"""English read by its phrases: the patterns of `phrases.toml`, which lie open to be changed."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def load_phrases() -> Mapping[str, re.Pattern[str]]:
    """Return for each kind of the data file one pattern that finds any of its phrases.

    Texts must have passed through `straighten` first.
    """
    text = files(__package__).joinpath("phrases.toml").read_text(encoding="utf-8")
    return {kind: join_patterns(one["patterns"]) for kind, one in tomllib.loads(text).items()}


def join_patterns(patterns: list[str]) -> re.Pattern[str]:
    """Return a pattern that finds what any of `patterns` finds, in any case; nothing for none."""
    return re.compile("|".join(f"(?:{one})" for one in patterns) or r"(?!)", re.IGNORECASE)


def straighten(text: str) -> str:
    """Return `text` with straight apostrophes, since models write both kinds."""
    return text.replace("\u2019", "'")
