"""A small town whose people all have the SimuVerse mind, and answer by a rule of the test's."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from genagents_env.actions import Action
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted.prompt import Prompt, read_prompt
from genagents_env.policies.simuverse import SimuversePolicy
from genagents_env.policies.simuverse.grammar import FOUR_TOOLS, IDLE, find_prefix
from genagents_env.policies.simuverse.mind import SimuverseMind
from genagents_env.scenario import Scenario
from genagents_env.world.events import Event
from tests.policies import harness
from tests.policies.harness import write_town
from tests.policies.percepts import Value

ANN, BEN, CAT, DAN = "Ann Ash", "Ben Birch", "Cat Cole", "Dan Dorn"
EVERYBODY = (ANN, BEN, CAT, DAN)
TOWN = """
name = "quarter"
title = "A quarter"
description = "A hall, a yard and a shed."
town = "Quarter"
start = 2024-10-19T10:00:00
hours = 2
seconds_per_tick = 10

[rules]
walk_speed = 0.5
vision_radius = 9
hearing_radius = 9
phone = {phone}
restart = {restart}

[rules.conversation]
max_members = 3
max_exchanges = {exchanges}
turn_taking = "round_robin"
cooldown_seconds = 0
idle_seconds = 120

[[sectors]]
name = "hall"
common = true
arenas = [{{ name = "hall", size = [5, 4], objects = [{{ name = "bench" }}] }}]

[[sectors]]
name = "yard"
common = true
arenas = [{{ name = "yard", size = [6, 5], objects = [{{ name = "pump" }}, {{ name = "cart" }}] }}]

[[sectors]]
name = "shed"
common = true
hours = ["12:00-14:00"]
arenas = [{{ name = "shed", size = [4, 4] }}]
"""
PERSON = """
[[people]]
name = "{name}"
persona = "{name} lives here"
goal = "Do as one is told."
home = "{home}"
"""
Reply = Callable[[str, Prompt], str]


def quarter(
    folder: Path,
    homes: dict[str, str],
    *,
    exchanges: int = 10,
    phone: bool = True,
    restart: bool = True,
) -> Scenario:
    """Return a town in which these people start at their homes; all know one another."""
    text = TOWN.format(exchanges=exchanges, phone=str(phone).lower(), restart=str(restart).lower())
    for name, home in homes.items():
        ties = ", ".join(f'{{ to = "{o}", about = "a neighbour" }}' for o in homes if o != name)
        text += PERSON.format(name=name, home=home) + f"relationships = [{ties}]\n"
    return write_town(folder, text)


class Quarter(harness.Town[SimuversePolicy]):
    """The town, stepped by the policy; `reply` answers what people are asked in plain text.

    Attributes:
        asked: who was asked what, in order.
        acted: what everybody did, tick by tick.
        events: everything that happened.
        notes: how replies were read, as the record keeps it.
    """

    def __init__(self, town: Scenario | str, reply: Reply, seed: int = 0, **config: Value) -> None:
        self.reply, self.asked = reply, list[tuple[str, Prompt]]()
        self.acted = list[dict[str, Action]]()
        self.events = list[Event]()
        self.notes = list[dict[str, Any]]()
        policy = SimuversePolicy(**{"interpreter": "regex", **config})
        super().__init__(town, policy, self._answer, seed=seed)

    def _answer(self, request: CompletionRequest) -> str:
        prompt = read_prompt(request)
        if "triple" in prompt.fields:
            found = find_prefix(find(prompt, "reply")[0], (*FOUR_TOOLS, IDLE))
            triple = ["?", "ERROR", ""] if found is None else ["?", found.tool, found.context]
            return json.dumps({"triple": triple})
        self.asked.append((prompt.name, prompt))
        return self.reply(prompt.name, prompt)

    def step(self, times: int = 1) -> None:
        for _ in range(times):
            acted = self.policy.act(self.observations, self.infos)
            self.acted.append(acted)
            taken = self.policy.take_notes()
            self.notes += [json.loads(note.text) for note in taken if note.kind == "turn"]
            self.observations, _, _, _, self.infos = self.env.step(acted)
            self.events += self.env.events

    def mind(self, name: str) -> SimuverseMind:
        return self.policy.minds[name]

    def percept(self, name: str) -> Value:
        return self.infos[name]["percept"]

    def list_asked(self, name: str) -> list[Prompt]:
        return [prompt for who, prompt in self.asked if who == name]


def speaks(prompt: Prompt) -> bool:
    return "What do you say?" in prompt.words


def find(prompt: Prompt, head: str) -> list[str]:
    return [line.text for line in prompt.lines if line.head == head]


def follow(script: Mapping[str, Sequence[str]], **words: Sequence[str]) -> Reply:
    """Return a rule by which each chooses the tools of a script in turn, then scans.

    In conversations each says `words` in turn, by first name, then "Well, well.".
    """
    left = {name: list(lines) for name, lines in script.items()}
    unsaid = {name: list(lines) for name, lines in words.items()}

    def reply(name: str, prompt: Prompt) -> str:
        lines, rest = left.get(name), "(SCAN)"
        if speaks(prompt):
            lines, rest = unsaid.get(name.split()[0]), "Well, well."
        return lines.pop(0) if lines else rest

    return reply


def play(
    folder: Path,
    homes: dict[str, str],
    script: Mapping[str, Sequence[str]],
    ticks: int = 0,
    words: Mapping[str, Sequence[str]] = MappingProxyType({}),
    **config: Value,
) -> Quarter:
    """Return a town after so many ticks in which each follows a script, choosing at every tick."""
    town = Quarter(
        quarter(folder, homes), follow(script, **words), **{"turn_seconds": 10, **config}
    )
    town.step(ticks)
    return town
