"""How well measures recognise a fact that was told: precision and recall by threshold.

Reads benchmarks/testimony.toml: the threshold is chosen on one part of the sentences, precision and
recall are of the others. Run: `python -m benchmarks.testimony` (seconds; the local sentence model).
"""

import asyncio
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from genagents_env.memory import testimony
from genagents_env.memory.embedder import Embedder
from genagents_env.memory.open import open_source
from genagents_env.memory.testimony import FactFinder, Statement
from genagents_env.scenario import load_scenario

FILE = Path(__file__).with_name("testimony.toml")
PARTS = ("choosing", "measuring", "played")


class Labelled(NamedTuple):
    """An utterance of the file."""

    scenario: str
    part: str
    kind: str
    said: Statement
    facts: frozenset[str]


class Score(NamedTuple):
    """Facts found that were told, found that were not, and told that were not found."""

    right: int
    wrong: int
    missing: int

    @property
    def precision(self) -> float:
        """The share of what was found that was told."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """The share of what was told that was found."""
        return self.right / max(1, self.right + self.missing)

    @property
    def f1(self) -> float:
        """The harmonic mean of the two."""
        return 2 * self.right / max(1, 2 * self.right + self.wrong + self.missing)


def read_labelled() -> list[Labelled]:
    """Return the utterances of the file."""
    return [
        Labelled(
            scenario,
            part,
            line["kind"],
            Statement(line["text"], line["by"], line.get("to")),
            frozenset(line["facts"]),
        )
        for scenario, parts in tomllib.loads(FILE.read_text("utf-8")).items()
        for part, lines in parts.items()
        for line in lines
    ]


async def find_told(
    lines: Iterable[Labelled], embedder: Embedder | None
) -> list[tuple[Labelled, frozenset[str]]]:
    """Return the facts found in each of `lines`."""
    lines, found = list(lines), []
    for scenario in dict.fromkeys(line.scenario for line in lines):
        mine = [line for line in lines if line.scenario == scenario]
        town = load_scenario(scenario)
        finder = FactFinder(town.facts, [person.name for person in town.people], embedder)
        told = await finder.find([line.said for line in mine])
        for line, own in zip(mine, told, strict=True):
            found.append((line, frozenset(one.fact for one in own)))
    return found


def score(found: Iterable[tuple[Labelled, frozenset[str]]]) -> Score:
    """Return how many facts were found rightly, wrongly, and not."""
    pairs = [(line.facts, own) for line, own in found]
    return Score(
        sum(len(told & own) for told, own in pairs),
        sum(len(own - told) for told, own in pairs),
        sum(len(told - own) for told, own in pairs),
    )


async def main() -> None:
    """Print the table."""
    lines = read_labelled()
    embedder = Embedder(open_source("local"))
    print(f"{len(lines)} utterances, {sum(len(line.facts) for line in lines)} facts told in them")
    print("| recognised by | part | precision | recall | F1 |\n|---|---|---|---|---|")
    for part in PARTS:
        mine = [line for line in lines if line.part == part]
        _print_row("patterns alone", part, score(await find_told(mine, None)))
    chosen = testimony.THRESHOLDS[embedder.name]
    for part in PARTS:
        mine = [line for line in lines if line.part == part]
        for step in range(50, 90, 4):
            testimony.THRESHOLDS[embedder.name] = step / 100
            if part == "choosing":
                _print_row(f"meaning, {step / 100}", part, score(await find_told(mine, embedder)))
        testimony.THRESHOLDS[embedder.name] = chosen
        found = await find_told(mine, embedder)
        _print_row(f"patterns and meaning, {chosen}", part, score(found))
        for line, own in found:
            for word, facts in (("wrong", own - line.facts), ("missing", line.facts - own)):
                for fact in sorted(facts):
                    print(f"    {word} {fact} ({line.kind}): {line.said.text}")
    await embedder.aclose()


def _print_row(by: str, part: str, one: Score) -> None:
    print(f"| {by} | {part} | {one.precision:.2f} | {one.recall:.2f} | {one.f1:.2f} |")


if __name__ == "__main__":
    asyncio.run(main())
