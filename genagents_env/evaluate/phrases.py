"""Phrases by kind, from a data file: what counts as asking, agreeing, declining, formal."""

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files

FILE = "phrases.toml"


def phrases() -> Mapping[str, re.Pattern[str]]:
    """Return for each kind of the data file one pattern that finds any of its phrases.

    Texts are to be passed through `straight` first.
    """
    text = files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    return {
        kind: re.compile("|".join(f"(?:{one})" for one in entry["patterns"]), re.IGNORECASE)
        for kind, entry in tomllib.loads(text).items()
    }


def straight(text: str) -> str:
    """Return `text` with straight apostrophes, since models write both kinds."""
    return text.replace("\u2019", "'")
