"""Every shipped pattern finds in texts of recorded runs what Python's `re` finds, and where.

Run: `python -m tests.campaigns.pattern_recognition` (about ten minutes). Every shipped scenario is
lived with every scripted model and three minds; every text in the run files is searched, and as
many made from the patterns and from these texts. CI takes a tenth.
"""

import argparse
import json
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path

import numpy as np

from genagents_env.scenario import list_scenario_names, load_scenario
from genagents_env.scenario.patterns import compile_pattern, prepare
from genagents_env.scenario.schema import AnswerCheck, ValueCheck
from genagents_env.text import clean

MODELS = ("neighbour",)
MINDS = ("reactive", "lyfe", "smallville")
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
TEXTS = "SELECT data FROM events UNION SELECT answer FROM interviews UNION SELECT reply FROM calls"


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


def compare(patterns: Iterable[str], texts: Iterable[str]) -> tuple[int, list[str]]:
    """Return how often a pattern was found, and where the two engines differ."""
    hits, differing = 0, []
    ready = [(text, prepare(text)) for text in texts]
    for pattern in patterns:
        compiled = compile_pattern(pattern)
        for text, prepared in ready:
            wanted = find_with_re(pattern, text)
            hits += wanted is not None
            if compiled.find(prepared) != wanted:
                differing.append(f"{pattern!r} in {text!r}: not at {wanted}")
    return hits, differing


def read_texts(file: Path) -> set[str]:
    found: set[str] = set()
    with sqlite3.connect(file) as run:
        for (cell,) in run.execute(TEXTS):
            found.update(_list_texts(cell))
    run.close()
    return {clean(text, 4000) for text in found}


def _list_texts(value: object) -> Iterator[str]:
    if isinstance(value, str) and value[:1] in "{[":
        with suppress(ValueError):
            value = json.loads(value)
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _list_texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _list_texts(one)


def record(folder: Path, scenario: str, mind: str, model: str, hours: float) -> Path:
    file = folder / f"{scenario}-{mind}-{model}.sqlite"
    options = ["--policy", mind, "--model", f"scripted:{model}", "--embedder", "hashed", "--quiet"]
    command = [sys.executable, "-m", "genagents_env", "run", scenario, *options]
    command += ["--hours", str(hours), "--out", str(file)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return file


def main(hours: float = 3.0, runs: int = 72, made: int = 100) -> None:
    """Record so many runs, make texts of each pattern, raise where the two engines differ."""
    patterns, texts = list(list_shipped_patterns()), set[str]()
    every = list(product(MINDS, list_scenario_names(), MODELS))
    with tempfile.TemporaryDirectory() as folder:
        for mind, scenario, model in every[:: len(every) // runs]:
            texts |= read_texts(record(Path(folder), scenario, mind, model, hours))
            print(f"{scenario} {mind} {model}: {len(texts)} texts", file=sys.stderr)
    for pattern in patterns:
        texts.update(write_texts(pattern, made))
    hits, differing = compare(patterns, sorted(texts))
    print(f"{len(patterns)} patterns, {len(texts)} texts, found {hits} times")
    print(f"{len(differing)} differ")
    if differing:
        raise SystemExit("\n".join(differing[:50]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=3.0)
    parser.add_argument("--runs", type=int, default=72, help="of the 72 of minds, towns and models")
    parser.add_argument("--made", type=int, default=100, help="texts of each pattern")
    main(**vars(parser.parse_args()))
