"""The patterns of shipped scenarios, and texts that they are found in, or nearly."""

import re
from collections.abc import Iterator

import numpy as np

from genagents_env.scenario import list_scenario_names, load_scenario
from genagents_env.scenario.schema import AnswerCheck, ValueCheck
from genagents_env.text import clean

FILLERS = (
    "",
    " ",
    " the ",
    " and so, ",
    " José\u2019s ",
    ". ",
    " 我 ",
    " a very old and long story of ",
)


def list_shipped_patterns() -> Iterator[str]:
    found: dict[str, None] = {}
    for name in list_scenario_names():
        scenario = load_scenario(name)
        for fact in scenario.facts:
            found |= dict.fromkeys(fact.patterns)
        for check in scenario.checks:
            if isinstance(check, AnswerCheck):
                found |= dict.fromkeys((*check.yes, *check.no))
            elif isinstance(check, ValueCheck):
                for value in check.values:
                    found |= dict.fromkeys((*value.patterns, *value.no))
    yield from found


def find_with_re(pattern: str, text: str) -> int | None:
    found = re.search(pattern, text, re.IGNORECASE)
    if found is None:
        return None
    at = found.start("at") if "at" in found.re.groupindex else -1
    return found.start() if at < 0 else at


def write_texts(pattern: str, count: int, seed: int = 0) -> Iterator[str]:
    """Yield texts most of which a pattern of the shipped kind is found in, and some nearly."""
    draw = np.random.default_rng(seed)
    for _ in range(count):
        text = _write(pattern, draw)
        if draw.random() < 0.3:
            at = int(draw.integers(len(text) + 1))
            text = text[:at] + str(draw.choice(list("aé. \u2019_"))) + text[at + 1 :]
        yield clean(str(draw.choice(FILLERS)) + text + str(draw.choice(FILLERS)), 4000)


def _write(pattern: str, draw: np.random.Generator) -> str:
    """Return a text that a pattern matches: its sets, groups and repetitions decided by lot."""
    text = pattern.removeprefix("^").replace("(?P<at>)", "").replace(r"\b", "")
    text = re.sub(r"\.\{0,\d+\}\??|\.\*", lambda _: str(draw.choice(FILLERS)), text)
    text = re.sub(r"\[\^\.?!\?\]\{0,\d+\}\??", lambda _: str(draw.choice(FILLERS)), text)
    text = re.sub(r"\\w[*+]?", lambda _: str(draw.choice(("ing", "é", "s"))), text)
    text = re.sub(r"\[([^\]]+)\]", lambda m: str(draw.choice(list(m[1]))), text)
    while (group := re.search(r"\(\?:([^()]*)\)(\?|\{0,3\})?", text)) is not None:
        one = str(draw.choice(group[1].split("|"))) if not group[2] or draw.random() < 0.5 else ""
        text = text[: group.start()] + one + text[group.end() :]
    text = re.sub(r"(.)\?", lambda m: m[1] if draw.random() < 0.5 else "", text)
    return text.replace(r"\.", ".").replace(".", str(draw.choice(("'", "."))))
